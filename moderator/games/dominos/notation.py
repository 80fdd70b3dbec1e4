"""How a move is written: ``64@L``, ``64``, ``64@L ab 10``, ``nach Ziehen: bester``, and the many ways people vary it.

Only a whole line is a move: every word in it must be known. A rack (``64 31 22``) is none, nor is a tile that our mails
print with U+01C0 between its halves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from moderator.common.errors import Ambiguous, Unreadable
from moderator.common.message_files import (
    build_any_pattern,
    load_distinct_spellings,
    load_leading_pattern,
    load_meanings,
    load_spelling_pattern,
    load_spellings,
)
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
from moderator.rules.game import Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT, is_pass, read_after_draw, take
from moderator.rules.orders.conditions import write as condition
from moderator.rules.orders.markers import PRONOUN
from moderator.rules.state import View
from moderator.words.kinds import clean_word

# ---- the words of a move in Dominos, in small letters ----


HERE = Path(__file__).parent
_heard = partial(load_spelling_pattern, HERE)
_ARROWS = {"L": "←", "R": "→", "N": "↑", "S": "↓"}
_ENDS = load_distinct_spellings(HERE, "left", "right", "top", "bottom")
PLACE_OF = {
    **{arrow: place for place, arrow in _ARROWS.items()},
    **{word: place for place, words in zip(_ARROWS, _ENDS, strict=True) for word in words},
}
NUMBER_OF = load_meanings(HERE, "counts")
LAYING = load_spellings(HERE, "laying")
"""Verbs that make a lone tile a move beyond doubt."""
FILLERS = LAYING | load_spellings(HERE, "fillers")
FILLERS_BEHIND = load_spellings(HERE, "fillers-behind")
"""Behind a tile only: »64 côté du 5«; »du 11« is a score in a mail of ours."""
_JOINED = build_any_pattern([word for word in FILLERS if word.endswith(("'", "’"))])
_ELIDED = re.compile(rf"(?<!\w){_JOINED}(?=[^\W\d_])", re.IGNORECASE)
SIGNS = frozenset("@-–—−>=,;.!:/|⇒")


# ---- notation ----


MAX_LINE = 200
"""Characters; a longer line is no move."""


_DOUBLE = _heard("double")
_ENDING = _heard("count-ending")
_SEPARATOR = r"[-–—−:/|.,]"
_TOKEN = re.compile(
    rf"{_DOUBLE}[- ]?(?P<twice>\d)(?!\d)|(?P<both>\d){_ENDING}?[- ]?{_heard('double-behind')}(?!\w)"
    rf"|(?<!\d)(?P<one>\d) ?{_SEPARATOR} ?(?P<other>\d)(?!\d)"
    r"|(?P<number>\d+)|(?P<word>[^\W\d_]+)|(?P<sign>\S)"
)
_NUMBER_WORD = re.compile(
    rf"(?<![^\W\d])({_DOUBLE}[- ]?)?({build_any_pattern(NUMBER_OF)})"
    rf"(?={_ENDING}[- ]?{_heard('double-behind')}|{_ENDING}?(?![^\W\d]))"
    rf"(?:{_ENDING}(?![- ]?{_heard('double-behind')}))?"
)
_UNIT = rf"{build_any_pattern([word for word in load_spellings(SHARED_WORDS, 'points') if len(word) > 1])}\b\.?"
_CLAIM = re.compile(rf"[ ,]*(?:= ?\d{{1,3}}|(?:(?:=|{_heard('claim')}) ?)?\d{{1,3}} ?{_UNIT})[ .!]*$")
"""The points that the player counted; nobody checks them."""
_QUOTES = str.maketrans(dict.fromkeys("»«„“”\"'‚‘’›‹`()[]{}*", " "))
_AT = rf"(?:@|{_heard('at-written')}\b|(?:{_heard('side-written')}|[lrns])(?![^\W\d]))"
STYLE = Style(
    attempt=re.compile(
        rf"{PRONOUN}{load_leading_pattern(SHARED_WORDS, 'lay')}?[(\[]?[0-6] ?{_SEPARATOR}? ?[0-6][)\]]? ?(?:$|{_AT})",
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
    text = " ".join(_ELIDED.sub(" ", clean_word(line)).translate(_QUOTES).split())
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
        elif word in FILLERS or (found.tiles and word in FILLERS_BEHIND):
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
