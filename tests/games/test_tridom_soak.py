"""Whole random matches of Tridom and SuperTridom: what must hold after every event, and how long a match takes.

``tests/games/recount`` plays matches against a second referee; here the board itself is looked at from scratch.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from moderator.games.tridom.board import all_tiles, corners, neighbours, rotations
from moderator.games.tridom.state import Options, Public
from moderator.match.contract import Note, State, Step, view_for
from moderator.match.replay import Entry, rebuild
from tests.games.tridom_table import GAME, SUPER, Tridom, context

GAMES = pytest.mark.parametrize("game", [GAME, SUPER], ids=["tridom", "supertridom"])
QUICK, THOROUGH = 8, 500


def match(game: Tridom, seed: int, options: Options) -> Iterator[tuple[State[Public], str, Step[Public]]]:
    """A match by chance: (position, move or "" for none, what followed); first the deal."""
    ctx, dice = context(seed), random.Random(seed)
    step = game.setup(2 + seed % 5, options, ctx)
    yield step.state, "", step
    while not step.state.over:
        state = step.state
        seat = state.to_move[0]
        legal = list(game.moves(view_for(state, seat), ctx))
        assert legal, "a seat that cannot lay is never asked"
        if dice.random() < 0.03:
            step = game.miss(state, seat, ctx)
            yield state, "", step
            continue
        move = max(legal, key=lambda found: found[1])[0] if dice.random() < 0.5 else dice.choice(legal)[0]
        step = game.apply(state, seat, move, ctx)
        yield state, game.format(move), step


def check_board(state: State[Public]) -> None:
    """Corners agree, free cells are those beside tiles, and what is known of them is what the tiles show."""
    board = state.public.board
    numbers: dict[tuple[int, int], int] = {}
    for cell, lying in board.tiles.items():
        for point, number in zip(corners(cell), lying, strict=True):
            assert numbers.setdefault(point, number) == number
    beside = {near for cell in board.tiles for near in neighbours(cell)} - board.tiles.keys()
    assert board.free == {cell: tuple(numbers.get(point) for point in corners(cell)) for cell in beside}
    assert list(board.free) == sorted(beside, key=board.places.__getitem__)
    assert {cell: n for n, cell in enumerate(board.cells, start=1)} == board.places
    assert set(board.cells) == beside | board.tiles.keys()


def check_tiles(game: Tridom, state: State[Public]) -> None:
    lying = [min(rotations("".join(map(str, three)))) for three in state.public.board.tiles.values()]
    held = [tile for hand in state.hands for tile in hand]
    assert Counter([*lying, *held, *state.stock]) == Counter(all_tiles(game.mirrored))


def points(notes: tuple[Note, ...], seat: int) -> int:
    return sum(note.points for note in notes if note.seat == seat)


def soak(game: Tridom, seed: int) -> list[str]:
    """Plays and checks one match; the codes of all that happened."""
    bonus, hexagon = ("highest", "sum")[seed % 2], 50 + 10 * (seed % 3)
    options = Options(target=(400, 150, 40)[seed % 3], bonus=bonus, double_hexagon=hexagon)  # type: ignore[arg-type]
    seen: list[str] = []
    for before, move, step in match(game, seed, options):
        state = step.state
        check_board(state)
        check_tiles(game, state)
        codes = [note.code for note in (*step.notes, *step.after)]
        seen += codes
        if state is before:
            assert state.scores == tuple(points(step.notes, seat) for seat in range(state.seats))
            continue
        mover = before.to_move[0]
        for seat in range(state.seats):
            gained = step.points * (seat == mover) + points(step.after, seat)
            assert state.scores[seat] - before.scores[seat] == gained
            if state.public.round == before.public.round and not state.over:
                assert sum(state.public.gains[seat]) - sum(before.public.gains[seat]) == gained
        assert (step.points > 0 or step.points == points(step.notes, mover)) or move
        if state.over:
            best = max(state.scores)
            assert game.winners(state) == (state.scores.index(best),)
            assert best >= options.target
            assert codes[-1] == "match-won"
    return seen


@GAMES
def test_a_few_matches(game: Tridom) -> None:
    seen = {code for seed in range(QUICK) for code in soak(game, seed)}
    usual = {"opened", "drew", "drew-tiles", "cannot-lay", "went-out", "rest", "sum-laid", "sum-out", "sum-rests"}
    assert seen >= usual | {"sum-total", "next-round", "match-won", "missed", "bonus-sides", "bonus-hexagon"}


@pytest.mark.matrix("games")
@GAMES
def test_many_matches(game: Tridom) -> None:
    seen = {code for seed in range(1000, 1000 + THOROUGH) for code in soak(game, seed)}
    assert seen >= {"blocked", "passed", "sum-own-rest", "bonus-bridge"}


def test_a_match_of_120_turns_is_replayed_in_50_milliseconds() -> None:
    seed = 3
    ctx, options = context(seed), Options(target=900)
    state = GAME.setup(3, options, ctx).state
    entries: list[Entry] = []
    while len(entries) < 120 and not state.over:
        seat = state.to_move[0]
        move = min(GAME.moves(view_for(state, seat), ctx), key=lambda found: GAME.format(found[0]))[0]
        state = GAME.apply(state, seat, move, ctx).state
        entries.append(Entry("move", seat, GAME.format(move)))
    assert len(entries) == 120
    best = 1.0
    for _ in range(5):
        start = time.process_time()
        table, _, _ = rebuild(GAME, 3, options, ctx, None, entries)
        best = min(best, time.process_time() - start)
    assert table.state == state
    assert best < 0.05
