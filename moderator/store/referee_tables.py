"""The tables of referees. ``tables.py`` hands them on.

Who is in charge of a match is worked out in views/staff.py."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from moderator.common.enums import QuestionKind
from moderator.store.columns import build_enum_type


class Referee(SQLModel, table=True):
    """Somebody who is in charge of matches besides the chief."""

    id: int | None = Field(default=None, primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    """The name in lower case. A player of that name is the same person."""
    address: str = Field(unique=True)
    """Lower-case. A player with it is the same person."""
    language: str
    token: str
    """Secret part of the address that takes this referee's commands."""
    away_from: date | None = None
    """First day of the leave; None = no leave was announced."""
    away_until: date | None = None
    """Its last day."""
    created_at: datetime

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


class Matter(SQLModel, table=True):
    """A matter that was put to the one in charge, once to each, and waits for an answer."""

    __table_args__ = (Index("matter_about", "kind", "about"), Index("matter_token", "token"))

    id: int | None = Field(default=None, primary_key=True)
    kind: QuestionKind = Field(sa_type=build_enum_type(QuestionKind))
    about: int
    """Number of the question, the protest or the match."""
    referee_id: int | None = Field(default=None, foreign_key="referee.id")
    """To whom; None = to the chief."""
    token: str = ""
    """Secret part of the address that takes a referee's answer; "" = the chief's, which the question itself has."""
    put_at: datetime
    passed_at: datetime | None = None
    """When it was passed on to the chief, because no answer had come."""
