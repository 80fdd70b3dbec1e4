"""One transaction: settings, session, time, the mail at hand, what has happened so far, and who is to be told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from moderator.common.enums import MailKind, MatchStatus
from moderator.notifications.content import Topic
from moderator.notifications.pages import MailPayload, Page, PendingCommand, Receipt
from moderator.notifications.task import StaffMember
from moderator.rules.events import Happened, SeatTaken
from moderator.rules.game import Note
from moderator.rules.outcomes import MatchDecision
from moderator.rules.table import EngineResult
from moderator.rules.time.calendar import to_local_day
from moderator.settings import Config
from moderator.store import matches, outbox
from moderator.store.database import Session
from moderator.store.due_work import ClubTime
from moderator.store.tables import InboxRow, LetterRow, MatchRow, PlayerRow, SeatRow, Tournament
from moderator.views.match_cache import MatchCache

A_DAY = timedelta(days=1)


@dataclass
class MatchEvents:
    """The events of one match within one transaction; they become one mail per player."""

    match: MatchRow
    results: list[EngineResult] = field(default_factory=list)
    first: list[Note] = field(default_factory=list)
    """What happened before the first of the results, in order."""
    notes: list[Note] = field(default_factory=list)
    """What happened since then; all of it where there are no results."""
    receipts: dict[int, Receipt] = field(default_factory=dict)
    """Player id -> the answer to the order mail that started all this."""
    started: bool = False
    moved: bool = False
    """The position or the awaited seats changed: everybody gets a mail."""
    correction: bool = False
    """What was reported before does not hold any more."""
    press: list[LetterRow] = field(default_factory=list)
    """Letters that go with this report."""
    happened: list[Happened] = field(default_factory=list)
    """What there was besides moves, in order."""
    since: int | None = None
    """Number of the round before the first thing happened; 0 = not dealt; None = nothing has happened."""

    @property
    def opening_notes(self) -> list[Note]:
        """The notes on what came before all that was played."""
        return self.first if self.results else self.notes

    def add_result(self, result: EngineResult) -> None:
        """Add the next result; what has been noted so far came before it."""
        if not self.results:
            self.first, self.notes = self.notes, []
        self.results.append(result)

    @property
    def new_holders(self) -> frozenset[int]:
        """The seats that somebody else has taken over."""
        return frozenset(one.seat for one in self.happened if isinstance(one, SeatTaken))

    def find_seat_decision(self, seat: int | None) -> MatchDecision | None:
        """Find what happened to the match, as the player of that seat reads it (None = a watcher); None = nothing that
        everybody is told."""
        if not self.moved:
            return None
        if self.match.status == MatchStatus.FINISHED:
            return MailKind.END
        if self.correction and seat not in self.new_holders:
            return MailKind.CORRECTION
        return MailKind.START if self.started or seat in self.new_holders else MailKind.TURN

    def record_start_round(self, round_number: int) -> None:
        """Record that something is about to happen in ``round_number``; only the first call counts."""
        if self.since is None:
            self.since = round_number


@dataclass
class UnitOfWork:
    config: Config
    session: Session
    now: datetime
    cache: MatchCache
    mail: InboxRow | None = None
    """The mail being answered; None for deadlines and commands of the operator."""
    acts_on: InboxRow | None = None
    """The mail that is acted on: the one at hand, or an earlier one that it says yes to."""
    answered: tuple[str, ...] = ()
    """Message-IDs that the mail acted on names as those that it answers."""
    clock: ClubTime | None = None
    """What the machine's clock is worth, for a command that is typed: ``now`` is the club's time."""
    official: StaffMember | None = None
    """Who commands by it, if it is the chief or a referee; None also for the operator."""
    progress: dict[int, MatchEvents] = field(default_factory=dict)
    notifications: list[Notification] = field(default_factory=list)
    """What somebody is to be told of all this, in order; ``delivery/deliver.py`` makes mails of it at the end."""
    _seated: dict[int, list[tuple[SeatRow, PlayerRow]]] = field(default_factory=dict)
    last_entries: dict[int, datetime | None] = field(default_factory=dict)
    """Match id -> when the last entry of its log was made, of the matches that were asked for by their codes, as it was
    then."""

    def __post_init__(self) -> None:
        self.cache.attach(self.session)

    @contextmanager
    def begin_trial(self) -> Iterator[UnitOfWork]:
        """Give a unit of work for something that is tried: all of it is taken back when the block ends, and nobody is
        told."""
        self.session.flush()
        apart = UnitOfWork(self.config, self.session, self.now, self.cache.fork_cache())
        point = self.session.begin_nested()
        try:
            yield apart
        finally:
            point.rollback()

    @contextmanager
    def begin_savepoint(self) -> Iterator[None]:
        """Keep all that is done inside, or undo it by the error that ends it; nobody is told of it then."""
        before = len(self.notifications)
        try:
            with self.session.begin_nested():
                yield
        except BaseException:
            del self.notifications[before:]
            raise

    @property
    def inbox_id(self) -> int | None:
        return self.mail.id if self.mail else None

    @property
    def today(self) -> date:
        """The club's day."""
        return to_local_day(self.now, self.config.club.zone)

    @property
    def received_at(self) -> datetime:
        """The time at which the mail at hand reached the mailbox; now, if there is none or its clock is ahead of
        ours."""
        return min(self.mail.received_at, self.now) if self.mail else self.now

    @property
    def written_at(self) -> datetime:
        """The time at which the mail that is acted on reached the mailbox; for one that was confirmed later, when it
        came itself."""
        return min(self.acts_on.received_at, self.received_at) if self.acts_on else self.received_at

    def events_of(self, match: MatchRow) -> MatchEvents:
        """Return the events so far of this match."""
        return self.progress.setdefault(match.number, MatchEvents(match))

    def list_seated(self, match: MatchRow) -> list[tuple[SeatRow, PlayerRow]]:
        """List the seats with their players, in seat order; loaded once per match and transaction."""
        if match.number not in self._seated:
            self._seated[match.number] = matches.list_seats_with_players(self.session, match)
        return self._seated[match.number]

    def find_match_by_code(self, code: str) -> MatchRow | None:
        """Find the match with this code, and load its seats at once; None also if nobody has a seat there."""
        found = matches.find_match_with_seats(self.session, code)
        if found is None:
            return None
        self._seated[found.match.number] = found.seated
        self.last_entries[found.match.number] = found.last_entry
        self.cache.without_leave |= found.without_leave
        return found.match

    def discard_match_events(self, match: MatchRow) -> None:
        """Forget what was done to the match in this unit of work, because it was taken back to its savepoint."""
        self.progress.pop(match.number, None)
        self.forget_seats(match)

    def forget_seats(self, match: MatchRow) -> None:
        """Forget the seats of the match, because somebody else has one now."""
        self._seated.pop(match.number, None)

    def list_players(self, match: MatchRow) -> list[PlayerRow]:
        """List the match's players in seat order."""
        return [player for _, player in self.list_seated(match)]

    def count_replies_today(self, address: str) -> int:
        """Count the replies of the last day to this address; from the database once per run, then in the cache."""
        replies = self.cache.replies
        if address not in replies:
            replies[address] = outbox.count_replies(self.session, address, self.now - A_DAY)
        return replies[address]


