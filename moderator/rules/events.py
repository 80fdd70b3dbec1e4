"""What happens to a match besides moves: a value for each thing, made once, where it is decided.

Every sentence about it is made of the value (``event_message`` here, render/mails/report.py, render/mails/subject.py),
and so is what others ask about it. Each ``match`` over the union ends with ``assert_never``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, assert_never, get_args

from moderator.common.enums import ClockCause, SeatLeftReason
from moderator.rules.game import Game, P, State
from moderator.rules.log import EngineResult
from moderator.rules.scenes import Grid, Layout, Scene, Triangles
from moderator.rules.silence import MissEffect, find_miss_effect, list_miss_notes
from moderator.rules.state import M, Note, view_for
from moderator.rules.table import MatchState


@dataclass(frozen=True)
class RoundEnded:
    """A round that was dealt by itself is over, and its sums are made."""

    round: int


@dataclass(frozen=True)
class TurnMissed:
    """A seat's turn passed, and nothing that could be played was here of it. ``tried``: but it had sent something."""

    seat: int
    tried: bool
    effect: MissEffect = MissEffect.PASSED


@dataclass(frozen=True)
class SeatLost:
    """The seat plays no more; each of its turns passes."""

    seat: int
    name: str
    why: SeatLeftReason


@dataclass(frozen=True)
class SeatEliminated:
    """The seat is out by the rules, until the next deal if there is one."""

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


@dataclass(frozen=True)
class DeadlineMoved:
    """The deadline of a turn that goes on is another one."""

    old: datetime
    new: datetime
    cause: ClockCause


NEXT_DEAL = "next-round"
"""How the codes of notes begin that name the ``round`` that was just dealt."""
Happened = RoundEnded | TurnMissed | SeatLost | SeatEliminated | SeatTaken | PlayStopped | DeadlineMoved

_KINDS: Mapping[str, type[Happened]] = {kind.__name__: kind for kind in get_args(Happened)}

_MOVED: Mapping[ClockCause, str] = {
    ClockCause.STAFF: "extended-plain",
    ClockCause.PAUSE_ENDED: "goes-on-plain",
    ClockCause.OUTAGE: "deadline-outage",
    ClockCause.NMR_BREAKER: "deadline-breaker",
    ClockCause.MAIL_LATE: "deadline-mail-late",
    ClockCause.MAIL_BACK: "deadline-mail-back",
    ClockCause.PUT_BACK: "deadline-back",
    ClockCause.CLOCK_JUMP: "deadline-back",
    ClockCause.SEAT_LEFT: "deadline-seat-left",
    ClockCause.CORRECTION: "deadline-correction",
}


def events_of_result(
    game: Game[Any, Any], before: MatchState[Any], after: MatchState[Any], result: EngineResult
) -> tuple[Happened, ...]:
    """Return the events that a turn or the ZAT of a round led to. A seat that plays no more has missed no turn. Where
    rounds are not dealt anew, a round is a circle of turns, and its end is no news."""
    if after.state is before.state:
        return ()  # tried, and nothing of it was possible: it is still the seat's turn
    told: list[Happened] = [
        TurnMissed(
            move.seat,
            tried=bool(move.text),
            effect=find_miss_effect(game, before.pace, move.seat, list_miss_notes(result, move.seat)),
        )
        for move in result.moves
        if not move.alternative and move.seat not in before.out
    ]
    told += [SeatEliminated(seat) for seat in _list_eliminated_seats(game, result)]
    if game.seeded_rounds:
        ended = range(before.state.public.round, after.state.public.round + after.state.over)
        told += [RoundEnded(round) for round in ended]
    return tuple(told)


def _list_eliminated_seats(game: Game[Any, Any], result: EngineResult) -> tuple[int, ...]:
    notes = (*(note for move in result.moves for note in move.notes), *result.notes)
    return tuple(note.seat for note in notes if note.code == game.elimination_code and note.seat is not None)


def event_message(happened: Happened) -> Note | None:
    """Return the sentence of an event among all that has happened; None = it is told with the move or the sums that it
    belongs to."""
    match happened:
        case SeatLost(seat, name, why):
            return Note(f"seat-{why.value}", {"name": name}, seat=seat)
        case SeatTaken(seat, old, new, held):
            return Note("seat-held" if held else "seat-taken-over", {"old": old, "new": new}, seat=seat)
        case PlayStopped():
            return Note("game-stopped")
        case DeadlineMoved():
            return None if happened.cause is ClockCause.SEAT_TAKEN else describe_moved_deadline(happened)
        case RoundEnded() | TurnMissed() | SeatEliminated():
            return None
        case _:
            assert_never(happened)


def describe_moved_deadline(moved: DeadlineMoved) -> Note:
    """Return the sentence that says why the deadline is another one."""
    days = round((moved.new - moved.old) / timedelta(days=1))  # an hour is missing when the clocks change
    return Note(_MOVED[moved.cause], {"days": days, "deadline": moved.new})


def list_ended_rounds(happened: Sequence[Happened]) -> tuple[int, ...]:
    """List the numbers of the rounds that ended, in order."""
    return tuple(one.round for one in happened if isinstance(one, RoundEnded))


@dataclass(frozen=True)
class FinalPosition:
    """The final position of a round after which another one was dealt."""

    round: int
    scene: Scene
    scores: tuple[tuple[str, int, int], ...]
    """By seat: name, points of the round, points after it."""


def build_final_positions(
    game: Game[P, M], state: State[P], names: Sequence[str], happened: Sequence[Happened]
) -> tuple[FinalPosition, ...]:
    """Return the final positions of the rounds that ended, as everybody may see them. Nothing of a round that was
    undone since, or in which nothing was laid."""
    ended, before, found = list_ended_rounds(happened), (0,) * state.seats, []
    for past in state.past:
        scene, number = game.build_scene(view_for(past, None)), past.public.round
        scene = scene.close() if isinstance(scene, Layout | Triangles) else scene
        if number in ended and not (isinstance(scene, Grid) and not scene.cells):
            rows = zip(names, before, past.scores, strict=True)
            scores = tuple((name, after - then, after) for name, then, after in rows)
            found.append(FinalPosition(number, scene, scores))
        before = past.scores
    return tuple(found)


def encode_match_event(happened: Happened) -> dict[str, Any]:
    """Return an event as plain values: ``decode_match_event(encode_match_event(one)) == one``."""
    values = asdict(happened).items()
    plain = {key: value.isoformat() if isinstance(value, datetime) else value for key, value in values}
    return {"kind": type(happened).__name__, **plain}


def decode_match_event(values: Mapping[str, Any]) -> Happened:
    """Return the event of plain values. Raises KeyError for a kind that there is not."""
    rest = {key: value for key, value in values.items() if key != "kind"}
    if "effect" in rest:
        rest["effect"] = MissEffect(rest["effect"])
    if "why" in rest:
        rest["why"] = SeatLeftReason(rest["why"])
    if "cause" in rest:
        old, new = datetime.fromisoformat(rest["old"]), datetime.fromisoformat(rest["new"])
        return DeadlineMoved(old, new, ClockCause(rest["cause"]))
    return _KINDS[values["kind"]](**rest)
