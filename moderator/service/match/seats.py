"""Who has the seats of a match: a seat is given up or handed over, the game is stopped; and whether all have said of
one that was moved in that it stands as it stood elsewhere.

What is part of the game is written into the log, with what everybody will read;
``service/notify.py`` notes who is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from moderator.common import tokens
from moderator.common.enums import ClockCause, ClockStop, Level, LogEntryKind, MailKind, MatchStatus, SeatLeftReason
from moderator.common.errors import OperatorError
from moderator.rules import table
from moderator.rules.events import DeadlineMoved, PlayStopped, SeatLost, SeatTaken
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry, drop_undone
from moderator.service.create import ensure_robot
from moderator.service.match.paces import MatchPaces
from moderator.service.notifications import notify_reader, notify_staff
from moderator.store import players
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.links import build_player_page
from moderator.views.unit_of_work import Recipient

AGREED_DEADLINE = "deadline"
"""What the entry of a match that was moved in calls the deadline that was agreed elsewhere."""
MOST_SAID = 1000
"""Letters that are kept of what somebody says is wrong."""


def may_take_over_seats(match: MatchRow) -> bool:
    """Return whether a seat of the match can be taken over at all: nobody plays for somebody else in a tournament, and
    at a table for training the robot is what its player wanted."""
    return match.status == MatchStatus.RUNNING and match.tournament_id is None and not match.training


class MatchSeats(MatchPaces):
    """The match and who has its seats."""

    @contextmanager
    def _report_moved_deadline(self, cause: ClockCause) -> Iterator[None]:
        """Record, with what everybody reads of it, that the deadline of a turn which goes on is another one after the
        block; where a turn has ended in it, the next one has its own."""
        before, played = self.row.deadline, len(self.events.results)
        yield
        after = self.row.deadline
        if before is not None and after not in (None, before) and len(self.events.results) == played:
            self.record_match_event(DeadlineMoved(before, after, cause))

    def retire_seat(self, seat: int, why: SeatLeftReason) -> None:
        """Let the seat play no more; the match ends when nobody is left to play against."""
        self.record_match_event(SeatLost(seat, self.players[seat].name, why))
        self.apply_entry(LogEntry(LogEntryKind.RETIRE, seat, why.value))
        left = table.list_active_seats(self.live.table)
        people = [s for s in left if not self.players[s].robot]
        if len(left) < 2 or not people:
            self.stop_match()
            return
        with self._report_moved_deadline(ClockCause.SEAT_LEFT):
            self.advance_match()
        self.resume_if_confirmed()

    def stop_match(self) -> None:
        """End the game as it stands."""
        self.record_match_event(PlayStopped())
        self.apply_entry(LogEntry(LogEntryKind.STOP))
        self.advance_match()

    def hand_over_seat(self, seat: int, player: PlayerRow, why: SeatLeftReason | None = None) -> None:
        """Give the seat to somebody else. Whoever is awaited has a new deadline, so that the new player can look
        around. The player who sat there and played is notified, but not one who has resigned and reads of it in the
        answer to that; ``why``: None = the moderator wants it.

        Raises OperatorError for a robot's seat or a player who has one already."""
        before = self.players[seat]
        if player.number in (p.number for p in self.players):
            raise OperatorError(f"{player.name} plays in match {self.row.code} already.", "Name somebody else.")
        played = seat not in self.live.table.out
        row, _ = self.seated[seat]
        row.player_id, row.token, row.thread = player.number, tokens.generate_token(), ""
        self.session.add(row)
        self.session.flush()
        self.work.forget_seats(self.row)
        self.apply_entry(LogEntry(LogEntryKind.HAND_OVER, seat, str(player.number)))
        held = player.robot and self.row.tournament_id is None and not self.row.training
        self.record_match_event(SeatTaken(seat, before.name, player.name, held))
        if played and before.address is not None and why != SeatLeftReason.RESIGNED:
            values = {"match": self.row.code, "title": self.row.name, "new": player.name}
            notes = [Note("seat-replaced-silent" if why == SeatLeftReason.ABANDONED else "seat-replaced", values)]
            if held:
                notes.append(Note("seat-replaced-robot", {"match": self.row.code}))
            notify_reader(
                self.work, Recipient(before), build_player_page(self.work, MailKind.NEWS, before, notes=tuple(notes))
            )
        with self._report_moved_deadline(ClockCause.SEAT_TAKEN):
            self.clear_deadline()  # the turn begins anew for everybody
            self.advance_match()

    def list_free_seats(self) -> tuple[int, ...]:
        """List the seats that a person may take over: first those that nobody plays, then those that robots hold."""
        if not may_take_over_seats(self.row) or self.live.table.state.over:
            return ()
        came = {entry.seat for _, entry in drop_undone(self.load_log()) if entry.kind == LogEntryKind.HAND_OVER}
        held = (seat for seat in table.list_active_seats(self.live.table) if seat in came and self.players[seat].robot)
        return (*sorted(self.live.table.out), *held)

    # ---- who comes in for somebody ----

    def take_next_standby(self) -> PlayerRow | None:
        """Find who has waited longest for a seat like this one and can play now, and take them off the list."""
        self.session.flush()
        playing = {player.number for player in self.players}
        today = self.work.today
        for row, player in players.list_standbys_for_game(self.session, self.row.game):
            leaves = self.work.cache.list_player_leaves(self.session, player.number)
            if player.number in playing or any(leave.first <= today <= leave.last for leave in leaves):
                continue
            self.session.delete(row)
            return player
        return None

    def leave_seat(self, seat: int, why: SeatLeftReason) -> None:
        """Vacate a seat that its player gives up. Where the match would go on without it, whoever is on the standby
        list takes it, or the robot that its terms name; else it passes from now on. A player who is the only one left
        has won, and plays nobody."""
        successor = self._find_successor() if self._can_go_on_without(seat) else None
        if successor is None:
            self.retire_seat(seat, why)
        else:
            self.hand_over_seat(seat, successor, why)

    def _can_go_on_without(self, seat: int) -> bool:
        left = [other for other in table.list_active_seats(self.live.table) if other != seat]
        return may_take_over_seats(self.row) and len(left) > 1 and any(not self.players[other].robot for other in left)

    def _find_successor(self) -> PlayerRow | None:
        if (person := self.take_next_standby()) is not None:
            return person
        playing = [player.number for player in self.players]
        return (
            ensure_robot(self.session, self.now, Level(self.live.terms.stand_in), playing)
            if self.live.terms.stand_in
            else None
        )

    # ---- whether it stands as it stood elsewhere, of a match that was moved in ----

    def confirm_position(self, seat: int) -> None:
        """Record that all is right, by the word of whoever has the seat; the last one lets the match go on."""
        self.apply_entry(LogEntry(LogEntryKind.CONFIRM, seat))
        self.resume_if_confirmed()

    def reject_position(self, seat: int, text: str) -> None:
        """Record that something is wrong: the moderator is notified, and the match waits."""
        said = text.strip()[:MOST_SAID] or "–"
        self.apply_entry(LogEntry(LogEntryKind.CONFIRM, seat, said))
        name = self.players[seat].name
        note = Note("move-in-wrong", {"match": self.row.code, "title": self.row.name, "name": name, "text": said})
        notify_staff(self.work, self.row, note)

    def resume_if_confirmed(self) -> None:
        """Let the match go on if nobody has to confirm it any more."""
        if (
            self.row.stopped == ClockStop.CONFIRM
            and not self.live.table.state.over
            and not self.awaited.list_unconfirmed()
        ):
            self.resume_imported_match()

    def resume_imported_match(self) -> None:
        """Let the match go on; its turn begins now. A later day that was agreed elsewhere for this turn holds: for none
        that comes after it, where a stored order or a robot has played at once."""
        position = self.live.table.state
        self.row.stopped, self.row.stopped_at = ClockStop.NO, None
        progress = self.events
        progress.record_start_round(self.live.table.state.public.round)
        progress.moved = True
        if not progress.started:
            progress.notes.append(Note("move-in-goes-on"))
        self.advance_match()
        agreed = self.load_log()[0].outcome.get(AGREED_DEADLINE)
        if agreed and self.live.table.state == position:
            self.postpone_until(datetime.fromisoformat(agreed))
