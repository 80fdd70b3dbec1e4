"""How a round begins and ends: the deal, the opening, out and blocked, the sums, the end of the match; and a round
played to its end by two that take the most points, in plain numbers: what the search asks some hundred times for a
move. ``tests/games/test_simulate.py`` plays the same by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from moderator.common.errors import RecordError
from moderator.games.dominos.state import (
    SET,
    DominoPlacement,
    DominosOptions,
    DominosPublic,
    count_pips,
    find_domino,
    get_highest_domino,
    get_open_ends,
    lay_domino,
    list_laid_dominoes,
    read_laid_dominoes,
    round_pips_down,
    score_end_sum,
    sum_open_ends,
)
from moderator.rules.game import State, Step
from moderator.rules.position import Diagram, read_fixed_deal
from moderator.rules.state import Context, Note, read_starter

HAND = 7
After = tuple[State[DominosPublic], tuple[Note, ...]]


def lay_domino_in_state(
    state: State[DominosPublic], seat: int, tile: str, place: str
) -> tuple[State[DominosPublic], int]:
    """Return the state after a tile was laid (the turn has passed on), and its points. Raises Illegal."""
    public = state.public
    board = lay_domino(public.board, tile, place)
    won = score_end_sum(sum_open_ends(board))
    gains = tuple((*row, won) if n == seat and won else row for n, row in enumerate(public.gains))
    hands = tuple(tuple(t for t in hand if n != seat or t != tile) for n, hand in enumerate(state.hands))
    public = replace(public, board=board, gains=gains, last=seat, drew=None)
    after = replace(state, public=public, hands=hands, to_move=(1 - seat,))
    return add_domino_points(after, seat, won), won


def add_domino_points(state: State[DominosPublic], seat: int, won: int) -> State[DominosPublic]:
    return replace(state, scores=tuple(score + won * (n == seat) for n, score in enumerate(state.scores)))


def open_domino_round(state: State[DominosPublic], seat: int) -> After:
    """Let ``seat`` open the round with its highest tile."""
    tile = get_highest_domino(state.hands[seat])
    state = replace(state, public=replace(state.public, leader=seat))
    state, won = lay_domino_in_state(state, seat, tile, "")
    return state, (Note("opened", {"tile": tile, "points": won}, seat=seat, points=won),)


def get_domino_opener(state: State[DominosPublic]) -> int:
    """Return the seat with the highest tile of all hands."""
    best = get_highest_domino(tile for hand in state.hands for tile in hand)
    return next(seat for seat, hand in enumerate(state.hands) if best in hand)


def deal_domino_round(state: State[DominosPublic], winner: int, ctx: Context) -> After:
    """Return the next deal, and its opening where that is automatic."""
    public = state.public
    number = public.round + 1
    tiles = ctx.shuffle(f"round{number}", SET)
    board = replace(public.board, line=(), north=(), south=(), spinner=None, laid=())
    public = DominosPublic(public.options, board, round=number, leader=winner, last=winner)
    hands = (tiles[:HAND], tiles[HAND : 2 * HAND])
    state = State(public, hands, tiles[2 * HAND :], state.scores, (winner,), past=state.ended)
    dealt = Note("next-round", {"round": number})
    if public.options.leader == "round_winner":
        return state, (dealt, Note("leads", seat=winner))
    state, notes = open_domino_round(state, get_domino_opener(state))
    return state, (dealt, *notes)


def end_blocked_round(state: State[DominosPublic], ctx: Context) -> After:
    """End the round in which nobody can lay: the winner gets the other's pips, rounded down to fives, less its own."""
    winner, why = _choose_blocked_winner(state)
    won = round_pips_down(state.hands[1 - winner]) - count_pips(state.hands[winner])
    return _end_round(state, winner, won, (Note("blocked", seat=winner), Note(why, seat=winner)), ctx)


