"""Every turn of a position, found by trying: what could be laid is put to the rules, one after the other. Knows
nothing of how the games look for moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import permutations
from typing import Any

from moderator.errors import PlayerError
from moderator.games.domijongg.state import Extension
from moderator.games.domijongg.state import Move as Snake
from moderator.games.dominos.state import Lay as Bone
from moderator.games.topwords.state import LETTERS, SIZE
from moderator.games.topwords.state import Place as Tower
from moderator.games.tridom.state import Lay as Triangle
from moderator.games.typdom.board import Place, name
from moderator.games.typdom.presto_layout import layout_of
from moderator.games.typdom.recht_state import Lay as Announce
from moderator.games.typdom.recht_state import Tile
from moderator.games.typdom.state import Turn
from moderator.match.contract import Context, Game, State
from tests.review.played import WORDS

LIST = WORDS.playable(10)
VOWELS = frozenset("AEIOUY")


def allowed(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context, moves: Iterable[Any]) -> dict[str, int]:
    """Notation -> points of those that the rules admit."""
    found: dict[str, int] = {}
    for move in moves:
        try:
            step = game.apply(state, seat, move, ctx)
        except PlayerError:
            continue
        found[game.format(step.played)] = step.points
    return found


def towers(state: State[Any], seat: int) -> Iterator[Tower]:
    board, rack = state.public.board, Counter(state.hand(seat))
    for line in range(SIZE):
        for direction, squares in (
            ("w", [line * SIZE + at for at in range(SIZE)]),
            ("s", [at * SIZE + line for at in range(SIZE)]),
        ):
            there = Counter(board[square][-1] for square in squares if board[square])
            for word in LIST:
                if Counter(word) - there - rack:
                    continue
                for first in range(SIZE - len(word) + 1):
                    shown = [board[square][-1:] for square in squares[first : first + len(word)]]
                    needed = Counter(one for one, other in zip(word, shown, strict=True) if one != other)
                    if needed and not needed - rack:
                        y, x = divmod(squares[first], SIZE)
                        yield Tower(f"{LETTERS[x]}{y + 1}", direction, word)  # type: ignore[arg-type]


def bones(state: State[Any], seat: int) -> Iterator[Bone]:
    return (Bone(tile, place) for tile in set(state.hand(seat)) for place in ("L", "R", "N", "S", ""))


def triangles(state: State[Any], seat: int) -> Iterator[Triangle]:
    cells = len(state.public.board.cells)
    return (Triangle(tile, place) for tile in state.hand(seat) for place in range(1, cells + 1))


def snakes(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> dict[str, int]:
    """Each turn that is legal, one step longer, as long as that is: what begins a turn is a turn."""
    found: dict[str, int] = {}
    hand = state.hand(seat)
    now = {Snake((Extension(head, ()),)) for head in range(1, len(state.public.tips) + 1)}
    while now:
        longer: dict[str, Snake] = {}
        for move in now:
            left = sorted((Counter(hand) - Counter(move.tiles)).elements())
            items = {(tile,) for tile in left} | set(permutations(left, 2))
            heads = len(state.public.tips) + sum(len(item) == 2 for part in move.parts for item in part.items)
            ways = [*move.parts[:-1], move.parts[-1]]
            for item in items:
                grown = Extension(ways[-1].head, (*ways[-1].items, item))
                tried = [Snake((*ways[:-1], grown))]
                if move.tiles:
                    tried += [Snake((*ways, Extension(head, (item,)))) for head in range(ways[-1].head + 1, heads + 1)]
                for one in tried:
                    if good := allowed(game, state, seat, ctx, [one]):
                        found |= good
                        longer[game.format(one)] = one
        now = set(longer.values())
    return found


def crossings(state: State[Any], seat: int) -> Iterator[Turn]:
    """A word over each tile that lies, or over the first square of an empty table."""
    table, rack = state.public.table, Counter(state.hand(seat))
    squares = {square: table.letter(square) for square in table.squares} or {table.start: ""}
    for square, letter in squares.items():
        for direction in ("w", "s"):
            for word in LIST:
                if (Counter(word) - rack - Counter(squares.values())) and letter:
                    continue
                for at, other in enumerate(word):
                    first = square - at * table.step(direction)
                    if letter in ("", other) and first >= 0:
                        yield Turn((Place(name(first, table.size), direction, word),))  # type: ignore[arg-type]


def announcements(state: State[Any], seat: int) -> Iterator[Announce]:
    """One tile, or two, at either end of the fragment, with each word that could come of it."""
    table, running = state.public.table, state.public.running
    if running is None:
        return
    text, rack = table.text(running.run), sorted(set(state.hand(seat)))
    for one in rack:
        for side, grown in (("front", one + text), ("back", text + one)):
            words = [word for word in LIST if grown in word]
            yield from (Announce((Tile(one, side),), word) for word in words)
            yield Announce((Tile(one, side),), goes_on=True)
            for two in rack:
                for end, more in (("front", two + grown), ("back", grown + two)):
                    fitting = [word for word in LIST if more in word]
                    yield from (Announce((Tile(one, side), Tile(two, end)), word) for word in fitting)


def grids(state: State[Any], seat: int) -> Iterator[Any]:
    """Every way to lay four tiles side by side."""
    shapes: set[frozenset[tuple[int, int]]] = {frozenset({(0, 0)})}
    for _ in range(3):
        shapes = {
            shape | {(x + a, y + b)}
            for shape in shapes
            for x, y in shape
            for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))
            if (x + a, y + b) not in shape
        }
    moved = {frozenset((x - min(s[0] for s in one), y - min(s[1] for s in one)) for x, y in one) for one in shapes}
    for tiles in set(permutations(state.hand(seat))):
        for shape in moved:
            yield layout_of(dict(zip(sorted(shape), tiles, strict=True)))


TRIED: dict[str, Callable[[State[Any], int], Iterator[Any]]] = {
    "topwords": towers,
    "dominos": bones,
    "tridom": triangles,
    "supertridom": triangles,
    "kreuzwort": crossings,
    "point": crossings,
    "recht": announcements,
    "presto": grids,
}


def every(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context) -> dict[str, int]:
    """Notation -> points of every turn."""
    if game.key == "domijongg":
        return snakes(game, state, seat, ctx)
    return allowed(game, state, seat, ctx, TRIED[game.key](state, seat))


def rest(tiles: Iterable[str]) -> int:
    """What tiles without a jolly count that are left over: vowels three, the others one."""
    return sum(3 if tile in VOWELS else 1 for tile in tiles)


if __name__ == "__main__":
    from tests.review.compared import main

    main()
