"""Dealing, and what happens by itself between two turns: drawing, penalty tiles, the end of a game, the next deal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from moderator.engine.contract import Context, Note, State
from moderator.games.domijongg.snake import begin, can_lay
from moderator.games.domijongg.state import Options, Public
from moderator.games.domijongg.tiles import RANK, WALL, is_special

IDLE_CIRCLES = 2
"""With the wall used up, so many circles without a laid tile end the game: somebody could lay and sends nothing."""
MOST_RETURNS = 100
"""So often a special is shuffled back; then the first ordinary tile of the wall is turned up. Never seen."""

Notes = tuple[Note, ...]


def deal(
    options: Options, seats: int, ctx: Context, round: int, leader: int, scores: tuple[int, ...]
) -> tuple[State[Public], Notes]:
    """The state before the first turn of a game, and what everybody learns of it. Hands are dealt seat by seat, then
    the singlestone. ``to_move`` is the seat after the leader, whether it can lay or not."""
    wall, size = ctx.shuffle(f"round{round}", WALL), options.full_hand(seats)
    hands = tuple(tuple(wall[seat * size : (seat + 1) * size]) for seat in range(seats))
    single, stock, returned = turn_up(wall[seats * size :], ctx, round)
    state = State(begin(options, seats, single, round, leader), hands, stock, scores, ((leader + 1) % seats,))
    return state, opening(state, returned)


def turn_up(wall: Sequence[str], ctx: Context, round: int) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """(singlestone, rest of the wall, specials that were turned up first and shuffled back). The n-th special goes
    to the end of the wall, which is then mixed as ``round1/single<n>``. The wall must hold an ordinary tile."""
    returned: list[str] = []
    rest = tuple(wall)
    while is_special(rest[0]) and len(returned) < MOST_RETURNS:
        returned.append(rest[0])
        rest = ctx.shuffle(f"round{round}/single{len(returned)}", (*rest[1:], rest[0]))
    place = next(n for n, tile in enumerate(rest) if not is_special(tile))
    return rest[place], (*rest[:place], *rest[place + 1 :]), tuple(returned)


def opening(state: State[Public], returned: Sequence[str]) -> Notes:
    """What everybody learns of a new deal."""
    public = state.public
    back = (Note("put-back", {"tiles": list(returned)}, public.leader),) if returned else ()
    opened = Note("opened", {"tile": public.laid[0].tile}, public.leader)
    return (*back, opened, Note("starts", seat=state.to_move[0]))


def draw(state: State[Public], seat: int, count: int) -> tuple[State[Public], tuple[str, ...]]:
    """The seat takes up to ``count`` tiles from the wall; also the tiles."""
    drawn = state.stock[: max(0, count)]
    hands = (*state.hands[:seat], state.hands[seat] + drawn, *state.hands[seat + 1 :])
    return replace(state, hands=hands, stock=state.stock[len(drawn) :]), drawn


def refill(state: State[Public], seat: int) -> tuple[State[Public], Notes]:
    """The seat draws up to the start count."""
    state, drawn = draw(state, seat, state.public.full_hand - len(state.hands[seat]))
    if not drawn:
        return state, ()
    return state, (Note("drew", {"count": len(drawn)}, seat), _drawn(seat, drawn))


def _drawn(seat: int, drawn: Sequence[str]) -> Note:
    return Note("drew-tiles", {"tiles": list(drawn)}, seat, only=seat)


def no_tile(state: State[Public], seat: int, missed: bool) -> tuple[State[Public], Notes]:
    """The seat lays nothing: a penalty tile and −1, or with the wall used up nothing at all."""
    public = state.public
    if not state.stock:
        idle = replace(state, public=replace(public, idle=public.idle + 1))
        return idle, () if missed else (Note("passed", seat=seat),)
    state, drawn = draw(state, seat, 1)
    penalties = tuple(old + (s == seat) for s, old in enumerate(public.penalties))
    scores = tuple(old - (s == seat) for s, old in enumerate(state.scores))
    state = replace(state, public=replace(public, penalties=penalties), scores=scores)
    note = Note("penalty-missed" if missed else "penalty", {"count": 1}, seat, -1)
    return state, (note, _drawn(seat, drawn))


def go_on(state: State[Public], seat: int, ctx: Context) -> tuple[State[Public], Notes]:
    """From the end of ``seat``'s turn to the next seat that has a choice, or to the end of the series.

    Ends always: each round of the loop takes a tile from the wall, or passes with the wall used up (at most once
    per seat: one can lay, or the game ends), or ends one of the series' games.
    """
    notes: list[Note] = []
    following = (seat + 1) % state.seats
    while True:
        if ending := _ending(state):
            state, more = _finish(state, ending, ctx)
            notes += more
            if state.over:
                return state, tuple(notes)
            following = state.to_move[0]
        elif _can(state, following):
            return replace(state, to_move=(following,)), tuple(notes)
        else:
            state, penalty = no_tile(state, following, missed=False)
            notes += penalty
            following = (following + 1) % state.seats


def _can(state: State[Public], seat: int) -> bool:
    return can_lay(state.public.heads, state.hands[seat], state.public.options.max_heads)


def _ending(state: State[Public]) -> Note | None:
    """Why the game is over, if it is: the wall is used up and somebody has laid all tiles, or nobody can lay, or
    turn after turn went by."""
    if state.stock:
        return None
    out = next((seat for seat, hand in enumerate(state.hands) if not hand), None)
    if out is not None:
        return Note("went-out", seat=out)
    if state.public.idle >= IDLE_CIRCLES * state.seats:
        return Note("all-missed")
    return None if any(_can(state, seat) for seat in range(state.seats)) else Note("blocked")


def _finish(state: State[Public], ending: Note, ctx: Context) -> tuple[State[Public], list[Note]]:
    """The end of a game, its sums line by line, and the next game's deal or the end of the series."""
    public = state.public
    notes = [ending]
    for seat, hand in enumerate(state.hands):
        if hand:
            notes.append(Note("rest", {"tiles": sorted(hand, key=RANK.__getitem__)}, seat))
    for seat, total in enumerate(state.scores):
        gains, penalties = public.gains[seat], public.penalties[seat]
        notes.append(Note("sum-laid", {"items": list(gains), "points": sum(gains)}, seat))
        if penalties:
            notes.append(Note("sum-penalties", {"count": penalties, "points": -penalties}, seat))
        sums = {"round": public.round, "points": sum(gains) - penalties, "total": total}
        notes.append(Note("sum-total", sums, seat))
    if public.round >= public.games:
        best = max(state.scores)
        won = [seat for seat, score in enumerate(state.scores) if score == best]
        notes.append(Note("series-won", {"seats": won, "points": best}))
        return replace(state, to_move=()), notes
    return _next_game(state, notes, ctx)


def _next_game(state: State[Public], notes: list[Note], ctx: Context) -> tuple[State[Public], list[Note]]:
    public = state.public
    leader, round = (public.leader + 1) % state.seats, public.round + 1
    dealt, news = deal(public.options, state.seats, ctx, round, leader, state.scores)
    return dealt, [*notes, Note("next-round", {"round": round}), *news]