def _choose_blocked_winner(state: State[DominosPublic]) -> tuple[int, str]:
    """Return the seat that wins a blocked round, and the code of the reason."""
    by_score = state.public.options.blocked_winner == "highest_score"
    first: Callable[[int], int] = (lambda s: state.scores[s]) if by_score else (lambda s: -count_pips(state.hands[s]))
    if first(0) != first(1):
        return max((0, 1), key=first), "blocked-score" if by_score else "blocked-pips"
    fewer = [-len(hand) for hand in state.hands]
    if fewer[0] != fewer[1]:
        return fewer.index(max(fewer)), "blocked-tiles"
    return state.public.last, "blocked-last"


def _end_round(state: State[DominosPublic], winner: int, won: int, why: tuple[Note, ...], ctx: Context) -> After:
    """Return the round's sums, seat by seat, then the end of the match or the next deal."""
    hands = state.hands
    rests = (
        Note("rest", {"tiles": list(hand), "pips": count_pips(hand)}, seat=seat)
        for seat, hand in enumerate(hands)
        if hand
    )
    params = {
        "rests": count_pips(hands[1 - winner]),
        "rounded": round_pips_down(hands[1 - winner]),
        "own": count_pips(hands[winner]),
        "points": won,
    }
    bonus = Note("sum-rests", params, seat=winner, points=won)
    state = add_domino_points(state, winner, won)
    sums = _list_sum_notes(state, {winner: bonus})
    if state.scores[winner] >= state.public.options.target:
        over, end = end_won_match(state, winner)
    else:
        over, end = deal_domino_round(state, winner, ctx)
    return over, (*why, *rests, *sums, *end)


def _list_sum_notes(state: State[DominosPublic], bonus: dict[int, Note]) -> tuple[Note, ...]:
    """Return per seat the notes on what it laid for, what the hands brought, and the round's total."""
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


def end_won_match(state: State[DominosPublic], winner: int) -> After:
    """End the match: return the state in which no seat is to move any more, and the note on the winner."""
    note = Note("match-won", {"points": state.scores[winner]}, seat=winner)
    return replace(state, to_move=()), (note,)


# ---- the first deal of a match: shuffled, or as a record fixes it ----


def deal_domino_match(options: DominosOptions, ctx: Context, fixed: Mapping[str, Any]) -> Step[DominosPublic]:
    """Return round 1 up to the first choice. Raises RecordError for racks, a stock, a board or a starter that cannot
    be."""
    given = Diagram.wrap({"board": fixed.get("board") or ()}, 2)
    board = read_laid_dominoes(given, "board", options)
    if "@" in next(iter(given.lines("board")), ""):
        given.wrong(("board", 0), "the first tile lies nowhere beside another; expected for example 66.")
    given.refuse()
    hands, stock = _deal_hands(fixed, ctx, list_laid_dominoes(board))
    _check_unique_tiles([*list_laid_dominoes(board), *stock, *(tile for hand in hands for tile in hand)])
    starter = read_starter(fixed, 2)
    first = starter or 0
    public = DominosPublic(options, board, leader=first, last=1 - first)
    state = State(public, hands, stock, (0, 0), (first,))
    notes: tuple[Note, ...] = ()
    if not board.line:
        state, notes = open_domino_round(state, get_domino_opener(state) if starter is None else first)
    state, more = advance_domino_round(state, ctx)
    return Step(state, (*notes, *more))


