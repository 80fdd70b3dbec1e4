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

from moderator.club.desk import Desk
from moderator.club.live_match import Walked, walk
from moderator.match.contract import Conserving, Note, view_for
from moderator.match.replay import effective
from moderator.match.scenes import Grid, Layout, Scene, Snake, Triangles
from moderator.match.table import Table
from moderator.outbox import asked
from moderator.outbox.match_pages import NOBODY, visible
from moderator.pages import theme
from moderator.pages.boards import family_of
from moderator.pages.boards.layers import FONT, LAYERS, Layer, Paper, Shape
from moderator.pages.content import Turn
from moderator.pages.mail import folder
from moderator.states import EntryKind, MatchStatus
from moderator.store import events
from moderator.store.models import Match

KEPT = 0.5
"""A table on which fewer of the tiles still lie is a new one."""
COLOURS: Final = {
    theme.GROUND: "ground",
    theme.GRID: "grid",
    theme.CENTRE: "centre",
    theme.CENTRE_MARK: "centre-mark",
    theme.EDGE: "edge",
    theme.INK: "ink",
    theme.LABEL: "label",
    theme.LAST: "last",
    theme.FIELD: "field",
    theme.VOWEL: "vowel",
    **{colour: f"tile-{height}" for height, colour in enumerate(theme.HEIGHTS, 1)},
    **{colour: f"seat-{number}" for number, (colour, _) in enumerate(theme.PLAYERS, 1)},
}
"""Colours that are variables of the page's style sheet, so that a board can be dark, too."""
_TAG = re.compile(r"<(\w+)([^>]*?)(/?)>")
_THEMES = re.compile(
    r"^(?::root \{\n  color-scheme.*?^\}|@media \(prefers-color-scheme: dark\) \{\n.*?^\})\n", re.DOTALL | re.MULTILINE
)
"""The colours of light and dark screens in site.css."""
_PAINT = re.compile(r' (fill|stroke)="(#[0-9A-F]{6})"')


@dataclass(frozen=True)
class Board:
    """A table from moment ``first`` to moment ``last``."""

    first: int
    last: int
    svg: str
    """An ``<svg>`` element for a page; what is gone at the last moment of the match has the class ``gone``."""
    defs: tuple[str, ...] = ()
    """Drawings that it refers to, by id; the page has them once."""


def boards(scenes: Sequence[Scene]) -> tuple[Board, ...]:
    """The tables of a match, one scene per moment."""
    made, first = [], 0
    for moment in range(1, len(scenes) + 1):
        if moment == len(scenes) or _cleared(scenes[moment - 1], scenes[moment]):
            made.append(_board(scenes[first:moment], first, moment < len(scenes)))
            first = moment
    return tuple(made)


def _cleared(before: Scene, now: Scene) -> bool:
    """Whether a new table has begun."""
    lying = tiles(before)
    return bool(lying) and len(lying & tiles(now)) < KEPT * len(lying)


def tiles(scene: Scene) -> frozenset[Any]:
    """What lies where, in names that stay the same as long as it lies there."""
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
class _Lasting:
    """A part with the moments in which it is there."""

    part: Shape
    first: int
    last: int


def _board(scenes: Sequence[Scene], start: int, gone: bool) -> Board:
    family = family_of(scenes[0])
    canvas = family.canvas(*scenes)
    end = start + len(scenes) - 1
    lasting = merged((family.parts(scene, canvas) for scene in scenes), start)
    layers = "".join(_layer(layer, lasting, start, end) for layer in LAYERS)
    defs = tuple(one.part.svg for one in lasting if one.part.layer == "defs")
    return Board(start, end, _svg(family.paper(canvas), layers, start, end, gone), defs)


def merged(moments: Iterable[Iterable[Shape]], start: int) -> list[_Lasting]:
    """Each part once for each time that it came, in the order of coming."""
    found: list[_Lasting] = []
    here: dict[Shape, _Lasting] = {}
    for moment, parts in enumerate(moments, start):
        now: dict[Shape, _Lasting] = {}
        for part in dict.fromkeys(parts):
            one = here.get(part)
            if one is None:
                one = _Lasting(part, moment, moment)
                found.append(one)
            one.last = moment
            now[part] = one
        here = now
    return found


