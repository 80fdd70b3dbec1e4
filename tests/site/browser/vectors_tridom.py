"""Moves of Tridom and SuperTridom on tables as they come about, and on those that a record begins with."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from moderator.games.tridom.board import START, Board, Cell, Corners, all_tiles, from_tiles, is_triple, named
from moderator.games.tridom.rules import GAME, SUPER
from moderator.games.tridom.state import Lay, Options, Public
from moderator.match.conditions import AfterDraw
from moderator.match.contract import State, Step
from tests.site.browser.vectors import Family, Vector

ROUND = 0.6
"""How often a tile is laid where all three corners are known, if it can: so that circles are closed."""


def table(dice: random.Random, tiles: list[str], laid: int) -> tuple[Board, int]:
    """Up to so many of the tiles, which are taken away, and the place of the last."""
    a, b, c = (int(digit) for digit in tiles.pop())
    board, last = Board().lay(START, (a, b, c)), 1
    for _ in range(laid):
        found = list(board.placements(tiles))
        closed = [one for one in found if None not in board.free[one[1]]]
        if not found:
            break
        tile, cell, lying = dice.choice(closed if closed and dice.random() < ROUND else found)
        tiles.remove(tile)
        board, last = board.lay(cell, lying), board.places[cell]
    return board, last


def position(dice: random.Random, mirrored: bool) -> State[Public]:
    tiles = dice.sample(all_tiles(mirrored), k=len(all_tiles(mirrored)))
    board, last = table(dice, tiles, dice.randint(0, 45))
    given = len(board.tiles) > 1 and dice.random() < 0.3
    if given:
        tile, board = with_hole(board, mirrored, dice)
        tiles.append(tile)
    rack = tiles[: dice.choice([1, 2, 5, 9])]
    closing = shutting(board, tiles, dice)
    if closing and dice.random() < 0.7:
        rack[-1] = dice.choice(closing)[0]
    public = Public(
        Options(double_hexagon=dice.choice([50, 60, 100]), bonus=dice.choice(["highest", "sum"])),
        mirrored,
        board,
        ((0,), (0,)),
        drawn=dice.choice([0, 0, 0, 1, 3]),
        last=None if given else last,
    )
    stock = [tile for tile in tiles if tile not in rack]
    return State(public, (tuple(rack), tuple(stock[:3])), tuple(stock[3:]), (0, 0), (0,))


def with_hole(board: Board, mirrored: bool, dice: random.Random) -> tuple[str, Board]:
    """A board as a record gives it, from which a tile was taken: mostly one whose corners are all surrounded."""
    around = {cell: board.hexagons(cell) for cell in board.tiles}
    most = max(around.values()) if dice.random() < 0.7 else 0
    cell = dice.choice([cell for cell, count in around.items() if count >= most])
    rest = {other: lying for other, lying in board.tiles.items() if other != cell}
    return named("".join(map(str, board.tiles[cell])), mirrored), from_tiles(rest)


def shutting(board: Board, tiles: Iterable[str], dice: random.Random) -> list[tuple[str, Cell, Corners]]:
    """Ways to lay one of the tiles where all corners are known; mostly only those that close most circles."""
    found = [one for one in board.placements(tiles) if None not in board.free[one[1]]]
    most = max((board.hexagons(cell) for _, cell, _ in found), default=0)
    return [one for one in found if board.hexagons(one[1]) == most] if dice.random() < 0.7 else found


def laying(state: State[Public], dice: random.Random) -> Vector:
    """A move that is possible, or any."""
    public, hand = state.public, state.hands[0]
    if public.drawn and dice.random() < 0.3 and public.board.fits(hand[-1:]):
        return Vector(state, (), AfterDraw())
    found = list(public.board.placements(hand))
    closing = shutting(public.board, hand, dice)
    if found and dice.random() < 0.8:
        tile, cell, _ = dice.choice(closing if closing and dice.random() < 0.7 else found)
        place = public.board.places[cell]
    else:
        tile = dice.choice(hand if dice.random() < 0.9 else all_tiles(public.mirrored))
        place = dice.randint(1, len(public.board.cells) + (dice.random() < 0.2) * 20)
    least = dice.choice([0, 0, 0, 0, 0, 9, 40])
    return Vector(state, ((place, tile),), Lay(tile, place, least or None), least=least)


def vectors(game: str) -> Iterator[Vector]:
    dice, mirrored = random.Random(f"zug {game}"), {one.key: one for one in (GAME, SUPER)}[game].mirrored
    while True:
        yield laying(position(dice, mirrored), dice)


def seen(vector: Vector, step: Step[Any]) -> Iterator[str]:
    yield type(vector.move).__name__
    for note in step.notes:
        yield f"{note.code} {note.params.get('count', '')}".strip()
    if len(step.notes) > 1:
        yield "several"
    if is_triple(step.played.tile):
        yield "triple"
    if len(vector.state.hands[0]) == 1:
        yield "out"


FAMILY = Family(
    "tridom",
    vectors,
    codes=frozenset({"not-your-tile", "no-such-place", "taken", "does-not-fit-up", "does-not-fit-down", "scores-less"}),
    bonuses=frozenset({"bonus-bridge", "bonus-sides", "bonus-hexagon"}),
    seen=seen,
    wanted=frozenset({"Lay", "AfterDraw", "bonus-bridge", "bonus-sides", "bonus-hexagon 1", "bonus-hexagon 2"})
    | frozenset({"several", "triple", "out"}),
)
