"""What a mail says, without words: views/ fill these, render/mails lays them out, messages.toml speaks.

One Page = one mail to one player; what only one kind of mail says is its ``content``. Notes are codes with
parameters; times are aware UTC and become local when it is laid out; a board is a neutral Scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from moderator.common.enums import BoardForm, MailKind
from moderator.common.mails import File
from moderator.common.message_files import RulesText
from moderator.notifications.content import (
    AboutTournament,
    CommandReport,
    DeadlineList,
    HelpText,
    MatchHistory,
    MoveView,
    NewAddress,
    Overview,
    Promptness,
    ProtestStatus,
    PuzzleNotification,
    ReplyAddress,
    ReviewText,
    SenderQuestion,
    StartTerms,
    Topic,
    TournamentView,
    WordAsked,
    WordRuled,
    WordScore,
)
from moderator.rules.ending import Ending
from moderator.rules.events import FinalPosition, Happened
from moderator.rules.outcomes import OrderDecision
from moderator.rules.scenes import Scene
from moderator.rules.silence import SeatStatus, Silence
from moderator.rules.state import Note
from moderator.rules.turn_data import TurnData

WITHOUT_PAGE = frozenset({MailKind.AGAIN, MailKind.CONFIRM_TOKEN, MailKind.ASKED})
"""Kinds that a row has, and no page."""


@dataclass(frozen=True)
class Reader:
    """The reader of the mail."""

    name: str
    address: str
    language: str = "de"
    zone: str = "Europe/Berlin"
    board: BoardForm = BoardForm.PNG
    same_subject: bool = False
    """Every mail of a match has the same subject."""
    referee: bool = False
    """Who is in charge of matches and is not the chief."""


@dataclass(frozen=True)
class SeatView:
    """One row of the score table."""

    number: int
    name: str
    score: int
    you: bool = False
    status: SeatStatus = SeatStatus.IDLE
    gained: int | None = None
    """Points of the last turn or round; None = no turn yet."""
    last: str = ""
    """Last move in canonical notation."""
    tiles: int | None = None
    """Tiles in hand; None where the rack is common."""


class AlternativeState(StrEnum):
    """The state of a stored move: what can become of it as things stand."""

    LEGAL = "legal"
    UNDECIDED = "undecided"
    """It waits for a ruling on a word."""
    ILLEGAL = "illegal"
    """It cannot be played on the board as it is."""
    HOPELESS = "hopeless"
    """It cannot be played, and no board that may come would change that."""


@dataclass(frozen=True)
class StoredAlternative:
    """One move of a stored order."""

    move: str
    state: AlternativeState = AlternativeState.LEGAL
    reason: Note | None = None
    """Why it cannot be played."""


@dataclass(frozen=True)
class StoredOrder:
    """The order that the reader has in store."""

    moves: tuple[StoredAlternative, ...]
    """Main move first."""
    lasting: tuple[str, ...] = ()
    """Standing orders, kept until they are withdrawn."""
    is_retried: bool = False
    """The board may be another one when the moves are tried."""

    @property
    def is_possible(self) -> bool:
        """True where something of it could be played now, or waits for a ruling."""
        return any(one.state in (AlternativeState.LEGAL, AlternativeState.UNDECIDED) for one in self.moves)

    @property
    def may_become_possible(self) -> bool:
        """True where nothing of it can be played now, and something perhaps later."""
        return self.is_retried and any(one.state is AlternativeState.ILLEGAL for one in self.moves)


@dataclass(frozen=True)
class ShuffleProof:
    """The proof of one round's deal: that it was fixed before anybody saw a tile."""

    round: int
    commitment: str
    """SHA-256 of the seed, see rules/shuffling.py."""
    seed: str = ""
    """Hex; "" while the round is played."""


@dataclass(frozen=True)
class LineOutcome:
    """One line of the player's mail, and what became of it."""

    number: int
    text: str
    status: Literal["move", "fallback", "command", "error", "impossible", "text"]
    """"error" = not understood, "impossible" = understood, and not done all the same; "text" = read as a remark, not as
    an order."""
    canonical: str = ""
    points: int | None = None
    """Points on the board as it stands now; None = not legal now or not a move."""
    words: tuple[WordScore, ...] = ()
    notes: tuple[Note, ...] = ()
    """Why it does not count now, differing claims, …"""
    example: str = ""
    """A right line, for an error."""
    reached: bool = True
    """False = an earlier alternative was played, so this one was not even tried."""
    is_drawn: bool = False
    """``text`` is no line of the mail, but made from a drawing in it; its words are those of the canonical form."""

    @property
    def is_unfulfilled(self) -> bool:
        """True where its writer wanted something by it that was not done, and that is no matter of the match's
        rules."""
        return self.status in ("error", "impossible")


