"""The tables. ``event`` is the truth; match.* columns beside it are kept only to find work quickly.

All times are aware UTC. JSON columns hold plain values.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Column, Index, LargeBinary, UniqueConstraint
from sqlmodel import Field

from moderator.common.enums import (
    BoardForm,
    ClockStop,
    EntryState,
    GameKind,
    HeldFor,
    InboxState,
    Level,
    LogEntryKind,
    MailKind,
    MatchStatus,
    OutboxState,
    TournamentRuling,
    TournamentStatus,
    WordRuling,
)
from moderator.store.audit import Audit
from moderator.store.club_tables import (
    DeferredNews,
    MatchReview,
    Matter,
    NumberedRow,
    PuzzleAnswer,
    PuzzleRow,
    Referee,
    ReviewRequest,
    TableRow,
    TurnReview,
    build_enum_type,
)

# ---- tournaments: the logic is in tournaments/ and service/tournaments/ ----


class Tournament(NumberedRow, table=True):
    """A tournament; one season of a league."""

    __table_args__ = (Index("tournament_next", "next_at"),)

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


class TournamentEntry(TableRow, table=True):
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


class TournamentGame(NumberedRow, table=True):
    """One pairing; its match, if it is played."""

    __table_args__ = (
        UniqueConstraint("tournament_id", "division", "round", "board"),
        Index("tournamentgame_match", "match_id"),
    )

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


class TournamentStepRow(TableRow, table=True):
    """The stamp of a step that is done, so that it is never done twice."""

    __tablename__ = "tournamentstep"
    __table_args__ = (UniqueConstraint("tournament_id", "step"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournament.id")
    step: str
    """close, pair:2, deal:17, report:2, … see service/tournaments/steps.py."""
    at: datetime


__all__ = [
    "AddressChange",
    "Audit",
    "DeferredNews",
    "EventRow",
    "InboxRow",
    "KeyValue",
    "Leave",
    "LetterRow",
    "MailboxKey",
    "MatchReview",
    "MatchRow",
    "Matter",
    "OutboxBody",
    "OutboxRow",
    "PlayerRow",
    "Protest",
    "PuzzleAnswer",
    "PuzzleRow",
    "Question",
    "Referee",
    "ReviewRequest",
    "SeatRow",
    "StandbyRow",
    "Tournament",
    "TournamentEntry",
    "TournamentGame",
    "TournamentStepRow",
    "TurnReview",
    "WatcherRow",
]


class PlayerRow(NumberedRow, table=True):
    """A person, or a robot (then without an address)."""

    __tablename__ = "player"
    name: str
    name_key: str = Field(unique=True)
    """The name in lower case, so that Anna and ANNA are one."""
    address: str | None = Field(default=None, index=True)
    """Lower-case; None for a robot. Two people who share a mailbox have the same one."""
    language: str = "de"
    zone: str = "Europe/Berlin"
    board: BoardForm = Field(default=BoardForm.PNG, sa_type=build_enum_type(BoardForm))
    auto_single: bool = False
    """A move of this player's without a choice is played at once; opponents then know that there was none."""
    robot: bool = False
    level: Level = Field(default=Level.CLUB, sa_type=build_enum_type(Level))
    """How well a robot plays; of a person it says nothing."""
    created_at: datetime
    undeliverable: str = ""
    """The mail server's words when mail to this address came back for good."""
    digest: bool = False
    """One mail a day with all matches, instead of one for each move."""
    digest_at: datetime | None = None
    """When the next such mail is due."""
    unsubscribe: str = ""
    """Secret part of the address in ``List-Unsubscribe``; "" = no mail with it has been sent yet."""
    invitations: bool = True
    """Wants to hear of tournaments and matches that can be joined."""
    puzzles: bool = False
    """Wants the puzzle of the week."""
    same_subject: bool = False
    """All mails of a match have one subject, without the news: what keeps them together in Gmail
    (docs/inside/mails.md)."""


