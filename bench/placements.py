"""All placements of Dominos, Tridom and SuperTridom, beside the geometry of the page on which tiles are laid.

`python -m bench placements` needs `node`. The page's board.js knows nothing of the Python: both read the same 96 turns
of a game, and every move with its points must be the same. The page makes a picture of each table on the way, so its
time is printed and no target. What was read is in bench/out/placements/.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from bench.target import at_least
from moderator.games import load_game
from moderator.rules import turn_data
from moderator.rules.game import State
from moderator.rules.state import view_for
from tests.site.browser.vectors import turn_of
from tests.site.browser.vectors_tiles import dominos_position, tridom_position

OUT = Path(__file__).parent / "out" / "placements"
GAMES = Path(__file__).parent.parent / "moderator" / "games"
POSITIONS = 96

Moves = dict[str, int]
"""Notation -> points."""
KINDS: dict[str, tuple[str, Callable[[random.Random], State[Any]]]] = {
    "dominos": ("dominos", dominos_position),
    "tridom": ("tridom", lambda dice: tridom_position(dice, mirrored=False)),
    "supertridom": ("tridom", lambda dice: tridom_position(dice, mirrored=True)),
}
"""Game -> folder of its page, how a random position is made."""


def ours(game: str, states: list[State[Any]]) -> list[tuple[float, Moves]]:
    """Milliseconds and moves, a position each."""
    rules, found = load_game(game), []
    for state in states:
        view, began = view_for(state, 0), time.perf_counter()
        moves = list(rules.list_moves(view, turn_data.CONTEXT))
        spent = (time.perf_counter() - began) * 1000
        found.append((spent, {rules.format_move(move): points for move, points in moves}))
    return found


def theirs(game: str, folder: str, states: list[State[Any]]) -> list[tuple[float, Moves]]:
    """The same of the page, in a process of its own."""
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "package.json").write_text('{"private": true, "type": "module"}\n', encoding="ascii")
    for name, file in (("search.js", Path(__file__).with_suffix(".mjs")), ("board.js", GAMES / folder / "board.js")):
        (OUT / name).write_bytes(file.read_bytes())
    turns = OUT / f"{game}.jsonl"
    turns.write_bytes(b"".join(json.dumps(json.loads(turn_of(state, game))).encode() + b"\n" for state in states))
    done = subprocess.run(
        ["node", "search.js", "board.js", turns.name], cwd=OUT, check=True, capture_output=True, text=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [(answer["ms"], answer["moves"]) for answer in answers]


def run() -> None:
    for game, (folder, position) in KINDS.items():
        dice = random.Random(f"placements {game}")
        states = list(islice((position(dice) for _ in iter(int, 1)), POSITIONS))
        mine, page = ours(game, states), theirs(game, folder, states)
        same = [left == right for (_, left), (_, right) in zip(mine, page, strict=True)]
        for at, equal in enumerate(same):
            if not equal:
                print(f"  position {at}: {sorted(mine[at][1].items() ^ page[at][1].items())}")
        ratio = statistics.median(ms for ms, _ in page) / statistics.median(ms for ms, _ in mine)
        print(f"  {game}: {sum(len(moves) for _, moves in mine)} moves; the page takes {ratio:.1f} × our time")
        at_least(f"{game}: positions with the same moves and points", sum(same), POSITIONS)
