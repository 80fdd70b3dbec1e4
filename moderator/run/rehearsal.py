"""Playing a run through: in a copy of the database, nothing sent, nothing moved. `tick --dry-run` says what the next
run would do, `moderator rehearse` what would have become of an archive of mails, `moderator sandbox` what a season
would bring."""

from __future__ import annotations

import dataclasses
import email
import email.header
import hashlib
import json
import mailbox
import os
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

from moderator.backup import archive
from moderator.backup.restore import move_database
from moderator.common import disk
from moderator.common.enums import LogEntryKind, MailKind
from moderator.common.errors import OperatorError
from moderator.common.mails import RawMail, Ready
from moderator.common.secret_settings import remove_secrets
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.mail.maildir import MaildirMailbox, deliver_to_maildir
from moderator.mail.transport import OneByOne, Polled
from moderator.mail.transports import open_mailbox
from moderator.rules.time.calendar import format_local_time, to_local_day
from moderator.run.context import RunContext
from moderator.run.deadlines import run_deadlines
from moderator.run.fetch import fetch_mails
from moderator.run.handle import MailHandler
from moderator.run.log import RunSummary
from moderator.run.steps import begin_backlog, run_steps, send_backlog_mails
from moderator.run.tick import run_tick
from moderator.settings import CLOCK, Config, StoreSettings, load_config
from moderator.store import due_work, inbox, matches, matches_log, outbox, tournaments
from moderator.store.database import Store, open_reading_session, open_store
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork


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
                f"new mails {summary.taken}, would be handled {summary.handled}; deadlines {summary.deadlines}, "
                f"reminders {summary.reminders}"
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
            name = "".join(letter if letter.isalnum() or letter in ".@-" else "_" for letter in mail.recipient)
            try:
                if self.out is not None:
                    (self.out / f"{mail.row:06d}-{name}.eml").write_bytes(mail.data)
            except OSError as error:
                raise OperatorError(
                    *disk.describe_os_error(error, "write into", self.out or "", "Name another --out.")
                ) from error
        return "rehearsed"

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
        yield f"In all: mails handled {run.total.handled}, deadlines {run.total.deadlines}, mails out {run.mails}."


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
                f"== {self.day}: mails handled {day.handled}, deadlines {day.deadlines}, reminders {day.reminders}, "
                f"mails out {self.out_today}"
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


# ---- a sandbox: a copy of the club in a folder of its own, whose clock is turned by hand. It tells what a season would
# bring under these settings: who would be late, what would be paired, which mails would go out
#
# Nothing of the club is touched and nobody is written to: the copy knows no mail server. Its mails come from
# ``FOLDER/in`` and go to ``FOLDER/out``, and whatever else is done there (``--config FOLDER/moderator.toml``) happens
# at its own time, see ``Config.now``.


SETTINGS, TOLD = "moderator.toml", "told"
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
OURS: dict[str, dict[str, Any]] = {
    "mail": {"transport": "maildir"},
    "maildir": {"inbox": Path("in"), "outbox": Path("out")},
    "words": {"folder": Path("lexicons"), "house": Path("house.tsv")},
    "club": {"backup_days": 0},
}
"""Settings of every sandbox, whatever the club's are."""
LEFT_OUT = ("bots", "imap", "smtp", "transport", "store", "log")
"""Servers, passwords, the database of the club: the sandbox has its own, or none."""


def create_sandbox(config: Config, folder: Path, now: datetime) -> bool:
    """Copy the club into a folder that is not there or empty; returns False where it is a sandbox already. All of it or
    nothing. Raises OperatorError."""
    if (folder / CLOCK).exists():
        return False
    if (config.file.parent / CLOCK).exists():
        raise OperatorError(f"{config.file} is that of a sandbox.", "Make another one of the club itself.")
    try:
        folder = folder.resolve()
        if folder == Path.cwd():
            raise OperatorError("The folder that you are in cannot become a sandbox.", "Name a new folder.")
        if folder.exists() and any(folder.iterdir()):
            raise OperatorError(f"{folder} is not empty.", "Name a new folder.")
        part = folder.with_name(f".{folder.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True, mode=0o700)  # it holds everybody's mails and tiles
        try:
            _fill_sandbox(config, part, now)
            if folder.exists():
                folder.rmdir()
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise OperatorError(*disk.describe_os_error(error, "write", folder, "Name another folder.")) from error
    return True


def _fill_sandbox(config: Config, folder: Path, now: datetime) -> None:
    target = folder / "moderator.sqlite"
    if isinstance(config.database, Path):
        with open_reading_session(config.database):  # of this version?
            archive.copy_database(config.database, target)
    else:
        move_database(config, target)
    target.chmod(0o600)
    house, lexicons = config.resolve_path(config.words.house), config.resolve_path(config.words.folder)
    if house.exists():
        shutil.copy(house, folder / "house.tsv")
    if lexicons.is_dir():
        shutil.copytree(lexicons, folder / "lexicons")
    (folder / SETTINGS).write_text(_format_settings(config), encoding="utf-8")
    MaildirMailbox(folder / "in")
    due_work.record_poll_at(target, now)  # what time has passed in the club's mailbox is no outage of the sandbox
    _write_time(folder / CLOCK, now)
    _write_time(folder / TOLD, now)


def _format_settings(config: Config) -> str:
    """Format the club's settings without what reaches out of the folder."""
    parts = [
        "# A sandbox, see `moderator sandbox --help`: a copy of a club, whose clock is turned and that sends nothing.\n"
    ]
    for table in dataclasses.fields(config):
        if table.init and table.name not in LEFT_OUT:
            given = dataclasses.asdict(getattr(config, table.name)) | OURS.get(table.name, {})
            if table.name == "site" and given["folder"]:
                given["folder"] = "site"
            lines = [f"{name} = {_format_toml(value)}\n" for name, value in given.items()]
            parts.append(f"[{table.name}]\n{''.join(lines)}")
    return "\n".join(parts)


def _format_toml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format_toml, value))}]"
    return json.dumps(remove_secrets(str(value)) if isinstance(value, Path | str) else value, ensure_ascii=False)


