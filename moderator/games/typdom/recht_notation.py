"""How a move is written: ``hinten T = NAHT``, ``E an T20 = REISE``, ``weiter T``, ``kaufe rot``, ``passe``.

Before the "=" stand the tiles and where they go, behind it the announced word; without a "=" the last word of two
letters or more is it. Reading is one pass over a bounded line; no expression here can backtrack for long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from moderator.common.errors import Ambiguous, Unreadable
from moderator.common.message_files import (
    build_any_pattern,
    load_distinct_words,
    load_leading_pattern,
    load_meanings,
    load_spelling_pattern,
    load_spellings,
)
from moderator.games.placement import (
    ACROSS,
    CONJUNCTIONS,
    DOWN,
    EXCHANGE_WORDS,
    PRONOUNS,
    PlacementToken,
    is_pass_words,
    load_capitals,
    take_square,
    tokenize_placement,
)
from moderator.games.typdom.board import Direction, get_square_index, get_square_name
from moderator.games.typdom.notation import (
    ALPHABET,
    BUY_WORDS,
    CHAIN,
    GERMAN,
    HERE,
    JOLLY_WORDS,
    SQUARE,
    TAKE_WORDS,
    build_square_names,
    is_purchase,
    parse_jolly_exchange,
    parse_purchase,
    prepare_move_line,
    to_plain_letters,
    to_starred_letters,
)
from moderator.games.typdom.notation import STYLE as COMMON
from moderator.games.typdom.recht_state import (
    SIDES,
    Move,
    RechtCompletion,
    RechtLaying,
    RechtPass,
    RechtPublic,
    RechtPurchase,
    RechtTile,
    Side,
    get_other_direction,
)
from moderator.games.typdom.state import JollyExchange
from moderator.games.typdom.tiles import STAR
from moderator.rules.game import Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.markers import PRONOUN

# ---- how moves stand in a mail ----

_heard, _leading = partial(load_spelling_pattern, HERE), partial(load_leading_pattern, HERE)
_LETTER = r"[*★☆]?[a-z](?!\w)"
_SIDE, _END = rf"{_heard('front', 'back')}(?!\w)", rf"{_heard('front-end', 'back-end')}(?!\w)"
_FIRST = rf"(?:{_leading('starting')}|{PRONOUN}){_leading('lay')}?"
_SAYS = r"\s*(?:[=:,+(]|[-=]>|→|$|(?-i:[A-ZÄÖÜ]{2,}))"
_ON_SQUARE = rf"{_LETTER}\s*{_heard('at-square')}\s+{SQUARE}"
_GO_ON = rf"{_leading('go-on')}(?:(?:{_SIDE}\s*[:,]?\s*)?{_LETTER}|{_SIDE}\s+(?:\d|[^\w\s.,;:!?()–—-]))"
"""Behind the side also what is no letter: »weiter vorn §« was meant as a move, »weiter unten mehr« was not."""
_ONE = build_any_pattern([*(word for word, number in load_meanings(HERE, "counts").items() if number == "1"), "1"])
_BUY = rf"{PRONOUN}{_leading('buy', 'buy-too')}(?:{_ONE}\s+)?\w+"

STYLE = Style(
    attempt=re.compile(
        rf"{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}{_SAYS}|{_LETTER}\s+{_SIDE}{_SAYS}|{_ON_SQUARE}"
        rf"|{_LETTER}\s*=|{_GO_ON}|{_heard('complete')}(?!\w)|{_BUY}\s*$)"
        rf"|{COMMON.attempt.pattern if COMMON.attempt else ''}",
        re.IGNORECASE,
    ),
    unfinished=re.compile(
        rf"{COMMON.unfinished.pattern if COMMON.unfinished else ''}|{_BUY}|{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}"
        rf"|{_LETTER}\s+{_leading('at-end')}?{_leading('the')}?(?:{_SIDE}|{_END})|{_ON_SQUARE})",
        re.IGNORECASE,
    ),
    chain=re.compile(rf"{CHAIN}(?={_SIDE}\s*[:,]?\s*{_LETTER}|{_ON_SQUARE})", re.IGNORECASE),
    dangling=re.compile(r"[+&]\s*$"),
)
"""Behind an exchange of jollies and behind a tile without its word the move goes on, behind a purchase »passe« may
stand."""


# ---- writing and reading ----

_REPORTS = {frozenset(phrase.upper().split()) for phrase in load_spellings(HERE, "report-on")}
_JOINTS = re.compile(rf"[;,+&]|(?<!\w){build_any_pattern(load_capitals(SHARED_WORDS, 'and', 'then', 'plus'))}(?!\w)")
_GLUED = re.compile(r"(?<!\w)(?:[A-Z]{1,2}[0-9]{1,2}|[0-9]{1,2}[A-Z]{1,2})(?!\w)")


# ---- writing ----


def format_recht_move(move: Move) -> str:
    """Return the move in canonical notation; reading it gives the same move."""
    swaps = ", ".join(f"{exchange.letter} an {exchange.square}" for exchange in move.exchanges)
    head = f"tausche {swaps}; " if swaps else ""
    if isinstance(move, RechtPass):
        return f"{head}passe"
    if isinstance(move, RechtPurchase):
        return f"{head}kaufe {GERMAN[move.colour]}{', passe' if move.then_pass else ''}"
    if isinstance(move, RechtCompletion):
        return f"{head}vollende ab {move.square}"
    tiles = [format_recht_tile(tile) for tile in move.tiles]
    if move.direction:
        named = next((n for n, tile in enumerate(move.tiles) if tile.at not in ("", *SIDES)), 0)
        tiles[named] += f" {move.direction}"
    text = " + ".join(tiles)
    return f"{head}{'weiter ' if move.goes_on else ''}{text}{f' = {move.word}' if move.word else ''}"


# ---- reading ----


def parse_recht_move(line: str, public: RechtPublic) -> Move:
    """Parse one move.

    Raises all that ``parse_recht_laying`` does, and Unreadable (empty-line, line-too-long, buy-colour, buy-one,
    buy-first, unclear-turn, exchange-unclear, exchange-then, complete-where), each with ``line``."""
    swaps, text = _parse_exchanges(drop_pronouns(prepare_move_line(line)), line, public)
    texts = [token.text for token in tokenize_placement(remove_brackets(text), line, ALPHABET)]
    if not texts:
        raise Unreadable("exchange-then" if swaps else "empty-line", line=line)
    move: Move | None = _find_pass_or_purchase(text, texts, line)
    if move is None:
        move = (
            _parse_completion(text, texts, line, public)
            if texts[0] in COMPLETE
            else parse_recht_laying(text, line, public)
        )
    return replace(move, exchanges=swaps)


def _parse_exchanges(text: str, line: str, public: RechtPublic) -> tuple[tuple[JollyExchange, ...], str]:
    """Return the exchanges of jollies that a line begins with, and the rest of it."""
    found: list[JollyExchange] = []
    start = 0
    for joint in [*_JOINTS.finditer(text), None]:
        part = text[start : joint.start() if joint else len(text)]
        words = re.findall(r"[^\W\d_]+", part)
        while words and words[0] in PRONOUNS:
            words = words[1:]
        if not words and joint:
            start = joint.end()
            continue
        swaps = bool(words) and words[0] in TAKE_WORDS
        more = (
            bool(found and words) and len(words) <= 4 and len(words[0]) == 1 and not _is_announcement_next(text, start)
        )
        if "=" in part or not (swaps or more) or _GLUED.search(part) is None:
            if swaps and words[0] in EXCHANGE_WORDS:
                raise Unreadable("exchange-unclear", line=line)
            break
        found.append(
            parse_jolly_exchange(tokenize_placement(remove_brackets(part), line, ALPHABET), line, public.table)
        )
        start = joint.end() if joint else len(text)
    return tuple(found), text[start:] if found else text


def _is_announcement_next(text: str, start: int) -> bool:
    """Return whether a semicolon stands before ``start``, and an announcement behind it: »tausche A an H7; T an H9 + B
    = WT« exchanges one jolly and lays two tiles."""
    return text[:start].endswith(";") and "=" in text[start:].partition(";")[0]


def _find_pass_or_purchase(text: str, texts: list[str], line: str) -> Move | None:
    """Return a pass or a purchase; None for neither."""
    words = [word for word in texts if word not in PRONOUNS]
    if "=" not in text and (is_pass_words(texts) or set(words) in _REPORTS):
        return RechtPass()
    joint = next((joint for joint in _JOINTS.finditer(text) if _is_pass_part(text[joint.end() :])), None)
    bought = text[: joint.start()] if joint else text
    words = re.findall(r"[^\W_]+", bought)
    while words and words[0] in PRONOUNS:
        words = words[1:]
    if words and words[0] in BUY_WORDS and ("=" in bought or _GLUED.search(bought)):
        raise Unreadable("buy-first", line=line)
    if "=" in bought or not is_purchase(bought, words):
        if joint:
            raise Unreadable("unclear-turn", line=line)
        return None
    colours = parse_purchase(words, line)
    if len(colours) != 1:
        raise Unreadable("buy-one", line=line)
    return RechtPurchase(colours[0], joint is not None)


def _is_pass_part(text: str) -> bool:
    words = re.findall(r"\w+", text)
    return bool(words) and "=" not in text and is_pass_words(words)


def _parse_completion(text: str, texts: list[str], line: str, public: RechtPublic) -> RechtCompletion:
    """Parse ``vollende ab T19``; the square may be left out where only one is possible."""
    square, rest = take_recht_square(tokenize_placement(remove_brackets(text), line, ALPHABET), line, public)
    running = public.running
    known = FILLERS | COMPLETE | {running.word if running is not None else ""}
    loose = [token.text for token in rest if token.text and to_plain_letters(token.text) not in known]
    if loose:
        raise Unreadable("extra-words", line=line, words=loose)
    if square is None:
        raise Unreadable("complete-where", line=line)
    return RechtCompletion(square)


# ---- the words in which people put their moves in »Wer behält recht?« ----


_FRONT_KEYS, _BACK_KEYS = ([f"{side}{kind}" for kind in ("", "-rarely", "-end")] for side in ("front", "back"))
load_distinct_words(HERE, *_FRONT_KEYS, *_BACK_KEYS, "go-on", "complete", "complete-too")
FRONT, BACK = load_capitals(HERE, *_FRONT_KEYS), load_capitals(HERE, *_BACK_KEYS)
GO_ON, COMPLETE = load_capitals(HERE, "go-on"), load_capitals(HERE, "complete", "complete-too")
FILLERS = load_capitals(HERE, "fillers")
I_DO, I_WILL = build_any_pattern(load_capitals(HERE, "i-do")), build_any_pattern(load_capitals(HERE, "i-will"))
"""Before the first »I« is no letter to lay; the second may stand between both: »I will announce«, »I'm announcing«."""
KNOWN = (FILLERS | FRONT | BACK | GO_ON | JOLLY_WORDS | ACROSS | DOWN) - load_capitals(HERE, "announced-too")
"""These are announced nowhere but behind a "="."""
_I = build_any_pattern([word for word in PRONOUNS if len(word) == 1])
_PLUS = load_capitals(SHARED_WORDS, "plus")


