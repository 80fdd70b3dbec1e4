"""The tables of the puzzle of the week. ``tables.py`` hands them on. What is asked of them stands in ``puzzles.py``."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from moderator.common.enums import QuestionKind
from moderator.store.columns import NumberedRow, build_enum_type


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


class PuzzleAnswer(SQLModel, table=True):
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


# ---- The tables of reviews. ``tables.py`` hands them on. What is asked of them stands in ``reviews.py``.


class MatchReview(SQLModel, table=True):
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


class TurnReview(SQLModel, table=True):
    """One turn of a review."""

    match_id: int = Field(primary_key=True, foreign_key="match.id", sa_column_kwargs={"autoincrement": False})
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    """1, 2, 3 … in the order of play."""
    content: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """The fields of ``review.Reviewed``."""


class ReviewRequest(SQLModel, table=True):
    """The request of somebody with a seat, who gets the review as soon as it is complete."""

    __table_args__ = (UniqueConstraint("match_id", "player_id"), Index("review_request_player", "player_id"))

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    player_id: int = Field(foreign_key="player.id")
    at: datetime
