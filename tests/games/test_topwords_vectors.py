"""The figures of the rule sheets: tests/vectors/topwords.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import Options
from moderator.match.contract import Context, Verdict, view_for

FILE = Path(__file__).parents[1] / "vectors" / "topwords.toml"
GAMES = tomllib.loads(FILE.read_text(encoding="utf-8"))["game"]


class AnyWord:
    def judge(self, word: str, base: str | None = None) -> Verdict:
        return Verdict(word, "accept")

    def playable(self, max_length: int) -> Sequence[str]:
        return ()


@pytest.mark.parametrize("vector", GAMES, ids=[g["name"] for g in GAMES])
def test_printed_figures(vector: dict[str, Any]) -> None:
    ctx = Context(AnyWord(), lambda label, items: tuple(items))
    full = vector.get("rack", "")
    state = None
    for entry in vector["moves"]:
        word = entry["move"].split()[-1]
        rack = list(full or f"{word}EEEEEEEE")
        board = GAME.export(state.public)["rows"] if state else None
        fixed = {"racks": [rack, list("E")], "stock": list("NNNNNNNNNNNNNNNN"), "board": board}
        state = GAME.setup(2, Options(), ctx, fixed).state
        move = GAME.parse(entry["move"], view_for(state, 0))
        step = GAME.apply(state, 0, move, ctx)
        assert step.points == entry["ours"] == entry["claimed"]
        assert [w["word"] for w in step.detail["words"]] == entry["words"]
        assert step.state.scores == (entry["ours"], 0)
        state = step.state
