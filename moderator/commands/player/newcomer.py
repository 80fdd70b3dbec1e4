"""What a mail from nobody we know asks for: the wish to join, in a command's words or in a sentence, and the name.

The command's words (``Mitspielen als Zoe``, ``join K7Q2``) say it, and so do sentences of people who have not read
how it is done: "Darf ich noch mitspielen?", "I would like to take part". A sentence counts only where somebody
speaks of himself: advertising says "jetzt mitmachen", and is not answered."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from moderator.commands.declaration import Command, find_command, get_player_commands
from moderator.commands.player import tournament_words
from moderator.common import tokens
from moderator.common.message_files import (
    build_any_pattern,
    load_per_language,
    load_synonyms,
    load_word_pattern,
    load_words_by_language,
    normalize_spelling,
)
from moderator.language.messages import render_label
from moderator.language.spelling import find_games_by_name
from moderator.mail.clean import ANSWERED
from moderator.mail.model import ParsedMail
from moderator.service.create import compute_lookalike_key
from moderator.service.desk import Desk
from moderator.store.players import list_player_names

LOOKED_AT = 12
"""Lines in which the wish to join is looked for."""
HERE = Path(__file__).parent
_FILLING = re.compile(rf"^{load_word_pattern(HERE, 'signup-filling')}\b\s*", re.IGNORECASE)
_REPLY = re.compile(rf"^{ANSWERED}+", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^\w .'’-]|[\d_]")
RESERVED = load_synonyms(HERE, "no-name")
"""Names that mean something else in a mail."""
OFFICES = load_synonyms(HERE, "offices")
"""Words that are in nobody's name but the moderator's, in whatever script they are written."""
_LINK = re.compile(r"\.(?=\w\w)")
"""Where a mail program sees a link: the question to a stranger must not carry somebody else's."""
_LONGEST = 300
"""Characters of a line that are looked at."""


@dataclass(frozen=True)
class JoinWish:
    """The wish of somebody who wants to join, as it was written."""

    language: str
    name: str
    code: str = ""
    """A match, if one is named."""
    game: str = ""
    """Key of a game, if one is named."""
    tournament: str = ""
    """A tournament, if one is named: its code, or its name spelt plain."""


def find_join_wish(mail: ParsedMail) -> JoinWish | None:
    """Return the wish to join in a mail's subject or first lines; None if there is none."""
    joining = [get_player_commands()[name] for name in ("join", "cup")]
    for text in (_REPLY.sub("", mail.subject[:300]), *(line.text for line in mail.lines[:LOOKED_AT])):
        found = find_command(text, joining)
        if found is None:
            continue
        language = _detect_language(found[0], normalize_spelling(text))
        tournament = _parse_tournament(*found)
        if tournament is not None:
            return JoinWish(language, mail.sender_name, tournament=tournament)
        if found[0].name == "cup":
            continue
        code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
        rest = _FILLING.sub("", text[len(text) - len(found[1]) :] if found[1] else "")
        rest = rest.replace(code.group(0), "") if code else rest
        games = find_games_by_name(rest)
        own = "" if games else rest
        return JoinWish(
            language, own or mail.sender_name, code.group(1).upper() if code else "", games[0] if games else ""
        )
    return _find_wish_in_prose(mail)


def _find_wish_in_prose(mail: ParsedMail) -> JoinWish | None:
    """Return the wish of somebody who knows no commands; None if there is none."""
    for text in (_REPLY.sub("", mail.subject[:_LONGEST]), *(line.text[:_LONGEST] for line in mail.lines[:LOOKED_AT])):
        said = normalize_spelling(text)
        language = next((one for one, wishes in _load_wish_patterns().items() if wishes.search(said)), None)
        if language is not None:
            code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
            return JoinWish(language, mail.sender_name, code.group(1).upper() if code else "")
    return None


@cache
def _load_wish_patterns() -> Mapping[str, re.Pattern[str]]:
    """Return language -> how the wish to join is put in it."""
    every = load_per_language(HERE, "heard", "wishes")
    return {
        language: re.compile("|".join(map(_build_sentence_pattern, lines))) for language, (_, lines) in every.items()
    }


def _build_sentence_pattern(line: str) -> str:
    """Return a regular expression for ``ich|wir … mitspielen|gern* mit``."""
    parts = ([normalize_spelling(words) for words in part.split("|")] for part in line.split("…"))
    return r"[^.!?]*".join(rf"\b{build_any_pattern(words)}\b".replace(r"\*", r"\w*") for words in parts)


def _detect_language(command: Command, said: str) -> str:
    """Return the language in which a line asks to join: that of its first word, or of most words where several have
    that one."""
    joining = load_words_by_language(Path(tournament_words.__file__).parent, "cup-join")
    own = {language: tuple(map(normalize_spelling, text.words.split("|"))) for language, text in command.texts.items()}

    def count_words(language: str) -> int:
        return sum(re.search(rf"\b{word}\b", said) is not None for word in (*own[language], *joining[language]))

    return max((language for language, words in own.items() if said.startswith(words)), key=count_words)


def _parse_tournament(command: Command, argument: str) -> str | None:
    """Return the tournament that a line asks to join ("" = whichever), None for another line."""
    if command.name == "join":
        code = _FILLING.sub("", argument.strip())
        return code.lower() if tournament_words.is_tournament_code(code) else None
    wanted = tournament_words.parse_tournament_wish(argument)
    return wanted.tournament if wanted is not None and wanted.what == "join" else None


def choose_free_name(desk: Desk, wanted: str, address: str) -> str:
    """Return a name that nobody has, made of letters: as wanted, else what stands before the @; with a number if need
    be."""
    taken = {compute_lookalike_key(known) for known in list_player_names(desk.session)}
    base = choose_stranger_name(wanted, address, desk.config.club.language)
    possible = (base, *(f"{base[:36]} {number}" for number in range(2, 1000)))
    return next(one for one in possible if compute_lookalike_key(one) not in taken)


def choose_stranger_name(wanted: str, address: str, language: str) -> str:
    """Return the name for a stranger who may not learn yet which names are taken."""
    return next(
        filter(None, (clean_player_name(one) for one in (wanted, address.partition("@")[0]))),
        render_label("guest", language),
    )


def clean_player_name(text: str) -> str:
    """Return letters, spaces, hyphens; "" for what would be read as something else than a name."""
    shown = " ".join(_NOT_IN_NAMES.sub(" ", _LINK.sub(" ", text)).split()).strip(" .-'’")[:40].strip(" .-'’")
    shown = shown.capitalize() if shown.islower() and " " not in shown else shown
    if (
        normalize_spelling(shown) in RESERVED
        or find_command(shown, whole=True) is not None
        or not any(letter.isalpha() for letter in shown)
    ):
        return ""
    words = {compute_lookalike_key(word) for word in (*shown.split(), *shown.casefold().split())}
    return "" if words & OFFICES else shown
