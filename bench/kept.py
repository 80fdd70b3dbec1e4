"""What a long bench has played so far: a line of JSON each, so that it goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

OUT = Path(__file__).parent / "out"
"""Not in the repository."""
T = TypeVar("T")


@dataclass(frozen=True)
class Kept(Generic[T]):
    """Dataclasses of one kind, a file for each game, so that several processes may play, each games of its own."""

    kind: type[T]
    folder: Path

    def all(self, game: str) -> list[T]:
        """In the order in which they were played."""
        file = self._file(game)
        return [self.kind(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []

    def keep(self, game: str, items: Iterable[T], suffix: str = "") -> None:
        """Write them behind the others."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._file(game, suffix).open("a", encoding="utf-8") as file:
            for item in items:
                made: Any = item
                file.write(json.dumps(asdict(made)) + "\n")

    def set_aside(self, game: str, others: list[T]) -> None:
        """Move what is true no more to a file of its own."""
        rest = [one for one in self.all(game) if one not in others]
        self.keep(game, others, ".old")
        self._file(game).unlink()
        self.keep(game, rest)

    def _file(self, game: str, suffix: str = "") -> Path:
        return self.folder / f"{game}{suffix}.jsonl"


def printed(document: Path, name: str) -> str:
    """What stands between the marks of that name in a document."""
    return document.read_text(encoding="utf-8").split(f"<!-- {name} -->\n")[1].split(f"\n<!-- /{name} -->")[0]


def print_into(document: Path, name: str, table: str) -> None:
    """Put it between the marks."""
    text = document.read_text(encoding="utf-8")
    before, after = text.split(f"<!-- {name} -->\n")[0], text.split(f"\n<!-- /{name} -->")[1]
    document.write_text(f"{before}<!-- {name} -->\n{table}\n<!-- /{name} -->{after}", encoding="utf-8")
