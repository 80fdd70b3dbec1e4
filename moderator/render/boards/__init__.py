"""Boards in every form a mail needs. Each family of boards is a module here that draws a picture
(``render_svg_tag``, ``measure_paper``, ``iter_shapes``) and tells it in words (``describe_board_lines``,
``describe_board``); squares alone can also be set in characters and as an HTML table."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from importlib import import_module
from typing import Any

from moderator.common.text import capitalize_start
from moderator.language.messages import render_label
from moderator.render import theme
from moderator.render.boards.grid import MARKS, Crop, Paper, Shape, cut_grid, render_svg_document
from moderator.render.boards.grid import render_grid_characters as drawn
from moderator.render.boards.grid import render_grid_table as squares
from moderator.render.pieces import compose_board_png
from moderator.rules.scenes import Grid, Layout, Scene, Snake, Triangles

FAMILIES = {Grid: "grid", Layout: "dominos", Triangles: "tridom", Snake: "domijongg"}


def get_board_family(scene: Scene) -> Any:
    """Return the module that draws scenes of this kind. It has ``fit_canvas(*scenes)`` for the area that holds them
    all, ``cut_canvas(scene)`` for what a mail shows, ``measure_paper(canvas)`` for its sizes, ``iter_shapes(scene,
    canvas)`` for what is drawn on it, ``describe_lines`` and ``describe_scene`` for the board in words."""
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
    if isinstance(scene, Triangles):
        return Crop(340, 290, 0.66)
    return Crop(358, 330) if isinstance(scene, Snake) else Crop(340, 290)


def cut_scene(scene: Scene, crop: Crop) -> Scene:
    """Return the board without the squares that are far from all that lies, for the picture and the text alike."""
    return cut_grid(scene, crop) if isinstance(scene, Grid) else scene


@lru_cache(maxsize=64)
def render_board_png(scene: Scene, crop: Crop | None = None) -> bytes:
    """Return the picture as PNG bytes, at twice its css size; with ``crop`` cut to what lies. Made once per board, not
    once per reader. Raises OperatorError for a letter that would be blank or when the picture cannot be drawn."""
    paper, shapes = draw_board(scene, crop)
    return compose_board_png(paper, shapes, crop.compute_zoom(paper) if crop else 1)


@lru_cache(maxsize=16)
def draw_board(scene: Scene, crop: Crop | None = None) -> tuple[Paper, tuple[Shape, ...]]:
    """Return the picture as shapes on paper; with ``crop`` cut to what lies."""
    family = get_board_family(scene)
    scene = cut_scene(scene, crop) if crop else scene
    canvas = family.cut_canvas(scene) if crop else family.fit_canvas(scene)
    return family.measure_paper(canvas), tuple(family.iter_shapes(scene, canvas))


def compute_picture_size(scene: Scene, crop: Crop | None = None) -> tuple[int, int]:
    """Return width and height of the picture in css pixels."""
    paper, _ = draw_board(scene, crop)
    zoom = crop.compute_zoom(paper) if crop else 1
    return round(paper.width * zoom), round(paper.height * zoom)


@lru_cache(maxsize=64)
def render_legend_lines(scene: Scene, language: str, crop: Crop | None = None) -> tuple[str, ...]:
    """Return the lines under the picture: the count of the ends of dominoes, and the meaning of the signs that were
    drawn."""
    drawn = {mark for shape in draw_board(scene, crop)[1] for mark in shape.marks}
    said = [render_label(f"mark-{mark}", language) for mark in MARKS if mark in drawn]
    legend = " · ".join(said)
    lines = [capitalize_start(legend)] if said else []
    if isinstance(scene, Layout) and scene.ends:
        lines.insert(0, get_board_family(scene).describe_ends(scene, language))
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
