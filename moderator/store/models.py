"""The tables. ``event`` is the truth; match.* columns beside it are kept only to find work quickly.

All times are aware UTC. JSON columns hold plain values.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel


class Player(SQLModel, table=True):
    """A person, or a robot (then without an address)."""

    id: int | None = Field(default=None, primary_key=True)
    name: str
    name_key: str = Field(unique=True)
    """The name in lower case, so that Anna and ANNA are one."""
    address: str | None = Field(default=None, unique=True)
    """Lower-case; None for a robot."""
    language: str = "de"
    zone: str = "Europe/Berlin"
    board: str = "png"
    auto_single: bool = False
    """A move of this player's without a choice is played at once; opponents then know that there was none."""
    robot: bool = False
    created_at: datetime
    undeliverable: str = ""
    """The mail server's words when mail to this address came back for good."""

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


class Match(SQLModel, table=True):
    """One game between fixed seats."""

    __table_args__ = (Index("match_due", "status", "held", "deadline"), Index("match_remind", "status", "remind_at"))

    id: int | None = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    name: str
    game: str
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    status: str = "open"
    """open (seats known, not dealt) | running | suspended | finished."""
    early: bool = False
    """Evaluate a round as soon as every order is in."""
    seed: str = ""
    """Hex of the 32 bytes that the deal comes from; mailed after the end."""
    salts: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    lexicon: str = ""
    """Edition, as printed in mails."""
    fingerprint: str = ""
    """Hash of the dictionary files that this match was started with."""
    rules: str = ""
    """Rules version."""
    entries: int = 0
    """Length of the log."""
    deadline: datetime | None = None
    remind_at: datetime | None = None
    held: bool = False
    """Waits for a ruling of the moderator; the deadline does not count meanwhile."""
    trouble: str = ""
    """Why it is suspended."""
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id


class Seat(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("match_id", "number"), Index("seat_player", "player_id"))

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    number: int
    player_id: int = Field(foreign_key="player.id")
    token: str
    """Secret part of the reply address."""
    thread: str = ""
    """Message-ID of the first mail of this match to this seat; later ones refer to it."""


class Event(SQLModel, table=True):
    """One entry of a match's log. Append-only."""

    __table_args__ = (UniqueConstraint("match_id", "n"),)

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    n: int
    """1, 2, 3 … within the match."""
    kind: str
    """order | move | withdraw | miss | evaluate, see engine/replay.py."""
    seat: int | None = None
    text: str = ""
    outcome: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    at: datetime
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")


class Inbox(SQLModel, table=True):
    """A mail that was taken in. Nothing is ever thrown away unseen."""

    __table_args__ = (Index("inbox_state", "state"), Index("inbox_token", "token"))

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """Hash of Message-ID, sender and body: a copy of the same mail has the same."""
    message_id: str = ""
    sender: str = ""
    subject: str = ""
    received_at: datetime
    """When it reached the mailbox."""
    taken_at: datetime
    size: int
    """Of the whole mail; more than ``raw`` has when only its beginning was kept."""
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    state: str = "received"
    """received | done | unknown | machine | confirm | quarantine | dropped."""
    attempts: int = 0
    token: str = ""
    """State confirm: the secret that releases it."""
    note: str = ""
    """Why it is in this state; a traceback in quarantine."""

    @property
    def truncated(self) -> bool:
        return self.size > len(self.raw)


class Seen(SQLModel, table=True):
    """Where a mail lay in the mailbox, so that it is fetched once and moved once."""

    __table_args__ = (Index("seen_filed", "filed"),)

    key: str = Field(primary_key=True)
    inbox_id: int = Field(foreign_key="inbox.id")
    filed: bool = False


class Outbox(SQLModel, table=True):
    """A finished mail; its bytes are in ``letter``. They and the Message-ID never change, however often it is tried."""

    __table_args__ = (Index("outbox_due", "state", "next_at"), Index("outbox_recipient", "recipient", "created_at"))

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    recipient: str
    kind: str
    match_id: int | None = Field(default=None, foreign_key="match.id")
    player_id: int | None = Field(default=None, foreign_key="player.id")
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")
    """The mail it answers."""
    state: str = "queued"
    """queued | sending (leased) | sent | dead."""
    attempts: int = 0
    next_at: datetime
    """Not before; of a row in ``sending``: when the lease ends."""
    created_at: datetime
    sent_at: datetime | None = None
    answer: str = ""


class Letter(SQLModel, table=True):
    """The bytes of an outgoing mail. Apart from its row, which changes state a few times: each change would write
    the picture in it to the disk again."""

    outbox_id: int = Field(primary_key=True, foreign_key="outbox.id", sa_column_kwargs={"autoincrement": False})
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Question(SQLModel, table=True):
    """A word that the moderator was asked about."""

    __table_args__ = (UniqueConstraint("match_id", "word"), Index("question_token", "token"))

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    word: str
    token: str
    asked_at: datetime
    answered_at: datetime | None = None
    ruling: str = ""
    """allow | deny."""
