"""What only one kind of mail says: a small dataclass for each kind that has something of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

from moderator.common.enums import MailKind, WordRuling
from moderator.language.rules_text import RulesText
from moderator.rules.game import Note

if TYPE_CHECKING:
    from moderator.notifications.pages import MoveView, Page, ReplyAddress
    from moderator.notifications.tournament_view import TournamentView


@dataclass(frozen=True)
class StartTerms:
    """START: the time rules of the match."""

    terms: tuple[Note, ...] = ()


@dataclass(frozen=True)
class DigestNotification:
    """DIGEST: what a day has brought."""

    parts: tuple[Page, ...] = ()
    """For each match where it is the reader's turn, with its board and reply."""
    tournaments: tuple[TournamentView, ...] = ()
    """Those in which something has ended."""


@dataclass(frozen=True)
class BacklogNotification:
    """BACKLOG: the one mail that answers many."""

    parts: tuple[Page, ...] = ()
    """For each match where it is the reader's turn, or in which something has happened."""
    mails: tuple[Page, ...] = ()
    """What became of each of the reader's mails, oldest first; its remark says which mail it was."""


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
    round: int = 0
    your_turn: bool = False
    awaited: tuple[str, ...] = ()
    """Names of those whose orders are missing."""
    score: int = 0
    rank: int = 1
    """1 = nobody has more points."""
    seats: int = 2
    deadline: datetime | None = None
    stored: Literal["none", "possible", "impossible"] = "none"
    """What of the reader's is kept, and whether it is possible as things stand."""
    state: str = ""
    """"" | suspended | held | pause | mail | out: why nothing goes on, or not for the reader."""


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


@dataclass(frozen=True)
class CommandListing:
    """A command as the help lists it, in the reader's language."""

    said: str
    twin: str
    """The same in another language."""
    what: str
    """What it does."""


@dataclass(frozen=True)
class CommandList:
    """The commands by group: (``turn``, its commands) and so on."""

    groups: tuple[tuple[str, tuple[CommandListing, ...]], ...]


@dataclass(frozen=True)
class DeadlineLine:
    """One date in the attached calendar."""

    code: str
    name: str
    game: str
    deadline: datetime
    yours: bool


@dataclass(frozen=True)
class DeadlineList:
    matches: tuple[DeadlineLine, ...]
    address: str = ""
    """Where the reader's calendar is on the web; "" = nowhere."""


Asked = Overview | Promptness | MatchHistory | ReviewText | CommandList | DeadlineList | RulesText


# ---- kind by kind ----

Content = (
    StartTerms
    | DigestNotification
    | BacklogNotification
    | AboutTournament
    | SenderQuestion
    | WordAsked
    | WordRuled
    | NewAddress
    | CommandReport
    | ProtestStatus
    | PuzzleNotification
    | Asked
)

CONTENT: Mapping[MailKind, type[Content]] = {
    MailKind.START: StartTerms,
    MailKind.DIGEST: DigestNotification,
    MailKind.BACKLOG: BacklogNotification,
    MailKind.TOURNAMENT: AboutTournament,
    MailKind.OVERVIEW: Overview,
    MailKind.STATUS: Promptness,
    MailKind.HISTORY: MatchHistory,
    MailKind.REVIEW: ReviewText,
    MailKind.PUZZLE: PuzzleNotification,
    MailKind.HELP: CommandList,
    MailKind.CALENDAR: DeadlineList,
    MailKind.RULES: RulesText,
    MailKind.CONFIRM: SenderQuestion,
    MailKind.RULING: WordAsked,
    MailKind.RULED: WordRuled,
    MailKind.ADDRESS: NewAddress,
    MailKind.OFFICIAL: CommandReport,
    MailKind.PROTEST: ProtestStatus,
}
"""Kinds that say something of their own, and what. All others say what a Page has for every kind."""


def list_match_pages(content: Content | None) -> tuple[Page, ...]:
    """Return the pages of the single matches in a mail about several."""
    return content.parts if isinstance(content, DigestNotification | BacklogNotification) else ()


def list_answered_mails(content: Content | None) -> tuple[Page, ...]:
    """Return the reader's mails that are answered together."""
    return content.mails if isinstance(content, BacklogNotification) else ()


def list_tournament_views(content: Content | None) -> tuple[TournamentView, ...]:
    """Return the tournaments that the mail shows."""
    if isinstance(content, AboutTournament):
        return (content.tournament,)
    return content.tournaments if isinstance(content, DigestNotification) else ()
