"""Reading the tiles of a move, where they go, and the announced word, in the many ways people put it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from moderator.errors import Ambiguous, Unreadable
from moderator.games.placement import ACROSS, CONJUNCTIONS, DOWN, Token, take_square, tokens, word_set
from moderator.games.typdom.board import Direction, index, name
from moderator.games.typdom.notation import ALPHABET, JOLLY_WORDS, plain, squares_of, starred
from moderator.games.typdom.recht_state import SIDES, Lay, Public, Side, Tile, across
from moderator.games.typdom.tiles import STAR

# ---- the words in which people put their moves in »Wer behält recht?«, German and English ----


FRONT = word_set("VORN VORNE VOR DAVOR VORAN VORANGESTELLT ANFANG LINKS OBEN ÜBER UEBER FRONT BEFORE LEFT ABOVE TOP")
BACK = word_set(
    "HINTEN DAHINTER HINTER HINTENDRAN DANACH ENDE RECHTS UNTEN UNTER BACK BEHIND AFTER RIGHT BELOW BOTTOM END"
)
GO_ON = word_set("WEITER WEITERBAUEN FORTSETZEN CONTINUE CONTINUES")
COMPLETE = word_set("VOLLENDE VOLLENDEN VERVOLLSTÄNDIGE COMPLETE FINISH")
FILLERS = word_set(
    "ICH LEGE LEG LEGEN SETZE SETZ SETZEN SPIELE BAUE BAU BEGINNE BEGINNEN BEGIN STARTE START LAY PUT PLACE PLAY ADD "
    "AN AM AUF BEI IN IM AT ON THE TO FROM AB VON DER DEN DAS DIE EIN EINE EINEN DANN THEN MIT WITH MEIN MEINE MY "
    "BUCHSTABE BUCHSTABEN LETTER LETTERS STEIN TILE BITTE PLEASE NOCH ALSO ANSAGE ANGESAGT SAGE SAG ANNOUNCE "
    "ANNOUNCING ANNOUNCED SAY SAYING CALL CALLING WORT WORD NEUES NEUE NEW HEISST UND AND FÜR FUER FOR ALS AS ZU DIREKT"
)
I_DO = word_set("LAY PUT PLACE PLAY ADD BEGIN START SAY SAYING CALL CALLING ANNOUNCE ANNOUNCING CONTINUE")
"""Before these »I« is no letter to lay."""
I_WILL = word_set("AM M WILL LL SHALL NOW ALSO THEN HEREBY")
"""May stand between both: »I will announce«, »I'm announcing«."""
KNOWN = (FILLERS | FRONT | BACK | GO_ON | JOLLY_WORDS | ACROSS | DOWN) - {"STERN", "STAR"}
"""These are announced nowhere but behind a "="."""


# ---- recht reading ----


GERMAN_SIDE: dict[str, str] = {"front": "vorn", "back": "hinten"}
MOST_LETTERS = 4
"""In a group of tiles written in one piece."""
_PRONOUN = re.compile(
    rf"(?<!\w)I(?:(?:['’]|\s+)(?:{'|'.join(sorted(I_WILL))})){{0,2}}(?=\s+(?:{'|'.join(sorted(I_DO))})(?!\w))"
)
_TILE = re.compile(r"(?<!\w)[^\W\d_](?!\w)")
_SIGNS = (re.compile("="), re.compile("[-=]>|→"), re.compile(":"))


def write_tile(tile: Tile) -> str:
    """``vorn S``, ``E an T20``, ``T``."""
    if tile.at in GERMAN_SIDE:
        return f"{GERMAN_SIDE[tile.at]} {tile.letter}"
    return f"{tile.letter} an {tile.at}" if tile.at else tile.letter


def flat(text: str) -> str:
    """Without brackets: what stands in them belongs to the line."""
    return re.sub(r"[()\[\]{}]", " ", text)


def read_square(found: list[Token], line: str, public: Public) -> tuple[str | None, list[Token]]:
    """The square that is named, and the other tokens. Raises Unreadable (square-off-board), Ambiguous (two-squares)."""
    size = public.table.size
    try:
        return take_square(found, line, squares_of(size))
    except Unreadable as error:
        raise Unreadable(error.code, **error.params, last=name(size * size - 1, size)) from None


@dataclass
class _Item:
    """What stands between two separators."""

    letters: list[Token] = field(default_factory=list)
    sides: list[Side] = field(default_factory=list)
    square: str = ""
    after_square: Token | None = None
    """The first single letter behind the square: maybe the direction."""
    jolly: bool = False


@dataclass
class _Found:
    """What stands in a line."""

    items: list[_Item]
    words: list[str] = field(default_factory=list)
    ways: list[Direction] = field(default_factory=list)
    goes_on: bool = False


