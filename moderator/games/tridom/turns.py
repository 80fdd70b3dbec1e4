"""What happens by itself: forced draws and passes, the end of a round, the next deal, until somebody has a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Note, State
from moderator.games.tridom.deal import deal, new_round, opened, opener
from moderator.games.tridom.records import read_board, read_deal, read_starter
from moderator.games.tridom.state import Options, Public
from moderator.games.tridom.steps import gain, next_turn
from moderator.games.tridom.sums import closing_sums, leaders

DRAWS = 3
"""Tiles that may be drawn in a turn."""
DRAW_COST, NOTHING_LAID = 5, 10
"""Points lost for each drawn tile, and for a turn in which nothing could be laid."""

Happened = tuple[State[Public], tuple[Note, ...]]


def begin(
    seats: int, options: Options, mirrored: bool, ctx: Context, fixed: Mapping[str, Any] | None = None
) -> Happened:
    """The first round up to its first choice. ``fixed`` as in RULES.md; raises RecordError where it is wrong."""
    fixed = fixed or {}
    starter = read_starter(fixed, seats)
    if "racks" in fixed or "stock" in fixed:
        hands, stock = read_deal(fixed, seats, mirrored)
    else:
        hands, stock = deal(1, seats, mirrored, ctx)
    state = new_round(1, (0,) * seats, hands, stock, options, mirrored)
    if fixed.get("board") is None:
        seat, tile = opener(hands, options, starter)
        state, note = opened(state, seat, tile)
        return _with(onward(state, ctx, seat), note)
    seat = starter or 0
    state = replace(state, public=replace(state.public, board=read_board(fixed["board"], mirrored), mover=seat))
    return onward(replace(state, to_move=(seat,)), ctx)


def onward(state: State[Public], ctx: Context, laid_by: int | None = None) -> Happened:
    """Everything that needs no mail, up to the next choice or the end of the match. ``laid_by``: the seat that has
    just laid a tile, and may have gone out with it."""
    notes: list[Note] = []
    while not state.over:
        public = state.public
        if laid_by is not None and not state.hands[laid_by]:
            state, more, laid_by = _end_round(state, laid_by, ctx)
        elif public.passes >= state.seats:
            state, more, laid_by = _end_round(state, None, ctx)
        elif public.board.fits(state.hands[public.mover]):
            break
        else:
            state, more = _forced(state)
        notes += more
    return state, tuple(notes)


def _forced(state: State[Public]) -> Happened:
    """The turn of a seat without a fitting tile: it draws until one fits and then has a choice, or lays nothing."""
    public = state.public
    seat, stock = public.mover, state.stock
    count, found = 0, False
    while stock[count:] and count < DRAWS and not found:
        found = public.board.fits((stock[count],))
        count += 1
    notes: list[Note] = []
    if count:
        drawn = stock[:count]
        cost = DRAW_COST * count
        hands = (*state.hands[:seat], state.hands[seat] + drawn, *state.hands[seat + 1 :])
        state = gain(replace(state, hands=hands, stock=stock[count:]), seat, -cost)
        notes.append(Note("drew", {"count": count, "cost": cost}, seat=seat, points=-cost))
        notes.append(Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat))
    if found:
        return replace(state, public=replace(state.public, drawn=count)), tuple(notes)
    state = gain(state, seat, -NOTHING_LAID)
    notes.append(Note("cannot-lay" if count else "passed", {"cost": NOTHING_LAID}, seat=seat, points=-NOTHING_LAID))
    passes = 0 if state.stock else public.passes + 1
    return next_turn(state, seat, passes), tuple(notes)


def _end_round(
    state: State[Public], out: int | None, ctx: Context
) -> tuple[State[Public], tuple[Note, ...], int | None]:
    """The sums of a round that ``out`` has won, or that is blocked; then the end of the match, or the next round with
    its opening. The third value is the seat that opened it."""
    state, notes = closing_sums(state, out)
    best = leaders(state)
    number = state.public.round + 1
    if len(best) == 1:
        won = Note("match-won", {"points": state.scores[best[0]]}, seat=best[0])
        return replace(state, to_move=()), (*notes, won), None
    if best:
        notes += (Note("tied", {"seats": list(best), "points": state.scores[best[0]]}),)
    hands, stock = deal(number, state.seats, state.public.mirrored, ctx)
    fresh = new_round(number, state.scores, hands, stock, state.public.options, state.public.mirrored)
    seat, tile = opener(hands, state.public.options)
    fresh, note = opened(fresh, seat, tile)
    return fresh, (*notes, Note("next-round", {"round": number}), note), seat


def _with(happened: Happened, first: Note) -> Happened:
    return happened[0], (first, *happened[1])
