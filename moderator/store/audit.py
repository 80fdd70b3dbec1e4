"""Who did what by a command. Append-only; what happened to a match stands in its log besides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Index, insert
from sqlmodel import Field, Session, SQLModel, col, func, select

from moderator.states import By
from moderator.store.column import one_of

LONGEST = 500
"""Letters of a detail."""


class Audit(SQLModel, table=True):
    """Something that somebody did by a command, by mail or on the command line. Holds no passwords and no tokens."""

    __table_args__ = (Index("audit_at", "at"), Index("audit_inbox", "inbox_id"))

    id: int | None = Field(default=None, primary_key=True)
    at: datetime
    by: By = Field(sa_type=one_of(By))
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


def record(
    session: Session,
    at: datetime,
    by: By,
    who: str,
    action: str,
    *,
    about: str = "",
    detail: str = "",
    outcome: str = "",
    inbox_id: int | None = None,
) -> None:
    """One more line, in the transaction of what it tells of."""
    words = " ".join(detail.split())
    values = {"at": at, "by": by, "who": who, "action": action, "about": about, "detail": words[:LONGEST]}
    session.connection().execute(insert(Audit), {**values, "outcome": outcome, "inbox_id": inbox_id})


def since(session: Session, moment: datetime, about: str = "") -> Sequence[Audit]:
    """All lines from then on; with ``about`` those about that match or tournament only."""
    query = select(Audit).where(Audit.at >= moment)
    return session.exec(query.where(Audit.about == about) if about else query).all()


def leading_to(session: Session, code: str, name: str, mails: Collection[int]) -> Sequence[Audit]:
    """Lines that may have led to an entry of this match's log: about it (former versions wrote its name where that was
    typed), typed ones about no match alone, and those of these mails."""
    about = (col(Audit.about) == code) | (col(Audit.about) == name.upper())
    either = about | ((col(Audit.about) == "") & (col(Audit.by) == By.CLI)) | col(Audit.inbox_id).in_(mails)
    return session.exec(select(Audit).where(either).order_by(col(Audit.id))).all()


def last(session: Session, action: str) -> datetime | None:
    """When a command was last given that did what it should; None = never."""
    return session.exec(select(func.max(Audit.at)).where(Audit.action == action, Audit.outcome == "")).one()
