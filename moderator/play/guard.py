"""When the moderator does not trust what it sees: it was away itself, or too many orders are missing at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from moderator.club import clock
from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.match.contract import Note
from moderator.match.time.clock import outage_days
from moderator.outbox.tell import tell_moderator
from moderator.play import deadlines
from moderator.play.announce import send_status
from moderator.states import MailKind
from moderator.store import events, matches
from moderator.store.models import Match


def after_outage(desk: Desk, before: datetime, now: datetime) -> int:
    """Put off all deadlines that were open when the mailbox was last read, tell those who are awaited and the
    moderator. Returns how many matches it were."""
    days = outage_days(now - before)
    settled = before - desk.config.guard.settle
    count = 0
    for match in matches.not_over_by(desk.session, settled):
        desk.cache.tidy()
        try:
            live = desk.cache.live(desk.session, match)
        except Suspended:
            continue
        clock.move(desk, match, live, days, "outage")
        count += 1
        for seat, _ in desk.seated(match):
            if seat.number in live.missing:
                send_status(desk, match, seat, MailKind.STATUS, [Note("deadline-outage", {"days": days})])
    tell_moderator(desk, Note("outage", {"days": days, "matches": count, "since": before}))
    return count


def trusted(desk: Desk, due: Mapping[int, Sequence[int]]) -> bool:
    """Whether what is missing in all due matches (match id -> seats that are late) may be adjudicated. If not, their
    deadlines move by a day and the moderator is told."""
    guard = desk.config.guard
    missing = sum(len(seats) for seats in due.values())
    if missing < guard.nmr_least:
        return True
    expected = missing + _here(desk, due) + events.moves_by_mail(desk.session, desk.now - timedelta(days=1))
    if missing <= guard.nmr_breaker * expected:
        return True
    put_off = [number for number, seats in due.items() if seats and deadlines.put_off(desk, number)]
    if not put_off:
        return True
    names = []
    for number in put_off:
        match = desk.session.get_one(Match, number)
        players = desk.players(match)
        names.append(f"{match.code} {', '.join(players[seat].name for seat in due[number])}")
    tell_moderator(desk, Note("many-missing", {"missing": missing, "expected": expected, "matches": names}))
    return False


def _here(desk: Desk, due: Mapping[int, Sequence[int]]) -> int:
    """Orders of people that wait for the ZAT in these matches."""
    count = 0
    for number in due:
        match = desk.session.get_one(Match, number)
        live, players = desk.cache.live(desk.session, match), desk.players(match)
        if live.table.pace != "sequential":
            count += sum(seat not in live.silent and not players[seat].robot for seat in live.awaited)
    return count
