"""Whose turn it is in »Wer behält recht?«, and what happens by itself: an announcement that has gone round, forced
passes, the end of a game and the next deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moderator.games.typdom import board, flow
from moderator.games.typdom.board import Direction, Run, TypdomTable, get_square_name, get_tile_run
from moderator.games.typdom.recht_search import can_lay_recht_tile
from moderator.games.typdom.recht_state import FinishedWord, RechtPublic, WordInProgress, get_other_direction
from moderator.games.typdom.search import iter_jolly_exchanges
from moderator.games.typdom.state import JollyExchange
from moderator.games.typdom.tiles import STAR, remove_tiles_from_rack, sum_rest_points, to_rack_tile
from moderator.rules.game import Context, Note, State

Happened = tuple[State[RechtPublic], tuple[Note, ...]]


def list_playing_seats(state: State[RechtPublic]) -> list[int]:
    """Return the seats that are still in the game."""
    return [seat for seat in range(state.seats) if seat not in state.public.gone]


def get_next_playing_seat(state: State[RechtPublic], seat: int) -> int:
    """Return the next seat that is still in the game."""
    order = ((seat + n) % state.seats for n in range(1, state.seats + 1))
    return next(other for other in order if other not in state.public.gone)


def advance_recht_game(state: State[RechtPublic], seat: int, ctx: Context) -> Happened:
    """Begin the turn of ``seat`` and do everything that is forced, until a seat has a choice or the match is over."""
    notes: list[Note] = []
    while True:
        public = state.public
        ending = _find_game_end(state)
        if ending is not None:
            code, winner = ending
            after, settled, stake = settle_recht_rests(state, winner)
            return flow.finish_typdom_game(after, (*notes, Note(code, seat=winner), *settled), stake, ctx)
        state = replace(state, public=replace(public, bought=False, completing=False), to_move=(seat,))
        if public.running is not None and public.running.author == seat:
            state, more = _resolve_unchanged_announcement(state, seat)
            notes += more
            if state.public.completing:
                return state, tuple(notes)
            seat = seat if state.public.running is None else get_next_playing_seat(state, seat)
        elif state.stock or can_lay_recht_tile(state, seat, ctx, new=False) is not False:
            return state, tuple(notes)
        else:
            notes.append(Note("cannot-lay", seat=seat))
            state = replace(state, public=replace(public, passes=public.passes + 1))
            seat = get_next_playing_seat(state, seat)


def _resolve_unchanged_announcement(state: State[RechtPublic], seat: int) -> Happened:
    """Resolve the announcement of ``seat`` that nobody has changed: it is completed, or its author is out, or chooses
    first where the word lies."""
    ways = list_completions(state.public, state.hands[seat])
    if not ways:
        return eliminate_recht_seat(state, seat)
    if len(ways) > 1:
        running = state.public.running
        word = running.word if running is not None else ""
        squares = [get_square_name(way.place[0], state.public.table.size) for way in ways]
        note = Note("must-complete", {"word": word, "squares": squares}, seat=seat)
        return replace(state, public=replace(state.public, completing=True)), (note,)
    state, notes = complete_announcement(state, seat, ways[0])
    return state, (*notes, Note("begins", seat=seat)) if state.hands[seat] else notes


# ---- the end of a game ----


def _find_game_end(state: State[RechtPublic]) -> tuple[str, int | None] | None:
    """Return (code, winner) of a game that is over; the winner is None where the rests decide."""
    left = list_playing_seats(state)
    empty = next((seat for seat in left if not state.hands[seat]), None)
    if empty is not None:
        return "out", empty
    if len(left) == 1:
        return "last-left", left[0]
    if not state.stock and state.public.passes >= len(left):
        return "blocked", None
    return None


def settle_recht_rests(
    state: State[RechtPublic], winner: int | None
) -> tuple[State[RechtPublic], tuple[Note, ...], int]:
    """Settle the rests at the end of a game. Returns (state with the new scores, notes, what the next game is worth).
    Seats that are out have paid already."""
    left = list_playing_seats(state)
    rests = {seat: sum_rest_points(state.hands[seat]) for seat in left}
    notes = [
        Note("rest", {"tiles": list(state.hands[seat]), "rest": rests[seat]}, seat=seat)
        for seat in left
        if state.hands[seat] and len(left) > 1
    ]
    lowest = [seat for seat in left if rests[seat] == min(rests.values())]
    if winner is None and len(lowest) > 1:
        notes.append(Note("blocked-equal", {"seats": lowest, "rest": rests[lowest[0]]}))
        return state, (*notes, *_list_total_notes(state)), 2
    winner = lowest[0] if winner is None else winner
    for note in flow.build_settlement_notes(state.public, winner, rests):
        notes.append(note)
        state = add_recht_points(state, note.seat or 0, note.points)
    return state, (*notes, *_list_total_notes(state)), 1


def _list_total_notes(state: State[RechtPublic]) -> tuple[Note, ...]:
    """Return seat by seat the points that this game brought, where there are several."""
    public = state.public
    if public.options.games == 1:
        return ()
    rows = zip(range(state.seats), public.gains, state.scores, strict=True)
    return tuple(
        Note("sum-total", {"round": public.round, "points": sum(gains), "total": total}, seat=seat)
        for seat, gains, total in rows
    )


# ---- an announcement that has gone round: how its author can complete it with own tiles, or what it costs not to ----


@dataclass(frozen=True)
class WordCompletion:
    """One way to complete the word."""

    place: Run
    laid: tuple[tuple[int, str], ...]
    """(square, tile) of what is missing; jollies only for letters that the rack lacks."""
    exchanges: tuple[JollyExchange, ...] = ()
    """Jollies to be taken first, only where it does not work without."""


def list_completions(public: RechtPublic, hand: Sequence[str]) -> tuple[WordCompletion, ...]:
    """Return all places where an author can complete its announcement with its own tiles; () if it lacks a letter."""
    running = public.running
    if running is None:
        return ()
    for table, held in iter_jolly_exchanges(public.table, tuple(hand)):
        found = [(place, find_completing_tiles(table, place, running.word, held)) for place in running.places]
        changed = (square for square, tile in table.squares.items() if public.table.squares[square] != tile)
        swaps = tuple(
            JollyExchange(table.squares[square], get_square_name(square, table.size)) for square in sorted(changed)
        )
        good = tuple(WordCompletion(place, laid, swaps) for place, laid in found if laid is not None)
        if good:
            return good
    return ()


def find_completing_tiles(
    table: TypdomTable, place: Run, word: str, hand: Sequence[str]
) -> tuple[tuple[int, str], ...] | None:
    """Return the tiles for the free squares; None if the rack lacks one."""
    left, laid = Counter(hand), []
    for square, letter in zip(place, word, strict=True):
        if square in table.squares:
            continue
        tile = letter if left[letter] else STAR + letter
        if not left[to_rack_tile(tile)]:
            return None
        left[to_rack_tile(tile)] -= 1
        laid.append((square, tile))
    return tuple(laid)


def exchange_jollies_in_state(state: State[RechtPublic], seat: int, swaps: Sequence[JollyExchange]) -> Happened:
    """Take jollies off the table for the letters that they stand for. Raises Illegal."""
    public, table, hand = state.public, state.public.table, state.hands[seat]
    notes: list[Note] = []
    for swap in swaps:
        table, hand = board.exchange_jolly(table, swap.square, swap.letter, hand)
        notes.append(Note("exchanged", {"letter": swap.letter, "square": swap.square}, seat=seat))
    if notes:
        state = replace(state, public=replace(public, table=table, passes=0, fresh=(), runs=()))
    return flow.set_seat_hand(state, seat, hand), tuple(notes)


def complete_announcement(state: State[RechtPublic], seat: int, way: WordCompletion) -> Happened:
    """Complete the announcement; nothing is in the making any more."""
    running = state.public.running
    assert running is not None
    state, notes = exchange_jollies_in_state(state, seat, way.exchanges)
    squares = tuple(square for square, _ in way.laid)
    table = TypdomTable(state.public.table.size, {**state.public.table.squares, **dict(way.laid)})
    hand = remove_tiles_from_rack(state.hands[seat], [to_rack_tile(tile) for _, tile in way.laid])
    public = replace(
        state.public,
        table=table,
        running=None,
        finished=FinishedWord(running.direction, way.place),
        passes=0,
        completing=False,
        fresh=squares,
        runs=list_formed_runs(table, running.direction, way.place, squares),
    )
    square = get_square_name(way.place[0], table.size)
    params = {"word": running.word, "square": square, "direction": running.direction, "count": len(way.laid)}
    after = flow.set_seat_hand(replace(state, public=public), seat, hand)
    return after, (*notes, Note("completes", params, seat=seat))


def list_formed_runs(table: TypdomTable, direction: Direction, run: Run, squares: Sequence[int]) -> tuple[Run, ...]:
    """Return a run and the words across it on some of its squares."""
    crossing = (get_tile_run(table, square, get_other_direction(direction)) for square in squares)
    return (run, *(other for other in crossing if len(other) > 1))


def eliminate_recht_seat(state: State[RechtPublic], seat: int) -> Happened:
    """Take a seat out of the game that could not complete its announcement: it pays its rest to every other seat and
    plays no more. The fragment stays, without an announcement."""
    public, hand = state.public, state.hands[seat]
    running = public.running
    assert running is not None
    rest = sum_rest_points(hand) * public.stake
    others = [other for other in range(state.seats) if other != seat]
    params = {"rest": rest, "points": rest * len(others), "count": len(others)}
    notes = [
        Note("cannot-complete", {"word": running.word}, seat=seat),
        Note("rest", {"tiles": list(hand), "rest": sum_rest_points(hand)}, seat=seat),
        Note("pays-all", params, seat=seat, points=-rest * len(others)),
    ]
    notes += [Note("is-paid", {"points": rest}, seat=other, points=rest) for other in others]
    lapsed = WordInProgress(running.direction, running.run)
    public = replace(public, running=lapsed, gone=(*public.gone, seat), passes=0, fresh=(), runs=())
    state = replace(state, public=public)
    for note in notes[2:]:
        state = add_recht_points(state, note.seat or 0, note.points)
    return state, tuple(notes)


def add_recht_points(state: State[RechtPublic], seat: int, points: int) -> State[RechtPublic]:
    """Add ``points``, maybe negative, for a seat in this game."""
    gains = tuple((*row, points) if n == seat else row for n, row in enumerate(state.public.gains))
    return flow.add_typdom_points(replace(state, public=replace(state.public, gains=gains)), seat, points)
