"""What players write to each other, as lines that nobody's mail program or our own reader can take for an order.

Every line begins with ``¦``: the reply cutter takes such a line for a quotation, and no notation knows the sign. Lines
are short, so that no program wraps them and puts a part of one at the beginning of a line without its sign.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moderator.match.orders import CITED
from moderator.pages.messages import label
from moderator.printable import clean, clean_name

if TYPE_CHECKING:
    from moderator.pages.pages import Page, PressItem

SIGN = CITED
WIDTH = 40
"""Columns of a line with its sign: fits on a phone in the size of the other text."""
LONGEST = 4000


@dataclass(frozen=True)
class Letter:
    """From whom to whom, then the text; each line has its sign."""

    head: tuple[str, ...]
    lines: tuple[str, ...]


def letters(page: Page) -> tuple[Letter, ...]:
    """The page's press."""
    return tuple(Letter(shown(_head(item, page.reader.language)), shown(item.text)) for item in page.press)


def _head(item: PressItem, language: str) -> str:
    names = [clean_name(name) for name in item.to]
    who = label("press-you", language) if item.you else clean_name(item.by)
    code = "press-to" if names else "press-to-all"
    return label(f"{code}-in" if item.match else code, language, who=who, names=names, match=item.match)


def shown(text: str) -> tuple[str, ...]:
    """The lines of a text as they are printed."""
    found: list[str] = []
    for line in text.splitlines():
        wrapped = textwrap.wrap(clean(line, LONGEST), WIDTH - 2, break_on_hyphens=False) or [""]
        found += [f"{SIGN} {piece}".rstrip() for piece in wrapped]
    return tuple(found)
