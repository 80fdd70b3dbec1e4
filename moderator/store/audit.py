"""Who did what by a command. Append-only; what happened to a match stands in its log besides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Index, insert
from sqlmodel import Field, Session, col, func, select

from moderator.common.enums import Actor
from moderator.store.club_tables import TableRow, build_enum_type

LONGEST = 500
"""Letters of a detail."""


class Audit(TableRow, table=True):
    """Something that somebody did by a command, by mail or on the command line. Holds no passwords and no tokens."""

    __table_args__ = (Index("audit_at", "at"), Index("audit_inbox", "inbox_id"))

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    by: Actor = Field(sa_type=build_enum_type(Actor))
    who: str
    """The player's or referee's name, or the machine's user; "" for the moderator. Players choose their names, so only
    ``by`` says for sure what somebody is."""
    action: str
    """As the command is called: "player set", "extend", "leave"."""
    about: str = ""
    """Code of the match or tournament; kept also when that is gone."""
    detail: str = ""
    outcome: str = ""
    """"" = done; else why not, as a code."""
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")
    """The mail that it stood in."""


def record_audit(
    session: Session,
    at: datetime,
    by: Actor,
    who: str,
    action: str,
    *,
    about: str = "",
    detail: str = "",
    outcome: str = "",
    inbox_id: int | None = None,
) -> None:
    """Add one line, in the transaction of what it reports."""
    words = " ".join(detail.split())
    values = {"at": at, "by": by, "who": who, "action": action, "about": about, "detail": words[:LONGEST]}
    session.connection().execute(insert(Audit), {**values, "outcome": outcome, "inbox_id": inbox_id})


def list_audit_since(session: Session, moment: datetime, about: str = "") -> Sequence[Audit]:
    """List all lines from ``moment`` on; with ``about`` only those about that match or tournament."""
    query = select(Audit).where(Audit.at >= moment)
    return session.exec(query.where(Audit.about == about) if about else query).all()


def list_audit_leading_to(session: Session, code: str, name: str, mails: Collection[int]) -> Sequence[Audit]:
    """List the lines that may have led to an entry of this match's log.

    These are the lines about it (former versions wrote its name where a name was typed), typed ones about no match at
    all, and those of these mails."""
    about = (col(Audit.about) == code) | (col(Audit.about) == name.upper())
    either = about | ((col(Audit.about) == "") & (col(Audit.by) == Actor.CLI)) | col(Audit.inbox_id).in_(mails)
    return session.exec(select(Audit).where(either).order_by(col(Audit.id))).all()


def find_last_command_time(session: Session, action: str) -> datetime | None:
    """Find the time at which a command was last given with success; None = never."""
    return session.exec(select(func.max(Audit.at)).where(Audit.action == action, Audit.outcome == "")).one()
