"""Whose turn it is, and what happens by itself: forced draws and passes, until somebody has a choice."""

from __future__ import annotations

from dataclasses import replace

from moderator.engine.contract import Context, Note, State
from moderator.games.dominos.board import ends
from moderator.games.dominos.rounds import Told, blocked, reached, went_out
from moderator.games.dominos.state import Public


def advance(state: State[Public], ctx: Context) -> Told:
    """Everything that is forced, until a seat has a choice or the match is over, with its notes in order."""
    notes: list[Note] = []
    while not state.over:
        told = _forced(state, ctx)
        if told is None:
            break
        state = told[0]
        notes += told[1]
    return state, tuple(notes)


def _forced(state: State[Public], ctx: Context) -> Told | None:
    """The next thing that happens without anybody's move; None = the seat to move has a choice."""
    seat = state.to_move[0]
    other = 1 - seat
    if state.scores[state.public.last] >= state.public.options.target:
        return reached(state, state.public.last)
    if not state.hands[state.public.last]:
        return went_out(state, state.public.last, ctx)
    if can_lay(state, seat):
        return None
    if state.stock:
        return _draw(state, seat)
    if can_lay(state, other):
        return pass_on(state, seat), (Note("passed", seat=seat),)
    return blocked(state, ctx)


def can_lay(state: State[Public], seat: int) -> bool:
    """Whether a seat holds a tile that fits."""
    if not state.public.board.line:
        return True
    shown = {str(end.value) for end in ends(state.public.board).values()}
    return any(tile[0] in shown or tile[1] in shown for tile in state.hands[seat])


def missed(state: State[Public], seat: int, ctx: Context) -> Told:
    """The seat sent nothing. If it plays no more, the round is blocked where only it could lay."""
    passed = pass_on(state, seat)
    if seat not in ctx.out or state.stock or can_lay(state, 1 - seat):
        return advance(passed, ctx)
    ended, notes = blocked(passed, ctx)
    after, more = advance(ended, ctx)
    return after, (*notes, *more)


def pass_on(state: State[Public], seat: int) -> State[Public]:
    """The other seat's turn."""
    return replace(state, public=replace(state.public, drew=None), to_move=(1 - seat,))


def _draw(state: State[Public], seat: int) -> Told:
    """The seat draws until a tile fits or the stock is empty."""
    shown = {str(end.value) for end in ends(state.public.board).values()}
    count = next((n for n, tile in enumerate(state.stock, start=1) if shown & set(tile)), len(state.stock))
    drawn = state.stock[:count]
    hands = tuple(hand + drawn if n == seat else hand for n, hand in enumerate(state.hands))
    public = replace(state.public, drew=seat)
    notes = (
        Note("drew", {"count": count}, seat=seat),
        Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat),
    )
    return replace(state, public=public, hands=hands, stock=state.stock[count:]), notes
