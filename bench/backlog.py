"""10,000 mails that wait after a week's outage, against 1,000: mails a second, each in a process of its own.

Both hold the same mixture (15 % orders in matches of their own; mistakes, questions, strangers, machines, mails of a
megabyte) in as many matches for each thousand. Boards as text: pictures take the same time however much waits. Target:
at least as many mails for a second of processor time; noise is up to 5 %.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.target import at_least
from tests.backlog.week import dealt, into_maildir
from tests.club.club import make_club

FEW, MANY = 1_000, 10_000
MATCHES_OF_A_THOUSAND, ORDERS = 5, 30
TIMES = 3
"""The few mails are measured so often, and the best counts: a short run is at the mercy of the machine."""


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        few = min(
            (_measure(Path(name) / f"few{time}", FEW) for time in range(TIMES)), key=lambda found: found["processor"]
        )
        many = _measure(Path(name) / "many", MANY)
    for count, found in ((FEW, few), (MANY, many)):
        rate = count / found["processor"]
        print(
            f"  {count:6,} mails {found['processor']:6.2f} s of processor time, {found['seconds']:6.2f} s in all,",
            end="",
        )
        print(f" {rate:5.0f} mails/s, {found['mebibytes']:4.0f} MiB at most")
    ratio = (MANY / many["processor"]) / (FEW / few["processor"])
    at_least("10,000 waiting beside 1,000, noise up to 0.05 taken off", ratio, 0.95)


def _measure(folder: Path, count: int) -> dict[str, Any]:
    club = make_club(folder)
    week = dealt(club, count * MATCHES_OF_A_THOUSAND // 1000, ORDERS, "text")
    club.now = datetime.now(UTC)
    club.tick()  # the starting mails go out before the clock runs
    into_maildir(week, count)
    command = [sys.executable, "-m", "tests.backlog.week", str(club.config.file)]
    found: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    if found["handled"] != count or found["troubles"]:
        sys.exit(f"the run was not clean: {found}")
    return found


if __name__ == "__main__":
    run()
