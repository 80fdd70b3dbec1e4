"""What a long bench has played so far: a line of JSON each, so that it goes on where it was stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
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

    def upto(self, game: str, known: list[T], count: int, make: Callable[[int], T], digest: str, what: str) -> list[T]:
        """Of ``known``, which are kept, those that are still true, and new ones, until there are numbers 0 to
        ``count``. True are all if the first, made again, has the same ``digest`` (a field); else they are set aside,
        and a line says of ``what``."""
        first: Any = known[0] if known and count else None
        if first is not None and getattr(make(first.number), digest) != getattr(first, digest):
            print(f"{what}: something else comes out than in the {len(known)} that are kept")
            self.set_aside(game, known)
            known = []
        there = {one.number for one in known}  # type: ignore[attr-defined]
        for number in range(count):
            if number not in there:
                self.keep(game, [found := make(number)])
                known.append(found)
        return known

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
