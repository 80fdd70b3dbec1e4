"""Playing a run through: in a copy of the database, nothing sent, nothing moved. `tick --dry-run` says what the next
run would do, `moderator rehearse` what would have become of an archive of mails."""

from __future__ import annotations

import email
import email.header
import hashlib
import mailbox
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path

from moderator.backup.restore import move_database
from moderator.common import disk
from moderator.common.errors import OperatorError
from moderator.common.mails import RawMail, Ready
from moderator.mail.transport import OneByOne, Polled
from moderator.mail.transports import open_mailbox
from moderator.rules.time.calendar import format_local_time, to_local_day
from moderator.run.context import RunContext
from moderator.run.deadlines import run_deadlines
from moderator.run.fetch import fetch_mails
from moderator.run.handle import MailHandler
from moderator.run.log import RunSummary
from moderator.run.steps import begin_backlog, run_steps, send_backlog_mails
from moderator.settings import Config, StoreSettings
from moderator.store import due_work, inbox, outbox
from moderator.store.database import Store, open_store
from moderator.views.match_cache import MatchCache


def preview_tick(config: Config) -> Iterator[str]:
    """Yield lines for the operator: what a tick would do now and which mails it would send."""
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_club(config, Path(folder))
        now, summary = config.read_clock(), RunSummary()
        with closing(open_store(copy.database)) as store:
            before = _get_newest_mail(store)
            run = RunContext(copy, store, MatchCache(copy), lambda: now, summary)
            with open_mailbox(config) as box:
                fetch_mails(run, box)
            left = due_work.find_pending_work(store.place, now)
            begin_backlog(run, left)
            MailHandler(run, left.begun).handle_rest()
            run_deadlines(run, now)
            send_backlog_mails(run)
            yield (
                f"{summary.taken} new mails, {summary.handled} would be handled, {summary.deadlines} deadlines, "
                f"{summary.reminders} reminders"
            )
            yield from (f"quarantine: {line}" for line in summary.quarantined)
            yield from summary.troubles
            with store.begin_transaction() as session:
                for row, raw in outbox.list_unsent_mails(session):
                    kind = "new" if (row.id or 0) > before else "waiting"
                    yield f"{kind} mail to {row.recipient}: {decode_subject(raw)}"


def copy_club(config: Config, folder: Path) -> Config:
    """Copy the database and the house list; returns settings that name the copies, so that nothing real is touched."""
    if config.store.url:
        move_database(config, folder / "copy.sqlite")
    else:
        path = config.resolve_path(config.store.path)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(folder / "copy.sqlite")) as target:
            source.backup(target)
    house = config.resolve_path(config.words.house)
    if house.exists():
        shutil.copy(house, folder / "house.tsv")
    words = replace(config.words, house=folder / "house.tsv", folder=config.resolve_path(config.words.folder).resolve())
    made = replace(config, words=words, store=StoreSettings((folder / "copy.sqlite").resolve()))
    object.__setattr__(made, "file", config.file)
    return made


def decode_subject(raw: bytes) -> str:
    """Decode the subject of a mail of ours."""
    head = email.message_from_bytes(raw.partition(b"\r\n\r\n")[0])
    return str(email.header.make_header(email.header.decode_header(head.get("Subject", ""))))


# ---- an archive of mails, played against a copy of the database: each mail is handled when it came, and deadlines and
# reminders happen between them ----

STEP = timedelta(hours=1)
"""How often the clock is looked at between two mails."""


