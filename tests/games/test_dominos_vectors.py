"""The figures of the rules: tests/vectors/dominos.toml."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from moderator.games.dominos.rounds import blocked
from moderator.games.dominos.rules import GAME
from moderator.games.dominos.state import SET, Board, Lay, Options, Public, fitting, points, rank, tiles, total
from moderator.match.contract import Context, State, view_for
from moderator.match.rng import shuffler
from moderator.match.words import AnyWords
from tests.games.dominos_table import board, context, table

FILE = Path(__file__).parents[1] / "vectors" / "dominos.toml"
VECTORS = tomllib.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS["laying"], ids=lambda v: " ".join(v["laid"]))
def test_sums_and_points(vector: dict[str, Any]) -> None:
    *before, last = vector["laid"]
    assert total(board(vector["laid"])) == vector["sum"]
    assert points(vector["sum"]) == vector["ours"] == vector["claimed"]
    if not before:
        step = GAME.setup(2, Options(), context(), {"racks": [[last, "10"], ["20"]], "starter": 0, "stock": ["21"]})
        assert (step.notes[0].code, step.notes[0].seat, step.notes[0].points) == ("opened", 0, vector["ours"])
        return
    tile = max(last[:2], last[1::-1])
    spare = [t for t in SET if t not in tiles(board(vector["laid"]))]
    state = table(f"{tile} {spare[0]}", " ".join(spare[1:3]), " ".join(spare[3:]), " ".join(before))
    promised = dict(GAME.moves(view_for(state, 0), context()))
    move = GAME.parse(last, view_for(state, 0))
    step = GAME.apply(state, 0, move, context())
    assert step.points == vector["ours"] == promised[move]
    assert step.detail["sum"] == vector["sum"]
    assert step.state.scores == (vector["ours"], 0)


@pytest.mark.parametrize("vector", VECTORS["fitting"], ids=lambda v: " ".join(v["laid"]))
def test_places(vector: dict[str, Any]) -> None:
    assert list(fitting(board(vector["laid"]), vector["tile"])) == vector["places"]


@pytest.mark.parametrize("vector", VECTORS["out"], ids=lambda v: v["source"])
def test_going_out(vector: dict[str, Any]) -> None:
    state = table("64", " ".join(vector["rest"]), laid="60 40@R")
    step = GAME.apply(state, 0, Lay("64", "L"), context(1))
    bonus = next(note for note in step.after if note.code == "sum-rests")
    assert (bonus.seat, bonus.points) == (0, vector["ours"])
    assert vector["ours"] == vector["claimed"]


@pytest.mark.parametrize("vector", VECTORS["blocked"], ids=lambda v: v["source"])
def test_blocked(vector: dict[str, Any]) -> None:
    state = State(Public(Options(), Board()), (tuple(vector["loser"]), tuple(vector["winner"])), (), (20, 30), (0,))
    after, notes = blocked(state, context(1))
    bonus = next(note for note in notes if note.code == "sum-rests")
    assert (bonus.seat, bonus.points) == (1, vector["ours"])
    opened = next(note for note in notes if note.code == "opened")
    assert after.scores[1] == 30 + vector["ours"] + (opened.points if opened.seat == 1 else 0)
    assert vector["ours"] == vector["claimed"]


@pytest.mark.parametrize("vector", VECTORS["target"], ids=lambda v: v["source"])
def test_the_target_in_mid_round(vector: dict[str, Any]) -> None:
    state = replace(table("31 20", "65 55", laid="66 63@R 64@L"), scores=(vector["score"], 40))
    step = GAME.apply(state, 0, Lay("31", "R"), context())
    assert step.points == 5
    assert step.state.over
    assert step.state.scores == (vector["ours"], 40)
    assert vector["ours"] == vector["claimed"]
    assert GAME.winners(step.state) == (0,)
    assert [note.code for note in step.after] == [
        "target-reached", "sum-laid", "sum-total", "sum-laid", "sum-total", "match-won",
    ]  # fmt: skip


def test_the_opening_order() -> None:
    assert sorted(SET, key=rank, reverse=True) == VECTORS["order"][0]["tiles"].split()


def test_the_deal_can_be_checked() -> None:
    vector = VECTORS["deal"][0]
    ctx = Context(AnyWords(), shuffler(bytes.fromhex(vector["seed"]), vector["salts"], vector["prefix"]))
    dealt = ctx.shuffle("round1", SET)
    assert [" ".join(dealt[:7]), " ".join(dealt[7:14])] == vector["hands"]
    step = GAME.setup(2, Options(), ctx)
    assert step.notes[0].code == "opened"
    assert (step.notes[0].seat, step.notes[0].params["tile"]) == (1, "66")
    assert step.state.hands[0] == tuple(vector["hands"][0].split())
    assert "66" not in step.state.hands[1]
