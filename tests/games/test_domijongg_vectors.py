"""The figures of the rules: tests/vectors/domijongg.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from moderator.errors import Illegal
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import Options
from moderator.match.contract import view_for
from tests.games.domijongg_table import context, play, table

FILE = tomllib.loads((Path(__file__).parents[1] / "vectors" / "domijongg.toml").read_text(encoding="utf-8"))
CASES = [case for group in FILE["pair"] for case in group["cases"]]


def lying(tile: str, turn: str) -> Any:
    """The table with ``tile`` at head 1, and a hand that could lay the turn."""
    board = ["N", f"1: {tile}"] if tile[0] in "FJ" else [tile]
    return table(f"{turn.replace('+', ' ')} DW K1 B8", "DW DG B8 K3", board=board)


@pytest.mark.parametrize(("tile", "turn", "legal", "code"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_what_may_lie_at_what(tile: str, turn: str, legal: bool, code: str) -> None:
    state = lying(tile, turn)
    view = view_for(state, 0)
    offered = [GAME.format(move) for move, _ in GAME.moves(view, context())]
    assert (f"1: {turn}" in offered) == legal
    if legal:
        assert play(state, f"1: {turn}").state.public.heads[0] == turn.split("+")[0]
        return
    with pytest.raises(Illegal) as raised:
        GAME.apply(state, 0, GAME.parse(f"1: {turn}", view), context())
    assert raised.value.code == code


def test_the_example_game() -> None:
    game = FILE["game"]
    fixed = {key: game[key] for key in ("racks", "stock", "single", "starter")}
    state = GAME.setup(game["seats"], Options(), context(), fixed).state
    for move in game["moves"]:
        assert state.to_move == (move["seat"],)
        assert (GAME.parse(move["text"], view_for(state, move["seat"])), move["ours"]) in list(
            GAME.moves(view_for(state, move["seat"]), context())
        )
        step = play(state, move["text"])
        drawn = sum(n.params["count"] for n in step.after if n.code == "drew" and n.seat == move["seat"])
        assert (step.points, drawn, list(step.state.scores)) == (move["ours"], move["drew"], move["totals"])
        assert move["ours"] == move["claimed"]
        state = step.state
    assert GAME.export(state.public)["heads"] == game["heads"]
