"""The final position of a round is shown with the next deal, before it: in every game whose rounds are dealt anew."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from moderator.games import load
from moderator.match import rng, table
from moderator.match.contract import Context, State, view_for
from moderator.match.happened import RoundEnded, final_positions
from moderator.match.robot import choose
from moderator.match.words import AnyWords
from moderator.pages.mail import render
from moderator.states import BoardForm
from moderator.typed import build
from tests.pages.all_pages import mail, pages
from tests.pages.match_pages import CODE, NAMES, SEATS, TILE_GAMES, WORD_GAMES
from tests.pages.word_matches import WORDS

MOST = 400
"""Moves of a round."""
SHOWN = tuple(key for key in TILE_GAMES if f"{key}-round" in pages("de"))


@cache
def dealt_anew(key: str) -> tuple[State[Any], State[Any]]:
    """The states before and after the move that ends the first round, played by robots; a seat without a move misses
    its turn."""
    game = load(key)
    several = {name: 3 for name in ("games", "rounds") if name in {each.name for each in fields(game.options)}}
    options = build(game.options, several, "options")
    ctx = Context(WORDS if key in WORD_GAMES else AnyWords(), rng.shuffler(rng.round_seeds(bytes(range(32))), (), CODE))
    now, _ = table.open_table(game, SEATS.get(key, game.min_seats), options, ctx)
    for _ in range(MOST):
        seat = now.state.to_move[0]
        text = choose(game, now.state, seat, ctx)
        after, result = table.submit(game, now, seat, text, ctx) if text else table.miss(game, now, seat, ctx)
        if not any(move.alternative for move in result.moves):
            after, _ = table.miss(game, now, seat, ctx)
        if after.state.public.round > 1:
            return now.state, after.state
        assert not after.state.over, key
        now = after
    raise AssertionError(f"a round of {key} has more than {MOST} turns")


@pytest.mark.parametrize("key", TILE_GAMES)
def test_the_next_deal_keeps_how_the_round_before_ended(key: str) -> None:
    before, after = dealt_anew(key)
    assert [state.public.round for state in after.past] == [1]
    assert not before.past
    ended = after.past[0]
    assert ended.scores == after.scores or key in ("tridom", "supertridom", "dominos")  # the opening scores at once
    assert not ended.past
    assert not hasattr(view_for(after, 0), "past")


@pytest.mark.parametrize("key", TILE_GAMES)
def test_it_is_shown_with_the_sums_of_the_round(key: str) -> None:
    _, after = dealt_anew(key)
    names = NAMES[: after.seats]
    game = load(key)
    scene = game.scene(view_for(after.past[0], None))
    shown = final_positions(game, after, names, [RoundEnded(1)])
    if not getattr(scene, "cells", True):
        assert not shown  # nobody has laid anything
        return
    assert [one.round for one in shown] == [1]
    assert shown[0].scene == scene
    assert shown[0].scores == tuple(
        (name, score, score) for name, score in zip(names, after.past[0].scores, strict=True)
    )
    assert final_positions(game, after, names, []) == ()
    assert final_positions(game, after.past[0], names, [RoundEnded(1)]) == ()  # the deal was undone


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("key", SHOWN)
def test_a_mail_shows_it_before_the_new_board(key: str, language: str) -> None:
    page = pages(language)[f"{key}-round"]
    assert [final.round for final in page.finals] == [1]
    told = mail(language, f"{key}-round")
    title = "Runde 1|Spiel 1|Round 1|Game 1"
    sums = ", ".join(name for name, *_ in page.finals[0].scores)
    assert re.search(rf"^({title}): ", told.text, re.MULTILINE)
    assert all(name in told.text for name in sums.split(", "))
    pictures = re.findall(r'src="cid:[a-z]+-k7q2-(\d\d)@', told.html)
    assert pictures == (["01"] if key == "presto" else ["01", "02"])
    assert len(told.images) == len(pictures)


@pytest.mark.parametrize("key", SHOWN)
def test_in_a_race_the_new_tiles_come_first(key: str) -> None:
    told = mail("de", f"{key}-round").html
    tiles, final = told.index("Deine Ziegel<" if key == "domijongg" else "Deine Steine<"), told.index('src="cid:')
    assert (tiles < final) == (key == "presto")


@pytest.mark.parametrize("form", [BoardForm.TABLE, BoardForm.TEXT])
@pytest.mark.parametrize("key", SHOWN)
def test_those_who_want_no_pictures_see_it_too(key: str, form: BoardForm) -> None:
    page = pages("de")[f"{key}-round"]
    told = render(replace(page, reader=replace(page.reader, board=form)))
    assert not told.images
    title = re.search(r"<h2[^>]*>((?:Runde|Spiel) 1: [^<]*)</h2>", told.html)
    assert title is not None
    assert title[1] in told.text
