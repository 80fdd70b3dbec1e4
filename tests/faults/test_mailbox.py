"""Somebody else changes the mailbox, at each point of a run: nothing is handled twice, and nothing is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from moderator.mail import imap_folders, maildir
from moderator.mail.imap import ImapMailbox
from moderator.mail.maildir import MaildirMailbox
from moderator.run import tick as pipeline
from tests.faults.evening import copied, lost_or_doubled, outcome, recover, sqlite_only
from tests.faults.wire import Wire, empty, wired
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

Action = Callable[[Any], None]
POINTS = ("bodies", "handling", "filing", "moving", "after")
"""Right before the mails are fetched, after they were taken in, before they are filed away, before the command that
moves them, when the run is over."""
LATER = timedelta(minutes=30)


def once(action: Callable[[], None]) -> Callable[[], None]:
    """Does it at the first call only."""
    calls: list[int] = []

    def done() -> None:
        calls.append(1)
        if len(calls) == 1:
            action()

    return done


@contextmanager
def happening(point: str, action: Callable[[], None]) -> Iterator[None]:
    """``action`` happens when a run comes to that point."""
    act = once(action)

    def before(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def wrapped(*arguments: Any, **options: Any) -> Any:
            act()
            return real(*arguments, **options)

        patched.setattr(owner, name, wrapped)

    with pytest.MonkeyPatch.context() as patched:
        if point == "bodies":
            before(ImapMailbox, "_bodies")
            before(MaildirMailbox, "_read")
        elif point == "handling":
            before(pipeline, "look_back")
        elif point == "filing":
            before(pipeline, "file_away")
        elif point == "moving":
            before(imap_folders, "_move")
            before(maildir, "_move")
        yield
    if point == "after":
        act()


# ---- Dovecot ----


def new_uids(box: Box) -> None:
    """The index is lost: the mails are the same, UIDVALIDITY and UIDs are others."""
    folder = box.dovecot.folder / "mail" / box.user
    for path in (*folder.glob("dovecot.index*"), *folder.glob("dovecot-uidlist*")):
        path.unlink()


def in_client(box: Box, act: Callable[[Any], None]) -> None:
    client = box.client()
    act(client)
    box.close()


def moved_away_and_back(box: Box) -> None:
    """The mails get other UIDs."""

    def act(client: Any) -> None:
        client.create_folder("Elsewhere")
        for source, target in (("INBOX", "Elsewhere"), ("Elsewhere", "INBOX")):
            client.select_folder(source)
            if uids := client.search():
                client.move(uids, target)
        client.unselect_folder()
        client.delete_folder("Elsewhere")

    in_client(box, act)


def emptied(box: Box) -> None:
    """All mails are deleted by hand."""

    def act(client: Any) -> None:
        client.select_folder("INBOX")
        if uids := client.search():
            client.delete_messages(uids)
            client.expunge()

    in_client(box, act)


def one_deleted(box: Box) -> None:
    """The wish for help is deleted by hand."""

    def act(client: Any) -> None:
        client.select_folder("INBOX")
        if uids := client.search():
            client.delete_messages(uids[-1:])
            client.expunge()

    in_client(box, act)


def no_processed(box: Box) -> None:
    """The folder of the handled mails is deleted by hand, with all that is in it."""
    in_client(box, lambda client: client.folder_exists("Processed") and client.delete_folder("Processed"))


def moved_back(box: Box) -> None:
    """Handled mails are moved back into the inbox, and those in the inbox are copied there once more."""

    def act(client: Any) -> None:
        client.select_folder("INBOX")
        if uids := client.search():
            client.copy(uids, "INBOX")
        if client.folder_exists("Processed"):
            client.select_folder("Processed")
            if uids := client.search():
                client.move(uids, "INBOX")

    in_client(box, act)


ACTIONS: tuple[Action, ...] = (new_uids, moved_away_and_back, emptied, one_deleted, no_processed, moved_back)
LOSE = (emptied, one_deleted)
"""What is deleted before it was read is gone."""
CASES = [(p, a) for p in POINTS for a in ACTIONS if not (p == "bodies" and a in LOSE)]
ALWAYS = [
    ("handling", emptied),
    ("filing", new_uids),
    ("after", moved_back),
]


def named(case: tuple[str, Action]) -> str:
    return f"{case[0]} {case[1].__name__}"


@pytest.fixture
def wire(tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]) -> Iterator[Wire]:
    with wired(tmp_path, dovecot, postfix, new_box) as made:
        yield made


@pytest.mark.matrix("faults")
@pytest.mark.servers
@pytest.mark.parametrize("case", CASES, ids=named)
def test_dovecot(wire: Wire, case: tuple[str, Action]) -> None:
    point, action = case
    wire.evening()
    with happening(point, lambda: action(wire.club.box)):
        summaries = [wire.tick()]
    summaries += [wire.tick(LATER), wire.tick(LATER)]
    for summary in summaries:
        assert (summary.quarantined, summary.troubles) == ([], [])
    assert summaries[-1].away == []
    assert wire.wrong(repeated=0, filed=None) == []


@pytest.mark.servers
def test_mails_that_vanish_before_they_are_fetched_are_no_error(wire: Wire) -> None:
    wire.evening()
    with happening("bodies", lambda: empty(wire.club.box)):
        summary = wire.tick()
    assert (summary.taken, summary.troubles, summary.away) == (0, [], [])
    assert wire.tick(LATER).quiet


# ---- Maildir ----


def read_elsewhere(folder: Path) -> None:
    """A mail program shows the mails: they move to cur/ and get a flag."""
    for path in (folder / "new").iterdir():
        path.rename(folder / "cur" / f"{path.name}:2,S")


def all_deleted(folder: Path) -> None:
    for part in ("new", "cur"):
        for path in (folder / part).iterdir():
            path.unlink()


def folder_deleted(folder: Path) -> None:
    shutil.rmtree(folder / ".Processed", ignore_errors=True)


def put_back(folder: Path) -> None:
    """Handled mails are moved back under new names, and those in the inbox are copied."""
    for number, path in enumerate((folder / "new").iterdir()):
        shutil.copy2(path, folder / "new" / f"{number}.copy")
    for number, path in enumerate((folder / ".Processed" / "cur").glob("*")):
        path.rename(folder / "new" / f"{number}.back")


FILE_ACTIONS: tuple[Action, ...] = (read_elsewhere, all_deleted, folder_deleted, put_back)
FILE_CASES = [(p, a) for p in POINTS for a in FILE_ACTIONS if not (p == "bodies" and a is all_deleted)]


@pytest.mark.matrix("faults")
@sqlite_only
@pytest.mark.parametrize("case", FILE_CASES, ids=named)
def test_maildir(evening: Path, expected: dict[str, Any], tmp_path: Path, case: tuple[str, Action]) -> None:
    point, action = case
    club = copied(evening, tmp_path / "club")
    with happening(point, lambda: action(club.config.path(club.config.maildir.inbox))):
        assert not club.tick().troubles
    recover(club)
    recover(club)
    assert outcome(club)["filed"].keys() == {True}
    # Copies that were noted as seen are one line more each.
    assert lost_or_doubled(club, {name: value for name, value in expected.items() if name != "filed"}) == []