@dataclass
class MailList(Polled):
    """A mailbox that is a list of mails. It keeps none of them: a run knows by their keys which it has read."""

    waits: list[RawMail] = field(default_factory=list)

    def waiting(self) -> int:
        return len(self.waits)

    def fetch(self, known: Callable[[Sequence[str]], set[str]], max_bytes: int) -> Iterator[list[RawMail]]:
        there = known([mail.key for mail in self.waits])
        fresh = [mail for mail in self.waits if mail.key not in there]
        if fresh:
            yield [mail if mail.size <= max_bytes else replace(mail, data=mail.data[: 64 * 1024]) for mail in fresh]

    def file_away(self, processed: Sequence[str], failed: Sequence[str]) -> None:
        """Do nothing: the list stays as it is."""

    def bring_back(self, since: datetime) -> int:
        """Return 0: nothing was ever moved."""
        return 0


@dataclass
class _Folder(OneByOne):
    """A sender that writes each mail into a folder; those that waited before the rehearsal began are left out."""

    out: Path | None
    before: int
    sent: list[tuple[str, str]] = field(default_factory=list)
    """(recipient, subject) since it was last asked."""

    def deliver(self, mail: Ready) -> str:
        if mail.row > self.before:
            self.sent.append((mail.recipient, decode_subject(mail.data)))
            self._write_mail(mail)
        return "rehearsed"

    def _write_mail(self, mail: Ready) -> None:
        if self.out is None:
            return
        name = "".join(letter if letter.isalnum() or letter in ".@-" else "_" for letter in mail.recipient)
        try:
            (self.out / f"{mail.row:06d}-{name}.eml").write_bytes(mail.data)
        except OSError as error:
            raise OperatorError(
                *disk.describe_os_error(error, "write into", self.out, "Name another --out.")
            ) from error

    def check(self) -> None:
        """Do nothing: there is nothing to check."""


def play_archive(config: Config, archive: Path, since: datetime | None, out: Path | None) -> Iterator[str]:
    """Yield lines for the operator: each mail of the archive and what it led to, and a sum for each day.

    ``since`` leaves out what came before; mails out are written to ``out`` as .eml."""
    mails = [mail for mail in read_archive(archive) if since is None or mail.received >= since]
    if not mails:
        raise OperatorError(f"No mail in {archive} is as new as that.", "Give an earlier --since.")
    if out is not None:
        with suppress(FileExistsError):
            out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        yield from _play_mails(copy_club(config, Path(folder)), mails, out)


def _play_mails(config: Config, mails: Sequence[RawMail], out: Path | None) -> Iterator[str]:
    with closing(open_store(config.store.path)) as store:
        context = RunContext(config, store, MatchCache(config), config.read_clock, RunSummary())
        run = _Run(context, _Folder(out, _get_newest_mail(store)))
        due_work.save_value_at(config.store.path, due_work.POLLED, mails[0].received.astimezone(UTC).isoformat())
        now = mails[0].received
        for mail in mails:
            while now + STEP < mail.received:
                now += STEP
                yield from run.pass_time(now)
            now = mail.received
            yield from run.take_mail(mail)
        yield from run.close_day()
        yield f"In all: {run.total.handled} mails handled, {run.total.deadlines} deadlines, {run.mails} mails out."


def _get_newest_mail(store: Store) -> int:
    """Return the number of the last mail that was made before."""
    with store.begin_transaction() as session:
        return outbox.get_newest_outbox_id(session)


