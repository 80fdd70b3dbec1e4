"""Matches with free seats: who may join, and the start when the last seat is taken."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.club import watching
from moderator.club.desk import Desk
from moderator.club.game_names import name
from moderator.match.contract import Note
from moderator.play.create import deal, take_seat
from moderator.states import MatchStatus
from moderator.store import matches, seats
from moderator.store.matches import seats_of
from moderator.store.models import Match, Player


def free(desk: Desk, match: Match) -> int:
    """Seats of a match that wait for somebody; 0 unless it is open and players may join."""
    if match.status != MatchStatus.OPEN:
        return 0
    return max(0, match.wanted - seats.count(desk.session, match.number))


def open_matches(desk: Desk, player: Player | None = None) -> list[Match]:
    """All with a free seat that ``player`` has none in, oldest first."""
    mine = {match.number for match, _ in seats_of(desk.session, player.number)} if player else set()
    return [match for match, _ in matches.with_free_seats(desk.session) if match.number not in mine]


def sit_down(desk: Desk, match: Match, player: Player) -> int:
    """Take a free seat; returns how many are left."""
    take_seat(desk.session, match, player)
    watching.sits_down(desk, match, player)
    desk.reseat(match)
    return free(desk, match)


def begin(desk: Desk, match: Match) -> None:
    """The last seat is taken: deal. The mails are made with all others of this transaction."""
    deal(desk, match)


def lines(desk: Desk, matches: Sequence[Match], player: Player) -> tuple[Note, ...]:
    """One note for each: what it is, who is there, how many are wanted, what to write."""
    return tuple(
        Note(
            "open-match",
            {
                "match": match.code,
                "title": match.name,
                "game": name(match.game, player.language),
                "names": [one.name for one in desk.players(match)] or ["–"],
                "count": free(desk, match),
            },
        )
        for match in matches
    )
