"""What all files of a folder that is moved in have in common: how they are read, and whom they name."""

from __future__ import annotations

import difflib
from pathlib import Path

from moderator import disk
from moderator.errors import OperatorError
from moderator.people.vcards import decoded
from moderator.store import players
from moderator.store.db import Session
from moderator.store.models import Player


def text_of(path: Path) -> str:
    """Raises OperatorError for a file that cannot be read."""
    try:
        return decoded(path.read_bytes(), path.name)
    except OSError as error:
        what, fix = disk.described(error, "read", path.name, "Check the file's permissions.")
        raise OperatorError(f"{path.name}:1: {what}", fix) from error


class People:
    """Who is called how: of the players here and, once they are entered, of those in the folder. Each name is asked
    for once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, Player | None] = {}

    def called(self, name: str) -> Player | None:
        """By name or address, in capitals or not; None = nobody."""
        if name not in self._known:
            there = players.at_addresses(self._session, [name.lower()])
            alone = there[0] if len(there) == 1 else None
            self._known[name] = players.by_name(self._session, name) or alone
        return self._known[name]

    def nobody(self, name: object) -> str:
        """What is said of a name that nobody has."""
        close = difflib.get_close_matches(str(name), players.names(self._session), n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return f"nobody is called {name!r}, here or in the folder.{hint}"
