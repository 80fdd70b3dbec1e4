"""What stands below a board or a table, drawn in the look of the boards: the tiles in hand, and the progress of a
tournament, to be read at 390 css pixels. Letters are text, for there is one in every font; dominoes, triangles and the
tiles of Domi Jongg are small pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from moderator.language import traits
from moderator.language.messages import has_sentence, render_code, render_tile_name
from moderator.render import theme
from moderator.render.boards import get_board_family
from moderator.render.boards.grid import Crop, Paper, escape_svg_text, render_svg_opening
from moderator.render.pieces import compose_board_png
from moderator.render.png import load_font_characters
from moderator.rules.scenes import Bone, Layout, Link, Scene, Snake, Triangle, Triangles


def _build_domino(name: str) -> Layout:
    return Layout((Bone(0, 0, (int(name[0]), int(name[1])), upright=True),), (), ())


def _build_triangle(name: str) -> Triangles:
    one, two, three = map(int, name)
    return Triangles((Triangle(0, 0, 0, (one, two, three)),), ())


def _build_brick(name: str) -> Snake:
    return Snake((Link(0, 0, name),), (), ())


DRAWN: Mapping[str, tuple[Callable[[str], Scene], Crop]] = {
    "dominos": (_build_domino, Crop(30, 56, 1)),
    "tridom": (_build_triangle, Crop(57, 50, 1)),
    "supertridom": (_build_triangle, Crop(57, 50, 1)),
    "domijongg": (_build_brick, Crop(48, 60, 1)),
}
"""Game -> a board with nothing but the tile, and how large that is in css pixels."""
LETTER = (34, 34)
LENGTH = 6
"""Characters; longer names of tiles are cut."""
ROOM, GAP, WIDE_GAP = 338, 4, 8
"""Css pixels across a bench on a phone, between two letters, between two pictures."""


@dataclass(frozen=True)
class BenchTile:
    """A tile in hand."""

    code: str
    """What one writes, printed beneath a picture, and its alt text; of a jolly, its name."""
    text: str
    """What stands on it; "" where there is a picture."""
    width: int
    """In css pixels, as ``height``."""
    height: int
    colour: str = ""
    """"" in games without colours."""
    value: str = ""
    """What its letter counts, where that is printed on the tiles."""
    picture: bytes = b""
    """PNG."""


def render_bench(game: str | None, names: tuple[str, ...], language: str) -> tuple[tuple[BenchTile, ...], ...]:
    """Return the tiles of a hand in rows that fit on a phone; each colour begins a new row."""
    rows: list[tuple[BenchTile, ...]] = []
    for colour, held in group_by_colour(game, names).items():
        tiles = [_render_bench_tile(game, name, colour, language) for name in held]
        widest = max(tile.width + (WIDE_GAP if tile.picture else GAP) for tile in tiles)
        across = max(1, ROOM // widest)
        rows += [tuple(tiles[at : at + across]) for at in range(0, len(tiles), across)]
    return tuple(rows)


def group_by_colour(game: str | None, names: tuple[str, ...]) -> dict[str, list[str]]:
    """Return colour -> the tiles of a hand, sorted, jollies last; in a game without colours all stand under "", as they
    are in the hand."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(traits.get_rack_colour(game, name), []).append(name)
    return {
        colour: sorted(groups[colour], key=_get_tile_rank) if colour else groups[colour]
        for colour in sorted(groups, reverse=True)
    }


def _get_tile_rank(name: str) -> tuple[bool, str]:
    return not name.isalpha(), name


def _render_bench_tile(game: str | None, name: str, colour: str, language: str) -> BenchTile:
    if game in DRAWN:
        picture, width, height = render_tile_png(game, name)
        return BenchTile(name, "", width, height, picture=picture)
    own, said = f"mail.cell.{name}", render_tile_name(name, language, game)
    text = (render_code(own, language, game) if has_sentence(own, language, game) else said)[:LENGTH]
    width, height = LETTER
    return BenchTile(
        said,
        text,
        width + 10 * max(0, len(text) - 1),
        height,
        colour,
        str(traits.get_letter_values(game).get(name, "")),
    )


@lru_cache(maxsize=256)
def render_tile_png(game: str, name: str) -> tuple[bytes, int, int]:
    """Return a tile that stands alone as PNG bytes at twice its css size, and its width and height in css pixels."""
    build, crop = DRAWN[game]
    scene = build(name)
    family = get_board_family(scene)
    canvas = family.fit_canvas(scene, margin=0)
    paper: Paper = family.measure_paper(canvas)
    zoom = crop.compute_zoom(paper)
    data = compose_board_png(paper, tuple(family.iter_shapes(scene, canvas)), zoom)
    return data, round(paper.width * zoom), round(paper.height * zoom)


PAD: Final = 14
SIZE: Final = 24
LETTER_WIDTH: Final = 0.62
"""Mean width of a letter of the bold font in parts of its size."""
NAME: Final = 162
WHOLE: Final = 360
"""Width of the lines together, as long as there are few rounds."""
RISE: Final = 34


