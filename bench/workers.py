"""Several workers on one PostgreSQL, against one worker; and one worker there against one on SQLite.

The mails wait in the database; what they lead to is handed to a sender that takes everything at once. Targets: four
workers handle at least 1.6 times as many mails a second as one, on two cores. The floor is what as many processes that
have nothing in common do more than one: two cores share memory and heat, and are seldom worth two.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlmodel import func, select

from bench.target import at_least
from moderator.common.mails import RawMail
from moderator.run.fetch import save_mails
from moderator.store.database import Store, open_store
from moderator.store.tables import EventRow, InboxRow, OutboxRow
from tests.club.club import START, make_club
from tests.postgres.season import SETTINGS, prepare
from tests.servers import postgres

MATCHES, ORDERS, WARM = 100, 8, 2
"""The first orders of each match only warm the workers up."""
WORKERS = 4
PAIRS = 3
COUNTING = """
import json, time
row, rounds, end = {str(n): [n, str(n)] for n in range(2000)}, 0, time.perf_counter() + 3
while time.perf_counter() < end:
    row, rounds = json.loads(json.dumps(row)), rounds + 1
print(rounds)
"""


def run(pairs: int = PAIRS) -> None:
    with tempfile.TemporaryDirectory() as name, postgres.Postgres.started(safe=True) as server:
        speeds: dict[tuple[str, int], list[float]] = {}
        floors = []
        for number in range(pairs):
            floors.append(_apart(WORKERS) / _apart(1))
            for url, workers in (("", 1), (server.url(), 1), (server.url(), WORKERS)):
                speed = _speed(Path(name) / f"{number}.{bool(url)}.{workers}", url, workers)
                speeds.setdefault(("PostgreSQL" if url else "SQLite", workers), []).append(speed)
    medians = {key: statistics.median(found) for key, found in speeds.items()}
    for (store, workers), speed in medians.items():
        print(f"  {store:<10} {workers} {'worker ' if workers == 1 else 'workers'} {speed:6.1f} mails/s")
    many, one = medians["PostgreSQL", WORKERS], medians["PostgreSQL", 1]
    at_least(f"{WORKERS} workers beside one, on {os.cpu_count()} cores", many / one, 1.6)
    print(f"  ratio of {WORKERS} processes with nothing in common to 1  {statistics.median(floors):.2f}")
    print(f"  PostgreSQL to SQLite, one worker each  {one / medians['SQLite', 1]:.2f}")


def _apart(processes: int) -> int:
    """What so many processes get done in three seconds when each minds its own business."""
    command = [sys.executable, "-c", COUNTING]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    return sum(int(process.communicate()[0]) for process in running)


def _speed(folder: Path, url: str, workers: int) -> float:
    """Mails handled a second, from when they were there until the last mail that they led to was sent."""
    os.environ.pop(postgres.VARIABLE, None)
    if url:
        os.environ[postgres.VARIABLE] = url
    club = make_club(folder, SETTINGS)
    season = prepare(club, seed=1, matches=MATCHES, orders=ORDERS, mails=MATCHES * ORDERS)
    mails = [
        RawMail(f"pipe:{n}.{line.match}", line.orders[n], START + timedelta(seconds=n), len(line.orders[n]))
        for n in range(ORDERS)
        for line in season.lines
    ]
    warm = MATCHES * WARM
    store = open_store(club.config.database)
    try:
        with _herd(club.config.file, workers, folder / "sent"):
            save_mails(store, mails[:warm], datetime.now(UTC))
            _wait(store, warm)
            began = datetime.now(UTC)
            save_mails(store, mails[warm:], began)
            _wait(store, len(mails))
        with store.begin_transaction() as session:
            moves = session.exec(select(func.count()).where(EventRow.kind == "move")).one()
            ended = session.exec(select(func.max(OutboxRow.sent_at))).one()
    finally:
        store.close()
    if moves != len(mails) or ended is None:
        sys.exit(f"the run was not clean: {moves} moves of {len(mails)} orders")
    return (len(mails) - warm) / (ended - began).total_seconds()


@contextmanager
def _herd(config: Path, workers: int, sent: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "tests.postgres.season", str(config), str(workers), "1", "0", str(sent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield
        process.communicate()
    troubles = Path(f"{sent}.err")
    if troubles.exists():
        sys.exit(f"the run was not clean: {troubles.read_text(encoding='utf-8')}")


def _wait(store: Store, mails: int) -> None:
    """Until so many mails are handled and all that they led to has left."""
    while True:
        with store.begin_transaction() as session:
            handled = session.exec(select(func.count()).where(InboxRow.state != "received")).one()
            unsent = session.exec(select(func.count()).where(OutboxRow.state != "sent")).one()
        if handled >= mails and not unsent:
            return
        time.sleep(0.2)


if __name__ == "__main__":
    run()
