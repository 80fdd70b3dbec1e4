"""What a single turn may come to: an order is stored, tried, played or missed, a round or a race evaluated. Each writes
to the match's log first; who acts next is no question here (advance.py).

In a race what was handed in counts in the order in which the mails reached the mailbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from moderator.bots import request
from moderator.bots.walls import BotFailure, BotNotStarted
from moderator.common.enums import LogEntryKind
from moderator.rules import table
from moderator.rules.events import events_of_result
from moderator.rules.game import Note, view_for
from moderator.rules.orders.alternatives import keep_standing
from moderator.rules.replay import LogEntry, drop_undone
from moderator.rules.result import EngineResult
from moderator.rules.robots import choose
from moderator.rules.robots.survey import survey_position
from moderator.rules.table import MatchState
from moderator.rules.time import ledger
from moderator.rules.words import listed
from moderator.service import match_clock
from moderator.service.questions import ask_word_ruling
from moderator.store import key_values, matches_log
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.desk import Desk, MatchEvents, append_event, apply_event
from moderator.views.loaded_match import LiveMatch, load_log_entries

# ---- Pace ``common``: what the rack would have brought, told with the report of the round. Rack and board were the
# same for all, so nothing is told that a player could not have found alone; the next round has another rack and
# board.


def missed_best_word(desk: Desk, live: LiveMatch, before: MatchState[Any], result: EngineResult) -> tuple[Note, ...]:
    """Find the most points that the rack had on the board ``before``, and who had them; () in the other paces, and
    where nobody can say: a dictionary that lists no words, a rack of which not all was searched."""
    context = desk.cache.build_context(live)
    if before.pace != "common" or not listed(context.words) or not result.moves:
        return ()
    seat = result.moves[0].seat
    there = survey_position(live.game, replace(before.state, to_move=(seat,)), seat, context)
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


MOST_TRIED = 500
"""Letters of an order in vain that the log keeps."""


def store_order(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str) -> None:
    """Store an order until its time comes; "" takes it back. The same once more changes nothing, the clock neither."""
    if text and live.table.orders.get(seat) == text and seat not in live.table.tried:
        return
    cost = match_clock.time_spent(desk, match, live, seat) if text and desk.mail else {}
    apply_event(desk, match, live, LogEntry(LogEntryKind.ORDER if text else LogEntryKind.WITHDRAW, seat, text, cost))


def record_refused(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str, stored: bool = False) -> None:
    """Record that an awaited seat has sent something of which nothing is possible, and nothing is stored; or
    (``stored``) that what it has stored came to nothing at the ZAT. So nobody says later that it has sent nothing."""
    text = " ".join(text.split())[:MOST_TRIED]
    if seat in live.seats_to_act and live.table.tried.get(seat) != text:
        apply_event(
            desk, match, live, LogEntry(LogEntryKind.TRIED, seat, text, {ledger.STORED: True} if stored else {})
        )


def was_played(result: EngineResult) -> bool:
    return bool(result.moves) and result.moves[0].alternative > 0


def play_order(
    desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str, remark: Note | None = None
) -> EngineResult:
    """Try to play an order. ``remark`` goes into the report, but not into the log."""
    context = desk.cache.build_context(live)
    after, result = table.try_order(live.game, live.table, seat, text, context)
    if result.undecided:
        if live.table.orders.get(seat) != text:
            store_order(desk, match, live, seat, text)
        put_on_hold(desk, match, result)
    elif was_played(result):
        round = live.table.state.public.round
        desk.events_of(match).record_start_round(round)
        cost = {} if live.table.orders.get(seat) == text else match_clock.time_spent(desk, match, live, seat)
        before, live.table = live.table, after
        match.held = False  # a new order may have taken the place of one that waited for a ruling
        append_event(desk, match, live, LogEntry(LogEntryKind.MOVE, seat, text, result.to_json() | cost))
        live.record_last_moves(result)
        record_result(desk, match, live, before, _with_remark(result, remark) if remark else result)
        _drop_after_new_deal(desk, match, live, round)
    elif after.orders != live.table.orders:
        store_order(desk, match, live, seat, after.orders[seat])
    return result


def _with_remark(result: EngineResult, remark: Note) -> EngineResult:
    move = result.moves[0]
    return replace(result, moves=(replace(move, notes=(*move.notes, remark)),))


def evaluate_round(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Evaluate the round at its ZAT: every seat's first legal alternative counts. Held while a word waits for a
    ruling."""
    context = desk.cache.build_context(live)
    after, result = table.evaluate_in_state(live.game, live.table, context)
    if result.undecided:
        put_on_hold(desk, match, result)
        return
    desk.events_of(match).record_start_round(live.table.state.public.round)
    before, live.table = live.table, after
    append_event(desk, match, live, LogEntry(LogEntryKind.EVALUATE, outcome=result.to_json()))
    live.record_last_moves(result)
    record_result(desk, match, live, before, result)
    desk.events_of(match).notes += missed_best_word(desk, live, before, result)
    store_robot_orders(desk, match, live)


