"""How a move is written: ``E5 w HAUS (AH, US) 14``, ``passe``, ``tausche A E N``. See ``games/placement.py``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from moderator.common.errors import Ambiguous, Unreadable
from moderator.common.message_files import build_respeller
from moderator.games.placement import (
    CONJUNCTIONS,
    EXCHANGE_WORDS,
    MAX_LINE,
    PARTICLES,
    PRONOUNS,
    SHARED,
    SquareNames,
    is_pass_words,
    load_capitals,
    parse_direction_and_word,
    parse_named_words,
    split_parentheses,
    take_points,
    take_square,
    tokenize_placement,
)
from moderator.games.topwords.state import (
    ALPHABET,
    LETTERS,
    SIZE,
    Direction,
    LetterExchange,
    Move,
    TopwordsPass,
    TopwordsPlacement,
    TopwordsPublic,
    get_stack_index,
)
from moderator.rules.game import View
from moderator.words.kinds import clean_word, to_capitals

HERE = Path(__file__).parent
ALL_WORDS = load_capitals(HERE, "all")
_respell = build_respeller(SHARED, (HERE, ()))


def format_topwords_move(move: Move) -> str:
    """Return the move in canonical notation; reading it gives the same move."""
    if isinstance(move, TopwordsPass):
        return "passe"
    if isinstance(move, LetterExchange):
        return f"tausche {' '.join(move.letters)}"
    text = f"{move.square} {move.direction} {move.word}"
    if move.named:
        text += f" ({', '.join(move.named)})"
    return text if move.points is None else f"{text} {move.points}"


def parse_topwords_move(line: str, view: View[TopwordsPublic]) -> Move:
    """Parse one move.

    Raises Unreadable (empty-line, line-too-long, open-parenthesis, foreign-letter, no-square, square-off-board,
    no-direction, no-word, extra-words, unclear-points, exchange-no-letters) or Ambiguous (two-squares, two-directions,
    exchange-all-or-letters), each with ``line``."""
    if len(line) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    outside, inside = split_parentheses(_respell(to_capitals(clean_word(line))), line)
    found = tokenize_placement(outside, line, ALPHABET)
    if not found:
        raise Unreadable("empty-line", line=line)
    squares = SquareNames(_is_on_board, lambda square, direction, word: _has_room(square, direction, word, view))
    square, rest = take_square(found, line, squares)
    if square is None:
        other = _find_other_move([t.text for t in found], view, line)
        if other is not None:
            return other
        raise Unreadable("no-square", line=line)
    names, inner_points = parse_named_words(inside, line, ALPHABET)
    words, points = take_points(rest, line)
    direction, word, more = parse_direction_and_word(words, square, line, squares)
    if points is not None and inner_points is not None and points != inner_points:
        raise Unreadable("unclear-points", line=line)
    return TopwordsPlacement(square, direction, word, (*more, *names), inner_points if points is None else points)


def _find_other_move(texts: list[str], view: View[TopwordsPublic], line: str) -> Move | None:
    if is_pass_words(texts):
        return TopwordsPass()
    if texts[0] in PRONOUNS and len(texts) > 1:
        texts = texts[1:]
    if texts[0] in EXCHANGE_WORDS:
        return LetterExchange(_parse_exchange_letters(texts[1:], view.hand, line))
    return None


def _parse_exchange_letters(texts: list[str], hand: Sequence[str], line: str) -> tuple[str, ...]:
    if len(texts) > 1 and texts[-1] in PARTICLES:
        texts = texts[:-1]
    if len(texts) == 1 and texts[0] in ALL_WORDS:
        if not hand:
            raise Unreadable("exchange-no-letters", line=line)
        same = Counter(texts[0]) - Counter(hand)
        if not same and len(texts[0]) < len(hand):
            readings = [
                format_topwords_move(LetterExchange(tuple(hand))),
                format_topwords_move(LetterExchange(tuple(texts[0]))),
            ]
            raise Ambiguous("exchange-all-or-letters", line=line, readings=readings)
        return tuple(hand)
    last = len(texts) - 1
    letters = "".join(t for i, t in enumerate(texts) if not (t in CONJUNCTIONS and 0 < i < last))
    if not letters or any(c.isdigit() for c in letters):
        raise Unreadable("exchange-no-letters", line=line)
    return tuple(letters)


def _is_on_board(square: str) -> bool:
    return square[:1] in LETTERS and square[1:] in _NUMBERS


_NUMBERS = frozenset(str(n) for n in range(1, SIZE + 1))


def _has_room(square: str, direction: Direction, word: str, view: View[TopwordsPublic]) -> bool:
    y, x = divmod(get_stack_index(square, view.public.options), SIZE)
    return (x if direction == "w" else y) + len(word) <= SIZE
