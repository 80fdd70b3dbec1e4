"""How often one order by mail asks the database: statements and transactions of a tick, each with who asks.

Counted by SQLite itself, whoever asks: what a transaction begins and ends with is no statement. A transaction waits for
the disk when it is committed; a mark (``Store.marks``) is a single statement that does not. That a mail is leased, and
that it is sent, are marks of their own for each mail, so that nothing is sent twice.
"""

from __future__ import annotations

import sqlite3
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.target import at_most
from tests.club.club import Club, make_club, plain_boards

STATEMENTS, TRANSACTIONS, MARKS = 25, 2, 6
"""What is reached: a test holds it. What is left answers something each, or guards the borders between taking in,
handling, sending and filing away, where a run may die."""
WANTED = 25
"""Statements; transactions: 3."""
_HOUSE = str(Path(__file__).parent.parent / "moderator")
_BEGIN, _END = ("BEGIN",), ("COMMIT", "ROLLBACK")
_LAZY = "PRAGMA synchronous=NORMAL"
_READS = ("SELECT", "PRAGMA", "WITH")


@dataclass
class Asked:
    """What was asked, in order."""

    statements: list[tuple[str, str]] = field(default_factory=list)
    """(who, SQL)."""
    transactions: list[str] = field(default_factory=list)
    """Who began each."""
    marks: list[str] = field(default_factory=list)
    """Who wrote each."""

    def note(self, within: bool, lazy: bool, sql: str) -> None:
        words = " ".join(sql.split())
        if words.startswith(_BEGIN):
            self.transactions.append(_caller())
        elif not words.startswith((*_END, "PRAGMA", "SAVEPOINT", "RELEASE")):
            self.statements.append((_caller(), words))
            if not within and not words.startswith(_READS):
                (self.marks if lazy else self.transactions).append(_caller())


def _caller() -> str:
    """The last two functions of ours, but for those of the store."""
    ours = [frame for frame in traceback.extract_stack() if frame.filename.startswith(_HOUSE)]
    told = [f"{Path(frame.filename).relative_to(_HOUSE)}:{frame.lineno} {frame.name}" for frame in ours]
    return " < ".join(reversed(told[-3:]))


@contextmanager
def counted() -> Iterator[Asked]:
    """Everything that this process asks of SQLite meanwhile."""
    asked = Asked()
    connect = sqlite3.connect

    def traced(*args: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **more)
        lazy = False

        def note(sql: str) -> None:
            nonlocal lazy
            lazy = lazy or sql == _LAZY
            asked.note(connection.in_transaction, lazy, sql)

        connection.set_trace_callback(note)
        return connection

    modules = (sqlite3, sqlite3.dbapi2)
    for module in modules:
        module.connect = traced  # type: ignore[assignment, attr-defined]
    try:
        yield asked
    finally:
        for module in modules:
            module.connect = connect  # type: ignore[attr-defined]


def one_order(club: Club) -> Asked:
    """A tick with one order in a match of two, boards as text; the club has played before, eleven minutes ago. (Within
    ten minutes of another mail in the match one more statement looks whether this one is a copy of that.)"""
    club.players("Anna", "Bert")
    plain_boards(club)
    code = club.match("Anna", "Bert")
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, club.moves(code, seat)[0])
        club.tick()
    club.wait(minutes=11)
    club.order("Anna", code, 0, club.moves(code, 0)[0])
    with counted() as asked:
        club.tick()
    return asked


def run() -> None:
    with tempfile.TemporaryDirectory() as name:
        asked = one_order(make_club(Path(name) / "club"))
    for who, sql in asked.statements:
        print(f"    {sql[:70]:<70}  {who}")
    for what, callers in (("transaction", asked.transactions), ("mark", asked.marks)):
        for who in callers:
            print(f"    {what:<11}  {who}")
    at_most("statements", len(asked.statements), WANTED)
    at_most("transactions", len(asked.transactions), 3)
    print(f"  marks: {len(asked.marks)}")


if __name__ == "__main__":
    run()
