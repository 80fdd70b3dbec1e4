"""The pictures of a tournament's final report; each is drawn once, however many readers it has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from moderator.render.cups import CupTable, CupView
from moderator.render.messages import clean_name, label
from moderator.render.pages import Page
from moderator.tournament.crosstable import Crosstable

MOST: Final = 20
"""With more entrants nothing could be read on a phone, and the pictures weigh too much."""


@dataclass(frozen=True)
class Picture:
    cid: str
    alt: str
    width: int
    svg: str


def pictures(page: Page) -> tuple[Picture, ...]:
    """Crosstable and progress of the reader's division, for those who want pictures; () in other mails."""
    found: list[Picture] = []
    for view in page.cups:
        table = _own_table(view)
        if view.topic != "final" or page.reader.board != "png" or table is None or table.table is None:
            continue
        if len(table.table.lines) > MOST:
            continue
        language = page.reader.language
        found.append(_picture(page, view, "table", _cross(table.table, language), label("cup-alt-cross", language)))
        if table.progress and max(map(len, table.progress.values())) > 1:
            svg = _progress(_places(table), _names(table.table), language)
            found.append(_picture(page, view, "progress", svg, _spoken(table.table, language)))
    return tuple(found)


def _own_table(view: CupView) -> CupTable | None:
    own = [table for table in view.tables if table.division == (view.own or 1)]
    return own[0] if own else None


def _picture(page: Page, view: CupView, what: str, svg: str, alt: str) -> Picture:
    domain = re.sub(r"[^A-Za-z0-9.-]", "", page.reply.address.rpartition("@")[2]) if page.reply else ""
    code = re.sub(r"[^a-z0-9]+", "", view.code.lower())
    width = re.search(r'width="([\d.]+)"', svg)
    assert width is not None
    return Picture(f"{code}-{what}@{domain or 'moderator.invalid'}", alt, round(float(width[1])), svg)


def _places(table: CupTable) -> tuple[tuple[int, tuple[int | None, ...]], ...]:
    return tuple((number, tuple(places)) for number, places in (table.progress or {}).items())


def _names(table: Crosstable) -> tuple[tuple[int, str], ...]:
    return tuple((line.number, line.name) for line in table.lines)


def _spoken(table: Crosstable, language: str) -> str:
    places = [
        label("cup-alt-place", language, place=line.place, name=clean_name(line.name))
        for line in table.lines
        if line.place
    ]
    return label("cup-alt-progress", language, places=places)


@lru_cache(maxsize=16)
def _cross(table: Crosstable, language: str) -> str:
    from moderator.tournament.pictures import crosstable_svg

    return crosstable_svg(table, language)


@lru_cache(maxsize=16)
def _progress(
    places: tuple[tuple[int, tuple[int | None, ...]], ...], names: tuple[tuple[int, str], ...], language: str
) -> str:
    from moderator.tournament.pictures import progress_svg

    return progress_svg(dict(places), dict(names), language)
