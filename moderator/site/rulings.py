"""What was decided on words, with reasons: the club's own list and the one that comes with moderator.

What a player wanted to lay tells about the rack: a word that a running match has asked for, or that is ruled on for a
running match alone, is not published before that match is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

from sqlmodel import col, select

from moderator.errors import LexiconError
from moderator.games import REGISTRY
from moderator.lexicon import house
from moderator.lexicon.house import Ruling
from moderator.lexicon.kinds import names
from moderator.site.site import Site
from moderator.site.tree import File
from moderator.states import MatchStatus
from moderator.store.models import Match, Question


@dataclass(frozen=True)
class Told:
    """A ruling as the page shows it."""

    word: str
    allowed: bool
    reason: str
    on: date | None
    scope: str
    """"" = everywhere; else a game, a tournament or a match."""
    base: str
    kinds: tuple[str, ...]
    """What its tags say the word is (lexicon/kinds.py)."""

    @property
    def letter(self) -> str:
        first = self.word[:1].upper()
        return {"Ä": "A", "Ö": "O", "Ü": "U"}.get(first, first)


def files(site: Site) -> Iterator[File]:
    """``words.html`` and ``words-shipped.html`` in each language."""
    own, shipped = site.rulings, house.state(house.SHIPPED)
    wanted = {one.scope for one in own}
    scopes = {scope: page for scope, page in _scopes(site).items() if scope in wanted}
    for language in site.languages:
        page = partial(_page, site, own, scopes, language)
        yield File(site.path("words.html", language), site.key("words", own, sorted(scopes.items())), page)
        yield File(
            site.path("words-shipped.html", language), site.key("shipped", shipped), partial(_shipped, site, language)
        )


def club(site: Site) -> tuple[Told, ...]:
    """The club's own rulings that are in force and may be read, the newest first. A list that cannot be read has none:
    the moderator hears of that elsewhere."""
    try:
        found = house.read(site.config.path(site.config.words.house))
    except LexiconError:
        return ()
    last = {(ruling.word, ruling.scope): ruling for ruling in found}
    secret = _secret(site)
    running = {match.code for match in site.matches if not match.over}
    told = [_told(r) for r in last.values() if _letters(r) not in secret and r.scope not in running]
    told.reverse()
    return tuple(sorted(told, key=lambda one: one.on or date.min, reverse=True))


def _letters(ruling: Ruling) -> str:
    return ruling.word.removeprefix("=").upper()


def _secret(site: Site) -> frozenset[str]:
    """Words that running matches have asked for."""
    query = (
        select(Question.word)
        .join(Match, col(Match.id) == col(Question.match_id))
        .where(Match.status != MatchStatus.FINISHED)
    )
    return frozenset(word.upper() for word in site.desk.session.exec(query))


def _told(ruling: Ruling) -> Told:
    try:
        on = date.fromisoformat(ruling.date)
    except ValueError:
        on = None
    return Told(
        ruling.word.removeprefix("="),
        ruling.ruling == "allow",
        ruling.reason,
        on,
        "" if ruling.scope == house.ALL else ruling.scope,
        ruling.base,
        tuple(names(ruling.kinds)),
    )


def _scopes(site: Site) -> Mapping[str, str]:
    """Pages of matches and tournaments by code."""
    matches = {match.code: f"matches/{match.code}.html" for match in site.matches}
    return matches | {cup.code: f"tournaments/{cup.code}.html" for cup in site.cups}


def _page(site: Site, told: Sequence[Told], scopes: Mapping[str, str], language: str) -> bytes:
    dated = [one for one in told if one.on]
    words = sorted(told, key=lambda one: (one.letter, one.word.upper()))
    return site.render(
        "words.html.j2", "words.html", language, dated=dated, words=words, scopes=scopes, games=frozenset(REGISTRY)
    )


def _shipped(site: Site, language: str) -> bytes:
    told = sorted(map(_told, house.read(house.SHIPPED)), key=lambda one: (one.letter, one.word.upper()))
    kinds: dict[str, list[Told]] = {}
    for one in told:
        if one.allowed:
            kinds.setdefault(one.kinds[0] if one.kinds else "", []).append(one)
    denied = [one for one in told if not one.allowed]
    return site.render("words_shipped.html.j2", "words-shipped.html", language, kinds=kinds, denied=denied)
