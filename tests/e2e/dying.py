"""Clubs that die and recover: on real servers, from one that was prepared once and is copied under new names."""

from __future__ import annotations

import os
import shutil
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlmodel import col, select

from moderator.backup.integrity import Looked, examine
from moderator.cli.session import opened
from moderator.config import load
from moderator.store.models import Event, Inbox, Outbox, Player, Seat
from tests.e2e.kill_steps import RECORDED
from tests.e2e.server_club import ServerClub, make_server_club
from tests.servers import eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

SLOW = os.environ.get("MODERATOR_SLOW") == "1"
NAMES = ("Anna", "Bert")
LEASE_ENDS = 1900
"""Seconds after which a mail that was under way when its sender died is sent again."""


def points(count: int, stripe: int, stripes: int, sample: int, every: int = 1) -> Sequence[int]:
    """The steps at which a test dies: in a slow run its share of all, or of one in ``every`` so many, else ``sample``
    of them in all."""
    tried = range(count // sample - 1, count, count // sample)
    return tried[stripe::stripes]


@dataclass(frozen=True)
class Template:
    """A club with a match whose starting mails are queued. ``mark`` is in all its names."""

    club: ServerClub
    dovecot: Dovecot
    code: str
    token: str

    def copy(self, folder: Path) -> ServerClub:
        """The same club under names of its own: all have the same length, so the bytes can be exchanged in place."""
        old, new = (mark.encode() for mark in (_mark(self.club), uuid.uuid4().hex[:8]))
        shutil.copytree(self.club.file.parent, folder)
        for name in ("moderator.toml", "moderator.sqlite"):
            file = folder / name
            file.write_bytes(file.read_bytes().replace(old, new))
        boxes = {
            name: Box(self.dovecot, box.user.replace(old.decode(), new.decode()))
            for name, box in self.club.players.items()
        }
        config = load(folder / self.club.file.name)
        return ServerClub(config, Box(self.dovecot, config.imap.user), boxes, self.club.postfix)

    def letter(self, club: ServerClub, number: int, body: str) -> bytes:
        """A mail of Anna's to her seat."""
        head = f"From: Anna <{club.players['Anna'].address}>\r\nTo: {club.box.address}\r\n"
        head += f"Subject: [{self.code}-{self.token}]\r\nMessage-ID: <{number}@home.example>\r\n"
        return f"{head}\r\n{body}\r\n".encode()


def _mark(club: ServerClub) -> str:
    return club.box.user.partition("-")[2]


def make_template(folder: Path, dovecot: Dovecot, postfix: Postfix) -> Template:
    folder.mkdir()
    club = make_server_club(folder, dovecot, postfix, lambda user: Box(dovecot, user), NAMES)
    code = club.start(NAMES)
    with opened(club.file) as desk:
        token = desk.session.exec(select(Seat.token).where(Seat.number == 0)).one()
        for player in desk.session.exec(select(Player)):
            player.board = "text"
            desk.session.add(player)
    return Template(club, dovecot, code, token)


def check(club: ServerClub, steps: Sequence[str], mails: dict[str, int], filed: int) -> None:
    """Everything happened, and exactly once: a pass was played, these ``mails`` (kind, how many) went out, each once
    or, where the server had it and we had not written that down, twice; ``filed`` mails were filed."""
    died = f"at step {len(steps)}, {steps[-1]}"
    with opened(club.file) as desk:
        events = desk.session.exec(select(Event.kind, Event.text)).all()
        assert events == [("move", "passe")], died
        assert list(examine(desk.session, desk.config, Looked())) == [], died
        assert desk.session.exec(select(Inbox).where(col(Inbox.state) != "done")).all() == [], died
        rows = desk.session.exec(select(Outbox)).all()
        assert [row.state for row in rows] == ["sent"] * len(rows), died
        assert Counter(row.kind for row in rows) == mails, died
        expected = {name: {r.message_id for r in rows if r.recipient == club.players[name].address} for name in NAMES}
    assert club.box.folder("INBOX") == [], died
    assert len(club.box.folder("Processed")) == filed, died
    assert eventually(lambda: not under_way(club.postfix)), died
    repeated = 0
    for name in NAMES:
        found = Counter(str(mail["Message-ID"]) for mail in club.inbox(name))
        assert found.keys() == expected[name], died
        repeated += sum(found.values()) - len(found)
    handed_over = steps.count("before SMTP DATA") - steps.count(RECORDED)
    assert repeated <= handed_over, f"{repeated} repeated, {handed_over} under way when it died {died}"


def under_way(postfix: Postfix) -> bool:
    """Whether Postfix still has a mail."""
    queues = (postfix.folder / "spool" / name for name in ("maildrop", "incoming", "active", "deferred"))
    return any(path.is_file() for queue in queues for path in queue.rglob("*"))
