"""Whose name is it that somebody has written? Read in one way everywhere: in players' mails, in the moderator's and on
the command line.

First whoever is called just so (capitals or not, ``Joerg`` for Jörg), else the only one whose name begins so; nobody
is guessed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal

from moderator.common.errors import OperatorError
from moderator.common.message_files import normalize_spelling
from moderator.common.text import clean_line
from moderator.settings import Config
from moderator.store import players, referees
from moderator.store.database import Session
from moderator.store.tables import PlayerRow, Referee

Plays = Literal["", "beginner", "club", "strong", "program"]
"""How a robot plays: its level, or a program of somebody else's plays for it; "" = a person. Sentence ``plays-…``."""
SHORTEST = 3
"""Letters of a beginning."""
CLOSE = 3
"""So many similar names are offered."""


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
