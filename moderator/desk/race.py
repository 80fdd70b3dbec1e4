"""Pace ``race``: who was first is told by when the mails reached the mailbox, not by when they were read.

A right submission is kept until a poll has been completed that began after the last one that counts had arrived: then
no earlier one can turn up any more, and they are played in the order of arrival (arrivals.py). That moment is the
match's time of reminding, so that the next poll that begins behind it settles the round.
"""

from __future__ import annotations

from moderator.desk import arrivals, clock, play, turns
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.engine.table import Result
from moderator.store.models import Match


def hand_in(desk: Desk, match: Match, live: Live, seat: int, text: str) -> Result | None:
    """Keep a submission if it is right; the first right one of a seat stands until it is withdrawn.

    Returns the engine's result when it is refused or waits for a ruling, None when it is kept.
    """
    result = arrivals.alone(desk, live, seat, text)
    if result.moves and not result.moves[0].alternative:
        turns.tried(desk, match, live, seat, text)
        return result
    if seat not in live.table.orders:
        turns.store(desk, match, live, seat, text)
    if result.undecided:
        turns.hold(desk, match, result)
        return result
    turns.robots_order(desk, match, live)  # robots are ready as soon as the first person is, and come in behind
    moment = arrivals.decided(desk, match, live)
    if moment is not None:
        match.remind_at = moment
        desk.session.add(match)
    return None


def settle(desk: Desk, match: Match, live: Live) -> bool:
    """At the time of reminding: end the round if it is decided. False = it is not, and those awaited are to be
    reminded; True = nothing is left to do."""
    moment = arrivals.decided(desk, match, live)
    if moment is not None and moment <= desk.now:
        close(desk, match, live)
        return True
    match.remind_at = moment or clock.next_reminder(desk, match, live)  # a submission was withdrawn in the meantime
    desk.session.add(match)
    return match.remind_at is not None


def close(desk: Desk, match: Match, live: Live) -> None:
    """The ZAT, or the round is decided: play what was handed in, and go on."""
    if arrivals.play_out(desk, match, live):
        play.carry_on(desk, match, live)


def resume(desk: Desk, match: Match, live: Live) -> None:
    """The moderator has ruled: what waited is right now, or refused for good."""
    for seat, text in tuple(live.table.orders.items()):
        result = arrivals.alone(desk, live, seat, text)
        if result.undecided:
            turns.hold(desk, match, result)
            return
        if not result.moves[0].alternative:
            turns.store(desk, match, live, seat, "")
            turns.happened(desk, match, result)
    if match.deadline is not None and match.deadline <= desk.now:
        close(desk, match, live)
    else:
        settle(desk, match, live)