# ---- recht reading ----


GERMAN_SIDE: dict[str, str] = {"front": "vorn", "back": "hinten"}
MOST_LETTERS = 4
"""In a group of tiles written in one piece."""
_PRONOUN = re.compile(rf"(?<!\w){_I}(?:(?:['’]|\s+){I_WILL}){{0,2}}(?=\s+{I_DO}(?!\w))")
_TILE = re.compile(r"(?<!\w)[^\W\d_](?!\w)")
_SIGNS = (re.compile("="), re.compile("[-=]>|→"), re.compile(":"))


def format_recht_tile(tile: RechtTile) -> str:
    """Return ``vorn S``, ``E an T20``, ``T``."""
    if tile.at in GERMAN_SIDE:
        return f"{GERMAN_SIDE[tile.at]} {tile.letter}"
    return f"{tile.letter} an {tile.at}" if tile.at else tile.letter


def remove_brackets(text: str) -> str:
    """Return the text without brackets: the words in them belong to the line."""
    return re.sub(r"[()\[\]{}]", " ", text)


def take_recht_square(
    found: list[PlacementToken], line: str, public: RechtPublic
) -> tuple[str | None, list[PlacementToken]]:
    """Return the square that is named, and the other tokens. Raises Unreadable (square-off-board), Ambiguous
    (two-squares)."""
    size = public.table.size
    try:
        return take_square(found, line, build_square_names(size))
    except Unreadable as error:
        raise Unreadable(error.code, **error.params, last=get_square_name(size * size - 1, size)) from None


