"""Pace ``race``: who was first is told by when the mails reached the mailbox, not by when they were read.

A right submission is kept until a poll has been completed that began after the last one that counts had arrived: then
no earlier one can turn up any more, and they are played in the order of arrival. That moment is the match's time of
reminding, so that the next poll that begins behind it settles the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlmodel import col, select

from moderator.desk import clock, play
from moderator.desk.desk import Desk
from moderator.desk.live import Live, log_of
from moderator.engine import table
from moderator.engine.contract import Note
from moderator.engine.replay import effective
from moderator.engine.table import Result, Table
from moderator.states import EntryKind
from moderator.store.models import Event, Inbox, Match


def hand_in(desk: Desk, match: Match, live: Live, seat: int, text: str) -> Result | None:
    """Keep a submission if it is right; the first right one of a seat stands until it is withdrawn.

    Returns the engine's result when it is refused or waits for a ruling, None when it is kept.
    """
    result = _tried(desk, live, seat, text)
    if result.moves and not result.moves[0].alternative:
        play.tried(desk, match, live, seat, text)
        return result
    if seat not in live.table.orders:
        play.store(desk, match, live, seat, text)
    if result.undecided:
        play.hold(desk, match, result)
        return result
    play.robots_order(desk, match, live)  # robots are ready as soon as the first person is, and come in behind
    moment = _decided(desk, match, live)
    if moment is not None:
        match.remind_at = moment
        desk.session.add(match)
    return None


def settle(desk: Desk, match: Match, live: Live) -> bool:
    """At the time of reminding: end the round if it is decided. False = it is not, and those awaited are to be
    reminded; True = nothing is left to do."""
    moment = _decided(desk, match, live)
    if moment is not None and moment <= desk.now:
        close(desk, match, live)
        return True
    match.remind_at = moment or clock.next_reminder(desk, match, live)  # a submission was withdrawn in the meantime
    desk.session.add(match)
    return match.remind_at is not None


def close(desk: Desk, match: Match, live: Live) -> None:
    """The ZAT, or the round is decided: play what was handed in, and go on."""
    if play_out(desk, match, live):
        play.carry_on(desk, match, live)


def play_out(desk: Desk, match: Match, live: Live) -> bool:
    """Play what was handed in, in the order of arrival, until the round is over. Seats that have handed in nothing
    missed the ZAT. False = a word waits for a ruling."""
    round = live.table.state.public.round
    handed = [(seat, live.table.orders[seat]) for _, seat in _by_arrival(desk, match, live)]
    for number, (seat, _) in enumerate(handed):
        if play.submit(desk, match, live, seat, live.table.orders[seat]).undecided:
            return False
        if _over(live.table, round):
            _tell_the_slower(desk, match, live, handed, number + 1)
            break
    for seat in live.table.state.to_move:
        if _over(live.table, round):
            break
        play.miss(desk, match, live, seat)
    return True


def _tell_the_slower(desk: Desk, match: Match, live: Live, handed: Sequence[tuple[int, str]], played: int) -> None:
    """Those whose solution was right, too, but was not needed any more (the first ``played`` of ``handed`` decided the
    round): that it was right, and why it brings nothing."""
    passed = getattr(live.game, "pass_text", "")
    scored = sum(text != passed for _, text in handed[:played])
    for place, seat in enumerate((seat for seat, text in handed[played:] if text != passed), start=scored + 1):
        values = {"place": place, "scored": scored}
        desk.of(match).notes.append(Note("right-but-later", values, seat=seat, only=seat))


def resume(desk: Desk, match: Match, live: Live) -> None:
    """The moderator has ruled: what waited is right now, or refused for good."""
    for seat, text in tuple(live.table.orders.items()):
        result = _tried(desk, live, seat, text)
        if result.undecided:
            play.hold(desk, match, result)
            return
        if not result.moves[0].alternative:
            play.store(desk, match, live, seat, "")
            play.happened(desk, match, result)
    if match.deadline is not None and match.deadline <= desk.now:
        close(desk, match, live)
    else:
        settle(desk, match, live)


def _tried(desk: Desk, live: Live, seat: int, text: str) -> Result:
    """What a submission would lead to if nobody else had handed in anything."""
    return table.submit(live.game, replace(live.table, orders={}), seat, text, desk.shelf.context(live))[1]


def _decided(desk: Desk, match: Match, live: Live) -> datetime | None:
    """When the last submission arrived that it takes to end the round; None while some are missing."""
    after = live.table
    for arrived, seat in _by_arrival(desk, match, live):
        after, _ = table.submit(live.game, after, seat, live.table.orders[seat], desk.shelf.context(live))
        if _over(after, live.table.state.public.round):
            return arrived
    return None


def _over(after: Table[Any], round: int) -> bool:
    return after.state.over or after.state.public.round != round


def _by_arrival(desk: Desk, match: Match, live: Live) -> list[tuple[datetime, int]]:
    """(when its mail came, seat) of each kept submission, the first first, equal ones by the mail's number. A robot's
    comes in when it is made, behind all mails."""
    desk.session.flush()
    holds = [number for number, _ in effective(log_of(desk.session, match))]
    query = (
        select(Event.seat, Event.at, Inbox.received_at, Inbox.id)
        .join(Inbox, col(Inbox.id) == col(Event.inbox_id), isouter=True)
        .where(Event.match_id == match.id, Event.kind == EntryKind.ORDER, col(Event.n).in_(holds))
        .order_by(col(Event.n))
    )
    robots = {seat.number for seat, player in desk.seated(match) if player.robot}
    last: dict[int, tuple[bool, datetime, int]] = {}
    for seat, at, received, number in desk.session.exec(query):
        if seat is not None and seat in live.table.orders:
            last[seat] = (seat in robots, received or at, number or 0)
    return [(when, seat) for seat, (_, when, _) in sorted(last.items(), key=lambda item: item[1])]
