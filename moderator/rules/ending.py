"""How a match ended, as the one value that every text about its end reads: mails, pages, tables, JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypedDict

from moderator.common.enums import StoredEnum, TournamentRuling
from moderator.rules.outcome import MatchOutcome

Fate = Literal["won", "shared", "level", "lost", "placed"]
"""Alone in the first place; with some; with everybody; behind the only other one; behind one of several."""


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
    """Moves that each seat made, see ``outcome.moves_made``."""
    counts: tuple[Fraction, ...] = ()
    """Points of its tournament; () = of none."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in the first place; () where everybody has lost."""
        return tuple(
            seat
            for seat, place in enumerate(self.places)
            if place == 1 and seat not in self.out and (not self.counts or self.counts[seat])
        )

    @property
    def level(self) -> bool:
        """True if nobody is ahead of anybody."""
        return len(self.winners) == len(self.places) > 1

    @property
    def is_charged(self) -> bool:
        """True if something was taken off what the board shows."""
        return bool(self.sums) and self.sums != self.scores

    def get_fate(self, seat: int) -> Fate:
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
    alone = bool(found.out) and len(points) - len(found.out) < 2
    how = EndCause.PLAYED
    if ruling == TournamentRuling.MODERATOR:
        how = EndCause.RULED
    elif alone:
        how = EndCause.LEFT if all(found.moves[seat] for seat in found.out if found.moves) else EndCause.FORFEIT
    elif ruling == TournamentRuling.SCORE:
        how = EndCause.DEADLINE
    elif points != found.scores:
        how = EndCause.STOPPED
    bare = how in (EndCause.LEFT, EndCause.FORFEIT) or (how == EndCause.RULED and not any(points))
    return Ending(how, found.scores, () if bare else points, found.places, found.out, found.moves)