@dataclass
class _LineItem:
    """The parts between two separators."""

    letters: list[PlacementToken] = field(default_factory=list)
    sides: list[Side] = field(default_factory=list)
    square: str = ""
    after_square: PlacementToken | None = None
    """The first single letter behind the square: maybe the direction."""
    jolly: bool = False


@dataclass
class _LineParts:
    """The parts of a line."""

    items: list[_LineItem]
    words: list[str] = field(default_factory=list)
    ways: list[Direction] = field(default_factory=list)
    goes_on: bool = False


def parse_recht_laying(text: str, line: str, public: RechtPublic) -> RechtLaying:
    """Parse tiles and announcement out of a prepared text.

    Raises Unreadable (foreign-letter, square-off-board, no-letter, no-announcement, no-place, extra-words,
    too-many-letters) or Ambiguous (two-squares, two-sides, two-directions), each with ``line``."""
    head, tail, equals = _split_at_sign(text, line)
    found = _parse_head(head, tail is None, line, public)
    if tail is not None:
        _parse_tail(tail, found, line)
    word = found.words[0] if found.words else ""
    items = _merge_items(found.items)
    if not items or not all(item.letters for item in items):
        raise Unreadable("no-letter", line=line)
    if len(found.words) > 1:
        raise Unreadable("extra-words", line=line, words=[to_starred_letters(word) for word in found.words[1:]])
    if len(to_plain_letters(word)) < 2 and (word or not found.goes_on):
        raise Unreadable("no-announcement", line=line)
    direction = _choose_direction(found, items, to_plain_letters(word), line)
    tiles = [tile for item in items for tile in _build_tiles(item, direction, to_plain_letters(word), line, public)]
    goes_on = found.goes_on and not 0 < len(to_plain_letters(word)) <= len(tiles)
    if not (equals or goes_on) and not any(tile.at for tile in tiles):
        raise Unreadable("no-place", line=line)
    # Let a star in the announced word count for the tile that is laid: »vorn S = *STERN«.
    stars = [c.upper() for c in word if c.islower()]
    marked = []
    for tile in tiles:
        if tile.letter in stars and tile.letter not in [c for c in word if c.isupper()]:
            tile = replace(tile, letter=STAR + tile.letter)
        marked.append(tile)
    return RechtLaying(tuple(marked), to_plain_letters(word), direction, found.goes_on)


