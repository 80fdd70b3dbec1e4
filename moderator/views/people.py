"""Whose name is it that somebody has written? Read in one way everywhere: in players' mails, in the moderator's and on
the command line.

First whoever is called just so (capitals or not, ``Joerg`` for Jörg), else the only one whose name begins so; nobody
is guessed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal

from moderator.common.message_files import normalize_spelling
from moderator.common.printable import clean_line
from moderator.settings import Config
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import PlayerRow

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