class MatchRow(NumberedRow, table=True):
    """One game between fixed seats."""

    __tablename__ = "match"
    __table_args__ = (Index("match_final", "status", "held", "final"), Index("match_remind", "status", "remind_at"))

    code: str = Field(unique=True)
    name: str
    game: str
    options: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    status: MatchStatus = Field(default=MatchStatus.OPEN, sa_type=build_enum_type(MatchStatus))
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
    wanted: int = 0
    """Seats of an open match that players may join; it starts when they are taken. 0 = nobody may."""
    training: bool = False
    """Its result counts for no rating."""
    terms: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    """Its time rules where they differ from the club's (until the start), all of them (from then on)."""
    turn_at: datetime | None = None
    """When the turn or round that is awaited began: when the ZAT before was met, else when its mails were made."""
    deadline: datetime | None = None
    """The ZAT, as mails print it."""
    final: datetime | None = None
    """After that an order is too late: ZAT, extra days and grace of those that are awaited."""
    remind_at: datetime | None = None
    stopped_at: datetime | None = None
    """The clock stands since then."""
    stopped: ClockStop = Field(default=ClockStop.NO, sa_type=build_enum_type(ClockStop))
    held: bool = False
    """Waits for a ruling of the moderator; the deadline does not count meanwhile."""
    trouble: str = ""
    """Why it is suspended, or, while it is open, could not be dealt."""
    result: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    """How it ended, see rules/ending.py; None while it runs."""
    tournament_id: int | None = Field(default=None, foreign_key="tournament.id")
    """The tournament that it belongs to."""
    referee_id: int | None = Field(default=None, foreign_key="referee.id")
    """Who is in charge, see views/people.py; None = who is in charge of its tournament, else the chief."""
    deputy_id: int | None = Field(default=None, foreign_key="referee.id")
    created_at: datetime
    started_at: datetime | None = None
    finished_at: datetime | None = None


class SeatRow(TableRow, table=True):
    __tablename__ = "seat"
    __table_args__ = (UniqueConstraint("match_id", "number"), Index("seat_player", "player_id"))

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    number: int
    player_id: int = Field(foreign_key="player.id")
    token: str
    """Secret part of the reply address."""
    thread: str = ""
    """Message-ID of the first mail of this match to this seat; later ones refer to it."""


class EventRow(TableRow, table=True):
    """One entry of a match's log. Append-only."""

    __tablename__ = "event"
    __table_args__ = (UniqueConstraint("match_id", "n"),)

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    n: int
    """1, 2, 3 … within the match."""
    kind: LogEntryKind = Field(sa_type=build_enum_type(LogEntryKind))
    seat: int | None = None
    text: str = ""
    outcome: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False))
    at: datetime
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")


LOOK = (InboxState.CONFIRM, InboxState.WAITING)
"""States of mails that the moderator is told about once a day."""


def extract_reason(note: str) -> str:
    """Extract the last line of what is noted of a mail: of a traceback the error."""
    return note.strip().rpartition("\n")[2]


class InboxRow(TableRow, table=True):
    """A mail that was taken in. Nothing is ever thrown away unseen."""

    __tablename__ = "inbox"
    __table_args__ = (
        Index("inbox_waiting", "state", "received_at"),
        Index("inbox_lane", "lane", "state", "received_at"),
        Index("inbox_sender", "sender", "taken_at"),
        Index("inbox_taken", "taken_at"),
        Index("inbox_token", "token"),
        Index("inbox_match", "match_id", "state"),
        Index("inbox_content_digest", "content_digest"),
    )

    id: int | None = Field(default=None, primary_key=True)
    digest: str = Field(unique=True)
    """Hash of Message-ID, sender and body: a copy of the same mail has the same."""
    content_digest: str = ""
    """Hash of all by which its writer could have meant something; "" = it was not read for orders, or not yet."""
    message_id: str = ""
    sender: str = ""
    subject: str = ""
    received_at: datetime
    """When it reached the mailbox."""
    taken_at: datetime
    size: int
    """Of the whole mail; more than ``raw`` has when only its beginning was kept."""
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    state: InboxState = Field(default=InboxState.RECEIVED, sa_type=build_enum_type(InboxState))
    attempts: int = 0
    lane: int = 0
    """Hash of who wrote it: mails in one lane are handled one after the other."""
    token: str = ""
    """State confirm: the secret that releases it."""
    held_for: HeldFor = Field(default=HeldFor.NOTHING, sa_type=build_enum_type(HeldFor))
    machine_header: str = ""
    """Held for it: what makes it look like a machine's."""
    offered: str = ""
    """The line that its writer was asked about: yes is enough as an answer."""
    note: str = ""
    """Why it is in this state, for people to read; a traceback in quarantine."""
    match_id: int | None = Field(default=None, foreign_key="match.id")
    """Of a mail that is held: the match that it seems to be for."""
    player_id: int | None = Field(default=None, foreign_key="player.id")
    """Of a mail that waits: the player who seems to have written it."""
    told_at: datetime | None = None
    """When the moderator was told that it waits."""

    @property
    def is_truncated(self) -> bool:
        return self.size > len(self.raw)

    @property
    def reason(self) -> str:
        """The part of ``note`` that a person wants to read; "" = none."""
        return extract_reason(self.note)


class MailboxKey(TableRow, table=True):
    """The place of a mail in the mailbox, so that it is fetched once and moved once."""

    __tablename__ = "seen"
    __table_args__ = (Index("seen_filed", "filed"),)

    key: str = Field(primary_key=True)
    inbox_id: int = Field(foreign_key="inbox.id")
    filed: bool = False


