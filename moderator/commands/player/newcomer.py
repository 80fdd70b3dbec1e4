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

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.spelling import games_called
from moderator.commands.declaration import Command, find, players
from moderator.commands.player import tournament_words
from moderator.mail.clean import ANSWERED
from moderator.mail.model import Incoming
from moderator.pages.messages import label
from moderator.play.create import skeleton
from moderator.store.players import names
from moderator.texts import heard, in_all, one_of, pattern, plain, said_in

LOOKED_AT = 12
"""Lines in which the wish to join is looked for."""
HERE = Path(__file__).parent
_FILLING = re.compile(rf"^{pattern(HERE, 'signup-filling')}\b\s*", re.IGNORECASE)
_REPLY = re.compile(rf"^{ANSWERED}+", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^\w .'’-]|[\d_]")
RESERVED = heard(HERE, "no-name")
"""Names that mean something else in a mail."""
OFFICES = heard(HERE, "offices")
"""Words that are in nobody's name but the moderator's, in whatever script they are written."""
_LINK = re.compile(r"\.(?=\w\w)")
"""Where a mail program sees a link: the question to a stranger must not carry somebody else's."""
_LONGEST = 300
"""Characters of a line that are looked at."""


@dataclass(frozen=True)
class Wish:
    """What somebody who wants to join has written."""

    language: str
    name: str
    code: str = ""
    """A match, if one is named."""
    game: str = ""
    """Key of a game, if one is named."""
    tournament: str = ""
    """A tournament, if one is named: its code, or its name spelt plain."""


def wish(mail: Incoming) -> Wish | None:
    """The wish to join in a mail's subject or first lines; None if there is none."""
    joining = [players()[name] for name in ("join", "cup")]
    for text in (_REPLY.sub("", mail.subject[:300]), *(line.text for line in mail.lines[:LOOKED_AT])):
        found = find(text, joining)
        if found is None:
            continue
        language = _language(found[0], plain(text))
        tournament = _tournament(*found)
        if tournament is not None:
            return Wish(language, mail.sender_name, tournament=tournament)
        if found[0].name == "cup":
            continue
        code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
        rest = _FILLING.sub("", text[len(text) - len(found[1]) :] if found[1] else "")
        rest = rest.replace(code.group(0), "") if code else rest
        games = games_called(rest)
        own = "" if games else rest
        return Wish(language, own or mail.sender_name, code.group(1).upper() if code else "", games[0] if games else "")
    return _in_a_sentence(mail)


def _in_a_sentence(mail: Incoming) -> Wish | None:
    """The wish of somebody who knows no commands."""
    for text in (_REPLY.sub("", mail.subject[:_LONGEST]), *(line.text[:_LONGEST] for line in mail.lines[:LOOKED_AT])):
        said = plain(text)
        language = next((one for one, wishes in _wishes().items() if wishes.search(said)), None)
        if language is not None:
            code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
            return Wish(language, mail.sender_name, code.group(1).upper() if code else "")
    return None


@cache
def _wishes() -> Mapping[str, re.Pattern[str]]:
    """Language -> how the wish to join is put in it."""
    every = in_all(HERE, "heard", "wishes")
    return {language: re.compile("|".join(map(_sentence, lines))) for language, (_, lines) in every.items()}


def _sentence(line: str) -> str:
    """A regular expression for ``ich|wir … mitspielen|gern* mit``."""
    parts = ([plain(words) for words in part.split("|")] for part in line.split("…"))
    return r"[^.!?]*".join(rf"\b{one_of(words)}\b".replace(r"\*", r"\w*") for words in parts)


def _language(command: Command, said: str) -> str:
    """In which language a line asks to join: that of its first word, or of most words where several have that one."""
    joining = said_in(Path(tournament_words.__file__).parent, "cup-join")
    own = {language: tuple(map(plain, text.words.split("|"))) for language, text in command.texts.items()}

    def count(language: str) -> int:
        return sum(re.search(rf"\b{word}\b", said) is not None for word in (*own[language], *joining[language]))

    return max((language for language, words in own.items() if said.startswith(words)), key=count)


def _tournament(command: Command, argument: str) -> str | None:
    """The tournament that a line asks to join ("" = whichever), None for another line."""
    if command.name == "join":
        code = _FILLING.sub("", argument.strip())
        return code.lower() if tournament_words.is_code(code) else None
    wanted = tournament_words.read(argument)
    return wanted.tournament if wanted is not None and wanted.what == "join" else None


def free_name(desk: Desk, wanted: str, address: str) -> str:
    """A name that nobody has, made of letters: as wanted, else what stands before the @; with a number if need be."""
    taken = {skeleton(known) for known in names(desk.session)}
    base = own_name(wanted, address, desk.config.club.language)
    possible = (base, *(f"{base[:36]} {number}" for number in range(2, 1000)))
    return next(one for one in possible if skeleton(one) not in taken)


def own_name(wanted: str, address: str, language: str) -> str:
    """What somebody is called who may not learn yet which names are taken."""
    return next(filter(None, (as_name(one) for one in (wanted, address.partition("@")[0]))), label("guest", language))


def as_name(text: str) -> str:
    """Letters, spaces, hyphens; "" for what would be read as something else than a name."""
    shown = " ".join(_NOT_IN_NAMES.sub(" ", _LINK.sub(" ", text)).split()).strip(" .-'’")[:40].strip(" .-'’")
    shown = shown.capitalize() if shown.islower() and " " not in shown else shown
    if plain(shown) in RESERVED or find(shown, whole=True) is not None or not any(letter.isalpha() for letter in shown):
        return ""
    words = {skeleton(word) for word in (*shown.split(), *shown.casefold().split())}
    return "" if words & OFFICES else shown
