"""Who is meant, and who is in charge. Whose name is it that somebody has written? Read in one way everywhere: in
players' mails, in the moderator's and on the command line.

First whoever is called just so (capitals or not, ``Joerg`` for Jörg), else the only one whose name begins so; nobody
is guessed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from moderator.common.errors import Impossible, OperatorError
from moderator.common.message_files import normalize_spelling
from moderator.common.text import clean_line
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.settings import Config
from moderator.store import players
from moderator.store.club_tables import Referee
from moderator.store.database import Session
from moderator.store.key_values import ensure_moderator_token
from moderator.store.tables import MatchRow, PlayerRow, Tournament, WatcherRow
from moderator.views.unit_of_work import UnitOfWork

Plays = Literal["", "beginner", "club", "strong", "program"]
"""How a robot plays: its level, or a program of somebody else's plays for it; "" = a person. Sentence ``plays-…``."""
SHORTEST = 3
"""Letters of a beginning."""
CLOSE = 3
"""So many similar names are offered."""


Named = TypeVar("Named", MatchRow, Tournament)


class UnclearName(Exception):
    """The error that nobody is called so, or that ``several`` are. ``names``: the names that may be meant."""

    def __init__(self, names: Sequence[str], several: bool) -> None:
        super().__init__(names)
        self.names = tuple(names)
        self.several = several


