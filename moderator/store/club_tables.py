"""Tables, and columns that several have. The tables of the puzzle of the week and what nobody has been told yet: it
happened while a backlog was handled, where each row becomes part of one mail, or our own code could not make a mail of
it. ``tables.py`` hands them on."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, cast

from sqlalchemy import JSON, Column, Dialect, Index, String, UniqueConstraint, delete
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, Session, SQLModel, col, select

from moderator.common.enums import MailKind, QuestionKind, StoredEnum
from moderator.common.errors import StoreError


class StoredEnumType(TypeDecorator[StoredEnum]):
    """A column type that stores the words of ``choice`` as text. Reading a word that is not in the set raises
    StoreError."""

    impl = String
    cache_ok = True

    def __init__(self, choice: type[StoredEnum]) -> None:
        super().__init__()
        self.choice = choice
        self._members: dict[str, StoredEnum] = {member.value: member for member in choice}

    def process_bind_param(self, value: StoredEnum | None, dialect: Dialect) -> str | None:
        return None if value is None else self.choice(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> StoredEnum | None:
        if value is None:
            return None
        found = self._members.get(value)
        if found is None:
            known = ", ".join(repr(word) for word in self._members)
            raise StoreError(
                f"The database has {value!r} as {self.choice.__name__}; this program knows {known}.",
                "Run `moderator doctor --deep`: it says where.",
            )
        return found

    def __repr__(self) -> str:
        return f"OneOf({self.choice.__name__})"


def build_enum_type(choice: type[StoredEnum]) -> type[Any]:
    """Build the ``sa_type`` of a table's field that holds one word of ``choice``; SQLModel takes instances as well as
    types."""
    return cast(type[Any], StoredEnumType(choice))


class TableRow(SQLModel):
    """A row of a table. No row is validated, so no validators are built when the tables are loaded."""

    model_config = {"defer_build": True}


class NumberedRow(TableRow):
    """A row that has a number when it is stored."""

    id: int | None = Field(default=None, primary_key=True)

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


class DeferredNews(TableRow, table=True):
    """Something that would have been a mail of its own; stored in the transaction of what it reports, deleted with the
    mail that reports it."""

    __table_args__ = (Index("deferrednews_player", "player_id"),)

    id: int | None = Field(default=None, primary_key=True)
    player_id: int | None = Field(default=None, foreign_key="player.id")
    """None = the moderator."""
    match_id: int | None = Field(default=None, foreign_key="match.id")
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")
    """The mail that this answers."""
    kind: MailKind = Field(sa_type=build_enum_type(MailKind))
    """Of the mail that it would have been; ASKED where it is a command that asks for one."""
    entry: int = 0
    """Length of the match's log then: what is undone later is not told."""
    said: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """See delivery/deliver.py."""
    at: datetime
    """When it arrived, or happened."""
    fault: str = ""
    """Why no mail could be made of it; "" = it waits for the end of the run."""


def list_deferred_news(session: Session, player_id: int | None) -> list[DeferredNews]:
    """List what waits for one player, or for the moderator (None), oldest first."""
    query = select(DeferredNews).where(col(DeferredNews.player_id).is_not_distinct_from(player_id))
    return list(session.exec(query.where(DeferredNews.fault == "").order_by(col(DeferredNews.id))))


def list_failed_news(session: Session) -> list[DeferredNews]:
    """List what no mail could be made of, oldest first."""
    return list(session.exec(select(DeferredNews).where(DeferredNews.fault != "").order_by(col(DeferredNews.id))))


def list_deferred_readers(session: Session) -> list[int | None]:
    """List the players for whom something waits; None = the moderator."""
    query = select(DeferredNews.player_id).where(DeferredNews.fault == "").distinct()
    return list(session.exec(query.order_by(col(DeferredNews.player_id))))


