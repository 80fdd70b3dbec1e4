"""Does a tick get slower when many finished matches are stored? 100 against 100,000, same work each time.

The work: read one order mail from a Maildir, play it, write two mails. Target: at most 1.05 times.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from bench.target import at_most
from moderator.run.tick import run_tick
from moderator.store.database import open_store
from moderator.store.tables import EventRow, MatchRow, OutboxRow, SeatRow
from tests.club.club import Club, make_club

RUNS = 25
FEW, MANY = 100, 100_000
EVENTS = 2
"""Log entries and sent mails per stored match; enough to make the tables large."""


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        club = make_club(Path(name))
        club.players("Anna", "Bert")
        clock = datetime.now(UTC)
        costs = {}
        stored = 0
        for count in (FEW, MANY):
            _store(club, stored, count)
            stored = count
            code = club.match("Anna", "Bert", pass_rounds=1000)
            run_tick(club.config)
            times = []
            for number in range(RUNS):
                club.order(("Anna", "Bert")[number % 2], code, number % 2, f"passe\n{clock}{number}")
                began = time.process_time()
                summary = run_tick(club.config)
                times.append(time.process_time() - began)
                assert summary.sent == 2, summary
            costs[count] = statistics.median(times)
            print(f"  {count:>7} stored matches: a tick with one order {costs[count] * 1000:6.1f} ms CPU")
    at_most("many stored matches beside few", costs[MANY] / costs[FEW], 1.05)


def _store(club: Club, have: int, want: int) -> None:
    """Add finished matches until there are ``want``."""
    store = open_store(club.config.resolve_path(club.config.store.path))
    then = datetime.now(UTC) - timedelta(days=300)
    numbers = range(have, want)
    try:
        with store.begin_transaction() as session:
            first = 1_000_000 if have == 0 else 2_000_000  # beyond what the club has made itself meanwhile
            row = {
                "game": "topwords",
                "options": {},
                "salts": [],
                "status": "finished",
                "created_at": then,
                "finished_at": then,
            }
            session.execute(
                insert(MatchRow),
                [{**row, "id": first + n, "code": f"X{n}", "name": f"Old {n}", "entries": 2} for n in numbers],
            )
            session.execute(
                insert(SeatRow),
                [
                    {"match_id": first + n, "number": seat, "player_id": seat + 1, "token": f"T{n}{seat}"}
                    for n in numbers
                    for seat in (0, 1)
                ],
            )
            session.execute(
                insert(EventRow),
                [
                    {
                        "match_id": first + n,
                        "n": e,
                        "kind": "move",
                        "seat": 0,
                        "text": "passe",
                        "outcome": {},
                        "at": then,
                    }
                    for n in numbers
                    for e in range(EVENTS)
                ],
            )
            mail = {"recipient": "anna@home.example", "kind": "turn", "state": "sent"}
            session.execute(
                insert(OutboxRow),
                [
                    {**mail, "message_id": f"<{n}.{e}@x>", "match_id": first + n, "next_at": then, "created_at": then}
                    for n in numbers
                    for e in range(EVENTS)
                ],
            )
    finally:
        store.close()


if __name__ == "__main__":
    run()