def drop_pronouns(text: str) -> str:
    """Return the text without pronouns: »T behind, I announce BRETT« lays one tile; »I announce NEIN« by itself has
    none but the I."""
    bare = _PRONOUN.sub(" ", text)
    return bare if _TILE.search(bare) else text


def _split_at_sign(text: str, line: str) -> tuple[list[PlacementToken], list[PlacementToken] | None, bool]:
    """Return the tokens before and behind the "=", and whether there is one; an arrow or a colon will do as well. The
    word may stand first: »NAHT: hinten T«."""
    for sign in _SIGNS:
        found = list(sign.finditer(text))
        if found and text[found[-1].end() :].strip():
            head = tokenize_placement(remove_brackets(text[: found[-1].start()]), line, ALPHABET)
            tail = tokenize_placement(remove_brackets(text[found[-1].end() :]), line, ALPHABET)
            said = [token for token in head if token.text.upper() not in FILLERS]
            if len(said) == 1 and _is_long_word(said, 0) and said[0].text.upper() not in KNOWN and _has_letter(tail):
                return tail, said, sign is not _SIGNS[2]
            if sign is not _SIGNS[2] or _has_letter(head):
                return head, tail, sign is not _SIGNS[2]
    return tokenize_placement(remove_brackets(text), line, ALPHABET), None, False


def _has_letter(found: list[PlacementToken]) -> bool:
    return any(len(token.text) == 1 and token.text.isalpha() for token in found)


