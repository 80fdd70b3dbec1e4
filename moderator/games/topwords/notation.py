"""How a move is written: ``E5 w HAUS (AH, US) 14``, ``passe``, ``tausche A E N``. See ``games/placement.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from moderator.errors import Ambiguous, Unreadable
from moderator.games.placement import (
    CONJUNCTIONS,
    EXCHANGE_WORDS,
    MAX_LINE,
    PARTICLES,
    PRONOUNS,
    Squares,
    direction_and_word,
    is_pass,
    named_words,
    split,
    take_points,
    take_square,
    tokens,
    word_set,
)
from moderator.games.topwords.state import (
    ALPHABET,
    LETTERS,
    SIZE,
    Direction,
    Exchange,
    Move,
    Pass,
    Place,
    Public,
    index,
)
from moderator.match.contract import View
from moderator.words.letters import clean, upper

ALL_WORDS = word_set("ALLE ALLES ALL EVERYTHING")


def write(move: Move) -> str:
    """Canonical notation; reading it gives the same move."""
    if isinstance(move, Pass):
        return "passe"
    if isinstance(move, Exchange):
        return f"tausche {' '.join(move.letters)}"
    text = f"{move.square} {move.direction} {move.word}"
    if move.named:
        text += f" ({', '.join(move.named)})"
    return text if move.points is None else f"{text} {move.points}"


def read(line: str, view: View[Public]) -> Move:
    """One move.

    Raises Unreadable (empty-line, line-too-long, open-parenthesis, foreign-letter, no-square, square-off-board,
    no-direction, no-word, extra-words, unclear-points, exchange-no-letters) or Ambiguous (two-squares,
    two-directions, exchange-all-or-letters), each with ``line``.
    """
    if len(line) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    outside, inside = split(upper(clean(line)), line)
    found = tokens(outside, line, ALPHABET)
    if not found:
        raise Unreadable("empty-line", line=line)
    squares = Squares(_on_board, lambda square, direction, word: _fits(square, direction, word, view))
    square, rest = take_square(found, line, squares)
    if square is None:
        other = _no_placement([t.text for t in found], view, line)
        if other is not None:
            return other
        raise Unreadable("no-square", line=line)
    names, inner_points = named_words(inside, line, ALPHABET)
    words, points = take_points(rest, line)
    direction, word, more = direction_and_word(words, square, line, squares)
    if points is not None and inner_points is not None and points != inner_points:
        raise Unreadable("unclear-points", line=line)
    return Place(square, direction, word, (*more, *names), inner_points if points is None else points)


def _no_placement(texts: list[str], view: View[Public], line: str) -> Move | None:
    if is_pass(texts):
        return Pass()
    if texts[0] in PRONOUNS and len(texts) > 1:
        texts = texts[1:]
    if texts[0] in EXCHANGE_WORDS:
        return Exchange(_exchange_letters(texts[1:], view.hand, line))
    return None


def _exchange_letters(texts: list[str], hand: Sequence[str], line: str) -> tuple[str, ...]:
    if len(texts) > 1 and texts[-1] in PARTICLES:
        texts = texts[:-1]
    if len(texts) == 1 and texts[0] in ALL_WORDS:
        if not hand:
            raise Unreadable("exchange-no-letters", line=line)
        same = Counter(texts[0]) - Counter(hand)
        if not same and len(texts[0]) < len(hand):
            readings = [write(Exchange(tuple(hand))), write(Exchange(tuple(texts[0])))]
            raise Ambiguous("exchange-all-or-letters", line=line, readings=readings)
        return tuple(hand)
    last = len(texts) - 1
    letters = "".join(t for i, t in enumerate(texts) if not (t in CONJUNCTIONS and 0 < i < last))
    if not letters or any(c.isdigit() for c in letters):
        raise Unreadable("exchange-no-letters", line=line)
    return tuple(letters)


def _on_board(square: str) -> bool:
    return square[:1] in LETTERS and square[1:] in _NUMBERS


_NUMBERS = frozenset(str(n) for n in range(1, SIZE + 1))


def _fits(square: str, direction: Direction, word: str, view: View[Public]) -> bool:
    y, x = divmod(index(square, view.public.options), SIZE)
    return (x if direction == "w" else y) + len(word) <= SIZE
