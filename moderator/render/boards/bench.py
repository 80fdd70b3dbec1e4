"""The bench: the tiles in hand as they stand below the board of a mail. Letters are text, for there is one in every
font; dominoes, triangles and the tiles of Domi Jongg are small pictures, drawn as on the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from moderator.language import traits
from moderator.language.messages import has_sentence, render_code, render_tile_name
from moderator.render.boards import get_board_family
from moderator.render.boards.grid import Crop, Paper
from moderator.render.pieces import compose_board_png
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
        across = _count_tiles_across(tiles)
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


def _count_tiles_across(tiles: list[BenchTile]) -> int:
    widest = max(tile.width + (WIDE_GAP if tile.picture else GAP) for tile in tiles)
    return max(1, ROOM // widest)


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
