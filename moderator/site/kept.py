"""Values that cost a look at a whole match, kept beside the pages from one run to the next.

The file holds nothing that is not on some page. Without it everything is worked out anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from moderator import __version__

NAME = ".moderator-site-values.json"
BOARDS = ".moderator-site-boards.json"
"""Apart, because boards are large and only the round letter needs them."""


class Kept:
    """Values of matches by kind and primary key, each with the key that it was made for."""

    def __init__(self, folder: Path | None, name: str = NAME) -> None:
        self._file = folder / name if folder else None
        self._changed = False

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        if self._file is None or not self._file.is_file():
            return {}
        try:
            read = json.loads(self._file.read_text(encoding="utf-8"))
            return dict(read["values"]) if read["version"] == __version__ else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}  # damaged: everything is worked out anew

    def value(self, kind: str, match: int, key: str, make: Callable[[], Any]) -> Any:
        """The plain value for ``key``; made if there is none or it was made for another key."""
        if not self.has(kind, match, key):
            self.put(kind, match, key, make())
        return self.get(kind, match, key)

    def has(self, kind: str, match: int, key: str) -> bool:
        known = self._values.get(f"{kind}/{match}")
        return known is not None and known[0] == key

    def get(self, kind: str, match: int, key: str) -> Any:
        """None if there is none."""
        return self._values[f"{kind}/{match}"][1] if self.has(kind, match, key) else None

    def put(self, kind: str, match: int, key: str, value: Any) -> None:
        self._values[f"{kind}/{match}"] = [key, value]
        self._changed = True

    def save(self, matches: Collection[int]) -> None:
        """Write down what was made; of matches that are gone nothing is kept."""
        if self._file is None or not self._changed:
            return
        values = {name: one for name, one in self._values.items() if int(name.rpartition("/")[2]) in matches}
        new = self._file.with_name(f"{self._file.name}.new")
        with suppress(OSError):  # next time everything is worked out anew
            new.write_text(json.dumps({"version": __version__, "values": values}), encoding="utf-8")
            new.replace(self._file)
            self._changed = False
