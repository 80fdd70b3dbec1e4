"""Pictures of the site: a whole game as one picture, every part of it tagged with the moment it came and the moment
before it went; the moments themselves; and curves.

Without a script the picture of a game shows its last moment; the page's script shows another one by hiding and showing
parts. A game of several rounds has a picture for each table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from html import escape
from typing import Any, Final

from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.notifications.content import HistoryTurn
from moderator.render import theme
from moderator.render.boards import get_board_family
from moderator.render.boards.bench import render_progress_svg
from moderator.render.boards.grid import FONT, LAYERS, Layer, Paper, Shape
from moderator.render.mail import read_styles, require_template_folder
from moderator.render.png import render_png_uncached
from moderator.rules.replay import count_match_tiles, drop_undone
from moderator.rules.scenes import Grid, Layout, Scene, Snake, Triangles
from moderator.rules.state import Note, view_for
from moderator.rules.table import MatchState
from moderator.store import matches_log
from moderator.store.tables import MatchRow
from moderator.views import history
from moderator.views.loaded_match import ReplayedMatch, rebuild_with_history
from moderator.views.match_view import NOBODY, filter_visible
from moderator.views.unit_of_work import UnitOfWork

KEPT = 0.5
"""A table on which fewer of the tiles still lie is a new one."""
TALL = 2
"""A table so many times as high as wide would be a strip on a phone: it is scrolled there."""
COLOURS: Final = {
    theme.GROUND: "board",
    theme.GRID: "board-grid",
    theme.CENTRE: "board-centre",
    theme.CENTRE_MARK: "board-mark",
    theme.EDGE: "tile-edge",
    theme.INK: "tile-ink",
    theme.LABEL: "board-label",
    theme.LAST: "move",
    theme.FIELD: "board-field",
    theme.VOWEL: "vowel",
    **{colour: f"tile-{height}" for height, colour in enumerate(theme.HEIGHTS, 1)},
    **{colour: f"seat-{number}" for number, (colour, _) in enumerate(theme.PLAYERS, 1)},
}
"""Colours that are variables of the page's styles, so that a board can be dark, too."""
_TAG = re.compile(r"<(\w+)([^>]*?)(/?)>")
_TOKEN = re.compile(r"(--[\w-]+):[^;}]+;?")
_USED = re.compile(r"var\((--[\w-]+)\)")
_PAINT = re.compile(r' (fill|stroke)="(#[0-9A-F]{6})"')


@dataclass(frozen=True)
class ReplayBoard:
    """A table from moment ``first`` to moment ``last``."""

    first: int
    last: int
    svg: str
    """An ``<svg>`` element for a page; what is gone at the last moment of the match has the class ``gone``."""
    defs: tuple[str, ...] = ()
    """Drawings that it refers to, by id; the page has them once."""


def build_replay_boards(scenes: Sequence[Scene]) -> tuple[ReplayBoard, ...]:
    """Return the tables of a match, one scene per moment."""
    made, first = [], 0
    for moment in range(1, len(scenes) + 1):
        if moment == len(scenes) or _is_cleared(scenes[moment - 1], scenes[moment]):
            made.append(_build_board(scenes[first:moment], first, moment < len(scenes)))
            first = moment
    return tuple(made)


def _is_cleared(before: Scene, now: Scene) -> bool:
    """Return whether a new table has begun."""
    lying = collect_lying_tiles(before)
    return bool(lying) and len(lying & collect_lying_tiles(now)) < KEPT * len(lying)


def collect_lying_tiles(scene: Scene) -> frozenset[Any]:
    """Return the lying tiles with their places, in names that stay the same as long as a tile lies there."""
    match scene:
        case Grid():
            return frozenset((scene.columns[cell.x], scene.rows[cell.y]) for cell in scene.cells)
        case Layout():
            return frozenset(bone.name for bone in scene.bones)
        case Triangles():
            return frozenset((cell.place, cell.x, cell.y) for cell in scene.tiles)
        case Snake():
            return frozenset((link.x, link.y, link.tile) for link in scene.links)


@dataclass
class _LastingShape:
    """A shape with the moments in which it is there."""

    part: Shape
    first: int
    last: int


def _build_board(scenes: Sequence[Scene], start: int, replaced: bool) -> ReplayBoard:
    family = get_board_family(scenes[0])
    canvas = family.fit_canvas(*scenes)
    end = start + len(scenes) - 1
    lasting = merge_moments((family.iter_shapes(scene, canvas) for scene in scenes), start)
    layers = "".join(_render_layer(layer, lasting, start, end) for layer in LAYERS)
    defs = tuple(one.part.svg for one in lasting if one.part.layer == "defs")
    return ReplayBoard(start, end, _render_svg(family.measure_paper(canvas), layers, start, end, replaced), defs)


