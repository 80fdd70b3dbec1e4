"""How a move is written: ``64@L``, ``64``, ``64@L ab 10``, ``nach Ziehen: bester``, and the many ways people vary it.

Only a whole line is a move: every word in it must be known. A rack (``64 31 22``) is none, nor is a tile that our mails
print with U+01C0 between its halves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from moderator.common.errors import Ambiguous, Unreadable
from moderator.games.dominos.state import (
    PLACES,
    DominoPlacement,
    DominosPublic,
    Move,
    build_domino_name,
    format_domino,
    get_open_ends,
    list_fitting_places,
)
from moderator.rules.game import Style, View
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT, is_pass, read_after_draw, take
from moderator.rules.orders.conditions import write as condition
from moderator.words.letters import clean_word

# ---- the words of a move in Dominos, German and English, in small letters ----


def _split_words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_PLACES = {
    "L": "l li lks links linke linken linkes linker left west westen ←",
    "R": "r re rts rechts rechte rechten rechtes rechter right ost osten east →",
    "N": "n nord norden north oben obere oberen oberes top up above rauf hinauf ↑",
    "S": "s süd sued süden sueden south unten untere unteren unteres bottom down below runter hinunter ↓",
}
PLACE_OF = {word: place for place, words in _PLACES.items() for word in words.split()}

_NUMBERS = (
    "null zero blank leer",
    "eins eine einer one",
    "zwei two",
    "drei three",
    "vier four",
    "fünf fuenf five",
    "sechs six",
)
NUMBER_OF = {word: str(value) for value, words in enumerate(_NUMBERS) for word in words.split()}

LAYING = _split_words("lege leg legen setze setz setzen spiele spiel spielen lay put play anlegen")
"""Verbs that make a lone tile a move beyond doubt."""
FILLERS = LAYING | _split_words(
    "ich i wir place to zu zur zum an am ans at auf on onto bei beim nach in ins im the a der die das den dem des er "
    "mein meine meinen my stein steine tile domino bitte please ende seite end side platz arm mit with wo where "
    "showing zeigt hin dran"
)
SIGNS = frozenset("@-–—−>=,;.!:/|⇒")


# ---- notation ----


MAX_LINE = 200
"""Characters; a longer line is no move."""


_DOUBLE = r"(?:doppel|double|pasch)"
_SEPARATOR = r"[-–—−:/|.,]"
_TOKEN = re.compile(
    rf"{_DOUBLE}[- ]?(?P<twice>\d)(?!\d)|(?P<both>\d)(?:er)?[- ]?pasch(?!\w)"
    rf"|(?<!\d)(?P<one>\d) ?{_SEPARATOR} ?(?P<other>\d)(?!\d)"
    r"|(?P<number>\d+)|(?P<word>[^\W\d_]+)|(?P<sign>\S)"
)
_NUMBER_WORD = re.compile(
    rf"(?<![^\W\d])({_DOUBLE}[- ]?)?({'|'.join(NUMBER_OF)})(?=er[- ]?pasch|(?:er)?(?![^\W\d]))(?:er(?![- ]?pasch))?"
)
_UNIT = r"(?:punkte?n?|pkte?|points?|pts?)\b\.?"
_CLAIM = re.compile(rf"[ ,]*(?:= ?\d{{1,3}}|(?:(?:=|macht|gibt|bringt|für|makes|for) ?)?\d{{1,3}} ?{_UNIT})[ .!]*$")
"""The points that the player counted; nobody checks them."""
_QUOTES = str.maketrans(dict.fromkeys("»«„“”\"'‚‘’›‹`()[]{}*", " "))
_SIDE = r"links?|left|rechts?|right|oben|unten|nord|north|süd|sued|south|[lrns]"
_AT = rf"(?:@|(?:an?|am|auf|at|on)\b|(?:{_SIDE})(?![^\W\d]))"
STYLE = Style(
    attempt=re.compile(
        r"(?:(?:ich|i) )?(?:(?:lege?|setze?|spiele?|lay|place|put|play) )?"
        rf"[(\[]?[0-6] ?{_SEPARATOR}? ?[0-6][)\]]? ?(?:$|{_AT})",
        re.IGNORECASE,
    ),
    tile=format_domino,
)


@dataclass
class _LineParts:
    """The parts of a line."""

    tiles: list[str]
    places: list[str]
    values: list[int]
    loose: list[int]
    """Single digits before any tile: perhaps a tile with a blank between its halves."""
    bare: bool = True
    """Nothing but a tile: a score or a date could look the same."""


def format_domino_move(move: Move) -> str:
    """Return the move in canonical notation; reading it gives the same move."""
    if not isinstance(move, DominoPlacement):
        return AFTER_DRAW_TEXT
    place = f"@{move.place}" if move.place else ""
    return f"{move.tile}{place}{condition(move.at_least)}"


def parse_domino_move(line: str, view: View[DominosPublic]) -> Move:
    """Parse one move.

    Raises Unreadable (empty-line, line-too-long, printed-tile, no-pass, no-tile, several-tiles, no-such-tile,
    no-such-place, extra-words, no-such-end, tile-not-held) or Ambiguous (which-end), each with ``line``."""
    if len(line) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    if "\u01c0" in line:
        raise Unreadable("printed-tile", line=line)
    text = " ".join(clean_word(line).translate(_QUOTES).split())
    if not text:
        raise Unreadable("empty-line", line=line)
    standing = read_after_draw(text)
    if standing is not None:
        return standing
    if is_pass(text):
        raise Unreadable("no-pass", line=line)
    text, at_least = take(text)
    found = _split_line(_NUMBER_WORD.sub(_replace_number_word, _CLAIM.sub("", text.lower())), line)
    tile = _choose_tile(found, line)
    if found.bare and at_least is None and view.seat is not None and tile not in view.hand:
        raise Unreadable("tile-not-held", line=line, tile=tile)
    return DominoPlacement(tile, _choose_place(tile, at_least, found, view, line), at_least)


def _replace_number_word(found: re.Match[str]) -> str:
    return f"{found[1] or ''}{NUMBER_OF[found[2]]}"


def _split_line(text: str, line: str) -> _LineParts:
    """Split a line into tiles, places and numbers; any other word is one too many."""
    found = _LineParts([], [], [], [])
    unknown: list[str] = []
    for token in _TOKEN.finditer(text):
        same = token["twice"] or token["both"]
        if same or token["one"] or token["number"]:
            pair = same * 2 if same else f"{token['one']}{token['other']}" if token["one"] else token["number"]
            if len(pair) == 2:
                found.tiles.append(_require_tile(pair, line))
            elif len(pair) == 1:
                (found.values if found.tiles else found.loose).append(int(pair))
            else:
                raise Unreadable("no-such-tile", line=line, tile=pair)
        elif (word := token["word"] or token["sign"]) in PLACE_OF:
            found.places.append(PLACE_OF[word])
        elif word in FILLERS:
            found.bare = found.bare and word not in LAYING
        elif word not in SIGNS:
            unknown.append(token[0])
    if len(unknown) == 1 and f"@{unknown[0]}" in text.replace(" ", ""):
        raise Unreadable("no-such-place", line=line, place=unknown[0].upper())
    if unknown:
        raise Unreadable("extra-words", line=line, words=unknown)
    found.bare = found.bare and not found.places and not found.values
    return found


def _require_tile(pair: str, line: str) -> str:
    if max(pair) > "6":
        raise Unreadable("no-such-tile", line=line, tile=pair)
    return build_domino_name(int(pair[0]), int(pair[1]))


def _choose_tile(found: _LineParts, line: str) -> str:
    """Return the one tile of a line. ``6 4 links`` names one, too; ``6 4`` by itself does not."""
    if not found.tiles and len(found.loose) == 2 and found.places:
        return _require_tile(f"{found.loose[0]}{found.loose[1]}", line)
    if not found.tiles:
        raise Unreadable("no-tile", line=line)
    if len(found.tiles) > 1 or found.loose or len(found.values) > 1:
        raise Unreadable("several-tiles", line=line)
    return found.tiles[0]


def _choose_place(tile: str, at_least: int | None, found: _LineParts, view: View[DominosPublic], line: str) -> str:
    """Return the place named, the one whose number is named, or the only one that fits. On an empty table there is
    none."""
    board = view.public.board
    if not board.line:
        return ""
    named_places = list(dict.fromkeys(found.places))
    if found.values:
        value = found.values[0]
        now = get_open_ends(board)
        showing = [place for place, end in now.items() if end.value == value]
        if not showing:
            raise Unreadable("no-such-end", line=line, value=value, ends={p: end.value for p, end in now.items()})
        named_places = [place for place in showing if place in named_places] or showing
    elif not named_places:
        named_places = list(list_fitting_places(board, tile))
    if len(named_places) > 1:
        places = [place for place in PLACES if place in named_places]
        raise Ambiguous(
            "which-end",
            line=line,
            readings=[format_domino_move(DominoPlacement(tile, place, at_least)) for place in places],
        )
    return named_places[0] if named_places else ""