def has_more_news_than(session: Session, player_id: int, most: int) -> bool:
    """Return whether more than ``most`` rows wait for the player."""
    query = select(DeferredNews.id).where(DeferredNews.player_id == player_id)
    return session.exec(query.offset(most).limit(1)).first() is not None


def has_deferred_news(session: Session, player_id: int, match_id: int) -> bool:
    """Return whether something about this match still waits to be sent to this player."""
    query = select(DeferredNews.id).where(DeferredNews.player_id == player_id, DeferredNews.match_id == match_id)
    return session.exec(query.limit(1)).first() is not None


def delete_deferred_news(session: Session, done: Iterable[DeferredNews]) -> None:
    """Delete these rows: the mail about them is on its way."""
    numbers = [row.id for row in done]
    for start in range(0, len(numbers), 500):
        session.execute(delete(DeferredNews).where(col(DeferredNews.id).in_(numbers[start : start + 500])))


class PuzzleRow(NumberedRow, table=True):
    """A position of a finished match that was set, once and never again."""

    __tablename__ = "puzzle"
    __table_args__ = (UniqueConstraint("match_id", "entry", "seat"), Index("puzzle_until", "until"))

    match_id: int = Field(foreign_key="match.id")
    entry: int
    """Number in the match's log of the turn that was played there."""
    seat: int
    best: str
    """The best move, in canonical notation."""
    most: int
    """Its points."""
    turns: int
    """How many there are."""
    hardness: float
    """Bits, see review/puzzle.py."""
    set_at: datetime
    until: datetime
    """The last minute in which an answer may arrive."""
    told_at: datetime | None = None
    """When its solution was told, or that there is none to tell."""
    withdrawn_at: datetime | None = None
    """It counts for nothing: the moderator took it back, or its match is not over any more."""


class PuzzleAnswer(TableRow, table=True):
    """The last answer of a player."""

    __table_args__ = (UniqueConstraint("puzzle_id", "player_id"), Index("puzzle_answer_player", "player_id"))

    id: int | None = Field(default=None, primary_key=True)
    puzzle_id: int = Field(foreign_key="puzzle.id")
    player_id: int = Field(foreign_key="player.id")
    move: str
    """In canonical notation."""
    points: int
    at: datetime


# ---- The tables of referees. ``tables.py`` hands them on.


class Referee(NumberedRow, table=True):
    """Somebody who is in charge of matches besides the chief."""

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


class Matter(TableRow, table=True):
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


# ---- The tables of reviews. ``tables.py`` hands them on. What is asked of them stands in ``reviews.py``.


class MatchReview(TableRow, table=True):
    """The review of a finished match, as far as it is made. It is made again where the match has changed since."""

    __table_args__ = (Index("match_review_due", "due_at"), Index("match_review_version", "version"))

    match_id: int = Field(primary_key=True, foreign_key="match.id", sa_column_kwargs={"autoincrement": False})
    version: int
    """Of what made it (``enums.REVIEWER``); one by an older version is made again."""
    entries: int
    """Length of the log that it is made of."""
    edition: str = ""
    """Of the dictionary that its turns are compared by; "" = none, or nothing is made yet."""
    due_at: datetime | None
    """Not to be worked on before; None = it is whole."""
    trouble: str = ""
    """Why it could not be made when it was last tried."""
    content: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """``Review.to_json`` without the turns; None until it is whole. Seats by number, no names."""


class TurnReview(TableRow, table=True):
    """One turn of a review."""

    match_id: int = Field(primary_key=True, foreign_key="match.id", sa_column_kwargs={"autoincrement": False})
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    """1, 2, 3 … in the order of play."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """The fields of ``review.Reviewed``."""


class ReviewRequest(TableRow, table=True):
    """The request of somebody with a seat, who gets the review as soon as it is complete."""

    __table_args__ = (UniqueConstraint("match_id", "player_id"), Index("review_request_player", "player_id"))

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    player_id: int = Field(foreign_key="player.id")
    at: datetime
