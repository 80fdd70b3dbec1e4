"""How strong the robots are: each level against the one below it, on deals that are played twice with seats exchanged.

    python -m bench.robots --game dominos --deals 400
    python -m bench.robots --game dominos --deals 400 --upper strong --first 100

A deal is a round of the tile games and a match of the others. It is won by the level that has more points in both its
plays together; equal ones are half a deal for each. With the share stands the interval that holds the true one with a
probability of 95 % (Wilson), and the processor's time of a move: mean, and the longest.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.target import at_least, at_most
from bench.topwords import ListedWords, german_words
from moderator.games import REGISTRY, load
from moderator.match import rng, robot
from moderator.match import table as driver
from moderator.match.contract import Context, Words
from moderator.match.words import AnyWords
from moderator.states import Level

WORDS = 60_000
PAIRS = ((Level.CLUB, Level.BEGINNER), (Level.STRONG, Level.CLUB))
MOST_TURNS = 400
"""Of a match; one that goes on counts as it stands."""
SOME = 60
"""Deals of each pair that `python -m bench robots` plays."""
LONGEST = {Level.BEGINNER: 1.0, Level.CLUB: 1.0, Level.STRONG: 5.0}
"""Seconds of the processor that a move may take."""


@dataclass
class Duel:
    """What came of it: points by which the upper level was ahead, deal by deal."""

    ahead: list[int] = field(default_factory=list)
    times: dict[Level, list[float]] = field(default_factory=lambda: {level: [] for level in Level})

    @property
    def share(self) -> float:
        won = sum(1.0 if points > 0 else 0.5 if points == 0 else 0.0 for points in self.ahead)
        return won / len(self.ahead)

    def interval(self, z: float = 1.96) -> tuple[float, float]:
        """Wilson's."""
        n, p = len(self.ahead), self.share
        middle, wide = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return (middle - wide) / (1 + z * z / n), (middle + wide) / (1 + z * z / n)


def played(game: Any, levels: tuple[Level, Level], number: int, words: Words, duel: Duel) -> tuple[int, ...]:
    """The scores of one deal between robots."""
    seed = hashlib.sha256(f"robots/{number}".encode()).digest()
    ctx = Context(words, rng.shuffler(rng.round_seeds(seed)))
    table, _ = driver.open_table(game, 2, game.options(), ctx)
    round, turns = table.state.public.round, 0
    while not table.state.over and turns < MOST_TURNS:
        if not game.uses_words and table.state.public.round != round:
            return table.state.past[-1].scores  # without what the next deal begins with
        seat = table.state.to_move[0]
        began = time.process_time()
        text = robot.choose(game, table.state, seat, ctx, levels[seat])
        duel.times[levels[seat]].append(time.process_time() - began)
        entries, before = table.entries, table.state
        table, _ = driver.submit(game, table, seat, text, ctx) if text else (table, None)
        if table.state is before:
            table, _ = driver.miss(game, table, seat, ctx)
        turns += table.entries > entries
    return table.state.scores


def duels(key: str, upper: Level, lower: Level, numbers: range, words: Words) -> Duel:
    """Every deal of ``numbers`` twice."""
    game, duel = load(key), Duel()
    for number in numbers:
        one = played(game, (upper, lower), number, words, duel)
        two = played(game, (lower, upper), number, words, duel)
        duel.ahead.append(one[0] - one[1] + two[1] - two[0])
    return duel


def line(key: str, upper: Level, lower: Level, duel: Duel) -> str:
    low, high = duel.interval()
    mean = sum(duel.ahead) / len(duel.ahead) / 2
    took = duel.times[upper]
    return (
        f"| {key} | {upper.value} – {lower.value} | {len(duel.ahead)} | {duel.share:.1%} | {low:.1%} to {high:.1%} "
        f"| {mean:+.1f} | {sum(took) / len(took):.2f} s, {max(took):.2f} s |"
    )


def dictionary(key: str) -> Words:
    """For games of words a fixed sample of German forms."""
    return ListedWords(german_words(WORDS)) if load(key).uses_words else AnyWords()


def run() -> None:
    """Some deals of Dominos, the same ones each time, and the longest moves of all levels."""
    for upper, lower in PAIRS:
        duel = duels("dominos", upper, lower, range(SOME), AnyWords())
        at_least(f"dominos, {upper.value} against {lower.value}, share of {SOME} deals", duel.share, 0.5)
        for level in (upper, lower):
            at_most(f"longest move of {level.value}", max(duel.times[level]), LONGEST[level], " s")


def main() -> Iterator[str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=list(REGISTRY), required=True)
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--upper", choices=["club", "strong"], default=None)
    chosen = parser.parse_args()
    numbers = range(chosen.first, chosen.first + chosen.deals)
    for upper, lower in PAIRS:
        if chosen.upper in (None, upper.value):
            yield line(chosen.game, upper, lower, duels(chosen.game, upper, lower, numbers, dictionary(chosen.game)))


if __name__ == "__main__":
    for text in main():
        print(text, flush=True)
