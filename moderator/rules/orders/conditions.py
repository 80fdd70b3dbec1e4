"""What a player may hang on a tile move: ``64@L ab 10`` (only if it scores that much), and what may stand for one: the
standing order ``nach Ziehen: bester`` (after a forced draw lay at the best place), a wish to pass."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from moderator.common.errors import Illegal
from moderator.common.message_files import load_leading_pattern, load_spelling_pattern, load_spellings
from moderator.rules.orders import SHARED_WORDS

_heard, _leading = partial(load_spelling_pattern, SHARED_WORDS), partial(load_leading_pattern, SHARED_WORDS)

AFTER_DRAW_TEXT = "nach Ziehen: bester"
"""The standing order as the log has it."""
_AT_LEAST = re.compile(
    rf"[\s,(]*(?:(?<=[\s,(])|(?<=\d)){_leading('only')}?{_leading('if')}?"
    rf"(?:{_heard('at-least')}|>=|≥)\s*(?P<points>\d{{1,3}})\s*{_heard('points')}?\.?\s*\)?\s*$",
    re.IGNORECASE,
)
_AFTER_DRAW = re.compile(
    rf"{_heard('after-draw')}\s*[:,–-]?\s*{_leading('always')}?{_leading('best-article')}?"
    rf"{_heard('best')}(?:\s+{_heard('best-place')})?",
    re.IGNORECASE,
)
_PASSES = load_spellings(SHARED_WORDS, "lays-nothing")


@dataclass(frozen=True)
class AfterDraw:
    """The standing order: after a forced draw the best place, of equal ones the lowest."""


def read_after_draw(text: str) -> AfterDraw | None:
    """Return the standing order, if ``text`` is one."""
    return AfterDraw() if _AFTER_DRAW.fullmatch(text.strip().rstrip(".!")) else None


def is_pass(text: str) -> bool:
    """Return whether a line without a number wants to pass or to draw."""
    return not re.search(r"\d", text) and any(word.lower() in _PASSES for word in re.findall(r"[^\W\d_]+", text))


def take(text: str) -> tuple[str, int | None]:
    """Return a move's text without its condition, and the condition's points: ``64@L ab 10`` -> (``64@L``, 10)."""
    found = _AT_LEAST.search(text)
    if found is None or not text[: found.start()].strip():
        return text, None
    return text[: found.start()].rstrip(" \t,"), int(found["points"])


def write(at_least: int | None) -> str:
    """Return a condition as text, `` ab 10``, or "" without one; ``take`` reads it back."""
    return "" if at_least is None else f" ab {at_least}"


def check(at_least: int | None, points: int) -> None:
    """Raise Illegal("scores-less", points, at_least) when the move scores less than its player wants."""
    if at_least is not None and points < at_least:
        raise Illegal("scores-less", points=points, at_least=at_least)
