"""A referee who plays: a player and a referee of one address or one name are one person, who learns nothing as the
referee of what the player plays in. That is worked out when it is asked, so it must outlast a new address and name.

A player's change takes the referee along; a referee's change that would part the two is refused."""

from __future__ import annotations

from moderator.errors import OperatorError
from moderator.store import players, referees
from moderator.store.db import Session
from moderator.store.models import Player, Referee


def same(player: Player, address: str, name_key: str) -> bool:
    """Whether the player is who has this address, or this name ("" = nobody's)."""
    return player.address == address or player.name_key == name_key


def moving(session: Session, player: Player, address: str) -> Referee | None:
    """The referee who moves to a new address with the player. Raises OperatorError where another referee has it."""
    found = referees.by_address(session, player.address) if player.address else None
    taken = referees.by_address(session, address)
    if found is not None and taken is not None and taken.id != found.id:
        raise OperatorError(f"{address} belongs to the referee {taken.name} already.", "One address is one referee.")
    return found


def renaming(session: Session, player: Player, name: str) -> Referee | None:
    """The referee who is called otherwise with the player. Raises OperatorError where another referee is called so."""
    found, taken = referees.by_name(session, player.name_key), referees.by_name(session, name.casefold())
    if found is not None and taken is not None and taken.id != found.id:
        raise OperatorError(f"There is a referee {name!r} already.", "Choose another name.")
    return found


def check_stays(session: Session, referee: Referee, address: str, name_key: str) -> None:
    """Raises OperatorError where a new address or name would part a referee from the player who is the same person."""
    for player in players.every(session):
        if same(player, referee.address, referee.name_key) and not same(player, address, name_key):
            raise OperatorError(
                f"{referee.name} plays as {player.name} ({player.address}), and would be another person.",
                "Change the player by `moderator player set`: the referee is changed with it.",
            )
