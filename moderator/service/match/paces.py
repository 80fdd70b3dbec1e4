"""What an order, the ZAT and a ruling lead to, in each pace."""

from __future__ import annotations

from moderator.common.enums import MailKind
from moderator.rules.game import Note, view_for
from moderator.rules.orders.parse import find_first_legal, merge_stored
from moderator.rules.table import EngineResult, PlayedMove
from moderator.service.match.advance import MatchAdvance
from moderator.service.match.turns import was_played
from moderator.service.notify import notify_status


class MatchPaces(MatchAdvance):
    """The match and what an order, the ZAT and a ruling lead to in its pace."""

    def submit_order(self, seat: int, text: str) -> EngineResult | None:
        """Submit a seat's order. Played at once where the seat is to move (sequential), else stored.

        Returns the engine's result when it was played, held or refused, None when it was stored."""
        if self.live.table.pace == "race":
            return self.submit_in_race(seat, text)
        if self.live.table.is_simultaneous:
            return self._submit_for_round(seat, text)
        if seat not in self.live.table.state.to_move:
            before = self.live.table.orders.get(seat, "")
            self.store_order(seat, merge_stored(self.live.game, view_for(self.live.table.state, seat), before, text))
            return None
        result = self.play_order(seat, text)
        if was_played(result):
            self.advance_match()
        elif not result.undecided and result.moves and result.moves[0].refused:
            self.record_refused(seat, text)
        only_standing = bool(result.moves) and not was_played(result) and not result.moves[0].refused
        return None if only_standing else result

    def _submit_for_round(self, seat: int, text: str) -> EngineResult | None:
        """Submit an order that waits for the ZAT. Where the board stays as it is until then, one of which nothing is
        possible is refused. Where others move before, it may still become possible and is stored, but takes the place
        of none that is possible now, and its seat has not submitted by it."""
        found = find_first_legal(self.live.game, self.live.table.state, seat, text, self.build_context(), "hold")
        vain = found.step is None and not found.undecided
        if vain and (self.live.table.pace == "common" or self.live.get_stored_order_state(seat) == "possible"):
            self.record_refused(seat, text)
            return EngineResult((PlayedMove(seat, text, refused=found.refused),))
        self.store_order(seat, text)
        if self.is_ready_to_evaluate():
            self.advance_match()
        else:
            self.refresh_final()
        return None

    def end_turn_at_deadline(self) -> None:
        """Act on the ZAT that has come: evaluate the round, or count the awaited seat's turn as missed; in a race see
        ``close_race``."""
        if self.live.table.pace == "race":
            self.close_race()
            return
        if self.live.table.is_simultaneous:
            self.evaluate_round()
        else:
            seat = self.live.table.state.to_move[0]
            # Not tried yet if its player wanted to wait, or moves were taken back.
            stored = self.live.table.orders.get(seat)
            tried = self.play_order(seat, stored) if stored else None
            if tried is None or not (tried.undecided or was_played(tried)):
                if stored and tried is not None and tried.moves and tried.moves[0].refused:
                    self.record_refused(seat, stored, stored=True)
                self.miss_turn(seat)
        if not self.row.held:
            self.advance_match()

    def resume_held_round(self) -> None:
        """Try again what waited for a ruling."""
        self.row.held = False
        if self.live.table.pace == "race":
            self.resume_held_race()
            return
        if self.live.table.is_simultaneous:
            if (self.row.deadline and self.row.deadline <= self.now) or self.is_ready_to_evaluate():
                self.evaluate_round()
            if not self.row.held:
                self.advance_match()
                self.refuse_ruled_out()
            return
        seat = self.live.table.state.to_move[0]
        waited = self.live.table.orders.get(seat)
        self.advance_match()
        if waited and not self.row.held and self.live.table.orders.get(seat) == waited:
            self.store_order(seat, "")  # the ruling was against it, for good

    def apply_ruling(self) -> None:
        """Apply the moderator's ruling on a word to a round that is not held: it may be complete by that, or wait for
        somebody again."""
        if self.live.table.is_simultaneous:
            self.advance_match()
            self.refuse_ruled_out()

    def refuse_ruled_out(self) -> None:
        """Refuse orders after a ruling against a word: a player whose order for the round came to nothing by it is told
        so, once, and is awaited again."""
        for seat, player in self.seated:
            text = self.live.table.orders.get(seat.number, "")
            if (
                seat.number not in self.live.seats_awaited
                or not text
                or self.live.table.tried.get(seat.number) == " ".join(text.split())
            ):
                continue
            self.record_refused(seat.number, text, stored=True)
            if self.live.table.pace == "common":
                self.store_order(seat.number, "")
            self.refresh_final()
            if player.address and not self.events.moved:
                notify_status(self.work, self.row, seat, MailKind.REMINDER, [Note("ruled-out", {"order": text})])

    # ---- a race ----
    #
    # Pace ``race``: who was first is told by when the mails reached the mailbox, not by when they were read.
    #
    # A right submission is kept until a poll has been completed that began after the last one that counts had arrived:
    # then no earlier one can turn up any more, and they are played in the order of arrival (turns.py). That moment is
    # the match's time of reminding, so that the next poll that begins behind it settles the round.

    def submit_in_race(self, seat: int, text: str) -> EngineResult | None:
        """Store a submission if it is right; the first right one of a seat stands until it is withdrawn.

        Returns the engine's result when it is refused or waits for a ruling, None when it is stored."""
        result = self.preview_race_entry(seat, text)
        if result.moves and not result.moves[0].alternative:
            self.record_refused(seat, text)
            return result
        if seat not in self.live.table.orders:
            self.store_order(seat, text)
        if result.undecided:
            self.put_on_hold(result)
            return result
        self.store_robot_orders()  # robots are ready as soon as the first person is, and come in behind
        moment = self.find_race_decision_time()
        if moment is not None:
            self.schedule_reminder(moment)
        return None

    def settle_decided_race(self) -> bool:
        """End the round if it is decided, at the time of reminding. False = it is not, and those awaited are to be
        reminded; True = nothing is left to do."""
        moment = self.find_race_decision_time()
        if moment is not None and moment <= self.now:
            self.close_race()
            return True
        self.schedule_reminder(moment)  # a submission was withdrawn in the meantime
        return self.row.remind_at is not None

    def close_race(self) -> None:
        """Play what was handed in, because the ZAT has come or the round is decided, and go on."""
        if self.evaluate_race():
            self.advance_match()

    def resume_held_race(self) -> None:
        """Try again what waited for the moderator's ruling: it is right now, or refused for good."""
        for seat, text in tuple(self.live.table.orders.items()):
            result = self.preview_race_entry(seat, text)
            if result.undecided:
                self.put_on_hold(result)
                return
            if not result.moves[0].alternative:
                self.store_order(seat, "")
                self.record_result(self.live.table, result)
        if self.row.deadline is not None and self.row.deadline <= self.now:
            self.close_race()
        else:
            self.settle_decided_race()