def read_lay(text: str, line: str, public: Public) -> Lay:
    """Tiles and announcement out of a prepared text.

    Raises Unreadable (foreign-letter, square-off-board, no-letter, no-announcement, no-place, extra-words,
    too-many-letters) or Ambiguous (two-squares, two-sides, two-directions), each with ``line``.
    """
    head, tail, equals = _halves(text, line)
    found = _head(head, tail is None, line, public)
    if tail is not None:
        _tail(tail, found, line)
    word = found.words[0] if found.words else ""
    items = _merged(found.items)
    if not items or not all(item.letters for item in items):
        raise Unreadable("no-letter", line=line)
    if len(found.words) > 1:
        raise Unreadable("extra-words", line=line, words=[starred(word) for word in found.words[1:]])
    if len(plain(word)) < 2 and (word or not found.goes_on):
        raise Unreadable("no-announcement", line=line)
    direction = _direction(found, items, plain(word), line)
    tiles = [tile for item in items for tile in _tiles(item, direction, plain(word), line, public)]
    if not (equals or found.goes_on) and not any(tile.at for tile in tiles):
        raise Unreadable("no-place", line=line)
    return Lay(_marked(tiles, word), plain(word), direction, found.goes_on)


def without_pronouns(text: str) -> str:
    """»T behind, I announce BRETT« lays one tile; »I announce NEIN« alone has none but the I."""
    bare = _PRONOUN.sub(" ", text)
    return bare if _TILE.search(bare) else text


def _halves(text: str, line: str) -> tuple[list[Token], list[Token] | None, bool]:
    """What stands before and behind the "=", and whether there is one; an arrow or a colon will do as well. The word
    may stand first: »NAHT: hinten T«."""
    for sign in _SIGNS:
        found = list(sign.finditer(text))
        if found and text[found[-1].end() :].strip():
            head = tokens(flat(text[: found[-1].start()]), line, ALPHABET)
            tail = tokens(flat(text[found[-1].end() :]), line, ALPHABET)
            said = [token for token in head if token.text.upper() not in FILLERS]
            if len(said) == 1 and _long(said, 0) and said[0].text.upper() not in KNOWN and _lettered(tail):
                return tail, said, sign is not _SIGNS[2]
            if sign is not _SIGNS[2] or _lettered(head):
                return head, tail, sign is not _SIGNS[2]
    return tokens(flat(text), line, ALPHABET), None, False


def _lettered(found: list[Token]) -> bool:
    return any(len(token.text) == 1 and token.text.isalpha() for token in found)


def _head(found: list[Token], with_word: bool, line: str, public: Public) -> _Found:
    """Tiles and places. ``with_word``: the last long word is the announcement."""
    read = _Found([])
    long = [i for i in range(len(found)) if with_word and _long(found, i) and found[i].text.upper() not in KNOWN]
    if long and not _lettered(found[long[-1] :]):
        read.words.append(found[long[-1]].text)
        found = found[: long[-1]] + found[long[-1] + 1 :]
    for group in _groups(found):
        square, rest = read_square(group, line, public)
        item = _Item(square=square or "")
        seen_square = False
        for token in rest:
            if not token.text:
                seen_square = True
            elif _says_again(token, item, read):
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


def _long(found: list[Token], at: int) -> bool:
    """Whether a token is a word, and not the column of a square."""
    following = found[at + 1] if at + 1 < len(found) else None
    glued = following is not None and following.glued and following.text.isdecimal()
    return found[at].text.isalpha() and len(found[at].text) > 1 and not glued


def _take_word(token: Token, item: _Item, read: _Found, square: bool) -> bool:
    """Whether a word says something else than a letter to lay."""
    text = token.text.upper()
    if len(text) == 1:
        return False
    if text in JOLLY_WORDS:
        item.jolly = True
    elif square and text in ACROSS | DOWN:
        read.ways.append("w" if text in ACROSS else "s")
    elif side := _side(text):
        item.sides.append(side)
    elif text in GO_ON:
        read.goes_on = True
    elif text not in FILLERS:
        return False
    return True


def _says_again(token: Token, item: _Item, read: _Found) -> bool:
    """Whether behind a tile with its place another begins, of which there is no letter: »weiter vorn S dann weiter vorn
    ?«."""
    text = token.text.upper()
    again = read.goes_on if text in GO_ON else item.sides[-1:] == [_side(text)]
    return again and bool(item.letters)


def _side(text: str) -> Side | None:
    return "front" if text in FRONT else "back" if text in BACK else None


def _groups(found: list[Token]) -> list[list[Token]]:
    """Cut at commas, plus signs and »und«."""
    groups: list[list[Token]] = [[]]
    for token in found:
        if (token.sep or token.text in CONJUNCTIONS or token.text == "PLUS") and groups[-1]:
            groups.append([])
        if token.text not in CONJUNCTIONS and token.text != "PLUS":
            groups[-1].append(token)
    return [group for group in groups if group]


def _tail(found: list[Token], read: _Found, line: str) -> None:
    """The announced word, and maybe the direction behind it."""
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
        raise Unreadable("extra-words", line=line, words=[starred(text) for text in loose])
    read.words = said