def miss_turn(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> None:
    """Miss the turn of an awaited seat of which nothing legal has come by the ZAT."""
    context = desk.cache.build_context(live)
    round = live.table.state.public.round
    desk.events_of(match).record_start_round(round)
    before = live.table
    live.table, result = table.miss_seat(live.game, before, seat, context)
    append_event(desk, match, live, LogEntry(LogEntryKind.MISS, seat, outcome=result.to_json()))
    live.record_last_moves(result)
    record_result(desk, match, live, before, result)
    _drop_after_new_deal(desk, match, live, round)


def store_robot_orders(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Store an order for each robot that is awaited and has submitted nothing that is possible."""
    for seat, player in desk.list_seated(match):
        if player.robot and seat.number in live.seats_wanted:
            text = choose_robot_order(desk, live, seat.number, player)
            if text != live.table.orders.get(seat.number, ""):
                store_order(desk, match, live, seat.number, text)


def choose_robot_order(desk: Desk, live: LiveMatch, seat: int, player: PlayerRow) -> str:
    """Choose what a robot of this level sends, or what plays for it, made of what its seat sees."""
    context = replace(desk.cache.build_context(live), out=live.table.out)
    if bot := request.find_bot_program(desk.config, desk.cache.bots, player.name):
        turn = request.BotTurn(live.code, live.game, live.options, live.table.state, seat, context)
        try:
            return request.ask_bot_for_move(bot, player.name, turn)
        except BotFailure as failed:
            key_values.save_value(
                desk.session, key_values.build_bot_key(player.name), f"{desk.now.isoformat()} {live.code} {failed}"
            )
            return ""
        except BotNotStarted:
            pass  # `doctor` says why; until it is mended, the robot plays by itself
    return choose.choose_robot_move(live.game, live.table.state, seat, context, player.level)


def _drop_after_new_deal(desk: Desk, match: MatchRow, live: LiveMatch, round_number: int) -> None:
    """Drop stored orders after a new deal since ``round_number``: what is stored names places, ends and heads of a
    board that is no more, so nothing of it is tried on the new one; standing orders stay. The log says so, and a log
    from before this is as it was."""
    state = live.table.state
    if (
        state.over
        or state.public.round == round_number
        or not live.game.seeded_rounds
        or live.table.pace != "sequential"
    ):
        return
    for seat, text in tuple(live.table.orders.items()):
        drop_stored(desk, match, live, seat, text)


def drop_stored(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str) -> None:
    """Drop what a seat had stored for the last round, but for the standing orders."""
    kept = keep_standing(live.game, view_for(live.table.state, seat), text)
    if kept == text:
        return
    if live.table.orders.get(seat, "") != kept:
        apply_event(
            desk,
            match,
            live,
            LogEntry(LogEntryKind.ORDER if kept else LogEntryKind.WITHDRAW, seat, kept, {ledger.DROPPED: text}),
        )
    desk.events_of(match).notes.append(Note("stored-dropped", {"order": text}, seat=seat, only=seat))


def put_on_hold(desk: Desk, match: MatchRow, result: EngineResult) -> None:
    """Stop the clock and put the words to the moderator."""
    match.held = True
    desk.session.add(match)
    ask_word_ruling(desk, match, result.undecided)


def record_result(desk: Desk, match: MatchRow, live: LiveMatch, before: MatchState[Any], result: EngineResult) -> None:
    """Record the result for the report, and with it what the turn has brought with it. ``before``: the table was so."""
    progress: MatchEvents = desk.events_of(match)
    progress.add_result(result)
    progress.happened += events_of_result(live.game, before, live.table, result)
    progress.moved = True


# ---- a race ----


def evaluate_race(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Play what was handed in, in the order of arrival, until the round is over. Seats that have handed in nothing
    missed the ZAT. False = a word waits for a ruling."""
    round = live.table.state.public.round
    handed = [(seat, live.table.orders[seat]) for _, seat in _list_by_arrival(desk, match, live)]
    for number, (seat, _) in enumerate(handed):
        if play_order(desk, match, live, seat, live.table.orders[seat]).undecided:
            return False
        if _is_round_over(live.table, round):
            _add_slower_notes(desk, match, live, handed, number + 1)
            break
    for seat in live.table.state.to_move:
        if _is_round_over(live.table, round):
            break
        miss_turn(desk, match, live, seat)
    return True


def _add_slower_notes(
    desk: Desk, match: MatchRow, live: LiveMatch, handed: Sequence[tuple[int, str]], played: int
) -> None:
    """Add a note for those whose solution was right, too, but was not needed any more (the first ``played`` of
    ``handed`` decided the round), that it was right, and why it brings nothing."""
    passed = getattr(live.game, "pass_text", "")
    scored = sum(text != passed for _, text in handed[:played])
    for place, seat in enumerate((seat for seat, text in handed[played:] if text != passed), start=scored + 1):
        values = {"place": place, "scored": scored}
        desk.events_of(match).notes.append(Note("right-but-later", values, seat=seat, only=seat))


def preview_race_entry(desk: Desk, live: LiveMatch, seat: int, text: str) -> EngineResult:
    """Preview what a submission would lead to if nobody else had handed in anything."""
    return table.try_order(live.game, replace(live.table, orders={}), seat, text, desk.cache.build_context(live))[1]


def find_race_decision_time(desk: Desk, match: MatchRow, live: LiveMatch) -> datetime | None:
    """Find when the last submission arrived that it takes to end the round; None while some are missing."""
    after = live.table
    for arrived, seat in _list_by_arrival(desk, match, live):
        after, _ = table.try_order(live.game, after, seat, live.table.orders[seat], desk.cache.build_context(live))
        if _is_round_over(after, live.table.state.public.round):
            return arrived
    return None


def _is_round_over(after: MatchState[Any], round_number: int) -> bool:
    return after.state.over or after.state.public.round != round_number


def _list_by_arrival(desk: Desk, match: MatchRow, live: LiveMatch) -> list[tuple[datetime, int]]:
    """List (when its mail came, seat) of each stored submission, the first first, equal ones by the mail's number. A
    robot's comes in when it is made, behind all mails."""
    desk.session.flush()
    holds = [number for number, _ in drop_undone(load_log_entries(desk.session, match))]
    robots = {seat.number for seat, player in desk.list_seated(match) if player.robot}
    last: dict[int, tuple[bool, datetime, int]] = {}
    for seat, at, received, number in matches_log.list_order_events(desk.session, match.number, holds):
        if seat is not None and seat in live.table.orders:
            last[seat] = (seat in robots, received or at, number or 0)
    return [(when, seat) for seat, (_, when, _) in sorted(last.items(), key=lambda item: item[1])]
