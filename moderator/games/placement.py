"""The pieces of a written placement, and reading one, ``E5 w HAUS (AH, US) 14``, in the many ways people vary it; what
a dictionary's verdicts and a player's own claims lead to. For all games of words.

Reading is one pass over a bounded line, token by token; no expression here can backtrack.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from moderator.common.errors import Ambiguous, Illegal, Unreadable
from moderator.common.message_files import load_distinct_words, load_spellings
from moderator.rules.game import Verdict
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.forgiving import is_greeting_line
from moderator.rules.state import Note


def load_capitals(folder: Path, *keys: str) -> frozenset[str]:
    """Load what is written for any of these keys, in capitals."""
    return frozenset(word.upper() for word in load_spellings(folder, *keys))


POINT_WORDS = load_capitals(SHARED_WORDS, "points")
CONJUNCTIONS = load_capitals(SHARED_WORDS, "and")

_PIECE = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_ARROWS = {"→": " W ", "↓": " S "}
_JOINTS = "-'’‐‑."
"""Signs that are no part of any word of the game when they stand between two letters."""
_SEPARATORS = ",+/&"


@dataclass(frozen=True)
class PlacementToken:
    """A word in capitals or a number; "" marks the place where the square stood."""

    text: str
    sep: bool
    """A comma, plus, slash or & stands before it."""
    glued: bool
    """Nothing at all stands before it."""
    equals: bool = False
    """A "=" stands before it."""


def split_parentheses(text: str, line: str) -> tuple[str, list[str]]:
    """Return (the text outside of parentheses, the texts inside). Nested ones count as one. Raises
    Unreadable("open-parenthesis")."""
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


def tokenize_placement(text: str, line: str, alphabet: Collection[str]) -> list[PlacementToken]:
    """Return the words of letters of ``alphabet``, and the numbers. Raises Unreadable("foreign-letter", letter,
    word)."""
    for arrow, way in _ARROWS.items():
        text = text.replace(arrow, way)
    found: list[PlacementToken] = []
    end, sep, equals = -1, False, False
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece[0] in alphabet or piece[0] in "0123456789" or unicodedata.category(piece[0])[0] in "LMN":
            _check_letters(piece, line, alphabet)
            found.append(PlacementToken(piece, sep, glued=match.start() == end, equals=equals))
            end, sep, equals = match.end(), False, False
            continue
        start = match.start()
        if piece in _JOINTS and (0 < start < len(text) - 1 and text[start - 1].isalpha() and text[start + 1].isalpha()):
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


def parse_named_words(groups: list[str], line: str, alphabet: Collection[str]) -> tuple[list[str], int | None]:
    """Return the words in parentheses and the points, if a number stands there by itself: (AH, US), (AH und US, 14).

    A number right after a word is that word's own and not looked at. Raises Unreadable("unclear-points")."""
    words: list[str] = []
    points: list[int] = []
    for group in groups:
        items: list[list[PlacementToken]] = []
        for token in tokenize_placement(group.replace(";", ","), line, alphabet):
            if token.sep or not items:
                items.append([])
            items[-1].append(token)
        for item in items:
            last = len(item) - 1
            words += [
                token.text
                for i, token in enumerate(item)
                if not token.text.isdigit()
                and not (token.text in CONJUNCTIONS and 0 < i < last)
                and not (token.text in POINT_WORDS and i > 0 and item[i - 1].text.isdigit())
            ]
            if item[0].text.isdigit():
                if len(item[0].text) > 4:
                    raise Unreadable("unclear-points", line=line)
                points.append(int(item[0].text))
    if len(set(points)) > 1:
        raise Unreadable("unclear-points", line=line)
    return words, points[0] if points else None


# ---- one placement ----


Direction = Literal["w", "s"]

MAX_LINE = 1000
"""Characters; a longer line is no move."""