@dataclass
class _Run:
    run: RunContext
    folder: _Folder
    total: RunSummary = field(default_factory=RunSummary)
    today: RunSummary = field(default_factory=RunSummary)
    day: str = ""
    mails: int = 0
    out_today: int = 0

    def pass_time(self, now: datetime) -> Iterator[str]:
        """Let an hour without a mail pass: deadlines and reminders."""
        config, place = self.run.config, self.run.store.place
        hour = config.club.compute_last_daily_time(now)
        if due_work.check_idle(place, now, config.guard.settling_time, hour).due:
            yield from self._run_tick(MailList(), now)
        else:
            due_work.record_poll_at(place, now)

    def take_mail(self, mail: RawMail) -> Iterator[str]:
        """Take a mail of the archive."""
        taken = self.total.taken
        said = list(self._run_tick(MailList([mail]), mail.received))
        with self.run.store.begin_transaction() as session:
            row = inbox.get_mail_by_key(session, mail.key)
            state = f"{row.state}: {row.reason}" if row.reason else row.state
            sender = row.sender
        if self.total.taken == taken:
            state = "in the database already, left aside"
        yield f"{format_local_time(mail.received, self.run.config.club.zone)} {sender}: {state}"
        yield from said

    def _run_tick(self, box: MailList, now: datetime) -> Iterator[str]:
        summary = RunSummary()
        day = to_local_day(now, self.run.config.club.zone).isoformat()
        if self.day and self.day != day:
            yield from self.close_day()
        self.day = day
        run_steps(replace(self.run, clock=lambda: now, summary=summary), box, self.folder)
        for whole in (self.total, self.today):
            whole.taken += summary.taken
            whole.handled += summary.handled
            whole.deadlines += summary.deadlines
            whole.reminders += summary.reminders
        yield from (f"    -> {recipient}: {subject}" for recipient, subject in self.folder.sent)
        yield from (f"    !! {line}" for line in (*summary.quarantined, *summary.troubles))
        self.mails += len(self.folder.sent)
        self.out_today += len(self.folder.sent)
        self.folder.sent.clear()

    def close_day(self) -> Iterator[str]:
        """Yield the sum of a day on which something happened."""
        day = self.today
        if day.handled or day.deadlines or day.reminders or self.out_today:
            yield (
                f"== {self.day}: {day.handled} mails handled, {day.deadlines} deadlines, {day.reminders} reminders, "
                f"{self.out_today} mails out"
            )
        self.today, self.out_today = RunSummary(), 0


def read_archive(path: Path) -> list[RawMail]:
    """Read all mails of an mbox file, a Maildir or a folder of .eml files, oldest first. Raises OperatorError.

    The time of a mail is that of its topmost Received header, else of its Date; one that has neither is left out."""
    mails = []
    copies: Counter[str] = Counter()
    for data in _iter_archive(path):
        message = email.message_from_bytes(data)
        when = find_received_time(message)
        if when is not None:
            digest = hashlib.sha256(data).hexdigest()
            copies[digest] += 1
            place = f"archive:{digest}:{copies[digest]}"
            mails.append(RawMail(place, data, when, len(data), place))
    if not mails:
        raise OperatorError(f"There is no mail in {path}.", "Name an mbox file, a Maildir or a folder of .eml files.")
    return sorted(mails, key=lambda mail: mail.received)


def _iter_archive(path: Path) -> Iterator[bytes]:
    if not path.exists():
        raise OperatorError(f"There is no {path}.", "Name an mbox file, a Maildir or a folder of .eml files.")
    try:
        if path.is_file() and path.suffix.lower() != ".eml":
            yield from _iter_box(mailbox.mbox(path, create=False))
        elif (path / "cur").is_dir():
            yield from _iter_box(mailbox.Maildir(path, create=False))
        else:
            files = [path] if path.is_file() else sorted(path.rglob("*.eml"))
            yield from (file.read_bytes() for file in files)
    except OSError as error:
        raise OperatorError(*disk.describe_os_error(error, "read", path, "Check its permissions.")) from error


def _iter_box(box: mailbox.mbox | mailbox.Maildir) -> Iterator[bytes]:
    try:
        for key in box.keys():  # noqa: SIM118 - a mailbox is no mapping: iterating it gives the mails
            yield box.get_bytes(key)
    finally:
        box.close()


def find_received_time(message: Message) -> datetime | None:
    """Find when a mail reached the mailbox (aware UTC), as far as its headers say."""
    stamps = [str(value).rpartition(";")[2] for value in message.get_all("Received", [])[:1]]
    for stamp in [*stamps, str(message.get("Date", ""))]:
        try:
            found = parsedate_to_datetime(stamp.strip())
        except (ValueError, TypeError):
            continue
        return found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    return None
