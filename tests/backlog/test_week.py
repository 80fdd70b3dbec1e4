"""Much mail at once: read in the order in which it came, in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, select

from moderator.store.models import DeferredNews, Event, Inbox, Match, Outbox
from tests.backlog.week import Week, dealt, into_maildir, mails
from tests.club.club import Club, make_club

ROOT = Path(__file__).resolve().parent.parent.parent
MOST_MEBIBYTES = 150
pytestmark = pytest.mark.machine_clock


def measured(club: Club) -> dict[str, Any]:
    """A tick of its own process."""
    command = [sys.executable, "-m", "tests.backlog.measured", str(club.config.file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def check(week: Week, count: int) -> None:
    """Everything was handled in its order, every order counted once, and nobody was mailed more than he asked for."""
    with week.club.desk() as desk:
        session = desk.session
        assert len(session.exec(select(Inbox.id).where(Inbox.state != "received")).all()) == count
        query = select(Inbox.received_at).join(Event, Event.inbox_id == Inbox.id).order_by(Event.id)
        arrivals = session.exec(query).all()
        assert arrivals == sorted(arrivals)
        for code, orders in week.orders.items():
            number = session.exec(select(Match.id).where(Match.code == code)).one()
            query = select(Event.text).where(Event.match_id == number, Event.kind != "tried").order_by(Event.n)
            log = session.exec(query).all()
            assert log == [text for _, text in orders]
        assert session.exec(select(DeferredNews)).all() == []
        told = session.exec(select(Outbox.recipient).where(Outbox.kind == "backlog")).all()
        assert len(told) == len(set(told))
        assert not session.exec(select(Outbox.id).where(col(Outbox.kind).in_(("turn", "receipt")))).all()


def a_week(folder: Path, matches: int, orders: int, board: str) -> Week:
    club = make_club(folder)
    week = dealt(club, matches, orders, board)
    club.now = datetime.now(UTC)
    club.tick()
    return week


@pytest.mark.slow
def test_in_the_order_of_arrival(tmp_path: Path) -> None:
    week = a_week(tmp_path, 4, 10, "text")
    into_maildir(week, 300)
    week.club.tick()
    check(week, 300)


@pytest.mark.servers
@pytest.mark.matrix("backlog")
def test_in_the_order_of_arrival_over_imap(tmp_path: Path, new_box: Any) -> None:
    from moderator.config import load
    from tests.servers import PASSWORD

    week = a_week(tmp_path, 2, 10, "text")
    box = new_box()
    file = week.club.config.file
    text = file.read_text().replace('transport = "maildir"', 'transport = "imap"')
    server = box.dovecot
    text += f"""[imap]
host = "{server.host}"
port = {server.imap_port}
security = "plain"
user = "{box.user}"
password = "{PASSWORD}"
[smtp]
host = "127.0.0.1"
port = 9
security = "plain"
timeout = 5
"""
    file.write_text(text)
    week.club.config = load(file)
    box.deliver(*mails(week, 150))
    week.club.tick()
    check(week, 150)


@pytest.mark.matrix("backlog")
def test_ten_thousand_mails_in_little_memory(tmp_path: Path) -> None:
    week = a_week(tmp_path, 50, 30, "png")
    into_maildir(week, 10_000)
    found = measured(week.club)
    assert found["handled"] == 10_000
    assert found["troubles"] == []
    assert found["mebibytes"] <= MOST_MEBIBYTES
    check(week, 10_000)
