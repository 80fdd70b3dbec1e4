"""What happens to a match besides moves: a value for each thing, made once, where it is decided.

Every sentence about it is made of the value (``note`` here, pages/aftermath.py, pages/head.py), and so is what others
ask about it. Each ``match`` over the union ends with ``assert_never``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, assert_never

from moderator.match.contract import Eliminating, Game, M, Note, P, Scene, State, view_for
from moderator.match.result import Result
from moderator.match.table import Table
from moderator.states import SeatLoss


@dataclass(frozen=True)
class RoundEnded:
    """A round that was dealt by itself is over, and its sums are made."""

    round: int


@dataclass(frozen=True)
class TurnMissed:
    """A seat's turn passed, and nothing that could be played was here of it. ``tried``: but it had sent something."""

    seat: int
    tried: bool


@dataclass(frozen=True)
class SeatLost:
    """The seat plays no more; each of its turns passes."""

    seat: int
    name: str
    why: SeatLoss


@dataclass(frozen=True)
class SeatEliminated:
    """By the rules the seat is out, until the next deal if there is one."""

    seat: int


@dataclass(frozen=True)
class SeatTaken:
    """Somebody else plays on for a seat."""

    seat: int
    old: str
    new: str
    held: bool = False
    """By a robot, until a person takes it over."""


@dataclass(frozen=True)
class PlayStopped:
    """The match is over, as it stands."""


NEXT_DEAL = "next-round"
"""How the codes of notes begin that name the ``round`` that was just dealt."""
Happened = RoundEnded | TurnMissed | SeatLost | SeatEliminated | SeatTaken | PlayStopped

_KINDS: Mapping[str, type[Happened]] = {
    kind.__name__: kind for kind in (RoundEnded, TurnMissed, SeatLost, SeatEliminated, SeatTaken, PlayStopped)
}


def of_result(game: Game[Any, Any], before: Table[Any], after: Table[Any], result: Result) -> tuple[Happened, ...]:
    """What a turn or the ZAT of a round came to. Nobody is said to have missed a turn who plays no more. Where rounds
    are not dealt anew, a round is a circle of turns, and its end is no news."""
    if after.state is before.state:
        return ()  # tried, and nothing of it was possible: it is still the seat's turn
    told: list[Happened] = [
        TurnMissed(move.seat, tried=bool(move.text))
        for move in result.moves
        if not move.alternative and move.seat not in before.out
    ]
    told += [SeatEliminated(seat) for seat in _eliminated(game, result)]
    if game.seeded_rounds:
        ended = range(before.state.public.round, after.state.public.round + after.state.over)
        told += [RoundEnded(round) for round in ended]
    return tuple(told)


def _eliminated(game: Game[Any, Any], result: Result) -> tuple[int, ...]:
    if not isinstance(game, Eliminating):
        return ()
    notes = (*(note for move in result.moves for note in move.notes), *result.notes)
    return tuple(note.seat for note in notes if note.code == game.eliminated and note.seat is not None)


def note(happened: Happened) -> Note | None:
    """Its sentence among all that has happened; None = it is told with the move or the sums that it belongs to."""
    match happened:
        case SeatLost(seat, name, why):
            return Note(f"seat-{why.value}", {"name": name}, seat=seat)
        case SeatTaken(seat, old, new, held):
            return Note("seat-held" if held else "seat-taken-over", {"old": old, "new": new}, seat=seat)
        case PlayStopped():
            return Note("game-stopped")
        case RoundEnded() | TurnMissed() | SeatEliminated():
            return None
        case _:
            assert_never(happened)


def rounds_ended(happened: Sequence[Happened]) -> tuple[int, ...]:
    """Their numbers, in order."""
    return tuple(one.round for one in happened if isinstance(one, RoundEnded))


@dataclass(frozen=True)
class FinalPosition:
    """Of a round after which another one was dealt."""

    round: int
    scene: Scene
    scores: tuple[tuple[str, int, int], ...]
    """By seat: name, points of the round, points after it."""


def final_positions(
    game: Game[P, M], state: State[P], names: Sequence[str], happened: Sequence[Happened]
) -> tuple[FinalPosition, ...]:
    """Of the rounds that ended, as everybody may see them. Nothing of a round that was undone since, or in which
    nothing was laid."""
    ended, before, found = rounds_ended(happened), (0,) * state.seats, []
    for past in state.past:
        scene, number = game.scene(view_for(past, None)), past.public.round
        if number in ended and getattr(scene, "cells", True):
            rows = zip(names, before, past.scores, strict=True)
            scores = tuple((name, after - then, after) for name, then, after in rows)
            found.append(FinalPosition(number, scene, scores))
        before = past.scores
    return tuple(found)


def to_json(happened: Happened) -> dict[str, Any]:
    """Plain values: ``from_json(to_json(one)) == one``."""
    return {"kind": type(happened).__name__, **asdict(happened)}


def from_json(values: Mapping[str, Any]) -> Happened:
    """Raises KeyError for a kind that there is not."""
    rest = {key: value for key, value in values.items() if key != "kind"}
    if "why" in rest:
        rest["why"] = SeatLoss(rest["why"])
    return _KINDS[values["kind"]](**rest)
