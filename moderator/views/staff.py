"""Who is in charge of a match: its referee, the deputy, or the chief, which is the club's moderator.

``find_staff_in_charge`` alone says so, and ``may_command`` whether somebody may look at a match and command there. A
match without a referee of its own has that of its tournament, and without one there the chief. While the referee is on
leave, or plays in the match, it is the deputy, and then the chief. Whoever plays in a match knows nothing of it as its
referee; the chief neither, if there is somebody else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moderator.common.errors import Impossible
from moderator.common.tokens import ensure_moderator_token
from moderator.store.tables import MatchRow, PlayerRow, Referee, Tournament
from moderator.views.people import is_same_person

if TYPE_CHECKING:
    from moderator.service.desk import Desk


@dataclass(frozen=True)
class StaffMember:
    """Somebody who decides: the chief, or a referee."""

    name: str
    address: str
    language: str
    number: int | None = None
    """Of a referee; None = the chief."""

    @property
    def is_chief(self) -> bool:
        return self.number is None


def get_chief(desk: Desk) -> StaffMember:
    club = desk.config.club
    return StaffMember(club.name, club.moderator, club.language)


def build_staff_member(referee: Referee) -> StaffMember:
    return StaffMember(referee.name, referee.address, referee.language, referee.number)


def get_commander(desk: Desk) -> StaffMember:
    """Return whoever commands by the mail at hand; at the machine the chief."""
    return desk.official or get_chief(desk)


def get_staff_token(desk: Desk, who: StaffMember) -> str:
    """Return the secret part of the address that takes their commands."""
    return (
        ensure_moderator_token(desk.session) if who.number is None else desk.session.get_one(Referee, who.number).token
    )


def find_named_referees(desk: Desk, match: MatchRow) -> tuple[Referee | None, Referee | None]:
    """Find referee and deputy, as they were named for the match or for its tournament."""
    tournament = desk.session.get(Tournament, match.tournament_id) if match.tournament_id else None
    referee = match.referee_id or (tournament.referee_id if tournament else None)
    deputy = match.deputy_id or (tournament.deputy_id if tournament else None)
    find = desk.session.get
    return (find(Referee, referee) if referee else None), (find(Referee, deputy) if deputy else None)


def find_staff_in_charge(desk: Desk, match: MatchRow) -> StaffMember:
    """Find the one to whom all goes that waits for a decision in this match."""
    referee, deputy = find_named_referees(desk, match)
    boss = get_chief(desk)
    if referee is None and deputy is None:
        return boss
    order = (build_staff_member(referee) if referee else boss, build_staff_member(deputy) if deputy else boss, boss)
    fit = [who for who in order if not has_seat_in_match(desk, match, who)]
    present = [who for who in fit if not is_on_leave(desk, who)]
    return next(iter((*present, *fit)), boss)


def is_on_leave(desk: Desk, who: StaffMember) -> bool:
    """Return whether they are on leave today."""
    row = desk.session.get(Referee, who.number) if who.number else None
    if row is None or row.away_from is None or row.away_until is None:
        return False
    return row.away_from <= desk.today <= row.away_until


def has_seat_in_match(desk: Desk, match: MatchRow, who: StaffMember) -> bool:
    """Return whether they have a seat there: by their address, a referee also by the name."""
    return any(is_staff_player(who, player) for player in desk.list_players(match))


def is_staff_player(who: StaffMember, player: PlayerRow) -> bool:
    """Return whether the staff member and the player are one person."""
    return is_same_person(player, who.address.lower(), "" if who.is_chief else who.name.casefold())


def may_command(desk: Desk, who: StaffMember, match: MatchRow) -> bool:
    """Return whether they may look at this match and command there."""
    found = find_staff_in_charge(desk, match)
    return found == who or (who.is_chief and not has_seat_in_match(desk, match, who))


def may_commander_act(desk: Desk, match: MatchRow) -> bool:
    """Return whether the commander may look at this match and command there; at the machine, where the database lies,
    everything is open."""
    return desk.official is None or may_command(desk, desk.official, match)


def check_may_command(desk: Desk, match: MatchRow) -> None:
    """Check that the commander may command in this match. Raises Impossible("charge-…"), which says who is in
    charge."""
    if may_commander_act(desk, match):
        return
    found, playing = find_staff_in_charge(desk, match), has_seat_in_match(desk, match, get_commander(desk))
    code = f"charge-{'plays' if playing else 'other'}{'-chief' if found.is_chief else ''}"
    raise Impossible(code, match=match.code, name=found.name)
