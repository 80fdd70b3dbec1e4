"""The tables of tournaments. ``tables.py`` hands them on.

The logic is in tournaments/, club/tournaments/ and play/tournaments/."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from moderator.common.enums import EntryState, GameKind, TournamentRuling, TournamentStatus
from moderator.store.columns import build_enum_type


class Tournament(SQLModel, table=True):
    """A tournament; one season of a league."""

    __table_args__ = (Index("tournament_next", "next_at"),)

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    """T1, T2, …"""
    name: str
    game: str
    format: str
    """See tournaments/field.py."""
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Of the game."""
    terms: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Time rules of its matches where they differ from the club's."""
    settings: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Of the tournament, see views/tournament_rows.py."""
    seed: str
    """A whole number; all lots of the tournament come from it."""
    status: TournamentStatus = Field(default=TournamentStatus.PLANNED, sa_type=build_enum_type(TournamentStatus))
    opens_at: datetime | None = None
    closes_at: datetime | None = None
    """End of the registration; then it begins."""
    round: int = 0
    """The last one that was paired. Where all games start at once there is only round 1."""
    state: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Of a ladder: rungs and challenges."""
    next_at: datetime | None = None
    """When there may be something to do for it; a match of it that ends sets it to now."""
    trouble: str = ""
    """What the moderator must settle before it goes on."""
    previous_id: int | None = Field(default=None, foreign_key="tournament.id")
    """The season before."""
    referee_id: int | None = Field(default=None, foreign_key="referee.id")
    """Who is in charge of its matches; None = the chief."""
    deputy_id: int | None = Field(default=None, foreign_key="referee.id")
    created_at: datetime
    finished_at: datetime | None = None

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


class TournamentEntry(SQLModel, table=True):
    """Somebody who takes part, or waits to."""

    __table_args__ = (UniqueConstraint("tournament_id", "player_id"), Index("tournamententry_player", "player_id"))

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    player_id: int = Field(foreign_key="player.id")
    number: int = 0
    """In the crosstable, from 1 within the division; 0 until the tournament begins."""
    division: int = 1
    state: EntryState = Field(default=EntryState.IN, sa_type=build_enum_type(EntryState))
    rating: float = 0.0
    """When the tournament began, as shown."""
    joined: int = 1
    """First round."""
    left: int | None = None
    """Round from which on it plays no more."""
    place: int | None = None
    """At the end."""
    rated: float | None = None
    """Rating at the end, as shown."""
    at: datetime


class TournamentGame(SQLModel, table=True):
    """One pairing; its match, if it is played."""

    __table_args__ = (
        UniqueConstraint("tournament_id", "division", "round", "board"),
        Index("tournamentgame_match", "match_id"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    division: int = 1
    round: int
    board: int
    """Number of the table in its round, from 1."""
    kind: GameKind = Field(default=GameKind.GAME, sa_type=build_enum_type(GameKind))
    seats: list[int] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """Entrants' numbers in seat order."""
    match_id: int | None = Field(default=None, foreign_key="match.id")
    result: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    """As tournaments/field.py has it; None = not finished."""
    ruling: TournamentRuling = Field(default=TournamentRuling.PLAYED, sa_type=build_enum_type(TournamentRuling))
    ends_at: datetime | None = None
    """The published latest end: then it is adjudicated."""

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


class TournamentStepRow(SQLModel, table=True):
    """The stamp of a step that is done, so that it is never done twice."""

    __tablename__ = "tournamentstep"
    __table_args__ = (UniqueConstraint("tournament_id", "step"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    step: str
    """close, pair:2, deal:17, report:2, … see service/tournaments/steps.py."""
    at: datetime
