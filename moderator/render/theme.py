"""Colours and sizes, one place for SVG, HTML board and mail.

Contrast of ink on every ground is at least 4.5:1; what colour says is always said by a shape or a word, too.
"""

from __future__ import annotations

from typing import Final

CARD: Final = "#FFFFFF"
ACCENT: Final = "#1F6B46"
GROUND: Final = "#F3EFE4"
GRID: Final = "#D8D0BC"
CENTRE: Final = "#D5E4CB"
CENTRE_MARK: Final = "#8FA882"
EDGE: Final = "#A79C84"
INK: Final = "#1B1B1B"
LABEL: Final = "#5F594D"
LAST: Final = "#0B62A8"
"""The last move and nothing else."""
FIELD: Final = "#DCEBF8"
"""Ground of the words that the last move formed."""
VOWEL: Final = "#B3261E"

HEIGHTS: Final = ("#FFFDF6", "#FFF0BF", "#FFDB7D", "#F7B955", "#E89A45")
"""Tile colour of a stack of height 1, 2, …: lighter to darker, seen in greyscale, too."""

GREEN: Final = "#1B6E3C"
BLUE: Final = "#26406F"
YELLOW: Final = "#C98A00"
PURPLE: Final = "#7A3E9D"
BROWN: Final = "#A8501C"
HEART: Final = "#F5C84B"
JOINT: Final = "#8A8271"
MORE: Final = (YELLOW, PURPLE, BROWN, HEART, JOINT)
"""On tiles of Domi Jongg and between them; their red is ``VOWEL``, their white ``HEIGHTS[0]``."""

PLAYERS: Final = (
    ("#0072B2", "●"),
    ("#B34E00", "■"),
    ("#007A5A", "▲"),
    ("#A8447F", "◆"),
    ("#8A6100", "▼"),
    ("#1F7BA8", "★"),
)
"""Colour and shape of seat 1, 2, …: Okabe and Ito's hues, darkened until they can stand as text on white."""


def get_height_colour(height: int) -> str:
    return HEIGHTS[min(max(height, 1), len(HEIGHTS)) - 1]


def get_player_style(number: int) -> tuple[str, str]:
    """Return colour and shape of seat ``number`` (from 1)."""
    return PLAYERS[(number - 1) % len(PLAYERS)]
