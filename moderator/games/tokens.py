"""The pieces of a written placement: words, numbers, what stands in parentheses. For all games of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from moderator.errors import Unreadable

POINT_WORDS = frozenset({"P", "PT", "PTS", "PKT", "PKTE", "PUNKT", "PUNKTE", "POINT", "POINTS"})
CONJUNCTIONS = frozenset({"UND", "AND"})

_PIECE = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_ARROWS = {"→": " W ", "↓": " S "}
_JOINTS = "-'’‐‑."
"""Signs that are no part of any word of the game when they stand between two letters."""
_SEPARATORS = ",+/&"


@dataclass(frozen=True)
class Token:
    """A word in capitals or a number; "" marks the place where the square stood."""

    text: str
    sep: bool
    """A comma, plus, slash or & stands before it."""
    glued: bool
    """Nothing at all stands before it."""
    equals: bool = False
    """A "=" stands before it."""


def split(text: str, line: str) -> tuple[str, list[str]]:
    """(text outside of parentheses, texts inside). Nested ones count as one. Raises Unreadable("open-parenthesis")."""
    outside: list[str] = []
    inside: list[str] = []
    group: list[str] = []
    depth = 0
    for character in text:
        if character in "([{":
            depth += 1
            (group if depth > 1 else outside).append(" ")
        elif character in ")]}":
            if depth == 1:
                inside.append("".join(group))
                group = []
            depth = max(0, depth - 1)
            (group if depth else outside).append(" ")
        else:
            (group if depth else outside).append(character)
    if depth:
        raise Unreadable("open-parenthesis", line=line)
    return "".join(outside), inside


def tokens(text: str, line: str, alphabet: Collection[str]) -> list[Token]:
    """Words of letters of ``alphabet``, and numbers. Raises Unreadable("foreign-letter", letter, word)."""
    for arrow, way in _ARROWS.items():
        text = text.replace(arrow, way)
    found: list[Token] = []
    end, sep, equals = -1, False, False
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece[0] in alphabet or piece[0] in "0123456789" or unicodedata.category(piece[0])[0] in "LMN":
            _check_letters(piece, line, alphabet)
            found.append(Token(piece, sep, glued=match.start() == end, equals=equals))
            end, sep, equals = match.end(), False, False
            continue
        start = match.start()
        if piece in _JOINTS and _between_letters(text, start):
            raise Unreadable(
                "foreign-letter", line=line, letter=piece, word=text[max(0, start - 12) : start + 12].strip()
            )
        sep = sep or piece in _SEPARATORS
        equals = equals or piece == "="
    return found


def _check_letters(piece: str, line: str, alphabet: Collection[str]) -> None:
    if piece.isascii() and piece.isdigit():
        return
    for letter in piece:
        if letter not in alphabet:
            raise Unreadable("foreign-letter", line=line, letter=letter, word=piece)


def _between_letters(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isalpha() and text[at + 1].isalpha()


def named_words(groups: list[str], line: str, alphabet: Collection[str]) -> tuple[list[str], int | None]:
    """Words in parentheses and the points, if a number stands there by itself: (AH, US), (AH und US, 14).

    A number right after a word is that word's own and not looked at. Raises Unreadable("unclear-points").
    """
    words: list[str] = []
    points: list[int] = []
    for group in groups:
        items: list[list[Token]] = []
        for token in tokens(group.replace(";", ","), line, alphabet):
            if token.sep or not items:
                items.append([])
            items[-1].append(token)
        for item in items:
            words += _item_words(item)
            if item[0].text.isdigit():
                if len(item[0].text) > 4:
                    raise Unreadable("unclear-points", line=line)
                points.append(int(item[0].text))
    if len(set(points)) > 1:
        raise Unreadable("unclear-points", line=line)
    return words, points[0] if points else None


def _item_words(item: list[Token]) -> list[str]:
    last = len(item) - 1
    return [
        token.text
        for i, token in enumerate(item)
        if not token.text.isdigit()
        and not (token.text in CONJUNCTIONS and 0 < i < last)
        and not (token.text in POINT_WORDS and i > 0 and item[i - 1].text.isdigit())
    ]
