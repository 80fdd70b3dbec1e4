"""Boards in every form a mail needs. Each family of boards is a module here that draws a picture
(``render_svg_tag``, ``measure_paper``, ``iter_shapes``) and tells it in words (``describe_board_lines``,
``describe_board``); squares alone can also be set in characters and as an HTML table."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from importlib import import_module
from typing import Any

from moderator.language.messages import render_label
from moderator.render import theme
from moderator.render.boards.grid import MARKS, Crop, Paper, render_svg_document
from moderator.render.boards.grid import cut_scene as cut_squares
from moderator.render.boards.grid import render_grid_characters as drawn
from moderator.render.boards.grid import render_grid_table as squares
from moderator.render.png import compose_board_png
from moderator.rules.scenes import Grid, Layout, Scene, Snake, Triangles

FAMILIES = {Grid: "grid", Layout: "dominos", Triangles: "tridom", Snake: "domijongg"}


def get_board_family(scene: Scene) -> Any:
    """Return the module that draws scenes of this kind. It has ``fit_canvas(*scenes)`` for the area that holds them
    all, ``measure_paper(canvas)`` for its sizes, ``iter_shapes(scene, canvas)`` for what is drawn on it,
    ``describe_lines`` and ``describe_scene`` for the board in words."""
    return import_module(f"moderator.render.boards.{FAMILIES[type(scene)]}")


@lru_cache(maxsize=128)
def render_board_svg(scene: Scene, title: str = "", description: str = "") -> str:
    """Return the picture as an SVG document; opaque, all sizes in css pixels. ``title`` and ``description`` are for
    those who hear it."""
    family = get_board_family(scene)
    canvas = family.fit_canvas(scene)
    return render_svg_document(family.measure_paper(canvas), family.iter_shapes(scene, canvas), title, description)


def get_mail_crop(scene: Scene) -> Crop:
    """Return the room that a mail on a phone has for a picture of this kind."""
    return Crop(358, 330) if isinstance(scene, Snake) else Crop(340, 290)


def cut_scene(scene: Scene) -> Scene:
    """Return the board as a mail shows it, in the picture and in the text: squares far from all that lies are cut
    away."""
    return cut_squares(scene, get_mail_crop(scene)) if isinstance(scene, Grid) else scene


@lru_cache(maxsize=64)
def render_board_png(scene: Scene, crop: Crop | None = None) -> bytes:
    """Return the picture as PNG bytes, at twice its css size. Made once per board, not once per reader. With ``crop``
    it is cut to what lies. Raises OperatorError for a letter that would be blank or when the picture cannot be
    drawn."""
    family = get_board_family(scene)
    if crop is None:
        canvas, zoom = family.fit_canvas(scene), 1.0
    else:
        canvas = family.cut_canvas(scene)
        zoom = crop.compute_zoom(family.measure_paper(canvas))
    return compose_board_png(family.measure_paper(canvas), tuple(family.iter_shapes(scene, canvas)), zoom)


def compute_picture_width(scene: Scene, crop: Crop | None = None) -> int:
    """Return the width of the picture in css pixels."""
    family = get_board_family(scene)
    paper: Paper = family.measure_paper(family.cut_canvas(scene) if crop else family.fit_canvas(scene))
    return round(paper.width * (crop.compute_zoom(paper) if crop else 1))


@lru_cache(maxsize=64)
def render_legend_lines(scene: Scene, language: str) -> tuple[str, ...]:
    """Return the lines under the picture: the count of the ends of dominoes, and the meaning of the signs that were
    drawn."""
    family = get_board_family(scene)
    drawn = {mark for part in family.iter_shapes(scene, family.fit_canvas(scene)) for mark in part.marks}
    said = [render_label(f"mark-{mark}", language) for mark in MARKS if mark in drawn]
    legend = " · ".join(said)
    lines = [f"{legend[:1].upper()}{legend[1:]}"] if said else []
    if isinstance(scene, Layout) and scene.ends:
        lines.insert(0, family.describe_ends(scene, language))
    return tuple(lines)


def describe_board_lines(scene: Scene, language: str) -> tuple[str, ...]:
    """Return the board line by line, for proportional fonts and for ears: by row, arm, place or head. No line of it can
    be read as a move."""
    lines: tuple[str, ...] = get_board_family(scene).describe_lines(scene, language)
    return lines


def describe_board(scene: Scene, language: str, last: str = "") -> str:
    """Return the board in one paragraph, for readers who hear it and for programs that hide pictures. ``last``: the
    last move, a sentence."""
    words: str = get_board_family(scene).describe_scene(scene, language, last)
    return words


def render_board_characters(scene: Scene) -> tuple[str, ...]:
    """Return the board in fixed columns of at most 62; () where it can only be described line by line."""
    if not isinstance(scene, Grid):
        return ()
    return drawn(scene)


def render_board_table(scene: Scene, language: str, words: str) -> str:
    """Return the board as HTML that needs no picture, with inline styles. ``words``: its alt text."""
    if isinstance(scene, Grid):
        return squares(scene, words)
    lines = "<br>".join(escape(line) for line in describe_board_lines(scene, language))
    return (
        f'<p style="margin:0;padding:10px 8px;text-align:left;background:{theme.GROUND};color:{theme.INK}">{lines}</p>'
    )


def render_board_lines(scene: Scene, language: str) -> tuple[str, ...]:
    """Return the board for a terminal: in fixed columns, or described line by line where it is too wide or no square
    board."""
    return render_board_characters(scene) or describe_board_lines(scene, language)