# ---- what somebody is to be told, as a value. Whoever decides notes it (``service/notifications.py``) and makes no
# mail of it; at the end of the transaction ``delivery/deliver.py`` builds the page, and decides when it is read.


@dataclass(frozen=True)
class Recipient:
    """The reader of a mail: a player, with the match that it is about and the seat there (None: a watcher); without a
    player the chief, a referee, or a mailbox of somebody unknown."""

    player: PlayerRow | None = None
    match: MatchRow | None = None
    seat: SeatRow | None = None
    referee: bool = False
    """A referee, to whom notices go at once."""


@dataclass(frozen=True)
class MatchNews:
    """News of the recipient's match. The rest of the mail is how the match stands at delivery."""

    kind: MailKind
    payload: MailPayload
    with_tournament: bool = False
    """The mail says what the match is to its tournament."""


@dataclass(frozen=True)
class TournamentNews:
    """A tournament as it stands at delivery."""

    tournament: Tournament
    topic: Topic
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class DailyMail:
    """The daily mail, with all that has waited for it since then."""

    since: datetime


@dataclass(frozen=True)
class MailCopy:
    """A mail that the player was sent before. ``AGAIN``: it answers the mail at hand; of any other kind it never
    arrived, and is what it was."""

    raw: bytes
    kind: MailKind
    match_id: int | None
    round: int


News = Page | MatchNews | TournamentNews | DailyMail | MailCopy | PendingCommand
"""A page is finished already; a command that asks for a mail is carried out at the end of the run."""


@dataclass(frozen=True)
class Notification:
    """One mail to one reader, as it was decided."""

    to: Recipient
    news: News
    answers: bool = False
    """It replies to ``mail``."""
    once: bool = False
    """The reader would not get it another time, so no daily cap on answers stops it."""
    waited: bool = False
    """It has waited for its time already, or must not wait."""
    outbox_kind: MailKind | None = None
    """The kind that the outbox counts it as, if not its own."""
    mail: InboxRow | None = None
    """The mail at hand when it was decided."""

    @property
    def kind(self) -> MailKind:
        """The kind of mail that it becomes."""
        match self.news:
            case TournamentNews():
                return MailKind.TOURNAMENT
            case DailyMail():
                return MailKind.DIGEST
            case PendingCommand():
                return MailKind.ASKED
            case news:
                return news.kind
