"""What somebody whom nobody knows has written: a wish to join, under which name.

The command's words (``Mitspielen als Zoe``, ``join K7Q2``) say it, and so do sentences of people who have not read how
it is done: "Darf ich noch mitspielen?", "I would like to take part". A sentence counts only where somebody speaks of
himself: advertising says "jetzt mitmachen", and is not answered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.spelling import games_called, plain
from moderator.commands.declaration import Command, players
from moderator.commands.player import tournament_words
from moderator.commands.reading import find
from moderator.mail.model import Incoming
from moderator.play.create import skeleton
from moderator.store.players import names

LOOKED_AT = 12
"""Lines in which the wish to join is looked for."""
_ENGLISH = ("join", "sign", "cup", "tournament", "league")
_FILLING = re.compile(r"^(?:als|as|bei|in|mit|with|an|at)\b\s*", re.IGNORECASE)
_REPLY = re.compile(r"^(?:\s*(?:re|aw|fwd?|wg)\s*:)+", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^\w .'’-]|[\d_]")
RESERVED = frozenset(
    ("alle", "all", "everybody", "everyone", "spielleiter", "moderator", "sl", "gm", "passe", "pass", "passen", "ende")
)
"""Names that mean something else in a mail."""
OFFICES = frozenset({"spielleiter", "spielleitung", "moderator", "moderation", "referee", "admin", "administrator"})
"""Words that are in nobody's name but the moderator's, in whatever script they are written."""
_LINK = re.compile(r"\.(?=\w\w)")
"""Where a mail program sees a link: the question to a stranger must not carry somebody else's."""
_LONGEST = 300
"""Characters of a line that are looked at."""
_GERMAN = re.compile(
    r"(?:\b(?:ich|wir|mir|mich|uns|man)\b|\b(?:lust|interesse)\b)[^.!?]*\b(?:mitspielen|mitzuspielen|mitmachen"
    r"|mitzumachen|teilnehmen|teilzunehmen|beitreten|beizutreten|einsteigen|einzusteigen|anmelden"
    r"|mitspieler(?:in)? werden)\b"
    r"|\b(?:moechte|wuerde|wollte|will|darf|kann|koennte)\b[^.!?]*\bgern\w*\b[^.!?]*"
    r"\b(?:mitspielen|mitmachen|teilnehmen|einsteigen)\b"
    r"|\b(?:ich|wir)\b[^.!?]*\b(?:spielen?|machen?|waeren?|bin|sind)\b[^.!?]*\b(?:gern\w* mit|dabei)\b"
    r"|\bnoch (?:ein )?plaetze? frei\b"
)
_ENGLISH_WISH = re.compile(
    r"\b(?:i|we|me|us)\b[^.!?]*\b(?:join|joining|take part|taking part|participate|participating|sign up|signing up"
    r"|play along|enter the (?:club|game|tournament)|play (?:with you|in your|too|by (?:e-?mail|post)))\b"
    r"|\b(?:interested in)\b[^.!?]*\b(?:joining|playing|taking part|participating)\b"
    r"|\bcount me in\b"
)


@dataclass(frozen=True)
class Wish:
    """What somebody who wants to join has written."""

    language: Literal["de", "en"]
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
        language: Literal["de", "en"] = "en" if plain(text).startswith(_ENGLISH) else "de"
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
        language: Literal["de", "en", ""] = "de" if _GERMAN.search(said) else "en" if _ENGLISH_WISH.search(said) else ""
        if language:
            code = re.search(rf"(?<![\w-])({tokens.CODE.pattern})(?![\w-])", text, re.IGNORECASE)
            return Wish(language, mail.sender_name, code.group(1).upper() if code else "")
    return None


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
    base = own_name(wanted, address)
    possible = (base, *(f"{base[:36]} {number}" for number in range(2, 1000)))
    return next(one for one in possible if skeleton(one) not in taken)


def own_name(wanted: str, address: str) -> str:
    """What somebody is called who may not learn yet which names are taken."""
    return next(filter(None, (_as_name(one) for one in (wanted, address.partition("@")[0]))), "Gast")


def _as_name(text: str) -> str:
    """Letters, spaces, hyphens; "" for what would be read as something else than a name."""
    shown = " ".join(_NOT_IN_NAMES.sub(" ", _LINK.sub(" ", text)).split()).strip(" .-'’")[:40].strip(" .-'’")
    shown = shown.capitalize() if shown.islower() and " " not in shown else shown
    if plain(shown) in RESERVED or find(shown, whole=True) is not None or not any(letter.isalpha() for letter in shown):
        return ""
    words = {skeleton(word) for word in (*shown.split(), *shown.casefold().split())}
    return "" if words & OFFICES else shown