def _layer(layer: Layer, lasting: Iterable[_Lasting], start: int, end: int) -> str:
    parts = "".join(_group(one, start, end) for one in lasting if one.part.layer == layer)
    return f'<g class="{layer}">{parts}</g>' if parts else ""


def _group(one: _Lasting, start: int, end: int) -> str:
    """``data-from`` and ``data-to``: the moments in which it is there; without them it always is."""
    drawing = painted(one.part.element)
    if (one.first, one.last) == (start, end):
        return drawing
    gone = "" if one.last == end else ' class="gone"'
    return f'<g data-from="{one.first}" data-to="{one.last}"{gone}>{drawing}</g>'


def _svg(paper: Paper, layers: str, first: int, last: int, gone: bool) -> str:
    shown = "board gone" if gone else "board"
    return (
        f'<svg class="{shown}" viewBox="{paper.left:g} {paper.top:g} {paper.width:g} {paper.height:g}" '
        f'data-first="{first}" data-last="{last}" role="img" aria-labelledby="board-says" font-family="{FONT}" '
        f'font-weight="700" text-anchor="middle" style="max-width:{paper.width * 1.3:g}px">{layers}</svg>'
    )


def alone(scene: Scene) -> bytes:
    """A board as a file of its own, light or dark as the screen is on which it is looked at."""
    drawn = boards([scene])[-1]
    css = (folder() / "site" / "site.css").read_text(encoding="utf-8")
    colours = "".join(found[0] for found in _THEMES.finditer(css))
    head = f"<style>{colours}svg{{background:var(--ground)}}</style><defs>{''.join(drawn.defs)}</defs>"
    return (
        drawn.svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", f">{head}", 1).encode()
    )


def sign() -> bytes:
    """The club's sign, which stands for a board that cannot be shown, and for pages without one."""
    return (folder() / "site" / "tile.svg").read_bytes()


def sign_png() -> bytes:
    """The same for messengers, which draw no SVG."""
    from moderator.pages.png import draw

    return draw(sign().decode().replace("<svg ", '<svg width="300" height="300" ', 1))


def painted(svg: str) -> str:
    """The same with the page's colours in place of its own."""
    return _TAG.sub(_tag, svg)


def _tag(tag: re.Match[str]) -> str:
    styles = [f"{what}:var(--{COLOURS[colour]})" for what, colour in _PAINT.findall(tag[2]) if colour in COLOURS]
    if not styles:
        return tag[0]
    rest = _PAINT.sub(lambda paint: "" if paint[2] in COLOURS else paint[0], tag[2])
    return f'<{tag[1]}{rest} style="{";".join(styles)}"{tag[3]}>'


# ---- a match as a row of moments, as everybody may see them: what the page of a match steps through ----
# What a reader without a seat could not know is in none of them while the match runs; afterwards the racks are.


@dataclass(frozen=True)
class Frame:
    """One moment: after the deal (``n`` 0) or after something that moved."""

    n: int
    at: datetime | None
    """When it came into the log; None for the deal."""
    round: int
    lines: tuple[Turn | Note, ...]
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


def frames(desk: Desk, match: Match) -> tuple[Frame, ...]:
    """All moments of a match that has begun, without what was taken back. Raises Suspended if its log does not fit."""
    walked = walk(desk.session, match, desk.config.deadlines)
    open_racks = match.status == MatchStatus.FINISHED
    times = events.times(desk.session, match.number)
    made = [_frame(walked, 0, 0, None, (), (), open_racks)]
    for number, lines, after in _moments(desk, match, walked):
        made.append(_frame(walked, number, len(made), times[number], lines, after, open_racks))
    undone = max((number for number, one in enumerate(walked.entries, 1) if one.kind == EntryKind.UNDO), default=0)
    made[-1] = replace(made[-1], entry=max(made[-1].entry, undone))
    return tuple(made)