@dataclass(frozen=True)
class LineOffer:
    """A line that would do what a sentence seems to ask for, offered to its writer."""

    note: Note
    """The question."""
    line: str
    whole: bool = True
    """It says all; else it is an example that its writer has to change."""
    points: int | None = None
    """Of a move: what it would bring now."""


@dataclass(frozen=True)
class Receipt:
    """The answer to an order mail."""

    decided: OrderDecision
    lines: tuple[LineOutcome, ...] = ()
    ignored: Mapping[str, int] = field(default_factory=dict)
    unopened: tuple[Note, ...] = ()
    """What else was in the mail and was not read, of a mail in which no order and no command was understood."""
    right: str = ""
    """A right line, beside ``unopened``."""
    offers: tuple[LineOffer, ...] = ()
    """What may be meant by what was no order and no command."""


@dataclass(frozen=True)
class MatchView:
    code: str
    """Four letters and digits that name the match, e.g. K7Q2."""
    name: str
    game: str
    """Key of the registry."""
    game_name: str
    """In the reader's language; "" = only the key is known."""
    pace: str
    round: int
    entry: int = 0
    """How many entries its log has: of two mails the one with more shows the newer position."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options in force."""
    lexicon: str = ""
    """Dictionary and edition that decide."""
    commitment: str = ""
    seed: str = ""
    """Only after the end."""
    last_round: int | None = None
    salts: tuple[str, ...] = ()
    """The players' words that were mixed into the shuffles, in their order."""
    rulings: tuple[Note, ...] = ()
    """On words, for this match alone, as far as its players may know."""
    seals: tuple[ShuffleProof, ...] = ()
    """Of matches whose rounds are dealt from seeds of their own: those that this mail must name (a round that has
    just begun, one that has just ended; at the end all of them). ``commitment`` and ``seed`` are "" then."""


@dataclass(frozen=True)
class LetterView:
    """Words of one player to others."""

    by: str
    text: str
    to: tuple[str, ...] = ()
    """Names; () = to all."""
    you: bool = False
    """The reader wrote it."""
    match: str = ""
    """Code of the match, where a mail has letters of several."""


