"""The blocks of a tournament report: ``  12 w 1`` = first seat against 12, won. Ten columns a round, from 92."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from moderator.errors import OperatorError
from moderator.states import GameKind
from moderator.tournament.field import HALF, Game, finished, walkover

FIRST: Final = 91
WIDTH: Final = 10
COLOURS: Final = "wb"
BYES: Final = {Fraction(1): "U", HALF: "H", Fraction(0): "Z"}
PAIRS: Final = {"10": (1, 0), "01": (0, 1), "==": (0, 0), "WL": (1, 0), "LW": (0, 1), "DD": (0, 0)}
"""Letters of both, as scores that stand for the result where the points of the game are not known."""


@dataclass(frozen=True)
class Block:
    opponent: int
    """0 = none: a bye or a round without anything."""
    seat: int | None
    result: str
    """One of ``1 0 = W L D + - H F U Z``, or a blank for a running game."""
    line: int


def block_text(game: Game, seat: int) -> str:
    """Ten columns. Raises OperatorError for points that a TRF cannot say."""
    if game.kind == GameKind.BYE:
        points = game.points(game.seats[0])
        if points not in BYES:
            raise OperatorError(f"A TRF has no bye of {points} points.", "Export this tournament as CSV.")
        return f"0000 - {BYES[points]}  " if game.result else " " * WIDTH
    opponent = game.seats[1 - seat]
    return f"{opponent:4} {COLOURS[seat]} {_letter(game, seat)}  "


def _letter(game: Game, seat: int) -> str:
    if game.result is None:
        return " "
    points = game.result.points[seat]
    if game.kind == GameKind.FORFEIT:
        return "-" if seat in game.result.forfeits else "+"
    letters = {Fraction(1): "1", HALF: "=", Fraction(0): "0"}
    if points not in letters:
        raise OperatorError(f"A TRF has no result of {points} points.", "Export this tournament as CSV.")
    return letters[points]


def read_blocks(line: str, number: int, entrant: int) -> dict[tuple[int, int], Block]:
    """The blocks of line ``number`` by (entrant, round)."""
    found = {}
    for start in range(FIRST, len(line.rstrip()), WIDTH):
        round = (start - FIRST) // WIDTH + 1
        block = line[start : start + WIDTH].ljust(WIDTH)
        if block.strip():
            found[entrant, round] = _block(block, number, round)
    return found


def _block(text: str, line: int, round: int) -> Block:
    opponent, colour, result = text[:4].strip(), text[5].lower(), text[7].upper()
    where = f"Line {line}, round {round} (columns {FIRST + 1 + WIDTH * (round - 1)} to {FIRST + WIDTH * round - 2})"
    fine = opponent.isascii() and opponent.isdigit() and colour in "wb- " and not (text[4] + text[6] + text[8:]).strip()
    if not fine:
        raise OperatorError(f"{where}: {text.strip()!r} is no result.", 'Write it like "  12 w 1" or "0000 - U".')
    if result not in ("HFUZ" if int(opponent) == 0 else "10=WLD+- "):
        kind = "a bye: U, F, H or Z" if int(opponent) == 0 else "a game: 1, 0, =, +, -, W, D, L or a blank"
        raise OperatorError(f"{where}: there is no result {result!r} here.", f"Write that of {kind}.")
    return Block(int(opponent), COLOURS.index(colour) if colour in COLOURS else None, result, line)


def result_of(round: int, table: int, number: int, own: Block, other: Block) -> Game:
    """The game that two blocks tell of; ``own`` is that of ``number``. Raises OperatorError where they contradict."""
    if own.seat is not None and own.seat == other.seat:
        raise OperatorError(
            f"Line {own.line}: in round {round} {number} and {own.opponent} both have the colour {COLOURS[own.seat]}.",
            f"Correct this line or line {other.line}.",
        )
    first = own.seat == 0 or (own.seat is None and other.seat != 0)
    game = Game(round, table, (number, own.opponent) if first else (own.opponent, number))
    pair = own.result + other.result if first else other.result + own.result
    if pair == "  ":
        return game
    if pair in ("+-", "-+", "--"):
        return walkover(game, [seat for seat, letter in zip(game.seats, pair, strict=True) if letter == "-"])
    if pair == "00":
        return Game(round, table, game.seats, finished((0, 0), (0, 1)))
    if pair not in PAIRS:
        raise OperatorError(
            f"Line {own.line}: in round {round} {number} has {own.result!r} and {own.opponent} {other.result!r}.",
            f"Correct this line or line {other.line}.",
        )
    return Game(round, table, game.seats, finished(PAIRS[pair]))
