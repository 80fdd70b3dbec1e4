"""What every action at the desk needs: the settings, one open transaction, the time, the mail at hand.

The log of a match gets its entries here, and the match at hand follows it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from moderator.club.live_match import LiveMatch
from moderator.club.referees import Official
from moderator.club.run_cache import RunCache
from moderator.config import Config
from moderator.mail.model import Ready
from moderator.match import replay
from moderator.match.contract import Note
from moderator.match.decision import Corrected, Ended, MatchDecision, Started, TurnOver
from moderator.match.happened import Happened, SeatTaken
from moderator.match.replay import Entry
from moderator.match.table import Result
from moderator.match.time import ledger
from moderator.match.time.calendar import local_day
from moderator.pages.pages import Receipt
from moderator.states import MatchStatus
from moderator.store import matches, reviews
from moderator.store.club_time import ClubTime
from moderator.store.db import Session
from moderator.store.models import Inbox, Match, Player, Press, Seat
from moderator.store.outbox import Made


@dataclass
class Progress:
    """What happened at one match within one transaction; becomes one mail per player."""

    match: Match
    results: list[Result] = field(default_factory=list)
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
    press: list[Press] = field(default_factory=list)
    """Letters that go with this report."""
    happened: list[Happened] = field(default_factory=list)
    """What there was besides moves, in order."""
    since: int | None = None
    """Number of the round before the first thing happened; 0 = not dealt; None = nothing has happened."""

    @property
    def opening(self) -> list[Note]:
        """What is told before all that was played."""
        return self.first if self.results else self.notes

    def played(self, result: Result) -> None:
        """The next result; what has been noted so far came before it."""
        if not self.results:
            self.first, self.notes = self.notes, []
        self.results.append(result)

    @property
    def newcomers(self) -> frozenset[int]:
        """Seats that somebody else has taken over."""
        return frozenset(one.seat for one in self.happened if isinstance(one, SeatTaken))

    def decided(self, seat: int | None) -> MatchDecision | None:
        """What happened to the match, as the player of that seat reads it (None = who watches); None = nothing that
        everybody is told."""
        if not self.moved:
            return None
        if self.match.status == MatchStatus.FINISHED:
            return Ended()
        if self.correction and seat not in self.newcomers:
            return Corrected()
        return Started() if self.started or seat in self.newcomers else TurnOver()

    def begin(self, round: int) -> None:
        """Something is about to happen in ``round``."""
        if self.since is None:
            self.since = round


@dataclass
class Desk:
    config: Config
    session: Session
    now: datetime
    cache: RunCache
    mail: Inbox | None = None
    """The mail being answered; None for deadlines and commands of the operator."""
    acts_on: Inbox | None = None
    """The mail that is acted on: the one at hand, or an earlier one that it says yes to."""
    answered: tuple[str, ...] = ()
    """Message-IDs that the mail acted on names as those that it answers."""
    clock: ClubTime | None = None
    """What the machine's clock is worth, for a command that is typed: ``now`` is the club's time."""
    official: Official | None = None
    """Who commands by it, if it is the chief or a referee; None also for the operator."""
    progress: dict[int, Progress] = field(default_factory=dict)
    posted: list[Ready] = field(default_factory=list)
    """Mails queued by this transaction."""
    unqueued: list[Made] | None = None
    """Mails that are queued together at the end of what is being told; None = each at once."""
    _seated: dict[int, list[tuple[Seat, Player]]] = field(default_factory=dict)
    last_entries: dict[int, datetime | None] = field(default_factory=dict)
    """Match id -> when the last entry of its log was made, of the matches that were asked for by their codes, as it was
    then."""

    def __post_init__(self) -> None:
        self.cache.used_in(self.session)

    @contextmanager
    def trial(self) -> Iterator[Desk]:
        """A desk for something that is tried: whatever happens at it is taken back when the block ends, the mails that
        it has made, too."""
        self.session.flush()
        apart = Desk(self.config, self.session, self.now, self.cache.apart())
        point = self.session.begin_nested()
        try:
            yield apart
        finally:
            point.rollback()

    @contextmanager
    def kept_whole(self) -> Iterator[None]:
        """What is done inside is kept, or undone by the error that ends it."""
        with self.session.begin_nested():
            yield

    @property
    def inbox_id(self) -> int | None:
        return self.mail.id if self.mail else None

    @property
    def today(self) -> date:
        """The club's day."""
        return local_day(self.now, self.config.club.zone)

    @property
    def arrived(self) -> datetime:
        """When the mail at hand reached the mailbox; now, if there is none or its clock is ahead of ours."""
        return min(self.mail.received_at, self.now) if self.mail else self.now

    @property
    def written(self) -> datetime:
        """When the mail that is acted on reached the mailbox: of one that was confirmed later, when it came itself."""
        return min(self.acts_on.received_at, self.arrived) if self.acts_on else self.arrived

    def of(self, match: Match) -> Progress:
        """What has happened so far at this match."""
        return self.progress.setdefault(match.number, Progress(match))

    def seated(self, match: Match) -> list[tuple[Seat, Player]]:
        """Seats with their players, in seat order; asked once per match and transaction."""
        if match.number not in self._seated:
            self._seated[match.number] = matches.seated(self.session, match)
        return self._seated[match.number]

    def match_at(self, code: str) -> Match | None:
        """The match with this code, and its seats at once; None also if nobody has a seat there."""
        found = matches.with_seats(self.session, code)
        if found is None:
            return None
        self._seated[found.match.number] = found.seated
        self.last_entries[found.match.number] = found.last_entry
        self.cache.without_leave |= found.without_leave
        return found.match

    def undone(self, match: Match) -> None:
        """What was done to the match at this desk was taken back, to its savepoint."""
        self.progress.pop(match.number, None)
        self.reseat(match)

    def reseat(self, match: Match) -> None:
        """Somebody else has a seat now."""
        self._seated.pop(match.number, None)

    def players(self, match: Match) -> list[Player]:
        """The match's players in seat order."""
        return [player for _, player in self.seated(match)]


# ---- the log of a match ----


def enter(desk: Desk, match: Match, live: LiveMatch, entry: Entry) -> None:
    """One more entry; the table follows it. Raises ReplayMismatch for one that does not fit."""
    live.table, _ = replay.step(live.game, live.table, entry, live.context)
    write(desk, match, live, entry)


def write(desk: Desk, match: Match, live: LiveMatch, entry: Entry) -> None:
    """One more entry that ``live.table`` shows already. An "undo" changes what came before: the match must be built
    anew after it."""
    match.entries += 1
    live.entries = match.entries
    live.ledger = ledger.add(live.ledger, live.terms, entry)
    values: dict[str, Any] = {"match_id": match.number, "n": match.entries, "kind": entry.kind, "seat": entry.seat}
    values |= {"text": entry.text, "outcome": dict(entry.outcome), "at": desk.now, "inbox_id": desk.inbox_id}
    matches.enter(desk.session, values)
    desk.session.add(match)
    if match.status == MatchStatus.FINISHED:
        reviews.queue(desk.session, match, desk.now)
