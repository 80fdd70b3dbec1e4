"""Grids that a player draws in a mail: which lines are one, and which square each letter stands on.

People draw with dots or without, with letters side by side or apart, indented, with names of rows and columns. A line
of a grid is told from prose by its signs for empty squares, its single letters or its capitals; what is drawn is
connected, which tells how its blanks are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from moderator.games.typdom.board import TypdomTable
from moderator.games.typdom.presto_layout import EMPTY, build_crossword_rows, list_connected_parts
from moderator.games.typdom.tiles import STAR, STARS, VOWELS
from moderator.rules.game import NumberedText
from moderator.rules.orders.markers import STRONG, WEAK
from moderator.words.letters import clean_word

LONGEST = 160
"""Characters of a drawn row at most."""
MOST_ROWS = 60
FEWEST, FEWEST_CAPITALS, MOST = 4, 10, 60
"""Letters of a grid; more are asked of one that nothing but its capitals tells from prose."""

_EMPTIES = str.maketrans(dict.fromkeys("-_–—‒−#~•∙⋅□■▢░▒▓█☐⬜⬛◻◽", EMPTY))
_ROW_NAME = re.compile(r"\s*\d{1,2}(?:[:)|]|\.(?=\s)|(?=[\s|.*(]))")
_NAME_BEHIND = re.compile(r"[\s|]\d{1,2}\s*$")
_BRACKETED = re.compile(r"\(([^\W\d_])\)")
_CELL = re.compile(r"(?P<star>\*)(?P<after>[^\W\d_])|(?P<before>[^\W\d_])\*(?=\s|$)|(?P<bare>[^\W\d_]|\.|\*)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_INNER = re.compile(r"(?:^|\s|[A-Z])\.+\*?[^\W\d_]|\*[^\W\d_]|[^\W\d_]\.{2,}\*?[^\W\d_]|[a-z]\.[a-z]")
"""An empty square before or between letters, or a jolly: »..E«, »E..N«, »T*E«; not the full stop of »Hallo. Gut«."""


@dataclass(frozen=True)
class DrawnGrid:
    """A grid found in a mail: its first line and the one behind its last, and its rows as ``Gitter (…)`` has them."""

    first: int
    end: int
    rows: tuple[str, ...]


@dataclass(frozen=True)
class _GridRow:
    text: str
    """With ``.`` for empty squares, without borders and names, but with its blanks."""
    strength: int
    """3: surely drawn, 2: capitals, 1: might be a word of prose, 0: nothing but empty squares."""


def list_drawn_grids(lines: Sequence[NumberedText]) -> list[DrawnGrid]:
    """Return all grids in some lines, in order. Takes linear time."""
    found = []
    rows = [_find_row(text) for _, text in lines]
    for first, end in _iter_blocks(lines, rows):
        for block in _split_at_prose([(at, row) for at in range(first, end) if (row := rows[at]) is not None]):
            drawn = _find_grid_rows([row for _, row in block])
            if drawn is not None:
                found.append(DrawnGrid(block[0][0], block[-1][0] + 1, drawn))
    return found


# ---- lines ----


def _find_row(text: str) -> _GridRow | None:
    """Return a line that may be a row of a grid; None if it is none."""
    if len(text) > LONGEST:
        return None
    plain = clean_word(text).translate(_EMPTIES).translate(STARS).replace("\t", " ")
    plain = _BRACKETED.sub(r" *\1", plain)
    name = _ROW_NAME.match(plain)
    if name is not None:
        plain = " " * name.end() + plain[name.end() :]
    plain = _NAME_BEHIND.sub("", plain)
    plain = re.sub(r"[|¦│┃]", " ", plain).rstrip()
    if not plain.strip() or not all(c in " .*" or c.isupper() or c.islower() for c in plain):
        return None
    strength = None if _is_marker(plain) else _find_strength(plain)
    return None if strength is None else _GridRow(plain, strength)


def _is_marker(plain: str) -> bool:
    """Return whether a line is ``sonst`` between two grids; in capitals it is a word of theirs."""
    word = plain.strip()
    return not word.isupper() and any(mark.fullmatch(word) for mark in (WEAK, STRONG))


def _find_strength(plain: str) -> int | None:
    """Return how surely a line is drawn; None for prose."""
    small, big = sum(c.islower() for c in plain), sum(c.isupper() for c in plain)
    pieces = plain.split()
    words = [piece for piece in pieces if _WORD.fullmatch(piece)]
    if small + big == 0:
        return 0 if STAR not in plain else None
    if all(len(piece) == 1 or (len(piece) == 2 and STAR in piece) for piece in pieces):
        return 3  # single letters and empty squares
    if small > 2 and (len(words) > 1 or (words and EMPTY in pieces)):
        return None
    if _INNER.search(plain):
        return 3
    if small <= 2 and big > small:
        return 3 if EMPTY in plain.rstrip(EMPTY) or plain.endswith(2 * EMPTY) else 2
    return 1 if len(pieces) == 1 else None


def _iter_blocks(lines: Sequence[NumberedText], rows: Sequence[_GridRow | None]) -> Iterator[tuple[int, int]]:
    """Yield (first, end) of stretches of rows without a blank line, or with a blank line after each."""
    stretches: list[list[int]] = []
    for at, row in enumerate(rows):
        if row is None:
            continue
        joined = stretches and stretches[-1][-1] == at - 1 and lines[at][0] - lines[at - 1][0] <= 1
        if joined:
            stretches[-1].append(at)
        else:
            stretches.append([at])
    whole: list[list[int]] = []
    for stretch in stretches:
        alone = whole and len(stretch) == 1 and whole[-1][-1] == stretch[0] - 1
        if alone and all(lines[b][0] - lines[a][0] > 1 for a, b in pairwise(whole[-1])):
            whole[-1] += stretch
        else:
            whole.append(stretch)
    yield from ((stretch[0], stretch[-1] + 1) for stretch in whole if 1 < len(stretch) <= MOST_ROWS)


Block = list[tuple[int, _GridRow]]
"""Rows below each other, each with the place of its line."""


def _split_at_prose(block: Block) -> list[Block]:
    """Return the block cut at words of small letters if its grid is in capitals; each part without empty rows and names
    of columns at both ends."""
    sure = [row.text for _, row in block if row.strength > 1]
    capitals = sum(c.isupper() for text in sure for c in text) > sum(c.islower() for text in sure for c in text)
    found: list[Block] = [[]]
    for at, row in block:
        if row.strength == 1 and capitals:
            found.append([])
        else:
            found[-1].append((at, row))
    return [trimmed for part in found if (trimmed := _trim_block(part))]


def _trim_block(block: Block) -> Block:
    while block and _is_outside_grid(block[0][1]):
        block = block[1:]
    while block and _is_outside_grid(block[-1][1]):
        block = block[:-1]
    return block


def _is_outside_grid(row: _GridRow) -> bool:
    """Return whether a row has nothing but empty squares, or names of columns: ``A B C D``, ``T U V W``."""
    letters = row.text.replace(" ", "").upper()
    follow = all(ord(b) - ord(a) == 1 for a, b in pairwise(letters))
    return row.strength == 0 or (len(letters) > 3 and follow)


# ---- squares ----


def _find_grid_rows(block: Sequence[_GridRow]) -> tuple[str, ...] | None:
    """Return the rows of a grid, top left square first; None if the block is none."""
    texts = [row.text for row in block]
    letters = sum(c.isalpha() for text in texts for c in text)
    surely = any(row.strength == 3 for row in block)
    if not surely and any(row.strength < 2 for row in block):
        return None
    if len(block) < 2 or not (FEWEST if surely else FEWEST_CAPITALS) <= letters <= MOST:
        return None
    readings = [reading for reading in _iter_readings(texts) if reading]
    squares = next((reading for reading in readings if _is_connected(reading)), readings[0] if surely else None)
    if squares is None:
        return None
    rows = build_crossword_rows(squares)
    if all(len(row.replace(STAR, "")) == 1 for row in rows) or _is_printed_rack(texts, rows):
        return None
    return rows


def _is_printed_rack(texts: Sequence[str], rows: Sequence[str]) -> bool:
    """Return whether these are the tiles of a rack as mails print them: no empty squares, and rows of the same length
    but for the last, or rows that hold either vowels or consonants."""
    letters = [row.replace(STAR, "").upper() for row in rows]
    if EMPTY in "".join((*texts, *rows)):
        return False
    lengths = [len(row) for row in letters]
    full = len(set(lengths[:-1])) == 1 and lengths[-1] <= lengths[0] and lengths[0] > 2
    return full or all(len({letter in VOWELS for letter in row}) == 1 for row in letters)


Reading = dict[tuple[int, int], str]


def _iter_readings(texts: Sequence[str]) -> Iterator[Reading]:
    """Yield the ways in which the blanks may be meant, the likeliest first: between squares only, or as empty
    squares."""
    if any(EMPTY in text for text in texts):
        yield _parse_packed(texts)
    for spread in (_parse_aligned(texts), _parse_placed(texts)):
        left = min((x for x, _ in spread), default=0)
        step = gcd(*(x - left for x, _ in spread)) or 1
        if step > 1:
            yield {((x - left) // step, y): cell for (x, y), cell in spread.items()}
        yield spread


def _parse_packed(texts: Sequence[str]) -> Reading:
    """Return the grid if blanks mean nothing."""
    return {
        (x, y): cell for y, text in enumerate(texts) for x, (_, cell) in enumerate(_iter_cells(text)) if cell != EMPTY
    }


def _parse_aligned(texts: Sequence[str]) -> Reading:
    """Return the grid if each character is a square, and the stars of jollies widen the drawing: where one stands, all
    rows have a column that is none. Nothing if a letter stands there."""
    stars = {x - 1 for text in texts for x, cell in _iter_cells(text) if cell.startswith(STAR)}
    found: Reading = {}
    for y, text in enumerate(texts):
        for x, cell in _iter_cells(text):
            if x in stars:
                return {}
            if cell != EMPTY:
                found[x - sum(star < x for star in stars), y] = cell
    return found


def _parse_placed(texts: Sequence[str]) -> Reading:
    """Return the grid if each character is a square, but for the stars of jollies."""
    found: Reading = {}
    for y, text in enumerate(texts):
        shift = 0
        for x, cell in _iter_cells(text):
            shift += cell.startswith(STAR)
            if cell != EMPTY:
                found[x - shift, y] = cell
    return found


def _iter_cells(text: str) -> Iterator[tuple[int, str]]:
    """Yield (position, cell) of each letter, with its star before it, and of each empty square."""
    for match in _CELL.finditer(text):
        letter = match["after"] or match["before"]
        yield match.end() - 1 if match["after"] else match.start(), STAR + letter if letter else match["bare"]


def _is_connected(reading: Reading) -> bool:
    return (
        len(list_connected_parts(TypdomTable(LONGEST, {y * LONGEST + x: cell for (x, y), cell in reading.items()})))
        == 1
    )