class OutboxRow(TableRow, table=True):
    """A finished mail; its bytes are in ``letter``. They and the Message-ID never change, however often it is tried."""

    __tablename__ = "outbox"
    __table_args__ = (
        Index("outbox_due", "state", "next_at"),
        Index("outbox_recipient", "recipient", "created_at"),
        Index("outbox_player", "player_id", "created_at"),
        Index("outbox_return", "return_token"),
    )

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    recipient: str
    kind: MailKind = Field(sa_type=build_enum_type(MailKind))
    match_id: int | None = Field(default=None, foreign_key="match.id")
    player_id: int | None = Field(default=None, foreign_key="player.id")
    round: int = 0
    """Of the match, when it was made; 0 = it is about no match."""
    inbox_id: int | None = Field(default=None, foreign_key="inbox.id")
    """The mail it answers."""
    state: OutboxState = Field(default=OutboxState.QUEUED, sa_type=build_enum_type(OutboxState))
    attempts: int = 0
    next_at: datetime
    """Not before; of a row in ``sending``: when the lease ends."""
    created_at: datetime
    sent_at: datetime | None = None
    answer: str = ""
    return_token: str = ""
    """Secret part of the address to which reports about this mail go; "" = it left without one."""


class OutboxBody(TableRow, table=True):
    """The bytes of an outgoing mail. In a table of their own, since the mail's row changes state a few times, and each
    change would write the picture in it to the disk again."""

    __tablename__ = "letter"
    outbox_id: int = Field(primary_key=True, foreign_key="outbox.id", sa_column_kwargs={"autoincrement": False})
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Question(NumberedRow, table=True):
    """A word that the moderator was asked about."""

    __table_args__ = (UniqueConstraint("match_id", "word"), Index("question_token", "token"))

    match_id: int = Field(foreign_key="match.id")
    word: str
    token: str
    asked_at: datetime
    answered_at: datetime | None = None
    ruling: WordRuling = Field(default=WordRuling.NONE, sa_type=build_enum_type(WordRuling))


class Leave(TableRow, table=True):
    """Days on which a player is away, as announced."""

    __table_args__ = (Index("leave_player", "player_id", "last"),)

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id")
    first: date
    last: date
    """Included."""
    announced_at: datetime
    cancelled_at: datetime | None = None


class StandbyRow(TableRow, table=True):
    """Somebody who would take over a seat that is given up."""

    __tablename__ = "standby"
    __table_args__ = (UniqueConstraint("player_id", "game"),)

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id")
    game: str = ""
    """Key of the game; "" = any."""
    since: datetime


class WatcherRow(TableRow, table=True):
    """Somebody who gets a match's reports without a seat in it."""

    __tablename__ = "watcher"
    __table_args__ = (UniqueConstraint("match_id", "player_id"),)

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    player_id: int = Field(foreign_key="player.id")
    since: datetime
    told: bool = False
    """Whether the players have read of it."""


class LetterRow(TableRow, table=True):
    """A player's words to others of a match."""

    __tablename__ = "press"
    __table_args__ = (Index("press_match", "match_id", "delivered_at"),)

    id: int | None = Field(default=None, primary_key=True)
    match_id: int = Field(foreign_key="match.id")
    player_id: int = Field(foreign_key="player.id")
    seats: list[int] = Field(default_factory=list, sa_column=Column(JSON, nullable=False))
    """To whom; [] = to all; -1 = the moderator."""
    text: str
    at: datetime
    delivered_at: datetime | None = None
    """None = it goes with the next report."""


class Protest(NumberedRow, table=True):
    """A player's objection, put to the moderator."""

    __table_args__ = (Index("protest_token", "token"),)

    match_id: int = Field(foreign_key="match.id")
    player_id: int = Field(foreign_key="player.id")
    round: int
    text: str
    token: str
    at: datetime
    answered_at: datetime | None = None
    upheld: bool = False
    answer: str = ""


class AddressChange(TableRow, table=True):
    """A new address that waits until both mailboxes have confirmed it."""

    __table_args__ = (Index("address_change_tokens", "old_token", "new_token"),)

    id: int | None = Field(default=None, primary_key=True)
    player_id: int = Field(foreign_key="player.id")
    address: str
    old_token: str
    new_token: str
    old_said: bool = False
    new_said: bool = False
    at: datetime
    closed_at: datetime | None = None


class KeyValue(TableRow, table=True):
    """A value that the moderator must remember between runs: the time when the mailbox was last read, the club's own
    secrets."""

    key: str = Field(primary_key=True)
    value: str