def _merged(items: Sequence[_Item]) -> list[_Item]:
    """A place without a letter belongs to its neighbour: »E, an T20«, »vorn: S«."""
    whole: list[_Item] = []
    waiting: _Item | None = None
    for item in items:
        if waiting is not None:
            item = _joined(waiting, item)
            waiting = None
        if item.letters:
            whole.append(item)
        elif whole and not (whole[-1].square or whole[-1].sides):
            whole[-1] = _joined(whole[-1], item)
        elif item.square or item.sides or item.jolly:
            waiting = item
    return whole if waiting is None else [*whole, waiting]


def _joined(one: _Item, other: _Item) -> _Item:
    after = one.after_square or other.after_square
    if one.square and after is None and other.letters:
        after = other.letters[0]
    return _Item(
        [*one.letters, *other.letters],
        [*one.sides, *other.sides],
        one.square or other.square,
        after,
        one.jolly or other.jolly,
    )


def _direction(found: _Found, items: list[_Item], word: str, line: str) -> Direction | Literal[""]:
    """The direction that is named, taken out of the letters where it is one of two: »E an T20 w«."""
    for item in items:
        only = item.letters[0] if len(item.letters) == 1 else None
        if only is not None and only is item.after_square and only.text in ACROSS | DOWN and only.text not in word:
            raise Unreadable("no-letter", line=line)
        if item.square and len(item.letters) > 1:
            way = _way_among(item, word)
            if way is not None:
                item.letters = [token for token in item.letters if token is not way]
                found.ways.append("w" if way.text in ACROSS else "s")
    if len(set(found.ways)) > 1:
        readings = list(dict.fromkeys(found.ways))
        raise Ambiguous("two-directions", line=line, readings=readings)
    return found.ways[0] if found.ways else ""


def _way_among(item: _Item, word: str) -> Token | None:
    """The letter that says the direction: of one before the square and one behind it the second; else best the one
    right behind the square, if the others are in the word."""
    ways = [token for token in item.letters if len(token.text) == 1 and token.text in ACROSS | DOWN]
    if item.after_square is not None and item.letters[0] is not item.after_square:
        return next((way for way in ways if way is item.after_square), None)
    ways.sort(key=lambda token: (token is not item.after_square, token.text not in "WS"))
    for way in ways:
        others = [token for token in item.letters if token is not way]
        if all(plain(token.text) in word for token in others) or not word:
            return way
    return next((way for way in ways if way is item.after_square), None)


def _tiles(item: _Item, direction: Direction | Literal[""], word: str, line: str, public: Public) -> list[Tile]:
    """The tiles of an item: one, or a group like »ST an T18«, in reading order."""
    if len(item.letters) > 1:
        raise Unreadable("too-many-letters", line=line, letters=[starred(token.text) for token in item.letters])
    letters = [starred(c) for c in item.letters[0].text]
    letters = [STAR + letter.lstrip(STAR) for letter in letters] if item.jolly and len(letters) == 1 else letters
    group = "".join(letters).replace(STAR, "")
    if len(group) > len(letters) == 1:
        raise Unreadable("too-many-letters", line=line, letters=list(group))
    if len(group) > len(letters) or len(group) > MOST_LETTERS or (word and len(letters) > 1 and group not in word):
        raise Unreadable("extra-words", line=line, words=[starred(item.letters[0].text)])
    places = {item.square, *item.sides} - {""}
    if len(places) > 1:
        readings = [write_tile(Tile(letters[0], place)) for place in sorted(places)]
        raise Ambiguous("two-sides", line=line, readings=readings)
    place = next(iter(places), "")
    if len(letters) == 1 or not place or place in SIDES:
        return [Tile(letter, place) for letter in letters]
    return _along(letters, place, direction or _new_direction(public), public, line)


def _new_direction(public: Public) -> Direction:
    """In which a group of letters goes on from its square."""
    if public.running is not None:
        return public.running.direction
    return across(public.finished.direction) if public.finished is not None else "w"


def _along(letters: list[str], square: str, direction: Direction, public: Public, line: str) -> list[Tile]:
    size = public.table.size
    first, step = index(square, size), public.table.step(direction)
    room = size - (first % size if direction == "w" else first // size)
    if room < len(letters):
        raise Unreadable("too-many-letters", line=line, letters=letters)
    return [Tile(letter, name(first + n * step, size)) for n, letter in enumerate(letters)]


def _marked(tiles: list[Tile], word: str) -> tuple[Tile, ...]:
    """A star in the announced word counts for the tile that is laid: »vorn S = *STERN«."""
    stars = [c.upper() for c in word if c.islower()]
    marked = []
    for tile in tiles:
        if tile.letter in stars and tile.letter not in [c for c in word if c.isupper()]:
            tile = replace(tile, letter=STAR + tile.letter)
        marked.append(tile)
    return tuple(marked)
