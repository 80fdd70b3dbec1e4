"""Curves as SVG, in the page's colours: the scores of a match over its moments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from moderator.site.site import Sitting

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 44, 96, 14, 26
APART = 17
"""Between two names at the right edge, at least."""


@dataclass(frozen=True)
class Scale:
    """From moments and points to the picture."""

    last: int
    low: int
    high: int

    def x(self, moment: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * moment / max(1, self.last)

    def y(self, points: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (points - self.low) / max(1, self.high - self.low)


def scores(moments: Sequence[Sequence[int]], seats: Sequence[Sitting]) -> str:
    """A line per seat with its colour, its shape and its name; "" where nobody has scored."""
    every = [points for moment in moments for points in moment]
    if len(moments) < 2 or len(set(every)) < 2:
        return ""
    scale = Scale(len(moments) - 1, min(0, *every), max(every))
    names = _spread([scale.y(points) for points in moments[-1]])
    lines = "".join(_line([moment[s.number] for moment in moments], s, scale, names[s.number]) for s in seats)
    return (
        f'<svg class="graph" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true" data-x0="{LEFT}" '
        f'data-dx="{(WIDTH - LEFT - RIGHT) / max(1, scale.last):.3f}">{_axes(scale)}{lines}'
        f'<line class="now" x1="{scale.x(scale.last):g}" x2="{scale.x(scale.last):g}" y1="{TOP}" '
        f'y2="{HEIGHT - BOTTOM}"/></svg>'
    )


def _axes(scale: Scale) -> str:
    step = _step(scale.high - scale.low)
    first = -(-scale.low // step) * step
    rungs = "".join(
        f'<line class="rung" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{scale.y(at):.1f}" y2="{scale.y(at):.1f}"/>'
        f'<text class="tick" x="{LEFT - 7}" y="{scale.y(at) + 4.5:.1f}" text-anchor="end">{at}</text>'
        for at in range(first, scale.high + 1, step)
    )
    ends = "".join(
        f'<text class="tick" x="{scale.x(moment):.1f}" y="{HEIGHT - 7}" text-anchor="middle">{moment}</text>'
        for moment in sorted({0, scale.last // 2, scale.last})
    )
    return rungs + ends


def _step(span: int) -> int:
    """A round distance that gives at most five lines."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if span / (size * factor) <= 5:
                return size * factor
        size *= 10


def _line(points: Sequence[int], seat: Sitting, scale: Scale, name_at: float) -> str:
    path = f"M{scale.x(0):.1f} {scale.y(points[0]):.1f}" + "".join(
        f"L{scale.x(moment):.1f} {scale.y(now):.1f}"
        for moment, (before, now) in enumerate(pairwise(points), 1)
        if now != before or moment == len(points) - 1 or points[moment + 1] != now
    )
    right = WIDTH - RIGHT + 8
    return (
        f'<g class="{seat.colour}"><path d="{path}"/><text x="{right}" y="{name_at + 5:.1f}">{seat.shape} '
        f"{escape(_short(seat.name))}</text></g>"
    )


def _short(name: str) -> str:
    return name if len(name) <= 9 else f"{name[:8]}…"


def _spread(heights: Sequence[float]) -> list[float]:
    """The same, moved until no two are nearer than ``APART``."""
    order = sorted(range(len(heights)), key=lambda seat: heights[seat])
    placed = [0.0] * len(heights)
    lowest = float(TOP)
    for seat in order:
        placed[seat] = lowest = max(heights[seat], lowest)
        lowest += APART
    over = placed[order[-1]] - (HEIGHT - BOTTOM)
    for seat in reversed(order):
        if over <= 0:
            break
        placed[seat] -= over
        below = [placed[other] for other in order if heights[other] < heights[seat]]
        over = max(below, default=-APART) + APART - placed[seat]
    return placed
