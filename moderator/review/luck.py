"""What the draws of a match were worth.

Before tiles are drawn nobody knows which will come. So what was drawn with an entry of the log is put beside what might
have been: the entry is played ``AGAIN`` times with the stock, and all that is dealt in it, in other orders, which the
match's own shuffle makes; and each hand is measured alike in all of these positions, by the most points that it could
bring at once. The draw is worth its measure less the mean of the others. All orders are as likely as the one that there
was, so that mean is 0 whatever the measure is good for: by construction, in every game.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any, Protocol, runtime_checkable

from moderator.review.turns import ReviewMaterial
from moderator.rules.game import State
from moderator.rules.robots.survey import Weighing, survey_position

AGAIN, AGAIN_WORDS = 12, 4
"""How often an entry is played with other draws; less often where a dictionary is searched each time."""


@runtime_checkable
class Luckless(Protocol):
    """Optional: a game with ``luckless = True`` says that no draw decides anything, so that no review tells of luck."""

    luckless: bool


def has_balance(work: ReviewMaterial) -> bool:
    """Return whether turns bring points, and not only to the seat that was first."""
    return work.pace != "race" and not isinstance(work.game, Weighing)


def has_luck(work: ReviewMaterial) -> bool:
    """Return whether the worth of draws is to be reckoned: not where all seats have the same tiles."""
    declared = isinstance(work.game, Luckless) and work.game.luckless
    return has_balance(work) and work.pace != "common" and not declared


def measure_draws(work: ReviewMaterial, number: int) -> tuple[float, ...]:
    """Return by seat the worth of the draws in an entry of the log (0 = the deal) beside others."""
    times = AGAIN_WORDS if work.game.uses_words else AGAIN
    after = work.build_state_after(number)
    others = [work.build_state_after(number, f"review/{number}/{one}") for one in range(1, times + 1)]
    return tuple(_measure_draw_worth(work, after, others, seat) for seat in range(work.seats))


def _measure_draw_worth(work: ReviewMaterial, after: State[Any], others: list[State[Any]], seat: int) -> float:
    hands = {tuple(sorted(one.hand(seat))) for one in (after, *others)}
    if len(hands) == 1:
        return 0.0
    return _measure_best_points(work, after, seat) - fmean(_measure_best_points(work, one, seat) for one in others)


def _measure_best_points(work: ReviewMaterial, state: State[Any], seat: int) -> int:
    """Return the most points that the hand could bring at once; 0 once the match is over."""
    return (
        0 if state.over else survey_position(work.game, replace(state, to_move=(seat,)), seat, work.context).best_worth
    )
