"""How a submission of Presto is written: a drawn grid, or a list of placements. Canonical is ``Gitter (EXAMEN / .B)``.

All placements of a mail are one submission, and so is each grid; what comes behind ``sonst`` is another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from moderator.common.errors import Unreadable
from moderator.games.placement import MAX_LINE, is_pass_words
from moderator.games.typdom.board import SIZE, get_square_index
from moderator.games.typdom.notation import parse_placement, prepare_move_line
from moderator.games.typdom.presto_drawing import DrawnGrid, list_drawn_grids
from moderator.games.typdom.presto_layout import (
    CrosswordLayout,
    format_crossword,
    merge_placed_words,
    parse_crossword_rows,
)
from moderator.rules.game import NumberedText, Style
from moderator.rules.orders.markers import BULLET, CHOICE, LISTED, MAIN, STRONG, WEAK, is_fallback_heading

PASS_TEXT = "passe"
MOST_LINES = 40
"""Lines over which our own ``Gitter (…)`` may have been wrapped."""

_GRID = r"(?:mein\s+|my\s+)?(?:gitter|raster|kreuzwort(?:gitter|r(?:ä|ae)tsel)?|grid|crossword|layout)"
_GRID_LINE = re.compile(rf"{_GRID}\s*(?::|(?=[(\[]))\s*(?P<rows>.*)", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(rf"{_GRID}\s*:?\s*", re.IGNORECASE)
_OPEN = re.compile(rf"(?:\S+\s+){{0,4}}?{_GRID}\s*:?\s*\([^()]*", re.IGNORECASE)
_SQUARE = r"(?:[a-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[a-z]{1,2})(?!\w)"
_WORD_FIRST = rf"[^\W\d_][^\s\d+&;,/]*\s+{_SQUARE}"
_PLACED = re.compile(rf"(?:[+&]\s*)?(?:{_SQUARE}\W+\S|{_WORD_FIRST}\s+\S+$)", re.IGNORECASE)
_JOINT = re.compile(
    r"(?:\s*(?:[+&;,/\n]|(?<!\w)(?:und|and|plus|dann|then|danach)(?!\w)))+\s*"
    rf"(?={_SQUARE}|{_WORD_FIRST})",
    re.IGNORECASE,
)
_GIVE_UP = re.compile(r"(?:ICH )?(?:GEBE? AUF|AUFGEBEN)|(?:I )?GIVE UP")
_BRACKETS = re.compile(r"\([^()]*\)")
_ROWS = re.compile(r"[/\n|]")
_EMPTY_SQUARES = str.maketrans(dict.fromkeys("-_–—·•#~□", "."))


@dataclass(frozen=True, slots=True)
class PrestoPass:
    """The move out of this round without a layout."""


@dataclass(frozen=True, slots=True)
class PrestoFinished:
    """The move as others see a submission that is right, as long as the round lasts. Never read from a mail."""


Move = CrosswordLayout | PrestoPass


def format_presto_move(move: Move | PrestoFinished) -> str:
    """Return ``Gitter (EXAMEN / .B)``, ``passe``; ``fertig`` for the move that stands in reports."""
    if isinstance(move, CrosswordLayout):
        return format_crossword(move)
    return PASS_TEXT if isinstance(move, PrestoPass) else "fertig"


def parse_presto_move(line: str, hand: Sequence[str] = ()) -> Move:
    """Parse one submission. ``hand`` is only looked at for the meaning of small letters.

    Raises Unreadable or Ambiguous: those of ``presto_layout.parse_crossword_rows`` and ``notation.parse_placement``,
    two-letters, off-board, line-too-long."""
    text = line.strip()
    if len(text) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    drawn = _GRID_LINE.fullmatch(text)
    if drawn is not None:
        rows = drawn["rows"].strip().translate(_EMPTY_SQUARES)
        if rows[:1] in ("(", "["):
            rows = rows[1:].rstrip(")] ")
        return parse_crossword_rows([row for row in _ROWS.split(rows) if row.strip()], line, hand)
    words = text.rstrip(" .!").upper().split()
    if words and (is_pass_words(words) or _GIVE_UP.fullmatch(" ".join(words))):
        return PrestoPass()
    return _parse_placements(text, line)


def _parse_placements(text: str, line: str) -> CrosswordLayout:
    prepared = prepare_move_line(text)
    masked = _BRACKETS.sub(lambda group: "_" * len(group[0]), prepared)
    joints = list(_JOINT.finditer(masked))
    starts, ends = [joint.end() for joint in joints], [joint.start() for joint in joints]
    words = []
    for first, end in zip([0, *starts], [*ends, len(prepared)], strict=True):
        place, _ = parse_placement(prepared[first:end].strip(" +&;,/\n"), line, SIZE)
        y, x = divmod(get_square_index(place.square), SIZE)
        length = len(place.word.replace("*", ""))
        room = SIZE - (x if place.direction == "w" else y)
        if length > room:
            raise Unreadable("off-board", line=line, word=place.word, square=place.square, room=room, length=length)
        words.append((x, y, place.direction, place.word))
    return merge_placed_words(words, line)


# ---- the lines of a mail ----


def join_submission_lines(lines: Sequence[NumberedText]) -> list[NumberedText]:
    """Join the lines of a mail: each drawn grid becomes a line ``Gitter (…)``, placements one below the other become
    one line, and a marker that stands by itself goes before the lines that it announces."""
    found = {grid.first: grid for grid in list_drawn_grids(lines)}
    made: list[NumberedText] = []
    listed: int | None = None  # where the placements go that are still to come
    at = 0
    while at < len(lines):
        number, text = lines[at]
        if at in found:
            _add_submission(made, number, _format_grid(found[at]))
            at, listed = found[at].end, None
            continue
        if (whole := _find_wrapped_grid(lines, at)) is not None:
            made.append((number, whole[0]))
            at, listed = whole[1], None
            continue
        bare, marked = _strip_markers(text)
        if len(bare) > MAX_LINE or _PLACED.match(bare) is None:
            made.append((number, text))
            listed = None if marked or is_fallback_heading(text) else listed
        elif marked or listed is None:
            listed = _add_submission(made, number, text)
        else:
            before, sofar = made[listed]
            made[listed] = (before, f"{sofar.rstrip(' ;,+')} + {bare.lstrip('+& ')}")
        at += 1
    return made


def _add_submission(made: list[NumberedText], number: int, text: str) -> int:
    """Add a submission, behind its title or a marker that stands by itself. Return its place."""
    if made and _TITLE.fullmatch(made[-1][1].strip()):
        number, _ = made.pop()
    if made and _is_lone_marker(made[-1][1]):
        number, marker = made.pop()
        text = f"{marker.strip()} {text}"
    made.append((number, text))
    return len(made) - 1


def _format_grid(grid: DrawnGrid) -> str:
    return f"Gitter ({' / '.join(grid.rows)})"


def _find_wrapped_grid(lines: Sequence[NumberedText], at: int) -> tuple[str, int] | None:
    """Return (text, index behind it) of ``Gitter (…`` that a mail program wrapped."""
    text = lines[at][1].strip()
    if len(text) > MAX_LINE or not _OPEN.fullmatch(text):
        return None
    for end in range(at + 1, min(at + MOST_LINES, len(lines))):
        text = f"{text} {lines[end][1].strip()}"
        if ")" in text:
            return text, end + 1
    return None


def _strip_markers(text: str) -> tuple[str, bool]:
    """Return a line without bullets, numbers and markers, and whether there was a marker that begins a submission."""
    text, marked = text.strip(), False
    while 0 < len(text) <= MAX_LINE:
        found = BULLET.match(text) or LISTED.match(text)
        if found is None:
            found = next((hit for mark in (STRONG, CHOICE, WEAK, MAIN) if (hit := mark.match(text))), None)
            marked = marked or found is not None
        if found is None or not found.end():
            break
        text = text[found.end() :]
    return text.strip(), marked


def _is_lone_marker(text: str) -> bool:
    rest, marked = _strip_markers(text)
    return marked and not rest


STYLE = Style(
    attempt=re.compile(rf"(?:{_SQUARE}|{_GRID}\s*(?::|\())", re.IGNORECASE),
    joined=re.compile(rf"(?:\+\s*)?{_SQUARE}", re.IGNORECASE),
    chain=re.compile(
        rf"[+&]\s*\S|(?:(?:und|and|dann|then|danach|plus)\s+){{1,2}}(?={_SQUARE}|{_WORD_FIRST})", re.IGNORECASE
    ),
    dangling=re.compile(r"[+&]\s*$"),
    gather=join_submission_lines,
)
"""Placements belong together even behind a semicolon."""
