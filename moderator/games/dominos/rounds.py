"""How a round begins and ends: the deal, the opening, out and blocked, the sums, the end of the match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.errors import Illegal, RecordError
from moderator.games.dominos.state import (
    PLACES,
    SET,
    Board,
    Options,
    Public,
    ends,
    highest,
    lay,
    named,
    pips,
    points,
    rounded,
    tiles,
    total,
)
from moderator.match.contract import Context, Note, State, Step
from moderator.match.sequential import read_starter

HAND = 7
After = tuple[State[Public], tuple[Note, ...]]


def laid(state: State[Public], seat: int, tile: str, place: str) -> tuple[State[Public], int]:
    """The state after a tile was laid (the turn has passed on), and its points. Raises Illegal."""
    public = state.public
    board = lay(public.board, tile, place)
    won = points(total(board))
    gains = tuple((*row, won) if n == seat and won else row for n, row in enumerate(public.gains))
    hands = tuple(tuple(t for t in hand if n != seat or t != tile) for n, hand in enumerate(state.hands))
    public = replace(public, board=board, gains=gains, last=seat, drew=None)
    after = replace(state, public=public, hands=hands, to_move=(1 - seat,))
    return credit(after, seat, won), won


def credit(state: State[Public], seat: int, won: int) -> State[Public]:
    return replace(state, scores=tuple(score + won * (n == seat) for n, score in enumerate(state.scores)))


def opened(state: State[Public], seat: int) -> After:
    """``seat`` opens the round with its highest tile."""
    tile = highest(state.hands[seat])
    state = replace(state, public=replace(state.public, leader=seat))
    state, won = laid(state, seat, tile, "")
    return state, (Note("opened", {"tile": tile, "points": won}, seat=seat, points=won),)


def holder(state: State[Public]) -> int:
    """The seat with the highest tile of all hands."""
    best = highest(tile for hand in state.hands for tile in hand)
    return next(seat for seat, hand in enumerate(state.hands) if best in hand)


def next_round(state: State[Public], winner: int, ctx: Context) -> After:
    """The next deal, and its opening where that is automatic."""
    public = state.public
    number = public.round + 1
    tiles = ctx.shuffle(f"round{number}", SET)
    board = replace(public.board, line=(), north=(), south=(), spinner=None, laid=())
    public = Public(public.options, board, round=number, leader=winner, last=winner)
    hands = (tiles[:HAND], tiles[HAND : 2 * HAND])
    state = State(public, hands, tiles[2 * HAND :], state.scores, (winner,), past=state.ended)
    dealt = Note("next-round", {"round": number})
    if public.options.leader == "round_winner":
        return state, (dealt, Note("leads", seat=winner))
    state, notes = opened(state, holder(state))
    return state, (dealt, *notes)


def went_out(state: State[Public], winner: int, ctx: Context) -> After:
    """The winner laid the last tile and gets the other's pips, rounded down to fives."""
    rests = rounded(state.hands[1 - winner])
    return _ended(state, winner, rests, (Note("went-out", seat=winner),), ctx)


def blocked(state: State[Public], ctx: Context) -> After:
    """Nobody can lay: the winner gets the other's pips, rounded down to fives, less its own."""
    winner, why = _blocked_winner(state)
    won = rounded(state.hands[1 - winner]) - pips(state.hands[winner])
    return _ended(state, winner, won, (Note("blocked", seat=winner), Note(why, seat=winner)), ctx)


def _blocked_winner(state: State[Public]) -> tuple[int, str]:
    """The seat that wins a blocked round, and the code of the reason."""
    by_score = state.public.options.blocked_winner == "highest_score"
    first: Callable[[int], int] = (lambda s: state.scores[s]) if by_score else (lambda s: -pips(state.hands[s]))
    if first(0) != first(1):
        return max((0, 1), key=first), "blocked-score" if by_score else "blocked-pips"
    fewer = [-len(hand) for hand in state.hands]
    if fewer[0] != fewer[1]:
        return fewer.index(max(fewer)), "blocked-tiles"
    return state.public.last, "blocked-last"


def _ended(state: State[Public], winner: int, won: int, why: tuple[Note, ...], ctx: Context) -> After:
    """The round's sums, seat by seat, then the end of the match or the next deal."""
    hands = state.hands
    rests = (
        Note("rest", {"tiles": list(hand), "pips": pips(hand)}, seat=seat) for seat, hand in enumerate(hands) if hand
    )
    params = {
        "rests": pips(hands[1 - winner]),
        "rounded": rounded(hands[1 - winner]),
        "own": pips(hands[winner]),
        "points": won,
    }
    bonus = Note("sum-rests", params, seat=winner, points=won)
    state = credit(state, winner, won)
    sums = _sums(state, {winner: bonus})
    if state.scores[winner] >= state.public.options.target:
        over, end = match_won(state, winner)
    else:
        over, end = next_round(state, winner, ctx)
    return over, (*why, *rests, *sums, *end)


