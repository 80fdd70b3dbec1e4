"""How strong the robots are: each level against the one below it, and a beginner against a player by lot, on deals that
are played twice with seats exchanged.

    python -m bench.robots --game dominos --upper strong --deals 400
    python -m bench.robots --deals 400            every game and all pairs; goes on where it was stopped
    python -m bench.robots --deals 0 --write      no new deal: robots.json and the table in docs/inside/robots.md

A deal is a match, but where a strong robot plays a tile game, a round. It is won by the level that has more points in
both its plays together; equal ones are half a deal for each. A player by lot takes any legal move of those that the
game lists first, or passes where one may; each is as likely. With the share stands the interval that holds the true one
with a probability of 95 % (Wilson). Ends with 1 where a share is below ``GOAL`` or a move took too long.

Each deal is kept in ``KEPT`` as soon as it was played. A deal that is kept counts only for robots that play as they did
then: the first that is kept of a pair is played again, and if other moves come out, all of that pair are set aside.
What came of them stands in ``PLAYED``, a row for each pair, which is in the repository; the table is made of that. A
row keeps the digest of its first deal, so that it can be seen whether the robots of today are those that it tells of.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from bench.kept import OUT, Kept, print_into
from bench.shares import Share
from bench.target import MISSED, at_least, at_most
from bench.topwords import ListedWords, german_words
from moderator.common.enums import Level
from moderator.games import REGISTRY, load_game
from moderator.rules import shuffling
from moderator.rules import table as driver
from moderator.rules.robots import choose
from moderator.rules.state import Context, Words, view_for
from moderator.rules.words import AnyWords

PLAYED = Path(__file__).with_name("robots.json")
DOCUMENT = Path(__file__).parent.parent / "docs" / "inside" / "robots.md"
WORDS = 60_000
LOT = "lot"
Player = Level | Literal["lot"]
PAIRS: tuple[tuple[Level, Player], ...] = (
    (Level.BEGINNER, LOT),
    (Level.CLUB, Level.BEGINNER),
    (Level.STRONG, Level.CLUB),
)
LISTED = 2500
"""Moves that a player by lot chooses among, at most."""
MOST_TURNS = 1000
"""Of a match; one that goes on counts as it stands."""
SOME = 60
"""Deals of each pair that `python -m bench robots` plays."""
GOAL = {LOT: 0.65, Level.BEGINNER: 0.6, Level.CLUB: 0.6}
"""The share that is to be won of each lower player."""
FLOOR = 2_000_000
"""Numbers that are added up one by one: bare Python, about a twentieth of a second."""
LONGEST = {Level.BEGINNER: 20.0, Level.CLUB: 20.0, Level.STRONG: 100.0}
"""Floors of the same run that a move may take: one second, and five, where a floor is a twentieth."""


@dataclass(frozen=True)
class Deal:
    """One deal, played twice."""

    game: str
    upper: str
    lower: str
    number: int
    ahead: int
    """Points by which the upper level was ahead in both plays together."""
    moves: str
    """Digest of all moves: robots that play otherwise have another."""
    longest: dict[str, float]
    """By level, the longest move, in floors of its run."""


KEPT = Kept(Deal, OUT / "robots")


@dataclass(frozen=True)
class Row:
    """What came of the deals of a game and a pair of levels."""

    game: str
    upper: str
    lower: str
    won: int
    equal: int
    lost: int
    ahead: float
    """Points by which the upper level was ahead, in a play."""
    longest: float
    """The longest move of the upper level, 1 = what it may take."""
    first: str
    """``Deal.moves`` of the first deal."""

    @property
    def share(self) -> Share:
        return Share(self.won, self.equal, self.lost)


def floor() -> float:
    """Seconds of the processor that ``FLOOR`` takes, the least of five."""
    spent = []
    for _ in range(5):
        began = time.process_time()
        sum(1 for _ in range(FLOOR))
        spent.append(time.process_time() - began)
    return min(spent)


def played(
    game: Any, levels: tuple[Player, Player], number: int, words: Words, told: list[tuple[Player, str, float]]
) -> tuple[int, ...]:
    """The scores of one deal between robots. ``told`` gets each move with its seconds of the processor."""
    round_only = Level.STRONG in levels and not game.uses_words
    dice = random.Random(f"lot/{number}/{levels.index(LOT) if LOT in levels else ''}")
    seed = hashlib.sha256(f"robots/{number}".encode()).digest()
    ctx = Context(words, shuffling.build_shuffle(shuffling.build_round_seeds(seed)))
    table, _ = driver.open_match_state(game, 2, game.options(), ctx)
    round, turns = table.state.public.round, 0
    while not table.state.over and turns < MOST_TURNS:
        if round_only and table.state.public.round != round:
            return table.state.past[-1].scores  # without what the next deal begins with
        seat = table.state.to_move[0]
        began = time.process_time()
        level = levels[seat]
        text = (
            by_lot(game, table.state, seat, ctx, dice)
            if level == LOT
            else choose.choose_robot_move(game, table.state, seat, ctx, level)
        )
        told.append((levels[seat], text, time.process_time() - began))
        entries, before = table.entries, table.state
        table, _ = driver.try_order(game, table, seat, text, ctx) if text else (table, None)
        if table.state is before:
            table, _ = driver.miss_seat(game, table, seat, ctx)
        turns += table.entries > entries
    return table.state.scores


def by_lot(game: Any, state: Any, seat: int, ctx: Context, dice: random.Random) -> str:
    """Any move; "" where there is none."""
    found = [game.format_move(move) for move, _ in islice(game.list_moves(view_for(state, seat), ctx), LISTED)]
    if passed := game.pass_text:
        found.append(passed)
    return dice.choice(found) if found else ""


def deal(key: str, upper: Level, lower: Player, number: int, words: Words, floor: float) -> Deal:
    """A deal with both seatings."""
    game, told = load_game(key), list[tuple[Player, str, float]]()
    one = played(game, (upper, lower), number, words, told)
    two = played(game, (lower, upper), number, words, told)
    longest: dict[str, float] = defaultdict(float)
    for level, _, seconds in told:
        longest[str(level)] = max(longest[str(level)], round(seconds / floor, 3))
    moves = hashlib.sha256("\n".join(text for _, text, _ in told).encode()).hexdigest()[:16]
    return Deal(key, str(upper), str(lower), number, one[0] - one[1] + two[1] - two[0], moves, dict(longest))


def dictionary(key: str) -> Words:
    """For games of words a fixed sample of German forms."""
    return ListedWords(german_words(WORDS)) if load_game(key).uses_words else AnyWords()


# ---- what is kept ----


def kept(key: str, upper: Level, lower: Player) -> list[Deal]:
    """The deals of a game and a pair of levels, by their numbers."""
    found = [one for one in KEPT.all(key) if (one.upper, one.lower) == (str(upper), str(lower))]
    return sorted(found, key=lambda one: one.number)


def duel(key: str, upper: Level, lower: Player, deals: int, words: Words, floor: float) -> list[Deal]:
    """``deals`` deals: those that are kept and still true, and new ones."""
    pair = f"{key}, {upper} – {lower}"
    return KEPT.upto(
        key, kept(key, upper, lower), deals, lambda number: deal(key, upper, lower, number, words, floor), "moves", pair
    )


# ---- what is said of it ----


def share(deals: Iterable[Deal]) -> Share:
    """Deals won, equal and lost by the upper level."""
    ahead = [one.ahead for one in deals]
    won, lost = sum(points > 0 for points in ahead), sum(points < 0 for points in ahead)
    return Share(won, len(ahead) - won - lost, lost)


def row(key: str, upper: Level, lower: Player, deals: list[Deal]) -> Row:
    """Of at least one deal."""
    found = share(deals)
    mean = sum(one.ahead for one in deals) / len(deals) / 2
    longest = max(one.longest[upper.value] for one in deals) / LONGEST[upper]
    points = round(mean, 1), round(longest, 2)
    return Row(key, str(upper), str(lower), found.won, found.equal, found.lost, *points, deals[0].moves)


def line(row: Row) -> str:
    """A row of the table."""
    found = row.share
    low, high = found.interval()
    return (
        f"| {row.game} | {row.upper} – {row.lower} | {found.played} | {row.won}, {row.equal}, {row.lost} "
        f"| {found.value:.1%} | {low:.1%} to {high:.1%} | {row.ahead:+.1f} | {row.longest:.2f} |"
    )


def played_rows() -> list[Row]:
    """What stands in ``PLAYED``."""
    return [Row(**values) for values in json.loads(PLAYED.read_text(encoding="utf-8"))]


def table(rows: Iterable[Row]) -> str:
    """What came of every game and all pairs, as docs/inside/robots.md has it; a pair without deals says so."""
    head = ["| game | levels | deals | won, equal, lost | share of the upper one | 95 % | points ahead in a play "
            "| longest move, of what it may take |", "|---|---|---|---|---|---|---|---|"]  # fmt: skip
    told = {(row.game, row.upper): line(row) for row in rows}
    for key in REGISTRY:
        for upper, lower in PAIRS:
            none = f"| {key} | {upper} – {lower} | 0 | not played yet | | | | |"
            head.append(told.get((key, upper.value), none))
    return "\n".join(head)


def write() -> None:
    """What is kept into ``PLAYED``, where it is as many deals as there or more, or of other robots; and the table into
    its document."""
    rows = {(row.game, row.upper): row for row in played_rows()}
    for key in REGISTRY:
        for upper, lower in PAIRS:
            deals, old = kept(key, upper, lower), rows.get((key, upper.value))
            if not deals:
                continue
            made = row(key, upper, lower, deals)
            if old is None or old.first != made.first or len(deals) >= old.share.played:
                rows[key, upper.value] = made
    text = ",\n".join(json.dumps(asdict(one)) for one in rows.values())
    PLAYED.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print_into(DOCUMENT, "robots", table(rows.values()))


def check(key: str, upper: Level, lower: Player, deals: list[Deal]) -> None:
    """Both promises beside what was found."""
    found = share(deals)
    low, high = found.interval()
    what = f"{key}, {upper} – {lower}, share of {found.played} deals ({low:.2f} to {high:.2f})"
    at_least(what, found.value, GOAL[lower])
    for level in {upper, lower} - {LOT}:
        longest = max(one.longest.get(str(level), 0.0) for one in deals)
        at_most(f"{key}, longest move of {level}", longest, LONGEST[Level(level)], " floors")


def run() -> None:
    """Some deals of Dominos, the same ones each time."""
    spent = floor()
    for upper, lower in PAIRS:
        deals = [deal("dominos", upper, lower, number, AnyWords(), spent) for number in range(SOME)]
        check("dominos", upper, lower, deals)


def main(arguments: list[str]) -> Iterator[str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=list(REGISTRY), action="append", help="every one without")
    parser.add_argument("--upper", choices=[upper.value for upper, _ in PAIRS], help="all without")
    parser.add_argument("--deals", type=int, default=400)
    parser.add_argument("--write", action="store_true", help="the table into docs/inside/robots.md")
    chosen = parser.parse_args(arguments)
    spent = floor()
    for key in chosen.game or REGISTRY:
        words = dictionary(key) if chosen.deals else AnyWords()
        for upper, lower in PAIRS:
            if chosen.upper in (None, upper.value):
                deals = duel(key, upper, lower, chosen.deals, words, spent)
                if deals:
                    yield line(row(key, upper, lower, deals))
                    check(key, upper, lower, deals)
    if chosen.write:
        write()


if __name__ == "__main__":
    for text in main(sys.argv[1:]):
        print(text, flush=True)
    sys.exit(1 if MISSED else 0)
