"""The match as a whole: what a turn that is over leads to, and going back to an earlier moment.

What becomes of a seat whose player does not answer: stored orders were tried before; then the turn is missed (a pass,
or what the game makes of it). After ``abandon_after`` missed turns in a row, the first ``excused`` ones not counted,
the seat is given up: somebody from the standby list takes it over, with a new deadline and without the missed turn;
else a robot holds it, where the terms of the match say so (seats.py), or it passes to the end."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from moderator.common.enums import ClockCause, LogEntryKind, MatchStatus, SeatLeftReason
from moderator.common.errors import Impossible, OperatorError
from moderator.rules import replay, shuffling, table
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry
from moderator.service.match.seats import MatchSeats
from moderator.store import matches_log, reviews
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.tournament_rows import find_consequences


def must_redeal(match: MatchRow, log: Sequence[LogEntry]) -> bool:
    """Return whether a match is dealt anew when it is taken back: it counts in a tournament and was over, so that its
    seed has been mailed, and whoever works it out knows all tiles."""
    return (
        match.status == MatchStatus.FINISHED and match.tournament_id is not None and not replay.find_import_entry(log)
    )


def _encode_notes(*notes: Note) -> list[dict[str, object]]:
    """Encode notes as a parameter of another one."""
    return [{"code": note.code, **note.params} for note in notes]


def has_missed_enough(live: LiveMatch, seat: int, more: int = 0) -> bool:
    """Return whether so many missed turns (``more`` = that would come now) are enough to vacate the seat."""
    account, terms = live.ledger.seats[seat], live.terms
    counted = sum(account.missed + n > terms.excused for n in range(1, more + 1))
    return 0 < terms.abandon_after <= account.in_row + counted


class Match(MatchSeats):
    """A match and all that may be done to it."""

    def settle_turn(self) -> None:
        """Let the turn end as it stands, whatever the clock says."""
        if self.replace_absent(self.list_silent_seats()):
            return
        self.end_turn_at_deadline()
        if not self.row.held:
            self.vacate_abandoned()

    def list_silent_seats(self) -> list[int]:
        """List the seats of people that are awaited and have sent nothing, not even an order that is not possible."""
        return [seat for seat in self.live.seats_unresponsive if not self.players[seat].robot]

    def is_put_off_by_breaker(self) -> bool:
        """Return whether this turn was put off before because too much was missing: that is done once."""
        since = self.row.turn_at or self.now - timedelta(days=2)
        return matches_log.has_clock_move(self.session, self.row.number, ClockCause.NMR_BREAKER, since)

    def replace_absent(self, missing: Sequence[int]) -> bool:
        """Let somebody else take over the seats that would be vacated, before turns are missed. True = somebody has,
        and the match waits for them. In a tournament nobody plays for somebody else."""
        done = False
        if self.row.tournament_id is not None:
            return done
        for seat in missing:
            if has_missed_enough(self.live, seat, more=1) and (player := self.take_next_standby()) is not None:
                self.hand_over_seat(seat, player, SeatLeftReason.ABANDONED)
                done = True
        return done

    def vacate_abandoned(self) -> None:
        """Vacate the seats that nobody plays any more, after turns were missed."""
        for seat, player in self.seated:
            if self.live.table.state.over:
                return
            if (
                seat.number not in self.live.table.out
                and not player.robot
                and has_missed_enough(self.live, seat.number)
            ):
                self.leave_seat(seat.number, SeatLeftReason.ABANDONED)

    def undo_to_entry(self, entry: int, why: Note, force: bool = False) -> None:
        """Undo everything after log entry number ``entry``; what was ordered by then holds again, and a new turn
        begins, which ends no sooner than the moderator had promised. A match of a tournament that was over is dealt
        anew instead. ``why`` tells everybody why. Raises OperatorError for no such entry, and without ``force``
        Impossible("undo-hangs") for a result that a tournament has built on."""
        log = self.load_log()
        self._check_undo(log, entry, force)
        scores, active = self.live.table.state.scores, table.list_active_seats(self.live.table)
        anew = must_redeal(self.row, log)
        entry = 0 if anew else entry
        undone = [one for number, one in replay.drop_undone(log) if number > entry]
        later = {one.seat for one in undone if one.kind == LogEntryKind.HAND_OVER}
        results = self.load_tournament_results() if self.row.status == MatchStatus.FINISHED else None
        had = results.find_dependent_result(self.row) if results is not None else {}
        seed = {"seed": self.row.seed} if anew else {}
        self.append_entry(LogEntry(LogEntryKind.UNDO, text=str(entry), outcome=seed | had))
        self.row.seed = secrets.token_bytes(shuffling.SEED_BYTES).hex() if anew else self.row.seed
        self._reopen_match()
        for seat in active:
            if seat in self.live.table.out or seat in later:  # who has taken over a seat since then keeps it
                self.apply_entry(LogEntry(LogEntryKind.HAND_OVER, seat, str(self.players[seat].number)))
        self._report_undone(scores, why, anew)
        self.row.held = False
        with self._report_moved_deadline(ClockCause.CORRECTION):
            self.clear_deadline()
            self.begin_turn()
            kept = self.keep_promised_extension(entry)
        if kept:
            self.events.notes.append(Note("extension-kept", {"deadline": self.row.deadline}))

    def _check_undo(self, log: Sequence[LogEntry], entry: int, force: bool) -> None:
        code, finished = self.row.code, self.row.status == MatchStatus.FINISHED
        if not 0 <= entry < self.row.entries or 0 < entry < replay.find_last_redeal(log):
            raise OperatorError(f"Match {code} has no entry {entry} to go back to.", "See `moderator match log`.")
        if finished and not force and (hung := find_consequences(self.session, self.row)):
            raise Impossible("undo-hangs", match=code, faults=_encode_notes(hung.built, hung.worth_if_replayed))

    def _reopen_match(self) -> None:
        """Rebuild the match from its log, in which something was taken back; if it was over, it runs again."""
        self.session.flush()
        self.work.cache.matches.pop(self.row.number, None)
        if self.row.status == MatchStatus.FINISHED:
            self.row.status, self.row.finished_at, self.row.result = MatchStatus.RUNNING, None, None
            if (results := self.load_tournament_results()) is not None:
                results.reopen_match_result(self.row)
            reviews.delete_review(self.session, self.row.number)
            reviews.withdraw_puzzles(self.session, self.row.number, self.now)
        self.live = self.work.cache.load_match(self.session, self.row)

    def _report_undone(self, scores: Sequence[int], why: Note, anew: bool) -> None:
        """Note for everybody what was taken back, and whose points are others by that; ``scores``: those before."""
        self.events.correction, self.events.started = not anew, anew
        if anew:
            self.events.record_start_round(0)  # so that its mails have the new seal
        self.add_event_note(why)
        self.events.notes += [Note("dealt-anew")] if anew else []
        for seat, (old, new) in enumerate(zip(scores, self.live.table.state.scores, strict=True)):
            if old != new:
                self.events.notes.append(Note("score-corrected", {"old": old, "new": new}, seat=seat))
