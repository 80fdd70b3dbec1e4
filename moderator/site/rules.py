"""What holds: the rules of the games, in the words in which players get them by mail, with a board that was really
played; and what was decided on words, by the club and by the list that comes with moderator."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from moderator import games
from moderator.club import archive, spelling
from moderator.club.live_match import Suspended
from moderator.games import REGISTRY
from moderator.games.rules_text import rules_text
from moderator.pages.agreed import option_line
from moderator.site import board
from moderator.site.board import frames
from moderator.site.rulings import ShownRuling, shown_ruling
from moderator.site.site import Listed, Site
from moderator.site.tree import File
from moderator.store.models import Match
from moderator.words import house


def files(site: Site) -> Iterator[File]:
    """``rules.html`` and ``rules/GAME.html`` in each language."""
    examples = _examples(site)
    known = [match.game for match in site.matches if not match.training]
    played = {game: known.count(game) for game in games.REGISTRY}
    for language in site.languages:
        make = partial(_list, site, played, language)
        yield File(site.path("rules.html", language), site.key("rules", played), make)
        for game in games.REGISTRY:
            page, match = f"rules/{game}.html", examples.get(game)
            key = site.key("rules", rules_text(game, language), match)
            yield File(site.path(page, language), key, partial(_page, site, game, match, page, language))


def _examples(site: Site) -> Mapping[str, Listed]:
    """The first match of each game that counts and was played to its end: it stays the same one."""
    found = (m for m in site.matches if m.counts and m.ending is not None and not m.ending.out and m.entries)
    return {match.game: match for match in found}


def _list(site: Site, played: Mapping[str, int], language: str) -> bytes:
    order = sorted(games.REGISTRY, key=lambda game: spelling.game_name(game, language).casefold())
    return site.render("rules.html.j2", "rules.html", language, games=order, played=played)


def _page(site: Site, game: str, match: Listed | None, page: str, language: str) -> bytes:
    return site.render(
        "game_rules.html.j2",
        page,
        language,
        game=game,
        rules=rules_text(game, language),
        options=_options(game, language),
        match=match,
        board=_board(site, match) if match else None,
        laid_on=archive.board_page(game),
    )


def _options(game: str, language: str) -> tuple[str, ...]:
    """What holds if nothing else is agreed."""
    usual: Any = games.load(game).options()
    lines = (
        option_line(field.name, value, language, game)
        for field in dataclasses.fields(usual)
        if (value := getattr(usual, field.name)) is not None and field.name != "pace"
    )
    return tuple(filter(None, lines))


def _board(site: Site, match: Listed) -> board.Board | None:
    """Its last moment."""
    try:
        moments = frames(site.desk, site.desk.session.get_one(Match, match.id))
    except Suspended:
        return None
    return board.boards([moments[-1].scene])[0]


# ---- what was decided on words ----


def word_files(site: Site) -> Iterator[File]:
    """``words.html`` and ``words-shipped.html`` in each language."""
    own, shipped = site.rulings, house.state(house.SHIPPED)
    wanted = {one.scope for one in own}
    scopes = {scope: page for scope, page in _scopes(site).items() if scope in wanted}
    for language in site.languages:
        page = partial(_words, site, own, scopes, language)
        yield File(site.path("words.html", language), site.key("words", own, sorted(scopes.items())), page)
        yield File(
            site.path("words-shipped.html", language), site.key("shipped", shipped), partial(_shipped, site, language)
        )


def _scopes(site: Site) -> Mapping[str, str]:
    """Pages of matches and tournaments by code."""
    matches = {match.code: f"matches/{match.code}.html" for match in site.matches}
    return matches | {tournament.code: f"tournaments/{tournament.code}.html" for tournament in site.tournaments}


def _words(site: Site, shown_ruling: Sequence[ShownRuling], scopes: Mapping[str, str], language: str) -> bytes:
    dated = [one for one in shown_ruling if one.on]
    words = sorted(shown_ruling, key=lambda one: (one.letter, one.word.upper()))
    return site.render(
        "words.html.j2", "words.html", language, dated=dated, words=words, scopes=scopes, games=frozenset(REGISTRY)
    )


def _shipped(site: Site, language: str) -> bytes:
    found = sorted(map(shown_ruling, house.read(house.SHIPPED)), key=lambda one: (one.letter, one.word.upper()))
    kinds: dict[str, list[ShownRuling]] = {}
    for one in found:
        if one.allowed:
            kinds.setdefault(one.kinds[0] if one.kinds else "", []).append(one)
    denied = [one for one in found if not one.allowed]
    return site.render("words_shipped.html.j2", "words-shipped.html", language, kinds=kinds, denied=denied)
