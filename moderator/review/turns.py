"""The log of a finished match as turns: what a seat had before it, what it played, and what that did to the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import add, sub
from typing import Any

from moderator.match.contract import Conserving, Context, Game, State, view_for
from moderator.match.replay import Entry, effective
from moderator.match.result import Played, Result
from moderator.match.rng import commit
from moderator.match.survey import Weighing
from moderator.match.table import Table
from moderator.match.words import Recorded

Tiles = tuple[str, ...]
Points = tuple[int, ...]
"""By seat."""


@dataclass(frozen=True)
class Turn:
    """A seat's turn. Where all move together there is one for each seat and round."""

    n: int
    """Number of its entry in the log."""
    round: int
    before: State[Any]
    """As it was when the seat's turn was played, with all that is hidden."""
    seat: int
    played: str | None
    """Canonical notation; None = nothing was played."""
    worth: int
    """Its points; in a game without points for a turn, what the tiles count that were laid (``Weighing``)."""
    points: int
    out: tuple[int, ...]
    """Seats that played no more then."""
    drawn: Tiles
    """Tiles of the hand that came to it since its last turn in this round: what luck gave."""
    happened: Points
    """By seat: what the scores changed by besides this turn's points, up to the next turn."""
    after: Points
    """The scores then."""


@dataclass(frozen=True)
class Work:
    """All that a review is made of."""

    game: Game[Any, Any]
    pace: str
    seats: int
    turns: tuple[Turn, ...]
    began: Points
    """Scores after the deal."""
    ended: Points
    besides: Points
    """By seat: what the scores changed by in no turn of these: turns of seats that play no more."""
    context: Context
    """With the dictionary itself, and the shuffle of the match, whose seed was committed to when it began."""
    commitment: str
    edition: str
    """Of the dictionary; "" in a game that uses none."""


def work(
    game: Game[Any, Any],
    pace: str,
    context: Context,
    log: Sequence[Entry],
    past: Sequence[Table[Any]],
    results: Sequence[Result],
    seed: bytes,
) -> Work:
    """From what ``replay.walk`` gives. ``context.words`` is the dictionary that says what could have been laid; what
    was laid counts whatever it says. Raises ValueError for a match that is not over: its tiles are secret."""
    ended = past[-1].state
    if not ended.over:
        raise ValueError("the match is not over")
    turns: list[Turn] = []
    besides: Points = (0,) * ended.seats
    kept: dict[int, tuple[int, Tiles]] = {}
    for number, entry in effective(log):
        before, after = past[number - 1], past[number].state
        words = Recorded(entry.outcome.get("verdicts", {}), context.words)
        strides = list(_strides(game, before, after, results[number - 1], replace(context, words=words)))
        for stride in strides:
            drawn = _drawn(stride, kept)
            worth = _worth(game, stride, before)
            if worth is None:
                besides = _sum(besides, stride.changed)
                continue
            kept[stride.move.seat] = _kept(game, stride)
            turns.append(_turn(number, stride, worth, before.out, drawn))
        if not strides:
            besides = _sum(besides, _less(after.scores, before.state.scores))
    edition = str(getattr(context.words, "edition", "")) if game.uses_words else ""
    began, scores = past[0].state.scores, ended.scores
    return Work(game, pace, ended.seats, tuple(turns), began, scores, besides, context, commit(seed), edition)


@dataclass(frozen=True)
class _Stride:
    """One seat's part of an entry."""

    move: Played
    before: State[Any]
    after: State[Any]
    """In pace ``common`` after the round, with the points of all."""
    changed: Points
    scores: Points
    """Afterwards."""


def _strides(
    game: Game[Any, Any], table: Table[Any], after: State[Any], result: Result, ctx: Context
) -> Iterator[_Stride]:
    """The parts of an entry in the order in which they were evaluated; together they change what the entry does."""
    state, moves = table.state, list(result.moves)
    scores = state.scores
    for at, move in enumerate(moves):
        last = at == len(moves) - 1
        following = _next(game, state, move, ctx) if table.pace == "rounds" and not last else after
        reached = after.scores if last else following.scores
        if table.pace == "common" and not last:
            reached = _sum(scores, _only(move.seat, move.points, state.seats))
        yield _Stride(move, state, following, _less(reached, scores), reached)
        scores = reached
        state = state if table.pace == "common" else following


def _next(game: Game[Any, Any], state: State[Any], move: Played, ctx: Context) -> State[Any]:
    """Pace ``rounds``: the position in which the next seat's order was evaluated."""
    if move.played is None:
        return game.miss(state, move.seat, ctx).state
    return game.apply(state, move.seat, game.parse(move.played, view_for(state, move.seat)), ctx).state


def _turn(number: int, stride: _Stride, worth: int, out: tuple[int, ...], drawn: Tiles) -> Turn:
    move, before, round = stride.move, stride.before, stride.before.public.round
    happened = _less(stride.changed, _only(move.seat, move.points, before.seats))
    scores = stride.scores
    return Turn(number, round, before, move.seat, move.played, worth, move.points, tuple(out), drawn, happened, scores)


def _worth(game: Game[Any, Any], stride: _Stride, table: Table[Any]) -> int | None:
    """What the turn is compared by; None for what is no turn: of a seat that plays no more, something sent in vain, a
    move after which the turn goes on."""
    move, before = stride.move, stride.before
    if move.seat in table.out or (not table.together and stride.after is before):
        return None
    if not isinstance(game, Weighing) or move.played is None:
        return 0 if isinstance(game, Weighing) else move.points
    view = view_for(before, move.seat)
    return game.weigh(view, game.parse(move.played, view))


# ---- what was drawn ----


def _kept(game: Game[Any, Any], stride: _Stride) -> tuple[int, Tiles]:
    """(deals so far, the hand after the turn but without what was drawn then)."""
    before, after = stride.before, stride.after
    hand = Counter(before.hand(stride.move.seat))
    deal = len(before.past)
    if isinstance(game, Conserving):
        ended = after.past[deal] if len(after.past) > deal else after
        hand -= Counter(game.on_table(ended.public)) - Counter(game.on_table(before.public))
    else:
        hand &= Counter(after.hand(stride.move.seat))
    return deal, tuple(sorted(hand.elements()))


def _drawn(stride: _Stride, kept: dict[int, tuple[int, Tiles]]) -> Tiles:
    """What the hand has besides what was kept of it; all of it in the first turn of a deal."""
    deal, held = kept.get(stride.move.seat, (-1, ()))
    hand = Counter(stride.before.hand(stride.move.seat))
    left = hand - Counter(held) if deal == len(stride.before.past) else hand
    return tuple(sorted(left.elements()))


def _sum(one: Points, other: Points) -> Points:
    return tuple(map(add, one, other))


def _less(one: Points, other: Points) -> Points:
    return tuple(map(sub, one, other))


def _only(seat: int, points: int, seats: int) -> Points:
    return tuple(points * (other == seat) for other in range(seats))
