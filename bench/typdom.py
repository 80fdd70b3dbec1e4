"""How fast Typ-Dom answers whether anything can be laid, with 13 tiles and both jollies on the whole dictionary.

`python -m bench.typdom` prints median, 95th percentile and maximum in milliseconds: in a process that has the
dictionary at hand, and for the first question in a fresh one. Target: at most 200 ms.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.target import at_most
from moderator.games.typdom.board import TypdomTable, lay_typdom_word
from moderator.games.typdom.search import can_lay_word, iter_typdom_placements
from moderator.games.typdom.tiles import BLACK, RED, STAR, remove_tiles_from_rack
from moderator.rules.game import Context, Words
from moderator.words.build.sources import build_lexicon
from moderator.words.dictionary import open_dictionary
from moderator.words.house_rulings import SHIPPED

GAMES = 8
HANDS = {
    "13 tiles, 2 jollies": (*"EIUOCFHLMNP", "*r", "*b"),
    "13 awkward tiles": (*"QXJCCVWKBGPFH",),
    "11 awkward, 2 jollies": (*"QXJCCVWKBGP", "*r", "*b"),
    "one tile": ("Q",),
}


def tables(words: Words, games: int) -> Iterator[TypdomTable]:
    """Tables with 2 to 9 words, from games in which every word is one of the twenty longest."""
    for seed in range(games):
        dice = random.Random(seed)
        bag = [tile for tile in RED + BLACK if not tile.startswith(STAR)]
        dice.shuffle(bag)
        hand, bag, table = tuple(bag[:13]), bag[13:], TypdomTable()
        for turn in range(9):
            found = sorted(
                iter_typdom_placements(table, hand, words), key=lambda place: (-len(place.word), place.word)
            )[:20]
            if not found:
                break
            laying = lay_typdom_word(table, dice.choice(found), hand)
            table, kept = laying.table, remove_tiles_from_rack(hand, laying.used_tiles)
            hand, bag = (*kept, *bag[: 13 - len(kept)]), bag[13 - len(kept) :]
            if turn:
                yield table


def milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def run() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_lexicon("de", ["simplemma:de"], folder)

        def opened() -> Context:
            words = open_dictionary(folder, ["de"], house=[SHIPPED], policy="typdom")
            return Context(words, lambda label, items: tuple(items))

        hand = next(iter(HANDS.values()))
        first = milliseconds(lambda: can_lay_word(TypdomTable(), hand, opened()))
        ctx = opened()
        whole = milliseconds(lambda: list(iter_typdom_placements(TypdomTable(), tuple("EIUOOCFHLMNPX"), ctx.words)))
        found = list(tables(ctx.words, GAMES))
        print(f"typdom: {len(ctx.words.playable(40)):,} words, {len(found)} tables")
        at_most("can anything be laid, first question in a process", first, 200, " ms")
        print(f"  whole dictionary made ready and one listing       {whole:9.1f} ms")
        for label, tiles in HANDS.items():
            times = [milliseconds(lambda t=table, h=tiles: can_lay_word(t, h, ctx)) for table in found]
            _print(f"can anything be laid, {label}", times)
        plain = tuple("EIUOOCFHLMNPX")
        _print(
            "all words of 13 tiles",
            [milliseconds(lambda t=t: list(iter_typdom_placements(t, plain, ctx.words))) for t in found],
        )


def _print(label: str, times: list[float]) -> None:
    high = statistics.quantiles(times, n=20)[18]
    print(f"  {label:50}{statistics.median(times):9.1f} ms   p95 {high:7.1f}   max {max(times):7.1f}")


if __name__ == "__main__":
    run()
