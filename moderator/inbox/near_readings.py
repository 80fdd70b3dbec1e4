"""Near readings of an order that cannot be played, or not be read: the same with another square, direction or end.

A referee changes notation, and never finds a word for anybody: what is offered has the words and tiles that were
written, can be read, and can be played now. More than a few readings are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase

from moderator.inbox.wishes import MOST, WishScene, iter_moves_with_tile, offer_possible_move, parse_move
from moderator.notifications.pages import LineOffer, LineOutcome
from moderator.views.loaded_match import LiveMatch

_PLACED = re.compile(r"(\w+) ([ws]) (.+)")
"""A word on a board, in notation."""
_SQUARE = re.compile(r"(?<!\w)(?:[A-Za-z]{1,2}\s?\d{1,2}|\d{1,2}\s?[A-Za-z])(?!\w)")
_COLUMN = re.compile(r"(?<!\w)[A-Za-z](?=\s+[A-Za-z])")
_ROW = re.compile(r"(?<!\w)\d{1,2}(?!\w)")
_ROWS = 26
_BY_TIME = frozenset(
    {"too-late", "older-round", "seat-is-out", "move-in-first", "race-given-up", "race-stands", "scores-less"}
)
"""Reasons that no other notation changes."""


def list_near_readings(scene: WishScene, read: Sequence[LineOutcome]) -> list[LineOffer]:
    """Return the moves that the only order of a mail may mean; [] where there are none, or too many to ask."""
    live = scene.live
    orders = [one for one in read if one.status in ("move", "fallback", "error")]
    if live is None or live.table.state.over or live.table.pace == "race" or len(orders) != 1:
        return []
    (line,) = orders
    if line.points is not None or any(note.code in _BY_TIME for note in line.notes):
        return []
    moves = dict.fromkeys(parse_move(live, scene.seat, text) for text in _iter_readings(scene, live, line))
    found: list[LineOffer] = []
    for move in moves:
        if move and move != line.canonical and (offer := offer_possible_move(scene, live, move)):
            found.append(offer)
        if len(found) > MOST:
            return []
    return found


def _iter_readings(scene: WishScene, live: LiveMatch, line: LineOutcome) -> Iterator[str]:
    """Yield what the line may mean, possible or not."""
    codes = {note.code for note in line.notes}
    for note in line.notes:
        yield from (str(one) for one in note.params.get("readings", ()))
    if placed := _PLACED.fullmatch(line.canonical):
        square, direction, rest = placed.groups()
        yield f"{square} {'s' if direction == 'w' else 'w'} {rest}"
    elif "no-direction" in codes:
        yield from (_SQUARE.sub(rf"\g<0> {way}", line.text, count=1) for way in ("w", "s"))
    elif "no-square" in codes:
        yield from (_COLUMN.sub(rf"\g<0>{row}", line.text, count=1) for row in range(1, _ROWS + 1))
        yield from (_ROW.sub(rf"{column}\g<0>", line.text, count=1) for column in ascii_uppercase)
    if not live.game.uses_words:
        words = [line.canonical.partition("@")[0]] if "@" in line.canonical else re.findall(r"\w+", line.text)
        yield from iter_moves_with_tile(scene, live, words)
