"""How a match ended, as the one value that every text about its end reads: mails, pages, tables, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypedDict

from moderator.common.enums import LogEntryKind, StoredEnum, TournamentRuling
from moderator.rules.game import Game, P, State
from moderator.rules.replay import LogEntry, drop_undone
from moderator.rules.state import M
from moderator.rules.table import MatchState


@dataclass(frozen=True)
class MatchOutcome:
    """The outcome of one match, everything by seat. ``from_json(to_json()) == self``."""

    scores: tuple[int, ...]
    """As the game shows them."""
    points: tuple[int, ...] | None
    """What ranks the seats, more is better: the scores, or what an adjudication made of them. None = the moderator
    must say, see ``with_points``."""
    places: tuple[int, ...]
    """From 1, equal points share the better place; seats in ``out`` all have the last one. () without ``points``."""
    out: tuple[int, ...] = ()
    """Seats that left before the end: these lose, whatever their points."""
    moves: tuple[int, ...] = ()
    """Moves that each seat made, see ``count_moves_by_seat``."""
    undecided: bool = False
    """The game came to its own end and names nobody who has won, whatever the points."""

    def with_points(self, points: Sequence[int]) -> MatchOutcome:
        """Return the outcome with the points that the moderator gives, one for each seat. Raises ValueError for another
        number of points."""
        if len(points) != len(self.scores):
            raise ValueError(f"{len(points)} points for {len(self.scores)} seats")
        return replace(self, points=tuple(points), places=_compute_places(points, self.out))

    def to_json(self) -> dict[str, Any]:
        return {
            "scores": list(self.scores),
            "points": None if self.points is None else list(self.points),
            "places": list(self.places),
            "out": list(self.out),
            "moves": list(self.moves),
            **({"undecided": True} if self.undecided else {}),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> MatchOutcome:
        points = values["points"]
        return cls(
            tuple(values["scores"]),
            None if points is None else tuple(points),
            tuple(values["places"]),
            tuple(values["out"]),
            tuple(values["moves"]),
            values.get("undecided", False),
        )


def lead(scores: Sequence[int], seat: int) -> int:
    """Return the points of a seat ahead of the best of the others; negative behind it."""
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)


def build_match_outcome(
    game: Game[P, M], table: MatchState[P], entries: Iterable[LogEntry], *, adjudicated: bool = False
) -> MatchOutcome:
    """Return the final outcome of the match of this table and log.

    With ``adjudicated`` a game that did not come to its own end (it still runs, or the log says that it was stopped) is
    ranked by its scores less the racks; else, and in any other game, by its scores."""
    log, state = tuple(entries), table.state
    ended = state.over and all(entry.kind != LogEntryKind.STOP for _, entry in drop_undone(log))
    points = subtract_racks(game, state) if adjudicated and not ended else state.scores
    moves, undecided = count_moves_by_seat(state.seats, log), ended and _has_no_winner(game, table)
    bare = MatchOutcome(state.scores, None, (), table.out, moves, undecided)
    return bare if points is None else bare.with_points(points)


def list_match_winners(game: Game[P, M], table: MatchState[P], stopped: bool) -> tuple[int, ...]:
    """List the seats that have won, by the game or, if it was ``stopped``, by what counts then; () while it runs. None
    of those that left does."""
    state = table.state
    if not state.over or not (stopped or table.out) or (not stopped and _has_no_winner(game, table)):
        return game.find_winners(state)
    points = subtract_racks(game, state) if stopped else None
    places = _compute_places(state.scores if points is None else points, table.out)
    return tuple(seat for seat, place in enumerate(places) if place == 1 and seat not in table.out)


def _has_no_winner(game: Game[P, M], table: MatchState[P]) -> bool:
    """Return whether nobody has won by the game, which came to its own end. Whoever is left alone has."""
    return not _is_one_left(table.out, table.state.seats) and not game.find_winners(table.state)


def _is_one_left(out: Sequence[int], seats: int) -> bool:
    return bool(out) and seats - len(out) < 2


def count_moves_by_seat(seats: int, entries: Iterable[LogEntry]) -> tuple[int, ...]:
    """Count for each seat the moves of its own that were played, whoever had the seat then: no missed turns, nothing
    forced or refused, nothing that was undone. A pass that was sent is a move; so is each of several in one turn.

    Not the turns of ``clock.py``, which counts answers in time since the seat's player has it."""
    made = [0] * seats
    for _, entry in drop_undone(entries):
        for move in entry.outcome.get("moves", ()):
            made[move["seat"]] += move.get("alternative", 0) > 0
    return tuple(made)


