"""What the moderator does to a match's clock, and the official word to its players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import col, select

from moderator.desk import clock
from moderator.desk.announce import send_status
from moderator.desk.boss.call import Outcome, outcome, running
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.desk.log import enter
from moderator.desk.post import new_page, plain_reply, post, reader, reply_to
from moderator.desk.suspension import unsuspend
from moderator.engine.contract import Note
from moderator.engine.replay import Entry
from moderator.errors import Misused
from moderator.render.pages import PressItem
from moderator.states import MatchStatus, Stopped
from moderator.store.models import Match, Player, Seat

LONGEST = 60
"""Days by which a deadline is put off at once."""


def extend(desk: Desk, match: Match, days: int | None, why: str = "") -> Outcome:
    """Put the deadline off by calendar days; those awaited are told. Raises Misused."""
    live = running(desk, match)
    if days is None or not 1 <= days <= LONGEST:
        raise Misused("boss-days", match=match.code, longest=LONGEST)
    if match.deadline is None:
        raise Misused("boss-no-deadline", match=match.code)
    clock.move(desk, match, live, days, "extend")
    code = "extended" if why else "extended-plain"
    _tell(desk, match, live.awaited, Note(code, {"days": days, "deadline": match.deadline, "line": why}))
    return outcome("boss-extended", match=match.code, days=days, deadline=match.deadline)


def pause(desk: Desk, match: Match, why: str = "") -> Outcome:
    """Stop the clock until ``go_on``; orders are still taken. Raises Misused."""
    live = running(desk, match)
    if match.stopped == Stopped.PAUSE:
        raise Misused("boss-paused-already", match=match.code, since=match.stopped_at)
    clock.pause(desk, match, live)
    _tell(desk, match, range(live.table.state.seats), Note("paused" if why else "paused-plain", {"line": why}))
    return outcome("boss-paused", match=match.code)


def go_on(desk: Desk, match: Match, why: str = "") -> Outcome:
    """End a pause, or let a suspended match go on. Raises Misused, or OperatorError when the reason still holds."""
    if match.status == MatchStatus.SUSPENDED:
        unsuspend(desk, match, accept_lexicon=False)
        return outcome("boss-unsuspended", match=match.code)
    live = running(desk, match)
    if match.stopped != Stopped.PAUSE:
        raise Misused("boss-not-paused", match=match.code)
    clock.go_on(desk, match, live)
    waits = bool(clock.unreachable(desk, match, live)) and bool(live.missing)
    if waits:
        clock.lay_out(desk, match, live)
    note = Note("goes-on" if why else "goes-on-plain", {"deadline": match.deadline, "line": why})
    _tell(desk, match, range(live.table.state.seats), note)
    return outcome("boss-goes-on", match=match.code, deadline=match.deadline)


def _tell(desk: Desk, match: Match, seats: Sequence[int], note: Note) -> None:
    """Board and deadline for these seats, with the news. It answers no mail of theirs."""
    apart = replace(desk, mail=None)
    for seat, player in desk.seated(match):
        if seat.number in seats and player.address and not player.undeliverable:
            send_status(apart, match, seat, "referee", [note])


def official(desk: Desk, match: Match | None, lines: Sequence[str]) -> Outcome:
    """An official word to the players of a match, or (None) to everybody who plays in one. It stands in the log.
    Raises Misused."""
    said = "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")
    if not any(said):
        raise Misused("boss-no-text")
    query = (
        select(Match).where(col(Match.status).in_((MatchStatus.RUNNING, MatchStatus.SUSPENDED))).order_by(col(Match.id))
    )
    matches = [match] if match else list(desk.session.exec(query))
    told: dict[int, tuple[Match, Seat, Player]] = {}
    for row in matches:
        if row.status in (MatchStatus.RUNNING, MatchStatus.FINISHED):
            _log(desk, row, desk.shelf.live(desk.session, row), said)
        for seat, player in desk.seated(row):
            if player.address:
                told.setdefault(player.number, (row, seat, player))
    if not told:
        raise Misused("boss-nobody")
    for row, seat, player in told.values():
        _send(desk, player, (row, seat) if match else None, said)
    names = [player.name for _, _, player in told.values()]
    return (
        outcome("boss-official", match=match.code, names=names) if match else outcome("boss-official-all", names=names)
    )


def _log(desk: Desk, match: Match, live: Live, said: Sequence[str]) -> None:
    enter(desk, match, live, Entry("notice", text="\n".join(said)[:4000]))


def _send(desk: Desk, player: Player, place: tuple[Match, Seat] | None, said: Sequence[str]) -> None:
    reply = reply_to(desk, place[0].code, place[1].token) if place else plain_reply(desk)
    facts = {"match": place[0].code if place else "", "name": place[0].name if place else ""}
    letter = PressItem(desk.config.club.name, "\n".join(said))
    page = new_page(desk, "official", reader(player), reply=reply, press=(letter,), facts=facts)
    post(desk, page, match=place[0] if place else None, seat=place[1] if place else None, answers=False)
