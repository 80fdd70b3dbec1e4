"""What the moderator must remember between runs, by keys; and what this club's mails to itself are known by, and what
the last of them have shown (diagnostics/mail_trial.py)."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, text
from sqlmodel import Session, col, func, or_, select

from moderator.common import tokens
from moderator.store import due_work
from moderator.store.database import transaction_notes
from moderator.store.due_work import (
    ENTRIES,
    MAILS,
    POLLED,
    RIGHT,
    RULING,
    build_poll_statement,
    build_silence_statement,
)
from moderator.store.tables import EventRow, InboxRow, KeyValue

_SECRET = "trial-secret"
_TRIED = "trial-tried"


@dataclass(frozen=True)
class TrialResult:
    """The separators of sub-addresses that were tried with this address, and those that led into the inbox."""

    address: str
    day: str
    """ISO 8601."""
    ways: tuple[str, ...]
    good: tuple[str, ...]


def find_trial_secret(place: due_work.Place) -> str:
    """Find the secret; "" where no mail was ever sent. Raises StoreError."""
    return due_work.load_value_at(place, _SECRET)


def get_or_create_trial_secret(place: due_work.Place) -> str:
    """Return the secret, created at the first call. Raises StoreError."""
    if not find_trial_secret(place):
        due_work.save_value_at(place, _SECRET, secrets.token_hex(16))
    return find_trial_secret(place)


def record_trial(place: due_work.Place, tried: TrialResult) -> None:
    due_work.save_value_at(place, _TRIED, json.dumps(asdict(tried)))


def find_last_trial(place: due_work.Place) -> TrialResult | None:
    """Find the last result; None where nothing was ever tried, or nothing that can be read."""
    try:
        values = json.loads(due_work.load_value_at(place, _TRIED))
        return TrialResult(values["address"], values["day"], tuple(values["ways"]), tuple(values["good"]))
    except (ValueError, KeyError, TypeError):
        return None


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
class UnreadableMail:
    """A mail that the mailbox does not hand out."""

    where: str
    """How the operator finds it."""
    since: datetime
    told: bool = False

    @classmethod
    def decode_all(cls, text: str | None) -> dict[str, UnreadableMail]:
        """Decode the stored text: mails by their keys."""
        kept = json.loads(text or "{}")
        return {key: cls(where, datetime.fromisoformat(at), told) for key, (where, at, told) in kept.items()}

    @staticmethod
    def encode_all(mails: Mapping[str, UnreadableMail]) -> str:
        values = {key: [one.where, one.since.isoformat(), one.told] for key, one in mails.items()}
        return json.dumps(values, ensure_ascii=False)


def build_notice_key(referee: int | None) -> str:
    """Build the key of the value that holds what the chief (None) or a referee was reported to be waiting."""
    return "today-told" if referee is None else f"today-told-{referee}"


def build_bot_key(name: str) -> str:
    """Build the key of the last failure of this robot's program: time, match and reason."""
    return f"bot-{name}"


def build_failure_key(code: str) -> str:
    """Build the key of the reason for which a step of that tournament failed."""
    return f"failed-{code}"


def find_value(session: Session, key: str) -> str | None:
    """Find the value of a key; None = nothing was written yet."""
    row = _find_row(session, key)
    return None if row is None else row.value


def save_value(session: Session, key: str, value: str) -> None:
    """Save the value of a key. Of two workers that write it for the first time, one writes the row."""
    row = _find_row(session, key)
    if row is None:
        session.connection().execute(_FIRST, {"key": key, "value": value})
    else:
        row.value = value
        session.add(row)


def delete_value(session: Session, key: str) -> None:
    """Delete the value of a key."""
    row = _find_row(session, key)
    if row is not None:
        session.delete(row)
        session.flush()
        transaction_notes(session)["values"].pop(key)


def get_or_create_value(session: Session, key: str, make: Callable[[], str]) -> KeyValue:
    """Return the row of this key; where there is none yet, create one with a value that ``make`` makes.

    The club's own secrets are created in this way: once, also where two workers need them at the same moment."""
    found = _find_row(session, key)
    if found is None:
        session.connection().execute(_FIRST, {"key": key, "value": make()})
        found = session.get_one(KeyValue, key)
    return found


def _find_row(session: Session, key: str) -> KeyValue | None:
    """Find the row of a key; loaded once in a transaction, and the pending rulings with it."""
    known: dict[str, KeyValue] = transaction_notes(session).setdefault("values", {})
    if key not in known:
        wanted = {key, SECRET, WRONG_TOKENS, PUBLISHED} - known.keys()
        found = session.exec(_ROWS, params={"keys": sorted(wanted)}).all()
        known |= {row.key: row for row in found}
        transaction_notes(session)["rulings"] = [row for row in found if row.key.startswith(RULING)]
    return known.get(key)


def record_poll(connection: Connection, began: datetime) -> None:
    """Record that the mailbox was read to its end by a poll that began then."""
    entry, values = build_poll_statement(began)
    connection.execute(text(entry), values)


def mark_mailbox_silent(session: Session, since: datetime) -> None:
    """Mark that the mailbox has not been read since then, see ``due_work.mark_mailbox_silent_at``."""
    entry, values = build_silence_statement(since)
    session.connection().execute(text(entry), values)


def save_clock_trust(session: Session, now: datetime, behind: bool) -> None:
    """Save the moderator's word that it is ``now``; ``behind``: times recorded later were recorded under a wrong
    clock."""
    said = now.astimezone(UTC).isoformat()
    save_value(session, RIGHT, said)
    if behind:
        save_value(session, POLLED, said)
        for key, row in ((ENTRIES, EventRow), (MAILS, InboxRow)):
            save_value(session, key, str(session.exec(select(func.max(row.id))).one() or 0))


def record_published_site(connection: Connection, value: str) -> None:
    """Record that the site was written; ``value`` as views/links.py reads it."""
    entry = "INSERT INTO keyvalue (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = :value"
    connection.execute(text(entry), {"key": PUBLISHED, "value": value})


def list_pending_rulings(session: Session, for_update: bool = False) -> Sequence[KeyValue]:
    """List the rulings that the house list may not have yet, in the order in which they were made. ``for_update``: no
    other worker writes them meanwhile."""
    known: Sequence[KeyValue] | None = None if for_update else transaction_notes(session).get("rulings")
    return session.exec(_RULINGS.with_for_update() if for_update else _RULINGS).all() if known is None else known


def add_pending_ruling(session: Session, line: str) -> None:
    """Add one more ruling for the house list."""
    rows = list_pending_rulings(session)
    number = int(rows[-1].key.removeprefix(RULING)) + 1 if rows else 1
    session.add(KeyValue(key=f"{RULING}{number:09}", value=line))
    session.flush()
    transaction_notes(session).pop("rulings", None)


def list_values_by_prefix(session: Session, start: str) -> Sequence[KeyValue]:
    """List the rows whose keys begin with ``start``."""
    return session.exec(select(KeyValue).where(col(KeyValue.key).startswith(start))).all()


_MODERATOR_TOKEN = "moderator-token"
"""Key of the moderator's token: whoever answers to the address that carries it commands."""


def ensure_moderator_token(session: Session, new: bool = False) -> str:
    """Return the token in force; made when it is first asked for. ``new``: another one, so that the old one opens
    nothing."""
    row = get_or_create_value(session, _MODERATOR_TOKEN, tokens.generate_token)
    if new:
        row.value = tokens.generate_token()
        session.add(row)
        session.flush()
    return row.value