def merge_moments(moments: Iterable[Iterable[Shape]], start: int) -> list[_LastingShape]:
    """Merge the shapes of all moments: each shape once for each time that it appeared, in the order of appearing."""
    found: list[_LastingShape] = []
    here: dict[Shape, _LastingShape] = {}
    for moment, parts in enumerate(moments, start):
        now: dict[Shape, _LastingShape] = {}
        for part in dict.fromkeys(parts):
            one = here.get(part)
            if one is None:
                one = _LastingShape(part, moment, moment)
                found.append(one)
            one.last = moment
            now[part] = one
        here = now
    return found


def _render_layer(layer: Layer, lasting: Iterable[_LastingShape], start: int, end: int) -> str:
    parts = "".join(_render_group(one, start, end) for one in lasting if one.part.layer == layer)
    return f'<g class="{layer}">{parts}</g>' if parts else ""


def _render_group(one: _LastingShape, start: int, end: int) -> str:
    """Return the drawing of a shape. ``data-from`` and ``data-to``: the moments in which it is there; without them it
    always is."""
    drawing = apply_page_colours(one.part.element)
    if (one.first, one.last) == (start, end):
        return drawing
    gone = "" if one.last == end else ' class="gone"'
    return f'<g data-from="{one.first}" data-to="{one.last}"{gone}>{drawing}</g>'


def _render_svg(paper: Paper, layers: str, first: int, last: int, replaced: bool) -> str:
    tall = " tall" if paper.height > TALL * paper.width else ""
    shown = f"board gone{tall}" if replaced else f"board{tall}"
    return (
        f'<svg class="{shown}" viewBox="{paper.left:g} {paper.top:g} {paper.width:g} {paper.height:g}" '
        f'data-first="{first}" data-last="{last}" role="img" aria-labelledby="board-says" font-family="{FONT}" '
        f'font-weight="700" text-anchor="middle" style="max-width:{paper.width * 1.3:g}px">{layers}</svg>'
    )


def render_board_file(scene: Scene) -> bytes:
    """Return a board as a file of its own, light or dark like the reader's screen."""
    drawn = build_replay_boards([scene])[-1]
    defs = "".join(drawn.defs)
    used = {"--board", *_USED.findall(drawn.svg + defs)}
    colours = _TOKEN.sub(lambda token: token[0] if token[1] in used else "", read_styles())
    head = f"<style>{colours}svg{{background:var(--board)}}</style><defs>{defs}</defs>"
    return (
        drawn.svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", f">{head}", 1).encode()
    )


def read_club_sign() -> bytes:
    """Read the club's sign, which stands for a board that cannot be shown, and for pages without one."""
    return (require_template_folder() / "site" / "tile.svg").read_bytes()


def render_club_sign_png() -> bytes:
    """Return the club's sign as PNG for messengers, which draw no SVG."""
    return render_png_uncached(read_club_sign().decode().replace("<svg ", '<svg width="300" height="300" ', 1))


def apply_page_colours(svg: str) -> str:
    """Replace the picture's own colours by the variables of the page."""
    return _TAG.sub(_replace_tag_colours, svg)


def _replace_tag_colours(tag: re.Match[str]) -> str:
    styles = [f"{what}:var(--{COLOURS[colour]})" for what, colour in _PAINT.findall(tag[2]) if colour in COLOURS]
    if not styles:
        return tag[0]
    rest = _PAINT.sub(lambda paint: "" if paint[2] in COLOURS else paint[0], tag[2])
    return f'<{tag[1]}{rest} style="{";".join(styles)}"{tag[3]}>'


# ---- a match as a row of moments, as everybody may see them: what the page of a match steps through ----
# What a reader without a seat could not know is in none of them while the match runs; afterwards the racks are.


@dataclass(frozen=True)
class ReplayFrame:
    """One moment: after the deal (``n`` 0) or after something that moved."""

    n: int
    at: datetime | None
    """When it came into the log; None for the deal."""
    round: int
    lines: tuple[HistoryTurn | Note, ...]
    """What led to it: one turn, or all of a round that was evaluated together."""
    after: tuple[Note, ...]
    """What then happened by itself."""
    scores: tuple[int, ...]
    scene: Scene
    unseen: tuple[tuple[str, int], ...]
    """Tiles that are not on the table, with how many; () in games without a fixed set of tiles."""
    racks: tuple[tuple[str, ...], ...]
    """By seat; () while the match runs."""
    entry: int
    """Number in the log of what led to it, or of what was taken back since; 0 = the deal. Feeds tell it, too."""