_ACROSS_KEYS, _DOWN_KEYS = ([f"{way}{kind}" for kind in ("", "-short", "-loosely")] for way in ("across", "down"))
load_distinct_words(SHARED_WORDS, *_ACROSS_KEYS, *_DOWN_KEYS)
load_distinct_words(SHARED_WORDS, "pass", "exchange", "lay")
ACROSS, DOWN = load_capitals(SHARED_WORDS, *_ACROSS_KEYS), load_capitals(SHARED_WORDS, *_DOWN_KEYS)
PASS_WORDS = load_capitals(SHARED_WORDS, "pass")
EXCHANGE_WORDS = load_capitals(SHARED_WORDS, "exchange")
PARTICLES = load_capitals(SHARED_WORDS, "behind-exchange")
"""Ich tausche A E N aus."""
PRONOUNS = load_capitals(SHARED_WORDS, "pronoun")
AFTER_PASS = load_capitals(SHARED_WORDS, "behind-pass")
_FILLERS = load_capitals(SHARED_WORDS, "placement-fillers")
_LINKS = load_capitals(SHARED_WORDS, "placement-links")
"""Mean nothing either, but for some places in which they are the word: ``E5 w EN``."""
SHARED = (SHARED_WORDS, ("pronoun", "exchange", "behind-pass", "placement-links"))
"""What a line of a game of words may have besides the game's own words, for ``build_respeller``."""


@dataclass(frozen=True)
class SquareNames:
    """The names of a game's squares, column first."""

    on_board: Callable[[str], bool]
    """Whether there is a square ``E5``."""
    fits: Callable[[str, Direction, str], bool]
    """Whether a word stays on the board from a square that exists."""
    letters: int = 1
    """Of the longest name of a column."""


def is_pass_words(texts: list[str]) -> bool:
    """Return whether the words mean a pass: ``ich passe diesmal``."""
    if texts[:1] and texts[0] in PRONOUNS and len(texts) > 1:
        texts = texts[1:]
    return texts[0] in PASS_WORDS and AFTER_PASS.issuperset(texts[1:])


def take_square(
    found: list[PlacementToken], line: str, squares: SquareNames
) -> tuple[str | None, list[PlacementToken]]:
    """Return the square and the other tokens, a token "" in its place; None if no square is named.

    Raises Unreadable("square-off-board") or Ambiguous("two-squares")."""
    named: list[str] = []
    rest: list[PlacementToken] = []
    i = 0
    while i < len(found):
        here, after = found[i], found[i + 1] if i + 1 < len(found) else None
        taken = _find_glued_square(here, after, squares) if after is not None and after.glued else None
        if taken is None:
            rest.append(here)
            i += 1
            continue
        square, tail = taken
        named.append(square)
        rest += [PlacementToken("", sep=False, glued=False), *tail]
        i += 2
    if not named:
        # Find ``E 5``, where no square stands in one piece; the other tokens as ``take_square`` gives them.
        for i in range(len(found) - 1):
            square = found[i].text + found[i + 1].text.lstrip("0")
            if found[i + 1].text.isdigit() and squares.on_board(square):
                return square, [*found[:i], PlacementToken("", sep=False, glued=False), *found[i + 2 :]]
        return None, found
    for square in named:
        if not squares.on_board(square):
            raise Unreadable("square-off-board", line=line, square=square)
    if len(set(named)) > 1:
        raise Ambiguous("two-squares", line=line, readings=list(dict.fromkeys(named)))
    return named[0], rest


def _find_glued_square(
    here: PlacementToken, after: PlacementToken, squares: SquareNames
) -> tuple[str, list[PlacementToken]] | None:
    """Return a square written in one piece (E5, 5E, 5Ew) and what is left of its second token; None if there is
    none."""
    if here.text.isalpha() and len(here.text) <= squares.letters and after.text.isdigit():
        return here.text + (after.text.lstrip("0") or "0"), []
    if not here.text.isdigit() or not after.text.isalpha() or after.text in POINT_WORDS:
        return None
    number = here.text.lstrip("0") or "0"
    readings = []
    for length in range(min(squares.letters, len(after.text)), 0, -1):
        tail = after.text[length:]
        if not tail or tail in ACROSS | DOWN:
            rest = [PlacementToken(tail, sep=False, glued=False)] if tail else []
            readings.append((after.text[:length] + number, rest))
    return next((reading for reading in readings if squares.on_board(reading[0])), readings[0] if readings else None)


def take_points(rest: list[PlacementToken], line: str) -> tuple[list[PlacementToken], int | None]:
    """Return the words, and the claimed points: the only number, or the one after the last "=". Raises
    Unreadable("unclear-points")."""
    numbers: list[PlacementToken] = []
    words: list[PlacementToken] = []
    after_number = False
    for token in rest:
        if token.text.isdigit():
            numbers = [token] if token.equals else [*numbers, token]
            after_number = True
        elif not (after_number and token.text in POINT_WORDS):
            words.append(token)
            after_number = False
        else:
            after_number = False
    if len(numbers) > 1 or any(len(token.text) > 4 for token in numbers):
        raise Unreadable("unclear-points", line=line)
    return words, int(numbers[0].text) if numbers else None


