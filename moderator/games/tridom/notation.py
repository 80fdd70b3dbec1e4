"""How a move is written: ``225@8``, ``225@8 ab 10``, ``nach Ziehen: bester``, and the many ways people vary it.

Only a whole line is a move: a tile (three digits, joined or parted by the same kind of sign), a word or sign, a place.
A rack (``225 344 355``) is none, nor is a tile that our mails print with U+01C0 between its numbers.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from moderator.common.errors import Unreadable
from moderator.common.message_files import load_leading_pattern, load_spelling_pattern
from moderator.games.tridom.board import Known, find_tridom_tile
from moderator.games.tridom.state import Move, TridomPlacement, TridomPublic
from moderator.rules.game import Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.conditions import AFTER_DRAW_TEXT, is_pass, read_after_draw, take
from moderator.rules.orders.conditions import write as condition
from moderator.rules.orders.markers import PRONOUN
from moderator.words.kinds import clean_word

HERE = Path(__file__).parent
MAX_LINE = 200
"""Characters; a longer line is no move."""
NEAR = 12
"""Free places that an error names."""

_TILE = r"(?:[0-9]{3}|[0-9](?: ?[-–/.,:|] ?[0-9]){2}|[0-9] [0-9] [0-9])"
_BRACKETED = rf"(?:{_TILE}|\( ?{_TILE} ?\)|\[ ?{_TILE} ?\])"
_heard, _leading = partial(load_spelling_pattern, HERE), partial(load_leading_pattern, HERE)
_ARTICLE = rf"{_leading('article')}*"
_VERB = rf"{PRONOUN}{load_leading_pattern(SHARED_WORDS, 'lay')}?"
_TO = rf"(?:@|→|->|=>|{_heard('place-at')}\b)"
_NUMBERED = rf"(?:{_heard('number')}|#)"
_NR = rf"(?: ?{_NUMBERED})?"
_PLACE_WORD = rf"{_leading('place-article')}?{_heard('place')}{_NR}"
_THERE = rf"(?:{_PLACE_WORD} ?|{_leading('place-article')}?(?:{_NUMBERED} ?)?)"
_PLACE = r"(?:#?(?P<place>[0-9]{1,3})|\( ?(?P<x>[-−]?[0-9]{1,3}) ?, ?(?P<y>[-−]?[0-9]{1,3}) ?\))"
_UNIT = rf"{load_spelling_pattern(SHARED_WORDS, 'points')}\b\.?"
_COUNTED = rf"[0-9]{{1,3}}(?: ?{_UNIT})?"
_REMARK = rf"(?: {_heard('behind')})*(?: ?= ?{_COUNTED}| ?\( ?=? ?{_COUNTED} ?\))?[ .!]*"
"""Behind a move: ``lege … an``, and the points that the player counted, which nobody checks."""
_TILE_FIRST = re.compile(
    rf"{_VERB}{_ARTICLE}(?P<tile>{_BRACKETED})(?: {_heard('tile')})?"
    rf"(?P<to> ?,? ?{_TO} ?{_THERE}| ?: ?| ?,? ?(?:{_PLACE_WORD}|{_NUMBERED}) ?| ){_PLACE}{_REMARK}"
)
_PLACE_FIRST = re.compile(
    rf"{_VERB}(?:{_TO} ?{_THERE}|{_PLACE_WORD} ?){_PLACE}(?: ?[:,=] ?| )"
    rf"{_VERB}{_ARTICLE}(?P<tile>{_BRACKETED}){_REMARK}"
)
_TILE_ONLY = re.compile(rf"{_VERB}{_ARTICLE}(?P<tile>{_BRACKETED})[ .!@]*")
_QUOTES = "»«„“”\"'‚‘’›‹`"

STYLE = Style(
    attempt=re.compile(
        rf"{_VERB}{_ARTICLE}{_BRACKETED}(?: ?(?:@|→|->)| (?:{_TO}|{_PLACE_WORD})| ?: ?[0-9]{{1,3}}$| [0-9]{{1,2}}$|$)",
        re.I,
    )
)


def format_tridom_move(move: Move) -> str:
    """Return the move in canonical notation; reading it gives the same move."""
    return (
        f"{move.tile}@{move.place}{condition(move.at_least)}" if isinstance(move, TridomPlacement) else AFTER_DRAW_TEXT
    )


def parse_tridom_move(line: str, public: TridomPublic) -> Move:
    """Parse one move. Raises Unreadable (empty-line, line-too-long, no-pass, no-such-tile, no-place, no-such-place,
    no-move), each with ``line``."""
    if len(line) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    text = " ".join(clean_word(line).split()).strip(_QUOTES + " ")
    if not text:
        raise Unreadable("empty-line", line=line)
    standing = read_after_draw(text)
    if standing is not None:
        return standing
    if is_pass(text):
        raise Unreadable("no-pass", line=line)
    text, at_least = take(text)
    text = text.lower()
    found = _TILE_FIRST.fullmatch(text) or _PLACE_FIRST.fullmatch(text)
    if found is None:
        only = _TILE_ONLY.fullmatch(text)
        if only is not None:
            raise Unreadable("no-place", line=line, tile=_require_tile(only, line, public))
        raise Unreadable("no-move", line=line)
    tile = _require_tile(found, line, public)
    if found.re is _TILE_FIRST and found["to"] == " " and (found["place"] is None or len(found["place"]) > 2):
        # Two tiles of a rack, or a table: a place that stands so loosely has one or two digits.
        raise Unreadable("no-move", line=line)
    return TridomPlacement(tile, _require_place(found, line, public), at_least)


def _require_tile(found: re.Match[str], line: str, public: TridomPublic) -> str:
    digits = re.sub(r"[^0-9]", "", found["tile"])
    tile = find_tridom_tile(digits, public.mirrored)
    if tile is None:
        raise Unreadable("no-such-tile", line=line, tile=digits)
    return tile


def _require_place(found: re.Match[str], line: str, public: TridomPublic) -> int:
    if found["place"] is not None:
        number = int(found["place"])
        if public.board.find_cell(number) is None:
            raise Unreadable("no-such-place", line=line, place=number, free=list_near_places(public, number))
        return number
    x, y = (int(found[axis].replace("−", "-")) for axis in "xy")
    place = public.board.places.get((x, y))
    if place is None:
        raise Unreadable("no-such-place", line=line, place=f"({x},{y})", free=list_near_places(public, 0))
    return place


def list_near_places(public: TridomPublic, number: int) -> list[int]:
    """Return the numbers of free places: all, or those nearest to ``number``, in order."""
    free = [public.board.places[cell] for cell in public.board.free]
    return sorted(sorted(free, key=lambda place: (abs(place - number), place))[:NEAR])


def format_known_corners(known: Known) -> str:
    """Return the known corners clockwise from the tip: ``3 · 5 · ?``."""
    return " · ".join("?" if number is None else str(number) for number in known)
