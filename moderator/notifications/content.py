"""What only one kind of mail says: a small dataclass for each kind that has something of its own; and the values that
pages have besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal
from uuid import NAMESPACE_URL, uuid5

from moderator.common.enums import GameKind, TournamentStatus, WordRuling
from moderator.review.notes import list_method_notes, list_summary_notes, list_turn_notes
from moderator.review.review import Review
from moderator.rules.ending import EndCause
from moderator.rules.game import Note
from moderator.rules.silence import SeatStatus
from moderator.tournaments.standings import Crosstable


@dataclass(frozen=True)
class StartTerms:
    """START: the time rules of the match."""

    terms: tuple[Note, ...] = ()
    tournament: TournamentView | None = None
    """The tournament whose round begins for the reader with this match."""


@dataclass(frozen=True)
class AboutTournament:
    """TOURNAMENT: one tournament, as it stands."""

    tournament: TournamentView


@dataclass(frozen=True)
class SenderQuestion:
    """CONFIRM: a mail that claims to be from the reader."""

    lines: tuple[str, ...]
    """How it begins."""
    more: int = 0
    """So many further lines."""
    names: tuple[str, ...] = ()
    """The people who have the address and may have written it; () = the reader alone."""


@dataclass(frozen=True)
class WordAsked:
    """RULING: a word that no dictionary of the match decides."""

    word: str
    match: str
    """Code of the match that waits."""
    match_name: str
    lexicon: str
    """What was consulted; "" = nothing."""


@dataclass(frozen=True)
class WordRuled:
    """RULED: the ruling that the moderator's answer was read as."""

    word: str
    ruling: WordRuling
    reason: str
    match: str = ""
    """Code of the match that it is for; "" = all."""


@dataclass(frozen=True)
class NewAddress:
    """ADDRESS: a question whether the new address is right (``asks``), or the news that it holds."""

    asks: bool


@dataclass(frozen=True)
class CommandReport:
    """OFFICIAL: the match that the moderator writes about; an empty code = none."""

    match: str = ""
    """Its code."""
    match_name: str = ""


@dataclass(frozen=True)
class ProtestStatus:
    """PROTEST: the state of a protest: ``ruled`` on already, and the match ``over``."""

    ruled: bool
    over: bool = False


# ---- what a player has asked to see ----


@dataclass(frozen=True)
class OverviewMatch:
    """One running match of the reader's."""

    code: str
    name: str
    game: str
    """Key of the registry."""
    reply: ReplyAddress
    status: SeatStatus = SeatStatus.IDLE
    """What the match wants of the reader."""
    awaited: tuple[str, ...] = ()
    """Names of the others whose orders are missing."""
    deadline: datetime | None = None
    state: str = ""
    """"" | suspended | held | pause | confirm | mail: why nothing goes on."""


@dataclass(frozen=True)
class OpenMatch:
    """A match that has free seats."""

    code: str
    name: str
    game: str
    players: tuple[str, ...]
    free: int


@dataclass(frozen=True)
class Overview:
    matches: tuple[OverviewMatch, ...] = ()
    open: tuple[OpenMatch, ...] = ()
    leaves: tuple[tuple[date, date], ...] = ()
    """First and last days of leave that is not over."""
    tournaments: tuple[Note, ...] = ()
    """One for each tournament of the reader's, as views/tournament_view.py has them."""
    open_tournaments: tuple[Note, ...] = ()
    """Tournaments that the reader could join."""


@dataclass(frozen=True)
class HistoryTurn:
    """One seat's order, or its absence, with what it led to."""

    report: MoveView
    total: int
    """Points of the seat when the turn, or its round, was over."""


@dataclass(frozen=True)
class UndoneTurns:
    """A place in the history where turns were undone."""

    turns: int


@dataclass(frozen=True)
class HistoryRound:
    number: int
    lines: tuple[HistoryTurn | UndoneTurns | Note, ...]
    """In order; a note tells what else happened (a seat was given up)."""
    totals: tuple[tuple[str, int], ...]
    """Name and points of each seat after it."""


