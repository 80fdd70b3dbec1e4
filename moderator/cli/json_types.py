"""What commands print with ``--json``: a type for each, of which its schema is made (``derived.py``).

The text below a key is its description there.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Literal, NotRequired, TypedDict

from moderator.common.enums import BoardForm, ClockStop, InboxState, Level, LogEntryKind, MatchStatus
from moderator.notifications.task import TaskFacts, TaskKind
from moderator.rules.ending import EndingJson


class MatchLine(TypedDict):
    """A match."""

    match: str
    """Its code."""
    game: str
    name: str
    status: MatchStatus
    players: list[str]
    """In seat order."""
    free_seats: int
    """Seats that somebody may still take."""
    deadline: datetime | None
    """Null = none is set."""
    waits_for_ruling: bool
    """A word waits for the referee."""
    clock_stands: ClockStop | None
    """Why; null = it doesn't."""
    trouble: str | None
    """Why it cannot go on by itself."""


class SeatLine(TypedDict):
    """A seat of a match that was dealt."""

    seat: int
    """From 0."""
    name: str
    robot: Literal["beginner", "club", "strong", "program"] | None
    """How a robot plays, or that a program of somebody else's plays for it; null = a person."""
    score: int
    awaited: bool
    order: Literal["none", "possible", "impossible"]
    """What is stored of it, as things stand now."""


class MatchPosition(MatchLine):
    """A match as it stands; racks stay hidden."""

    entries: int
    """Of its log."""
    round: int | None
    """null = nothing was dealt."""
    seats: list[SeatLine]
    ending: EndingJson | None
    """How it ended; null = it has not."""
    options: Mapping[str, Any] | None
    """What was agreed."""
    board: Mapping[str, Any] | None
    """What lies on the table, as the schema `turn` has it."""


class ReplayedLine(TypedDict):
    """A match whose log was replayed."""

    match: str
    ok: bool
    entries: int | None
    """null = they do not replay."""
    scores: list[int] | None
    trouble: str | None


class StateFound(TypedDict):
    """A signed state that is ours, and was true."""

    match: str
    entry: int
    """Number of the entry after which it was true; 0 = the deal."""
    at: datetime | None
    later: int
    """How many entries came since."""
    taken_back: bool
    """That entry does not count any more."""


class Sentence(TypedDict):
    """A sentence about what a decision of the referee led to."""

    code: str
    """Names the sentence."""
    text: str
    """In English."""
    match: NotRequired[str]
    """Code of the match that it is about."""
    seat: NotRequired[int]
    """From 0."""
    player: NotRequired[str]
    deadline: NotRequired[datetime]
    """The deadline; of a seat its last moment."""
    values: Mapping[str, Any]
    """What the sentence is made of."""


class EntryLine(TypedDict):
    """An entry of a match's log."""

    entry: int
    """Its number, from 1."""
    at: datetime
    what: str
    kind: LogEntryKind
    who: str | None
    """Whose move, order or seat it is; null = nobody's."""
    values: Mapping[str, Any]
    """A clock's `why`, `from` and `to`; `back_to`, the entry after which all was taken back; `moves`, each with
    `player`, `move` and `points`; the `text` of a notice. What only one seat may know is left out."""
    by: str | None
    """Who decided it, if it was no player."""
    taken_back: bool


class ProtestLine(TypedDict):
    """A protest."""

    number: int
    match: str
    round: int
    player: str
    at: datetime
    text: str
    ruling: Literal["upheld", "denied"] | None
    """null = it waits."""
    reason: str | None


class PlayerLine(TypedDict):
    """A person or a robot who plays."""

    name: str
    robot: bool
    level: Level | None
    """Of a robot."""
    played_by: str | None
    """What plays for a robot instead, as [bots.NAME] says: a command."""
    address: str | None
    language: str
    zone: str
    board: BoardForm
    digest: bool
    """One mail a day instead of one for each turn."""
    auto_single: bool
    """A move without a choice is played at once."""
    same_subject: bool
    """All mails of a match have one subject."""
    on_leave_until: date | None
    on_time_percent: int | None
    """null = a robot, or not known yet."""
    undeliverable: str | None
    """Why mail comes back."""


class RefereeLine(TypedDict):
    """A referee besides the chief."""

    name: str
    address: str
    language: str
    matches: list[str]
    """Codes of those that the referee is named for."""
    tournaments: list[str]
    away_from: date | None
    away_until: date | None


class RatingLine(TypedDict):
    """A line of the rating list of a game."""

    game: str
    place: int | None
    """null = the rating has not settled."""
    player: str
    rating: int
    games: int
    mu: float
    sigma: float


class MailLine(TypedDict):
    """A mail that waits for the referee's look."""

    mail: int
    """Its number."""
    received: datetime
    state: InboxState
    sender: str
    match: str | None
    """That it seems to be for."""
    subject: str
    reason: str


