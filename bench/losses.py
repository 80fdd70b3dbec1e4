"""How many points players leave lying in a turn by the review's own measure: by chance, robots of club and of strong.

    python -m bench.losses --game tridom --matches 200

prints the means as docs/review.md has them. Each so many of the turns of a match are looked at, for they cost most of
the time. Ends with 1 where who plays better has left more.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev

from bench.robots import dictionary
from bench.target import MISSED, at_least
from moderator.match.contract import Words
from moderator.review.review import foreseen
from tests.review.played import Player, play

GAMES = ("topwords", "dominos", "tridom", "supertridom", "domijongg", "point")
PLAYERS: tuple[Player, ...] = ("random", "greedy", "strong")
LONGEST = 12
"""Turns of a match; then it is stopped."""
EVERY = 3
"""Of so many turns one is looked at, another one in each match."""
SOME = 20
"""Matches of each that `python -m bench losses` plays, of Dominos."""


@dataclass(frozen=True)
class Left:
    """What was left in the turns of one kind of player."""

    by_match: list[float]
    """The mean of each match, in points a turn."""
    at_once: float
    """The same by points alone, of all turns."""
    turns: int

    @property
    def mean(self) -> float:
        return fmean(self.by_match)

    @property
    def error(self) -> float:
        """Its standard error."""
        return stdev(self.by_match) / len(self.by_match) ** 0.5


def left(key: str, who: Player, matches: int, words: Words) -> Left:
    """Of so many matches, each by players of one kind."""
    means, at_once = list[float](), list[int]()
    for seed in range(matches):
        made = play(key, seed, who=who, most=LONGEST, late=0.0, words=words).work
        looked = [foreseen(made, at) for at in range(seed % EVERY, len(made.turns), EVERY)]
        if looked:
            means.append(fmean(one.loss for one in looked))
            at_once += [one.left for one in looked]
    return Left(means, fmean(at_once), len(at_once))


def compared(key: str, matches: int) -> Iterator[str]:
    """A row of the table for the game, and both promises."""
    words = dictionary(key)
    found = {who: left(key, who, matches, words) for who in PLAYERS}
    told = (f"{one.mean:.2f} ± {one.error:.2f} ({one.at_once:.2f})" for one in found.values())
    yield f"| {key} | {matches} | {' | '.join(told)} |"
    for more, less in pairwise(PLAYERS):
        at_least(f"{key}, left by {more} less left by {less}", found[more].mean - found[less].mean, 0.0)


def run() -> None:
    """Some matches of Dominos, the same ones each time."""
    for line in compared("dominos", SOME):
        print(f"  {line}")


def main(arguments: list[str]) -> Iterator[str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=GAMES, action="append", help="every one without")
    parser.add_argument("--matches", type=int, default=200)
    chosen = parser.parse_args(arguments)
    for key in chosen.game or GAMES:
        yield from compared(key, chosen.matches)


if __name__ == "__main__":
    for text in main(sys.argv[1:]):
        print(text, flush=True)
    sys.exit(1 if MISSED else 0)
