"""How often a robot of »Wer behält recht?« lays nothing in its turn: by level and players.

    python -m bench.empty --matches 12 --write    empty.json and the table in docs/inside/robots.md

A turn in which a tile is bought and then another laid is not empty. Robots buy before they pass, so it is all the same
whether passing costs a tile. A row keeps the digest of the moves of its first
match. Ends with 1 where a share is above ``MOST``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.kept import print_into
from bench.robots import dictionary
from bench.target import MISSED, at_most
from moderator.common.enums import Level
from moderator.games import load_game
from moderator.rules import shuffling
from moderator.rules import table as driver
from moderator.rules.game import Context, Words
from moderator.rules.robots import choose

PLAYED = Path(__file__).with_name("empty.json")
DOCUMENT = Path(__file__).parent.parent / "docs" / "inside" / "robots.md"
SEATS = (2, 3, 4, 5)
MOST = 0.15
MOST_TURNS = 400


@dataclass(frozen=True)
class Row:
    """The matches of robots of one level."""

    level: str
    seats: int
    matches: int
    turns: int
    empty: int
    first: str
    """Digest of the moves of the first match."""


def played(level: Level, seats: int, number: int, words: Words) -> tuple[int, int, str]:
    """(turns, empty ones, digest of the moves) of one match."""
    game = load_game("recht")
    seed = hashlib.sha256(f"empty/{number}".encode()).digest()
    ctx = Context(words, shuffling.build_shuffle(shuffling.build_round_seeds(seed)))
    table, _ = driver.open_match_state(game, seats, game.options(), ctx)
    texts, turns, empty = list[str](), 0, 0
    while not table.state.over and turns < MOST_TURNS:
        text = choose.choose_robot_move(game, table.state, table.state.to_move[0], ctx, level)
        texts.append(text)
        turns += not text.startswith("kaufe")
        empty += text == "passe"
        table, _ = driver.try_order(game, table, table.state.to_move[0], text, ctx)
    return turns, empty, hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def measured(level: Level, seats: int, matches: int, words: Words) -> Row:
    """So many matches."""
    found = [played(level, seats, number, words) for number in range(matches)]
    turns, empty = sum(one[0] for one in found), sum(one[1] for one in found)
    return Row(level.value, seats, matches, turns, empty, found[0][2])


def played_rows() -> list[Row]:
    """What stands in ``PLAYED``."""
    return [Row(**values) for values in json.loads(PLAYED.read_text(encoding="utf-8"))]


def table(rows: Iterable[Row]) -> str:
    """As docs/inside/robots.md has it."""
    head = ["| level | players | matches | turns | empty |", "|---|---|---|---|---|"]
    return "\n".join(
        head
        + [f"| {row.level} | {row.seats} | {row.matches} | {row.turns} | {row.empty / row.turns:.1%} |" for row in rows]
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=12)
    parser.add_argument("--write", action="store_true", help="the table into docs/inside/robots.md")
    chosen = parser.parse_args(arguments)
    words, rows = dictionary("recht"), list[Row]()
    for level in Level:
        for seats in SEATS:
            rows.append(row := measured(level, seats, chosen.matches, words))
            at_most(f"recht, {level}, {seats} players, empty turns", row.empty / row.turns, MOST)
    if chosen.write:
        text = ",\n".join(json.dumps(asdict(row)) for row in rows)
        PLAYED.write_text(f"[\n{text}\n]\n", encoding="utf-8")
        print_into(DOCUMENT, "empty", table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.exit(1 if MISSED else 0)
