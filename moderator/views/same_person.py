"""A referee who plays: a player and a referee of one address or one name are one person, who learns nothing as the
referee of what the player plays in. That is worked out when it is asked, so it must outlast a new address and name.

A player's change takes the referee along; a referee's change that would part the two is refused."""

from __future__ import annotations

from moderator.common.errors import OperatorError
from moderator.store import players, referees
from moderator.store.database import Session
from moderator.store.tables import PlayerRow, Referee


def is_same_person(player: PlayerRow, address: str, name_key: str) -> bool:
    """Return whether the player has this address, or this name ("" = nobody's)."""
    return player.address == address or player.name_key == name_key


def find_moving_referee(session: Session, player: PlayerRow, address: str) -> Referee | None:
    """Find the referee who moves to a new address with the player. Raises OperatorError where another referee has
    it."""
    found = referees.find_referee_by_address(session, player.address) if player.address else None
    taken = referees.find_referee_by_address(session, address)
    if found is not None and taken is not None and taken.id != found.id:
        raise OperatorError(f"{address} belongs to the referee {taken.name} already.", "One address is one referee.")
    return found


def find_renamed_referee(session: Session, player: PlayerRow, name: str) -> Referee | None:
    """Find the referee who is renamed with the player. Raises OperatorError where another referee is called so."""
    found, taken = (
        referees.find_referee_by_name(session, player.name_key),
        referees.find_referee_by_name(session, name.casefold()),
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
