"""The figures of the rules: tests/vectors/tridom.toml."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any

import pytest

from moderator.games.tridom.board import named, value
from moderator.games.tridom.rules import opened
from tests.games.tridom_table import GAME, UNMIXED, fixed, play

FILE = Path(__file__).parents[1] / "vectors" / "tridom.toml"
VECTORS = tomllib.loads(FILE.read_text(encoding="utf-8"))


def vectors(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=[v["name"] for v in VECTORS[kind]])


def test_every_figure_has_a_source() -> None:
    for kind in VECTORS.values():
        for vector in kind:
            assert vector["source"]
            assert vector["claimed"] == vector["ours"], "the rules hold no misprint for this game"


@vectors("value")
def test_values(vector: dict[str, Any]) -> None:
    assert value(vector["tile"]) == vector["ours"]


@vectors("opening")
def test_openings(vector: dict[str, Any]) -> None:
    step = fixed(*(" ".join(rack) for rack in vector["racks"]), stock="012 013 014")
    note = step.notes[0]
    assert (note.code, note.seat, note.points) == ("opened", vector["seat"], vector["ours"])
    assert note.params["tile"] == named(vector["racks"][0][0], mirrored=False)
    assert note.params["tile"] not in step.state.hands[vector["seat"]]


@vectors("form")
def test_forms(vector: dict[str, Any]) -> None:
    tile = vector["move"].partition("@")[0]
    state = fixed(f"{tile} 000", "000", board=vector["board"], stock="001").state
    step = play(GAME, state, vector["move"])
    assert step.points == vector["ours"]
    assert [note.code for note in step.notes] == [vector["bonus"]]
    assert step.points == value(tile) + sum(note.points for note in step.notes)


@vectors("turn")
def test_turns(vector: dict[str, Any]) -> None:
    step = fixed(" ".join(vector["rack"]), "555", stock=" ".join(vector["stock"]), board=vector["board"])
    state = step.state
    assert state.scores[0] == sum(note.points for note in step.notes if note.seat == 0)
    if "move" in vector:
        assert state.to_move == (0,)
        state = play(GAME, state, vector["move"]).state
    else:
        assert state.to_move == (1,)
    assert state.scores[0] == vector["ours"]


@vectors("out")
def test_going_out(vector: dict[str, Any]) -> None:
    rests = [" ".join(rest) for rest in vector["rests"]]
    state = fixed(*rests, "011", board={"(0,0)": "000", "(1,0)": "001"}, starter=2).state
    state = dataclasses.replace(state, scores=(0, 0, vector["before"] - value("011")))
    step = play(GAME, state, "011@(2,0)")
    rest = {note.seat: note.params["points"] for note in step.after if note.code == "rest"}
    assert [rest[seat] for seat in (0, 1)] == vector["worth"]
    totals = {note.seat: note.params["total"] for note in step.after if note.code == "sum-total"}
    assert totals[2] == vector["ours"]


def test_the_opening_tile_lies_at_the_origin_with_its_tip_up() -> None:
    state = fixed("345 001", "002", stock="003").state
    fresh = dataclasses.replace(state, hands=(("345",), ()), scores=(0, 0))
    again, note = opened(fresh, 0, "345")
    assert again.public.board.tiles == {(0, 0): (3, 4, 5)}
    assert note.params == {"tile": "345", "value": 12, "extra": 10, "points": 22}
    assert GAME.export(again.public)["places"][0] == {"place": 1, "x": 0, "y": 0, "corners": [3, 4, 5], "tile": True}
    assert UNMIXED.shuffle("round2", ["a", "b"]) == ("a", "b")
