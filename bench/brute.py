"""What a survey calls the best beside everything that can be tried, position by position: what could be laid is put to
the rules, one after the other, without knowing how the games look for moves.

    python -m bench.brute --positions 1000                all games, on all cores; a line for each
    python -m bench.brute --positions 100 --game topwords

The gate looks at a share of them (``EVERYDAY``); docs/inside/reviews.md has what the command printed of all."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import permutations
from time import process_time
from typing import Any

from moderator.common.errors import PlayerError
from moderator.games import OWN
from moderator.games.domijongg.state import HeadExtension
from moderator.games.domijongg.state import JonggTurn as Snake
from moderator.games.dominos.state import DominoPlacement as Bone
from moderator.games.topwords.state import LETTERS, SIZE
from moderator.games.topwords.state import TopwordsPlacement as Tower
from moderator.games.tridom.state import TridomPlacement as Triangle
from moderator.games.typdom.board import Placement, get_square_name
from moderator.games.typdom.presto_state import build_crossword
from moderator.games.typdom.recht_state import RechtLaying as Announce
from moderator.games.typdom.recht_state import RechtTile
from moderator.games.typdom.state import TypdomTurn
from moderator.rules.game import Game, State
from moderator.rules.robots.choose import Survey, survey_position
from moderator.rules.state import Context, view_for
from tests.review.played import WORDS, Match, opened, positions

LIST = WORDS.playable(10)
VOWELS = frozenset("AEIOUY")


def allowed(game: Game[Any, Any], state: State[Any], seat: int, ctx: Context, moves: Iterable[Any]) -> dict[str, int]:
    """Notation -> points of those that the rules admit."""
    found: dict[str, int] = {}
    for move in moves:
        try:
            step = game.apply_move(state, seat, move, ctx)
        except PlayerError:
            continue
        found[game.format_move(step.played)] = step.points
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
    now = {Snake((HeadExtension(head, ()),)) for head in range(1, len(state.public.tips) + 1)}
    while now:
        longer: dict[str, Snake] = {}
        for move in now:
            left = sorted((Counter(hand) - Counter(move.tiles)).elements())
            items = {(tile,) for tile in left} | set(permutations(left, 2))
            heads = len(state.public.tips) + sum(len(item) == 2 for part in move.parts for item in part.items)
            ways = [*move.parts[:-1], move.parts[-1]]
            for item in items:
                grown = HeadExtension(ways[-1].head, (*ways[-1].items, item))
                tried = [Snake((*ways[:-1], grown))]
                if move.tiles:
                    tried += [
                        Snake((*ways, HeadExtension(head, (item,)))) for head in range(ways[-1].head + 1, heads + 1)
                    ]
                for one in tried:
                    if good := allowed(game, state, seat, ctx, [one]):
                        found |= good
                        longer[game.format_move(one)] = one
        now = set(longer.values())
    return found


def crossings(state: State[Any], seat: int) -> Iterator[TypdomTurn]:
    """A word over each tile that lies, or over the first square of an empty table."""
    table, rack = state.public.table, Counter(state.hand(seat))
    squares = {square: table.get_letter(square) for square in table.squares} or {table.start: ""}
    for square, letter in squares.items():
        for direction in ("w", "s"):
            for word in LIST:
                if (Counter(word) - rack - Counter(squares.values())) and letter:
                    continue
                for at, other in enumerate(word):
                    first = square - at * table.get_step(direction)
                    if letter in ("", other) and first >= 0:
                        yield TypdomTurn((Placement(get_square_name(first, table.size), direction, word),))  # type: ignore[arg-type]


def announcements(state: State[Any], seat: int) -> Iterator[Announce]:
    """One tile, or two, at either end of the fragment, with each word that could come of it."""
    table, running = state.public.table, state.public.running
    if running is None:
        return
    text, rack = table.get_run_text(running.run), sorted(set(state.hand(seat)))
    for one in rack:
        for side, grown in (("front", one + text), ("back", text + one)):
            words = [word for word in LIST if grown in word]
            yield from (Announce((RechtTile(one, side),), word) for word in words)
            yield Announce((RechtTile(one, side),), goes_on=True)
            for two in rack:
                for end, more in (("front", two + grown), ("back", grown + two)):
                    fitting = [word for word in LIST if more in word]
                    yield from (Announce((RechtTile(one, side), RechtTile(two, end)), word) for word in fitting)


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
            yield build_crossword(dict(zip(sorted(shape), tiles, strict=True)))


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


# ---- beside what a survey finds ----


Position = tuple[Match, State[Any], int]
LARGEST = {"domijongg": 7}
"""Tiles on the rack: penalty tiles make hands of which there are millions of turns."""
EVERYDAY = {"presto": 30, "kreuzwort": 10, "point": 10}
"""Positions that the gate looks at; of the other games a hundred."""
SECOND = " + "
"""Between two words of one turn."""


@dataclass
class Seen:
    """Of a game."""

    positions: int = 0
    """In which what was found was compared with everything that can be tried."""
    turns: int = 0
    """That were tried and possible."""
    left: int = 0
    """Positions of which the survey says itself that it has not searched everything; they do not count."""
    seconds: float = 0.0
    """Of CPU."""


def compare(key: str, wanted: int, part: int = 0, parts: int = 1) -> Seen:
    """So many positions of a game, of every ``parts``-th pair of matches. Raises AssertionError where they differ."""
    seen, began = Seen(), process_time()
    for match, state, seat in _offered(key, part, parts):
        if seen.positions == wanted:
            break
        found = survey_position(match.game, state, seat, match.ctx)
        if found.scope == "some" and key not in BOUNDED:
            seen.left += 1
            continue
        seen.turns += BOUNDED[key](match, state, seat, found) if key in BOUNDED else same(match, state, seat, found)
        seen.positions += 1
    seen.seconds = process_time() - began
    assert seen.positions == wanted
    return seen


def _offered(key: str, part: int, parts: int) -> Iterator[Position]:
    if key == "presto":
        return _four_tiles(part, parts)
    return positions(key, 10**9, LARGEST.get(key, 99), part=part, parts=parts)


def same(match: Match, state: State[Any], seat: int, found: Survey) -> int:
    """A survey of all turns, or of those of one word: there are no others, none is missing, each has its worth. Returns
    how many there are."""
    tried, listed = every(match.game, state, seat, match.ctx), dict(found.found)
    assert found.best_worth == max(listed.values(), default=0)
    if match.game.key == "kreuzwort":
        tried = {turn: rest(laid(match, state, seat, turn)) for turn in tried}
    if found.scope == "single":
        listed = {turn: worth for turn, worth in listed.items() if SECOND not in turn}
    assert listed == tried
    assert found.best_worth >= max(tried.values(), default=0)
    return len(tried)


def laid(match: Match, state: State[Any], seat: int, turn: str) -> list[str]:
    """The tiles that a turn takes from the rack, as the table shows them."""
    game: Any = match.game
    step = game.apply_move(state, seat, game.parse_move(turn, view_for(state, seat)), match.ctx)
    after = step.state.past[-1] if len(step.state.past) > len(state.past) else step.state
    now, before = (Counter(game.list_table_tiles(one.public)) for one in (after, state))
    return list((now - before).elements())


def announced(match: Match, state: State[Any], seat: int, found: Survey) -> int:
    """Wer behält recht?: no announcement lays more than the best that was found, and what was found is possible."""
    assert found.scope == "some"
    view, tried = view_for(state, seat), every(match.game, state, seat, match.ctx)
    for turn in tried:
        assert rest(tile.letter for tile in match.game.parse_move(turn, view).tiles) <= found.best_worth
    for turn, worth in found.found[:: max(1, len(found.found) // 5)]:
        match.game.apply_move(state, seat, match.game.parse_move(turn, view), match.ctx)
        assert worth <= 20
    return len(tried)


def crossword(match: Match, state: State[Any], seat: int, found: Survey) -> int:
    """Presto: a crossword of all tiles is found where there is one."""
    assert found.scope == "some"
    tried = every(match.game, state, seat, match.ctx)
    assert bool(found.found) == bool(tried)
    return len(tried)


BOUNDED = {"recht": announced, "presto": crossword}
"""Games in which no survey searches everything, and what holds there all the same."""


def _four_tiles(part: int, parts: int) -> Iterator[Position]:
    """Racks of Presto that are small enough to try every crossword."""
    for seed in range(part, 10**6, parts):
        game, options, ctx = opened("presto", seed)
        tiles = ctx.shuffle("round1", [*"AEIOUSTNRDHM"])[:8]
        state = game.setup(2, options, ctx, {"racks": [list(tiles[:4]), list(tiles[4:])]}).state
        yield Match(game, options.pace, ctx, [], [], []), state, 0


# ---- the command ----


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--positions", type=int, default=1000)
    asked.add_argument("--game", action="append", choices=sorted(OWN))
    asked.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = asked.parse_args()
    print("| game | positions | turns tried | left out: not all searched | seconds of CPU |")
    print("|---|---|---|---|---|", flush=True)
    with ProcessPoolExecutor(given.workers) as pool:
        for key in given.game or sorted(OWN):
            count = given.workers
            shares = [given.positions // count + (part < given.positions % count) for part in range(count)]
            done = list(pool.map(compare, [key] * count, shares, range(count), [count] * count))
            told = [sum(getattr(one, what) for one in done) for what in ("positions", "turns", "left", "seconds")]
            print(f"| {key} | {told[0]:,} | {told[1]:,} | {told[2]:,} | {told[3]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
