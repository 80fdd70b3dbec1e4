"""Pace ``race``: what was handed in, in the order in which the mails reached the mailbox, and what it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, log_of
from moderator.match import table
from moderator.match.contract import Note
from moderator.match.replay import effective
from moderator.match.table import Result, Table
from moderator.play import turns
from moderator.store import events
from moderator.store.models import Match


def play_out(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Play what was handed in, in the order of arrival, until the round is over. Seats that have handed in nothing
    missed the ZAT. False = a word waits for a ruling."""
    round = live.table.state.public.round
    handed = [(seat, live.table.orders[seat]) for _, seat in _by_arrival(desk, match, live)]
    for number, (seat, _) in enumerate(handed):
        if turns.submit(desk, match, live, seat, live.table.orders[seat]).undecided:
            return False
        if _over(live.table, round):
            _tell_the_slower(desk, match, live, handed, number + 1)
            break
    for seat in live.table.state.to_move:
        if _over(live.table, round):
            break
        turns.miss(desk, match, live, seat)
    return True


def _tell_the_slower(desk: Desk, match: Match, live: LiveMatch, handed: Sequence[tuple[int, str]], played: int) -> None:
    """Those whose solution was right, too, but was not needed any more (the first ``played`` of ``handed`` decided the
    round): that it was right, and why it brings nothing."""
    passed = getattr(live.game, "pass_text", "")
    scored = sum(text != passed for _, text in handed[:played])
    for place, seat in enumerate((seat for seat, text in handed[played:] if text != passed), start=scored + 1):
        values = {"place": place, "scored": scored}
        desk.of(match).notes.append(Note("right-but-later", values, seat=seat, only=seat))


def alone(desk: Desk, live: LiveMatch, seat: int, text: str) -> Result:
    """What a submission would lead to if nobody else had handed in anything."""
    return table.submit(live.game, replace(live.table, orders={}), seat, text, desk.cache.context(live))[1]


def decided(desk: Desk, match: Match, live: LiveMatch) -> datetime | None:
    """When the last submission arrived that it takes to end the round; None while some are missing."""
    after = live.table
    for arrived, seat in _by_arrival(desk, match, live):
        after, _ = table.submit(live.game, after, seat, live.table.orders[seat], desk.cache.context(live))
        if _over(after, live.table.state.public.round):
            return arrived
    return None


def _over(after: Table[Any], round: int) -> bool:
    return after.state.over or after.state.public.round != round


def _by_arrival(desk: Desk, match: Match, live: LiveMatch) -> list[tuple[datetime, int]]:
    """(when its mail came, seat) of each kept submission, the first first, equal ones by the mail's number. A robot's
    comes in when it is made, behind all mails."""
    desk.session.flush()
    holds = [number for number, _ in effective(log_of(desk.session, match))]
    robots = {seat.number for seat, player in desk.seated(match) if player.robot}
    last: dict[int, tuple[bool, datetime, int]] = {}
    for seat, at, received, number in events.orders(desk.session, match.number, holds):
        if seat is not None and seat in live.table.orders:
            last[seat] = (seat in robots, received or at, number or 0)
    return [(when, seat) for seat, (_, when, _) in sorted(last.items(), key=lambda item: item[1])]
