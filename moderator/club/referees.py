"""Who is in charge of a match: its referee, the deputy, or the chief, which is the club's moderator.

``in_charge`` alone says so, and ``may`` whether somebody may look at a match and command there. A match without a
referee of its own has that of its tournament, and without one there the chief. While the referee is on leave, or plays
in the match, it is the deputy, and then the chief. Whoever plays in a match knows nothing of it as its referee; the
chief neither, if there is somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moderator.club.same_person import same
from moderator.club.tokens import moderator_token
from moderator.errors import Impossible
from moderator.store.models import Match, Player, Referee, Tournament

if TYPE_CHECKING:
    from moderator.club.desk import Desk


@dataclass(frozen=True)
class Official:
    """Who decides: the chief, or a referee."""

    name: str
    address: str
    language: str
    number: int | None = None
    """Of a referee; None = the chief."""

    @property
    def chief(self) -> bool:
        return self.number is None


def chief(desk: Desk) -> Official:
    club = desk.config.club
    return Official(club.name, club.moderator, club.language)


def official(referee: Referee) -> Official:
    return Official(referee.name, referee.address, referee.language, referee.number)


def commanding(desk: Desk) -> Official:
    """Who commands by the mail at hand; at the machine the chief."""
    return desk.official or chief(desk)


def token_of(desk: Desk, who: Official) -> str:
    """The secret part of the address that takes their commands."""
    return moderator_token(desk.session) if who.number is None else desk.session.get_one(Referee, who.number).token


def named(desk: Desk, match: Match) -> tuple[Referee | None, Referee | None]:
    """Referee and deputy, as they were named for the match or for its tournament."""
    tournament = desk.session.get(Tournament, match.tournament_id) if match.tournament_id else None
    referee = match.referee_id or (tournament.referee_id if tournament else None)
    deputy = match.deputy_id or (tournament.deputy_id if tournament else None)
    find = desk.session.get
    return (find(Referee, referee) if referee else None), (find(Referee, deputy) if deputy else None)


def in_charge(desk: Desk, match: Match) -> Official:
    """The one to whom all goes that waits for a decision in this match."""
    referee, deputy = named(desk, match)
    boss = chief(desk)
    if referee is None and deputy is None:
        return boss
    order = (official(referee) if referee else boss, official(deputy) if deputy else boss, boss)
    fit = [who for who in order if not plays(desk, match, who)]
    present = [who for who in fit if not away(desk, who)]
    return next(iter((*present, *fit)), boss)


def away(desk: Desk, who: Official) -> bool:
    """Whether they are on leave today."""
    row = desk.session.get(Referee, who.number) if who.number else None
    if row is None or row.away_from is None or row.away_until is None:
        return False
    return row.away_from <= desk.today <= row.away_until


def plays(desk: Desk, match: Match, who: Official) -> bool:
    """Whether they have a seat there: by their address, a referee also by the name."""
    return any(is_player(who, player) for player in desk.players(match))


def is_player(who: Official, player: Player) -> bool:
    """Whether they are one person."""
    return same(player, who.address.lower(), "" if who.chief else who.name.casefold())


def may(desk: Desk, who: Official, match: Match) -> bool:
    """Whether they may look at this match and command there."""
    found = in_charge(desk, match)
    return found == who or (who.chief and not plays(desk, match, who))


def open_to_commander(desk: Desk, match: Match) -> bool:
    """The same for whoever commands; at the machine, where the database lies, everything is open."""
    return desk.official is None or may(desk, desk.official, match)


def check(desk: Desk, match: Match) -> None:
    """Raises Impossible("charge-…"), which says who is in charge, where the commander may not."""
    if open_to_commander(desk, match):
        return
    found, playing = in_charge(desk, match), plays(desk, match, commanding(desk))
    code = f"charge-{'plays' if playing else 'other'}{'-chief' if found.chief else ''}"
    raise Impossible(code, match=match.code, name=found.name)