@dataclass(frozen=True)
class Page:
    """One mail."""

    kind: MailKind
    reader: Reader
    club: str
    now: datetime
    match: MatchView | None = None
    reply: ReplyAddress | None = None
    deadline: datetime | None = None
    moving_in: bool = False
    """It was begun elsewhere, and its players have yet to confirm what stands here."""
    scene: Scene | None = None
    table: Mapping[str, Any] | None = None
    """What the scene shows, as plain JSON for programs, see rules/turn_data.py; None = nothing is sent along."""
    rack: tuple[str, ...] | None = None
    rack_common: bool = False
    stock: int | None = None
    stock_kinds: Mapping[str, int] = field(default_factory=dict)
    """How many of each kind, where everybody may know: colour -> count."""
    situation: tuple[Note, ...] = ()
    """What holds now besides the board, see ``Game.describe_situation``."""
    seats: tuple[SeatView, ...] = ()
    ending: Ending | None = None
    """How the match ended; None while it runs, and in mails about none."""
    reports: tuple[MoveView, ...] = ()
    receipt: Receipt | None = None
    notes: tuple[Note, ...] = ()
    """Anything else that happened, public or the reader's own."""
    happened: tuple[Happened, ...] = ()
    """What there was besides moves, as values; what of it has a sentence of its own stands in ``notes``, too."""
    finals: tuple[FinalPosition, ...] = ()
    """Of the rounds that ended in what the mail reports and after which another one was dealt."""
    press: tuple[LetterView, ...] = ()
    """What players wrote to the reader since the last report."""
    remarks: tuple[Note, ...] = ()
    """What is special about the clock and the seats now, under the headline."""
    stored: StoredOrder | None = None
    """The reader's stored order, repeated in every mail."""
    silence: Silence | None = None
    """What happens if the reader sends nothing more; None where nothing is wanted."""
    held: bool = False
    """The match waits for a ruling of the moderator."""
    watching: bool = False
    """The reader has no seat in this match, and sees what everybody may see."""
    names: tuple[str, ...] = ()
    """Of all seats, in order."""
    examples: Mapping[str, str] = field(default_factory=dict)
    """What sentences on how to write a move show, see rules/robots/choose.py."""
    content: Content | None = None
    """What only this kind of mail says."""
    club_zone: str = "Europe/Berlin"
    """The club's clock; a mail names the reader's zone where it differs."""
    files: tuple[File, ...] = ()
    """What is attached."""
    archive: str = ""
    """Address of the page that shows the match or the tournament to everybody; "" = there is none."""
    turn: TurnData | None = None
    """What programs are told of a position that is no match's; None = a match's turn is made of the page."""
    board_page: str = ""
    """Address of the touch board of the match's game; "" = there is none."""
    board_file: str = ""
    """Name of that page where it is attached; "" = it is not."""
    about_game: str = ""
    """Key of the game that a mail about no match is about; "" = none."""
    state_line: str = ""
    """The state of the match in one signed line, for the foot; "" = none."""

    def __post_init__(self) -> None:
        wanted = CONTENT.get(self.kind)
        if (type(self.content) if self.content is not None else None) is not wanted:
            raise TypeError(f"A mail {self.kind} says {wanted}, not {self.content!r}.")

    @property
    def own_seat(self) -> SeatView | None:
        """The reader's seat; None for a reader without one."""
        return next((seat for seat in self.seats if seat.you), None)

    @property
    def own_number(self) -> int | None:
        """The number of that seat."""
        return self.own_seat.number if self.own_seat else None

    @property
    def status(self) -> SeatStatus:
        """The status of the reader's seat: what the match wants of it."""
        return self.own_seat.status if self.own_seat else SeatStatus.IDLE

    @property
    def your_turn(self) -> bool:
        return self.status.is_to_act

    @property
    def awaited(self) -> tuple[str, ...]:
        """Names of those the match waits for."""
        return tuple(seat.name for seat in self.seats if seat.status.is_awaited)

    @property
    def awaited_others(self) -> tuple[str, ...]:
        """Names of those besides the reader the match waits for."""
        return tuple(seat.name for seat in self.seats if seat.status.is_awaited and not seat.you)

    @property
    def game(self) -> str | None:
        """Key of the game of the match, or of what else there is to play."""
        return self.match.game if self.match else self.about_game or None


@dataclass(frozen=True)
class PendingCommand:
    """A command that asks for a mail and changes nothing; as it stood in the mail."""

    name: str
    number: int
    text: str
    argument: str = ""
    whole: bool = True
    """See ``Sender.whole``."""
    placed: bool = False
    """It means the row's match."""


@dataclass(frozen=True)
class TournamentTopic:
    """A mail about a tournament, by its number: all else can be looked up again."""

    number: int
    topic: Topic


@dataclass(frozen=True)
class MailPayload:
    """The part of a mail that is news and cannot be built again later."""

    reports: tuple[MoveView, ...] = ()
    notes: tuple[Note, ...] = ()
    press: tuple[LetterView, ...] = ()
    receipt: Receipt | None = None
    since: int | None = None
    """Number of the round before the first thing happened, see ``MatchEvents.since``."""
    asked: PendingCommand | None = None
    happened: tuple[Happened, ...] = ()
    """What there was besides moves."""
    tournament: TournamentTopic | None = None


NOTHING = MailPayload()


@dataclass(frozen=True)
class DigestNotification:
    """DIGEST: what a day has brought."""

    parts: tuple[Page, ...] = ()
    """For each match where it is the reader's turn, or in which something has happened."""
    tournaments: tuple[TournamentView, ...] = ()
    """Those in which something has ended."""


@dataclass(frozen=True)
class BacklogNotification:
    """BACKLOG: the one mail that answers many."""

    parts: tuple[Page, ...] = ()
    """For each match where it is the reader's turn, or in which something has happened."""
    mails: tuple[Page, ...] = ()
    """What became of each of the reader's mails, oldest first; its remark says which mail it was."""
    unlisted: int = 0
    """So many more of them are not told about."""
    away: int = 0
    """So many days nobody read the mailbox, and deadlines have moved; 0 = mail had only piled up."""
    is_silent: bool = False
    """In that time no mail of the reader's came."""


Asked = Overview | Promptness | MatchHistory | ReviewText | HelpText | DeadlineList | RulesText
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
    MailKind.HELP: HelpText,
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
    if isinstance(content, StartTerms):
        return (content.tournament,) if content.tournament else ()
    return content.tournaments if isinstance(content, DigestNotification) else ()
