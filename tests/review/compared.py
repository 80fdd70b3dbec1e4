"""What a survey calls the best beside everything that can be tried (brute.py), position by position.

    python -m tests.review.brute --positions 1000                all games, on all cores; a line for each
    python -m tests.review.brute --positions 100 --game topwords

The gate looks at a share of them (``SHARE``); docs/review.md has what the command printed of all."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from time import process_time
from typing import Any

from moderator.games import OWN
from moderator.match.contract import State, view_for
from moderator.match.survey import Survey, survey
from tests.review.brute import every, rest
from tests.review.played import Match, opened, positions

Position = tuple[Match, State[Any], int]
LARGEST = {"domijongg": 7}
"""Tiles on the rack: penalty tiles make hands of which there are millions of turns."""
SHARE = {"topwords": 150, "domijongg": 100, "kreuzwort": 30, "point": 50, "recht": 80, "presto": 60}
"""Positions that the gate looks at; of the other games a thousand."""
EVERYDAY = {"presto": 30, "kreuzwort": 10, "point": 10}
"""Of the other games a hundred."""
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
        found = survey(match.game, state, seat, match.ctx)
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
    assert found.most == max(listed.values(), default=0)
    if match.game.key == "kreuzwort":
        tried = {turn: rest(laid(match, state, seat, turn)) for turn in tried}
    if found.scope == "single":
        listed = {turn: worth for turn, worth in listed.items() if SECOND not in turn}
    assert listed == tried
    assert found.most >= max(tried.values(), default=0)
    return len(tried)


def laid(match: Match, state: State[Any], seat: int, turn: str) -> list[str]:
    """The tiles that a turn takes from the rack, as the table shows them."""
    game: Any = match.game
    step = game.apply(state, seat, game.parse(turn, view_for(state, seat)), match.ctx)
    after = step.state.past[-1] if len(step.state.past) > len(state.past) else step.state
    now, before = (Counter(game.on_table(one.public)) for one in (after, state))
    return list((now - before).elements())


def announced(match: Match, state: State[Any], seat: int, found: Survey) -> int:
    """Wer behält recht?: no announcement lays more than the best that was found, and what was found is possible."""
    assert found.scope == "some"
    view, tried = view_for(state, seat), every(match.game, state, seat, match.ctx)
    for turn in tried:
        assert rest(tile.letter for tile in match.game.parse(turn, view).tiles) <= found.most
    for turn, worth in found.found[:: max(1, len(found.found) // 5)]:
        match.game.apply(state, seat, match.game.parse(turn, view), match.ctx)
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