@dataclass(frozen=True)
class PromptnessFigures:
    """The figures on how promptly one player answers."""

    name: str
    percent: int | None
    """Turns answered before the ZAT; None before the first."""
    turns: int = 0
    """Answered turns."""
    days: int = 0
    """From board mail to answer, all of them together."""
    missed: int = 0
    bank: int = 0
    """Extra days left."""


@dataclass(frozen=True)
class Promptness:
    players: tuple[PromptnessFigures, ...] = ()


@dataclass(frozen=True)
class MatchHistory:
    rounds: tuple[HistoryRound, ...]
    promptness: Promptness


@dataclass(frozen=True)
class ReviewText:
    """REVIEW: the review of a match that is over, as review/notes.py puts it."""

    summary: tuple[Note, ...]
    """The match in a few lines."""
    turns: tuple[tuple[Note, ...], ...]
    """A line for each turn, of one sentence or two."""
    explained: tuple[Note, ...]
    """How it was worked out."""


def build_review_text(review: Review) -> ReviewText:
    """Return all that the review says, as notes."""
    return ReviewText(list_summary_notes(review), list_turn_notes(review), list_method_notes(review))


@dataclass(frozen=True)
class PuzzleNotification:
    """PUZZLE: the puzzle that is set and the solution of the one before; the position is that of the page."""

    number: int = 0
    """Of the puzzle that is set; 0 = none is."""
    about: tuple[Note, ...] = ()
    """What there is to find, and how things stand."""
    how: tuple[Note, ...] = ()
    """How to answer, until when, what was answered."""
    solved: tuple[Note, ...] = ()
    """The solution of the one before, and who found it; () = there was none."""
    solved_game: str = ""
    """Key of its game."""


class HelpTopic(StrEnum):
    """What help can be asked for by itself."""

    MOVES = "moves"
    MAILS = "mails"
    JOINING = "joining"
    ALL = "all"


@dataclass(frozen=True)
class CommandListing:
    """A command as the help lists it, in the reader's language."""

    said: str
    what: str
    """What it does."""


@dataclass(frozen=True)
class HelpLine:
    """A line that is a move of the match."""

    code: str
    """Of the game's sentence that says what it is."""
    line: str
    """In canonical notation; "" = there is none to show."""


@dataclass(frozen=True)
class HelpText:
    """The help: in short, or all about one topic. ``groups``: code of a heading, and the commands below it."""

    groups: tuple[tuple[str, tuple[CommandListing, ...]], ...] = ()
    topic: HelpTopic | None = None
    """None = in short."""
    moves: tuple[HelpLine, ...] = ()
    topics: Mapping[HelpTopic, str] = field(default_factory=dict)
    """The line that asks for each."""
    unknown: str = ""
    """What was asked for and is no topic."""


@dataclass(frozen=True)
class DeadlineLine:
    """One date in the attached calendar."""

    code: str
    name: str
    game: str
    deadline: datetime
    yours: bool


@dataclass(frozen=True)
class CalendarDate:
    """One date of a calendar. ``build_calendar_uid`` never changes, ``sequence`` rises with each change, so that a
    newer file replaces the entry of an older one."""

    uid: str
    sequence: int
    when: datetime
    """Aware."""
    title: str
    text: str
    day: date | None = None
    """It is shown for this whole day; None = at its moment."""
    changed: datetime | None = None
    """When it last did; None = now."""
    url: str = ""
    """Of the page that shows it."""


def build_calendar_uid(domain: str, name: str) -> str:
    """Build the identifier of what has this name in the club of that mail domain: always the same, and it tells nothing
    (RFC 7986, 5.3)."""
    return str(uuid5(NAMESPACE_URL, f"tag:{domain}:{name}"))


