"""What a single turn may come to: an order is stored, tried, played or missed, a round or a race evaluated. Each writes
to the match's log first; who acts next is no question here (advance.py).

In a race what was handed in counts in the order in which the mails reached the mailbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from moderator.bots import program
from moderator.bots.walls import BotFailure, BotNotStarted
from moderator.common.enums import LogEntryKind
from moderator.rules import table
from moderator.rules.events import events_of_result
from moderator.rules.game import Note, view_for
from moderator.rules.log import EngineResult
from moderator.rules.orders.parse import keep_standing
from moderator.rules.replay import LogEntry, drop_undone
from moderator.rules.robots import choose
from moderator.rules.robots.choose import survey_position
from moderator.rules.table import MatchState
from moderator.rules.time import clock
from moderator.rules.words import listed
from moderator.service.match.clock import MatchClock
from moderator.service.questions import ask_word_ruling
from moderator.store import key_values, matches_log
from moderator.store.tables import PlayerRow

MOST_TRIED = 500
"""Letters of an order in vain that the log keeps."""


def was_played(result: EngineResult) -> bool:
    return bool(result.moves) and result.moves[0].alternative > 0


def _with_remark(result: EngineResult, remark: Note) -> EngineResult:
    move = result.moves[0]
    return replace(result, moves=(replace(move, notes=(*move.notes, remark)),))


def _is_round_over(after: MatchState[Any], round_number: int) -> bool:
    return after.state.over or after.state.public.round != round_number


class MatchTurns(MatchClock):
    """The match and what a single turn may come to."""

    # ---- Pace ``common``: what the rack would have brought, told with the report of the round. Rack and board were the
    # same for all, so nothing is told that a player could not have found alone; the next round has another rack and
    # board.

    def find_best_word(self, before: MatchState[Any], result: EngineResult) -> tuple[Note, ...]:
        """Find the most points that the rack had on the board ``before``, and who had them; () in the other paces, and
        where nobody can say: a dictionary that lists no words, a rack of which not all was searched."""
        context = self.build_context()
        if before.pace != "common" or not listed(context.words) or not result.moves:
            return ()
        seat = result.moves[0].seat
        there = survey_position(self.live.game, replace(before.state, to_move=(seat,)), seat, context)
        if there.scope != "all":
            return ()
        could = [(there.best_worth, there.found[0][0] if there.found else "")]
        could += [(move.points, move.played) for move in result.moves if move.played is not None]
        points, move = max(could, key=lambda one: one[0])
        if not points:
            return (Note("common-nothing-possible"),)
        seats = [move.seat for move in result.moves if move.played is not None and move.points == points]
        values = {"most": points, "laid": move}
        if not seats:
            return (Note("common-possible", values),)
        return (Note("common-possible-found", values | {"seats": seats}),)

    def store_order(self, seat: int, text: str) -> None:
        """Store an order until its time comes; "" takes it back. The same once more changes nothing, the clock
        neither."""
        if text and self.live.table.orders.get(seat) == text and seat not in self.live.table.tried:
            return
        cost = self.compute_time_spent(seat) if text and self.work.mail else {}
        self.apply_entry(LogEntry(LogEntryKind.ORDER if text else LogEntryKind.WITHDRAW, seat, text, cost))

    def record_refused(self, seat: int, text: str, stored: bool = False) -> None:
        """Record that an awaited seat has sent something of which nothing is possible, and nothing is stored; or
        (``stored``) that what it has stored came to nothing at the ZAT. So nobody says later that it has sent
        nothing."""
        text = " ".join(text.split())[:MOST_TRIED]
        if seat in self.live.seats_to_act and self.live.table.tried.get(seat) != text:
            self.apply_entry(LogEntry(LogEntryKind.TRIED, seat, text, {clock.STORED: True} if stored else {}))

    def play_order(self, seat: int, text: str, remark: Note | None = None) -> EngineResult:
        """Try to play an order. ``remark`` goes into the report, but not into the log."""
        context = self.build_context()
        after, result = table.try_order(self.live.game, self.live.table, seat, text, context)
        if result.undecided:
            if self.live.table.orders.get(seat) != text:
                self.store_order(seat, text)
            self.put_on_hold(result)
        elif was_played(result):
            round = self.live.table.state.public.round
            self.events.record_start_round(round)
            cost = {} if self.live.table.orders.get(seat) == text else self.compute_time_spent(seat)
            before, self.live.table = self.live.table, after
            self.row.held = False  # a new order may have taken the place of one that waited for a ruling
            self.append_entry(LogEntry(LogEntryKind.MOVE, seat, text, result.to_json() | cost))
            self.live.record_last_moves(before, self.live.table, result)
            self.record_result(before, _with_remark(result, remark) if remark else result)
            self._drop_after_new_deal(round)
        elif after.orders != self.live.table.orders:
            self.store_order(seat, after.orders[seat])
        return result

    def evaluate_round(self) -> None:
        """Evaluate the round at its ZAT: every seat's first legal alternative counts. Held while a word waits for a
        ruling."""
        context = self.build_context()
        after, result = table.evaluate_in_state(self.live.game, self.live.table, context)
        if result.undecided:
            self.put_on_hold(result)
            return
        self.events.record_start_round(self.live.table.state.public.round)
        before, self.live.table = self.live.table, after
        self.append_entry(LogEntry(LogEntryKind.EVALUATE, outcome=result.to_json()))
        self.live.record_last_moves(before, self.live.table, result)
        self.record_result(before, result)
        self.events.notes += self.find_best_word(before, result)
        self.store_robot_orders()

    def miss_turn(self, seat: int) -> None:
        """Miss the turn of an awaited seat of which nothing legal has come by the ZAT."""
        context = self.build_context()
        round = self.live.table.state.public.round
        self.events.record_start_round(round)
        before = self.live.table
        self.live.table, result = table.miss_seat(self.live.game, before, seat, context)
        self.append_entry(LogEntry(LogEntryKind.MISS, seat, outcome=result.to_json()))
        self.live.record_last_moves(before, self.live.table, result)
        self.record_result(before, result)
        self._drop_after_new_deal(round)

    def store_robot_orders(self) -> None:
        """Store an order for each robot that is awaited and has submitted nothing that is possible."""
        for seat, player in self.seated:
            if player.robot and seat.number in self.live.seats_awaited:
                text = self.choose_robot_order(seat.number, player)
                if text != self.live.table.orders.get(seat.number, ""):
                    self.store_order(seat.number, text)

    def choose_robot_order(self, seat: int, player: PlayerRow) -> str:
        """Choose what a robot of this level sends, or what plays for it, made of what its seat sees."""
        context = replace(self.build_context(), out=self.live.table.out)
        if bot := program.find_bot_program(self.work.config, self.work.cache.bots, player.name):
            turn = program.BotTurn(
                self.live.code, self.live.game, self.live.options, self.live.table.state, seat, context
            )
            try:
                return program.ask_bot_for_move(bot, player.name, turn)
            except BotFailure as failed:
                key_values.save_value(
                    self.session,
                    key_values.build_bot_key(player.name),
                    f"{self.now.isoformat()} {self.live.code} {failed}",
                )
                return ""
            except BotNotStarted:
                pass  # `doctor` says why; until it is mended, the robot plays by itself
        return choose.choose_robot_move(self.live.game, self.live.table.state, seat, context, player.level)

    def _drop_after_new_deal(self, round_number: int) -> None:
        """Drop stored orders after a new deal since ``round_number``: what is stored names places, ends and heads of a
        board that is no more, so nothing of it is tried on the new one; standing orders stay. The log says so, and a
        log from before this is as it was."""
        state = self.live.table.state
        if (
            state.over
            or state.public.round == round_number
            or not self.live.game.seeded_rounds
            or self.live.table.pace != "sequential"
        ):
            return
        for seat, text in tuple(self.live.table.orders.items()):
            self.drop_stored(seat, text)

    def drop_stored(self, seat: int, text: str) -> None:
        """Drop what a seat had stored for the last round, but for the standing orders."""
        kept = keep_standing(self.live.game, view_for(self.live.table.state, seat), text)
        if kept == text:
            return
        if self.live.table.orders.get(seat, "") != kept:
            self.apply_entry(
                LogEntry(LogEntryKind.ORDER if kept else LogEntryKind.WITHDRAW, seat, kept, {clock.DROPPED: text})
            )
        self.events.notes.append(Note("stored-dropped", {"order": text}, seat=seat, only=seat))

    def put_on_hold(self, result: EngineResult) -> None:
        """Stop the clock and put the words to the moderator."""
        self.row.held = True
        ask_word_ruling(self.work, self.row, result.undecided)

    def record_result(self, before: MatchState[Any], result: EngineResult) -> None:
        """Record the result for the report, and with it what the turn has brought with it. ``before``: the table was
        so."""
        self.events.add_result(result)
        self.events.happened += events_of_result(self.live.game, before, self.live.table, result)
        self.events.moved = True

    # ---- a race ----

    def evaluate_race(self) -> bool:
        """Play what was handed in, in the order of arrival, until the round is over. Seats that have handed in nothing
        missed the ZAT. False = a word waits for a ruling."""
        round = self.live.table.state.public.round
        handed = [(seat, self.live.table.orders[seat]) for _, seat in self._list_by_arrival()]
        for number, (seat, _) in enumerate(handed):
            if self.play_order(seat, self.live.table.orders[seat]).undecided:
                return False
            if _is_round_over(self.live.table, round):
                self._add_slower_notes(handed, number + 1)
                break
        for seat in self.live.table.state.to_move:
            if _is_round_over(self.live.table, round):
                break
            self.miss_turn(seat)
        return True

    def _add_slower_notes(self, handed: Sequence[tuple[int, str]], played: int) -> None:
        """Add a note for those whose solution was right, too, but was not needed any more (the first ``played`` of
        ``handed`` decided the round), that it was right, and why it brings nothing."""
        passed = self.live.game.pass_text
        scored = sum(text != passed for _, text in handed[:played])
        for place, seat in enumerate((seat for seat, text in handed[played:] if text != passed), start=scored + 1):
            values = {"place": place, "scored": scored}
            self.events.notes.append(Note("right-but-later", values, seat=seat, only=seat))

    def preview_race_entry(self, seat: int, text: str) -> EngineResult:
        """Preview what a submission would lead to if nobody else had handed in anything."""
        return table.try_order(self.live.game, replace(self.live.table, orders={}), seat, text, self.build_context())[1]

    def find_race_decision_time(self) -> datetime | None:
        """Find when the last submission arrived that it takes to end the round; None while some are missing."""
        after = self.live.table
        for arrived, seat in self._list_by_arrival():
            after, _ = table.try_order(self.live.game, after, seat, self.live.table.orders[seat], self.build_context())
            if _is_round_over(after, self.live.table.state.public.round):
                return arrived
        return None

    def _list_by_arrival(self) -> list[tuple[datetime, int]]:
        """List (when its mail came, seat) of each stored submission, the first first, equal ones by the mail's number.
        A robot's comes in when it is made, behind all mails."""
        self.session.flush()
        holds = [number for number, _ in drop_undone(self.load_log())]
        robots = {seat.number for seat, player in self.seated if player.robot}
        last: dict[int, tuple[bool, datetime, int]] = {}
        for seat, at, received, number in matches_log.list_order_events(self.session, self.row.number, holds):
            if seat is not None and seat in self.live.table.orders:
                last[seat] = (seat in robots, received or at, number or 0)
        return [(when, seat) for seat, (_, when, _) in sorted(last.items(), key=lambda item: item[1])]
