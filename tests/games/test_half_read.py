"""No turn is cut short: a line of which only the beginning was understood is refused as a whole."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from moderator.conformance.notation import iter_half_read_findings, iter_lost_move_findings
from moderator.games import OWN, load_game
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, View, view_for
from moderator.rules.words import AnyWords
from tests.games.test_rules_text import FIXED

MOVES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("topwords", "E5 w HAUS", ("C3 s M0ND", "Z99 w MOND", "C3 MOND", "C3 s")),
    ("dominos", "64@L", ("31@Q", "79@R", "3 1 2 @R", "31@R@L7")),
    ("tridom", "133@1", ("229@8", "22@9", "225@", "455@3@4")),
    ("supertridom", "133@1", ("229@8", "22@9", "225@", "455@3@4")),
    ("domijongg", "1: B8", ("B99", "B9 X", "2: B99", "Q4", "K9 K")),
    ("kreuzwort", "T20 s POLA", ("U22 w PH0N", "U22 PHON", "ZZ99 w PHON", "U22 w")),
    ("point", "T20 s POLA", ("U22 w PH0N", "U22 PHON", "ZZ99 w PHON", "U22 w")),
    ("presto", "T20 s POLA", ("U22 w PH0N", "U22 PHON", "ZZ99 w PHON", "U22 w")),
    ("recht", "E an T20 = REISE", ("hinten S =", "R an Z99 = REISE", "C an T21 an T22 = RA")),
    # A wind has no number, and behind »weiter« the word may be missing.
    ("domijongg", "2: W", ("2: §", "2: 77", "2: W§")),
    ("recht", "weiter vorn S", ("weiter vorn §", "weiter vorn 77")),
    ("recht", "vorn U = UND", ("vorn U = UN77", "vorn U =")),
)
"""(Game, a move, what nobody can read behind it)."""


@cache
def view(key: str) -> View[Any]:
    game, context = load_game(key), Context(AnyWords(), keep_order)
    state = game.setup(game.min_seats, game.options(), context, FIXED.get(key)).state
    seen = view_for(state, state.to_move[0])
    return replace(seen, hand=tuple(sorted({*state.stock, *(tile for hand in state.hands for tile in hand)})))


@pytest.mark.parametrize(("key", "move", "rests"), MOVES)
def test_no_line_is_played_as_its_beginning(key: str, move: str, rests: tuple[str, ...]) -> None:
    """With what looks right and is not; beside a fallback that says so the move stands."""
    assert list(iter_half_read_findings(load_game(key), view(key), move, rests)) == []
    assert list(iter_lost_move_findings(load_game(key), view(key), move, rests)) == []
    assert {key for key, _, _ in MOVES} == OWN.keys()