def build_deadline_uid(domain: str, code: str) -> str:
    """Build the identifier of a match's deadline. Its ``sequence`` is the number of the log's entries: each may move
    it, and nothing else does."""
    return build_calendar_uid(domain, f"{code}-zat")


@dataclass(frozen=True)
class DeadlineList:
    matches: tuple[DeadlineLine, ...]
    dates: tuple[CalendarDate, ...] = ()
    """The same for a calendar."""
    match: str = ""
    """Code of the match that was asked about; "" = all of the reader's."""
    address: str = ""
    """Where the reader's calendar is on the web; "" = nowhere."""


# ---- kind by kind ----


@dataclass(frozen=True)
class WordScore:
    word: str
    points: int


@dataclass(frozen=True)
class RefusedAlternative:
    """One alternative that could not be played."""

    number: int
    """1 = the main move, 2 = the first fallback."""
    text: str
    reason: Note


@dataclass(frozen=True)
class MoveView:
    """One seat's order, and what it led to."""

    seat: int
    name: str
    you: bool = False
    played: str = ""
    """Canonical notation; "" = nothing."""
    alternative: int = 0
    """Which alternative was played: 1 = the main move; 0 = none."""
    points: int = 0
    words: tuple[WordScore, ...] = ()
    failed: tuple[RefusedAlternative, ...] = ()
    notes: tuple[Note, ...] = ()
    """Bonuses, draws, differing claims: public ones and this reader's own."""
    laid: bool = True
    """Pace ``common``: whether this is the move that lies on the board."""
    same: int = 0
    """Pace ``common``: how many other seats sent the same move."""
    before: tuple[Note, ...] = ()
    """What happened before it, and after the move that is reported before it."""
    then: tuple[Note, ...] = ()
    """What happened by itself after it, in order: draws, passes, the end of a round, the next deal. Each note names
    its seat."""


@dataclass(frozen=True)
class ReplyAddress:
    """The address, subject and body of a prefilled answer."""

    address: str
    """With the seat's token."""
    subject: str
    body: str = ""


# ---- What a mail says about a tournament, without words: pairings, results, tables.


Topic = Literal[
    "invite",  # the registration is open
    "pairings",  # a round begins
    "warning",  # the latest end of the round is near and games of the reader's are open
    "report",  # a round is over
    "final",  # all is over
    "table",  # the reader asked for it, or something has changed
    "news",  # only the notes: somebody moved up from the standby list, a challenge, …
]


@dataclass(frozen=True)
class TournamentGameLine:
    """A pairing as the mail shows it."""

    round: int
    board: int
    names: tuple[str, ...]
    """In seat order."""
    you: int | None = None
    """The reader's seat."""
    match: str = ""
    """Code; "" = no match is played (bye, decided without play)."""
    kind: GameKind = GameKind.GAME
    points: tuple[str, ...] = ()
    """Tournament points by seat as text ("1", "½", "0"); () = open."""
    scores: tuple[int, ...] = ()
    """The points that decided it, by seat; () = open, or none did."""
    how: EndCause = EndCause.PLAYED
    """How it came to its result."""
    division: int = 1
    corrected: bool = False
    """It had another result first."""
    standing: tuple[int, ...] = ()
    """Of an open game in a warning: the points that would count now, by seat; () = the moderator would decide."""
    awaited: tuple[str, ...] = ()
    """Of the same: whose turn it is."""


@dataclass(frozen=True)
class TournamentTie:
    """Two who meet in a round of a knock-out."""

    round: int
    names: tuple[str, ...]
    """One name = bye."""
    points: tuple[str, ...] = ()
    """Tournament points in the tie so far, beside ``names``; () = nothing is finished, or a bye."""
    sums: tuple[int, ...] = ()
    """Game points in all, which decide where ``points`` are equal."""
    through: int | None = None
    """Which of the two goes on; None = open."""
    third: bool = False
    """The match for third place."""


