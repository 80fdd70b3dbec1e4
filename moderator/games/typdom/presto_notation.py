"""How a submission of Presto is written: a drawn grid, or a list of placements. Canonical is ``Gitter (EXAMEN / .B)``.

All placements of a mail are one submission, and so is each grid; what comes behind ``sonst`` is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from moderator.common.errors import Unreadable
from moderator.common.message_files import load_leading_pattern, load_spelling_pattern
from moderator.games.placement import MAX_LINE, is_pass_words
from moderator.games.typdom.board import SIZE, TypdomTable, get_square_index
from moderator.games.typdom.notation import CHAIN, HERE, SQUARE, parse_placement, prepare_move_line
from moderator.games.typdom.presto_state import (
    EMPTY,
    CrosswordLayout,
    build_crossword_rows,
    format_crossword,
    list_connected_parts,
    merge_placed_words,
    parse_crossword_rows,
)
from moderator.games.typdom.tiles import STAR, STARS, VOWELS
from moderator.rules.game import NumberedText, Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.markers import BULLET, CHOICE, LISTED, MAIN, PRONOUN, STRONG, WEAK, is_fallback_heading
from moderator.words.kinds import clean_word

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


# ---- submissions, drawn or as a list ----


PASS_TEXT = "passe"
MOST_LINES = 40
"""Lines over which our own ``Gitter (…)`` may have been wrapped."""

_GRID = rf"{load_leading_pattern(SHARED_WORDS, 'my')}?{load_spelling_pattern(HERE, 'grid')}"
_GRID_LINE = re.compile(rf"{_GRID}\s*(?::|(?=[(\[]))\s*(?P<rows>.*)", re.IGNORECASE | re.DOTALL)
_TITLE = re.compile(rf"{_GRID}\s*:?\s*", re.IGNORECASE)
_OPEN = re.compile(rf"(?:\S+\s+){{0,4}}?{_GRID}\s*:?\s*\([^()]*", re.IGNORECASE)
_WORD_FIRST = rf"[^\W\d_][^\s\d+&;,/]*\s+{SQUARE}"
_PLACED = re.compile(rf"(?:[+&]\s*)?(?:{SQUARE}\W+\S|{_WORD_FIRST}\s+\S+$)", re.IGNORECASE)
_AND = load_spelling_pattern(SHARED_WORDS, "and", "plus", "then", "afterwards")
_JOINT = re.compile(rf"(?:\s*(?:[+&;,/\n]|(?<!\w){_AND}(?!\w)))+\s*(?={SQUARE}|{_WORD_FIRST})", re.IGNORECASE)
_GIVE_UP = re.compile(rf"{PRONOUN}{load_spelling_pattern(HERE, 'give-up')}", re.IGNORECASE)
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

    Raises Unreadable or Ambiguous: those of ``presto_state.parse_crossword_rows`` and ``notation.parse_placement``,
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
    prepared = prepare_move_line(text)
    masked = _BRACKETS.sub(lambda group: "_" * len(group[0]), prepared)
    joints = list(_JOINT.finditer(masked))
    starts, ends = [joint.end() for joint in joints], [joint.start() for joint in joints]
    placed = []
    for first, end in zip([0, *starts], [*ends, len(prepared)], strict=True):
        place, _ = parse_placement(prepared[first:end].strip(" +&;,/\n"), line, SIZE)
        y, x = divmod(get_square_index(place.square), SIZE)
        length = len(place.word.replace("*", ""))
        room = SIZE - (x if place.direction == "w" else y)
        if length > room:
            raise Unreadable("off-board", line=line, word=place.word, square=place.square, room=room, length=length)
        placed.append((x, y, place.direction, place.word))
    return merge_placed_words(placed, line)


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
            _add_submission(made, number, f"Gitter ({' / '.join(found[at].rows)})")
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
    attempt=re.compile(rf"(?:{SQUARE}|{_GRID}\s*(?::|\())", re.IGNORECASE),
    joined=re.compile(rf"(?:\+\s*)?{SQUARE}", re.IGNORECASE),
    chain=re.compile(rf"{CHAIN}(?={SQUARE}|{_WORD_FIRST})", re.IGNORECASE),
    dangling=re.compile(r"[+&]\s*$"),
    gather=join_submission_lines,
)
"""Placements belong together even behind a semicolon."""
