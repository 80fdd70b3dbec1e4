"""A club moves in with its people: what each of 800 players takes beside each of 200.

Processor time of `MoveIn` on a folder with one players.csv, into a new club each time; medians of rounds in turn.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from bench.target import at_most
from moderator.importers.matches import MoveIn
from tests.club.club import make_club

FEW, MANY, ROUNDS = 200, 800, 5
MOST = 1.15


def run() -> None:
    found: dict[int, list[float]] = {FEW: [], MANY: []}
    move_in(FEW)  # warms the process up
    for _ in range(ROUNDS):
        for players in found:
            found[players].append(move_in(players) / players)
    few, many = (1000 * statistics.median(found[players]) for players in (FEW, MANY))
    print(f"  each of {FEW} players {few:.2f} ms, each of {MANY} players {many:.2f} ms")
    at_most(f"each of {MANY} beside each of {FEW}", many / few, MOST)


def move_in(players: int) -> float:
    """Seconds of processor time that so many players take."""
    with tempfile.TemporaryDirectory() as name:
        club, folder = make_club(Path(name) / "club"), Path(name) / "folder"
        folder.mkdir()
        people = (f"Name {chr(97 + n % 26)}{n},name{n}@home.example" for n in range(players))
        (folder / "players.csv").write_text("\n".join(["name,address", *people]), encoding="utf-8")
        began = time.process_time()
        with club.work() as work:
            moved = MoveIn(work, folder).move_in()
        took = time.process_time() - began
    assert len(moved.entered) == players
    return took


if __name__ == "__main__":
    run()