@dataclass(frozen=True)
class TournamentBracket:
    """A knock-out: the loser of a tie is out."""

    ties: tuple[TournamentTie, ...]
    """All that are known, by round."""
    order: tuple[tuple[int, str], ...] = ()
    """(place, name) at its end."""


@dataclass(frozen=True)
class TournamentRungs:
    """A ladder: the order of the players on its rungs, and the challenges."""

    order: tuple[tuple[int, str], ...]
    """(rung, name)."""
    challenges: tuple[tuple[str, str, bool], ...] = ()
    """(challenger, challenged, whether it is accepted)."""
    unplayed: tuple[tuple[str, str, date], ...] = ()
    """(one, the other, day) of challenges that ended without a game: refused, or not answered."""


@dataclass(frozen=True)
class TournamentTable:
    """The table of one division."""

    division: int
    table: Crosstable | TournamentBracket | TournamentRungs
    progress: Mapping[int, Sequence[int | None]] | None = None
    """Places by number after each round, for the picture of the final report."""
    you: int | None = None
    """The reader's number in it."""
    up: int = 0
    """Of a league at its end: how many of the first go up."""
    down: int = 0
    """How many of the last go down."""

    @property
    def cross(self) -> Crosstable | None:
        """The table of points, where there is one."""
        return self.table if isinstance(self.table, Crosstable) else None

    @property
    def rungs(self) -> TournamentRungs | None:
        """The ladder, where it is one."""
        return self.table if isinstance(self.table, TournamentRungs) else None

    @property
    def order(self) -> tuple[tuple[int, str], ...]:
        """(place or rung, name) in tables without points."""
        return () if isinstance(self.table, Crosstable) else self.table.order


@dataclass(frozen=True)
class TournamentView:
    """One tournament as one reader sees it."""

    topic: Topic
    code: str
    name: str
    game: str
    """Key of the registry."""
    format: str
    status: TournamentStatus
    round: int = 0
    rounds: int = 0
    """0 = open."""
    entrants: tuple[str, ...] = ()
    """Names of those who take part (before the start in the order of joining)."""
    standby: tuple[str, ...] = ()
    places: int = 0
    """How many may take part; 0 = no limit."""
    closes_at: datetime | None = None
    """End of the registration."""
    ends_at: datetime | None = None
    """Latest end of the round, as published."""
    seats: int = 2
    """Of each game."""
    legs: int = 1
    """Games that two who are paired play in all; of two each has the first seat in one."""
    third: bool = False
    """Who loses the semi-final plays for third place."""
    starter: int | None = None
    """The seat that makes the first move of each game; None = only the deal says."""
    reach: int = 0
    """Of a ladder: how many rungs above one may challenge."""
    division: int = 0
    """Of a league: about so many in each division."""
    at_once: bool = False
    """All games have started together: there is only one "round"."""
    adjudicate: str = "score"
    """What happens to games that are open then: "score" or "moderator"."""
    season: int = 0
    """Of a league: the number of the season; 0 = it is the only one."""
    least: int = 2
    """With fewer entrants it does not begin."""
    round_days: int = 0
    """Days from the start of a round to its latest end."""
    move_days: int = 0
    """Days for a move."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of the games that are not as usual, and to how many points one plays."""
    fields: tuple[tuple[str, ...], ...] = ()
    """The names of each division by number, the highest first; () before the start."""
    own: int = 0
    """The reader's division; 0 = none."""
    challengeable: tuple[str, ...] = ()
    """Of a ladder: whom the reader may challenge now."""
    yours: tuple[TournamentGameLine, ...] = ()
    """The reader's games (of this round; at the end all of them)."""
    before: tuple[TournamentGameLine, ...] = ()
    """The reader's games of the round that is over."""
    games: tuple[TournamentGameLine, ...] = ()
    """All games of the round."""
    tables: tuple[TournamentTable, ...] = ()
    rating: tuple[int, int] | None = None
    """At the end: the reader's rating now, and what it has changed by."""
    you_in: bool = False
    """The reader takes part."""
