"""How many points players leave lying in a turn by the review's own measure: by chance, robots of club and of strong.

    python -m bench.losses --game tridom --matches 200
    python -m bench.losses --matches 0 --write    no new match: losses.json and the table in docs/inside/reviews.md

prints the means as docs/inside/reviews.md has them. Each so many of the turns of a match are looked at, for they cost
most of the time. Ends with 1 where who plays better has left more.

Each match is kept (`bench.kept`), and the bench goes on where it was stopped. What is kept counts only for players and
reviews of today: the first match of a kind of player is played again, and if other moves or losses come out, all are
set aside. What came of them stands in ``PLAYED``, of which the table is made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean, stdev

from bench.kept import OUT, Kept, print_into
from bench.robots import dictionary
from bench.target import MISSED, at_least
from moderator.review.review import review_without_luck
from moderator.rules.game import Words
from moderator.rules.words import AnyWords
from tests.review.played import Player, play

GAMES = ("topwords", "dominos", "tridom", "supertridom", "domijongg", "point")
PLAYERS: tuple[Player, ...] = ("random", "greedy", "strong")
LONGEST = 12
"""Turns of a match; then it is stopped."""
EVERY = 3
"""Of so many turns one is looked at, another one in each match."""
SOME = 20
"""Matches of each that `python -m bench losses` plays, of Dominos."""
PLAYED = Path(__file__).with_name("losses.json")
DOCUMENT = Path(__file__).parent.parent / "docs" / "inside" / "reviews.md"


@dataclass(frozen=True)
class Looked:
    """One match of players of one kind, and the turns of it that were looked at."""

    game: str
    who: Player
    number: int
    losses: list[float]
    """Points left in each of these turns, by the review's measure."""
    at_once: list[int]
    """The same by points alone."""
    digest: str
    """Of the moves of the match and of the losses."""


KEPT = Kept(Looked, OUT / "losses")


@dataclass(frozen=True)
class Left:
    """What players of one kind left in a turn."""

    game: str
    who: Player
    matches: int
    mean: float
    """Of the means of the matches."""
    error: float
    """Its standard error."""
    at_once: float
    """By points alone, of all turns."""
    first: str
    """``Looked.digest`` of the first match."""


def looked(key: str, who: Player, number: int, words: Words) -> Looked:
    """Play a match, and look at its turns."""
    match = play(key, number, who=who, most=LONGEST, late=0.0, words=words)
    made = match.work
    found = [review_without_luck(made, at) for at in range(number % EVERY, len(made.turns), EVERY)]
    losses = [float(one.loss) for one in found]
    told = "\n".join([*(entry.text for entry in match.log), *(f"{loss:.6f}" for loss in losses)])
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    return Looked(key, who, number, losses, [one.left for one in found], digest)


def kept(key: str, who: Player) -> list[Looked]:
    """The matches of players of one kind, by their numbers."""
    return sorted((one for one in KEPT.all(key) if one.who == who), key=lambda one: one.number)


def many(key: str, who: Player, matches: int, words: Words) -> list[Looked]:
    """``matches`` matches: those that are kept and still true, and new ones."""
    return KEPT.upto(
        key, kept(key, who), matches, lambda number: looked(key, who, number, words), "digest", f"{key}, {who}"
    )


def left(matches: list[Looked]) -> Left:
    """Of two matches at least, all of one kind."""
    means = [fmean(one.losses) for one in matches if one.losses]
    at_once = fmean(points for one in matches for points in one.at_once)
    numbers = round(fmean(means), 4), round(stdev(means) / len(means) ** 0.5, 4), round(at_once, 4)
    return Left(matches[0].game, matches[0].who, len(matches), *numbers, matches[0].digest)


# ---- what is said of it ----


def line(key: str, found: dict[Player, Left]) -> str:
    """A row of the table."""
    told = (f"{one.mean:.2f} ± {one.error:.2f} ({one.at_once:.2f})" for one in found.values())
    matches = sorted({one.matches for one in found.values()}, reverse=True)
    return f"| {key} | {', '.join(map(str, matches))} | {' | '.join(told)} |"


def in_order(key: str, found: dict[Player, Left]) -> None:
    """Both promises: who plays better leaves less."""
    for more, less in pairwise(PLAYERS):
        at_least(f"{key}, left by {more} less left by {less}", found[more].mean - found[less].mean, 0.0)


def played_rows() -> dict[str, dict[Player, Left]]:
    """What stands in ``PLAYED``, by game and kind of player."""
    rows: dict[str, dict[Player, Left]] = {}
    for values in json.loads(PLAYED.read_text(encoding="utf-8")):
        one = Left(**values)
        rows.setdefault(one.game, {})[one.who] = one
    return rows


def table(rows: dict[str, dict[Player, Left]]) -> str:
    """As docs/inside/reviews.md has it."""
    head = ["| game | matches of each | by chance | club | strong |", "|---|---|---|---|---|"]
    return "\n".join(head + [line(key, rows[key]) for key in GAMES])


def write() -> None:
    """What is kept into ``PLAYED``, where it is as many matches as there or more, or of other players; and the table
    into its document."""
    rows = played_rows()
    for key in GAMES:
        for who in PLAYERS:
            matches, old = kept(key, who), rows.get(key, {}).get(who)
            if len(matches) < 2:
                continue
            made = left(matches)
            if old is None or old.first != made.first or made.matches >= old.matches:
                rows.setdefault(key, {})[who] = made
    text = ",\n".join(json.dumps(asdict(rows[key][who])) for key in GAMES for who in PLAYERS)
    PLAYED.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print_into(DOCUMENT, "losses", table(rows))


def run() -> None:
    """Some matches of Dominos, the same ones each time."""
    words = dictionary("dominos")
    found = {who: left([looked("dominos", who, number, words) for number in range(SOME)]) for who in PLAYERS}
    print(f"  {line('dominos', found)}")
    in_order("dominos", found)


def main(arguments: list[str]) -> Iterator[str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=GAMES, action="append", help="every one without")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="the table into docs/inside/reviews.md")
    chosen = parser.parse_args(arguments)
    for key in chosen.game or GAMES:
        words = dictionary(key) if chosen.matches else AnyWords()
        if chosen.matches:
            found = {who: left(many(key, who, chosen.matches, words)) for who in PLAYERS}
            yield line(key, found)
            in_order(key, found)
    if chosen.write:
        write()


if __name__ == "__main__":
    for text in main(sys.argv[1:]):
        print(text, flush=True)
    sys.exit(1 if MISSED else 0)