def _sums(state: State[Public], bonus: dict[int, Note]) -> tuple[Note, ...]:
    """Per seat what it laid for, what the hands brought, and the round's total."""
    notes: list[Note] = []
    for seat, gains in enumerate(state.public.gains):
        notes.append(Note("sum-laid", {"items": list(gains), "points": sum(gains)}, seat=seat))
        gained = sum(gains)
        if seat in bonus:
            notes.append(bonus[seat])
            gained += bonus[seat].points
        params = {"round": state.public.round, "points": gained, "total": state.scores[seat]}
        notes.append(Note("sum-total", params, seat=seat))
    return tuple(notes)


def reached(state: State[Public], winner: int) -> After:
    """A seat has the target in mid-round: the match is over at once, hands count nothing."""
    over, end = match_won(state, winner)
    note = Note("target-reached", {"target": state.public.options.target}, seat=winner)
    return over, (note, *_sums(state, {}), *end)


def match_won(state: State[Public], winner: int) -> After:
    """Nobody is to move any more."""
    note = Note("match-won", {"points": state.scores[winner]}, seat=winner)
    return replace(state, to_move=()), (note,)


# ---- the first deal of a match: shuffled, or as a record fixes it ----


_TILE = re.compile(r"([0-6])-?([0-6])")


def deal(options: Options, ctx: Context, fixed: Mapping[str, Any]) -> Step[Public]:
    """Round 1 up to the first choice. Raises RecordError for racks, a stock, a board or a starter that cannot be."""
    board = _board(fixed.get("board") or (), options)
    hands, stock = _hands(fixed, ctx, tiles(board))
    _once([*tiles(board), *stock, *(tile for hand in hands for tile in hand)])
    starter = read_starter(fixed, 2)
    first = starter or 0
    public = Public(options, board, leader=first, last=1 - first)
    state = State(public, hands, stock, (0, 0), (first,))
    notes: tuple[Note, ...] = ()
    if not board.line:
        state, notes = opened(state, holder(state) if starter is None else first)
    state, more = advance(state, ctx)
    return Step(state, (*notes, *more))


def _hands(
    fixed: Mapping[str, Any], ctx: Context, lying: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """(racks, stock), fixed or dealt: seat 0 the first seven, seat 1 the next seven."""
    if "racks" in fixed:
        racks = fixed["racks"]
        if not isinstance(racks, list | tuple) or len(racks) != 2:
            raise RecordError("racks needs two lists of tiles.", 'For example [["64", "31"], ["66"]].')
        hands = tuple(_tiles(rack, "racks") for rack in racks)
        if not all(hands):
            raise RecordError("A rack of racks is empty.", "Each seat needs at least one tile.")
        return hands, _tiles(fixed.get("stock", ()), "stock")
    if "stock" in fixed:
        left = _tiles(fixed["stock"], "stock")
    else:
        left = ctx.shuffle("round1", [tile for tile in SET if tile not in lying])
    if len(left) < 2 * HAND:
        raise RecordError(f"{len(left)} tiles are too few to deal.", f"Two racks need {2 * HAND}, or give racks.")
    return (left[:HAND], left[HAND : 2 * HAND]), left[2 * HAND :]


def _tiles(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list | tuple):
        raise RecordError(f"{where} = {values!r} is wrong.", 'Expected: a list of tiles, for example ["64", "31"].')
    return tuple(_tile(value, where) for value in values)


def _tile(value: Any, where: str) -> str:
    """``46`` and ``4-6`` are the tile 64, too."""
    found = _TILE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise RecordError(f"{where}: {value!r} is no tile.", 'Expected: two numbers from 0 to 6, for example "64".')
    return named(int(found[1]), int(found[2]))


def _once(found: Iterable[str]) -> None:
    seen: set[str] = set()
    for tile in found:
        if tile in seen:
            raise RecordError(f"The tile {tile} is there twice.", "Each tile exists once.")
        seen.add(tile)


def _board(entries: Any, options: Options) -> Board:
    """``["66", "62@L", "61@R"]``, in the order in which they were laid."""
    hint = 'Expected: tiles in the order in which they were laid, for example ["66", "62@L", "61@R"].'
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, str) for entry in entries):
        raise RecordError("board has the wrong shape.", hint)
    board = Board(any_time=options.spinner_any_time)
    for entry in entries:
        name, _, place = entry.partition("@")
        tile = _tile(name, "board")
        if bool(place) != bool(board.line) or (place and place not in PLACES):
            raise RecordError(f"board: {entry!r} has no right place.", hint)
        try:
            board = lay(board, tile, place)
        except Illegal as error:
            raise RecordError(f"board: {entry!r} cannot be laid ({error.code}).", hint) from error
    return board


# ---- whose turn it is, and what happens by itself: forced draws and passes, until somebody has a choice ----


def advance(state: State[Public], ctx: Context) -> After:
    """Everything that is forced, until a seat has a choice or the match is over, with its notes in order."""
    notes: list[Note] = []
    while not state.over:
        told = _forced(state, ctx)
        if told is None:
            break
        state = told[0]
        notes += told[1]
    return state, tuple(notes)


def _forced(state: State[Public], ctx: Context) -> After | None:
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


def missed(state: State[Public], seat: int, ctx: Context) -> After:
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


def _draw(state: State[Public], seat: int) -> After:
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
