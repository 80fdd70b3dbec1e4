"""A puzzle of a position from a finished match of Topwords: one turn is the best there is, it stands clear of all
others, and few come near it. Pure.

In no other game is a position a puzzle: who tries six tiles there finds the best move. Which turns of a reviewed match
are worth a look is told by the review (``is_promising``); whether one makes a puzzle by a search of its position
(``find_puzzle``). Both ask for a position of which every turn was searched: elsewhere nobody knows the best one, and a
solver might find a better one than the solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import log2
from typing import Any

from moderator.review.review import Reviewed, ReviewMaterial
from moderator.rules.game import Context, Game, State, View, view_for
from moderator.rules.robots.choose import Survey, survey_position
from moderator.rules.table import AlternativePreview, MatchState, preview_order

GAME = "topwords"
FEWEST = 60
"""Turns that a position must have, so that who tries six of them finds the best one once in ten times at most."""
CLEAR = Fraction(9, 10)
"""The second best turn is worth at most so much of the best one, and at least two points less."""
NEAR = Fraction(3, 4)
"""A turn that is worth so much of the best one comes near it."""
MISSED = 1.0
"""Bits that a puzzle is harder by if whoever had the turn in the match did not find the best one either."""


@dataclass(frozen=True)
class PuzzlePosition:
    """A seat's position in a finished match, as if it were awaited alone."""

    game: Game[Any, Any]
    pace: str
    state: State[Any]
    seat: int
    round: int
    context: Context
    """With the dictionary itself."""

    @property
    def view(self) -> View[Any]:
        """The view that the seat had, and all that a solver is shown."""
        return view_for(self.state, self.seat)

    def judge_move(self, text: str) -> AlternativePreview:
        """Return the worth of one move, by the game's own parser and rules: points, or ``refused`` with the reason, or
        ``undecided`` words that no dictionary of the match knows."""
        table = MatchState(self.state, self.pace, self.seat)  # type: ignore[arg-type]
        return preview_order(self.game, table, self.seat, text, self.context)[0]


@dataclass(frozen=True)
class PuzzleSolution:
    """The turn that there is to find in a position."""

    best: str
    """Canonical notation."""
    most: int
    """Its points."""
    second: int
    """Points of the second best turn."""
    of: int
    """How many turns there are."""
    hardness: float
    """Bits: log2(turns / turns that come near the best one, itself included), plus ``MISSED`` if it was missed."""


def is_promising(one: Reviewed) -> bool:
    """Return whether a reviewed turn may be a puzzle: everything was searched, and there was enough to choose from."""
    return one.scope == "all" and one.of >= FEWEST and one.most > 0


def find_turn_position(material: ReviewMaterial, n: int, seat: int) -> PuzzlePosition | None:
    """Return the position of a seat's turn in the entry ``n`` of the log; None if there is none."""
    turn = next((one for one in material.turns if (one.n, one.seat) == (n, seat)), None)
    if turn is None:
        return None
    return PuzzlePosition(material.game, material.pace, turn.before, seat, turn.round, material.context)


def find_puzzle(there: PuzzlePosition, worth: int) -> PuzzleSolution | None:
    """Return the solution of a position, None where it is no puzzle. ``worth``: the points that were made of it in the
    match. Searches the position."""
    return _evaluate_survey(survey_position(there.game, there.state, there.seat, there.context), worth)


def _evaluate_survey(known: Survey, worth: int) -> PuzzleSolution | None:
    if known.scope != "all" or len(known.found) < FEWEST or worth > known.best_worth:
        return None  # a word that counted by a ruling was worth more than all that a dictionary knows
    (best, most), (_, second) = known.found[:2]
    if second > most * CLEAR or second > most - 2:
        return None
    near = sum(points >= most * NEAR for _, points in known.found)
    hardness = log2(len(known.found) / near) + (MISSED if worth < most else 0.0)
    return PuzzleSolution(best, most, second, len(known.found), round(hardness, 2))
