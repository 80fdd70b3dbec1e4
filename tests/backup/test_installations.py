"""Two installations on one mailbox: the second one stops before it takes anything, whichever comes first."""

import os
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from moderator.backup.archive import create_backup
from moderator.backup.restore import restore_backup
from moderator.common.errors import OperatorError
from moderator.common.mails import Mailbox, Mark
from moderator.mail.imap import ImapMailbox
from moderator.mail.maildir import MaildirMailbox
from moderator.settings import Config, load_config
from moderator.store import installation
from tests.cli.running import refuse_command, type_command
from tests.club.club import START, Club, club_of, copied, make_club
from tests.servers.dovecot import Box

pytestmark = pytest.mark.sqlite
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
Opened = Callable[[], Mailbox]


def identity_of(config: Config) -> installation.MailboxIdentity:
    return installation.get_or_create_identity(config.database, config.club.name)


@pytest.fixture(params=["maildir", pytest.param("imap", marks=pytest.mark.servers)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    if request.param == "maildir":
        return lambda: MaildirMailbox(tmp_path / "inbox")
    box: Box = request.getfixturevalue("mailbox")
    return lambda: ImapMailbox(box.imap())


@pytest.fixture
def clubs(tmp_path: Path) -> tuple[Club, Club]:
    """A club that has been at work, and a copy of its folder."""
    first = make_club(tmp_path / "first")
    identity_of(first.config)
    return first, copied(first, tmp_path / "second")


def at(folder: Path, club: Club) -> Club:
    return replace(club, folder=folder, config=load_config(folder / club.config.file.name))


def look(club: Club, opened: Opened, after: timedelta, waiting: int = 1, take_over: bool = False) -> str:
    """ "" if it may go on, else what the operator reads."""
    with opened() as box:
        try:
            installation.claim_mailbox(
                club.config.database, box, START + after, waiting, take_over, name="Club", zone=club.config.club.zone
            )
        except OperatorError as error:
            return str(error)
    return ""


def marks(opened: Opened) -> list[Mark]:
    with opened() as box:
        return box.marks()


STORIES = {
    "the second one stops and the first goes on": [
        *((0, 0, True), (1, 1, False)),
        *((which, hours, which == 0) for hours in (1, 7, 47, 60, 90) for which in (0, 1)),
    ],
    "who has been gone for two days is not waited for and stops when it comes back": [
        *((0, 0, True), (1, 47, False), (1, 48, True), (0, 49, False), (1, 50, True))
    ],
    "its own mark of tomorrow is no fault, but no other may go on because of it": [
        *((0, 240, True), (0, 1, True), (1, 2, False), (0, 480, True), (1, 3, False))
    ],
}
"""Which of two clubs looks after how many hours, and whether it may go on."""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("story", STORIES)
def test_one_of_two_stops(clubs: tuple[Club, Club], opened: Opened, story: str, turned: bool) -> None:
    clubs = clubs[::-1] if turned else clubs
    for which, hours, goes_on in STORIES[story]:
        said = look(clubs[which], opened, hours * HOUR)
        assert (said == "") == goes_on, (which, hours)
        assert goes_on or "Another installation reads this mailbox" in said


def test_the_one_that_stops_says_who_is_there_and_taking_over_is_said_on_purpose(
    clubs: tuple[Club, Club], opened: Opened
) -> None:
    first, second = clubs
    assert look(first, opened, 0 * HOUR) == ""
    said = look(second, opened, HOUR)
    for words in (str(first.folder), "last seen 2026-11-20 13:00.", "`moderator tick --take-over`"):
        assert words in said
    assert [mark.id for mark in marks(opened)] == [identity_of(first.config).id]
    assert look(second, opened, HOUR, take_over=True) == ""
    assert look(first, opened, 2 * HOUR) != ""
    assert look(second, opened, 3 * HOUR) == ""
    assert len(marks(opened)) == 1
    assert marks(opened)[0].where.endswith("second/moderator.sqlite.place")
    assert look(first, opened, 3 * HOUR, take_over=True) == ""
    assert look(second, opened, 4 * HOUR) != ""


@pytest.mark.slow
def test_a_mark_is_written_once_in_a_while(clubs: tuple[Club, Club], opened: Opened) -> None:
    written = []
    for minutes in range(0, 24 * 60, 20):
        waiting = 1 if 600 <= minutes < 720 else 0
        assert look(clubs[0], opened, timedelta(minutes=minutes), waiting) == ""
        written += [mark.at for mark in marks(opened) if mark.at not in written]
    assert [int((at - START).total_seconds() / 60) for at in written] == [0, 360, 600, 660, 1020, 1380]


def test_a_draft_that_a_dead_run_left_goes_with_the_next_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is killed cannot tidy up: each of these dies before the draft gets its name."""
    box, own = MaildirMailbox(tmp_path), Mark("0123456789abcdef", START, "here")
    drafts = tmp_path / "tmp"
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", Mock(side_effect=KeyboardInterrupt))
        patched.setattr(Path, "unlink", lambda *_words, **_options: None)
        for number in range(3):
            patched.setattr(os, "getpid", lambda number=number: 1000 + number)
            with pytest.raises(KeyboardInterrupt):
                box.mark(own, alone=False)
            assert len(list(drafts.iterdir())) == 1
    box.mark(own, alone=False)
    assert box.marks() == [own]
    assert list(drafts.iterdir()) == []


def test_two_that_look_in_the_same_moment(clubs: tuple[Club, Club], opened: Opened, tmp_path: Path) -> None:
    """Each finds nothing and leaves its mark: one of them, at least, finds the other's afterwards."""
    first, second = clubs

    class Meanwhile:
        def __init__(self, box: Mailbox) -> None:
            self.box, self.asked = box, 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self.box, name)

        def mark(self, mark: Mark, alone: bool) -> None:
            assert look(second, opened, 0 * HOUR) == ""
            self.box.mark(mark, alone)

    with opened() as box:
        meanwhile: Any = Meanwhile(box)
        stopped = look(first, lambda: nullcontext(meanwhile), 0 * HOUR)
    assert stopped or look(second, opened, HOUR)


def test_a_copy_is_another_one_and_what_was_moved_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = make_club(tmp_path / "club")
    own = identity_of(club.config).id
    assert identity_of(club.config).id == own
    copy = copied(club, tmp_path / "copy")
    assert identity_of(copy.config).id != own
    monkeypatch.setattr("socket.gethostname", lambda: "another-name")  # a container that was made anew
    assert identity_of(club.config).id == own
    elsewhere = copied(club, tmp_path / "elsewhere")
    shutil.rmtree(club.folder)
    elsewhere.folder.rename(club.folder)  # copied to another machine, into a folder of the same name
    assert identity_of(club.config).id != own
    monkeypatch.undo()
    kept = identity_of(copy.config).id
    copy.folder.rename(tmp_path / "moved")
    assert identity_of(at(tmp_path / "moved", copy).config).id == kept


@pytest.mark.parametrize("content", ["", "{", "[]", '{"id": 1}', '"x"'])
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: str) -> None:
    club = make_club(tmp_path / "club")
    file = tmp_path / "club" / "moderator.sqlite.place"
    identity_of(club.config)
    assert file.stat().st_mode & 0o077 == 0
    file.write_text(content, encoding="utf-8")
    assert identity_of(club.config) == identity_of(club.config)


