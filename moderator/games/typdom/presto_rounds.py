"""Around the crosswords of Presto: the deals, who is out of a round, its end, the next one and the end of the match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from moderator.engine.contract import Context, Note, State
from moderator.errors import RecordError
from moderator.games.typdom.presto_faults import words_of
from moderator.games.typdom.presto_layout import Layout, write
from moderator.games.typdom.presto_state import EMPTY_ROUNDS, HANDS, POINTS, Options, Public
from moderator.games.typdom.tiles import deal, read_deal

Happened = tuple[State[Public], tuple[Note, ...]]

SHOWN = 180
"""Characters of a drawing that a report can print in one piece; of a longer one the words are named."""


def first(seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any]) -> Happened:
    """The first round. ``fixed`` may give racks and stock. Raises RecordError."""
    if "racks" in fixed:
        hands, stock = read_deal(fixed, seats)
        if not all(len(hand) > 1 for hand in hands):
            raise RecordError("A rack of racks is too small.", "Each seat needs at least two tiles.")
    elif "stock" in fixed:
        raise RecordError("A stock without racks cannot be dealt.", "Give racks as well, or neither.")
    else:
        hands, stock = deal(1, seats, *HANDS[seats], ctx.shuffle)
    public = Public(options, gains=(0,) * seats)
    state = State(public, hands, stock, (0,) * seats, tuple(range(seats)), (None,) * seats)
    return state, (Note("go"),)


def finished(state: State[Public], seat: int, layout: Layout, left: tuple[str, ...], points: int) -> State[Public]:
    """The seat has finished; ``left`` is what remains on its rack."""
    public = replace(
        state.public,
        finished=(*state.public.finished, seat),
        gains=tuple(gain + points * (n == seat) for n, gain in enumerate(state.public.gains)),
    )
    return replace(
        state,
        public=public,
        hands=tuple(left if n == seat else hand for n, hand in enumerate(state.hands)),
        scores=tuple(score + points * (n == seat) for n, score in enumerate(state.scores)),
        to_move=tuple(other for other in state.to_move if other != seat),
        private=tuple(layout if n == seat else own for n, own in enumerate(state.private)),
    )


def without(state: State[Public], seat: int) -> State[Public]:
    """The seat is out of this round."""
    public = replace(state.public, gave_up=(*state.public.gave_up, seat))
    return replace(state, public=public, to_move=tuple(other for other in state.to_move if other != seat))


def onward(state: State[Public], ctx: Context) -> Happened:
    """After somebody finished or went: the end of the round if it has come, and then the next deal or the end of the
    match."""
    done = state.public.finished
    if state.to_move and len(done) < len(POINTS):
        return state, ()
    code = "went-out" if len(done) == len(POINTS) else "blocked" if done else "blocked-all"
    notes = [Note(code)]
    last = tuple((seat, layout) for seat in done if isinstance(layout := state.private[seat], Layout))
    for seat, layout in last:
        drawn = write(layout)
        values = {"words": words_of(layout), "move": drawn}
        notes.append(Note("layout" if len(drawn) <= SHOWN else "layout-words", values, seat=seat))
    for seat, total in enumerate(state.scores):
        params = {"round": state.public.round, "points": state.public.gains[seat], "total": total}
        notes.append(Note("sum-total", params, seat=seat))
    empty = 0 if done else state.public.empty + 1
    state = replace(state, public=replace(state.public, last=last, empty=empty))
    after, more = _ended(state) if _match_over(state) else _next(state, ctx)
    return after, (*notes, *more)


def _match_over(state: State[Public]) -> bool:
    public = state.public
    if public.options.target is None:
        return public.round >= public.options.rounds
    return max(state.scores) >= public.options.target or public.empty >= EMPTY_ROUNDS


def _next(state: State[Public], ctx: Context) -> Happened:
    seats, number = state.seats, state.public.round + 1
    hands, stock = deal(number, seats, *HANDS[seats], ctx.shuffle)
    old = state.public
    public = Public(old.options, number, gains=(0,) * seats, last=old.last, empty=old.empty)
    dealt = State(public, hands, stock, state.scores, tuple(range(seats)), (None,) * seats)
    return dealt, (Note("next-round", {"round": number}), Note("go"))


def _ended(state: State[Public]) -> Happened:
    winners = winning(state)
    best = max(state.scores)
    if len(winners) == 1:
        note = Note("match-won", {"points": best}, seat=winners[0])
    elif winners:
        note = Note("match-shared", {"seats": list(winners), "points": best})
    else:
        note = Note("match-undecided")
    return replace(state, to_move=(), private=(None,) * state.seats), (note,)


def winning(state: State[Public]) -> tuple[int, ...]:
    """The seats with the highest score; nobody without a point."""
    best = max(state.scores)
    return tuple(seat for seat, score in enumerate(state.scores) if score == best) if best else ()
