"""Matches in which a person may still get a seat: those that wait for one, and tables for training."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from moderator.common.enums import Level
from moderator.common.errors import OperatorError
from moderator.language.spelling import get_game_name
from moderator.rules.game import Note
from moderator.service import create
from moderator.service.match.match import Match
from moderator.service.match.seats import may_take_over_seats
from moderator.service.match.start import MatchStart
from moderator.store import matches
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import UnitOfWork

MOST = 2
"""Such tables that one person plays at at once."""


def count_practice_tables(session: Session, player: int) -> int:
    """Count the player's tables for training that are not over."""
    return matches.count_training_matches(session, player)


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


@dataclass(frozen=True)
class WaitingSeat:
    """A match with a seat that waits for a person."""

    match: MatchRow
    robot: str
    """Who holds the seat that is taken next; "" = nobody."""


@dataclass(frozen=True)
class WaitingSeats:
    """The seats that a player may take over."""

    work: UnitOfWork
    player: PlayerRow

    def iter_seats(self) -> Iterator[WaitingSeat]:
        """Yield the matches with such a seat in which the player has none, oldest first."""
        mine = {match.number for match, _ in matches.list_current_seats(self.work.session, self.player.number)}
        for match in matches.list_matches_with_changed_seats(self.work.session):
            if match.number in mine or not may_take_over_seats(match):
                continue
            with suppress(MatchSuspended):
                looked = Match(self.work, match, self.work.cache.load_readonly(self.work.session, match))
                if found := looked.list_free_seats():
                    yield WaitingSeat(match, "" if found[0] in looked.live.table.out else looked.players[found[0]].name)

    def list_offers(self, game: str = "") -> tuple[Note, ...]:
        """List what the player reads of these seats: a note for each, in ``game`` or in any."""
        found = [one for one in self.iter_seats() if game in ("", one.match.game)]
        if not found:
            return ()
        told = (
            Note(
                "seat-waits-robot" if one.robot else "seat-waits",
                {
                    "match": one.match.code,
                    "title": one.match.name,
                    "game": get_game_name(one.match.game, self.player.language),
                    "name": one.robot,
                },
            )
            for one in found
        )
        return (Note("seats-wait", {"count": len(found)}), *told)
