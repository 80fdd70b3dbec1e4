"""What a club costs: a mail, a match, a tick with nothing to do, and what of it is kept. The figures of
docs/run/workers.md.

Everything on SQLite, from and to Maildir folders, with 20 matches of two players and 30 orders each. The floor: the
same mails parsed, and the same answers written, with no game at all.
"""

from __future__ import annotations

import email
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import col, select

from bench.process import Cost
from bench.process import run as measured
from moderator.common.mails import Ready, Sent
from moderator.mail.maildir import MaildirSender, deliver_to_maildir
from moderator.run.tick import run_tick
from moderator.service.create import create_match, get_player
from moderator.service.match.start import start_match
from moderator.store.tables import OutboxBody, OutboxRow, PlayerRow
from tests.club.club import Club, make_club
from tests.postgres.season import SETTINGS, Season, prepare
from tests.servers import postgres

MATCHES, ORDERS = 20, 30
DEALT = 100
AT_ONCE = 300
"""Mails in one tick, to see its memory."""
MAILS_A_DAY, SHARE = 1, 0.25
"""Per match; how much of one core may be busy with it."""


@dataclass(frozen=True)
class Played:
    """What a season has cost."""

    sent: int
    cpu: float
    """Seconds."""
    floor: float
    kept: float
    """Bytes."""


def run() -> None:
    os.environ.pop(postgres.VARIABLE, None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"  a match dealt                {_dealt(folder / 'dealt') * 1000:8.1f} ms CPU")
        for board in ("text", "png"):
            found, mails = _played(folder / board, board), MATCHES * ORDERS
            a_day = SHARE * 86_400 / (found.cpu / mails)
            print(f"  boards as {board}: {mails} mails in, {found.sent} out")
            print(f"    a mail, with its answers   {found.cpu / mails * 1000:8.1f} ms CPU")
            print(f"    the same with no game      {found.floor / mails * 1000:8.1f} ms CPU")
            print(f"    ratio                      {found.cpu / found.floor:8.1f}")
            print(f"    a stored match             {found.kept / MATCHES / 1000:8.0f} kB, {ORDERS} moves")
            print(f"    a quarter of one core      {a_day:8.0f} mails a day, so many matches at a move a day")
        for title, cost in (("nothing to do", _idle(folder / "idle")), (f"{AT_ONCE} mails", _busy(folder / "busy"))):
            print(f"  a tick with {title:<16} {cost.cpu * 1000:8.0f} ms CPU, {cost.rss:.0f} MiB")
        for store, cost in _idle_on_postgres(folder / "there"):
            print(f"  a tick with nothing to do on {store} {cost.cpu * 1000:.0f} ms CPU, {cost.rss:.0f} MiB")


def _dealt(folder: Path) -> float:
    """Seconds of CPU for a match, from its row to its two starting mails in the outbox."""
    club = make_club(folder, SETTINGS)
    club.players("Anna", "Bert")
    with club.work() as work:
        players = [get_player(work.session, name) for name in ("Anna", "Bert")]
        start_match(work, create_match(work, "topwords", "Arratia", players, {}))  # opens the dictionary
        began = time.process_time()
        for number in range(DEALT):
            start_match(work, create_match(work, "topwords", f"Arratia {number}", players, {}))
        return (time.process_time() - began) / DEALT


def _played(folder: Path, board: str) -> Played:
    club = make_club(folder, SETTINGS)
    season = prepare(club, seed=1, matches=MATCHES, orders=ORDERS, mails=MATCHES * ORDERS)
    _boards(club, board)
    run_tick(club.config)
    before, cpu = _size(club), 0.0
    for number in range(ORDERS):
        for line in season.lines:
            deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), line.orders[number])
        began = time.process_time()
        summary = run_tick(club.config)
        cpu += time.process_time() - began
        if summary.handled != MATCHES or summary.troubles or summary.quarantined:
            sys.exit(f"the run was not clean: {summary}")
    with club.work() as work:
        query = (
            select(OutboxRow.id, OutboxRow.recipient, OutboxBody.raw).join(OutboxBody).where(OutboxRow.kind != "start")
        )
        rows = work.session.exec(query.order_by(col(OutboxRow.id))).all()
    sent = [Ready(number or 0, club.config.mail.address, to, raw) for number, to, raw in rows]
    return Played(len(sent), cpu, _floor(folder / "floor", season, sent), _size(club) - before)


def _boards(club: Club, board: str) -> None:
    with club.work() as work:
        for player in work.session.exec(select(PlayerRow)):
            player.board = board
            work.session.add(player)


def _size(club: Club) -> int:
    """Bytes of the database, packed."""
    with closing(sqlite3.connect(club.config.database)) as connection:
        connection.execute("VACUUM")
        pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages * size)


def _floor(folder: Path, season: Season, sent: Sequence[Ready]) -> float:
    began = time.process_time()
    for line in season.lines:
        for data in line.orders:
            email.message_from_bytes(data).get_payload(decode=True)
    MaildirSender(folder).send(sent, lambda mail: True, _complain)
    return time.process_time() - began


def _complain(sent: Sent) -> None:
    if sent.result != "sent":
        sys.exit(f"the floor's mail was not taken: {sent}")


def _command(club: Club) -> list[str]:
    return [sys.executable, "-m", "moderator", "--config", str(club.config.file), "tick"]


def _idle(folder: Path) -> Cost:
    club = make_club(folder)
    club.players("Anna", "Bert")
    run_tick(club.config)
    return min((measured(_command(club)) for _ in range(5)), key=lambda cost: cost.cpu)


def _idle_on_postgres(folder: Path) -> list[tuple[str, Cost]]:
    """Nothing where PostgreSQL is not installed."""
    if postgres.program() is None:
        return []
    with postgres.Postgres.started() as server:
        os.environ[postgres.VARIABLE] = server.url()
        try:
            return [("PostgreSQL", _idle(folder))]
        finally:
            del os.environ[postgres.VARIABLE]


def _busy(folder: Path) -> Cost:
    """A tick with many mails at once, boards as pictures."""
    club = make_club(folder, SETTINGS)
    matches = 20
    season = prepare(club, seed=1, matches=matches, orders=AT_ONCE // matches, mails=AT_ONCE)
    _boards(club, "png")
    run_tick(club.config)
    for number in range(AT_ONCE // matches):
        for line in season.lines:
            deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), line.orders[number])
    return measured(_command(club))


if __name__ == "__main__":
    run()
