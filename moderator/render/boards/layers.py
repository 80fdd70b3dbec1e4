"""A picture of a board in parts that lie above each other, so that pictures of several moments can share what they have
in common: the archive steps through a match by showing and hiding parts of one picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from moderator.render.boards.paper import opening

Layer = Literal["defs", "ground", "word", "tile", "fresh", "sign"]
LAYERS: Final[tuple[Layer, ...]] = ("ground", "word", "tile", "fresh", "sign")
"""From the lowest to the highest: what is printed on the sheet, grounds of the words just formed, the tiles, frames of
those that were laid last, signs on them. ``defs`` are drawings that tiles refer to."""


@dataclass(frozen=True)
class Part:
    """A piece of a picture. The same tile at the same place is always the same part."""

    layer: Layer
    svg: str


@dataclass(frozen=True)
class Paper:
    """Size of a picture and coordinates of its corner, in css pixels."""

    width: float
    height: float
    left: float = 0
    top: float = 0


def drawn(paper: Paper, parts: Iterable[Part], title: str = "", description: str = "") -> str:
    """The SVG document."""
    of: dict[Layer, list[str]] = {}
    for part in parts:
        of.setdefault(part.layer, []).append(part.svg)
    defs = "".join(of.get("defs", ()))
    return "".join(
        (
            opening(paper.width, paper.height, title, description, paper.left, paper.top),
            f"<defs>{defs}</defs>" if defs else "",
            *(svg for layer in LAYERS for svg in of.get(layer, ())),
            "</svg>",
        )
    )
