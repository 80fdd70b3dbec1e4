"""Which mails are one and the same: every way in which a mail comes again, against every way in which two are alike."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import Session, col, select

from moderator.backup import archive
from moderator.backup.restore import bring_back_mails, restore_backup
from moderator.common.mails import RawMail
from moderator.mail.maildir import deliver_to_maildir
from moderator.run.watch import receive_mail
from moderator.settings import load_config
from moderator.store import inbox
from moderator.store.database import open_store
from moderator.store.tables import InboxRow, MailboxKey
from tests.club.club import Club, club_of, make_club

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
NO_ID = ("",)
DATES = ("", "Date: Fri, 20 Nov 2026 12:00:00 +0000\r\n")
TRACES = ("", "Received: from a by b id 1; Fri, 20 Nov 2026 12:00:01 +0000\r\n")
ONCE_MORE = "Received: from b by mx.club.example\r\n\tid 9; Fri, 20 Nov 2026 12:07:00 +0000\r\n"


@dataclass(frozen=True)
class Letter:
    """A mail in parts, as bytes by ``data``."""

    message_id: str = ""
    date: str = ""
    trace: str = ""
    to: str = "games+K7Q2-8J3MZP4QXA@club.example"
    delivered: str = ""
    subject: str = ""
    body: str = "passe\r\n"
    sender: str = "anna@home.example"

    @property
    def data(self) -> bytes:
        head = f"{self.trace}{self.date}{self.message_id}{self.delivered}From: {self.sender}\r\nTo: {self.to}\r\n"
        return f"{head}Subject: {self.subject}\r\n\r\n{self.body}".encode()

    def others(self) -> Iterator[Letter]:
        """Mails that differ from this one in what their writer, or the first server, made of them."""
        yield replace(self, to="games+X6Y6-00000AAAAA@club.example")
        yield replace(self, to="games@club.example", subject="[X6Y6-00000AAAAA] Topwords")
        yield replace(self, body="passe!\r\n")
        plain = replace(self, to="undisclosed-recipients:;")
        yield replace(plain, delivered="Delivered-To: games+X6Y6-00000AAAAA@club.example\r\n")
        yield replace(plain, delivered="Delivered-To: games+X6Y6-00000BBBBB@club.example\r\n")
        if self.date:
            yield replace(self, date=self.date.replace("12:00:00", "12:00:01"))
        if self.trace:
            yield replace(self, trace=self.trace.replace("id 1", "id 2"))


LETTERS = [Letter(*parts) for parts in itertools.product(NO_ID, DATES, TRACES)]
WAYS = ("pipe", "folder", "imap")


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    store = open_store(make_club(tmp_path_factory.mktemp("copies")).config.database)
    with store.begin_transaction() as opened:
        yield opened
    store.close()


@dataclass
class Box:
    """A mailbox or a pipe that the inbox is filled from. Each case has a writer of its own: one case knows no mail of
    another, although all are tried in one transaction."""

    way: str
    case: int = 0
    places = itertools.count()

    def raw(self, letter: Letter, came: datetime = NOW, place: str = "") -> RawMail:
        """The mail, in a new place; ``place``: where it lay before it was moved there."""
        letter = replace(letter, sender=f"anna{self.case}@home.example")
        if self.way == "pipe":
            return RawMail(f"pipe:{hash(letter.data)}", letter.data, came, len(letter.data))
        number = next(self.places)
        here = f"1:{number}" if self.way == "imap" else f"file{number}"
        own = came.isoformat() if self.way == "imap" else here
        return RawMail(here, letter.data, came, len(letter.data), place or own)


def taken(session: Session, *rounds: list[RawMail]) -> int:
    """How many mails are new, if all that was read is filed after each round."""
    count = 0
    for mails in rounds:
        new = inbox.insert_mails(session, mails, NOW)
        inbox.mark_filed(session.connection(), [mail.key for mail in mails])
        assert all(
            inbox.is_intact_mail(row.raw, row.digest) for row in (session.get_one(InboxRow, number) for number in new)
        )
        count += len(new)
    return count


def test_what_comes_again_is_one_mail_and_what_is_another_mail_is_another(session: Session) -> None:
    cases = itertools.count()
    for letter, way in itertools.product(LETTERS, WAYS):
        more = replace(letter, trace=ONCE_MORE + letter.trace)

        def again(box: Box, first: RawMail, letter: Letter = letter, more: Letter = more) -> list[RawMail]:
            hour = NOW + timedelta(hours=1)
            if box.way == "pipe":  # delivered again: as it is, and with a line more
                return [box.raw(letter, hour), box.raw(more), box.raw(more, hour)]
            # Moved back, twice; where a server has marked it, also delivered again.
            back = [box.raw(letter, place=first.place) for _ in range(2)]
            return [*back, box.raw(more, hour)] if letter.trace else back

        box = Box(way, next(cases))
        first = box.raw(letter)
        assert taken(session, [first], *([mail] for mail in again(box, first))) == 1, (letter, way)
        if way != "pipe":  # all lie there together: of those without a mark no more than their places are known
            box = Box(way, next(cases))
            first = box.raw(letter)
            assert taken(session, [first, *again(box, first)]) == (1 if letter.trace else 3)
        for other in letter.others():
            for together in (True, False):
                box = Box(way, next(cases))
                two = [box.raw(letter), box.raw(other)]
                assert taken(session, *([two] if together else [[mail] for mail in two])) == 2, (letter, other, way)
    assert next(cases) > 150


def test_without_any_mark_the_place_in_the_mailbox_tells(session: Session) -> None:
    """Even the same bytes in the same second; only a pipe cannot tell, whose agent may just be trying again."""
    cases = itertools.count(1000)
    for date, no_id in itertools.product(DATES, NO_ID):
        letter = Letter(no_id, date)
        for way in ("folder", "imap"):
            box = Box(way, next(cases))
            assert taken(session, [box.raw(letter) for _ in range(5)]) == 5
            box = Box(way, next(cases))
            assert taken(session, *([box.raw(letter, NOW + timedelta(seconds=n))] for n in range(1, 6))) == 5
        box = Box("pipe", next(cases))
        assert taken(session, *([box.raw(letter, NOW + timedelta(days=n))] for n in range(3))) == 1


def test_with_a_message_id_nothing_has_changed(session: Session) -> None:
    letter = Letter("Message-ID: <1@home.example>\r\n", DATES[1], TRACES[1])
    for case, way in enumerate(WAYS, 2000):
        box = Box(way, case)
        alike = [replace(letter, date=""), replace(letter, trace=ONCE_MORE), replace(letter, subject="Re: x")]
        assert taken(session, [box.raw(letter)], *([box.raw(one)] for one in alike)) == 1
        assert taken(session, [box.raw(replace(letter, body="passe!"))]) == 1
        assert taken(session, [box.raw(replace(letter, to="games+X6Y6-00000AAAAA@club.example"))]) == 1, (
            "to another seat"
        )
    written = inbox.parse_mail_identity(letter.data)
    assert written.compute_digest() == written.compute_digest("there")
    assert written.compute_digest() == inbox.parse_mail_identity(letter.data.replace(b"\r\n", b"\n")).compute_digest()


def test_a_blind_copy_for_each_of_two_seats_is_two_mails(session: Session) -> None:
    """With one Message-ID: the addresses stand in the envelope only. A copy of a copy is none."""
    blind = Letter("Message-ID: <1@home.example>\r\n", to="undisclosed-recipients:;")
    seats = [f"Delivered-To: games+{seat}@club.example\r\n" for seat in ("K7Q2-8J3MZP4QXA", "X6Y6-00000AAAAA")]
    for case, way in enumerate(WAYS, 3000):
        box = Box(way, case)
        mails = [replace(blind, delivered=seat) for seat in seats]
        mails.append(replace(blind, delivered=seats[0], trace=ONCE_MORE))
        assert taken(session, *([box.raw(mail)] for mail in mails)) == 2


def test_mails_that_an_earlier_version_took_in_are_known(session: Session) -> None:
    """It hashed Message-ID, sender and text only. What it took in, and is moved back now, is the same; others not."""
    for case, letter in enumerate(LETTERS, 4000):
        box = Box("imap", case)
        mail, back = box.raw(letter), box.raw(letter)
        former = inbox.parse_mail_identity(mail.data).former_digest
        row = InboxRow(digest=former, received_at=NOW, taken_at=NOW, size=1, raw=mail.data, state="done")
        session.add(row)
        session.flush()
        session.add(MailboxKey(key=mail.key, inbox_id=row.id or 0, filed=True))
        assert inbox.is_intact_mail(row.raw, row.digest)
        assert inbox.insert_mails(session, [back], NOW) == []
        assert (
            len(inbox.insert_mails(session, [box.raw(replace(letter, to="games+X6Y6-00000AAAAA@club.example"))], NOW))
            == 1
        )


def unmarked(club: Club, code: str, seat: int, body: str = "passe") -> bytes:
    """A mail as a script sends it: no Message-ID, no Date."""
    return (
        f"From: {('anna', 'bert')[seat]}@home.example\r\nTo: games+{code}-{club.token(code, seat)}@club.example\r\n"
        f"Subject: Zug\r\n\r\n{body}\r\n"
    ).encode()


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert")


def put(club: Club, data: bytes) -> None:
    file = deliver_to_maildir(club.config.resolve_path(club.config.maildir.inbox), data)
    os.utime(file, (club.now.timestamp(), club.now.timestamp()))
    assert not club.tick().quarantined


def entries(club: Club, code: str) -> int:
    return club.row(code).entries


@pytest.mark.slow
@pytest.mark.sqlite
def test_passing_in_two_matches_and_in_two_turns_counts_each_time(club: Club, tmp_path: Path) -> None:
    """Through a folder, all of a turn in one second (the same order within ten minutes is asked about, tests/club/
    test_repeated.py); then all is brought back, and nothing happens twice."""
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Bert")
    file, _ = archive.create_backup(club.config, tmp_path / "b.zip", club.now)
    for code, seat in ((one, 0), (two, 0), (one, 1), (two, 1)):
        put(club, unmarked(club, code, seat))
    club.wait(minutes=11)
    for code, seat in ((one, 0), (one, 1), (two, 0)):
        put(club, unmarked(club, code, seat))
    assert (entries(club, one), entries(club, two)) == (4, 3)
    for _ in range(2):
        assert bring_back_mails(club.config, club.now - timedelta(days=1)) == 7
        summary = club.tick()
        assert (summary.taken, summary.handled) == (0, 0)
    restore_backup(club.config, file, club.now, force=True)
    assert (entries(club, one), entries(club, two)) == (0, 0)
    summary = club.tick()
    assert (summary.taken, summary.quarantined) == (7, [])
    assert (entries(club, one), entries(club, two)) == (4, 3)


def test_through_a_pipe_each_delivery_has_its_own_line(club: Club) -> None:
    """The mail server's own line tells them apart; delivered again after a crash it is the same mail."""
    one, two = club.match("Anna", "Bert"), club.match("Anna", "Bert")
    config = load_config(club.config.file)
    sent = (one, 0, "passe"), (two, 0, "passe"), (one, 1, "passe"), (one, 0, "ich passe")
    for number, (code, seat, body) in enumerate(sent):
        data = f"Received: by mx.club.example id {number}; today\r\n".encode() + unmarked(club, code, seat, body)
        for again in (data, data, b"Received: by mx.club.example id 99; later\r\n" + data):
            assert not receive_mail(config, again).quarantined
    assert (entries(club, one), entries(club, two)) == (3, 1)
    with club.work() as work:
        assert len(work.session.exec(select(InboxRow.id)).all()) == 4
        assert set(work.session.exec(select(MailboxKey.filed).where(col(MailboxKey.key).startswith("pipe:")))) == {True}
