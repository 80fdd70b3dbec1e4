"""How a move is written: ``E5 w HAUS (AH, US) 14``, ``passe``, ``tausche A E N``, and the many ways people vary it.

Reading is one pass over a bounded line, token by token; no expression here can backtrack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from moderator.engine.contract import View
from moderator.errors import Ambiguous, Unreadable
from moderator.games.topwords.state import LETTERS, SIZE, Direction, Exchange, Move, Pass, Place, Public, index
from moderator.games.topwords.tokens import CONJUNCTIONS, POINT_WORDS, Token, named_words, split, tokens
from moderator.lexicon.letters import clean, upper

MAX_LINE = 1000
"""Characters; a longer line is no move."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ACROSS = _set("W WAAG WAAGR WAAGERECHT WAAGRECHT H HOR HORIZ HORIZONTAL A ACROSS QUER RECHTS")
DOWN = _set("S SENK SENKR SENKRECHT V VERT VERTIKAL VERTICAL D DOWN RUNTER ABWÄRTS")
PASS_WORDS = _set("PASSE PASS PASSEN SKIP")
EXCHANGE_WORDS = _set("TAUSCHE TAUSCH TAUSCHEN AUSTAUSCHEN UMTAUSCHEN EXCHANGE SWAP CHANGE")
_PARTICLES = _set("AUS UM")
"""Ich tausche A E N aus."""
ALL_WORDS = _set("ALLE ALLES ALL EVERYTHING")
_PRONOUNS = _set("ICH I")
_AFTER_PASS = _set("DIESMAL HEUTE LEIDER BITTE DIESE RUNDE THIS TIME ROUND TURN")
_FILLERS = _set("AB AUF BEI VON NACH IN FÜR MACHT GIBT ERGIBT LEGE ICH AT FROM FOR MAKES I PLAY TO")


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
    found = tokens(outside, line)
    if not found:
        raise Unreadable("empty-line", line=line)
    square, rest = _take_square(found, line)
    if square is None:
        other = _no_placement([t.text for t in found], view, line)
        if other is not None:
            return other
        raise Unreadable("no-square", line=line)
    names, inner_points = named_words(inside, line)
    words, points = _take_points(rest, line)
    direction, word, more = _direction_and_word(words, square, view, line)
    if points is not None and inner_points is not None and points != inner_points:
        raise Unreadable("unclear-points", line=line)
    return Place(square, direction, word, (*more, *names), inner_points if points is None else points)


def _no_placement(texts: list[str], view: View[Public], line: str) -> Move | None:
    if texts[0] in _PRONOUNS and len(texts) > 1:
        texts = texts[1:]
    if texts[0] in PASS_WORDS and _AFTER_PASS.issuperset(texts[1:]):
        return Pass()
    if texts[0] in EXCHANGE_WORDS:
        return Exchange(_exchange_letters(texts[1:], view.hand, line))
    return None


def _exchange_letters(texts: list[str], hand: Sequence[str], line: str) -> tuple[str, ...]:
    if len(texts) > 1 and texts[-1] in _PARTICLES:
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


def _take_square(found: list[Token], line: str) -> tuple[str | None, list[Token]]:
    """The square and the other tokens; None if no square is named."""
    squares: list[str] = []
    rest: list[Token] = []
    i = 0
    while i < len(found):
        here, after = found[i], found[i + 1] if i + 1 < len(found) else None
        taken = _glued_square(here, after) if after is not None and after.glued else None
        if taken is None:
            rest.append(here)
            i += 1
            continue
        square, tail = taken
        squares.append(square)
        rest += [Token("", sep=False, glued=False), *tail]
        i += 2
    if not squares:
        return _spaced_square(found)
    for square in squares:
        if not _on_board(square):
            raise Unreadable("square-off-board", line=line, square=square)
    if len(set(squares)) > 1:
        raise Ambiguous("two-squares", line=line, readings=list(dict.fromkeys(squares)))
    return squares[0], rest


def _glued_square(here: Token, after: Token) -> tuple[str, list[Token]] | None:
    """A square written in one piece (E5, 5E, 5Ew) and what is left of its second token."""
    if here.text.isalpha() and len(here.text) == 1 and after.text.isdigit():
        return here.text + (after.text.lstrip("0") or "0"), []
    if not here.text.isdigit() or not after.text.isalpha() or after.text in POINT_WORDS:
        return None
    tail = after.text[1:]
    if tail and tail not in ACROSS | DOWN:
        return None
    return after.text[0] + (here.text.lstrip("0") or "0"), [Token(tail, sep=False, glued=False)] if tail else []


def _spaced_square(found: list[Token]) -> tuple[str | None, list[Token]]:
    """``E 5``, where no square stands in one piece."""
    for i in range(len(found) - 1):
        square = found[i].text + found[i + 1].text.lstrip("0")
        if found[i + 1].text.isdigit() and _on_board(square):
            return square, [*found[:i], Token("", sep=False, glued=False), *found[i + 2 :]]
    return None, found


def _on_board(square: str) -> bool:
    return square[:1] in LETTERS and square[1:] in _NUMBERS


_NUMBERS = frozenset(str(n) for n in range(1, SIZE + 1))


def _take_points(rest: list[Token], line: str) -> tuple[list[Token], int | None]:
    """The words, and the claimed points: the only number, or the one after the last "="."""
    numbers: list[Token] = []
    words: list[Token] = []
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


def _direction_and_word(
    words: list[Token], square: str, view: View[Public], line: str
) -> tuple[Direction, str, tuple[str, ...]]:
    """Direction, word, and words after it that were set off by a comma, plus or slash."""
    letters = [token for token in words if token.text]
    if len(letters) > 2:
        fewer = [token for token in letters if token.text not in _FILLERS]
        letters = fewer if len(fewer) > 1 else letters
    ways = [token for token in letters if token.text in ACROSS | DOWN]
    if not ways:
        raise Unreadable("no-direction" if letters else "no-word", line=line, square=square)
    if len(letters) == 1:
        raise Unreadable("no-word", line=line, square=square)
    readings = []
    for way in _best_ways(ways, words):
        direction: Direction = "w" if way.text in ACROSS else "s"
        others = [token for token in letters if token is not way]
        readings.append((direction, others[0].text, others[1:]))
    if len(readings) > 1:
        fitting = [reading for reading in readings if _fits(square, reading[0], reading[1], view)]
        readings = fitting or readings
    if len(readings) > 1:
        texts = [write(Place(square, d, word)) for d, word, _ in readings]
        raise Ambiguous("two-directions", line=line, readings=texts)
    direction, word, more = readings[0]
    loose = [token.text for token in more if not token.sep]
    if loose:
        raise Unreadable("extra-words", line=line, words=loose)
    return direction, word, tuple(token.text for token in more)


def _best_ways(ways: list[Token], words: list[Token]) -> list[Token]:
    """Which tokens may be the direction: a single letter beats a word, and of two letters the one after the square."""
    single = [token for token in ways if len(token.text) == 1]
    if len(single) > 1:
        mark = next((i for i, token in enumerate(words) if not token.text), 0)
        following = words[mark + 1] if mark + 1 < len(words) else None
        return [following] if following is not None and any(following is t for t in single) else single[:1]
    return single or ways


def _fits(square: str, direction: Direction, word: str, view: View[Public]) -> bool:
    y, x = divmod(index(square, view.public.options), SIZE)
    return (x if direction == "w" else y) + len(word) <= SIZE
