"""The tables of reviews. ``tables.py`` hands them on. What is asked of them stands in ``reviews.py``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class MatchReview(SQLModel, table=True):
    """The review of a finished match, as far as it is made. It is made again where the match has changed since."""

    __table_args__ = (Index("match_review_due", "due_at"), Index("match_review_version", "version"))

    match_id: int = Field(primary_key=True, foreign_key="match.id", sa_column_kwargs={"autoincrement": False})
    version: int
    """Of what made it (``review.REVIEWER``); one by an older version is made again."""
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
