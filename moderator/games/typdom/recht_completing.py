"""An announcement that has gone round: how its author can complete it with own tiles, or what it costs not to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from moderator.engine.contract import Note, State
from moderator.games.typdom import board, flow
from moderator.games.typdom.board import Direction, Run, Table, name, run_through
from moderator.games.typdom.recht_line import across
from moderator.games.typdom.recht_state import Finished, Public, Running
from moderator.games.typdom.search import exchanged
from moderator.games.typdom.state import Exchange
from moderator.games.typdom.tiles import STAR, as_held, rest_points, take

Happened = tuple[State[Public], tuple[Note, ...]]


@dataclass(frozen=True)
class Completion:
    """One way to complete the word."""

    place: Run
    laid: tuple[tuple[int, str], ...]
    """(square, tile) of what is missing; jollies only for letters that the rack lacks."""
    exchanges: tuple[Exchange, ...] = ()
    """Jollies to be taken first, only where it does not work without."""


def completions(public: Public, hand: Sequence[str]) -> tuple[Completion, ...]:
    """All places where an author can complete its announcement with its own tiles; () if it lacks a letter."""
    running = public.running
    if running is None:
        return ()
    for table, held in exchanged(public.table, tuple(hand)):
        found = [(place, _missing(table, place, running.word, held)) for place in running.places]
        swaps = _swaps(public.table, table)
        good = tuple(Completion(place, laid, swaps) for place, laid in found if laid is not None)
        if good:
            return good
    return ()


def _swaps(before: Table, after: Table) -> tuple[Exchange, ...]:
    changed = (square for square, tile in after.squares.items() if before.squares[square] != tile)
    return tuple(Exchange(after.squares[square], name(square, after.size)) for square in sorted(changed))


def _missing(table: Table, place: Run, word: str, hand: Sequence[str]) -> tuple[tuple[int, str], ...] | None:
    """The tiles for the free squares; None if the rack lacks one."""
    left, laid = Counter(hand), []
    for square, letter in zip(place, word, strict=True):
        if square in table.squares:
            continue
        tile = letter if left[letter] else STAR + letter
        if not left[as_held(tile)]:
            return None
        left[as_held(tile)] -= 1
        laid.append((square, tile))
    return tuple(laid)


def swapped(state: State[Public], seat: int, swaps: Sequence[Exchange]) -> Happened:
    """Jollies taken off the table for the letters that they stand for. Raises Illegal."""
    public, table, hand = state.public, state.public.table, state.hands[seat]
    notes: list[Note] = []
    for swap in swaps:
        table, hand = board.exchange(table, swap.square, swap.letter, hand)
        notes.append(Note("exchanged", {"letter": swap.letter, "square": swap.square}, seat=seat))
    if notes:
        state = replace(state, public=replace(public, table=table, passes=0, fresh=(), runs=()))
    return flow.with_hand(state, seat, hand), tuple(notes)


def complete(state: State[Public], seat: int, way: Completion) -> Happened:
    """The announcement completed; nothing is in the making any more."""
    running = state.public.running
    assert running is not None
    state, notes = swapped(state, seat, way.exchanges)
    squares = tuple(square for square, _ in way.laid)
    table = Table(state.public.table.size, {**state.public.table.squares, **dict(way.laid)})
    hand = take(state.hands[seat], [as_held(tile) for _, tile in way.laid])
    public = replace(
        state.public,
        table=table,
        running=None,
        finished=Finished(running.direction, way.place),
        passes=0,
        completing=False,
        fresh=squares,
        runs=formed(table, running.direction, way.place, squares),
    )
    square = name(way.place[0], table.size)
    params = {"word": running.word, "square": square, "direction": running.direction, "count": len(way.laid)}
    after = flow.with_hand(replace(state, public=public), seat, hand)
    return after, (*notes, Note("completes", params, seat=seat))


def formed(table: Table, direction: Direction, run: Run, squares: Sequence[int]) -> tuple[Run, ...]:
    """A run and the words across it on some of its squares."""
    crossing = (run_through(table, square, across(direction)) for square in squares)
    return (run, *(other for other in crossing if len(other) > 1))


def drop_out(state: State[Public], seat: int) -> Happened:
    """The seat could not complete its announcement: it pays its rest to every other seat and plays no more. The
    fragment stays, without an announcement."""
    public, hand = state.public, state.hands[seat]
    running = public.running
    assert running is not None
    rest = rest_points(hand) * public.stake
    others = [other for other in range(state.seats) if other != seat]
    params = {"rest": rest, "points": rest * len(others), "count": len(others)}
    notes = [
        Note("cannot-complete", {"word": running.word}, seat=seat),
        Note("rest", {"tiles": list(hand), "rest": rest_points(hand)}, seat=seat),
        Note("pays-all", params, seat=seat, points=-rest * len(others)),
    ]
    notes += [Note("is-paid", {"points": rest}, seat=other, points=rest) for other in others]
    lapsed = Running(running.direction, running.run)
    public = replace(public, running=lapsed, gone=(*public.gone, seat), passes=0, fresh=(), runs=())
    state = replace(state, public=public)
    for note in notes[2:]:
        state = won(state, note.seat or 0, note.points)
    return state, tuple(notes)


def won(state: State[Public], seat: int, points: int) -> State[Public]:
    """``points``, maybe negative, for a seat in this game."""
    gains = tuple((*row, points) if n == seat else row for n, row in enumerate(state.public.gains))
    return flow.gain(replace(state, public=replace(state.public, gains=gains)), seat, points)
