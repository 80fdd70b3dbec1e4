"""Carrying a match forward: let robots and stored orders move, let a full round be evaluated, set the clock.

Which of these an order or a ZAT leads to depends on the pace (paces.py); what a turn comes to is in turns.py. The mails
are made afterwards (notifications.py).
"""

from __future__ import annotations

from itertools import islice

from moderator.common.enums import ClockStop, Level, MatchStatus
from moderator.rules.state import Note, view_for
from moderator.rules.table import list_active_seats
from moderator.service.match.turns import MatchTurns, was_played
from moderator.service.tournaments.results import TournamentResults
from moderator.store import reviews
from moderator.views.loaded_match import MatchSuspended
from moderator.views.ratings import build_rated_outcome

MOST_AT_ONCE = 2000
"""Turns that pass before a person's next one where seats have left; more are a fault in a game's rules, which must not
hang the tick."""

THOUGHT = 20
"""So many turns of the others is one of a robot that thinks, in the share of a run."""


class MatchAdvance(MatchTurns):
    """The match, carried forward by all that needs no mail."""

    def advance_match(self) -> None:
        """Advance the match by all that needs no mail: robots, stored orders, a full round with ``early``; where no
        person is left, as much as a run does at once. Raises MatchSuspended, see ``play_unmanned_seat``."""
        if self.row.stopped == ClockStop.CONFIRM and not self.live.table.state.over:
            return
        if self.live.table.is_simultaneous:
            self.store_robot_orders()
        while not self.live.table.state.over and not self.row.held and not self._take_robot_share():
            if not self._advance_once():
                break
        self._set_clock()

    def _advance_once(self) -> bool:
        """Advance by one turn or round that nobody need wait for. False = there is none."""
        if self.live.table.pace == "sequential":
            return self._play_without_mail()
        if self.live.table.pace == "race":
            return self.has_only_robots() and self._play_robot_race()
        if not self.is_ready_to_evaluate():
            return False
        self.evaluate_round()
        return True

    def has_only_robots(self) -> bool:
        """Return whether no person plays (any more), so that nobody is waited for and nobody's mail ever comes."""
        players = self.players
        return all(players[seat].robot for seat in list_active_seats(self.live.table))

    def _take_robot_share(self) -> bool:
        """Count one more turn of a match of robots. True = it has had its share of this run, and the next run goes on;
        False also where a person plays."""
        if not self.has_only_robots():
            return False
        players = self.players
        slow = any(player.level == Level.STRONG or player.name in self.work.config.bots for player in players)
        self.work.cache.turns_left -= THOUGHT if slow else 1
        return self.work.cache.turns_left < 0

    def _play_robot_race(self) -> bool:
        """Play a round of a race that no person is in: all hand in at once, by seat."""
        self.store_robot_orders()
        self.evaluate_race()
        return True

    def play_unmanned_seat(self) -> bool:
        """Play for the seat to move if no person sits there: it has left, or it is a robot. False = somebody does.
        Raises MatchSuspended if that goes on and on."""
        seat = self.live.table.state.to_move[0]
        if seat in self.live.table.out:
            if len(self.events.results) >= MOST_AT_ONCE:
                raise MatchSuspended(
                    self.row, f"match {self.row.code}: turns of seats that have left come round and round"
                )
            self.miss_turn(seat)
            return True
        player = self.players[seat]
        if not player.robot:
            return False
        result = self.play_order(seat, self.choose_robot_order(seat, player))
        if not (result.undecided or was_played(result)):
            self.miss_turn(seat)  # a robot that found no legal move has no deadline that would end its turn
        return True

    def _play_without_mail(self) -> bool:
        """Play for the seat to move if no person sits there, has left an order or wants no say where there is no
        choice. True = its turn is over, or waits for a ruling."""
        if self.play_unmanned_seat():
            return True
        seat = self.live.table.state.to_move[0]
        player = self.players[seat]
        text = self.live.table.orders.get(seat)
        if text and self.live.table.flags.get(seat) != "wait":
            result = self.play_order(seat, text)
            if result.undecided or was_played(result):
                return not result.undecided
            if result.moves[0].refused:
                # It is kept; the report to this seat says why it was not possible.
                self.record_result(self.live.table, result)
        return player.auto_single and self._play_only_move(seat)

    def _play_only_move(self, seat: int) -> bool:
        """Play the only legal move, if there is just one and no way to pass. Whatever the seat has stored stays."""
        if self.live.game.pass_text:
            return False
        moves = self.live.game.list_moves(view_for(self.live.table.state, seat), self.build_context())
        found = [move for move, _ in islice(moves, 2)]
        if len(found) != 1:
            return False
        stored = self.live.table.orders.get(seat, "")
        remark = Note("auto-single", seat=seat)
        round = self.live.table.state.public.round
        played = was_played(self.play_order(seat, self.live.game.format_move(found[0]), remark))
        if self.live.game.seeded_rounds and self.live.table.state.public.round != round:
            self.drop_stored(seat, stored)
        elif self.live.table.orders.get(seat, "") != stored:
            self.store_order(seat, stored)
        return played

    def is_ready_to_evaluate(self) -> bool:
        """Return whether a round need not wait for its ZAT: all have submitted (``LiveMatch.has_submitted``), nobody
        wants to wait, and the match is one that does not wait or all people are ready. Nobody waits for robots."""
        players = self.players
        people = [seat for seat in self.live.seats_to_act if not players[seat].robot]
        flags = [self.live.table.flags.get(seat, "") for seat in people]
        agreed = self.row.early or all(flag == "ready" for flag in flags)
        waits = "wait" in flags or any(seat in self.live.seats_awaited for seat in people)
        return bool(self.live.seats_to_act) and agreed and not waits

    def _set_clock(self) -> None:
        """Set a new deadline whenever somebody else is awaited or a round begins; end the match where the game is
        over."""
        progress = self.events
        if self.live.table.state.over:
            self.row.status, self.row.finished_at = MatchStatus.FINISHED, self.now
            self.clear_deadline()
            self.recompute_result()
            if (results := self.load_tournament_results()) is not None:
                results.record_ended_match(self.row)
            reviews.queue_review(self.session, self.row, self.now)
        elif progress.moved and not self.row.held:
            self.begin_turn()

    def load_tournament_results(self) -> TournamentResults | None:
        """Load the results of the tournament that the match is a game of; None = it is of none."""
        number = self.row.tournament_id
        return None if number is None else TournamentResults.load(self.work, number)

    def recompute_result(self) -> bool:
        """Compute the result of a match that is over from its log. True = it was lacking or another one."""
        before, self.row.result = self.row.result, build_rated_outcome(self.live, self.load_log()).to_json()
        return self.row.result != before
