"""What is wanted of a seat, the one answer that mails, pages, reminders and deadlines read; and what becomes of one
whose turn passes without a move: foreseen for whoever is asked, told of whoever was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any

from moderator.rules.game import Game, P, Pace
from moderator.rules.log import EngineResult
from moderator.rules.shuffling import build_shuffle
from moderator.rules.state import Context, M, Note, State
from moderator.rules.table import MatchState, evaluate_in_state, miss_seat

OTHER_DEALS = 20
"""So many are looked at before it is said that silence ends the match."""


class SeatStatus(StrEnum):
    """The status of a seat: what the match has of it now, and whether it waits for more."""

    TO_MOVE = "to-move"
    """It is its turn, and nothing of it is here."""
    ILLEGAL = "illegal"
    """It is its turn, and nothing that it has sent can be played now."""
    SUBMITTED = "submitted"
    """It is its turn, and what it has sent can be played: nothing more is wanted."""
    DEFERRED = "deferred"
    """It is its turn, and its order can be played, but is not tried before the deadline or a word of its player."""
    PASSED_ROUND = "passed-round"
    """In a race: its player has given this round up."""
    ON_HOLD = "on-hold"
    """It is its turn, but the match waits for a ruling of the moderator."""
    UNCONFIRMED = "unconfirmed"
    """The match was begun elsewhere, and its players have yet to say that it stands here as it stood there."""
    IDLE = "idle"
    """It is not its turn."""
    ELIMINATED = "eliminated"
    """It is out by the rules, until the next deal if there is one."""
    LEFT = "left"
    """It plays no more."""
    OVER = "over"
    """The match is over."""

    @property
    def is_wanted(self) -> bool:
        """True where its player must send something."""
        return self in (SeatStatus.TO_MOVE, SeatStatus.ILLEGAL)

    @property
    def is_awaited(self) -> bool:
        """True where the match goes on only with something of this seat."""
        return self.is_wanted or self is SeatStatus.DEFERRED

    @property
    def is_to_act(self) -> bool:
        """True where it is the seat's turn, whatever is here of it."""
        return self.is_awaited or self in (SeatStatus.SUBMITTED, SeatStatus.PASSED_ROUND, SeatStatus.ON_HOLD)

    @property
    def is_out(self) -> bool:
        """True where nothing that its player sends is played in this round."""
        return self in (SeatStatus.ELIMINATED, SeatStatus.LEFT, SeatStatus.OVER)


class MissEffect(StrEnum):
    """The effect of a missed turn on its seat."""

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
    """The consequence if a seat sends nothing more."""

    effect: MissEffect
    ends_match: bool = False
    """The match is over then; where all are evaluated together: if nobody else has sent anything either."""


def find_miss_effect(game: Game[P, M], pace: Pace, seat: int, notes: Iterable[Note]) -> MissEffect:
    """Return the effect of a missed turn, of which ``notes`` tell what happened."""
    if pace == "race":
        return MissEffect.ROUND_LOST
    found = (game.miss_effects.get(note.code) for note in notes if note.seat == seat)
    return MissEffect(next(filter(None, found), MissEffect.PASSED))


def list_miss_notes(result: EngineResult, seat: int) -> tuple[Note, ...]:
    """List the notes on the missed turn of a seat and on what followed from it."""
    own = (note for move in result.moves if move.seat == seat for note in move.notes)
    return (*own, *result.notes)


def foresee_silence(game: Game[P, M], table: MatchState[P], seat: int, ctx: Context) -> Silence:
    """Try what happens if this seat sends nothing. Where all are evaluated together, nobody else sends anything
    either. That the match ends is said only where it does so however the tiles lie that the seat cannot see."""
    found = _try_silence(game, table, seat, ctx)
    deals = _iter_other_deals(table.state, seat) if found.ends_match else ()
    sure = all(_try_silence(game, replace(table, state=state), seat, ctx).ends_match for state in deals)
    return found if sure else replace(found, ends_match=False)


def _try_silence(game: Game[P, M], table: MatchState[P], seat: int, ctx: Context) -> Silence:
    if table.is_simultaneous:
        missed: MatchState[Any] = replace(table, orders={}, tried={})
        after, result = evaluate_in_state(game, missed, ctx, "reject")
    else:
        after, result = miss_seat(game, table, seat, ctx)
    effect = find_miss_effect(game, table.pace, seat, list_miss_notes(result, seat))
    # Who comes out by the rules does so for what only it can see.
    hidden = any(note.code == game.elimination_code and note.seat != seat for note in result.notes)
    return Silence(effect, after.state.over and not hidden)


def _iter_other_deals(state: State[P], seat: int) -> Iterator[State[P]]:
    """Yield the state with the tiles that the seat cannot see dealt anew; the same ones wherever they truly lie."""
    hidden = [other for other in range(len(state.hands)) if other != seat and len(state.hands) > 1]
    unseen = sorted([tile for other in hidden for tile in state.hands[other]] + [*state.stock])
    shuffle = build_shuffle(b"silence")
    for number in range(OTHER_DEALS):
        tiles = iter(shuffle(str(number), unseen))
        hands = [(*islice(tiles, len(hand)),) if other in hidden else hand for other, hand in enumerate(state.hands)]
        yield replace(state, hands=tuple(hands), stock=tuple(tiles))