def _deal_hands(
    fixed: Mapping[str, Any], ctx: Context, lying: tuple[str, ...]
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return (racks, stock), fixed or dealt: seat 0 the first seven, seat 1 the next seven."""
    hands, stock = read_fixed_deal(fixed, 2, find_domino)
    if hands is not None:
        if not all(hands):
            raise RecordError("A rack of racks is empty.", "Each seat needs at least one tile.")
        return hands, stock or ()
    left = ctx.shuffle("round1", [tile for tile in SET if tile not in lying]) if stock is None else stock
    if len(left) < 2 * HAND:
        raise RecordError(f"{len(left)} tiles are too few to deal.", f"Two racks need {2 * HAND}, or give racks.")
    return (left[:HAND], left[HAND : 2 * HAND]), left[2 * HAND :]


def _check_unique_tiles(found: Iterable[str]) -> None:
    seen: set[str] = set()
    for tile in found:
        if tile in seen:
            raise RecordError(f"The tile {tile} is there twice.", "Each tile exists once.")
        seen.add(tile)


# ---- whose turn it is, and what happens by itself: forced draws and passes, until somebody has a choice ----


def advance_domino_round(state: State[DominosPublic], ctx: Context) -> After:
    """Do everything that is forced, until a seat has a choice or the match is over; the notes in order."""
    notes: list[Note] = []
    while not state.over:
        told = _find_forced_step(state, ctx)
        if told is None:
            break
        state = told[0]
        notes += told[1]
    return state, tuple(notes)


def _find_forced_step(state: State[DominosPublic], ctx: Context) -> After | None:
    """Return the next thing that happens without anybody's move; None = the seat to move has a choice."""
    seat = state.to_move[0]
    other = 1 - seat
    if state.scores[state.public.last] >= state.public.options.target:
        over, end = end_won_match(state, state.public.last)
        note = Note("target-reached", {"target": state.public.options.target}, seat=state.public.last)
        return over, (note, *_list_sum_notes(state, {}), *end)
    if not state.hands[state.public.last]:
        rests = round_pips_down(state.hands[1 - state.public.last])
        return _end_round(state, state.public.last, rests, (Note("went-out", seat=state.public.last),), ctx)
    if can_lay_domino(state, seat):
        return None
    if state.stock:
        # Let the seat draw until a tile fits or the stock is empty.
        shown = {str(end.value) for end in get_open_ends(state.public.board).values()}
        count = next((n for n, tile in enumerate(state.stock, start=1) if shown & set(tile)), len(state.stock))
        drawn = state.stock[:count]
        hands = tuple(hand + drawn if n == seat else hand for n, hand in enumerate(state.hands))
        public = replace(state.public, drew=seat)
        notes = (
            Note("drew", {"count": count}, seat=seat),
            Note("drew-tiles", {"tiles": list(drawn)}, seat=seat, only=seat),
        )
        return replace(state, public=public, hands=hands, stock=state.stock[count:]), notes
    if can_lay_domino(state, other):
        return pass_to_other_seat(state, seat), (Note("passed", seat=seat),)
    return end_blocked_round(state, ctx)


def can_lay_domino(state: State[DominosPublic], seat: int) -> bool:
    """Return whether a seat holds a tile that fits."""
    if not state.public.board.line:
        return True
    shown = {str(end.value) for end in get_open_ends(state.public.board).values()}
    return any(tile[0] in shown or tile[1] in shown for tile in state.hands[seat])


def miss_domino_turn(state: State[DominosPublic], seat: int, ctx: Context) -> After:
    """Pass the turn of a seat that sent nothing. If it plays no more, the round is blocked where only it could lay."""
    passed = pass_to_other_seat(state, seat)
    if seat not in ctx.out or state.stock or can_lay_domino(state, 1 - seat):
        return advance_domino_round(passed, ctx)
    ended, notes = end_blocked_round(passed, ctx)
    after, more = advance_domino_round(ended, ctx)
    return after, (*notes, *more)


def pass_to_other_seat(state: State[DominosPublic], seat: int) -> State[DominosPublic]:
    """Give the turn to the other seat."""
    return replace(state, public=replace(state.public, drew=None), to_move=(1 - seat,))


LEFT, RIGHT, NORTH, SOUTH = range(4)
PLACES = "LRNS"
SIDES = {LEFT: RIGHT, RIGHT: LEFT}
Tile = tuple[int, int]
Choice = tuple[Tile, int]
"""A tile, and the end that it is laid at."""


class DominoSimulation:
    """A table with at least one tile, as it is being played on."""

    def __init__(self, state: State[DominosPublic]) -> None:
        public = state.public
        board, self.options = public.board, public.options
        self.hands = [[(int(tile[0]), int(tile[1])) for tile in hand] for hand in state.hands]
        self.stock = [(int(tile[0]), int(tile[1])) for tile in reversed(state.stock)]
        self.scores = list(state.scores)
        self.value, self.counts = [-1] * 4, [0] * 4
        for place, end in get_open_ends(board).items():
            self.value[PLACES.index(place)], self.counts[PLACES.index(place)] = end.value, end.counts
        self.alone = len(board.line) == 1
        self.spinner = int(board.line[board.spinner][0]) if board.spinner is not None else -1
        at, last = board.spinner, len(board.line) - 1
        self.bare = {side for side, end in ((LEFT, 0), (RIGHT, last)) if at == end}
        """Sides of the spinner at which nothing lies."""
        self.last = public.last

    def lay_tile(self, seat: int, tile: Tile, place: int) -> None:
        """Move a tile off the hand, onto the table, and its points on the account."""
        self.hands[seat].remove(tile)
        self.last = seat
        inner = self.value[place]
        outer = tile[1] if tile[0] == inner else tile[0]
        double = tile[0] == tile[1]
        if self.alone and place in SIDES:
            other = SIDES[place]
            if self.spinner >= 0:
                self.counts[other] = 2 * self.value[other]
            self.alone = False
        self.value[place], self.counts[place] = outer, 2 * outer if double else outer
        if self.spinner < 0 and double:
            self.spinner, self.bare = outer, {place}
            if self.options.spinner_any_time:
                self.value[NORTH] = self.value[SOUTH] = outer
        elif place in self.bare:
            self.bare.discard(place)
            if not self.bare and not self.options.spinner_any_time:
                self.value[NORTH] = self.value[SOUTH] = self.spinner
        total = sum(self.counts)
        self.scores[seat] += total if total % 5 == 0 else 0

    def can_lay(self, seat: int) -> bool:
        """Return whether the seat can lay anything."""
        return any(a in self.value or b in self.value for a, b in self.hands[seat])

    def draw_until_fit(self, seat: int) -> bool:
        """Draw until something fits; return whether anything does."""
        while self.stock:
            tile = self.stock.pop()
            self.hands[seat].append(tile)
            if tile[0] in self.value or tile[1] in self.value:
                return True
        return False

    def choose_best(self, seat: int) -> Choice:
        """Return the placement with the most points, of equal ones the heaviest tile, the first of those."""
        total, most, found = sum(self.counts), (-1, -1), ((0, 0), 0)
        for tile in self.hands[seat]:
            a, b = tile
            for place, inner in enumerate(self.value):
                if inner not in (a, b):
                    continue
                sum_after = total - self.counts[place] + (2 * a if a == b else b if a == inner else a)
                if self.alone and self.spinner >= 0 and place in SIDES:
                    sum_after += self.value[SIDES[place]]
                worth = (sum_after if sum_after % 5 == 0 else 0, a + b)
                if worth > most:
                    most, found = worth, (tile, place)
        return found

    def count_pips(self, seat: int) -> int:
        return sum(a + b for a, b in self.hands[seat])

    def score_blocked_round(self) -> None:
        """Score a round in which nobody can lay: the winner gets the other's pips, rounded down to fives, less its
        own."""
        by_score = self.options.blocked_winner == "highest_score"
        keys = [
            (self.scores[s] if by_score else -self.count_pips(s), -len(self.hands[s]), s == self.last) for s in (0, 1)
        ]
        winner = keys.index(max(keys))
        self.scores[winner] += self.count_pips(1 - winner) // 5 * 5 - self.count_pips(winner)

    def play_to_end(self, seat: int) -> None:
        """Play to the end, ``seat`` to move after ``last`` has laid."""
        while self.scores[self.last] < self.options.target:
            if not self.hands[self.last]:
                self.scores[self.last] += self.count_pips(1 - self.last) // 5 * 5
                return
            if self.can_lay(seat) or self.draw_until_fit(seat):
                self.lay_tile(seat, *self.choose_best(seat))
            elif not self.can_lay(1 - seat):
                self.score_blocked_round()
                return
            seat = 1 - seat


def simulate_domino_round(state: State[DominosPublic], move: DominoPlacement) -> tuple[int, ...]:
    """Return the scores at the end of the round after the move of the seat to move, which must be legal and not the
    first on the table."""
    seat = state.to_move[0]
    table = DominoSimulation(state)
    table.lay_tile(seat, (int(move.tile[0]), int(move.tile[1])), PLACES.index(move.place))
    table.play_to_end(1 - seat)
    return tuple(table.scores)
