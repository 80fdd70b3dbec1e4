"""How robots play »Wer behält recht?«: they announce no word that they cannot finish with their own tiles, wherever it
may come to lie and whatever others add to it. What others might announce they do not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from moderator.errors import Illegal, Undecided
from moderator.games.typdom.board import name
from moderator.games.typdom.recht_flow import completions, missing
from moderator.games.typdom.recht_laying import admitted, ways
from moderator.games.typdom.recht_notation import write
from moderator.games.typdom.recht_search import lays
from moderator.games.typdom.recht_state import Complete, Lay, Move, Public
from moderator.games.typdom.tiles import STAR, as_held, rest_points, take
from moderator.match.contract import Context, View
from moderator.states import Level

LISTED = 4000
"""Announcements that are looked at, at most."""
EASY = 4
"""Letters of the words that a beginner thinks of; it lays one tile for them and sees no premium."""


def choose(level: Level, view: View[Public], ctx: Context) -> Move | None:
    """The move of a robot; None if it finds none that it can stand for. Of those it can, the club's takes the first by
    its text, a beginner one of a single tile and few letters, the strong one that which rids it of the most
    if it goes round."""
    if view.seat is None or view.seat not in view.to_move:
        return None
    public = view.public
    if public.completing:
        return _completed(public, view.hand)
    listed = sorted(islice(lays(public, view.hand, ctx.words), LISTED), key=write)
    if level == Level.STRONG:
        found = [(rid, move) for move in listed if (rid := relief(public, view.hand, move, ctx)) is not None]
        return max(found, key=lambda one: one[0], default=(0, None))[1]
    if level == Level.BEGINNER:
        listed = [move for move in listed if _easy(move)]
    return next((move for move in listed if relief(public, view.hand, move, ctx) is not None), None)


def _easy(move: Lay) -> bool:
    return len(move.tiles) == 1 and (move.goes_on or len(move.word) <= EASY)


def _completed(public: Public, hand: Sequence[str]) -> Complete:
    """The own announcement at its first place, with the exchanges that this takes."""
    first = completions(public, hand)[0]
    return Complete(name(first.place[0], public.table.size))


def relief(public: Public, hand: Sequence[str], move: Lay, ctx: Context) -> int | None:
    """Points of the tiles that the move, and finishing the word if it goes round, take off the rack; the least over all
    places where it may lie. None for a word that the rack cannot finish at some of them, or that cannot be laid."""
    own = [as_held(tile.letter) for tile in move.tiles]
    if move.goes_on:
        return rest_points(own)
    rest = take(hand, own)
    if not _within_reach(public, move, rest):
        return None
    try:
        found = admitted(ways(public, public.table, move, move.word), move.word, ctx)
    except (Illegal, Undecided):
        return None
    left = [missing(way.table, place, move.word, rest) for way in found for place in way.places]
    if len(found) > 1 or None in left:
        return None
    tiles = [[as_held(tile) for _, tile in one or ()] for one in left]
    return rest_points(own) + min(map(rest_points, tiles))


def _within_reach(public: Public, move: Lay, rest: Sequence[str]) -> bool:
    """A quick look: whether the word has no more letters that neither the rack nor the table shows than jollies are
    there to stand for them."""
    table = public.table
    lying = Counter(table.letter(square) for square in table.squares) + Counter(tile.letter[-1] for tile in move.tiles)
    lacking = Counter(move.word) - lying - Counter(rest)
    return lacking.total() <= sum(tile.startswith(STAR) for tile in rest)