def build_replay_frames(work: UnitOfWork, match: MatchRow) -> tuple[ReplayFrame, ...]:
    """Return all moments of a match that has begun, without what was undone. Raises MatchSuspended if its log does not
    fit."""
    walked = rebuild_with_history(work.session, match, work.config.deadlines)
    open_racks = match.status == MatchStatus.FINISHED
    times = matches_log.load_event_times(work.session, match.number)
    made = [_build_frame(walked, 0, 0, None, (), (), open_racks)]
    for number, lines, after in _iter_moments(work, match, walked):
        made.append(_build_frame(walked, number, len(made), times[number], lines, after, open_racks))
    undone = max((number for number, one in enumerate(walked.entries, 1) if one.kind == LogEntryKind.UNDO), default=0)
    made[-1] = replace(made[-1], entry=max(made[-1].entry, undone))
    return tuple(made)


def _iter_moments(
    work: UnitOfWork, match: MatchRow, walked: ReplayedMatch
) -> Iterator[tuple[int, tuple[HistoryTurn | Note, ...], tuple[Note, ...]]]:
    """Yield the entries that everybody can see something of."""
    players = work.list_players(match)
    for number, entry in drop_undone(walked.entries):
        result = walked.results[number - 1]
        told = tuple(history.iter_entry_lines(work.session, entry, result, walked.past[number], NOBODY, players))
        if told:
            yield number, told, filter_visible(result.notes, NOBODY)


def _build_frame(
    walked: ReplayedMatch,
    number: int,
    n: int,
    at: datetime | None,
    lines: tuple[HistoryTurn | Note, ...],
    after: tuple[Note, ...],
    open_racks: bool,
) -> ReplayFrame:
    game, table = walked.live.game, walked.past[number]
    state = table.state
    return ReplayFrame(
        n=n,
        at=at,
        round=state.public.round,
        lines=lines,
        after=after,
        scores=tuple(state.scores),
        scene=game.build_scene(view_for(state, None)),
        unseen=_count_unseen_tiles(walked, table),
        racks=tuple(state.hand(seat) for seat in range(state.seats)) if open_racks else (),
        entry=number,
    )


def _count_unseen_tiles(walked: ReplayedMatch, table: MatchState[Any]) -> tuple[tuple[str, int], ...]:
    game = walked.live.game
    every, lying = count_match_tiles(game, walked.past[0].state), game.list_table_tiles(table.state.public)
    return () if every is None or lying is None else tuple(sorted((every - Counter(lying)).items()))


# ---- curves of players and tournaments, in the page's colours ----


WIDTH, HEIGHT = 320, 120
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 22
SMALLER = 0.72
"""A page needs no letters as large as a picture in a mail."""
_SIZE = re.compile(r'<svg ([^>]*?)width="([\d.]+)" height="([\d.]+)"')
_GROUND = re.compile(r'<rect x="0" y="0" [^>]*/>')


def render_rating_curve(ratings: Sequence[int], begin: str, end: str, spoken: str) -> str:
    """Draw the ratings after each match; ``begin``, ``end``: the texts below the ends of the curve. Returns an empty
    text for fewer than two."""
    if len(ratings) < 2:
        return ""
    low, high = min(*ratings, 1000), max(*ratings, 1000)
    span = max(40, high - low)

    def compute_x(at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / (len(ratings) - 1)

    def compute_y(value: int) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / span

    rungs = "".join(
        f'<line class="rung" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{compute_y(at):.1f}" y2="{compute_y(at):.1f}"/>'
        f'<text class="tick" x="{LEFT - 6}" y="{compute_y(at) + 4:.1f}" text-anchor="end">{at}</text>'
        for at in sorted({low, 1000, high})
        if at in (low, high) or min(compute_y(low) - compute_y(at), compute_y(at) - compute_y(high)) > 14
    )
    path = "M" + "L".join(f"{compute_x(at):.1f} {compute_y(value):.1f}" for at, value in enumerate(ratings))
    return (
        f'<svg class="graph seat-1" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(spoken)}">{rungs}'
        f'<text class="tick" x="{LEFT}" y="{HEIGHT - 5}">{escape(begin)}</text>'
        f'<text class="tick" x="{WIDTH - RIGHT}" y="{HEIGHT - 5}" text-anchor="end">{escape(end)}</text>'
        f'<path d="{path}"/>'
        f'<circle cx="{compute_x(len(ratings) - 1):.1f}" cy="{compute_y(ratings[-1]):.1f}" r="3.5"/></svg>'
    )


def render_place_curves(progress: Mapping[int, Sequence[int | None]], names: Mapping[int, str], language: str) -> str:
    """Draw the place of everybody after each round; an empty text where there are fewer than two rounds to show."""
    if max(map(len, progress.values()), default=0) < 2:
        return ""
    drawn = _GROUND.sub("", render_progress_svg(progress, names, language), count=1)
    return _SIZE.sub(
        lambda size: f'<svg class="places" style="max-width:{float(size[2]) * SMALLER:g}px" {size[1]}',
        apply_page_colours(drawn),
        count=1,
    )