def resolve_name_index(wanted: str, names: Sequence[str]) -> int:
    """Return the index of the name that is meant. Raises UnclearName."""
    known, key = [normalize_spelling(clean_line(name)) for name in names], normalize_spelling(clean_line(wanted))
    same = [n for n, name in enumerate(names) if name.casefold() == " ".join(wanted.casefold().split())]
    found = same or [n for n, name in enumerate(known) if name == key]
    if not found and len(key) >= SHORTEST:
        found = [n for n, name in enumerate(known) if name.startswith(key)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnclearName([names[n] for n in found], several=True)
    close = difflib.get_close_matches(key, dict.fromkeys(known), n=CLOSE)
    raise UnclearName(
        [name for one in close for name, kept in zip(names, known, strict=True) if kept == one], several=False
    )


def list_named_alike(wanted: str, things: Sequence[Named]) -> list[Named]:
    """List the things that are called so, or begin so where none is, as ``resolve_name_index`` takes names."""
    names = [one.name for one in things]
    try:
        return [things[resolve_name_index(wanted, names)]]
    except UnclearName as error:
        return [one for one in things if error.several and one.name in error.names]


def get_play_style(config: Config, player: PlayerRow) -> Plays:
    """Return how the player's next move will be made."""
    if not player.robot:
        return ""
    return "program" if player.name in config.bots else player.level.value


def resolve_player(session: Session, wanted: str) -> PlayerRow:
    """Return the player or robot that is meant; an address will do, too. Raises UnclearName."""
    found = players.find_player_by_name(session, wanted)
    if found is not None:
        return found
    there = players.list_players_at_addresses(session, [wanted.lower()])
    if len(there) > 1:
        raise UnclearName([player.name for player in there], several=True)
    if there:
        return there[0]
    everybody = players.list_all_players(session)
    return everybody[resolve_name_index(wanted, [player.name for player in everybody])]


# ---- A referee who plays: a player and a referee of one address or one name are one person, who learns nothing as
# the referee of what the player plays in. That is worked out when it is asked, so it must outlast a new address and
# name.


def is_same_person(player: PlayerRow, address: str, name_key: str) -> bool:
    """Return whether the player has this address, or this name ("" = nobody's)."""
    return player.address == address or player.name_key == name_key


def find_moving_referee(session: Session, player: PlayerRow, address: str) -> Referee | None:
    """Find the referee who moves to a new address with the player. Raises OperatorError where another referee has
    it."""
    found = players.find_referee_by_address(session, player.address) if player.address else None
    taken = players.find_referee_by_address(session, address)
    if found is not None and taken is not None and taken.id != found.id:
        raise OperatorError(f"{address} belongs to the referee {taken.name} already.", "One address is one referee.")
    return found


def find_renamed_referee(session: Session, player: PlayerRow, name: str) -> Referee | None:
    """Find the referee who is renamed with the player. Raises OperatorError where another referee is called so."""
    found, taken = (
        players.find_referee_by_name(session, player.name_key),
        players.find_referee_by_name(session, name.casefold()),
    )
    if found is not None and taken is not None and taken.id != found.id:
        raise OperatorError(f"There is a referee {name!r} already.", "Choose another name.")
    return found


def check_still_same_person(session: Session, referee: Referee, address: str, name_key: str) -> None:
    """Check that a new address or name keeps the referee and the player one person who are so now. Raises
    OperatorError."""
    for player in players.list_all_players(session):
        if is_same_person(player, referee.address, referee.name_key) and not is_same_person(player, address, name_key):
            raise OperatorError(
                f"{referee.name} plays as {player.name} ({player.address}), and would be another person.",
                "Change the player by `moderator player set`: the referee is changed with it.",
            )


# ---- Who follows a match without a seat in it.


def stop_watching(session: Session, match: MatchRow, player: PlayerRow) -> None:
    """Delete the player's row as a watcher: nobody follows a match that they play in."""
    row = players.find_watcher(session, match.number, player.number)
    if row is not None:
        session.delete(row)


def announce_watchers(session: Session, following: Sequence[tuple[WatcherRow, PlayerRow]]) -> tuple[Note, ...]:
    """Build the note for the next report that names the watchers whom the players have not read of yet, and mark these
    as read."""
    new = [(row, player) for row, player in following if not row.told]
    for row, _ in new:
        row.told = True
        session.add(row)
    return (Note("watched-by", {"names": [player.name for _, player in new]}),) if new else ()


# ---- Who is in charge of a match: its referee, the deputy, or the chief, which is the club's moderator.
#
# ``MatchCharge`` alone says so, and whether somebody may look at a match and command there. A match without a referee
# of its own has that of its tournament, and without one there the chief. While the referee is on leave, or plays in the
# match, it is the deputy, and then the chief. Whoever plays in a match knows nothing of it as its referee; the chief
# neither, if there is somebody else.


def get_chief(config: Config) -> StaffMember:
    club = config.club
    return StaffMember(club.name, club.moderator, club.language)


def build_staff_member(referee: Referee) -> StaffMember:
    return StaffMember(referee.name, referee.address, referee.language, referee.number)


def get_commander(work: UnitOfWork) -> StaffMember:
    """Return whoever commands by the mail at hand; at the machine the chief."""
    return work.official or get_chief(work.config)


def get_staff_token(session: Session, who: StaffMember) -> str:
    """Return the secret part of the address that takes their commands."""
    return ensure_moderator_token(session) if who.number is None else session.get_one(Referee, who.number).token


def find_named_referees(session: Session, match: MatchRow) -> tuple[Referee | None, Referee | None]:
    """Find referee and deputy, as they were named for the match or for its tournament."""
    tournament = session.get(Tournament, match.tournament_id) if match.tournament_id else None
    referee = match.referee_id or (tournament.referee_id if tournament else None)
    deputy = match.deputy_id or (tournament.deputy_id if tournament else None)
    find = session.get
    return (find(Referee, referee) if referee else None), (find(Referee, deputy) if deputy else None)


@dataclass(frozen=True)
class MatchCharge:
    """The charge of a match: who has it, and who may look at the match."""

    work: UnitOfWork
    match: MatchRow

    def find_staff(self) -> StaffMember:
        """Find the one to whom all goes that waits for a decision in this match."""
        referee, deputy = find_named_referees(self.work.session, self.match)
        boss = get_chief(self.work.config)
        if referee is None and deputy is None:
            return boss
        order = (build_staff_member(referee) if referee else boss, build_staff_member(deputy) if deputy else boss, boss)
        fit = [who for who in order if not self.has_seat(who)]
        present = [who for who in fit if not self._is_on_leave(who)]
        return next(iter((*present, *fit)), boss)

    def _is_on_leave(self, who: StaffMember) -> bool:
        row = self.work.session.get(Referee, who.number) if who.number else None
        if row is None or row.away_from is None or row.away_until is None:
            return False
        return row.away_from <= self.work.today <= row.away_until

    def has_seat(self, who: StaffMember) -> bool:
        """Return whether they have a seat there: by their address, a referee also by the name."""
        return any(is_staff_player(who, player) for player in self.work.list_players(self.match))

    def may_command(self, who: StaffMember) -> bool:
        """Return whether they may look at this match and command there."""
        found = self.find_staff()
        return found == who or (who.is_chief and not self.has_seat(who))

    def may_commander_act(self) -> bool:
        """Return whether the commander may look at this match and command there; at the machine, where the database
        lies, everything is open."""
        return self.work.official is None or self.may_command(self.work.official)

    def check_may_command(self) -> None:
        """Check that the commander may command in this match. Raises Impossible("charge-…"), which says who is in
        charge."""
        if self.may_commander_act():
            return
        found, playing = self.find_staff(), self.has_seat(get_commander(self.work))
        code = f"charge-{'plays' if playing else 'other'}{'-chief' if found.is_chief else ''}"
        raise Impossible(code, match=self.match.code, name=found.name)


def is_staff_player(who: StaffMember, player: PlayerRow) -> bool:
    """Return whether the staff member and the player are one person."""
    return is_same_person(player, who.address.lower(), "" if who.is_chief else who.name.casefold())
