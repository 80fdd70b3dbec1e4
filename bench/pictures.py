"""The picture of the board in a mail, of every game: what drawing one takes, and how large it is.

Processor time of each position of a match, in the order of play, as a process that watches draws them; pieces that were
not drawn before are counted. Beside it each position with nothing at hand, as the first picture of a process has it,
and the floor: the same picture drawn by resvg as a whole. Targets: at most 8 ms, never more than the floor, 15 kB.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

from bench.target import at_most
from moderator.games import REGISTRY
from moderator.render import boards, pieces, png
from moderator.render.boards.grid import render_svg_document
from moderator.rules.game import Grid, Scene
from moderator.rules.state import view_for
from tests.pages.match_pages import TILE_GAMES, played
from tests.review.played import play

POSITIONS = 60
"""Of each game; more are passed over."""
MOST, SIZE, FLOOR = 8, 15, 1
"""ms, kB, part of the floor."""


def run() -> None:
    for game in REGISTRY:
        found = scenes(game)
        draw(found[0], True)
        cold = [draw(scene, True) for scene in found]
        pieces.forget_pieces()
        warm = [draw(scene, False) for scene in found]
        floor = statistics.median(whole(scene) for scene in found[::10])
        sizes = [len(boards.render_board_png(scene, boards.get_mail_crop(scene))) / 1000 for scene in found]
        print(f"{game}: {len(found)} positions, at most {max(warm):.1f} ms, {max(sizes):.0f} kB; floor {floor:.1f} ms")
        print(f"  with nothing at hand {statistics.median(cold):.1f} ms, at most {max(cold):.1f} ms")
        at_most("a picture", statistics.median(warm), MOST, " ms")
        at_most("beside the floor", statistics.median(warm) / floor, FLOOR)
        at_most("its size", statistics.median(sizes), SIZE, " kB")


def scenes(game: str) -> Sequence[Scene]:
    """Positions with something on the board, in the order of play."""
    if game in TILE_GAMES:
        match = played(game)
        found = [match.game.build_scene(view_for(one.after.state, None)) for one in match.moments]
    else:
        played_out = play(game, 1)
        found = [played_out.game.build_scene(view_for(past.state, None)) for past in played_out.past]
    lying = [scene for scene in dict.fromkeys(found) if not isinstance(scene, Grid) or scene.cells]
    return lying[:: 1 + len(lying) // POSITIONS]


def draw(scene: Scene, alone: bool) -> float:
    """Milliseconds for one picture; ``alone``: with no piece at hand."""
    boards.render_board_png.cache_clear()
    boards.draw_board.cache_clear()
    if alone:
        pieces.forget_pieces()
    began = time.process_time()
    boards.render_board_png(scene, boards.get_mail_crop(scene))
    return 1000 * (time.process_time() - began)


def whole(scene: Scene) -> float:
    """Milliseconds for the same picture without pieces."""
    crop = boards.get_mail_crop(scene)
    paper, shapes = boards.draw_board(scene, crop)
    width, height = boards.compute_picture_size(scene, crop)
    svg = render_svg_document(paper, shapes).replace(
        f'width="{paper.width:g}" height="{paper.height:g}"', f'width="{width}" height="{height}"', 1
    )
    began = time.process_time()
    png.render_png_uncached(svg)
    return 1000 * (time.process_time() - began)


if __name__ == "__main__":
    run()
