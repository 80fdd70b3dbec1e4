"""Seats that wait for a person: given up, or held by a robot that stands in for whoever takes them over.

A robot stands in where it came to a seat after the deal: put there by the moderator (`match replace`), or by itself
where the terms of the match say so (``stand_in``) and a seat is given up for which nobody is on the standby list."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass

from moderator.common.enums import Level, LogEntryKind, MatchStatus, SeatLeftReason
from moderator.common.errors import OperatorError
from moderator.language.spelling import get_game_name
from moderator.rules import seats
from moderator.rules.game import Note
from moderator.rules.replay import drop_undone
from moderator.service import create, seat_changes
from moderator.service.desk import Desk
from moderator.store import matches, players
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import LiveMatch, MatchSuspended, load_log_entries

MOST = 2
"""Such tables that one person plays at at once."""


def count_practice_tables(session: Session, player: int) -> int:
    """Count the player's tables for training that are not over."""
    return matches.count_training_matches(session, player)


def begin_practice(desk: Desk, player: PlayerRow, game: str, level: Level, name: str) -> tuple[MatchRow, PlayerRow]:
    """Create a match for training and deal it; returns it and its robot. The mails are made with all others of this
    transaction. Raises OperatorError where the game cannot be played here, not by two, say, or without its dictionary;
    then nothing is stored."""
    match = None
    try:
        with desk.begin_savepoint():
            opponent = ensure_robot(desk, level)
            match = create.create_match(desk, game, name, [player, opponent], {})
            match.training = True
            create.deal_match(desk, match)
    except OperatorError:
        desk.progress = {number: one for number, one in desk.progress.items() if one.match is not match}
        raise
    return match, opponent


def ensure_robot(desk: Desk, level: Level, excluded: Collection[int] = ()) -> PlayerRow:
    """Return the club's robot of a level, none of those ``excluded``; created where there is none yet."""
    found = players.find_robot_of_level(desk.session, level, excluded)
    if found is not None:
        return found
    names = {known.casefold() for known in players.list_player_names(desk.session)}
    tried = (f"Robot {level.value}{number}" for number in ("", *(f" {n}" for n in range(2, 1000))))
    return create.add_player(
        desk.session, next(name for name in tried if name.casefold() not in names), None, desk.now, level=level
    )


# ---- Seats that wait for a person: given up, or held by a robot that stands in for whoever takes them over.


def may_take_over_seats(match: MatchRow) -> bool:
    """Return whether a seat of the match can be taken over at all: nobody plays for somebody else in a tournament, and
    at a table for training the robot is what its player wanted."""
    return match.status == MatchStatus.RUNNING and match.tournament_id is None and not match.training


def list_free_seats(desk: Desk, match: MatchRow, live: LiveMatch) -> tuple[int, ...]:
    """List the seats that a person may take over: first those that nobody plays, then those that robots hold."""
    if not may_take_over_seats(match) or live.table.state.over:
        return ()
    came = {
        entry.seat
        for _, entry in drop_undone(load_log_entries(desk.session, match))
        if entry.kind == LogEntryKind.HAND_OVER
    }
    held = (
        seat for seat in seats.list_active_seats(live.table) if seat in came and desk.list_players(match)[seat].robot
    )
    return (*sorted(live.table.out), *held)


@dataclass(frozen=True)
class WaitingSeat:
    """A match with a seat that waits for a person."""

    match: MatchRow
    robot: str
    """Who holds the seat that is taken next; "" = nobody."""


def iter_waiting_seats(desk: Desk, player: PlayerRow) -> Iterator[WaitingSeat]:
    """Yield the matches with such a seat in which the player has none, oldest first."""
    mine = {match.number for match, _ in matches.list_current_seats(desk.session, player.number)}
    for match in matches.list_matches_with_changed_seats(desk.session):
        if match.number in mine or not may_take_over_seats(match):
            continue
        with suppress(MatchSuspended):
            found = list_free_seats(desk, match, live := desk.cache.load_readonly(desk.session, match))
            if found:
                yield WaitingSeat(match, "" if found[0] in live.table.out else desk.list_players(match)[found[0]].name)


def list_seat_offers(desk: Desk, player: PlayerRow, game: str = "") -> tuple[Note, ...]:
    """List what the player reads of these seats: a note for each, in ``game`` or in any."""
    found = [one for one in iter_waiting_seats(desk, player) if game in ("", one.match.game)]
    if not found:
        return ()
    told = (
        Note(
            "seat-waits-robot" if one.robot else "seat-waits",
            {
                "match": one.match.code,
                "title": one.match.name,
                "game": get_game_name(one.match.game, player.language),
                "name": one.robot,
            },
        )
        for one in found
    )
    return (Note("seats-wait", {"count": len(found)}), *told)


# ---- who comes in for somebody ----


def take_next_standby(desk: Desk, match: MatchRow) -> PlayerRow | None:
    """Find who has waited longest for a seat like this one and can play now, and take them off the list."""
    desk.session.flush()
    playing = {player.number for player in desk.list_players(match)}
    today = desk.today
    for row, player in players.list_standbys_for_game(desk.session, match.game):
        leaves = desk.cache.list_player_leaves(desk.session, player.number)
        if player.number in playing or any(leave.first <= today <= leave.last for leave in leaves):
            continue
        desk.session.delete(row)
        return player
    return None


def vacate_seat(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, why: SeatLeftReason) -> None:
    """Vacate a seat that its player gives up. Where the match would go on without it, whoever is on the standby list
    takes it, or the robot that its terms name; else it passes from now on. A player who is the only one left has won,
    and plays nobody."""
    successor = _find_successor(desk, match, live) if _can_go_on_without(desk, match, live, seat) else None
    if successor is None:
        seat_changes.retire_seat(desk, match, live, seat, why)
    else:
        seat_changes.hand_over_seat(desk, match, live, seat, successor, why)


def _can_go_on_without(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> bool:
    left = [other for other in seats.list_active_seats(live.table) if other != seat]
    return (
        may_take_over_seats(match)
        and len(left) > 1
        and any(not desk.list_players(match)[other].robot for other in left)
    )


def _find_successor(desk: Desk, match: MatchRow, live: LiveMatch) -> PlayerRow | None:
    if (person := take_next_standby(desk, match)) is not None:
        return person
    playing = [player.number for player in desk.list_players(match)]
    return ensure_robot(desk, Level(live.terms.stand_in), playing) if live.terms.stand_in else None