def _parse_head(found: list[PlacementToken], with_word: bool, line: str, public: RechtPublic) -> _LineParts:
    """Parse tiles and places. ``with_word``: the last long word is the announcement."""
    read = _LineParts([])
    long = [
        i for i in range(len(found)) if with_word and _is_long_word(found, i) and found[i].text.upper() not in KNOWN
    ]
    if long and not _has_letter(found[long[-1] :]) and not _is_side_of_letter(found, long[-1]):
        read.words.append(found[long[-1]].text)
        found = found[: long[-1]] + found[long[-1] + 1 :]
    for group in _split_into_groups(found):
        square, rest = take_recht_square(group, line, public)
        item = _LineItem(square=square or "")
        seen_square = False
        for token in rest:
            if not token.text:
                seen_square = True
            elif _is_repeated_side(token, item, read):
                raise Unreadable("extra-words", line=line, words=[token.text])
            elif _take_word(token, item, read, square is not None):
                continue
            elif token.text.isdecimal():
                raise Unreadable("extra-words", line=line, words=[token.text])
            else:
                item.letters.append(token)
                if seen_square and item.after_square is None:
                    item.after_square = token
        read.items.append(item)
    return read


def _split_into_groups(found: list[PlacementToken]) -> list[list[PlacementToken]]:
    """Cut the tokens at commas, plus signs and »und«."""
    groups: list[list[PlacementToken]] = [[]]
    for token in found:
        joins = token.text in CONJUNCTIONS | _PLUS
        if (token.sep or joins) and groups[-1]:
            groups.append([])
        if not joins:
            groups[-1].append(token)
    return [group for group in groups if group]


def _is_side_of_letter(found: list[PlacementToken], at: int) -> bool:
    """Return whether a word is all that says where the letter of its group goes: »haut, S bas« announces no BAS."""
    if _find_side(found[at].text.upper()) is None:
        return False
    group = next(group for group in _split_into_groups(found) if any(token is found[at] for token in group))
    others = [token for token in group if token is not found[at]]
    return _has_letter(others) and not any(_find_side(one.text.upper()) or one.text.isdecimal() for one in others)


def _is_long_word(found: list[PlacementToken], at: int) -> bool:
    """Return whether a token is a word, and not the column of a square."""
    following = found[at + 1] if at + 1 < len(found) else None
    glued = following is not None and following.glued and following.text.isdecimal()
    return found[at].text.isalpha() and len(found[at].text) > 1 and not glued


def _take_word(token: PlacementToken, item: _LineItem, read: _LineParts, square: bool) -> bool:
    """Take a word that says something else than a letter to lay; return whether it does."""
    text = token.text.upper()
    if len(text) == 1:
        return False
    if text in JOLLY_WORDS:
        item.jolly = True
    elif square and text in ACROSS | DOWN:
        read.ways.append("w" if text in ACROSS else "s")
    elif side := _find_side(text):
        item.sides.append(side)
    elif text in GO_ON:
        read.goes_on = True
    elif text not in FILLERS:
        return False
    return True


def _is_repeated_side(token: PlacementToken, item: _LineItem, read: _LineParts) -> bool:
    """Return whether behind a tile with its place another begins, of which there is no letter: »weiter vorn S dann
    weiter vorn ?«."""
    text = token.text.upper()
    again = read.goes_on if text in GO_ON else item.sides[-1:] == [_find_side(text)]
    return again and bool(item.letters)


def _find_side(text: str) -> Side | None:
    return "front" if text in FRONT else "back" if text in BACK else None


def _parse_tail(found: list[PlacementToken], read: _LineParts, line: str) -> None:
    """Parse the announced word, and maybe the direction behind it."""
    words = [token.text for token in found if len(token.text) > 1 and not token.text.isdecimal()]
    loose = [token.text for token in found if len(token.text) == 1 or token.text.isdecimal()]
    if any(item.square for item in read.items):
        ways = [text for text in loose if text in ("W", "S")]
        ways += [text for text in words[1:] if text in ACROSS | DOWN]
        read.ways += ["w" if text in ACROSS else "s" for text in ways]
        loose = [text for text in loose if text not in ways]
        words = [text for text in words if text not in ways]
    said = [text for text in words if text.upper() not in FILLERS] or words[-1:]
    if loose and said:
        raise Unreadable("extra-words", line=line, words=[to_starred_letters(text) for text in loose])
    read.words = said


def _merge_items(items: Sequence[_LineItem]) -> list[_LineItem]:
    """Give a place without a letter to its neighbour: »E, an T20«, »vorn: S«."""
    whole: list[_LineItem] = []
    waiting: _LineItem | None = None
    for item in items:
        if waiting is not None:
            item = _join_items(waiting, item)
            waiting = None
        if item.letters:
            whole.append(item)
        elif whole and not (whole[-1].square or whole[-1].sides):
            whole[-1] = _join_items(whole[-1], item)
        elif item.square or item.sides or item.jolly:
            waiting = item
    return whole if waiting is None else [*whole, waiting]


