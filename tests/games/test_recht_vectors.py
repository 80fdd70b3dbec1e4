"""The statements of the rules of »Wer behält recht?«: tests/vectors/recht.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from moderator.errors import Illegal
from moderator.games.typdom.recht_state import Public
from moderator.games.typdom.tiles import rest_points
from tests.games.typdom_table import Match, tiles

FILE = Path(__file__).parents[1] / "vectors" / "recht.toml"
VECTORS = tomllib.loads(FILE.read_text(encoding="utf-8"))
WORDS = "REISE TERZ STERN STERBEN TENOR TEER TERZE REEDE ORT ORTS ZOO ROT OS SO RO"


@pytest.mark.parametrize("vector", VECTORS["rest"], ids=lambda v: v["tiles"])
def test_rests(vector: dict[str, Any]) -> None:
    assert rest_points(tiles(vector["tiles"])) == vector["ours"] == vector["claimed"]


@pytest.mark.parametrize("vector", VECTORS["credit"], ids=lambda v: v["source"])
def test_what_the_winner_is_credited(vector: dict[str, Any]) -> None:
    board = {"squares": {"T20": "O", "U20": "R"}, "running": running("TORT", 1)}
    table = Match("recht", "T", *vector["rests"], stock="E", board=board, known="TORT ORT")
    assert table.turn("hinten T = ORT").state.scores == (vector["ours"], 0, 0, 0)
    assert vector["ours"] == vector["claimed"]


def running(word: str, author: int) -> dict[str, Any]:
    return {"square": "T20", "direction": "w", "word": word, "author": author}


def start(vector: dict[str, Any]) -> Match[Public]:
    board = {key: vector[key] for key in ("squares", "running", "finished") if key in vector}
    over = vector.get("over", False) and not vector.get("running")
    return Match(
        "recht",
        *vector["racks"],
        stock=vector.get("stock", "" if over else "EENN"),
        board=board,
        starter=vector.get("starter"),  # type: ignore[arg-type]
        known=vector.get("words", WORDS),
    )


@pytest.mark.parametrize("vector", VECTORS["play"], ids=lambda v: v["source"])
def test_plays(vector: dict[str, Any]) -> None:
    table = start(vector).play(*vector.get("turns", ()))
    if "try" in vector:
        with pytest.raises(Illegal) as caught:
            table.turn(vector["try"])
        assert caught.value.code == vector["refused"]
        return
    state = table.state
    running = state.public.running
    found = {
        "to_move": state.to_move[0] if state.to_move else None,
        "announced": running.word if running else "",
        "author": running.author if running else None,
        "scores": list(state.scores),
        "out": list(state.public.gone),
        "over": state.over,
    }
    claimed = {key: vector[key] for key in found if key in vector}
    assert {key: found[key] for key in claimed} == claimed
    assert claimed
