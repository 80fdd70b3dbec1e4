"""The small changes of a state that a turn is made of."""

from __future__ import annotations

from dataclasses import replace

from moderator.engine.contract import State
from moderator.games.tridom.board import Board
from moderator.games.tridom.state import Public


def lay_down(state: State[Public], seat: int, tile: str, board: Board, place: int, points: int) -> State[Public]:
    """The tile off its rack, ``board`` with it at ``place``, the points on the account, the turn to the next seat."""
    hand = list(state.hands[seat])
    hand.remove(tile)
    following = (seat + 1) % state.seats
    gains = _gained(state.public.gains, seat, points)
    return State(
        public=replace(state.public, board=board, gains=gains, mover=following, drawn=0, passes=0, last=place),
        hands=(*state.hands[:seat], tuple(hand), *state.hands[seat + 1 :]),
        stock=state.stock,
        scores=credit(state.scores, seat, points),
        to_move=(following,),
    )


def gain(state: State[Public], seat: int, points: int) -> State[Public]:
    """``points``, maybe negative, for a seat in this round."""
    public = replace(state.public, gains=_gained(state.public.gains, seat, points))
    return replace(state, scores=credit(state.scores, seat, points), public=public)


def _gained(gains: tuple[tuple[int, ...], ...], seat: int, points: int) -> tuple[tuple[int, ...], ...]:
    return (*gains[:seat], (*gains[seat], points), *gains[seat + 1 :])


def credit(scores: tuple[int, ...], seat: int, points: int) -> tuple[int, ...]:
    return (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])


def next_turn(state: State[Public], seat: int, passes: int = 0) -> State[Public]:
    """The turn after that of ``seat``. ``passes``: those in a row so far."""
    following = (seat + 1) % state.seats
    public = replace(state.public, mover=following, drawn=0, passes=passes)
    return replace(state, public=public, to_move=(following,))
