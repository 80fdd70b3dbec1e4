"""How a turn is written: ``T20 s POLA + U22 w PHON``, ``tausche A an H7; H9 w WORT``, ``kaufe 2 rot 1 schwarz``.

A jolly is a star before the letter that it stands for. Inside this module it is that letter in lower case, so that a
word stays one piece. Reading is one pass over a bounded line; no expression here can backtrack for long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from moderator.common.errors import Ambiguous, Unreadable
from moderator.common.message_files import (
    build_any_pattern,
    build_respeller,
    load_distinct_words,
    load_meanings,
    load_spelling_pattern,
)
from moderator.games.placement import (
    ACROSS,
    DOWN,
    EXCHANGE_WORDS,
    MAX_LINE,
    PARTICLES,
    PRONOUNS,
    SHARED,
    PlacementToken,
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
from moderator.games.typdom.board import (
    Placement,
    TypdomTable,
    get_example_squares,
    get_square_index,
    get_square_name,
    list_column_names,
)
from moderator.games.typdom.state import JollyExchange, TypdomTurn
from moderator.games.typdom.tiles import LETTERS, STAR, STARS, Colour
from moderator.rules.game import Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.markers import DIRECTIONS, PRONOUN
from moderator.words.kinds import UMLAUTS, clean_word, to_capitals

HERE = Path(__file__).parent
_heard, _shared = partial(load_spelling_pattern, HERE), partial(load_spelling_pattern, SHARED_WORDS)
SQUARE = r"(?:[a-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[a-z]{1,2})(?!\w)"
CHAIN = rf"[+&]\s*\S|(?:{_shared('and', 'then', 'afterwards', 'plus')}\s+){{1,2}}"
"""How a line begins that goes on with a move; behind its words stands what is done."""
_SWAP = rf"{PRONOUN}(?:{_shared('exchange', 'exchange-begun')}|{_heard('take')})"

STYLE = Style(
    attempt=re.compile(rf"(?:{SQUARE}|{_SWAP}\s+\S.*?{SQUARE}|{_heard('buy')}(?:\s+\S+){{1,5}}$)", re.IGNORECASE),
    unfinished=re.compile(
        rf"{_SWAP}(?:\s+(?!(?:{SQUARE}))[^\s;]+){{0,8}}\s+{SQUARE}"
        rf"(?:\s+{_heard('jolly-for')}(?:\s+\w+){{1,4}}|\s+{_heard('jolly-back')})?"
        rf"(?:\s*(?:,|{_shared('and')})\s*(?:[a-z]\s+\w{{2,5}}\s+)?{SQUARE})*\s*,?",
        re.IGNORECASE,
    ),
    chain=re.compile(rf"{CHAIN}(?={SQUARE}|{_heard('buy', 'buy-too')}(?!\w))", re.IGNORECASE),
    dangling=re.compile(r"[+&]\s*$"),
)
"""An exchange of jollies goes on with what is laid or bought, a second word may stand on a line of its own."""


ALPHABET = frozenset(LETTERS + LETTERS.lower()) | UMLAUTS.keys()
load_distinct_words(HERE, "red", "black")
load_distinct_words(HERE, "buy", "buy-too", "take", "jolly")
COLOURS: dict[str, Colour] = {
    **dict.fromkeys(load_capitals(HERE, "red"), "red"),
    **dict.fromkeys(load_capitals(HERE, "black"), "black"),
}
NUMBERS = {word.upper(): int(number) for word, number in load_meanings(HERE, "counts").items()}
BUY_WORDS = load_capitals(HERE, "buy", "buy-too")
TAKE_WORDS = EXCHANGE_WORDS | load_capitals(HERE, "take")
JOLLY_WORDS = load_capitals(HERE, "jolly")
_AT = load_capitals(HERE, "jolly-at")
_ARTICLES = load_capitals(HERE, "jolly-articles")
_BUY_FILLERS = load_capitals(HERE, "buy-fillers")
_FIRST = PRONOUNS | load_capitals(SHARED_WORDS, "then", "afterwards", "and")
"""What may stand before the word that says what is done."""
_respell = build_respeller(SHARED, (HERE, ()))
GERMAN: dict[Colour, str] = {"red": "rot", "black": "schwarz"}

_JOLLY = re.compile(r"\*([A-Z])(?![0-9]|[A-Z][0-9])")
_EMPHASIS = re.compile(r"\*\*+|(?<![^\W_])\*([^\s*]{2,40})\*(?![^\W_*])")
_BRACKETED = re.compile(r"(?<=[^\W\d_])\(([A-Z])\)|\(([A-Z])\)(?=[^\W\d_])")
_BRACKETS = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")
_WAY = rf"(?:[WSHVAD]|{build_any_pattern(ACROSS | DOWN)}|(?i:{DIRECTIONS})|→|↓)(?!\w)"
_GLUED = r"(?<!\w)(?:[A-Z]{1,2}[0-9]{1,2}(?![0-9])|[0-9]{1,2}[A-Z]{1,2}(?!\w))"
_SQUARE = re.compile(rf"{_GLUED}|(?<!\w)[A-Z]{{1,2}}\s[0-9]{{1,2}}(?=\W+{_WAY})")
_MORE = re.compile(rf"\s*[A-Za-z]\s+{build_any_pattern(_AT)}\s+{_GLUED}\s*")
_WORD_FIRST = re.compile(rf"{_GLUED}\W+{_WAY}\W*$")
_LETTER_FIRST = re.compile(r"(?<!\w)[A-Z]{1,2}[0-9]")
_AND = build_any_pattern(load_capitals(SHARED_WORDS, "and", "plus"))
_THEN = rf"{build_any_pattern(load_capitals(SHARED_WORDS, 'then', 'afterwards'))}(?!\w)"
_JOINT = re.compile(rf"[+&;,]|(?<!\w)(?:(?:{_AND}\s+)?{_THEN}|{_AND}(?!\w)(?!\s+{_THEN}))")


# ---- writing ----


def format_placement(place: Placement) -> str:
    """Return ``T20 w TEX*AS (AH)``."""
    text = f"{place.square} {place.direction} {place.word}"
    return f"{text} ({', '.join(place.named)})" if place.named else text


def format_typdom_turn(turn: TypdomTurn) -> str:
    """Return the turn in canonical notation; reading it gives the same turn."""
    done = [format_placement(place) for place in turn.places]
    if done and turn.points is not None:
        done[-1] += f" {turn.points}"
    if turn.buys:
        done.append(_format_purchase(turn.buys))
    text = " + ".join(done) or "passe"
    swaps = ", ".join(f"{exchange.letter} an {exchange.square}" for exchange in turn.exchanges)
    return f"tausche {swaps}; {text}" if swaps else text


def _format_purchase(buys: Sequence[Colour]) -> str:
    counts = [(buys.count(colour), colour) for colour in GERMAN if colour in buys]
    if len(buys) == 1:
        return f"kaufe {GERMAN[buys[0]]}"
    return "kaufe " + " ".join(f"{count} {GERMAN[colour]}" for count, colour in counts)


# ---- reading ----


def prepare_move_line(line: str) -> str:
    """Return a player's line in capitals, jollies in lower case, umlauts unchanged. Raises
    Unreadable("line-too-long")."""
    if len(line) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    text = _respell(to_capitals(clean_word(line))).translate(STARS)
    text = _EMPHASIS.sub(lambda found: found[1] or "", text)
    text = _BRACKETED.sub(lambda found: STAR + (found[1] or found[2]), text)
    return _JOLLY.sub(lambda found: found[1].lower(), text)


def to_starred_letters(text: str) -> str:
    """Return the letters to lay, umlauts as two, with a star before each that stands in lower case."""
    return "".join(STAR + c.upper() if c.islower() else UMLAUTS.get(c, c) for c in text)


def to_plain_letters(text: str) -> str:
    """Return the letters to lay, umlauts as two, without stars."""
    return to_starred_letters(text).replace(STAR, "")


def build_square_names(size: int) -> SquareNames:
    """Build the names of the squares of a table for ``games/placement.py``."""
    names = frozenset(list_column_names(size))

    def is_on_board(square: str) -> bool:
        letters = square.rstrip("0123456789")
        return letters in names and square[len(letters) :] in {str(n) for n in range(1, size + 1)}

    def has_room(square: str, direction: str, word: str) -> bool:
        y, x = divmod(get_square_index(square, size), size)
        return (x if direction == "w" else y) + len(to_starred_letters(word).replace(STAR, "")) <= size

    return SquareNames(is_on_board, has_room, letters=2)


def parse_placement(text: str, line: str, size: int) -> tuple[Placement, int | None]:
    """Parse one placement out of a prepared text; return it and the points that the player counts for it.

    Raises Unreadable (empty-line, open-parenthesis, foreign-letter, no-square, square-off-board, no-direction, no-word,
    extra-words, unclear-points) or Ambiguous (two-squares, two-directions), each with ``line``."""
    outside, inside = split_parentheses(text, line)
    found = tokenize_placement(outside, line, ALPHABET)
    if not found:
        raise Unreadable("empty-line", line=line)
    squares = build_square_names(size)
    square, rest = _take_table_square(found, line, size)
    if square is None:
        raise Unreadable("no-square", line=line, **get_example_squares(size))
    more_names, inner = parse_named_words(inside, line, ALPHABET)
    words, points = take_points(rest, line)
    try:
        direction, word, more = parse_direction_and_word(words, square, line, squares, _FIRST)
    except Ambiguous as error:
        readings = [to_starred_letters(reading.split()[-1]) for reading in error.params["readings"]]
        heads = [reading.rsplit(maxsplit=1)[0] for reading in error.params["readings"]]
        pairs = [f"{head} {word}" for head, word in zip(heads, readings, strict=True)]
        raise Ambiguous(error.code, line=line, readings=pairs) from None
    if points is not None and inner is not None and points != inner:
        raise Unreadable("unclear-points", line=line)
    named = tuple(to_plain_letters(word) for word in (*more, *more_names))
    return Placement(square, direction, to_starred_letters(word), named), inner if points is None else points


def _take_table_square(found: list[PlacementToken], line: str, size: int) -> tuple[str | None, list[PlacementToken]]:
    try:
        return take_square(found, line, build_square_names(size))
    except Unreadable as error:
        raise Unreadable(error.code, **error.params, last=get_square_name(size * size - 1, size)) from None


def parse_typdom_turn(line: str, table: TypdomTable) -> TypdomTurn:
    """Parse one turn; ``table`` is only looked at for the letter of a jolly that is exchanged without naming it.

    Raises all that ``parse_placement`` does, and Unreadable (line-too-long, too-many-words, exchange-unclear,
    exchange-first, exchange-then, buy-colour, unclear-turn)."""
    places: list[Placement] = []
    claims: list[int | None] = []
    exchanges: list[JollyExchange] = []
    buys: tuple[Colour, ...] = ()
    passed = False
    for part in _split_into_actions(prepare_move_line(line)):
        found = tokenize_placement(split_parentheses(part, line)[0], line, ALPHABET)
        texts = _drop_opening_words([token.text for token in found])
        if _is_exchange(part, texts, bool(exchanges) and not places):
            if places or buys or passed:
                raise Unreadable("exchange-first", line=line)
            exchanges.append(parse_jolly_exchange(found, line, table))
        elif is_purchase(part, texts):
            if buys:
                raise Unreadable("unclear-turn", line=line)
            buys = parse_purchase(texts, line)
        elif texts and is_pass_words(texts):
            passed = True
        else:
            place, points = parse_placement(part, line, table.size)
            places.append(place)
            claims.append(points)
    if passed and (places or buys):
        raise Unreadable("unclear-turn", line=line)
    if exchanges and not (places or buys or passed):
        raise Unreadable("exchange-then", line=line)
    if len(places) > 2:
        raise Unreadable("too-many-words", line=line)
    return TypdomTurn(tuple(places), tuple(exchanges), buys, _sum_claimed_points(claims, line))


def _sum_claimed_points(claims: list[int | None], line: str) -> int | None:
    """Return the points in all: those of both words, or the last number if it is the only one. Raises Unreadable."""
    stated = [points for points in claims if points is not None]
    if len(stated) == len(claims) and stated:
        return sum(stated)
    if stated and claims[-1] is None:
        raise Unreadable("unclear-points", line=line)
    return stated[-1] if stated else None


def _split_into_actions(text: str) -> list[str]:
    """Return the text cut at +, &, ;, commas and »und« where a placement, an exchange or a purchase of its own follows,
    and not another word that arises."""
    masked = _BRACKETS.sub(lambda group: "_" * len(group[0]), text)
    joints = list(_JOINT.finditer(masked))
    ends = [*(joint.start() for joint in joints[1:]), len(text)][: len(joints)]
    parts, start = [], 0
    for joint, end in zip(joints, ends, strict=True):
        if _is_complete_action(text[start : joint.start()]) and _is_action_start(masked[joint.end() : end]):
            parts.append(text[start : joint.start()])
            start = joint.end()
    parts.append(text[start:])
    return [part for part in parts if part.strip(" \t.!")] or [text]


def _is_action_start(text: str) -> bool:
    """Return whether a stretch between joints names a square, or a purchase, or a pass."""
    texts = _drop_opening_words(re.findall(r"[^\W\d_]+", text))
    return _SQUARE.search(text) is not None or is_purchase(text, texts) or (bool(texts) and is_pass_words(texts))


def _is_complete_action(text: str) -> bool:
    """Return whether something is done in this stretch: »T20 w« by itself waits for its word, which may be UND."""
    found = _SQUARE.search(text)
    if found is None:
        texts = _drop_opening_words(re.findall(r"[^\W\d_]+", text))
        return is_purchase(text, texts) or (bool(texts) and (texts[0] in TAKE_WORDS or is_pass_words(texts)))
    rest = re.findall(r"[^\W\d_]+", text[: found.start()] + " " + text[found.end() :])
    return sum(re.fullmatch(_WAY, word) is None for word in rest) > 0


def _drop_opening_words(texts: list[str]) -> list[str]:
    while len(texts) > 1 and texts[0] in _FIRST:
        texts = texts[1:]
    return texts


# ---- exchanging a jolly ----


def _is_exchange(text: str, texts: list[str], goes_on: bool) -> bool:
    """Return whether a text is ``tausche A an H7``, or after it ``E an K3``; not the word of ``TAUSCHE T20 w``."""
    if goes_on and _MORE.fullmatch(text):
        return True
    return bool(texts) and texts[0] in TAKE_WORDS and (_WORD_FIRST.search(text) is None or not _AT.isdisjoint(texts))


def parse_jolly_exchange(found: list[PlacementToken], line: str, table: TypdomTable) -> JollyExchange:
    """Parse ``tausche A an H7``; the letter may be left out. Raises Unreadable("exchange-unclear")."""
    while found and found[0].text in _FIRST | TAKE_WORDS:
        found = found[1:]
    square, rest = _take_table_square(found, line, table.size)
    if square is None:
        raise Unreadable("exchange-unclear", line=line)
    texts = [token.text for token in rest if token.text]
    for at in range(len(texts) - 1, 0, -1):
        if texts[at] in JOLLY_WORDS and texts[at - 1] == "A":
            del texts[at - 1]
    ignored = _AT | _ARTICLES | JOLLY_WORDS | PARTICLES
    letters = [text for text in texts if text not in ignored]
    if not letters:
        letters = [table.get_letter(get_square_index(square, table.size))]
    if len(letters) != 1 or len(letters[0]) != 1 or not letters[0].isascii():
        raise Unreadable("exchange-unclear", line=line)
    return JollyExchange(letters[0].upper(), square)


# ---- buying ----


def is_purchase(text: str, texts: list[str]) -> bool:
    """Return whether a text with these words is ``kaufe rot``, ``2 rote kaufen``; not the word of ``KAUFE T20 w``."""
    if not texts or (texts[0] not in BUY_WORDS and texts[-1] not in BUY_WORDS):
        return False
    return _LETTER_FIRST.search(text) is None and (
        texts[0] in BUY_WORDS or all(t.isdecimal() or t in COLOURS or t in NUMBERS for t in texts[:-1])
    )


def parse_purchase(texts: list[str], line: str) -> tuple[Colour, ...]:
    """Parse ``2 rot 1 schwarz``, ``rot rot``, ``einen roten``: red ones first. Raises Unreadable("buy-colour")."""
    counts: dict[Colour, int] = {"red": 0, "black": 0}
    number: int | None = None
    for text in texts:
        if text in BUY_WORDS or text in _BUY_FILLERS:
            continue
        if text in COLOURS:
            counts[COLOURS[text]] += 1 if number is None else number
            number = None
        elif (text.isdecimal() and len(text) <= 2) or text in NUMBERS:
            if number is not None:
                raise Unreadable("buy-colour", line=line)
            number = int(text) if text.isdecimal() else NUMBERS[text]
        else:
            raise Unreadable("buy-colour", line=line)
    if number is not None or not any(counts.values()):
        raise Unreadable("buy-colour", line=line)
    names: tuple[Colour, ...] = ("red", "black")
    return tuple(name for name in names for _ in range(counts[name]))
