"""What every part of a match stands on: its row, its table, its log, what has happened to it in this transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from moderator.common.enums import MatchStatus
from moderator.rules import replay
from moderator.rules.events import Happened, event_message
from moderator.rules.game import Context, Note
from moderator.rules.replay import LogEntry
from moderator.rules.time import clock
from moderator.store import matches, reviews
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.views.unit_of_work import MatchEvents, UnitOfWork


@dataclass
class MatchLog:
    """A match at hand, and its log. The classes of this package each add one idea; ``Match`` is the whole."""

    work: UnitOfWork
    row: MatchRow
    live: LiveMatch
    session: Session = field(init=False)
    now: datetime = field(init=False)
    zone: str = field(init=False)
    """The club's time zone."""

    def __post_init__(self) -> None:
        self.session, self.now, self.zone = self.work.session, self.work.now, self.work.config.club.zone

    @classmethod
    def load(cls, work: UnitOfWork, row: MatchRow) -> Self:
        """Load the match, for this transaction alone. Raises MatchSuspended when it cannot go on."""
        return cls(work, row, work.cache.load_match(work.session, row))

    @property
    def seated(self) -> list[tuple[SeatRow, PlayerRow]]:
        """The seats with their players, in seat order."""
        return self.work.list_seated(self.row)

    @property
    def players(self) -> list[PlayerRow]:
        """The players in seat order."""
        return self.work.list_players(self.row)

    @property
    def events(self) -> MatchEvents:
        return self.work.events_of(self.row)

    def build_context(self) -> Context:
        """Build the context with the dictionary that orders are tried by."""
        return self.work.cache.build_context(self.live)

    def load_log(self) -> list[LogEntry]:
        """Load the log, oldest entry first."""
        return load_log_entries(self.session, self.row)

    def apply_entry(self, entry: LogEntry) -> None:
        """Append one more entry to the log, and apply it to the table. Raises ReplayMismatch for one that does not
        fit."""
        self.live.table, _ = replay.apply_log_entry(self.live.game, self.live.table, entry, self.live.context)
        self.append_entry(entry)

    def append_entry(self, entry: LogEntry) -> None:
        """Append one more entry that ``live.table`` shows already. An "undo" changes what came before: the match must
        be rebuilt after it."""
        row, live = self.row, self.live
        row.entries += 1
        live.entries = row.entries
        live.ledger = clock.add_entry(live.ledger, live.terms, entry)
        values: dict[str, Any] = {"match_id": row.number, "n": row.entries, "kind": entry.kind, "seat": entry.seat}
        values |= {"text": entry.text, "outcome": dict(entry.outcome), "at": self.now, "inbox_id": self.work.inbox_id}
        matches.insert_event(self.session, values)
        if row.status == MatchStatus.FINISHED:
            reviews.queue_review(self.session, row, self.now)

    def add_event_note(self, note: Note) -> None:
        """Add what everybody reads of something that has happened."""
        self.events.record_start_round(self.live.table.state.public.round)
        self.events.notes.append(note)
        self.events.moved = True

    def record_match_event(self, event: Happened) -> None:
        """Record something that has happened besides moves, with what everybody reads of it."""
        self.events.happened.append(event)
        if (said := event_message(event)) is not None:
            self.add_event_note(said)
