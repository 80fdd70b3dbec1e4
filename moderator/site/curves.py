"""Curves of players and tournaments as SVG, in the page's colours: ratings, places after each round."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from moderator.site.board import painted

WIDTH, HEIGHT = 320, 120
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 22
SMALLER = 0.72
"""A page needs no letters as large as a picture in a mail."""
_SIZE = re.compile(r'<svg ([^>]*?)width="([\d.]+)" height="([\d.]+)"')
_GROUND = re.compile(r'<rect x="0" y="0" [^>]*/>')


def ratings(shown: Sequence[int], begin: str, end: str, spoken: str) -> str:
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


def places(progress: Mapping[int, Sequence[int | None]], names: Mapping[int, str], language: str) -> str:
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