def _join_items(one: _LineItem, other: _LineItem) -> _LineItem:
    after = one.after_square or other.after_square
    if one.square and after is None and other.letters:
        after = other.letters[0]
    return _LineItem(
        [*one.letters, *other.letters],
        [*one.sides, *other.sides],
        one.square or other.square,
        after,
        one.jolly or other.jolly,
    )


def _choose_direction(found: _LineParts, items: list[_LineItem], word: str, line: str) -> Direction | Literal[""]:
    """Return the direction that is named, taken out of the letters where it is one of two: »E an T20 w«."""
    for item in items:
        only = item.letters[0] if len(item.letters) == 1 else None
        if only is not None and only is item.after_square and only.text in ACROSS | DOWN and only.text not in word:
            raise Unreadable("no-letter", line=line)
        if item.square and len(item.letters) > 1:
            way = _find_direction_letter(item, word)
            if way is not None:
                item.letters = [token for token in item.letters if token is not way]
                found.ways.append("w" if way.text in ACROSS else "s")
    if len(set(found.ways)) > 1:
        readings = list(dict.fromkeys(found.ways))
        raise Ambiguous("two-directions", line=line, readings=readings)
    return found.ways[0] if found.ways else ""


def _find_direction_letter(item: _LineItem, word: str) -> PlacementToken | None:
    """Return the letter that says the direction: of one before the square and one behind it the second; else best the
    one right behind the square, if the others are in the word."""
    ways = [token for token in item.letters if len(token.text) == 1 and token.text in ACROSS | DOWN]
    if item.after_square is not None and item.letters[0] is not item.after_square:
        return next((way for way in ways if way is item.after_square), None)
    ways.sort(key=lambda token: (token is not item.after_square, token.text not in "WS"))
    for way in ways:
        others = [token for token in item.letters if token is not way]
        if all(to_plain_letters(token.text) in word for token in others) or not word:
            return way
    return next((way for way in ways if way is item.after_square), None)


def _build_tiles(
    item: _LineItem, direction: Direction | Literal[""], word: str, line: str, public: RechtPublic
) -> list[RechtTile]:
    """Return the tiles of an item: one, or a group like »ST an T18«, in reading order."""
    if len(item.letters) > 1:
        raise Unreadable(
            "too-many-letters", line=line, letters=[to_starred_letters(token.text) for token in item.letters]
        )
    letters = [to_starred_letters(c) for c in item.letters[0].text]
    letters = [STAR + letter.lstrip(STAR) for letter in letters] if item.jolly and len(letters) == 1 else letters
    group = "".join(letters).replace(STAR, "")
    if len(group) > len(letters) == 1:
        raise Unreadable("too-many-letters", line=line, letters=list(group))
    if len(group) > len(letters) or len(group) > MOST_LETTERS or (word and len(letters) > 1 and group not in word):
        raise Unreadable("extra-words", line=line, words=[to_starred_letters(item.letters[0].text)])
    places = {item.square, *item.sides} - {""}
    if len(places) > 1:
        readings = [format_recht_tile(RechtTile(letters[0], place)) for place in sorted(places)]
        raise Ambiguous("two-sides", line=line, readings=readings)
    place = next(iter(places), "")
    if len(letters) == 1 or not place or place in SIDES:
        return [RechtTile(letter, place) for letter in letters]
    return _place_tiles_along(letters, place, direction or _get_group_direction(public), public, line)


def _get_group_direction(public: RechtPublic) -> Direction:
    """Return the direction in which a group of letters goes on from its square."""
    if public.running is not None:
        return public.running.direction
    return get_other_direction(public.finished.direction) if public.finished is not None else "w"


def _place_tiles_along(
    letters: list[str], square: str, direction: Direction, public: RechtPublic, line: str
) -> list[RechtTile]:
    size = public.table.size
    first, step = get_square_index(square, size), public.table.get_step(direction)
    room = size - (first % size if direction == "w" else first // size)
    if room < len(letters):
        raise Unreadable("too-many-letters", line=line, letters=letters)
    return [RechtTile(letter, get_square_name(first + n * step, size)) for n, letter in enumerate(letters)]
