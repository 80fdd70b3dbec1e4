"""Neutral drawings. Text lists, SVG and alt text are all made from these (moderator/render/boards), one kind per
family of boards, so that no form can show more than another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from moderator.rules.state import Note

# ---- squares: Topwords, Typ-Dom ----


@dataclass(frozen=True)
class Cell:
    """One occupied square. x, y count from 0 at the top left."""

    x: int
    y: int
    letter: str
    height: int = 1
    fresh: bool = False
    """Laid (or covered) by the last move."""
    shape: Literal["tile", "round", "square"] = "tile"
    joker: bool = False
    value: int | None = None
    """What its letter counts, where that is printed on the tiles."""


@dataclass(frozen=True)
class Grid:
    """A board of squares (Topwords, Typ-Dom)."""

    columns: tuple[str, ...]
    """Names, left to right."""
    rows: tuple[str, ...]
    """Names, top to bottom."""
    cells: tuple[Cell, ...]
    shaded: frozenset[tuple[int, int]] = frozenset()
    """Squares with a tint of their own, e.g. the centre."""
    words: tuple[tuple[int, int, int, int], ...] = ()
    """(x0, y0, x1, y1) of each run that the last move formed, for a dashed frame."""
    row_first: bool = False
    """True where coordinates are written row letter first."""

    def close(self) -> Grid:
        """Return the board as it stays: nothing is drawn for orders alone."""
        return self


# ---- dominoes ----


@dataclass(frozen=True)
class Bone:
    """One lying domino. x, y: its centre in half tiles (a half is 1 × 1), y downwards."""

    x: float
    y: float
    values: tuple[int, int]
    """Left (or upper) half first."""
    upright: bool
    """The halves lie above each other."""
    fresh: bool = False
    spinner: bool = False

    @property
    def name(self) -> str:
        """``64``: the higher half first."""
        return f"{max(self.values)}{min(self.values)}"


@dataclass(frozen=True)
class OpenEnd:
    """A place where a domino may be laid."""

    name: str
    """L, R, N or S."""
    x: float
    y: float
    """Where its label stands, in half tiles; no tile ever lies there while the end is open."""
    value: int
    counts: int
    """What it adds to the sum of the ends."""


@dataclass(frozen=True)
class Layout:
    """The dominoes on the table."""

    bones: tuple[Bone, ...]
    ends: tuple[OpenEnd, ...]
    """Those that are open now, in the order L R N S."""
    arms: tuple[tuple[str, tuple[str, ...]], ...]
    """(name of the arm, its tiles from the first tile or spinner outwards as they lie, ``6-4``)."""
    middle: str = ""
    """The tile that all arms start from; "" on an empty table."""
    total: int = 0
    """Sum of the open ends."""

    def close(self) -> Layout:
        """Return the table as it stays when nobody lays on it any more."""
        return replace(self, ends=(), arms=tuple(arm for arm in self.arms if arm[1]))


# ---- triangles: Tridom, SuperTridom ----


@dataclass(frozen=True)
class Triangle:
    """A triangular cell. It points up iff x + y is even; x counts half tiles to the right, y rows upwards.

    Its corners in the doubled lattice: up (x, y+1) (x+1, y) (x-1, y); down (x, y) (x-1, y+1) (x+1, y+1).
    """

    x: int
    y: int
    place: int
    """Its number, for the whole round."""
    corners: tuple[int | None, int | None, int | None]
    """Clockwise from the tip. None = nothing lies there yet (free cells only)."""
    fresh: bool = False


@dataclass(frozen=True)
class Triangles:
    """The triangles on the table and the free cells beside them."""

    tiles: tuple[Triangle, ...]
    free: tuple[Triangle, ...]
    """By place number."""

    def close(self) -> Triangles:
        """Return the table as it stays when nobody lays on it any more."""
        return replace(self, free=())


# ---- the snake of Domi Jongg ----


@dataclass(frozen=True)
class Link:
    """One lying tile of the snake. x, y: its cell, y downwards."""

    x: int
    y: int
    tile: str
    """``B3``, ``DR``, ``J4``."""
    fresh: bool = False
    start: bool = False
    """The singlestone."""
    joint: tuple[tuple[int, int], ...] = ()
    """Cells from the tile that it was laid at (first) to its own (last); the line between them is drawn."""


@dataclass(frozen=True)
class Head:
    """An open end of the snake."""

    number: int
    x: int
    y: int
    """A cell beside the head's tile that is kept free for the label."""
    tile: str
    """The tile that the next one is laid at."""
    at: tuple[int, int] = (0, 0)
    """Cell of that tile."""


@dataclass(frozen=True)
class Snake:
    """The tiles on the table, their heads, and how they hang together."""

    links: tuple[Link, ...]
    heads: tuple[Head, ...]
    """By number."""
    chains: tuple[tuple[int, tuple[str, ...]], ...]
    """(head, the tiles from the last fork or the singlestone to the head), by number."""

    def close(self) -> Snake:
        """Return the table as a picture shows it when nobody lays on it any more. Words need the heads."""
        return replace(self, heads=())


Scene = Grid | Layout | Triangles | Snake
"""A drawing, as plain values."""


# ---- what can be laid ----


@dataclass(frozen=True)
class TouchMove:
    """A legal move, of one tile mostly, as the touch board shows it."""

    tile: str
    """Of the rack; or a word."""
    spot: str | int
    """The free place that is tapped for it: the name of an end or a square, the number of a place."""
    item: Bone | Triangle | None = None
    """The tile as it then lies, on a table that is drawn."""
    notes: tuple[Note, ...] = ()
    """What is said of it beside its points."""
