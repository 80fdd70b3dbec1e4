"""How one match stands: who has confirmed it, which rulings its players may know, when its turns end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from moderator.common.enums import ClockStop, LogEntryKind
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.rules.table import list_active_seats
from moderator.rules.time import calendar, clock
from moderator.rules.time.clock import Span, TurnSchedule, compute_first_day, to_local_day
from moderator.store import questions
from moderator.store.database import Session
from moderator.store.matches import OVER
from moderator.store.tables import MatchRow, PlayerRow
from moderator.store.tournaments import find_pairing_of_match
from moderator.views.loaded_match import LiveMatch, load_log_entries
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import UnitOfWork
from moderator.words.house_rulings import HouseRuling


@dataclass(frozen=True)
class AwaitedSeats:
    """The seats that a match waits for, and until when."""

    work: UnitOfWork
    match: MatchRow
    live: LiveMatch

    def list_unconfirmed(self) -> list[int]:
        """List the seats of people who have not said yet that a match that was moved in stands here as it stood
        elsewhere: its log says so. None where nobody is asked."""
        if self.match.stopped != ClockStop.CONFIRM:
            return []
        self.work.session.flush()
        said: dict[int, bool] = {}
        for _, entry in replay.drop_undone(load_log_entries(self.work.session, self.match)):
            if entry.seat is not None and entry.kind in (LogEntryKind.CONFIRM, LogEntryKind.HAND_OVER):
                said[entry.seat] = entry.kind == LogEntryKind.CONFIRM and not entry.text
        players = self.work.list_players(self.match)
        return [seat for seat in list_active_seats(self.live.table) if not players[seat].robot and not said.get(seat)]

    def build_base_schedules(self) -> dict[int, TurnSchedule]:
        """Build for each awaited person's seat the ends of its turn, as they were when the turn began."""
        if self.match.turn_at is None:
            return {}
        players, zone = self.work.list_players(self.match), self.work.config.club.zone
        began = compute_first_day(self.match.turn_at, self.live.terms, zone)
        return {
            seat: clock.build_turn_schedule(
                began, self.live.terms, zone, self.live.ledger.seats[seat].bank, self._list_counting_leaves(seat)
            )
            for seat in self.live.seats_to_act
            if not players[seat].robot
        }

    def _list_counting_leaves(self, seat: int) -> tuple[Span, ...]:
        """List the seat's leaves that count for the turn that began at ``match.turn_at``."""
        if self.match.turn_at is None or not self.live.terms.leave:
            return ()
        return calendar.list_counting_leaves(
            self.work.cache.list_player_leaves(self.work.session, self.work.list_players(self.match)[seat].number),
            self.match.turn_at,
        )

    def build_schedules(self) -> dict[int, TurnSchedule]:
        """Build for each awaited person's seat the ends of its turn as they are now: put off by as much as the match's
        deadline was."""
        found = self.build_base_schedules()
        if self.match.deadline is None or not found:
            return {}
        zone = self.work.config.club.zone
        later = (
            to_local_day(self.match.deadline, zone) - to_local_day(clock.merge_schedules(found.values()).zat, zone)
        ).days
        if later <= 0 or self.match.turn_at is None:
            return found
        began = self.match.turn_at
        return {
            seat: clock.shift_schedule(plan, began, later, self.live.terms, zone, self._list_counting_leaves(seat))
            for seat, plan in found.items()
        }

    def compute_seat_deadline(self, seat: int) -> datetime | None:
        """Compute the deadline as a seat's mails name it: the ZAT, and for a seat that has missed it the end of its
        extra days and grace."""
        found = self.match.deadline
        if found is not None and self.work.now > found and seat in self.live.seats_awaited:
            plan = self.build_schedules().get(seat)
            found = plan.final if plan else found
        return limit_to_latest_end(self.work.session, self.work.now, self.match, found)

    def compute_final_deadline(self) -> datetime | None:
        """Compute when the last of the missing seats is late; the ZAT if no seat is missing; None without a
        deadline."""
        if self.match.deadline is None:
            return None
        found = self.build_schedules()
        return max(
            (found[seat].final for seat in self.live.seats_awaited if seat in found), default=self.match.deadline
        )

    def list_unreachable(self) -> list[PlayerRow]:
        """List the awaited players whose mail comes back."""
        players = self.work.list_players(self.match)
        return [players[seat] for seat in self.live.seats_to_act if players[seat].undeliverable]


# ---- rulings on words that hold in one match alone, as far as its players may know them ----
#
# A word that somebody wanted to lay tells about a rack. So a ruling on one that was asked about is told when it lies on
# the table, or the match is over; any other at once.


def build_ruling_notes(session: Session, cache: MatchCache, match: MatchRow, live: LiveMatch) -> tuple[Note, ...]:
    """Return notes on the rulings in force that the players of the match may know, as they stand among what was
    agreed."""
    if not live.game.uses_words:
        return ()
    rulings = cache.list_match_rulings(match.code, live.options)
    return tuple(
        build_ruling_note("agreed-word", one) for one in rulings if is_ruling_public(session, match, one, live)
    )


def build_ruling_note(code: str, ruling: HouseRuling) -> Note:
    """Return a note: ``code`` with what was ruled, and whether a reason was given."""
    word, why = ruling.word.removeprefix("="), "-why" if ruling.reason else ""
    return Note(f"{code}-{ruling.ruling}{why}", {"word": word, "reason": ruling.reason})


def is_ruling_public(session: Session, match: MatchRow, ruling: HouseRuling, live: LiveMatch) -> bool:
    """Return whether a ruling gives away nothing of a rack."""
    word = ruling.to_key(live.options.policy)
    asked = questions.is_word_asked(session, match.number, word)
    return not asked or match.status in OVER or word in _collect_laid_words(session, match)


def _collect_laid_words(session: Session, match: MatchRow) -> set[str]:
    """Return all words that moves of the match have formed."""
    moves = [move for entry in load_log_entries(session, match) for move in entry.outcome.get("moves", ())]
    return {one["word"] for move in moves for one in move.get("detail", {}).get("words", ())}


def limit_to_latest_end(session: Session, now: datetime, match: MatchRow, deadline: datetime | None) -> datetime | None:
    """Return the deadline, or the latest end of a game of a tournament where that comes before it: nothing is played
    any more then."""
    row = find_pairing_of_match(session, match.number) if deadline and match.tournament_id is not None else None
    if deadline is None or row is None or row.ends_at is None or row.ends_at <= now:
        return deadline
    return min(deadline, row.ends_at)
