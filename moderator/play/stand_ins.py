"""Seats that wait for a person: given up, or held by a robot that stands in for whoever takes them over.

A robot stands in where it came to a seat after the deal: put there by the moderator (`match replace`), or by itself
where the terms of the match say so (``stand_in``) and a seat is given up for which nobody is on the standby list."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended, log_of
from moderator.club.spelling import game_name
from moderator.match import seats
from moderator.match.contract import Note
from moderator.match.replay import effective
from moderator.play import lifecycle, practice
from moderator.states import EntryKind, Level, MatchStatus, SeatLoss
from moderator.store import bystanders, matches
from moderator.store.models import Match, Player


def may_be_taken(match: Match) -> bool:
    """Whether a seat of the match can be taken over at all: nobody plays for somebody else in a tournament, and at a
    table for training the robot is what its player wanted."""
    return match.status == MatchStatus.RUNNING and match.tournament_id is None and not match.training


def free(desk: Desk, match: Match, live: LiveMatch) -> tuple[int, ...]:
    """Seats that a person may take over: first those that nobody plays, then those that robots hold."""
    if not may_be_taken(match) or live.table.state.over:
        return ()
    came = {entry.seat for _, entry in effective(log_of(desk.session, match)) if entry.kind == EntryKind.HAND_OVER}
    held = (seat for seat in seats.active(live.table) if seat in came and desk.players(match)[seat].robot)
    return (*sorted(live.table.out), *held)


@dataclass(frozen=True)
class Waiting:
    """A match with a seat that waits for a person."""

    match: Match
    robot: str
    """Who holds the seat that is taken next; "" = nobody."""


def waiting(desk: Desk, player: Player) -> Iterator[Waiting]:
    """Those in which the player has no seat, oldest first."""
    mine = {match.number for match, _ in matches.seats_of(desk.session, player.number)}
    for match in matches.with_changed_seats(desk.session):
        if match.number in mine or not may_be_taken(match):
            continue
        with suppress(Suspended):
            found = free(desk, match, live := desk.cache.look(desk.session, match))
            if found:
                yield Waiting(match, "" if found[0] in live.table.out else desk.players(match)[found[0]].name)


def offers(desk: Desk, player: Player, game: str = "") -> tuple[Note, ...]:
    """What the player reads of them: a note for each, in ``game`` or in any."""
    found = [one for one in waiting(desk, player) if game in ("", one.match.game)]
    if not found:
        return ()
    told = (
        Note(
            "seat-waits-robot" if one.robot else "seat-waits",
            {
                "match": one.match.code,
                "title": one.match.name,
                "game": game_name(one.match.game, player.language),
                "name": one.robot,
            },
        )
        for one in found
    )
    return (Note("seats-wait", {"count": len(found)}), *told)


# ---- who comes in for somebody ----


def next_standby(desk: Desk, match: Match) -> Player | None:
    """Who has waited longest for a seat like this one and can play now; taken off the list."""
    desk.session.flush()
    playing = {player.number for player in desk.players(match)}
    today = desk.today
    for row, player in bystanders.waiting_for(desk.session, match.game):
        leaves = desk.cache.leaves_of(desk.session, player.number)
        if player.number in playing or any(leave.first <= today <= leave.last for leave in leaves):
            continue
        desk.session.delete(row)
        return player
    return None


def vacate(desk: Desk, match: Match, live: LiveMatch, seat: int, why: SeatLoss) -> None:
    """A player gives a seat up. Where the match would go on without it, whoever is on the standby list takes it, or the
    robot that its terms name; else it passes from now on. Who is left alone has won, and plays nobody."""
    successor = _successor(desk, match, live) if _goes_on(desk, match, live, seat) else None
    if successor is None:
        lifecycle.retire(desk, match, live, seat, why)
    else:
        lifecycle.hand_over(desk, match, live, seat, successor, why)


def _goes_on(desk: Desk, match: Match, live: LiveMatch, seat: int) -> bool:
    left = [other for other in seats.active(live.table) if other != seat]
    return may_be_taken(match) and len(left) > 1 and any(not desk.players(match)[other].robot for other in left)


def _successor(desk: Desk, match: Match, live: LiveMatch) -> Player | None:
    if (person := next_standby(desk, match)) is not None:
        return person
    playing = [player.number for player in desk.players(match)]
    return practice.robot(desk, Level(live.terms.stand_in), playing) if live.terms.stand_in else None
