"""The tables of the puzzle of the week. ``tables.py`` hands them on. What is asked of them stands in ``puzzles.py``."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class PuzzleRow(SQLModel, table=True):
    """A position of a finished match that was set, once and never again."""

    __tablename__ = "puzzle"
    __table_args__ = (UniqueConstraint("match_id", "entry", "seat"), Index("puzzle_until", "until"))

    id: int | None = Field(default=None, primary_key=True)
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

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


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
