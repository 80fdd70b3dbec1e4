"""The links to the mailbox and to the outgoing server, cut at every line that the server says; a mailbox on a real
server that somebody else changes during the run; an outgoing server that refuses, falls silent or hangs up at each
stage. Every order counts once, and every mail goes out once, or is reported.
"""

from __future__ import annotations

import contextlib
import dataclasses
import email
import re
import selectors
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moderator.cli import doctor
from moderator.mail import imap_folders
from moderator.mail.imap import ImapMailbox
from moderator.mail.smtp import SmtpSender
from moderator.run import steps as pipeline
from moderator.run import watch as watching
from moderator.run.log import RunSummary
from moderator.run.tick import run_tick
from moderator.store.tables import OutboxRow, PlayerRow
from tests.club.club import Club, club_of, copied
from tests.e2e.server_club import ServerClub, Template, wrong
from tests.faults.evening import LATER
from tests.faults.injector import Plan, passing
from tests.servers.dovecot import Box
from tests.servers.fake_smtp import CLOSE, SILENCE, TAKEN, FakeSmtp, Script
from tests.servers.process import HOST

LINES = {"imap": 125, "smtp": 45}
"""At least as many as each server says on the evening."""
HOWS = ("close", "reset", "half")


class Cutter:
    """A running proxy. It cuts once, after the ``after``-th line since ``arm``, whichever connection that is on; later
    connections are left alone. ``lines`` are the server's since then."""

    def __init__(self, upstream: int) -> None:
        self.upstream = upstream
        self.lines: list[bytes] = []
        self.cut_behind = b""
        """The last line that passed on the connection that was cut."""
        self.cut = threading.Event()
        self._after, self._how = 0, "close"
        self._lock = threading.Lock()
        self._listener = socket.create_server((HOST, 0))
        self.port = int(self._listener.getsockname()[1])

    @classmethod
    @contextlib.contextmanager
    def started(cls, upstream: int) -> Iterator[Cutter]:
        cutter = cls(upstream)
        thread = threading.Thread(target=cutter._accept, daemon=True)
        thread.start()
        try:
            yield cutter
        finally:
            cutter._listener.shutdown(socket.SHUT_RDWR)
            cutter._listener.close()
            thread.join()

    def arm(self, after: int, how: str = "close") -> None:
        """Count anew, and cut after so many lines; 0 = never."""
        with self._lock:
            self.lines, self._after, self._how = [], after, how
            self.cut_behind = b""
            self.cut.clear()

    def _accept(self) -> None:
        threads: list[threading.Thread] = []
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threads.append(threading.Thread(target=self._pass, args=(client,), daemon=True))
                threads[-1].start()
        for thread in threads:
            thread.join(timeout=5)

    def _pass(self, client: socket.socket) -> None:
        """One connection, until either side leaves or it is cut."""
        with client, socket.create_connection((HOST, self.upstream)) as server, contextlib.suppress(OSError):
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            waiting, last = b"", b""
            with selectors.DefaultSelector() as selector:
                selector.register(client, selectors.EVENT_READ)
                selector.register(server, selectors.EVENT_READ)
                while True:
                    for key, _ in selector.select():
                        data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                        if not data:
                            client.sendall(waiting)
                            return
                        if key.fileobj is client:
                            server.sendall(data)
                            continue
                        *whole, waiting = (waiting + data).split(b"\n")
                        for line in whole:
                            if self._cuts(client, line + b"\n", last):
                                return
                            client.sendall(line + b"\n")
                            last = line
                            if self._cuts(client, b"", last):
                                return

    def _cuts(self, client: socket.socket, coming: bytes, last: bytes) -> bool:
        """Whether the connection ends before ``coming`` (half of which may still pass), or after the last line."""
        with self._lock:
            if self.cut.is_set():
                return False
            half = self._how == "half"
            if not coming:
                self.lines.append(last)
            due = bool(self._after) and len(self.lines) >= self._after and half == bool(coming)
            if not due:
                return False
            self.cut_behind = last
            self.cut.set()
        if half:
            client.sendall(coming[: len(coming) // 2])
        if self._how == "reset":
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return True


# ---- cut links ----


@contextlib.contextmanager
def cut_links(template: Template, folder: Path) -> Iterator[tuple[ServerClub, dict[str, Cutter]]]:
    """The evening, with a proxy on each of its links."""
    with Cutter.started(template.dovecot.imap_port) as imap, Cutter.started(template.club.postfix.smtp_port) as smtp:
        club = template.copy(folder, imap.port, smtp.port)
        template.write(club, "passe", "HILFE")
        yield club, {"imap": imap, "smtp": smtp}


def run(club: ServerClub, later: int = 0) -> RunSummary:
    return run_tick(club.config, lambda: datetime.now(UTC) + timedelta(seconds=later))


@pytest.mark.servers
@pytest.mark.matrix("cut connections", seconds=2)
@pytest.mark.parametrize(
    ("link", "after"), [(link, line) for link, count in LINES.items() for line in range(1, count + 1)]
)
def test_a_link_that_is_cut_after_a_line_loses_and_repeats_nothing(
    template: Template, tmp_path: Path, link: str, after: int
) -> None:
    with cut_links(template, tmp_path / "club") as (club, cutters):
        cutter = cutters[link]
        cutter.arm(after, HOWS[after % len(HOWS)])
        first = run(club)
        assert len(cutter.lines) <= LINES[link], "set LINES"
        if not cutter.cut.is_set():
            pytest.skip(f"there are {len(cutter.lines)} lines")
        behind = cutter.cut_behind
        cutter.arm(0)
        second = run(club, LATER)
        told = [first.quarantined, second.quarantined, first.troubles, second.troubles, second.away]
        assert told == [[]] * 5, behind
        # Whether a mail arrived whose end was sent but never answered, nobody can know.
        assert wrong(club, repeated=behind.startswith(b"354")) == [], behind


@pytest.mark.servers
@pytest.mark.slow
def test_a_link_that_is_cut_while_watch_waits_is_made_anew(
    template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "PAUSE", 0.2)
    done = threading.Event()
    with cut_links(template, tmp_path / "club") as (club, cutters):
        run(club)
        cutters["imap"].arm(0)

        def cut_and_write() -> None:
            while not any(line.startswith(b"+ idling") for line in cutters["imap"].lines):
                done.wait(0.05)
            cutters["imap"].arm(1, "reset")
            club.box.deliver(template.letter(club, 3, "HILFE\n\nbitte"))

        other = threading.Thread(target=cut_and_write)
        other.start()
        try:
            handled = next(summary.handled for summary in watching.watch_mailbox(club.config, 20) if summary.handled)
        finally:
            done.set()
            other.join()
        assert cutters["imap"].cut.is_set()
        assert handled == 1


# ---- somebody else at the mailbox ----


def in_inbox(client: Any) -> list[int]:
    client.select_folder("INBOX")
    return list(client.search())


def new_uids(box: Box, client: Any) -> None:
    """The index is lost: the mails are the same, UIDVALIDITY and UIDs are others."""
    folder = box.dovecot.folder / "mail" / box.user
    for path in (*folder.glob("dovecot.index*"), *folder.glob("dovecot-uidlist*")):
        path.unlink()


def move(client: Any, source: str, target: str) -> None:
    if client.folder_exists(source):
        client.select_folder(source)
        if uids := client.search():
            client.move(uids, target)


def moved_away_and_back(box: Box, client: Any) -> None:
    client.create_folder("Elsewhere")
    move(client, "INBOX", "Elsewhere")
    move(client, "Elsewhere", "INBOX")
    client.unselect_folder()
    client.delete_folder("Elsewhere")


def emptied(box: Box, client: Any, first: int = 0) -> None:
    if uids := in_inbox(client)[first:]:
        client.delete_messages(uids)
        client.expunge()


def last_deleted(box: Box, client: Any) -> None:
    emptied(box, client, -1)


def no_processed(box: Box, client: Any) -> None:
    if client.folder_exists("Processed"):
        client.delete_folder("Processed")


def moved_back(box: Box, client: Any) -> None:
    """Handled mails are moved back into the inbox, and those in the inbox are copied there once more."""
    if uids := in_inbox(client):
        client.copy(uids, "INBOX")
    move(client, "Processed", "INBOX")


POINTS = ("bodies", "handling", "filing", "moving", "after")
"""See test_evening.py, which does the same with a Maildir."""
ACTIONS = (new_uids, moved_away_and_back, emptied, last_deleted, no_processed, moved_back)
LOSE = (emptied, last_deleted)
"""What is deleted before it was read is gone."""
CHANGES = [(p, a) for p in POINTS for a in ACTIONS if not (p == "bodies" and a in LOSE)]


def run_with_change(club: ServerClub, point: str, action: Callable[[Box, Any], None]) -> RunSummary:
    def change(name: str) -> None:
        action(club.box, club.box.client())
        club.box.close()

    plan = Plan(point, change)
    with pytest.MonkeyPatch.context() as patched:
        passing(plan, patched, ImapMailbox, "_fetch_bodies", "bodies")
        passing(plan, patched, pipeline, "detect_outage", "handling")
        passing(plan, patched, pipeline, "move_handled_mails", "filing")
        passing(plan, patched, imap_folders, "_move_batch", "moving")
        summary = run(club)
    plan.step("after")
    return summary


@pytest.mark.servers
@pytest.mark.matrix("mailbox changes", seconds=2)
@pytest.mark.parametrize(("point", "action"), CHANGES, ids=lambda each: getattr(each, "__name__", each))
def test_a_mailbox_on_a_server_that_changes_during_the_run_is_handled_once(
    template: Template, tmp_path: Path, point: str, action: Callable[[Box, Any], None]
) -> None:
    club = template.copy(tmp_path / "club")
    template.write(club, "passe", "HILFE")
    summaries = [run_with_change(club, point, action), run(club, LATER), run(club, 2 * LATER)]
    for summary in summaries:
        assert (summary.quarantined, summary.troubles) == ([], [])
    assert summaries[-1].away == []
    assert wrong(club, filed=None) == []


@pytest.mark.servers
@pytest.mark.slow
def test_mails_that_vanish_before_they_are_fetched_are_no_error(template: Template, tmp_path: Path) -> None:
    club = template.copy(tmp_path / "club")
    template.write(club, "passe", "HILFE")
    summary = run_with_change(club, "bodies", emptied)
    assert (summary.taken, summary.troubles, summary.away) == (0, [], [])
    assert run(club, LATER).is_quiet


# ---- refusals ----

OFFER = "250-fake\r\n250-SIZE 1000000\r\n250-STARTTLS\r\n250 AUTH PLAIN"
PUT_OFF, BUSY, NEVER, GARBLED = "451 4.3.0 later", "421 4.3.2 busy", "554 5.6.0 never", "what?"
NOR_PLAIN = "550 5.1.1 nor from there"
"""At the second try of the same mail as well, under the plain sender address."""
HELLO = ("CONNECT", "EHLO", "STARTTLS", "AUTH")
MAIL = ("MAIL", "RCPT", "DATA", ".")
FAULTS = (PUT_OFF, BUSY, NEVER, GARBLED, CLOSE, SILENCE)
CASES = [(stage, fault) for stage in (*HELLO, *MAIL, "RSET", "QUIT") for fault in FAULTS]
CASES += [(".", TAKEN), *((stage, NOR_PLAIN) for stage in MAIL[1:])]
WAITS = (timedelta(minutes=2), timedelta(minutes=10), timedelta(minutes=30))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Club:
    club = club_of(tmp_path_factory.mktemp("model") / "club", "Anna", "Bert", "Cici", "Dora")
    club.match("Anna", "Bert", "Cici", "Dora")
    return club


def once(stage: str, answer: str) -> Script:
    """The fault, at the first try only, or at two; before RSET there must be a refusal."""
    tries = 2 if answer == NOR_PLAIN else 1

    def script(verb: str, line: str, nth: int) -> str | None:
        if verb == stage and nth < tries:
            return answer
        if stage == "RSET" and (verb, nth) == ("MAIL", 0):
            return PUT_OFF
        return OFFER if verb == "EHLO" else None

    return script


def tick_through(club: Club, fake: FakeSmtp, patched: pytest.MonkeyPatch, stage: str) -> str:
    """One tick that sends through the fake server; returns what the operator is told. (The server offers STARTTLS, but
    cannot do it.)"""
    settings = fake.smtp(timeout=1, data_timeout=1, user="gm")
    if stage == "STARTTLS":
        settings = dataclasses.replace(settings, security="starttls")
    patched.setattr(pipeline, "open_sender", lambda config: SmtpSender(settings))
    summary = club.tick()
    assert not summary.quarantined
    return "\n".join(summary.troubles + summary.away)


def arrived(fake: FakeSmtp) -> Counter[str]:
    return Counter(str(email.message_from_bytes(mail)["Message-ID"]) for mail in fake.mails)


def rows(club: Club) -> list[OutboxRow]:
    return club.stored(OutboxRow)


@pytest.fixture
def club(model: Club, tmp_path: Path) -> Club:
    return copied(model, tmp_path / "club")


@pytest.mark.sqlite
@pytest.mark.matrix("smtp refusals", seconds=0.5)
@pytest.mark.parametrize(("stage", "fault"), CASES)
def test_each_mail_goes_out_once_or_somebody_is_told(
    club: Club, monkeypatch: pytest.MonkeyPatch, stage: str, fault: str
) -> None:
    with FakeSmtp.started(once(stage, fault)) as fake:
        said = tick_through(club, fake, monkeypatch, stage)
        assert stage in fake.log
        if stage in HELLO:
            assert not any(row.attempts or row.state != "queued" for row in rows(club)) or not said
        for wait in WAITS:
            club.wait(seconds=wait.total_seconds())
            tick_through(club, fake, monkeypatch, "")
    mails = rows(club)
    dead = {row.message_id for row in mails if row.state == "dead"}
    assert {row.state for row in mails} <= {"sent", "dead"}
    assert len(dead) == (fault == NOR_PLAIN)
    # That one is reported to the moderator, besides the four that were there.
    assert len(mails) == 4 + len(dead)
    assert ("refused for good" in said) == bool(dead)
    # Refused under its own return path, and taken under the plain address: the rest goes out from there at once.
    assert {row.return_token == "" for row in mails if row.state == "sent"} == {stage in MAIL and fault == NEVER}
    found = arrived(fake)
    assert found.keys() == {row.message_id for row in mails} - dead
    assert found.total() - len(found) == (fault == TAKEN)


OURS = [(stage, answer) for stage in ("CONNECT", "EHLO", *MAIL) for answer in (PUT_OFF, BUSY, NEVER, CLOSE)]
OURS += [(stage, "554 5.7.1 <a@b.example>: Relay access denied") for stage in MAIL]
OURS += [("AUTH", "535 5.7.8 authentication failed"), ("MAIL", "530 5.7.0 log in first"), ("RCPT", "550 5.1.1 nobody")]
OURS += [("EHLO", "250-fake\r\n250 SIZE 900"), ("RCPT", "421 4.7.0 too many"), (".", "552 5.3.4 too big")]


@pytest.mark.sqlite
@pytest.mark.matrix("servers that refuse us", seconds=4)
@pytest.mark.parametrize(("stage", "answer"), OURS)
def test_a_server_that_refuses_us_costs_no_mail_and_no_player_however_long_it_lasts(
    club: Club, monkeypatch: pytest.MonkeyPatch, stage: str, answer: str
) -> None:
    def refuse(verb: str, line: str, nth: int) -> str | None:
        return answer if verb == stage or (stage == "EHLO" and verb == "HELO") else OFFER if verb == "EHLO" else None

    for_good = answer[0] == "5" or "SIZE 900" in answer
    with FakeSmtp.started(refuse) as fake:
        for _ in range(7):
            said = tick_through(club, fake, monkeypatch, "")
            if for_good:
                assert said.startswith("the server takes no mails of ours: " if "SIZE" not in answer else "")
                assert re.search(r"\[smtp\]", said)
                assert said.count("\n") == 0
            club.wait(days=1)
        assert {row.state for row in rows(club)} == {"queued"}
        assert not any(player.undeliverable for player in club.stored(PlayerRow))
        if for_good:
            monkeypatch.setattr(doctor, "open_sender", lambda config: vars(pipeline)["open_sender"](config))
            checked = dict(doctor.iter_checks(club.config.file))
            assert said.split(";")[0] in checked["sending mail"] or "no mails to boss@" in checked["sending mail"]
    club.wait(hours=5)
    with FakeSmtp.started(once("", "")) as fake:
        tick_through(club, fake, monkeypatch, "")
    assert {row.state for row in rows(club)} == {"sent"}
    assert set(arrived(fake).values()) == {1}


@pytest.mark.sqlite
@pytest.mark.slow
def test_a_mail_that_is_put_off_for_days_is_given_up_and_reported(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def put_off(verb: str, line: str, nth: int) -> str | None:
        return "452 4.2.2 mailbox full" if verb == "RCPT" and "anna@" in line else once("", "")(verb, line, nth)

    with FakeSmtp.started(put_off) as fake:
        for _ in range(14):
            tick_through(club, fake, monkeypatch, "")
            club.wait(hours=10)
        tries = sum("anna@" in line for line in fake.lines)
    states = Counter((row.recipient, row.state) for row in rows(club))
    assert states["anna@home.example", "dead"] == 1
    assert states["boss@club.example", "sent"] == 1
    assert 12 <= tries <= 25