def iter_seat_holders(
    entries: Iterable[LogEntry], players: Sequence[int]
) -> Iterator[tuple[LogEntry, tuple[int | None, ...]]]:
    """Yield each entry that counts, with who has each seat after it; ``players``: who has them at the end. Before the
    first change of a seat the log does not say who it was: None."""
    log = [entry for _, entry in drop_undone(entries)]
    here: list[int | None] = list(players)
    for entry in log:
        if entry.kind == LogEntryKind.HAND_OVER and entry.seat is not None:
            here[entry.seat] = None
    for entry in log:
        if entry.kind == LogEntryKind.HAND_OVER and entry.seat is not None and entry.text.isdecimal():
            here[entry.seat] = int(entry.text)
        yield entry, tuple(here)


def find_borrowed_seats(entries: Sequence[LogEntry], players: Sequence[int]) -> frozenset[int]:
    """Return the seats that changed hands and of whose moves whoever has them at the end made half or fewer."""
    own = [0] * len(players)
    for entry, here in iter_seat_holders(entries, players):
        for move in entry.outcome.get("moves", ()):
            seat = move["seat"]
            own[seat] += move.get("alternative", 0) > 0 and here[seat] == players[seat]
    made = count_moves_by_seat(len(players), entries)
    changed = {entry.seat for _, entry in drop_undone(entries) if entry.kind == LogEntryKind.HAND_OVER}
    return frozenset(seat for seat in range(len(players)) if seat in changed and 2 * own[seat] <= made[seat])


def _compute_places(points: Sequence[int], out: Sequence[int]) -> tuple[int, ...]:
    staying = [own for seat, own in enumerate(points) if seat not in out]
    return tuple(
        len(points) if seat in out else 1 + sum(other > own for other in staying) for seat, own in enumerate(points)
    )


# ---- adjudication ----
# What counts when a game is broken off before its own end: the scores less what still lies on the racks.
#
# In all nine games more points are better, so that these values rank the seats as they are.


def compute_stopped_scores(game: Game[P, M], table: MatchState[P]) -> tuple[int, ...] | None:
    """Return for each seat the points that count if the game were broken off now; of a game that is over its scores.

    None = no formula settles it, the moderator must say. To be asked before ``table.stop_in_state``, after which a
    table looks as if it had come to its end; ``build_match_outcome`` knows the difference from the log."""
    return table.state.scores if table.state.over else subtract_racks(game, table.state)


def subtract_racks(game: Game[P, M], state: State[Any]) -> tuple[int, ...] | None:
    """Return the scores less the value of each seat's own rack, whether the game is over or not. A common rack is
    nobody's and costs nothing. None where no formula settles it."""
    if len(state.hands) == 1 < state.seats:
        return state.scores
    values = [game.find_rack_value(state, seat) for seat in range(state.seats)]
    known = [value for value in values if value is not None]
    if len(known) < state.seats:
        return None
    return tuple(score - value for score, value in zip(state.scores, known, strict=True))


# ---- the ending that texts read ----


Fate = Literal["won", "shared", "level", "undecided", "lost", "placed"]
"""Alone in the first place; with some; with everybody; as everybody else, as the game names nobody who has won; behind
the only other one; behind one of several."""


