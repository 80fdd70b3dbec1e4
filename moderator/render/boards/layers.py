"""A picture of a board in parts that lie above each other, so that pictures of several moments can share what they have
in common: the archive steps through a match by showing and hiding parts of one picture.

Every picture begins with an opaque canvas (a transparent corner turns black where a mail program flattens it), the
font, a title and a description for those who hear it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final, Literal, get_args

from moderator.render import theme

FONT = "Noto Sans,DejaVu Sans,Segoe UI,Roboto,Helvetica,Arial,sans-serif"


def render_svg_opening(
    width: float, height: float, title: str = "", description: str = "", left: float = 0, top: float = 0
) -> str:
    """Return ``<svg>`` up to its ground, ``width`` × ``height`` css pixels; ``left``, ``top``: coordinates of its
    corner. Letters are bold and centred unless an element says otherwise. The caller closes it with ``</svg>``."""
    return "".join(
        (
            render_svg_tag(width, height, left, top, 'role="img" '),
            f"<title>{escape_svg_text(title)}</title>" if title else "",
            f"<desc>{escape_svg_text(description)}</desc>" if description else "",
            f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="{theme.GROUND}"/>',
        )
    )


def render_svg_tag(width: float, height: float, left: float, top: float, more: str = "") -> str:
    """Return ``<svg>`` without a ground, with the type of all boards. ``more``: further attributes."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="{left:g} {top:g} {width:g} {height:g}" {more}font-family="{FONT}" font-weight="700" '
        'text-anchor="middle">'
    )


def escape_svg_text(words: str) -> str:
    """Return the text escaped, and without the control characters that XML cannot hold."""
    return escape("".join(c for c in words if c >= " "))


Layer = Literal["defs", "ground", "word", "tile", "fresh", "sign"]
LAYERS: Final[tuple[Layer, ...]] = ("ground", "word", "tile", "fresh", "sign")
"""From the lowest to the highest: what is printed on the canvas, grounds of the words just formed, the tiles, frames of
those that were laid last, signs on them. ``defs`` are drawings that tiles refer to."""


Mark = Literal[
    "fresh", "word", "centre", "red", "height", "value", "joker",
    "spinner", "end", "triple", "place", "single", "jump", "head",
]  # fmt: skip
"""Signs in pictures; ``mark-<name>`` says what each means."""
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
"""In the order in which they are explained."""


Box = tuple[float, float, float, float]
"""Left, top, right, bottom in css pixels."""


@dataclass(frozen=True)
class Shape:
    """A piece of a picture. The same tile at the same place is always the same part."""

    layer: Layer
    svg: str
    """Drawn from its own origin, which is ``at``."""
    box: Box = (0, 0, 0, 0)
    """Nothing of it is drawn outside, from its own origin too. Of ``defs``, which are drawn elsewhere, no matter."""
    at: tuple[float, float] = (0, 0)
    marks: tuple[Mark, ...] = ()
    """What of it is a sign that must be explained beneath the picture."""

    @property
    def element(self) -> str:
        """The SVG element at its place."""
        x, y = self.at
        return f'<g transform="translate({x:g} {y:g})">{self.svg}</g>' if (x, y) != (0, 0) else self.svg


@dataclass(frozen=True)
class Paper:
    """Size of a picture and coordinates of its corner, in css pixels."""

    width: float
    height: float
    left: float = 0
    top: float = 0


def render_svg_document(paper: Paper, parts: Iterable[Shape], title: str = "", description: str = "") -> str:
    """Return the SVG document of the shapes, layer by layer."""
    of: dict[Layer, list[str]] = {}
    for part in parts:
        of.setdefault(part.layer, []).append(part.element)
    defs = "".join(of.get("defs", ()))
    return "".join(
        (
            render_svg_opening(paper.width, paper.height, title, description, paper.left, paper.top),
            f"<defs>{defs}</defs>" if defs else "",
            *(svg for layer in LAYERS for svg in of.get(layer, ())),
            "</svg>",
        )
    )


def build_square_around(x: float, y: float, reach: float) -> Box:
    """Return the square whose sides are ``reach`` away from a point."""
    return x - reach, y - reach, x + reach, y + reach
