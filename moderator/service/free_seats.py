"""Matches in which a person may still get a seat: those that wait for one, and tables for training."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from moderator.common.enums import Level
from moderator.common.errors import OperatorError
from moderator.language.spelling import get_game_name
from moderator.rules.game import Note
from moderator.service import create
from moderator.service.match.match import Match
from moderator.service.match.seats import may_take_over_seats
from moderator.service.match.start import MatchStart
from moderator.store import matches
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import UnitOfWork

MOST = 2
"""Such tables that one person plays at at once."""


def begin_practice(
    work: UnitOfWork, player: PlayerRow, game: str, level: Level, name: str
) -> tuple[MatchRow, PlayerRow]:
    """Create a match for training and deal it; returns it and its robot. The mails are made with all others of this
    transaction. Raises OperatorError where the game cannot be played here, not by two, say, or without its dictionary;
    then nothing is stored."""
    match = None
    try:
        with work.begin_savepoint():
            opponent = create.ensure_robot(work.session, work.now, level)
            match = create.create_match(work, game, name, [player, opponent], {}, training=True)
            MatchStart(work, match).deal_match()
    except OperatorError:
        work.progress = {number: one for number, one in work.progress.items() if one.match is not match}
        raise
    return match, opponent


# ---- Seats that wait for a person: given up, or held by a robot that stands in for whoever takes them over.
#
# A robot stands in where it came to a seat after the deal: put there by the moderator (`match replace`), or by itself
# where the terms of the match say so (``stand_in``) and a seat is given up for which nobody is on the standby list.


def _iter_waiting_seats(work: UnitOfWork, player: PlayerRow) -> Iterator[tuple[MatchRow, str]]:
    """Yield each match with such a seat in which the player has none, oldest first, and the robot that holds the
    seat which is taken next; "" = nobody."""
    mine = {match.number for match, _ in matches.list_current_seats(work.session, player.number)}
    for match in matches.list_matches_with_changed_seats(work.session):
        if match.number in mine or not may_take_over_seats(match):
            continue
        with suppress(MatchSuspended):
            looked = Match(work, match, work.cache.load_readonly(work.session, match))
            if found := looked.list_free_seats():
                yield match, "" if found[0] in looked.live.table.out else looked.players[found[0]].name


def list_seat_offers(work: UnitOfWork, player: PlayerRow, game: str = "") -> tuple[Note, ...]:
    """List what the player reads of these seats: a note for each, in ``game`` or in any."""
    found = [one for one in _iter_waiting_seats(work, player) if game in ("", one[0].game)]
    if not found:
        return ()
    told = (
        Note(
            "seat-waits-robot" if robot else "seat-waits",
            {
                "match": match.code,
                "title": match.name,
                "game": get_game_name(match.game, player.language),
                "name": robot,
            },
        )
        for match, robot in found
    )
    return (Note("seats-wait", {"count": len(found)}), *told)
