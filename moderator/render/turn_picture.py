"""The table of a turn as the touch board draws it, and what may be laid there: of games that can list it
(``Game.pictured``), so that the page knows no rules. Both follow from the turn file.

A picture is made of few pieces, drawn by the code that draws mails and archive. What lies, or may be laid on, is a
*face*: a letter for its form, then one for each mark on it, as ``h64`` or ``u345``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import Any

from moderator import games
from moderator.language.messages import render_note
from moderator.render.boards import FAMILIES
from moderator.rules import turn_data
from moderator.rules.game import Game
from moderator.rules.state import Note
from moderator.rules.turn_data import TurnData

_TAG = re.compile(r"<(\w+)")
_ALONE = re.compile(r"<\w+ [^<]*(?:/>|</\w+>)\Z")
"""A single element without an id."""
_PAINT = re.compile(r' (?:fill|stroke|stroke-\w+)="[^"]*"')


def render_pieces(game: str) -> str:
    """Return all pieces of a game's pictures as SVG elements with ids; "" for a game without."""
    if not games.load_game(game).pictured:
        return ""
    *_, iter_pieces = _get_picturing(game)
    return "".join(_name_piece(name, f"{_PAINT.sub('', bare)}{painted}") for name, bare, painted in iter_pieces())


def _name_piece(name: str, svg: str) -> str:
    return _TAG.sub(rf'<\1 id="p-{name}"', svg, count=1) if _ALONE.match(svg) else f'<g id="p-{name}">{svg}</g>'


def _get_picturing(game: str) -> Any:
    """Return three functions of the game's family of boards: to build a picture of a scene; to find the middle and the
    face of an item, where a turn lays one tile; to yield the pieces, of each its name, what takes the colours of its
    place on the page, and what keeps its own."""
    pictured = games.load_game(game).pictured
    assert pictured is not None, game
    return import_module(f"moderator.render.boards.{FAMILIES[pictured]}").PICTURING


def add_moves(data: TurnData) -> TurnData:
    """Return the turn with its picture, what may be laid and what holds besides, as far as its game says so. Raises
    RecordError for a board that is none."""
    game = type(games.load_game(data.game))
    if not game.pictured and game.describe_situation is Game.describe_situation:
        return data
    plain = replace(data, name="", picture={}, moves=(), situation=())
    picture, moves, situation = _describe_turn(turn_data.encode_turn(plain) or b"")
    return replace(data, picture=picture, moves=moves, situation=situation)


@lru_cache(maxsize=64)
def _describe_turn(turn: bytes) -> tuple[dict[str, Any], tuple[Any, ...], tuple[str, ...]]:
    data = turn_data.decode_turn(turn)
    game = games.load_game(data.game)
    view = turn_data.build_turn_view(data, game)
    if view is None:
        return {}, (), ()
    names = data.names or tuple(str(seat + 1) for seat in range(len(data.scores)))

    def say(note: Note) -> str:
        return render_note(note, data.language, data.game, names)

    picture, place_face = dict[str, Any](), None
    if game.pictured:
        build_picture, place_face, _ = _get_picturing(data.game)
        picture = build_picture(game.build_scene(view))
    if joins := game.list_joins(view):
        hand = [[bonus.points, say(bonus)] for bonus in joins["worth"]["hand"]]
        picture |= {**joins, "worth": {**joins["worth"], "hand": hand}}
    moves = []
    for move, points, shown in game.list_touch_moves(view, turn_data.CONTEXT):
        drawn = place_face(shown.item) if place_face else ()
        said = " · ".join(map(say, shown.notes))
        moves.append([game.format_move(move), points, said, shown.tile, shown.spot, *drawn])
    return picture, tuple(moves), tuple(map(say, game.describe_situation(view)))
