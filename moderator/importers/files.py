"""What all files of a folder that is moved in have in common: how they are read, and whom they name."""

from __future__ import annotations

import difflib
from pathlib import Path

from moderator.common import disk
from moderator.common.errors import OperatorError
from moderator.importers.vcards import decode_address_book
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import PlayerRow


def read_text_file(path: Path) -> str:
    """Read a file as text. Raises OperatorError for a file that cannot be read."""
    try:
        return decode_address_book(path.read_bytes(), path.name)
    except OSError as error:
        what, fix = disk.describe_os_error(error, "read", path.name, "Check the file's permissions.")
        raise OperatorError(f"{path.name}:1: {what}", fix) from error


class PlayerDirectory:
    """The players here and, once they are entered, those in the folder, by what they are called. Each name is looked up
    once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, PlayerRow | None] = {}

    def find_player(self, name: str) -> PlayerRow | None:
        """Find a player by name or address, whatever its case; None = there is none."""
        if name not in self._known:
            there = players.list_players_at_addresses(self._session, [name.lower()])
            alone = there[0] if len(there) == 1 else None
            self._known[name] = players.find_player_by_name(self._session, name) or alone
        return self._known[name]

    def describe_unknown(self, name: object) -> str:
        """Describe what is wrong with a name that no player has."""
        close = difflib.get_close_matches(str(name), players.list_player_names(self._session), n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return f"nobody is called {name!r}, here or in the folder.{hint}"
