"""The 80 tiles in the box: their colours and values, how they are dealt, who holds the letter nearest to Z."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from moderator.common.errors import OperatorError, RecordError
from moderator.rules.game import Shuffle
from moderator.rules.position import read_fixed_deal

Colour = Literal["red", "black"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
VOWELS = frozenset("AEIOUY")
"""These are the red tiles."""
STAR = "*"
STARS = str.maketrans(dict.fromkeys("★☆⭐✱✳⋆∗", STAR))
"""What players write for one, for ``str.translate``."""
JOLLIES: dict[Colour, str] = {"red": "*r", "black": "*b"}
"""A red jolly stands for a vowel only, a black one for a consonant. Lying on the table it is ``*A``."""


def _parse_counts(text: str) -> dict[str, int]:
    return {item[0]: int(item[1:]) for item in text.split()}


COUNTS = _parse_counts("A7 B2 C2 D3 E9 F3 G2 H3 I4 J1 K2 L4 M3 N6 O4 P2 Q1 R4 S4 T3 U4 V1 W1 X1 Y1 Z1")
VALUES = _parse_counts("A1 B4 C4 D3 E1 F3 G4 H3 I1 J6 K4 L2 M3 N2 O1 P4 Q9 R2 S2 T3 U1 V6 W6 X9 Y9 Z6")
"""Of Point-Typ-Dom; a jolly on the table is worth nothing."""
RED = (*(letter for letter in LETTERS for _ in range(COUNTS[letter]) if letter in VOWELS), JOLLIES["red"])
BLACK = (*(letter for letter in LETTERS for _ in range(COUNTS[letter]) if letter not in VOWELS), JOLLIES["black"])
"""All tiles of a colour in the order in which they are shuffled: A to Z, the jolly last."""

REST: dict[Colour, int] = {"black": 1, "red": 3}
REST_JOLLY = 10


def colour(tile: str) -> Colour:
    """Return the colour of a tile in a rack (``E``, ``*r``) or on the table (``*E``)."""
    if tile in JOLLIES.values():
        return "red" if tile == JOLLIES["red"] else "black"
    return "red" if tile[-1] in VOWELS else "black"


def find_typdom_tile(text: str) -> str | None:
    """Return the tile in a rack that somebody writes so; None for none."""
    tile = text.translate(STARS).lower() if text[:1].translate(STARS) == STAR else text.upper()
    return tile if tile in JOLLIES.values() or (len(tile) == 1 and tile in LETTERS) else None


def to_rack_tile(tile: str) -> str:
    """Return the tile of the table as it stands in a rack: ``*E`` is ``*r``."""
    return JOLLIES[colour(tile)] if tile.startswith(STAR) else tile


def sum_rest_points(tiles: Iterable[str]) -> int:
    """Return the points that tiles left in hand cost in Kreuzwort-Spiel and Wer behält recht?: black 1, red 3, a jolly
    10."""
    return sum(REST_JOLLY if tile.startswith(STAR) else REST[colour(tile)] for tile in tiles)


def count_colours(tiles: Iterable[str]) -> dict[Colour, int]:
    """Return how many tiles there are of each colour."""
    found: dict[Colour, int] = {"red": 0, "black": 0}
    for tile in tiles:
        found[colour(tile)] += 1
    return found


def get_seat_nearest_to_z(hands: Sequence[Sequence[str]]) -> int:
    """Return the seat with the letter nearest to Z; jollies do not count. Equal: the next letter, then the seat
    order."""

    def sort_letters(seat: int) -> list[str]:
        return sorted((tile for tile in hands[seat] if not tile.startswith(STAR)), reverse=True)

    return max(range(len(hands)), key=lambda seat: (sort_letters(seat), -seat))


Deal = tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]
"""(hands in seat order, stock)."""


def deal_typdom_hands(
    number: int, seats: int, red: int, black: int, shuffle: Shuffle, lying: Iterable[str] = ()
) -> Deal:
    """Return deal number ``number``, from 1: ``red`` and ``black`` tiles to each seat, red ones first in the hand.
    ``lying``: tiles that are on the table already.

    Labels ``round1/red`` and ``round1/black``; seat 0 gets the first tiles of each, and so on. The stock is the rest,
    red before black. Raises OperatorError if the tiles do not suffice."""
    gone = Counter(lying)
    box = {name: tuple((Counter(tiles) - gone).elements()) for name, tiles in (("red", RED), ("black", BLACK))}
    for name, each in (("red", red), ("black", black)):
        there = len(box[name])
        if seats * each > there:
            raise OperatorError(
                f"{name}={each} with {seats} seats needs {seats * each} of {there} {name} tiles;"
                f" at most {there // seats}.",
                "Take less, or fewer seats.",
            )
    reds, blacks = (shuffle(f"round{number}/{name}", tiles) for name, tiles in box.items())
    hands = tuple(
        (*reds[seat * red : (seat + 1) * red], *blacks[seat * black : (seat + 1) * black]) for seat in range(seats)
    )
    return hands, (*reds[seats * red :], *blacks[seats * black :])


def remove_tiles_from_rack(hand: Sequence[str], tiles: Iterable[str]) -> tuple[str, ...]:
    """Return ``hand`` without ``tiles`` as they stand in a rack, order unchanged. Raises ValueError if one is
    missing."""
    left = list(hand)
    for tile in tiles:
        left.remove(tile)
    return tuple(left)


def draw_by_colour(stock: tuple[str, ...], wanted: Sequence[Colour]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (drawn tiles, stock after that): for each colour its next tile, or the other colour's where none is
    left."""
    left, drawn = list(stock), []
    for name in wanted:
        found = next((tile for tile in left if colour(tile) == name), left[0] if left else None)
        if found is not None:
            left.remove(found)
            drawn.append(found)
    return tuple(drawn), tuple(left)


def deal_first_hands(
    fixed: Mapping[str, Any],
    seats: int,
    hand: tuple[int, int],
    shuffle: Shuffle,
    lying: Iterable[str] = (),
    least: int = 1,
) -> Deal:
    """Return the hands and the stock that a record fixes, or else the first deal of ``hand`` (red, black) tiles each.

    ``least``: tiles that each seat needs. Raises RecordError, OperatorError."""
    hands, stock = read_fixed_deal(fixed, seats, find_typdom_tile)
    if hands is not None:
        if min(map(len, hands)) < least:
            raise RecordError("A rack of racks is too small.", f"Tiles that each seat needs: {least} or more.")
        return hands, stock or ()
    if stock is not None:
        raise RecordError("A stock without racks cannot be dealt.", "Give racks as well, or neither.")
    return deal_typdom_hands(1, seats, *hand, shuffle, lying)
