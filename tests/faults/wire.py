"""A club on real servers behind proxies that cut the line, and evening after evening on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from sqlmodel import col, select

from moderator.cli.session import opened
from moderator.club.live_match import walk
from moderator.config import load
from moderator.play.create import find_player, new_match, start_match
from moderator.run.intake import Summary
from moderator.run.tick import tick
from moderator.store.models import Event, Inbox, Match, Outbox, Seat
from tests.club.club import plain_boards
from tests.e2e.server_club import ServerClub, make_server_club
from tests.servers import eventually
from tests.servers.cutter import Cutter
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

NAMES = ("Anna", "Bert")
TERMS = {"days": 60, "reminders": []}
"""So that nothing falls due while evening follows evening."""
Link = Literal["imap", "smtp"]


@dataclass
class Wire:
    """The club, and what lies between it and its servers."""

    club: ServerClub
    imap: Cutter
    smtp: Cutter
    ahead: timedelta = timedelta()
    code: str = ""
    rows: int = 0
    """Mails in the outbox before this evening."""

    def cutter(self, link: Link) -> Cutter:
        return self.imap if link == "imap" else self.smtp

    def tick(self, later: timedelta = timedelta()) -> Summary:
        self.ahead += later
        return tick(self.club.config, lambda: datetime.now(UTC) + self.ahead)

    def evening(self) -> None:
        """A new match, whose start mails are queued, and an order and a wish for help in the mailbox."""
        for box in (self.club.box, *self.club.players.values()):
            empty(box)
        with opened(self.club.file) as desk:
            self.rows = len(desk.session.exec(select(Outbox.id)).all())
            seats = [find_player(desk.session, name) for name in NAMES]
            match = new_match(desk.session, "topwords", "Arratia", seats, {}, desk.now + self.ahead, terms=TERMS)
            start_match(desk, match)
            self.code = match.code
            token = desk.session.exec(select(Seat.token).where(Seat.match_id == match.id, Seat.number == 0)).one()
        head = f"From: Anna <{self.club.players['Anna'].address}>\r\nTo: {self.club.box.address}\r\n"
        for number, words in enumerate(("passe", "HILFE")):
            ids = f"Subject: [{self.code}-{token}]\r\nMessage-ID: <{self.code}-{number}@home.example>\r\n"
            self.club.box.deliver(f"{head}{ids}\r\n{words}\r\n".encode())

    def wrong(self, repeated: int, filed: int | None = 2) -> list[str]:
        """What is not as it should be when the evening is over: so many mails may have come twice, so many lie in the
        folder of those that were handled (None = any number)."""
        found: list[str] = []
        with opened(self.club.file) as desk:
            match = desk.session.exec(select(Match).where(Match.code == self.code)).one()
            events = desk.session.exec(select(Event.kind, Event.text).where(Event.match_id == match.id)).all()
            if events != [("move", "passe")]:
                found.append(f"log: {events}")
            walk(desk.session, match, desk.config.deadlines)
            states = set(desk.session.exec(select(Inbox.state)))
            if states != {"done"}:
                found.append(f"inbox: {states}")
            mails = desk.session.exec(select(Outbox).order_by(col(Outbox.id)).offset(self.rows)).all()
        kinds = Counter((mail.kind, mail.state) for mail in mails)
        if kinds != {("start", "sent"): 2, ("turn", "sent"): 2, ("help", "sent"): 1}:
            found.append(f"outbox: {kinds}")
        if left := self.club.box.folder("INBOX"):
            found.append(f"{len(left)} mails still in the mailbox")
        if filed is not None and (there := len(self.club.box.folder("Processed"))) != filed:
            found.append(f"{there} mails were filed away")
        return found + self._arrived({mail.message_id for mail in mails}, repeated)

    def _arrived(self, expected: set[str], repeated: int) -> list[str]:
        def ids() -> Counter[str]:
            return Counter(str(mail["Message-ID"]) for name in NAMES for mail in self.club.inbox(name))

        eventually(lambda: ids().keys() >= expected)
        found = ids()
        if found.keys() != expected:
            return [f"lost {len(expected - found.keys())} mails, strange {len(found.keys() - expected)}"]
        twice = found.total() - len(found)
        return [f"{twice} mails came twice"] if twice > repeated else []


def empty(box: Box) -> None:
    client = box.client()
    for folder in ("INBOX", "Processed"):
        if client.folder_exists(folder):
            client.select_folder(folder)
            if uids := client.search():
                client.delete_messages(uids)
                client.expunge()
    box.close()


@contextmanager
def wired(folder: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> Iterator[Wire]:
    """A club in ``folder`` whose connections go through two cutters, unencrypted so that lines can be told apart."""
    with Cutter.started(dovecot.imap_port) as imap, Cutter.started(postfix.smtp_port) as smtp:
        club = make_server_club(folder, dovecot, postfix, new_box, NAMES, security="plain")
        text = club.file.read_text(encoding="utf-8")
        for old, new in ((dovecot.imap_port, imap.port), (postfix.smtp_port, smtp.port)):
            text = text.replace(f"port = {old}", f"port = {new}\ntimeout = 10")
        club.file.write_text(text.replace("[smtp]", "[smtp]\nconnections = 1\ndata_timeout = 10"), encoding="utf-8")
        club.config = load(club.file)
        plain_boards(club)  # type: ignore[arg-type]
        yield Wire(club, imap, smtp)
