"""Carrying a match forward: give an order, let robots and stored orders move, evaluate a round, meet a deadline.

Everything that happens is written to the match's log first; the mails are made afterwards (announce.py).
"""

from __future__ import annotations

from datetime import timedelta

from moderator.desk.desk import Desk, Progress
from moderator.desk.live import Live, append, context_of, rules_of
from moderator.engine import clock, replay, robot, table
from moderator.engine.replay import Entry
from moderator.engine.table import Result
from moderator.store.models import Match

PUNCTUAL = timedelta(hours=6)


def start(desk: Desk, match: Match) -> None:
    """Deal, and let robots that are first move. ``match.seed`` must be set."""
    game, options = rules_of(match)
    context = context_of(match)
    opened, step = table.open_table(game, len(desk.seated(match)), options, context)
    live = Live(match.number, match.code, game, options, context, opened)
    desk.shelf.matches[match.number] = live
    match.status, match.started_at = "running", desk.now
    progress = desk.of(match)
    progress.started = progress.moved = True
    progress.notes.extend(step.notes)
    carry_on(desk, match, live)


def give(desk: Desk, match: Match, live: Live, seat: int, text: str) -> Result | None:
    """A seat's order. Played at once where the seat is to move (sequential), else stored.

    Returns the engine's result when it was played, held or refused, None when it was stored.
    """
    if live.table.pace == "sequential" and seat in live.table.state.to_move:
        result = _submit(desk, match, live, seat, text)
        if result.moves and result.moves[0].alternative:
            carry_on(desk, match, live)
        return result
    store(desk, match, live, seat, text)
    if live.table.pace != "sequential" and match.early:
        carry_on(desk, match, live)
    return None


def store(desk: Desk, match: Match, live: Live, seat: int, text: str) -> None:
    """Keep an order until its time comes; "" takes it back."""
    entry = Entry("order" if text else "withdraw", seat, text)
    live.table, _ = replay.step(live.game, live.table, entry, live.context)
    append(desk.session, match, live, entry, desk.now, desk.inbox_id)


def _submit(desk: Desk, match: Match, live: Live, seat: int, text: str) -> Result:
    context = desk.shelf.context(live)
    after, result = table.submit(live.game, live.table, seat, text, context)
    if result.undecided:
        if live.table.orders.get(seat) != text:
            store(desk, match, live, seat, text)
        hold(desk, match, result)
    elif result.moves and result.moves[0].alternative:
        live.table = after
        match.held = False  # a new order may have taken the place of one that waited for a ruling
        append(desk.session, match, live, Entry("move", seat, text, result.to_json()), desk.now, desk.inbox_id)
        live.note(result)
        _happened(desk, match, result)
    return result


def carry_on(desk: Desk, match: Match, live: Live) -> None:
    """Let everything happen that needs no mail: robots, stored orders, a full round with ``early``."""
    if live.table.pace == "sequential":
        while not live.table.state.over and not match.held and _move_by_itself(desk, match, live):
            pass
    else:
        _robots_order(desk, match, live)
        while match.early and not match.held and _all_ordered(live):
            evaluate(desk, match, live)
    _set_clock(desk, match, live)


def _move_by_itself(desk: Desk, match: Match, live: Live) -> bool:
    """Play for the seat to move if it is a robot or has left an order. True = the turn has passed on."""
    seat = live.table.state.to_move[0]
    if desk.players(match)[seat].robot:
        context = desk.shelf.context(live)
        result = _submit(desk, match, live, seat, robot.choose(live.game, live.table.state, seat, context))
        return bool(result.moves and result.moves[0].alternative)
    text = live.table.orders.get(seat)
    if not text:
        return False
    result = _submit(desk, match, live, seat, text)
    if result.undecided or (result.moves and result.moves[0].alternative):
        return not result.undecided
    store(desk, match, live, seat, "")  # the board has changed too much for it; the report says why
    _happened(desk, match, result)
    return False


def _robots_order(desk: Desk, match: Match, live: Live) -> None:
    for seat, player in desk.seated(match):
        awaited = seat.number in live.table.state.to_move and seat.number not in live.table.orders
        if player.robot and awaited:
            context = desk.shelf.context(live)
            store(desk, match, live, seat.number, robot.choose(live.game, live.table.state, seat.number, context))


def _all_ordered(live: Live) -> bool:
    awaited = live.table.state.to_move
    return bool(awaited) and all(seat in live.table.orders for seat in awaited)


def evaluate(desk: Desk, match: Match, live: Live) -> None:
    """The ZAT of a round: every seat's first legal alternative counts. Held while a word waits for a ruling."""
    context = desk.shelf.context(live)
    after, result = table.evaluate(live.game, live.table, context)
    if result.undecided:
        hold(desk, match, result)
        return
    live.table = after
    append(desk.session, match, live, Entry("evaluate", outcome=result.to_json()), desk.now, desk.inbox_id)
    live.note(result)
    _happened(desk, match, result)
    _robots_order(desk, match, live)


def meet_deadline(desk: Desk, match: Match, live: Live) -> None:
    """The ZAT has come: evaluate the round, or count the awaited seat's turn as missed."""
    if live.table.pace != "sequential":
        evaluate(desk, match, live)
    else:
        seat = live.table.state.to_move[0]
        context = desk.shelf.context(live)
        live.table, result = table.miss(live.game, live.table, seat, context)
        append(desk.session, match, live, Entry("miss", seat, outcome=result.to_json()), desk.now, None)
        live.note(result)
        _happened(desk, match, result)
    if not match.held:
        carry_on(desk, match, live)


def resume(desk: Desk, match: Match, live: Live) -> None:
    """Try again what waited for a ruling."""
    match.held = False
    if live.table.pace != "sequential":
        if (match.deadline and match.deadline <= desk.now) or (match.early and _all_ordered(live)):
            evaluate(desk, match, live)
        if not match.held:
            carry_on(desk, match, live)
        return
    carry_on(desk, match, live)


def hold(desk: Desk, match: Match, result: Result) -> None:
    """Stop the clock and put the words to the moderator."""
    from moderator.desk.questions import ask

    match.held = True
    desk.session.add(match)
    ask(desk, match, result.undecided)


def _happened(desk: Desk, match: Match, result: Result) -> None:
    progress: Progress = desk.of(match)
    progress.results.append(result)
    progress.moved = True


def _set_clock(desk: Desk, match: Match, live: Live) -> None:
    """A new deadline whenever somebody else is awaited or a round begins."""
    progress = desk.of(match)
    if live.table.state.over:
        match.status, match.finished_at = "finished", desk.now
        match.deadline = match.remind_at = None
    elif progress.moved and not match.held:
        times, zone = desk.config.deadlines, desk.config.club.zone
        # A ZAT that was met a few minutes late must not cost the next turn a day.
        late = match.deadline is not None and timedelta(0) <= desk.now - match.deadline < PUNCTUAL
        began = match.deadline if match.deadline and late else desk.now
        match.deadline = clock.next_deadline(began, times.days, times.hour, zone)
        reminder = clock.reminder(match.deadline, times.reminder_days, zone)
        match.remind_at = reminder if reminder and reminder > desk.now else None
    desk.session.add(match)
