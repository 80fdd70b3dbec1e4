"""Help, lists and the shell's completion, against the same of sqlite-utils.

Each in a process of its own, in turn with its floor. Needs what `pip install .[bench]` brings."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.process import paired
from bench.target import at_most
from moderator.common.clock import get_wall_time
from tests.club.club import club_of

RUNS = 9
HELP, TABLES = ("--help",), ("tables",)
MEASURED = (
    (("--help",), HELP, 1.0),
    (("match", "--help"), HELP, 1.0),
    (("match", "list"), TABLES, 1.5),
    (("player", "list"), TABLES, 1.5),
    (("today",), TABLES, 2.0),
)
"""Our command, the floor's, and how many times its CPU ours may take."""
COMPLETED = """\
import os, sys
line = f"moderator --config {sys.argv[1]} match show "
os.environ |= {"_MODERATOR_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": "5"}
sys.argv = ["moderator"]
from moderator.cli import main
main()
"""


def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        club = club_of(Path(folder) / "club", "Anna", "Bert", "Cici")
        club.now = get_wall_time()  # as it is for the processes that are measured
        for _ in range(3):
            club.start("Anna", "Bert", "Cici")
        club.tick()
        file, database = str(club.config.file), str(club.config.database)
        for words, floor, limit in MEASURED:
            ours = [sys.executable, "-m", "moderator", "--config", file, *words]
            _compare(" ".join(words), ours, floor, database, limit)
        _compare("completion", [sys.executable, "-c", COMPLETED, file], TABLES, database, 1.5)


def _compare(what: str, ours: list[str], floor: tuple[str, ...], database: str, limit: float) -> None:
    theirs = [sys.executable, "-m", "sqlite_utils", *floor, *((database,) if floor == TABLES else ())]
    cost, least = paired(ours, theirs, RUNS)
    figures = f"CPU {cost.cpu * 1000:4.0f} ms, sqlite-utils {' '.join(floor)} {least.cpu * 1000:4.0f} ms"
    print(f"  {what:<13} {figures}", flush=True)
    at_most(what, cost.cpu / least.cpu, limit)
