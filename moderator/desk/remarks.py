"""What is special about the clock and the seats of a match: lines under the headline, and the time rules at the start.

Nothing is said where nothing is special.
"""

from __future__ import annotations

from datetime import timedelta

from moderator.desk import clock
from moderator.desk.cup.hanging import played_again
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.engine.calendar import holiday, weekday
from moderator.engine.clock import Terms, local_day
from moderator.engine.contract import Note
from moderator.states import MatchStatus, Stopped
from moderator.store.models import Match, Player

SOON = timedelta(days=14)
"""Leave that begins within that is told."""
KINDS = frozenset({"start", "turn", "receipt", "status", "reminder", "correction"})
"""Mails that have them."""


def remarks(desk: Desk, match: Match, live: Live, seat: int | None) -> tuple[Note, ...]:
    """For the player of that seat; None = somebody who watches."""
    if match.status != MatchStatus.RUNNING:
        return ()
    players = desk.players(match)
    return (
        *_again(desk, match),
        *_stopped(desk, match, live),
        *(_own(live, seat) if seat is not None else ()),
        *(_away(desk, live, players, seat) if live.terms.leave else ()),
        *_gone(live, players),
    )


def _again(desk: Desk, match: Match) -> list[Note]:
    """What a tournament's match that is played again is worth there."""
    note = played_again(desk, match)
    return [note] if note else []


def _stopped(desk: Desk, match: Match, live: Live) -> list[Note]:
    if match.stopped == Stopped.PAUSE:
        return [Note("remark-paused")]
    if match.stopped == Stopped.MAIL:
        names = [player.name for player in clock.unreachable(desk, match, live)]
        return [Note("remark-mail", {"names": names})]
    return []


def _own(live: Live, seat: int) -> list[Note]:
    """The reader's own extra days, days of grace, and signs."""
    notes: list[Note] = []
    if seat in live.missing:
        if bank := live.ledger.seats[seat].bank:
            notes.append(Note("remark-bank", {"count": bank}))
        if live.terms.grace:
            notes.append(Note("remark-grace", {"count": live.terms.grace}))
    if sign := live.table.flags.get(seat):
        notes.append(Note("remark-wait" if sign == "wait" else "remark-ready"))
    return notes


def _away(desk: Desk, live: Live, players: list[Player], you: int | None) -> list[Note]:
    """Who is on leave now, or will be soon."""
    today = local_day(desk.now, desk.config.club.zone)
    notes: list[Note] = []
    for seat, player in enumerate(players):
        if seat in live.table.out or player.robot:
            continue
        for leave in sorted(desk.shelf.leaves_of(desk.session, player.number), key=lambda one: one.first):
            if leave.last < today or leave.first > today + SOON:
                continue
            code = "remark-away" if leave.first <= today else "remark-away-soon"
            facts = {"name": player.name, "first": leave.first, "last": leave.last}
            notes.append(Note(f"{code}-you" if seat == you else code, facts))
    return notes


def _gone(live: Live, players: list[Player]) -> list[Note]:
    names = [players[seat].name for seat in live.table.out]
    return [Note("remark-out", {"names": names})] if names else []


def rules_of_time(terms: Terms) -> tuple[Note, ...]:
    """The time rules of a match, for its first mail."""
    notes = [Note("terms-days", {"count": terms.days, "hour": terms.hour})]
    if terms.evening >= 0:
        notes.append(Note("terms-evening", {"hour": terms.evening}))
    if terms.bank or terms.bank_increment:
        notes.append(Note("terms-bank", {"count": terms.bank}))
    if terms.bank_increment:
        notes.append(Note("terms-increment", {"count": terms.bank_increment, "most": terms.most_bank}))
    if terms.grace:
        notes.append(Note("terms-grace", {"count": terms.grace}))
    if terms.skip_weekdays:
        notes += [Note(f"terms-weekday-{day}") for day in sorted({weekday(name) for name in terms.skip_weekdays})]
    if terms.holidays:
        notes.append(Note("terms-holidays", {"days": [_dated(text) for text in terms.holidays]}))
    notes.append(Note("terms-leave" if terms.leave else "terms-no-leave"))
    if terms.abandon_after:
        facts = {"count": terms.abandon_after, "excused": terms.excused}
        notes.append(Note("terms-abandon-excused" if terms.excused else "terms-abandon", facts))
    return tuple(notes)


def _dated(text: str) -> str:
    """``24.12.``, or ``24.12.2026`` for a holiday of one year."""
    year, month, day = holiday(text)
    return f"{day}.{month}.{year or ''}"
