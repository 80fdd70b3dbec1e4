"""The words and signs around a move in a player's line: ``Ersatz 2:``, ``sonst``, bullets.

The one difficulty: SONST, ELSE, ERSATZ and OR are also words that can be laid. A marker in the middle of a line
separates only outside brackets, only before something that looks like a move, and not right after a bare
coordinate (``E5 w SONST`` lays SONST).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from moderator.common.message_files import (
    build_any_pattern,
    load_leading_pattern,
    load_spelling_pattern,
    load_spellings,
)
from moderator.rules.game import PLAIN, Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.conditions import read_after_draw

MAX_CHARS = 1000
"""A longer stretch between semicolons is no move; it is passed on as it is, unsearched."""


@dataclass(frozen=True)
class Alternative:
    """One part of an order. ``text`` is the bare move, without bullets and markers."""

    text: str
    fallback: bool = False
    """Marked as a fallback, by a word or by a number above 1."""
    rank: int | None = None
    """The number of ``Ersatz 2:`` or ``2.``."""
    original: str = ""
    """As written."""
    marked: bool = False
    """Marked beyond doubt (``Ersatz:``, ``Zug:``): an order even if nothing in it looks like one."""
    loose: bool = False
    """Parted from the one before it by something that might as well join two parts of one move (``oder``, ``dann``, a
    semicolon in games that write it inside of a move): if it cannot be read, the one before it is no move either."""


_heard, _leading = partial(load_spelling_pattern, SHARED_WORDS), partial(load_leading_pattern, SHARED_WORDS)
PRONOUN = f"{_leading('pronoun')}?"
_STRONG = rf"{_heard('fallback')}(?:\s+{_heard('move-noun')})?"
_WEAK = (
    rf"{_heard('else')}|{_leading('if')}{_leading('if-that')}?{_heard('if-not')}(?:\s+{_heard('if-possible')})?"
    rf"|{_heard('if-it-fails', 'or', 'then')}(?=\s*:|\s+\S*\d)"
)
_CHOICE = rf"(?P<choice>\d)\s*(?:\.|{_heard('ordinal')})?\s*{_heard('choice')}"
_MAIN = rf"(?:{_leading('my')}|1\.\s*)?{_heard('main-move')}(?:\s*\d{{1,3}})?"
_CHANGED = _heard("changed-move")
"""Words of somebody who has thought of another move. ``Change:`` is one only before a move with a number in it, for it
also exchanges tiles."""
_NUMBER = (
    rf"(?:\s*(?:{_heard('number')}|#)?\s*(?P<rank>\d{{1,2}})\s*(?:[.):]+|[-–—](?=\s|[^\W\d]))"
    rf"|\s+(?:{_heard('number')}\s*|#)?(?P<one>\d)(?![\w.:/]|-\d))?"
)
_TILE = rf"\d(?:\s?[-:/]?\s?\d){{1,2}}\s*(?:@|{_heard('tile-at')}\b)"
"""A tile of digits and the word that puts it somewhere: ``6-4 an``, ``225@``."""
_END = r"(?:\s*[:.,=)]+\s*|\s+[-–—>]+\s+|\s+|$)"
_AND_OR = _heard("and", "or")

STRONG = re.compile(rf"(?:(?P<first>\d{{1,2}})\s*[.)]?\s*)?{_STRONG}(?![^\W\d]){_NUMBER}{_END}", re.I)
WEAK = re.compile(rf"(?:{_AND_OR}\s+(?={_heard('else', 'if')}))?(?:{_WEAK})(?!\w){_END}", re.I)
CHOICE = re.compile(rf"{_CHOICE}(?!\w){_END}", re.I)
MAIN = re.compile(
    rf"(?:{_CHANGED}|{_heard('change')}(?=[^\n]*\d))\s*:\s*|{_MAIN}\s*[:=](?!\s*«\s)\s*|{_MAIN}\s+(?=[a-z]{{1,2}}\d{{1,2}}\s+\S+\s+\S|{_TILE})",
    re.I,
)
LISTED = re.compile(r"\(?(?P<rank>\d{1,2})(?:\.\)|[.):])(?!\d)\s*|\(?(?P<letter>[a-f])\)\s*", re.I)
LISTED_NO_COLON = re.compile(LISTED.pattern.replace("[.):]", "[.)]"), re.I)
BULLET = re.compile(r"[-*•·–—+>→]+\s+|[-•·–—→]+(?=[^\W\d])")
BETWEEN = re.compile(rf"(?<![\w(])(?:(?:{_STRONG})(?![^\W\d]){_NUMBER}|(?:{_WEAK})(?!\w))", re.I)
LISTED_BETWEEN = re.compile(rf"{BETWEEN.pattern}|(?<=\s)[2-9][.)]\s+(?=[a-z]\s?\d|\d+\s?[a-z]|{_TILE})", re.I)
HEADING = re.compile(rf"[-*•\s]*(?:{_STRONG}|{_heard('fallbacks')})\s*:\s*", re.I)

GLUED = re.compile(r"(?<![\w@])(?:[a-z]{1,2}\d{1,2}|\d{1,2}[a-z]{1,2})(?![\w@])", re.I)
LEADING = re.compile(rf"\(?(?:[a-z]\s?\d{{1,2}}|\d{{1,2}}\s?[a-z])(?!\w)|{_TILE}|\d\s*[-:/]\s*\d", re.I)
_SHORT = [word for word in load_spellings(SHARED_WORDS, "across-short", "down-short") if len(word) > 2]
DIRECTIONS = rf"(?:{build_any_pattern(_SHORT)}\w*|{_heard('across', 'down')})"
"""What says a direction in three letters and more, and what begins so."""
BARE = re.compile(
    rf"\W*(?:[a-z]{{1,2}}\s?\d{{1,2}}|\d{{1,2}}\s?[a-z]{{1,2}})?[\s,]*(?:[swhvd]|{DIRECTIONS})?\.?\W*", re.I
)
PASSES = re.compile(rf"{PRONOUN}{_heard('pass')}(?!\w)", re.I)
SWAPS = re.compile(rf"{PRONOUN}{_heard('exchange', 'exchange-begun', 'wish')}(?!\w)", re.I)
DIRECTION = re.compile(rf"(?<!\w)(?:[swhv]|{_heard('across', 'down')})(?!\w)", re.I)
THEN = re.compile(rf"{_heard('then')}(?!\w)", re.I)
AMBIGUOUS = re.compile(rf"(?:{_heard('and')}\s+)?{_heard('then', 'or')}(?!\w)\s*", re.I)
"""Words that part two moves, or two parts of one."""
TAIL = re.compile(rf"(?<![=\s])\s+{_AND_OR}\s*$", re.I)
CITED = re.compile(
    r"(?:(?<=\s)|^)«\s[^«»]*(?:»|$)|^[^«»]*\s»(?=[\s.,;:!?)]|$)"
    r"|(?<=[^\s»«])\s*»[^«»]*(?:«|$)|^[^«»]*(?<!\s)«"
    r"|„[^„“”]*[“”]|(?<=[^\s“”])\s+“[^“”]*(?:”|$)|^[^„“”]*”"
)
"""A move that a mail of ours names in the middle of a line, or the part of it that a mail program left there."""
BRACKETS = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")
CAPITALS = re.compile(r"(?<!\w)[A-ZÄÖÜ]{3,}(?!\w)")


def split_alternatives(text: str, style: Style = PLAIN) -> tuple[Alternative, ...]:
    """Return the alternatives of a text in the order in which they are written; empty ones are left out.

    What follows a fallback on its line, or a heading, is a fallback too."""
    found = []
    heading = False
    lines = text.splitlines()
    if style.gather is not None and len(lines) > 1:
        lines = [line for _, line in style.gather([one for one in enumerate(lines, start=1) if one[1].strip()])]
    for line in join_lines(lines, style):
        fallback = heading = heading or is_fallback_heading(line)
        inside = False
        for part in _split_at_semicolons(line, style):
            for piece, between in _split_at_markers(part, style):
                loose = inside and _is_loose(piece, between, style)
                alternative = replace(_strip_markers(piece, between or fallback, style), loose=loose)
                fallback = alternative.fallback
                if alternative.text:
                    inside = True
                    found.append(alternative)
    return tuple(found)


def _is_loose(piece: str, between: bool, style: Style) -> bool:
    """Return whether a piece that is not the first of its line may belong to the one before it; ``between``: it is
    parted by a marker and no semicolon."""
    text = piece.strip()
    if AMBIGUOUS.match(text):
        return True
    return not (between or BETWEEN.match(text)) and style.joined is not None


def join_lines(lines: Iterable[str], style: Style) -> list[str]:
    """Join the lines of which one goes on with the next."""
    whole: list[str] = []
    for line in lines:
        join = find_joint(whole[-1], line, style) if whole else None
        if join is None:
            whole.append(line)
        else:
            whole[-1] = f"{whole[-1].rstrip()}{join}{line.strip()}"
    return whole


def find_joint(before: str, line: str, style: Style) -> str | None:
    """Return the text that goes between two lines that are one order; None if they are not."""
    if is_continued_by(before, line, style):
        return " "
    whole = before.rstrip(" ;")
    if (
        not line.strip()
        or not _is_unfinished(whole.rsplit(";", 1)[-1], style)
        or _strip_markers(line, False, style).fallback
    ):
        return None
    return " " if before.rstrip().endswith(";") else "; "


def is_continued_by(before: str, line: str, style: Style) -> bool:
    """Return whether a line says by its first or the line before by its last sign that both are one move, so that
    neither may be read without the other."""
    if not before.strip() or not line.strip() or len(before) > MAX_CHARS or is_chained(before, style):
        return False
    return is_chained(line, style) or (style.dangling is not None and style.dangling.search(before) is not None)


def is_chained(text: str, style: Style) -> bool:
    """Return whether a text begins as the rest of a move does."""
    return style.chain is not None and style.chain.match(text.strip()[:MAX_CHARS]) is not None


def _is_unfinished(part: str, style: Style) -> bool:
    """Return whether a part goes on behind its semicolon."""
    if style.unfinished is None or len(part) > MAX_CHARS:
        return False
    return style.unfinished.fullmatch(_strip_markers(part, False, style).text) is not None


def is_fallback_heading(text: str) -> bool:
    """Return whether a line only announces fallbacks: ``Ersatzzüge:``."""
    return len(text) <= MAX_CHARS and HEADING.fullmatch(text.strip()) is not None


def is_order_attempt(piece: Alternative, style: Style = PLAIN) -> bool:
    """Return whether an unreadable piece was meant as an order, so that its error is worth telling."""
    text = piece.text[:MAX_CHARS]
    if (link := AMBIGUOUS.match(text)) is not None:
        text = text[link.end() :]
    if piece.marked or may_be_move(text, style):
        return True
    text = _NAMED.sub(" ", text)
    if len(text.split()) <= 10 and any(not re.fullmatch(r"\d+[hx]", hit) for hit in GLUED.findall(text)):
        return True
    order = CAPITALS.search(text) is not None
    return order and (piece.fallback or DIRECTION.search(text) is not None or GLUED.search(text) is not None)


_NAMED = re.compile(r"(?<=\w\s)(?:„[^„“”\"]{1,60}[“”\"]|“[^“”]{1,60}”|\"[^\"]{1,60}\"|»[^«»]{1,60}«|«[^«»]{1,60}»)")
"""What is called so in a sentence: a match may have the name of a square."""


def may_be_move(text: str, style: Style = PLAIN) -> bool:
    """Return whether a text starts with a coordinate, a tile or a word like ``passe``, ``tausche``."""
    words = len(text.split())
    if (style.attempt is not None and style.attempt.match(text)) or read_after_draw(text) is not None:
        return True
    if LEADING.match(text) or (PASSES.match(text) and words <= 3):
        return True
    swap = SWAPS.match(text)
    return swap is not None and (words <= 3 or CAPITALS.search(text, swap.end()) is not None)


def _split_at_semicolons(line: str, style: Style) -> list[str]:
    """Split a line at its semicolons; those in brackets, as in ``HAUS (AH; US)``, and in what is cited do not count."""
    masked = CITED.sub(_mask_text, BRACKETS.sub(_mask_text, line))
    cuts = [-1, *(at for at, character in enumerate(masked) if character == ";"), len(line)]
    parts: list[str] = []
    for part in (line[a + 1 : b] for a, b in itertools.pairwise(cuts)):
        if parts and parts[-1].strip() and is_continuation(parts[-1], part, style):
            parts[-1] += f";{part}"
        else:
            parts.append(part)
    return parts


def _mask_text(found: re.Match[str]) -> str:
    return "_" * len(found[0])


def is_continuation(before: str, part: str, style: Style) -> bool:
    """Return whether two parts between semicolons are one order."""
    if is_chained(part, style) or (style.joined is not None and style.joined.match(part.strip())):
        return True
    return (
        _is_unfinished(before.rsplit(";", 1)[-1], style)
        and bool(part.strip())
        and not _strip_markers(part, False, style).fallback
    )


def _split_at_markers(part: str, style: Style) -> list[tuple[str, bool]]:
    """Split a part between semicolons before each marker in its middle: (text, it began with a marker)."""
    if len(part) > MAX_CHARS:
        return [(part, False)]
    cut: list[tuple[str, bool]] = []
    start = 0
    masked = BRACKETS.sub(_mask_text, part)
    for marker in (LISTED_BETWEEN if LISTED.match(part.strip()) else BETWEEN).finditer(part):
        before, after = part[start : marker.start()], part[marker.end() :].lstrip(" \t:.,-–")
        shorter = TAIL.sub("", f" {before}")
        if masked[marker.start()] == "_" or not any(character.isalnum() for character in shorter):
            continue
        if is_chained(part[marker.start() :], style) or (_is_unfinished(shorter, style) and THEN.match(marker[0])):
            continue
        before = before if BARE.fullmatch(shorter) else shorter
        if (
            _strip_markers(before, False, style).text
            and may_be_move(after, style)
            and (not BARE.fullmatch(before) or LEADING.match(after))
        ):
            cut.append((before, start > 0))
            start = marker.start()
    return [*cut, (part[start:], start > 0)]


def _strip_markers(piece: str, fallback: bool, style: Style) -> Alternative:
    """Strip bullets, numbers and markers off a piece, again and again, as in ``- 2. Ersatz 2: sonst C3 s MOND``."""
    text, rank, marked = piece.strip(), None, False
    listed = LISTED if style.colon_numbers else LISTED_NO_COLON
    while 0 < len(text) <= MAX_CHARS:
        if found := BULLET.match(text):
            pass
        elif found := STRONG.match(text):
            number = found["rank"] or found["one"] or found["first"]
            rank = int(number) if number else rank
            strong = bool(number) or ":" in found[0]
            fallback, marked = True, marked or strong
        elif found := CHOICE.match(text):
            rank = int(found["choice"])
            fallback, marked = fallback or rank > 1, True
        elif not is_chained(text, style) and (found := WEAK.match(text)):
            fallback = True
        elif found := MAIN.match(text):
            marked = True
        elif found := listed.match(text):
            number = found["rank"] or str(ord(found["letter"].lower()) - ord("a") + 1)
            rank = int(number) if rank is None and int(number) > 1 else rank
            fallback = fallback or int(number) > 1
        else:
            break
        text = text[found.end() :]
    text = text.strip().rstrip(" \t.,!/-–—")
    if len(text) > 2 and text[0] == text[-1] == "*":
        text = text.strip("*").strip()
    return Alternative(text, fallback, rank, piece.strip(), marked)
