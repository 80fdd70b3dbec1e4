"""How a round begins and ends: the deal, the opening, out and blocked, the sums, the end of the match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from moderator.engine.contract import Context, Note, State
from moderator.games.dominos.board import lay, points, rounded, total
from moderator.games.dominos.state import Public
from moderator.games.dominos.tiles import SET, highest, pips

HAND = 7
Told = tuple[State[Public], tuple[Note, ...]]


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


def opened(state: State[Public], seat: int) -> Told:
    """``seat`` opens the round with its highest tile."""
    tile = highest(state.hands[seat])
    state = replace(state, public=replace(state.public, leader=seat))
    state, won = laid(state, seat, tile, "")
    return state, (Note("opened", {"tile": tile, "points": won}, seat=seat, points=won),)


def holder(state: State[Public]) -> int:
    """The seat with the highest tile of all hands."""
    best = highest(tile for hand in state.hands for tile in hand)
    return next(seat for seat, hand in enumerate(state.hands) if best in hand)


def next_round(state: State[Public], winner: int, ctx: Context) -> Told:
    """The next deal, and its opening where that is automatic."""
    public = state.public
    number = public.round + 1
    tiles = ctx.shuffle(f"round{number}", SET)
    board = replace(public.board, line=(), north=(), south=(), spinner=None, laid=())
    public = Public(public.options, board, round=number, leader=winner, last=winner)
    hands = (tiles[:HAND], tiles[HAND : 2 * HAND])
    state = State(public, hands, tiles[2 * HAND :], state.scores, (winner,))
    dealt = Note("next-round", {"round": number})
    if public.options.leader == "round_winner":
        return state, (dealt, Note("leads", seat=winner))
    state, notes = opened(state, holder(state))
    return state, (dealt, *notes)


def went_out(state: State[Public], winner: int, ctx: Context) -> Told:
    """The winner laid the last tile and gets the other's pips, rounded down to fives."""
    rests = rounded(state.hands[1 - winner])
    return _ended(state, winner, rests, (Note("went-out", seat=winner),), ctx)


def blocked(state: State[Public], ctx: Context) -> Told:
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


def _ended(state: State[Public], winner: int, won: int, why: tuple[Note, ...], ctx: Context) -> Told:
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


def reached(state: State[Public], winner: int) -> Told:
    """A seat has the target in mid-round: the match is over at once, hands count nothing."""
    over, end = match_won(state, winner)
    note = Note("target-reached", {"target": state.public.options.target}, seat=winner)
    return over, (note, *_sums(state, {}), *end)


def match_won(state: State[Public], winner: int) -> Told:
    """Nobody is to move any more."""
    note = Note("match-won", {"points": state.scores[winner]}, seat=winner)
    return replace(state, to_move=()), (note,)