def test_marks_are_no_mails(clubs: tuple[Club, Club], opened: Opened) -> None:
    assert look(clubs[0], opened, 0 * HOUR) == ""
    with opened() as box:
        assert box.waiting() == 0
        assert list(box.fetch(lambda keys: set(), 10**6)) == []
        assert box.bring_back(START - DAY) == 0


@pytest.mark.servers
def test_a_server_that_takes_no_mark_stops_nobody(
    clubs: tuple[Club, Club], mailbox: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    from imapclient import IMAPClient
    from imapclient.exceptions import IMAPClientError

    def full(*_: Any, **__: Any) -> None:
        raise IMAPClientError("[OVERQUOTA] Quota exceeded")

    monkeypatch.setattr(IMAPClient, "append", full)
    assert look(clubs[0], lambda: ImapMailbox(mailbox.imap()), 0 * HOUR) == ""
    monkeypatch.setattr(IMAPClient, "create_folder", full)
    assert look(clubs[0], lambda: ImapMailbox(mailbox.imap()), 2 * HOUR) == ""


@pytest.mark.servers
def test_somebodys_own_mail_in_the_folder_is_left_alone(clubs: tuple[Club, Club], mailbox: Box) -> None:
    note = b"Subject: do not touch\r\n\r\nThe club's.\r\n"
    client = mailbox.client()
    client.create_folder("moderator-mark")
    client.append("moderator-mark", note)
    for after in (0, 2, 4):
        assert look(clubs[0], lambda: ImapMailbox(mailbox.imap()), after * HOUR) == ""
    assert len(mailbox.folder("moderator-mark")) == 2
    assert note in mailbox.folder("moderator-mark")


def test_a_tick_of_a_copy_takes_nothing_and_a_restored_club_takes_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = club_of(tmp_path / "club", "Anna", "Bert")
    code = club.start("Anna", "Bert")
    backup, _ = create_backup(club.config, tmp_path / "backup.zip", club.now, False)
    copy = copied(club, tmp_path / "copy")
    with copy.config.file.open("a", encoding="utf-8") as settings:
        settings.write(f'[maildir]\ninbox = "{club.config.resolve_path(club.config.maildir.inbox)}"\n')
    copy = at(copy.folder, copy)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    with pytest.raises(OperatorError, match="Another installation"):
        copy.tick()
    assert copy.row(code).entries == 0
    club.tick()
    assert club.row(code).entries == 1

    restore_backup(copy.config, backup, club.now, force=True)
    copy.tick()
    assert copy.row(code).entries == 1, "the order was read again"
    club.now += timedelta(hours=7)
    with pytest.raises(OperatorError, match="Another installation"):
        club.tick()
    copy.now = club.now
    copy.tick()


def test_the_command_says_what_to_do(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    inbox = club.config.resolve_path(club.config.maildir.inbox)
    with MaildirMailbox(inbox) as box:
        box.mark(Mark("another", club.now, "post, /srv/club"), alone=True)
    assert "post, /srv/club" in refuse_command(club, "tick")
    type_command(club, "tick", "--take-over")
    type_command(club, "tick")