class EndCause(StoredEnum):
    """The cause that decided a match."""

    PLAYED = "played"
    """The game came to its own end."""
    LEFT = "left"
    """Nobody was left to play against."""
    FORFEIT = "forfeit"
    """The same, and somebody left without a move."""
    STOPPED = "stopped"
    """It was broken off as it stood."""
    DEADLINE = "deadline"
    """The latest end of its tournament's round had come."""
    RULED = "ruled"
    """The moderator decided it for its tournament."""


class EndingJson(TypedDict):
    """The end of a match, by seat."""

    how: str
    """played, left, forfeit, stopped, deadline or ruled."""
    places: list[int]
    """From 1; equal seats share the better place."""
    sums: list[int] | None
    """The points that put the seats in order; null = no points did."""
    out: list[int]
    """Seats that left before the end."""
    counts: list[str] | None
    """Points of its tournament ("1", "1/2", "0"); null = of none."""


@dataclass(frozen=True)
class Ending:
    """The end of one match, everything by seat."""

    how: EndCause
    scores: tuple[int, ...]
    """As the board shows them."""
    sums: tuple[int, ...]
    """The points that put the seats in order; () = no points did: a word of the moderator, or that others left."""
    places: tuple[int, ...]
    out: tuple[int, ...] = ()
    """Seats that left before the end: these lose, whatever their points."""
    moves: tuple[int, ...] = ()
    """Moves that each seat made, see ``count_moves_by_seat``."""
    counts: tuple[Fraction, ...] = ()
    """Points of its tournament; () = of none."""
    undecided: bool = False
    """The game came to its own end and names nobody who has won: the places are only those of the points."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in the first place; () where everybody has lost, or the game names nobody."""
        if self.undecided:
            return ()
        return tuple(
            seat
            for seat, place in enumerate(self.places)
            if place == 1 and seat not in self.out and (not self.counts or self.counts[seat])
        )

    @property
    def level(self) -> bool:
        """True if nobody is ahead of anybody."""
        return len(self.winners) == len(self.places) > 1

    def get_fate(self, seat: int) -> Fate:
        if self.undecided:
            return "undecided"
        if self.level:
            return "level"
        if seat in self.winners:
            return "won" if len(self.winners) == 1 else "shared"
        return "lost" if len(self.places) == 2 or not self.winners else "placed"

    def get_final_points(self, seat: int) -> int:
        """Return the points that the seat has in the end."""
        return (self.sums or self.scores)[seat]

    def to_json(self) -> EndingJson:
        return {
            "how": self.how.value,
            "places": list(self.places),
            "sums": list(self.sums) or None,
            "out": list(self.out),
            "counts": [str(one) for one in self.counts] or None,
        }

    def with_counts(self, counts: tuple[Fraction, ...]) -> Ending:
        return replace(self, counts=counts)


def build_ending(found: MatchOutcome, ruling: TournamentRuling = TournamentRuling.PLAYED) -> Ending:
    """Return the ending of a match that came to ``found``; ``ruling``: how its tournament settled it, which ``found``
    has in it already."""
    points = found.scores if found.points is None else found.points
    how = EndCause.PLAYED
    if ruling == TournamentRuling.MODERATOR:
        how = EndCause.RULED
    elif _is_one_left(found.out, len(points)):
        how = EndCause.LEFT if all(found.moves[seat] for seat in found.out if found.moves) else EndCause.FORFEIT
    elif ruling == TournamentRuling.SCORE:
        how = EndCause.DEADLINE
    elif points != found.scores:
        how = EndCause.STOPPED
    bare = how in (EndCause.LEFT, EndCause.FORFEIT) or (how == EndCause.RULED and not any(points))
    undecided = found.undecided and how == EndCause.PLAYED
    sums = () if bare else points
    return Ending(how, found.scores, sums, found.places, found.out, found.moves, undecided=undecided)
