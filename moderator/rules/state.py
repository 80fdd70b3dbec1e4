"""The values that a match consists of, all of them immutable: its state, what a seat sees of it, what comes of a move,
what a game may ask of the outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from moderator.common.errors import Illegal, RecordError
from moderator.rules.verdict import Words as Words


class Public(Protocol):
    """The part of the public state that all games have."""

    @property
    def round(self) -> int:
        """Number of the round in the match, from 1: a deal where a match has several, else a circle of turns."""
        ...


P = TypeVar("P", bound=Public)
"""The type of a public state."""
M = TypeVar("M")
"""The type of a move."""


@dataclass(frozen=True)
class State(Generic[P]):
    """All there is to know. Secrets live in hands, stock and ``private`` only, so hiding them is generic."""

    public: P
    hands: tuple[tuple[str, ...], ...]
    """One per seat, tile names; a single hand is shared by all seats (pace ``common``) and then is no secret."""
    stock: tuple[str, ...]
    """Draw order, next first."""
    scores: tuple[int, ...]
    """Points, one per seat, may be negative."""
    to_move: tuple[int, ...]
    """Seats awaited; several = simultaneous; () = the game is over, or all have acted in a round of a game whose
    rounds are evaluated ``at_once``."""
    private: tuple[Any, ...] = ()
    """Per seat what only it may see besides its hand, None = nothing; () in games without such secrets."""
    past: tuple[State[P], ...] = ()
    """The rounds after which another one was dealt, each as it ended, with its sums made; the first first."""

    @property
    def ended(self) -> tuple[State[P], ...]:
        """The value of ``past`` for the next deal, where this round ends as it stands."""
        return (*self.past, replace(self, past=()))

    @property
    def seats(self) -> int:
        return len(self.scores)

    @property
    def over(self) -> bool:
        return not self.to_move

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return the tiles of a seat; the shared hand where there is only one."""
        return self.hands[seat] if len(self.hands) > 1 else self.hands[0]


@dataclass(frozen=True)
class View(Generic[P]):
    """The part of a state that one seat may see. ``seat`` is None for a spectator. Made by ``view_for`` only."""

    seat: int | None
    public: P
    hand: tuple[str, ...]
    hand_counts: tuple[int, ...]
    stock_count: int
    scores: tuple[int, ...]
    to_move: tuple[int, ...]
    private: Any = None
    """The seat's own part of ``State.private``."""

    @property
    def stock_kinds(self) -> Mapping[str, int]:
        """Tiles left in the stock by kind, where a game lets everybody count them."""
        return getattr(self.public, "left", {})


def view_for(state: State[P], seat: int | None) -> View[P]:
    """View the state as one seat, None = a spectator: the one place where secrets are taken out, for every game."""
    shared = len(state.hands) == 1 < state.seats
    hand = state.hands[0] if shared else () if seat is None else state.hands[seat]
    return View(
        seat=seat,
        public=state.public,
        hand=hand,
        hand_counts=tuple(len(h) for h in state.hands),
        stock_count=len(state.stock),
        scores=state.scores,
        to_move=state.to_move,
        private=state.private[seat] if seat is not None and state.private else None,
    )


def check_turn(state: State[Any], seat: int) -> None:
    """Check that a seat may act. Raises Illegal("game-over") or Illegal("not-your-turn")."""
    if state.over:
        raise Illegal("game-over")
    if seat not in state.to_move:
        raise Illegal("not-your-turn", seats=list(state.to_move))


@dataclass(frozen=True)
class Note:
    """Something that happened, as a code; the sentence stands in the game's messages.<language>.toml.

    ``only`` names the one seat that may read it (drawn tiles); None = everybody.
    """

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seat: int | None = None
    points: int = 0
    only: int | None = None


@dataclass(frozen=True)
class Step(Generic[P]):
    """The outcome of one move or one forced event."""

    state: State[P]
    notes: tuple[Note, ...] = ()
    """About the move itself: bonuses, the mover's draw."""
    points: int = 0
    """Points the mover got for this move (included in state.scores already)."""
    played: Any = None
    """The move as it was played: claims taken off, a base form kept where it was needed."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """Plain JSON values for reports and records, e.g. {"words": [{"word": "HAUS", "points": 8}]}."""
    after: tuple[Note, ...] = ()
    """What then happened by itself, in order: forced draws and passes, the end of a round with its sums, the next
    deal. Each note names its seat; its points are in state.scores already, but not in ``points``."""


Shuffle = Callable[[str, Sequence[str]], tuple[str, ...]]
"""Mixes items under a label by the match's committed seed."""


@dataclass(frozen=True)
class Context:
    """The services from outside that a game may ask."""

    words: Words
    shuffle: Shuffle
    """(label, items) -> items in the committed random order of that label; see shuffling.py."""
    out: tuple[int, ...] = ()
    """Seats that play no more: their turns are missed as soon as they come, so that no deadline lies between them."""


def best_seats(state: State[Any]) -> tuple[int, ...]:
    """Return the seats with the highest score."""
    best = max(state.scores)
    return tuple(seat for seat, score in enumerate(state.scores) if score == best)


def read_starter(fixed: Mapping[str, Any], seats: int, default: int | None = None) -> int | None:
    """Return the seat that a record lets begin. Raises RecordError."""
    starter = fixed.get("starter", default)
    if starter is not None and (isinstance(starter, bool) or starter not in range(seats)):
        raise RecordError(f"starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    return starter