def _moments(
    desk: Desk, match: Match, walked: Walked
) -> Iterator[tuple[int, tuple[Turn | Note, ...], tuple[Note, ...]]]:
    """The entries that tell something."""
    players = desk.players(match)
    for number, entry in effective(walked.entries):
        result = walked.results[number - 1]
        told = tuple(asked.lines(desk, entry, result, walked.past[number], NOBODY, players))
        if told:
            yield number, told, visible(result.notes, NOBODY)


def _frame(
    walked: Walked,
    number: int,
    n: int,
    at: datetime | None,
    lines: tuple[Turn | Note, ...],
    after: tuple[Note, ...],
    open_racks: bool,
) -> Frame:
    game, table = walked.live.game, walked.past[number]
    state = table.state
    return Frame(
        n=n,
        at=at,
        round=state.public.round,
        lines=lines,
        after=after,
        scores=tuple(state.scores),
        scene=game.scene(view_for(state, None)),
        unseen=_unseen(walked, table),
        racks=tuple(state.hand(seat) for seat in range(state.seats)) if open_racks else (),
        entry=number,
    )


def _unseen(walked: Walked, table: Table[Any]) -> tuple[tuple[str, int], ...]:
    game = walked.live.game
    if not isinstance(game, Conserving):
        return ()
    first = walked.past[0].state
    every = Counter(tile for tiles in (*first.hands, first.stock, game.on_table(first.public)) for tile in tiles)
    return tuple(sorted((every - Counter(game.on_table(table.state.public))).items()))


# ---- curves of players and tournaments, in the page's colours ----


WIDTH, HEIGHT = 320, 120
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 22
SMALLER = 0.72
"""A page needs no letters as large as a picture in a mail."""
_SIZE = re.compile(r'<svg ([^>]*?)width="([\d.]+)" height="([\d.]+)"')
_GROUND = re.compile(r'<rect x="0" y="0" [^>]*/>')


def rating_curves(shown: Sequence[int], begin: str, end: str, spoken: str) -> str:
    """The ratings after each match; ``begin``, ``end``: what stands below its ends. "" for fewer than two."""
    if len(shown) < 2:
        return ""
    low, high = min(*shown, 1000), max(*shown, 1000)
    span = max(40, high - low)

    def x(at: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * at / (len(shown) - 1)

    def y(value: int) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / span

    rungs = "".join(
        f'<line class="rung" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(at):.1f}" y2="{y(at):.1f}"/>'
        f'<text class="tick" x="{LEFT - 6}" y="{y(at) + 4:.1f}" text-anchor="end">{at}</text>'
        for at in sorted({low, 1000, high})
        if at in (low, high) or min(y(low) - y(at), y(at) - y(high)) > 14
    )
    path = "M" + "L".join(f"{x(at):.1f} {y(value):.1f}" for at, value in enumerate(shown))
    return (
        f'<svg class="graph seat-1" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(spoken)}">{rungs}'
        f'<text class="tick" x="{LEFT}" y="{HEIGHT - 5}">{escape(begin)}</text>'
        f'<text class="tick" x="{WIDTH - RIGHT}" y="{HEIGHT - 5}" text-anchor="end">{escape(end)}</text>'
        f'<path d="{path}"/><circle cx="{x(len(shown) - 1):.1f}" cy="{y(shown[-1]):.1f}" r="3.5"/></svg>'
    )


def place_curves(progress: Mapping[int, Sequence[int | None]], names: Mapping[int, str], language: str) -> str:
    """The place of everybody after each round; "" where there is no course to show."""
    from moderator.pages.crosstable_pictures import progress_svg

    if max(map(len, progress.values()), default=0) < 2:
        return ""
    drawn = _GROUND.sub("", progress_svg(progress, names, language), count=1)
    return _SIZE.sub(
        lambda size: f'<svg class="places" style="max-width:{float(size[2]) * SMALLER:g}px" {size[1]}',
        painted(drawn),
        count=1,
    )
