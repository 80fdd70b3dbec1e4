"""The table of a tournament, each result with the match that it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from moderator.tournament.crosstable import OWN, Crosstable, TableLine
from moderator.tournament.field import Game, Tournament
from moderator.tournament.standings import counted

Codes = Mapping[tuple[int, int], str]
"""Codes of matches by round and board."""
KINDS = {"1": "won", "+": "won", "=": "drawn", "0": "lost", "-": "lost", ".": "open", "f": "won", "h": "drawn"}


@dataclass(frozen=True)
class Piece:
    """One result in a cell."""

    text: str
    """As mails print it: ``1``, ``7/=``."""
    match: str = ""
    """Code; "" = there is none to look at."""
    kind: str = ""
    """won | drawn | lost | open | own | ""."""
    against: tuple[int, ...] = ()
    """Numbers of the others."""


@dataclass(frozen=True)
class Line:
    """A row of the table."""

    line: TableLine
    cells: tuple[tuple[Piece, ...], ...]
    mark: str = ""
    """up | down in a league; "" for who stays."""


def rows(t: Tournament, table: Crosstable, codes: Codes, up: int = 0, down: int = 0) -> tuple[Line, ...]:
    """The lines of ``table`` with their cells in pieces."""
    games = t.with_games(counted(t).games).games
    last = len(table.lines) - down
    return tuple(
        Line(
            line,
            tuple(tuple(_cell(table, line, at, games, codes)) for at in range(len(table.heads))),
            "up" if number < up else "down" if number >= last else "",
        )
        for number, line in enumerate(table.lines)
    )


def _cell(table: Crosstable, line: TableLine, at: int, games: Sequence[Game], codes: Codes) -> Iterator[Piece]:
    text, head = line.cells[at], table.heads[at]
    if text == OWN:
        yield Piece(OWN, kind="own")
        return
    if table.kind == "cross":
        own = [game for game in games if {line.number, head} <= set(game.seats)]
        parts = list(text)
    else:
        own = [game for game in games if line.number in game.seats and game.round == head]
        parts = text.split()
    for part, game in zip(parts, own, strict=True):
        others = tuple(number for number in game.seats if number != line.number)
        yield Piece(part, codes.get((game.round, game.table), ""), _kind(part, table), others)


def _kind(text: str, table: Crosstable) -> str:
    if table.kind == "tables" and text[0].isdigit():
        return "won" if text == "1" else ""
    return KINDS.get(text[-1], "")