# ---- its clock ----


def _write_time(file: Path, moment: datetime) -> None:
    disk.replace_file(file, f"{moment.astimezone(UTC).isoformat()}\n".encode())


def _read_report_time(folder: Path, now: datetime) -> datetime:
    """Read the time up to which the operator has had a report: a run that was killed has reported nothing."""
    try:
        return datetime.fromisoformat((folder / TOLD).read_text(encoding="utf-8").strip())
    except (FileNotFoundError, ValueError):  # a sandbox of a version before
        return now


def run_sandbox_to(folder: Path, until: datetime) -> Iterator[str]:
    """Let time pass in the sandbox, with a run at every full hour.

    Yields lines for the operator at the end, of all that has happened since they were read last. Raises OperatorError
    for a time that is past there."""
    config = load_config(folder / SETTINGS)
    began, zone = config.read_clock(), config.club.zone
    since = _read_report_time(folder, began)
    if until < began:
        raise OperatorError(
            f"In this sandbox it is {format_local_time(began, zone)} already.",
            "Name a later time, or make another sandbox.",
        )
    troubles: dict[str, None] = {}
    moment = min(until, began + SECOND)  # what an earlier call did at that moment is not counted again
    inbox = config.resolve_path(config.maildir.inbox)
    for file in sorted(inbox.glob("*.eml")):
        deliver_to_maildir(inbox, file.read_bytes())
        file.unlink()
    for part in ("new", "cur"):
        for file in (inbox / part).iterdir():
            os.utime(file, (moment.timestamp(), moment.timestamp()))
    while True:
        summary = _run_tick(config, moment)
        _write_time(folder / CLOCK, moment)
        troubles |= dict.fromkeys((*summary.quarantined, *summary.troubles))
        if moment == until:
            break
        moment = min(until, moment.replace(minute=0, second=0, microsecond=0) + HOUR)
    yield f"From {format_local_time(since, zone)} to {format_local_time(until, zone)}:"
    yield from _iter_report_lines(config, troubles, since)
    _write_time(folder / TOLD, until)


def _run_tick(config: Config, moment: datetime) -> RunSummary:
    """Run a tick as if the mailbox had been read all the while: what is awaited is late, not lost."""
    due_work.record_poll_at(config.database, moment)
    return run_tick(config, lambda: moment)


# ---- what has happened ----


def _iter_report_lines(config: Config, troubles: Iterable[str], began: datetime) -> Iterator[str]:
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        mails = outbox.count_mails_by_kind(session, began)
        entries = matches_log.count_events_by_kind(session, began)
        steps = Counter(step.partition(":")[0] for step in tournaments.list_steps_since(session, began))
        happened = [
            (inbox.count_handled_mails(session, began), "mail", "mails", "handled"),
            (mails.get(MailKind.REMINDER.value, 0), "reminder", "reminders", ""),
            *[
                (entries.get(LogEntryKind.MISS, 0), "turn", "turns", "missed"),
                (entries.get(LogEntryKind.EVALUATE, 0), "round", "rounds", "evaluated"),
                (len(matches_log.list_vacated_seats(session, began)), "seat", "seats", "given up"),
                (matches.count_ended_matches(session, began), "match", "matches", "ended"),
                (steps["open"], "registration", "registrations", "opened"),
                (steps["pair"], "round of a tournament", "rounds of tournaments", "paired"),
                (steps["finish"], "tournament", "tournaments", "finished"),
            ],
        ]
        waits = Agenda(UnitOfWork(config, session, config.read_clock(), MatchCache(config))).list_tasks()
    said = (f"{count} {one if count == 1 else many} {how}".strip() for count, one, many, how in happened if count)
    yield ", ".join(said) or "Nothing happened."
    if mails:
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(mails.items(), key=lambda one: (-one[1], one[0])))
        place = config.resolve_path(config.maildir.outbox) / "new"
        yield f"Mails that would have gone out: {sum(mails.values())} ({kinds}), in {place}"
    if waits:
        what = "thing waits" if len(waits) == 1 else "things wait"
        yield f"{len(waits)} {what} for you then: moderator --config {config.file} today"
    yield from (f"!! {line}" for line in troubles)
