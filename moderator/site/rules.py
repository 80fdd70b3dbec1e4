"""What holds: the rules of the games, in the words in which players get them by mail, with a board that was really
played; and what was decided on words, by the club and by the list that comes with moderator."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from moderator import games
from moderator.games import REGISTRY
from moderator.language import spelling, traits
from moderator.language.messages import load_rules_text
from moderator.render.mails.match_sections import render_option
from moderator.site import board
from moderator.site.board import build_replay_frames
from moderator.site.layout import ListedMatch, SiteContent
from moderator.site.listed import RulingView, build_ruling_view
from moderator.site.tree import SiteFile
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended
from moderator.words import house_rulings


def iter_rule_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``rules.html`` and ``rules/GAME.html`` in each language."""
    examples = _list_example_matches(site)
    known = [match.game for match in site.matches if not match.training]
    played = {game: known.count(game) for game in games.REGISTRY}
    for language in site.languages:
        make = partial(_render_rule_list, site, played, language)
        yield SiteFile(site.get_page_path("rules.html", language), site.compute_key("rules", played), make)
        for game in games.REGISTRY:
            page, match = f"rules/{game}.html", examples.get(game)
            key = site.compute_key("rules", load_rules_text(game, language), match)
            yield SiteFile(
                site.get_page_path(page, language), key, partial(_render_rule_page, site, game, match, page, language)
            )


def _list_example_matches(site: SiteContent) -> Mapping[str, ListedMatch]:
    """Return for each game its first match that counts and was played to its end: it stays the same one."""
    found = (m for m in site.matches if m.counts and m.ending is not None and not m.ending.out and m.entries)
    return {match.game: match for match in found}


def _render_rule_list(site: SiteContent, played: Mapping[str, int], language: str) -> bytes:
    order = sorted(games.REGISTRY, key=lambda game: spelling.get_game_name(game, language).casefold())
    return site.render_page("rules.html.j2", "rules.html", language, games=order, played=played)


def _render_rule_page(site: SiteContent, game: str, match: ListedMatch | None, page: str, language: str) -> bytes:
    return site.render_page(
        "game_rules.html.j2",
        page,
        language,
        game=game,
        rules=load_rules_text(game, language),
        options=_render_usual_options(game, language),
        match=match,
        board=_find_example_board(site, match) if match else None,
        laid_on=traits.find_board_page(game),
    )


def _render_usual_options(game: str, language: str) -> tuple[str, ...]:
    """Return the options in force if nothing else is agreed."""
    usual: Any = games.load_game(game).options()
    lines = (
        render_option(field.name, value, language, game)
        for field in dataclasses.fields(usual)
        if (value := getattr(usual, field.name)) is not None and field.name != "pace"
    )
    return tuple(filter(None, lines))


def _find_example_board(site: SiteContent, match: ListedMatch) -> board.ReplayBoard | None:
    """Return the match's board at its last moment; None if its log does not fit."""
    try:
        moments = build_replay_frames(site.work, site.work.session.get_one(MatchRow, match.id))
    except MatchSuspended:
        return None
    return board.build_replay_boards([moments[-1].scene.close()])[0]


# ---- what was decided on words ----


def iter_word_files(site: SiteContent) -> Iterator[SiteFile]:
    """Yield ``words.html`` and ``words-shipped.html`` in each language."""
    own, shipped = site.rulings, house_rulings.find_list_state(house_rulings.SHIPPED)
    wanted = {one.scope for one in own}
    scopes = {scope: page for scope, page in _list_scope_pages(site).items() if scope in wanted}
    for language in site.languages:
        page = partial(_render_words, site, own, scopes, language)
        yield SiteFile(
            site.get_page_path("words.html", language), site.compute_key("words", own, sorted(scopes.items())), page
        )
        yield SiteFile(
            site.get_page_path("words-shipped.html", language),
            site.compute_key("shipped", shipped),
            partial(_render_shipped_words, site, language),
        )


def _list_scope_pages(site: SiteContent) -> Mapping[str, str]:
    """Return the pages of matches and tournaments by code."""
    matches = {match.code: f"matches/{match.code}.html" for match in site.matches}
    return matches | {tournament.code: f"tournaments/{tournament.code}.html" for tournament in site.tournaments}


def _render_words(site: SiteContent, rulings: Sequence[RulingView], scopes: Mapping[str, str], language: str) -> bytes:
    dated = [one for one in rulings if one.on]
    words = sorted(rulings, key=lambda one: (one.letter, one.word.upper()))
    return site.render_page(
        "words.html.j2", "words.html", language, dated=dated, words=words, scopes=scopes, games=frozenset(REGISTRY)
    )


def _render_shipped_words(site: SiteContent, language: str) -> bytes:
    found = sorted(
        map(build_ruling_view, house_rulings.read_house_list(house_rulings.SHIPPED)),
        key=lambda one: (one.letter, one.word.upper()),
    )
    kinds: dict[str, list[RulingView]] = {}
    for one in found:
        if one.allowed:
            kinds.setdefault(one.kinds[0] if one.kinds else "", []).append(one)
    denied = [one for one in found if not one.allowed]
    return site.render_page("words_shipped.html.j2", "words-shipped.html", language, kinds=kinds, denied=denied)