def fit_drawable_name(words: str) -> str:
    """Return ``words`` with ? for what the bundled font lacks, cut to the width of a name."""
    drawn = "".join(letter if letter in load_font_characters() else "?" for letter in words)
    most = int(NAME / (SIZE * LETTER_WIDTH))
    if len(drawn) <= most:
        return drawn
    return drawn[: most - 1].rstrip() + "…" + (")" if drawn.endswith(")") else "")


def _render_text(x: float, y: float, words: str, fill: str = theme.INK, size: float = SIZE, anchor: str = "") -> str:
    where = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}"{where}>{escape_svg_text(words)}</text>'


def render_progress_svg(
    places: Mapping[int, Sequence[int | None]], names: Mapping[int, str], language: str, own: int | None = None
) -> str:
    """Return a picture of the place of everybody after each round (standings.progress), the first on top. ``own``:
    number of the entrant whose line is drawn strongly; without it the six who lead at the end are coloured, each with a
    shape of its own."""
    rounds = max((len(line) for line in places.values()), default=0)
    seen = [place for line in places.values() for place in line if place is not None]
    order = sorted(places, key=lambda number: (_get_last_place(places[number]), number))
    shared = _assign_name_lines(places, order)
    left, top = PAD + 34.0, PAD + 34.0
    step = max(28.0, min(90.0, WHOLE / max(1, rounds - 1)))
    right = left + step * max(0, rounds - 1)
    width, height = right + 36 + NAME + PAD, top + RISE * max([1, len(order), *seen]) + PAD
    spoken = ", ".join(f"{_get_last_place(places[n])}. {names[n]}" for n in order if any(places[n]))
    parts = [render_svg_opening(width, height, render_code("cup-picture-progress", language), spoken)]
    for round in range(rounds):
        x = left + step * round
        parts.append(f'<path d="M{x:g} {top - 4:g}V{height - PAD:g}" stroke="{theme.GRID}" stroke-width="1.2"/>')
        parts.append(_render_text(x, PAD + 18, str(round + 1), theme.LABEL, 20))
    for place in sorted({p for p in seen if p == 1 or p % 5 == 0}):
        parts.append(_render_text(left - 16, top + RISE * (place - 0.5) + 7, str(place), theme.LABEL, 20, "end"))
    strong = [own] if own is not None else order[:6]
    for number in [*(n for n in reversed(order) if n not in strong), *(n for n in reversed(strong) if n in order)]:
        colour = theme.get_player_style(strong.index(number) + 1)[0] if number in strong else theme.LABEL
        parts.append(
            _render_line(places[number], left, top, step, colour, strong.index(number) if number in strong else None)
        )
        if any(places[number]):
            y = top + RISE * (shared[number] - 0.5) + 8
            parts.append(_render_text(right + 22, y, fit_drawable_name(names[number]), colour, 22, "start"))
    return "".join((*parts, "</svg>"))


def _get_last_place(line: Sequence[int | None]) -> int:
    return next((place for place in reversed(line) if place is not None), 10**6)


def _assign_name_lines(places: Mapping[int, Sequence[int | None]], order: Sequence[int]) -> dict[int, int]:
    """Return for each name the line that it stands on: its last place, or the next free one below."""
    heights: dict[int, int] = {}
    free = 1
    for number in order:
        if any(places[number]):
            heights[number] = max(free, _get_last_place(places[number]))
            free = heights[number] + 1
    return heights


def _render_line(
    places: Sequence[int | None], left: float, top: float, step: float, colour: str, shape: int | None
) -> str:
    points = [(left + step * r, top + RISE * (p - 0.5)) for r, p in enumerate(places) if p is not None]
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    wide = 4 if shape is not None else 1.6
    colour = colour if shape is not None else theme.EDGE
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{wide}" stroke-linejoin="round"/>'
    return line + "".join(_render_marker(x, y, colour, shape) for x, y in points)


CORNERS: Final = (
    (),
    ((-8, -8), (8, -8), (8, 8), (-8, 8)),
    ((0, -10), (10, 8), (-10, 8)),
    ((0, -11), (11, 0), (0, 11), (-11, 0)),
    ((0, 10), (10, -8), (-10, -8)),
    ((0, -11), (3, -3), (11, -3), (5, 2), (7, 10), (0, 5), (-7, 10), (-5, 2), (-11, -3), (-3, -3)),
)
"""The shapes of ``theme.PLAYERS``, drawn: the font has none of them."""


def _render_marker(x: float, y: float, colour: str, shape: int | None) -> str:
    corners = CORNERS[shape % len(CORNERS)] if shape is not None else ()
    if not corners:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{4 if shape is None else 9}" fill="{colour}"/>'
    path = " ".join(f"{x + dx:g},{y + dy:g}" for dx, dy in corners)
    return f'<polygon points="{path}" fill="{colour}" stroke="{theme.GROUND}" stroke-width="1.5"/>'