def parse_direction_and_word(
    words: list[PlacementToken], square: str, line: str, squares: SquareNames, fillers: Collection[str] = ()
) -> tuple[Direction, str, tuple[str, ...]]:
    """Return the direction, the word, and the words after it that were set off by a comma, plus or slash.

    ``fillers``: more words that mean nothing where there is another word. Raises Unreadable (no-direction, no-word,
    extra-words) or Ambiguous("two-directions")."""
    letters = [token for token in words if token.text]
    if len(letters) > 2:
        fewer = [token for token in letters if token.text in _LINKS or token.text not in _FILLERS.union(fillers)]
        letters = _drop_links(fewer if len(fewer) > 1 else letters, words)
    ways = [token for token in letters if token.text in ACROSS | DOWN]
    if not ways:
        raise Unreadable("no-direction" if letters else "no-word", line=line, square=square)
    if len(letters) == 1:
        raise Unreadable("no-word", line=line, square=square)
    readings = []
    for way in _choose_direction_tokens(ways, words):
        direction: Direction = "w" if way.text in ACROSS else "s"
        others = [token for token in letters if token is not way]
        readings.append((direction, others[0].text, others[1:]))
    if len(readings) > 1:
        fitting = [reading for reading in readings if squares.fits(square, reading[0], reading[1])]
        readings = fitting or readings
    if len(readings) > 1:
        texts = [f"{square} {direction} {word}" for direction, word, _ in readings]
        raise Ambiguous("two-directions", line=line, readings=texts)
    direction, word, more = readings[0]
    loose = [token.text for token in more if not token.sep]
    if loose:
        raise Unreadable("extra-words", line=line, words=loose)
    return direction, word, tuple(token.text for token in more if not is_greeting_line(token.text))


def _drop_links(letters: list[PlacementToken], words: list[PlacementToken]) -> list[PlacementToken]:
    """Drop the words that link others, where one is left to lay. Behind the direction and beside a comma none links."""
    links = [
        token
        for before, token, after in zip([None, *words], words, [*words[1:], None], strict=False)
        if token.text in _LINKS
        and not (token.sep or (after is not None and after.sep))
        and (before is None or before.text not in ACROSS | DOWN)
    ]
    fewer = [token for token in letters if not any(token is link for link in links)]
    laid = next((token for token in fewer if token.text not in ACROSS | DOWN), None)
    return letters if laid is None or laid.sep else fewer


def _choose_direction_tokens(ways: list[PlacementToken], words: list[PlacementToken]) -> list[PlacementToken]:
    """Return the tokens that may be the direction: a single letter beats a word, and of two letters the one after the
    square."""
    single = [token for token in ways if len(token.text) == 1]
    if len(single) > 1:
        mark = next((i for i, token in enumerate(words) if not token.text), 0)
        following = words[mark + 1] if mark + 1 < len(words) else None
        return [following] if following is not None and any(following is t for t in single) else single[:1]
    return single or ways


# ---- what verdicts and claims lead to ----


def build_word_refusal(refused: Sequence[Verdict], kind: type[Illegal] = Illegal) -> Illegal:
    """Build the error for words that do not count; the first one's reason is given."""
    first = refused[0]
    return kind(
        "not-a-word",
        word=first.word,
        words=[verdict.word for verdict in refused],
        reason=first.reason,
        source=first.source,
        why=dict(first.params),
    )


def list_claim_notes(
    seat: int, claimed: int | None, points: int, named: Collection[str], formed: Sequence[str], extra: Sequence[str]
) -> tuple[Note, ...]:
    """Return a note, for the player only, on each thing that was stated otherwise than it is.

    ``claimed``: points, None = not stated. ``named``: words that the player named, ``extra`` those of them that do not
    arise; ``formed``: words that arise besides the laid one. Who names none of these claims nothing about them."""
    notes = []
    if claimed is not None and claimed != points:
        notes.append(Note("claim-points", {"claimed": claimed, "points": points}, seat=seat, only=seat))
    if extra:
        notes.append(Note("claim-words-extra", {"words": list(extra)}, seat=seat, only=seat))
    missing = [word for word in formed if word not in named]
    if missing and not set(named).isdisjoint(formed):
        notes.append(Note("claim-words-missing", {"words": missing}, seat=seat, only=seat))
    return tuple(notes)
