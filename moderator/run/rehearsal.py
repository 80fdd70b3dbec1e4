"""`tick --dry-run`: do everything in a copy of the database, send nothing, move nothing, and say what would happen."""

from __future__ import annotations

import dataclasses
import email
import email.header
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from moderator.config import Config
from moderator.mail import open_mailbox
from moderator.run.falling_due import run_deadlines
from moderator.run.intake import take_in
from moderator.run.summary import Summary
from moderator.states import OutboxState


def rehearse(config: Config) -> Iterator[str]:
    """Lines for the operator: what a tick would do now and which mails it would send."""
    from sqlmodel import col, func, select

    from moderator.club.live_match import RunCache
    from moderator.run import backlog
    from moderator.run.handling import Handling
    from moderator.store.db import open_store
    from moderator.store.models import Letter, Outbox

    with tempfile.TemporaryDirectory() as folder:
        path, copy = copied(config, Path(folder))
        store = open_store(path)
        now = datetime.now(UTC)
        summary = Summary()
        cache = RunCache(copy)
        try:
            with store.transaction() as session:
                before = session.exec(select(func.max(Outbox.id))).one() or 0
            box = open_mailbox(config)
            try:
                take_in(store, box, config.mail.max_bytes, lambda: now, summary)
            finally:
                box.close()
            backlog.begin(copy, store, cache, summary)
            Handling(copy, store, cache, lambda: now, summary).rest()
            run_deadlines(copy, store, cache, now, summary)
            backlog.end(copy, store, cache, now, summary)
            yield (
                f"{summary.taken} new mails, {summary.handled} would be handled, {summary.deadlines} deadlines, "
                f"{summary.reminders} reminders"
            )
            yield from (f"quarantine: {line}" for line in summary.quarantined)
            yield from summary.troubles
            with store.transaction() as session:
                query = (
                    select(Outbox, Letter.raw)
                    .join(Letter)
                    .where(col(Outbox.state).in_((OutboxState.QUEUED, OutboxState.SENDING)))
                )
                for row, raw in session.exec(query.order_by(col(Outbox.id))):
                    kind = "new" if (row.id or 0) > before else "waiting"
                    yield f"{kind} mail to {row.recipient}: {subject_of(raw)}"
        finally:
            store.close()


def copied(config: Config, folder: Path) -> tuple[Path, Config]:
    """A copy of the database, and the same settings with a copy of the house list, so that nothing real is touched."""
    if config.store.url:
        from moderator.backup.move import move

        move(config, folder / "copy.sqlite")
    else:
        source = sqlite3.connect(config.path(config.store.path))
        target = sqlite3.connect(folder / "copy.sqlite")
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()
    house = config.path(config.words.house)
    if house.exists():
        shutil.copy(house, folder / "house.tsv")
    words = dataclasses.replace(
        config.words, house=folder / "house.tsv", folder=config.path(config.words.folder).resolve()
    )
    made = dataclasses.replace(config, words=words)
    object.__setattr__(made, "file", config.file)
    return folder / "copy.sqlite", made


def subject_of(raw: bytes) -> str:
    """The subject of a mail of ours, decoded."""
    head = email.message_from_bytes(raw.partition(b"\r\n\r\n")[0])
    return str(email.header.make_header(email.header.decode_header(head.get("Subject", ""))))
