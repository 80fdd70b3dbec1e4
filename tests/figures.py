"""Figures that a test run makes, and their table in docs/reliability.md.

A test counts with ``figure``; a run with MODERATOR_FIGURES=FILE keeps the counts. ``python -m tests.figures FILE``
writes the table anew, ``python -m tests.figures --check FILE`` fails where the table claims more than that run did.
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).parent.parent / "docs" / "reliability.md"
ROWS = Path(__file__).with_suffix(".toml")
VARIABLE = "MODERATOR_FIGURES"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


def figure(name: str, value: int = 1) -> None:
    """Add to a figure of this run. Safe with several processes: a short line is appended in one piece."""
    if file := os.environ.get(VARIABLE):
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, f"{name} {value}\n".encode())
        finally:
            os.close(handle)


class Unfit(Exception):
    """A name without a row, or a document without a table."""


@dataclass(frozen=True)
class Row:
    """What a name stands for."""

    sentence: str
    most: bool
    """Less is better."""

    def shown(self, claimed: int) -> str:
        """A line of the table."""
        return f"| {self.sentence} | {'at most' if self.most else 'at least'} {claimed:,} |"

    def claim(self, value: int) -> int:
        """What may be said after a run that came to ``value``. Runs differ by a few per cent, so it is a round number
        on the safe side: two digits, or below a hundred a multiple of five."""
        value += value // 10 if self.most else -(value // 20)
        unit = 5 if value < 100 else 10 ** (len(str(value)) - 2)
        if self.most:
            return -(-value // unit) * unit
        return value // unit * unit if value >= unit else value

    def kept(self, claimed: int, found: int) -> bool:
        return found <= claimed if self.most else found >= claimed


def known(file: Path = ROWS) -> dict[str, Row]:
    """The rows by name, in their order."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        name: Row(sentence, kind == "at-most")
        for kind in ("at-least", "at-most")
        for name, sentence in tables.get(kind, {}).items()
    }


def read(file: Path) -> Counter[str]:
    """The sums of a run."""
    sums: Counter[str] = Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        name, value = line.split()
        sums[name] += int(value)
    return sums


def table(sums: Mapping[str, int], rows: Mapping[str, Row], before: Mapping[str, int]) -> str:
    """The table after a run; what that did not count stays as it was ``before``. Raises Unfit."""
    if unknown := sorted(sums.keys() - rows.keys()):
        raise Unfit(f"has no row in {ROWS.name}: {', '.join(unknown)}")
    claimed = {**before, **{name: rows[name].claim(value) for name, value in sums.items()}}
    if missing := sorted(rows.keys() - claimed.keys()):
        raise Unfit(f"not counted: {', '.join(missing)}")
    return "\n".join(["| what | figure |", "|---|---|", *(row.shown(claimed[name]) for name, row in rows.items())])


def parted(text: str) -> tuple[str, str, str]:
    """What stands before, between and after the markers. Raises Unfit."""
    before, begun, rest = text.partition(BEGIN)
    middle, ended, after = rest.partition(END)
    if not begun or not ended:
        raise Unfit(f"there is no {BEGIN} … {END} in {DOCUMENT.name}")
    return before + BEGIN, middle, END + after


def claims(text: str, rows: Mapping[str, Row]) -> dict[str, int]:
    """What the document says, by name. Raises Unfit for a row that nobody counts."""
    names = {row.sentence: name for name, row in rows.items()}
    found: dict[str, int] = {}
    for line in parted(text)[1].split("\n"):
        if not line.startswith("| ") or line == "| what | figure |":
            continue
        sentence, value = (cell.strip() for cell in line.strip("|").rsplit("|", 1))
        if sentence not in names:
            raise Unfit(f"nobody counts this: {sentence}")
        found[names[sentence]] = int(value.split()[-1].replace(",", ""))
    return found


def complaints(text: str, sums: Mapping[str, int], rows: Mapping[str, Row]) -> list[str]:
    """What the document should not say after this run, or should. Raises Unfit."""
    claimed = claims(text, rows)
    found = [f"{name}: has no row in {ROWS.name}" for name in sorted(sums.keys() - rows.keys())]
    for name, row in rows.items():
        if name not in claimed:
            found.append(f"{name}: not in {DOCUMENT.name}")
        elif name not in sums:
            found.append(f"{name}: the tests did not count it")
        elif not row.kept(claimed[name], sums[name]):
            found.append(f"{name}: {DOCUMENT.name} says {claimed[name]}, the tests did {sums[name]}")
    return found


def main(words: Sequence[str]) -> int:
    check = "--check" in words
    (file,) = (word for word in words if word != "--check")
    sums, rows, text = read(Path(file)), known(), DOCUMENT.read_text(encoding="utf-8")
    try:
        if check:
            lines = complaints(text, sums, rows)
        else:
            before, _, after = parted(text)
            made = table(sums, rows, claims(text, rows))
            DOCUMENT.write_text(f"{before}\n{made}\n{after}", encoding="utf-8")
            lines = []
    except Unfit as error:
        lines = [str(error)]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
