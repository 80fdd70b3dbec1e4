"""SIGKILL at every step of a tick, over real servers: no order lost or applied twice, no mail lost, and a mail
repeated only in the one window that cannot be closed (accepted by the server, not yet recorded), as the same mail.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.cli.session import opened
from moderator.desk.live import rebuild
from moderator.store.models import Event, Match, Outbox, Seat
from tests.e2e.server_club import ServerClub, make_server_club
from tests.e2e.test_real_servers import eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

pytestmark = pytest.mark.servers
ROOT = Path(__file__).resolve().parents[2]
STRIPES = 8
SAMPLE = (3, 17, 31, 45, 59, 73)
"""Steps that the everyday run tries; all of them are tried with MODERATOR_SLOW=1."""


class Killer:
    """The process that runs ticks and lets them die, see killer.py."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.e2e.killer"]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, club: ServerClub, fatal: int, later: int, log: Path) -> int:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([str(club.file), fatal, later, str(log)]) + "\n")
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        error = Path(f"{log}.err")
        assert status in (0, -signal.SIGKILL), error.read_text() if error.exists() else status
        return status


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    made = Killer()
    with made.process:  # at the end its pipes are closed, which ends it
        yield made


def prepared(folder: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> ServerClub:
    """A match whose start mails are queued, and the first order, a pass and a wish for help, in the mailbox."""
    folder.mkdir()
    club = make_server_club(folder, dovecot, postfix, new_box)
    code = club.start(["Anna", "Bert"])
    with opened(club.file) as desk:
        token = desk.session.exec(select(Seat.token).where(Seat.number == 0)).one()
    sender = club.players["Anna"].address
    head = f"From: Anna <{sender}>\r\nTo: {club.box.address}\r\nSubject: [{code}-{token}]\r\n"
    club.box.deliver(f"{head}Message-ID: <1@home.example>\r\n\r\npasse\r\n".encode())
    club.box.deliver(f"{head}Message-ID: <2@home.example>\r\n\r\nHILFE\r\n".encode())
    return club


def die_and_recover(killer: Killer, club: ServerClub, fatal: int, folder: Path) -> list[str]:
    """The steps up to the one at which it died; [] when the run ended before that step."""
    log = folder / "steps"
    if killer.run(club, fatal, 0, log) == 0:
        return []
    killer.run(club, 0, 1900, folder / "recovery")
    killer.run(club, 0, 3800, folder / "recovery")
    return log.read_text().splitlines()


def check(club: ServerClub, steps: list[str]) -> None:
    """Everything happened, and exactly once."""
    died = f"at step {len(steps)}, {steps[-1]}"
    with opened(club.file) as desk:
        events = desk.session.exec(select(Event.kind, Event.text)).all()
        assert events == [("move", "passe")], died
        rows = desk.session.exec(select(Outbox)).all()
        assert [row.state for row in rows] == ["sent"] * len(rows), died
        assert Counter(row.kind for row in rows) == {"start": 2, "turn": 2, "help": 1}, died
        rebuild(desk.session, desk.session.exec(select(Match)).one(), desk.config.deadlines)
        expected = {name: {r.message_id for r in rows if r.recipient == club.players[name].address} for name in NAMES}
    assert club.box.folder("INBOX") == [], died
    assert len(club.box.folder("Processed")) == 2, died
    repeated = 0
    for name in NAMES:
        assert eventually(lambda name=name: ids(club, name).keys() >= expected[name]), died  # type: ignore[misc]
        found = ids(club, name)
        assert found.keys() == expected[name], died
        repeated += sum(found.values()) - len(found)
    handed_over = steps.count("before SMTP DATA") - steps.count("recorded")
    assert repeated <= handed_over, f"{repeated} repeated, {handed_over} under way when it died {died}"


NAMES = ("Anna", "Bert")


def ids(club: ServerClub, name: str) -> Counter[str]:
    return Counter(str(mail["Message-ID"]) for mail in club.inbox(name))


@pytest.mark.parametrize("fatal", SAMPLE)
def test_some_steps(
    fatal: int, tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box], killer: Killer
) -> None:
    club = prepared(tmp_path / "club", dovecot, postfix, new_box)
    steps = die_and_recover(killer, club, fatal, tmp_path)
    assert steps, f"a tick has fewer than {fatal} steps"
    check(club, steps)


@pytest.mark.slow
@pytest.mark.parametrize("stripe", range(1, STRIPES + 1))
def test_every_step(
    stripe: int, tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box], killer: Killer
) -> None:
    tried = 0
    for fatal in itertools.count(stripe, STRIPES):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        club = prepared(folder / "club", dovecot, postfix, new_box)
        steps = die_and_recover(killer, club, fatal, folder)
        if not steps:
            break
        check(club, steps)
        tried += 1
    assert tried >= 7, "at least 60 steps in all stripes together"
    if note := os.environ.get("MODERATOR_KILL_LOG"):
        with Path(note).open("a") as stream:
            stream.write(f"stripe {stripe}: {tried} steps\n")
