"""Several workers on one database, of which one dies now and then: everything happens once, and nothing is left."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from sqlmodel import Session, col, func, select

from moderator.backup.backup import reading
from moderator.backup.integrity import Looked, examine
from moderator.store.db import open_store
from moderator.store.models import Event, Inbox, Letter, Match, Outbox, Press, Seen
from tests.club.club import Club
from tests.postgres.season import SETTINGS, Season, prepare

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300
MAILS, KILLS = 40, 3
pytestmark = pytest.mark.machine_clock


@pytest.mark.matrix("workers killed", seconds=6)
@pytest.mark.parametrize("seed", range(1, 61))
def test_everything_happens_once(new_club: Callable[..., Club], tmp_path: Path, seed: int) -> None:
    club, workers = new_club(SETTINGS), 2 + seed % 3
    season = prepare(club, seed, matches=4, orders=5, mails=MAILS, late=3)
    sent = tmp_path / "sent"
    killed = herd(season, seed, workers, KILLS, sent)
    if free(club):
        herd(season, seed, workers, 0, sent)
    troubles = Path(f"{sent}.err")
    assert not troubles.exists(), troubles.read_text(encoding="utf-8")
    assert season.mails == MAILS
    with reading(club.config) as session:
        nothing_waits(session, MAILS)
        orders_count_once(session, season)
        answers_are_made_once(session, season)
        mails_left_once(session, season, sent, killed)
        assert [str(fault) for fault in examine(session, club.config, Looked())] == []
    assert lying(club) == 0


def herd(season: Season, seed: int, workers: int, kills: int, sent: Path) -> int:
    """Let the workers do all there is to do; how many of them have died."""
    config = str(season.club.config.file)
    command = [sys.executable, "-m", "tests.postgres.season", config, str(workers), str(seed), str(kills), str(sent)]
    began = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        store = open_store(season.club.config.database)
        while True:
            assert time.monotonic() - began < PATIENCE, "the workers are not getting on"
            assert process.poll() is None
            with store.transaction() as session:
                more = season.feed(session)
                if not (more or left(session, dying=bool(kills)) or lying(season.club)):
                    break
            time.sleep(0.1)
        store.close()
        out, _ = process.communicate()
    assert process.returncode == 0
    return int(out)


def left(session: Session, dying: bool) -> int:
    """How much is still to be done; where workers are ``dying``, but for mails that one may have been sending."""
    waiting = session.exec(select(func.count()).where(Inbox.state == "received")).one()
    states = ("queued",) if dying else ("queued", "sending")
    unsent = session.exec(select(func.count()).where(col(Outbox.state).in_(states))).one()
    return waiting + unsent + session.exec(select(func.count()).where(col(Seen.filed).is_(False))).one()


def free(club: Club) -> bool:
    """All workers have gone; what one of them was sending when it died can be sent by another when its lease is over.
    That time is not waited for. Whether there is any such mail."""
    with club.desk() as desk:
        rows = desk.session.exec(select(Outbox).where(Outbox.state == "sending")).all()
        for row in rows:
            row.next_at = row.created_at
            desk.session.add(row)
        return bool(rows)


def lying(club: Club) -> int:
    """Mails in the mailbox."""
    inbox = club.config.path(club.config.maildir.inbox)
    return sum(len(os.listdir(inbox / part)) for part in ("new", "cur"))


def nothing_waits(session: Session, mails: int) -> None:
    states = Counter(session.exec(select(Inbox.state)).all())
    kept = session.exec(select(Inbox.note).where(Inbox.state == "quarantine")).all()
    assert states.keys() <= {"done", "unknown", "machine", "confirm"}, (states, kept)
    assert states.total() == mails


def orders_count_once(session: Session, season: Season) -> None:
    moves = session.exec(select(Event.match_id, Event.inbox_id, Event.text).where(Event.kind == "move")).all()
    assert len({inbox for _, inbox, _ in moves}) == len(moves) == season.orders
    expected = Counter({line.match: len(line.orders) for line in season.lines})
    assert Counter(match for match, _, _ in moves) == expected
    for number in season.late:
        missed = session.exec(select(Event.kind).where(Event.match_id == number)).all()
        assert len(missed) == 1, missed
        assert session.get_one(Match, number).entries == 1


def answers_are_made_once(session: Session, season: Season) -> None:
    rows = session.exec(select(Outbox.inbox_id, Outbox.recipient, Outbox.kind, Outbox.match_id)).all()
    answers = Counter(row for row in rows if row[0] is not None)
    assert [row for row, count in answers.items() if count > 1] == []
    assert session.exec(select(func.count()).select_from(Press)).one() == season.press


def mails_left_once(session: Session, season: Season, sent: Path, killed: int) -> None:
    """All that was made went out; twice only what was under way when a worker died, and then it was the same."""
    assert set(session.exec(select(Outbox.state)).all()) == {"sent"}
    rows = session.exec(select(Outbox.id, Letter.raw).join(Letter).where(col(Outbox.id) > season.before)).all()
    accepted = Counter(sent.read_text().splitlines())
    assert accepted.keys() == {f"{number} {sha256(raw).hexdigest()}" for number, raw in rows}
    assert accepted.total() - len(accepted) <= killed
