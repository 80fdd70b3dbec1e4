"""The links to the mailbox and to the outgoing server, cut at every line that the server says; and a mailbox on a real
server that somebody else changes during the run. Every order counts once, and every mail goes out once.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from moderator.mail import imap_folders
from moderator.mail.imap import ImapMailbox
from moderator.run import tick as pipeline
from moderator.run import watch as watching
from moderator.run.intake import Summary
from moderator.run.tick import tick
from tests.e2e.server_club import ServerClub, Template, wrong
from tests.faults.evening import LATER
from tests.faults.injector import Plan, passing
from tests.servers.dovecot import Box
from tests.servers.process import HOST

pytestmark = pytest.mark.servers
LINES = {"imap": 125, "smtp": 45}
"""How many lines each server says on the evening; test_all_lines_are_tried says when that changes."""
SLACK = 25
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
        """A proxy until the end of the block."""
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


def run(club: ServerClub, later: int = 0) -> Summary:
    return tick(club.config, lambda: datetime.now(UTC) + timedelta(seconds=later))


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
        if not cutter.cut.is_set():
            pytest.skip(f"there are {len(cutter.lines)} lines")
        behind = cutter.cut_behind
        cutter.arm(0)
        second = run(club, LATER)
        told = [first.quarantined, second.quarantined, first.troubles, second.troubles, second.away]
        assert told == [[]] * 5, behind
        # Whether a mail arrived whose end was sent but never answered, nobody can know.
        assert wrong(club, repeated=behind.startswith(b"354")) == [], behind


@pytest.mark.slow
def test_all_lines_are_tried(template: Template, tmp_path: Path) -> None:
    with cut_links(template, tmp_path / "club") as (club, cutters):
        run(club)
        found = {link: len(cutter.lines) for link, cutter in cutters.items()}
    assert all(found[link] <= LINES[link] <= found[link] + SLACK for link in LINES), f"there are {found}: set LINES"


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
            handled = next(summary.handled for summary in watching.watch(club.config, 20) if summary.handled)
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


def moved_away_and_back(box: Box, client: Any) -> None:
    """The mails get other UIDs."""
    client.create_folder("Elsewhere")
    for source, target in (("INBOX", "Elsewhere"), ("Elsewhere", "INBOX")):
        client.select_folder(source)
        if uids := client.search():
            client.move(uids, target)
    client.unselect_folder()
    client.delete_folder("Elsewhere")


def emptied(box: Box, client: Any) -> None:
    """All mails are deleted by hand."""
    if uids := in_inbox(client):
        client.delete_messages(uids)
        client.expunge()


def one_deleted(box: Box, client: Any) -> None:
    """The wish for help is deleted by hand."""
    if uids := in_inbox(client):
        client.delete_messages(uids[-1:])
        client.expunge()


def no_processed(box: Box, client: Any) -> None:
    """The folder of the handled mails is deleted by hand, with all that is in it."""
    if client.folder_exists("Processed"):
        client.delete_folder("Processed")


def moved_back(box: Box, client: Any) -> None:
    """Handled mails are moved back into the inbox, and those in the inbox are copied there once more."""
    if uids := in_inbox(client):
        client.copy(uids, "INBOX")
    if client.folder_exists("Processed"):
        client.select_folder("Processed")
        if uids := client.search():
            client.move(uids, "INBOX")


POINTS = ("bodies", "handling", "filing", "moving", "after")
"""See test_evening.py, which does the same with a Maildir."""
ACTIONS = (new_uids, moved_away_and_back, emptied, one_deleted, no_processed, moved_back)
LOSE = (emptied, one_deleted)
"""What is deleted before it was read is gone."""
CHANGES = [(p, a) for p in POINTS for a in ACTIONS if not (p == "bodies" and a in LOSE)]


def run_with_change(club: ServerClub, point: str, action: Callable[[Box, Any], None]) -> Summary:
    def change(name: str) -> None:
        action(club.box, club.box.client())
        club.box.close()

    plan = Plan(point, change)
    with pytest.MonkeyPatch.context() as patched:
        passing(plan, patched, ImapMailbox, "_bodies", "bodies")
        passing(plan, patched, pipeline, "look_back", "handling")
        passing(plan, patched, pipeline, "file_away", "filing")
        passing(plan, patched, imap_folders, "_move", "moving")
        summary = run(club)
    plan.step("after")
    return summary


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


@pytest.mark.slow
def test_mails_that_vanish_before_they_are_fetched_are_no_error(template: Template, tmp_path: Path) -> None:
    club = template.copy(tmp_path / "club")
    template.write(club, "passe", "HILFE")
    summary = run_with_change(club, "bodies", emptied)
    assert (summary.taken, summary.troubles, summary.away) == (0, [], [])
    assert run(club, LATER).quiet
