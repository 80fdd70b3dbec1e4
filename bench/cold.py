"""A tick with one order in a process of its own, as cron starts it: its processor time beside loading two libraries.

The club of two has played before and has a dictionary of 300,000 words; boards as text; modules are compiled and text
files read by a run before, as on a machine that cron has run on. Floor: a Python that loads SQLAlchemy's ORM and Jinja.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bench.order import prepared
from bench.process import run as run_process
from bench.target import at_most
from tests.club.club import plain_boards

RUNS = 9
FLOOR = [sys.executable, "-c", "import sqlalchemy.orm, jinja2"]
AT_MOST = 1.5
"""Times the floor."""


def run() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as name:
        waiting, here = Path(name) / "waiting", Path(name) / "here"
        _prepare(waiting)
        ours, floor = [], []
        for _ in range(1 + RUNS):
            shutil.copytree(waiting, here)
            config = str(here / "moderator.toml")
            ours.append(run_process([sys.executable, "-m", "moderator", "--config", config, "tick"]).cpu)
            if list((here / "mail" / "in" / "new").iterdir()):
                sys.exit("the run was not clean: the order still lies in the mailbox")
            shutil.rmtree(here)
            floor.append(run_process(FLOOR).cpu)
    cold, least = statistics.median(ours[1:]), statistics.median(floor[1:])
    print(f"  a cold tick with one order {cold:.2f} s, loading SQLAlchemy and Jinja {least:.2f} s")
    at_most("a cold tick beside the floor", cold / least, AT_MOST)


def _prepare(folder: Path) -> None:
    """Leave a club in whose mailbox the third order of a match lies."""
    club = prepared(folder)
    club.now = datetime.now(UTC)
    plain_boards(club)
    code = club.match("Anna", "Bert")
    for seat, name in ((0, "Anna"), (1, "Bert"), (0, "Anna")):
        club.tick()
        club.order(name, code, seat, club.moves(code, seat)[0])


if __name__ == "__main__":
    run()
