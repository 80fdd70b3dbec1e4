"""Whose name is it that somebody has written? Read in one way everywhere: in players' mails, in the moderator's and on
the command line.

First whoever is called just so (capitals or not, ``Joerg`` for Jörg), else the only one whose name begins so; nobody
is guessed."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal

from moderator.config import Config
from moderator.printable import clean
from moderator.store import players
from moderator.store.db import Session
from moderator.store.models import Player
from moderator.texts import plain

Plays = Literal["", "beginner", "club", "strong", "program"]
"""How a robot plays: its level, or a program of somebody else's plays for it; "" = a person. Sentence ``plays-…``."""
SHORTEST = 3
"""Letters of a beginning."""
CLOSE = 3
"""So many similar names are offered."""


class Unclear(Exception):
    """Nobody is called so, or ``several``. ``names``: who may be meant."""

    def __init__(self, names: Sequence[str], several: bool) -> None:
        super().__init__(names)
        self.names = tuple(names)
        self.several = several


def one_of(wanted: str, names: Sequence[str]) -> int:
    """Which of the names is meant. Raises Unclear."""
    known, key = [plain(clean(name)) for name in names], plain(clean(wanted))
    same = [n for n, name in enumerate(names) if name.casefold() == " ".join(wanted.casefold().split())]
    found = same or [n for n, name in enumerate(known) if name == key]
    if not found and len(key) >= SHORTEST:
        found = [n for n, name in enumerate(known) if name.startswith(key)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Unclear([names[n] for n in found], several=True)
    close = difflib.get_close_matches(key, dict.fromkeys(known), n=CLOSE)
    raise Unclear(
        [name for one in close for name, kept in zip(names, known, strict=True) if kept == one], several=False
    )


def plays_as(config: Config, player: Player) -> Plays:
    """How the player's next move will be made."""
    if not player.robot:
        return ""
    return "program" if player.name in config.bots else player.level.value


def player_called(session: Session, wanted: str) -> Player:
    """Of all players and robots; an address will do, too. Raises Unclear."""
    found = players.by_name(session, wanted)
    if found is not None:
        return found
    there = players.at_addresses(session, [wanted.lower()])
    if len(there) > 1:
        raise Unclear([player.name for player in there], several=True)
    if there:
        return there[0]
    everybody = players.every(session)
    return everybody[one_of(wanted, [player.name for player in everybody])]
