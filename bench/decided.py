"""One order decided and notified in memory: the processor time from its bytes to all that is to be told.

In matches of two, in pace sequential and in rounds, in one run whose matches are at hand; no file, no mail server, and
nothing is laid out. Floor, measured in turn with it: the same bytes with no game at all. Take the mail apart, write it
and a row for each of those who are told into a bare database in memory, in two transactions. Target: at most 55 times
that, which is 6 ms where nothing else runs.
"""

from __future__ import annotations

import email
import sqlite3
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from bench.target import at_most
from moderator.common.mails import RawMail
from moderator.run.context import RunContext
from moderator.run.fetch import save_mails
from moderator.run.handle import MailHandler
from tests import machine
from tests.club.memory import MemoryClub, memory_club_of

NAMES, PACES = ("Anna", "Bert"), ("sequential", "rounds")
MATCHES, ORDERS, WARM = 6, 12, 2
"""The first orders of each match only warm the process up."""
AT_MOST = 55
"""Times the floor."""


@dataclass
class Costs:
    """Seconds of processor time, one each per order."""

    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)


def run(matches: int = MATCHES, orders: int = ORDERS) -> None:
    machine.begin()
    for pace in PACES:
        with tempfile.TemporaryDirectory() as name:
            costs = measure(memory_club_of(Path(name), *NAMES), pace, matches, orders)
        ours, floor = (1000 * statistics.median(found) for found in (costs.ours, costs.floor))
        print(f"  {pace}: {len(costs.ours)} orders, {ours:.2f} ms each; no game {floor:.2f} ms")
        at_most(f"an order in memory beside no game, {pace}", ours / floor, AT_MOST)


def measure(club: MemoryClub, pace: str, matches: int, orders: int) -> Costs:
    """Play new matches and note what each order costs, and what its bytes alone do."""
    codes = [club.match(*NAMES, pace=pace) for _ in range(matches)]
    costs, bare, context = Costs(), sqlite3.connect(":memory:", isolation_level=None), club.context(club.store)
    bare.execute("CREATE TABLE mail (id INTEGER PRIMARY KEY, raw BLOB)")
    for number in range(WARM + orders):
        for code in codes:
            live = club.live(code)
            if not live.seats_to_act:
                continue
            seat = live.seats_to_act[0]
            club.order(NAMES[seat], code, seat, [*club.moves(code, seat), "passe"][0])
            club.now += timedelta(hours=1)  # one soon after another is looked at whether it is the same
            told, took = _decide(club, context, club.box.waits.pop())
            if number >= WARM:
                costs.ours.append(took)
                costs.floor.append(_pass_on(bare, told))
    bare.close()
    return costs


def _decide(club: MemoryClub, context: RunContext, mail: RawMail) -> tuple[list[bytes], float]:
    """Seconds of processor time; the mail's bytes, and one more for each of those who are told."""
    club.pages.clear()
    with club.deciding():
        began = time.process_time()
        save_mails(club.store, [mail], club.now)
        MailHandler(context, begun=False).handle_rest()
        took = time.process_time() - began
    if context.summary.quarantined or context.summary.troubles or not club.pages:
        sys.exit(f"the run was not clean: {context.summary}, {len(club.pages)} notifications")
    return [mail.data, *(b"told" for _ in club.pages)], took


def _pass_on(bare: sqlite3.Connection, rows: list[bytes]) -> float:
    began = time.process_time()
    email.message_from_bytes(rows[0]).get_payload(decode=True)
    for part in (rows[:1], rows[1:]):
        bare.execute("BEGIN")
        bare.executemany("INSERT INTO mail (raw) VALUES (?)", [(row,) for row in part])
        bare.execute("COMMIT")
    return time.process_time() - began


if __name__ == "__main__":
    run()
