"""A sandbox: a copy of the club in a folder of its own, whose clock is turned by hand. It tells what a season would
bring under these settings: who would be late, what would be paired, which mails would go out.

Nothing of the club is touched and nobody is written to: the copy knows no mail server. Its mails come from
``FOLDER/in`` and go to ``FOLDER/out``, and whatever else is done there (``--config FOLDER/moderator.toml``) happens at
its own time, see ``Config.now``."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from moderator.backup import archive
from moderator.backup.restore import move_database
from moderator.common import disk
from moderator.common.enums import LogEntryKind, MailKind
from moderator.common.errors import OperatorError
from moderator.common.secret_settings import remove_secrets
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.mail.maildir import MaildirMailbox, deliver_to_maildir
from moderator.rules.time.calendar import format_local_time
from moderator.run.log import RunSummary
from moderator.run.tick import run_tick
from moderator.settings import CLOCK, Config, load_config
from moderator.store import due_work, inbox, matches, matches_log, outbox, tournaments
from moderator.store.database import Session, open_reading_session, open_store
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork

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
    _deliver_answers(config, moment)
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


def _deliver_answers(config: Config, now: datetime) -> None:
    """Deliver what lies in ``in`` as mails that came now: files (.eml), and mails of a mail program."""
    inbox = config.resolve_path(config.maildir.inbox)
    for file in sorted(inbox.glob("*.eml")):
        deliver_to_maildir(inbox, file.read_bytes())
        file.unlink()
    for part in ("new", "cur"):
        for file in (inbox / part).iterdir():
            os.utime(file, (now.timestamp(), now.timestamp()))


# ---- what has happened ----


def _iter_report_lines(config: Config, troubles: Iterable[str], began: datetime) -> Iterator[str]:
    with closing(open_store(config.database)) as store, store.begin_transaction() as session:
        mails = outbox.count_mails_by_kind(session, began)
        happened = [
            (inbox.count_handled_mails(session, began), "mail", "mails", "handled"),
            (mails.get(MailKind.REMINDER.value, 0), "reminder", "reminders", ""),
            *_count_happenings(session, began),
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


def _count_happenings(session: Session, began: datetime) -> list[tuple[int, str, str, str]]:
    """Count what has happened: (how many, of what: one, several, what became of them)."""
    entries = matches_log.count_events_by_kind(session, began)
    steps = Counter(step.partition(":")[0] for step in tournaments.list_steps_since(session, began))
    return [
        (entries.get(LogEntryKind.MISS, 0), "turn", "turns", "missed"),
        (entries.get(LogEntryKind.EVALUATE, 0), "round", "rounds", "evaluated"),
        (len(matches_log.list_vacated_seats(session, began)), "seat", "seats", "given up"),
        (matches.count_ended_matches(session, began), "match", "matches", "ended"),
        (steps["open"], "registration", "registrations", "opened"),
        (steps["pair"], "round of a tournament", "rounds of tournaments", "paired"),
        (steps["finish"], "tournament", "tournaments", "finished"),
    ]