class MailWhole(MailLine):
    """A mail that waits, as it came."""

    note: str
    """Why it is here, in full."""
    text: str
    """Head and body; what is no UTF-8 is replaced."""


class WordVerdict(TypedDict):
    """The verdict on a word."""

    word: str
    ruling: Literal["accept", "reject", "ask"]
    """ask: the moderator would be asked."""
    reason: str
    """Code; "" = none."""
    text: str
    """The reason in English."""
    spellings: list[str]
    """As the lists have it, and its base form."""
    source: str
    """The list that decided, with its edition."""


class RulingLine(TypedDict):
    """A ruling of the house list."""

    word: str
    ruling: Literal["allow", "deny"]
    base: str
    """Base form; "" = none is named."""
    tags: list[str]
    """What the word is."""
    reason: str
    date: str
    """Of the ruling, as 2026-01-31; "" = not known."""
    scope: str
    """all, a policy, or the match it is for."""


class LexiconLine(TypedDict):
    """A dictionary in the folder."""

    name: str
    words: int
    fingerprint: str
    """SHA-256 of the file."""
    edition: str


class AuditLine(TypedDict):
    """Something that somebody did."""

    at: datetime
    who: str
    about: str
    """Code of a match or tournament; "" = none."""
    what: str
    outcome: str | None


class CheckLine(TypedDict):
    """Something that `doctor` looked at."""

    check: str
    ok: bool
    trouble: str | None
    """What is wrong, with the fix."""
    note: str | None
    """What was found, or what is doubtful."""


class TaskLine(TaskFacts):
    """Something that waits for the referee."""

    kind: TaskKind
    key: str
    """Tells it from all others of its kind, from day to day."""
    since: datetime | None
    """null = nobody wrote that down."""
    until: NotRequired[datetime]
    """When it will be too late."""
    referee: NotRequired[str]
    """In whose charge it is, if it is not the chief's."""
    text: str
    """In English."""
    commands: list[str]
    """Lines of the command line that settle it."""


class CommandAddress(TypedDict):
    """The address to which the moderator mails commands. It is secret."""

    address: str
    subject: str
    """What may stand in a subject instead."""


class Written(TypedDict):
    """The files that `publish` has written."""

    place: str
    """The folder, or the file of a letter."""
    written: int
    """Files."""
    files: int
    """There are now."""
    removed: int


class BackupMade(TypedDict):
    """A backup."""

    file: str
    bytes: int
    rows: Mapping[str, int]
    """By table, of the larger ones."""
    settings: bool
    """The settings are in it, without passwords."""
    deleted: list[str]
    """Older ones, by --keep."""


class RunLine(TypedDict):
    """The counts of a run."""

    taken: int
    """Mails taken in."""
    handled: int
    quarantined: list[str]
    """A line for each mail that could not be handled."""
    deadlines: int
    reminders: int
    digests: int
    """Daily mails."""
    steps: int
    """Of tournaments."""
    reviews: int
    sent: int
    retry: int
    """Mails that will be tried again."""
    dead: int
    """Mails that are tried no more."""
    troubles: list[str]
    """What the operator must look at."""
    away: list[str]
    """Servers that did not answer."""


class GameLine(TypedDict):
    """A game that can be played."""

    game: str
    """Its key, as commands take it."""
    name: str
    """In English."""
    seats: list[int] | None
    """Least and most; null where it cannot be loaded."""
    package: str
    """Where it comes from, as pip calls it."""
    version: str
    """Of that package."""
    trouble: str | None
    """Why it cannot be played."""


class PuzzleLine(TypedDict):
    """A puzzle of the week."""

    puzzle: int
    """Its number."""
    state: Literal["running", "over", "withdrawn"]
    match: str
    game: str
    entry: int
    seat: int
    best: str
    """The solution."""
    points: int
    turns: int
    """How many there are."""
    hardness: float
    """In bits."""
    set: datetime
    until: datetime
    found: list[str] | None
    """Who has found it; null until it is over."""
    not_found: int | None
    """How many others have answered; null until it is over."""


class SolverLine(TypedDict):
    """A line of the table of a year."""

    place: int
    name: str
    found: int
    answered: int


class Puzzles(TypedDict):
    """All puzzles, and the table of a year."""

    puzzles: list[PuzzleLine]
    """The newest first."""
    year: int
    table: list[SolverLine]


class ReviewOfMatch(TypedDict):
    """A finished match looked at again."""

    review: int
    """Version of the format."""
    match: str
    names: list[str]
    """By seat."""
    left: list[int]
    """By seat: how much more there was at once, in all."""
    loss: list[float]
    """By seat: how much more there was with what may follow, in all."""
    moves: list[int]
    """By seat: number of turns that were not missed."""
