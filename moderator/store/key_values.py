"""What the moderator must remember between runs, by keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, text
from sqlmodel import Session, col, func, or_, select

from moderator.store.db import notes
from moderator.store.models import Event, Inbox, KeyValue
from moderator.store.probe import ENTRIES, MAILS, POLLED, RIGHT, RULING, poll_entry, silent_entry

ASKED = "clock-asked"
"""Key of what the moderator was asked about the clock: the time since which deadlines would move."""
SECRET, WRONG_TOKENS, PUBLISHED = "secret", "wrong-tokens", "published"
"""What nearly every mail needs, so these are asked for together."""
_ROWS = (
    select(KeyValue)
    .where(or_(col(KeyValue.key).in_(bindparam("keys", expanding=True)), col(KeyValue.key).startswith(RULING)))
    .order_by(col(KeyValue.key))
)
_RULINGS = select(KeyValue).where(col(KeyValue.key).startswith(RULING)).order_by(col(KeyValue.key))
_FIRST = text("INSERT INTO keyvalue (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING")


@dataclass
class Unread:
    """A mail that the mailbox does not hand out."""

    where: str
    """How the operator finds it."""
    since: datetime
    told: bool = False

    @classmethod
    def read(cls, text: str | None) -> dict[str, Unread]:
        """By the mail's key."""
        kept = json.loads(text or "{}")
        return {key: cls(where, datetime.fromisoformat(at), told) for key, (where, at, told) in kept.items()}

    @staticmethod
    def written(mails: Mapping[str, Unread]) -> str:
        values = {key: [one.where, one.since.isoformat(), one.told] for key, one in mails.items()}
        return json.dumps(values, ensure_ascii=False)


def told_to(referee: int | None) -> str:
    """The key of what the chief (None) or a referee was told to be waiting."""
    return "today-told" if referee is None else f"today-told-{referee}"


def bot(name: str) -> str:
    """The key of when, in which match and why what plays for the robot of that name had no answer last."""
    return f"bot-{name}"


def tournament_failed(code: str) -> str:
    """The key of why a step of that tournament could not be done."""
    return f"failed-{code}"


def read(session: Session, key: str) -> str | None:
    """None = nothing was written yet."""
    row = _row(session, key)
    return None if row is None else row.value


def write(session: Session, key: str, value: str) -> None:
    """From now on ``key`` has this value. Of two workers that write it for the first time, one writes the row."""
    row = _row(session, key)
    if row is None:
        session.connection().execute(_FIRST, {"key": key, "value": value})
    else:
        row.value = value
        session.add(row)


def remove(session: Session, key: str) -> None:
    """It has no value any more."""
    row = _row(session, key)
    if row is not None:
        session.delete(row)
        session.flush()
        notes(session)["values"].pop(key)


def made_once(session: Session, key: str, make: Callable[[], str]) -> KeyValue:
    """The row of this key; where there is none yet, one with a value that ``make`` makes. The club's own secrets are
    made that way: once, also where two workers need them at the same moment."""
    found = _row(session, key)
    if found is None:
        session.connection().execute(_FIRST, {"key": key, "value": make()})
        found = session.get_one(KeyValue, key)
    return found


def _row(session: Session, key: str) -> KeyValue | None:
    """What is there is asked for once in a transaction; the rulings that wait come with it."""
    known: dict[str, KeyValue] = notes(session).setdefault("values", {})
    if key not in known:
        wanted = {key, SECRET, WRONG_TOKENS, PUBLISHED} - known.keys()
        found = session.exec(_ROWS, params={"keys": sorted(wanted)}).all()
        known |= {row.key: row for row in found}
        notes(session)["rulings"] = [row for row in found if row.key.startswith(RULING)]
    return known.get(key)


def note_poll(connection: Connection, began: datetime) -> None:
    """The mailbox was read to its end by a poll that began then."""
    entry, values = poll_entry(began)
    connection.execute(text(entry), values)


def mark_silent(session: Session, since: datetime) -> None:
    """Since then the mailbox has not been read, see ``probe.mark_silent``."""
    entry, values = silent_entry(since)
    session.connection().execute(text(entry), values)


def trust_clock(session: Session, now: datetime, behind: bool) -> None:
    """The moderator says that it is ``now``; ``behind``: what was noted later was noted under a wrong clock."""
    said = now.astimezone(UTC).isoformat()
    write(session, RIGHT, said)
    if behind:
        write(session, POLLED, said)
        for key, row in ((ENTRIES, Event), (MAILS, Inbox)):
            write(session, key, str(session.exec(select(func.max(row.id))).one() or 0))


def note_published(connection: Connection, value: str) -> None:
    """The site was written; ``value`` as club/archive.py reads it."""
    entry = "INSERT INTO keyvalue (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value"
    connection.execute(text(entry), {"key": PUBLISHED, "value": value})


def rulings(session: Session, mine: bool = False) -> Sequence[KeyValue]:
    """Rulings that the house list may not have yet, in the order of the deeds. ``mine``: no other worker writes them
    meanwhile."""
    known: Sequence[KeyValue] | None = None if mine else notes(session).get("rulings")
    return session.exec(_RULINGS.with_for_update() if mine else _RULINGS).all() if known is None else known


def add_ruling(session: Session, line: str) -> None:
    """One more."""
    rows = rulings(session)
    number = int(rows[-1].key.removeprefix(RULING)) + 1 if rows else 1
    session.add(KeyValue(key=f"{RULING}{number:09}", value=line))
    session.flush()
    notes(session).pop("rulings", None)


def beginning(session: Session, start: str) -> Sequence[KeyValue]:
    """The rows whose keys begin so."""
    return session.exec(select(KeyValue).where(col(KeyValue.key).startswith(start))).all()
