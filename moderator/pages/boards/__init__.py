"""Boards in every form a mail needs. Each family of boards is a module here that draws a picture
(``canvas``, ``paper``, ``parts``) and tells it in words (``lists``, ``alt``); squares alone can also be set in
characters and as an HTML table."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from importlib import import_module
from typing import Any

from moderator.match.scenes import Grid, Layout, Scene, Snake, Triangles
from moderator.pages import theme
from moderator.pages.boards.layers import MARKS, Paper, drawn
from moderator.pages.messages import label

FAMILIES = {Grid: "grid", Layout: "dominos", Triangles: "tridom", Snake: "domijongg"}


def family_of(scene: Scene) -> Any:
    """How scenes of this kind are shown: ``canvas(*scenes)`` is what holds them all, ``paper(canvas)`` its sizes,
    ``parts(scene, canvas)`` what is drawn on it, ``lists`` and ``alt`` what is said of them."""
    return import_module(f"moderator.pages.boards.{FAMILIES[type(scene)]}")


@lru_cache(maxsize=128)
def svg(scene: Scene, title: str = "", description: str = "") -> str:
    """The picture as an SVG document; opaque, all sizes in css pixels. ``title`` and ``description`` are for those who
    hear it."""
    family = family_of(scene)
    canvas = family.canvas(scene)
    return drawn(family.paper(canvas), family.parts(scene, canvas), title, description)


@lru_cache(maxsize=64)
def png(scene: Scene) -> bytes:
    """The same as PNG bytes, at twice its css size. Made once per board, not once per reader. Raises OperatorError for
    a letter that would be blank or when the picture cannot be drawn."""
    from moderator.pages.png import composed

    family = family_of(scene)
    canvas = family.canvas(scene)
    return composed(family.paper(canvas), tuple(family.parts(scene, canvas)))


def width(scene: Scene, tallest: float | None = None) -> int:
    """Width of the picture in css pixels; of one that is to be no higher than ``tallest``."""
    family = family_of(scene)
    paper: Paper = family.paper(family.canvas(scene))
    return round(paper.width * min(1, (tallest or paper.height) / paper.height))


@lru_cache(maxsize=64)
def beneath(scene: Scene, language: str) -> tuple[str, ...]:
    """What stands under the picture: what the ends of dominoes count, and what the signs mean that were drawn."""
    family = family_of(scene)
    drawn = {mark for part in family.parts(scene, family.canvas(scene)) for mark in part.marks}
    said = [label(f"mark-{mark}", language) for mark in MARKS if mark in drawn]
    legend = " · ".join(said)
    lines = [f"{legend[:1].upper()}{legend[1:]}"] if said else []
    if isinstance(scene, Layout) and scene.ends:
        lines.insert(0, family.ends(scene, language))
    return tuple(lines)


def lists(scene: Scene, language: str) -> tuple[str, ...]:
    """The board line by line, for proportional fonts and for ears: by row, arm, place or head. No line of it can be
    read as a move."""
    lines: tuple[str, ...] = family_of(scene).lists(scene, language)
    return lines


def alt(scene: Scene, language: str, last: str = "") -> str:
    """The board in one paragraph, for readers who hear it and for programs that hide pictures. ``last``: the last
    move, a sentence."""
    words: str = family_of(scene).alt(scene, language, last)
    return words


def characters(scene: Scene) -> tuple[str, ...]:
    """The board in fixed columns of at most 62; () where only the lists will do."""
    if not isinstance(scene, Grid):
        return ()
    from moderator.pages.boards.grid import characters as drawn

    return drawn(scene)


def table(scene: Scene, language: str, words: str) -> str:
    """The board as HTML that needs no picture, with inline styles. ``words``: its alt text."""
    if isinstance(scene, Grid):
        from moderator.pages.boards.grid import table as squares

        return squares(scene, words)
    lines = "<br>".join(escape(line) for line in lists(scene, language))
    return (
        f'<p style="margin:0;padding:10px 8px;text-align:left;background:{theme.GROUND};color:{theme.INK}">{lines}</p>'
    )


def lines(scene: Scene, language: str) -> tuple[str, ...]:
    """The board for a terminal: in fixed columns, or as lists where it is too wide or no square board."""
    return characters(scene) or lists(scene, language)
