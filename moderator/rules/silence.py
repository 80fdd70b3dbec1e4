"""What becomes of a seat whose turn passes without a move: foreseen for whoever is asked, told of whoever was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from moderator.rules.game import Game, P
from moderator.rules.result import EngineResult
from moderator.rules.state import Context, M, Note
from moderator.rules.table import MatchState, evaluate_in_state, miss_seat


class MissEffect(StrEnum):
    """What a missed turn does to its seat."""

    PASSED = "passed"
    """Nothing more."""
    BOUGHT = "bought"
    """It gets a tile."""
    PENALTY = "penalty"
    """It gets a tile and loses points."""
    COMPLETED = "completed"
    """A word that it has announced is laid for it."""
    ELIMINATED = "eliminated"
    """It is out by the rules."""
    ROUND_LOST = "round-lost"
    """In a race: it gets nothing in this round."""


@dataclass(frozen=True)
class Silence:
    """What happens if a seat sends nothing more."""

    effect: MissEffect
    ends_match: bool = False
    """The match is over then; where all are evaluated together: if nobody else has sent anything either."""


def find_miss_effect(game: Game[P, M], table: MatchState[P], seat: int, notes: Iterable[Note]) -> MissEffect:
    """Return the effect of a missed turn, of which ``notes`` tell what happened."""
    if table.pace == "race":
        return MissEffect.ROUND_LOST
    found = (game.miss_effects.get(note.code) for note in notes if note.seat == seat)
    return MissEffect(next(filter(None, found), MissEffect.PASSED))


def list_miss_notes(result: EngineResult, seat: int) -> tuple[Note, ...]:
    """List the notes on the missed turn of a seat and on what followed from it."""
    own = (note for move in result.moves if move.seat == seat for note in move.notes)
    return (*own, *result.notes)


def foresee_silence(game: Game[P, M], table: MatchState[P], seat: int, ctx: Context) -> Silence:
    """Try what happens if this seat sends nothing. Where all are evaluated together, nobody else sends anything
    either."""
    if table.is_simultaneous:
        missed: MatchState[Any] = replace(table, orders={}, tried={})
        after, result = evaluate_in_state(game, missed, ctx, "reject")
    else:
        after, result = miss_seat(game, table, seat, ctx)
    effect = find_miss_effect(game, table, seat, list_miss_notes(result, seat))
    return Silence(effect, after.state.over)
