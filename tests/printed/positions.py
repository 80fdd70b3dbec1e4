"""The positions in which what is printed is played: a file of tables ``<game>.toml`` for each game.

A ``[[position]]`` has ``racks`` and, as in the ``setup`` of a record, ``stock``, ``board``, ``single``, ``starter``
(tiles parted by blanks; of Topwords a board of squares and stacks); ``seats`` (as many as racks), ``options``,
``words`` (those that count, parted by blanks, ``IXTE(AUSIXEN)`` with a base form; without them any), ``deal``
(``reversed``: of later rounds). ``about`` says what it is. What is played:

- ``alone``: rows, each of them played in this very position by the seat to move;
- ``in_turn``: rows, one after the other by whoever is to move;
- ``together``: rows, one for each seat, evaluated together;
- ``refused``: [what is printed, code, the whole line] for what a document shows as wrong, in this very position.

A row is [what is printed, what is played in canonical notation, points]; a fourth entry is the whole line where what is
printed is a part of one ("" = it is all), a fifth the seat. Played "" means that it is refused, and the code stands for
the points. ``section``: the rows are the mails under this heading of RULES.md, in this order.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from moderator import games
from moderator.games.topwords.state import get_stack_index
from moderator.language.messages import load_move_words, translate_move
from moderator.rules.game import read_options
from moderator.rules.log import PlayedMove
from moderator.rules.shuffling import keep_order
from moderator.rules.state import Context, view_for
from moderator.rules.table import MatchState, evaluate_in_state, open_match_state, try_order
from moderator.rules.words import AnyWords, WordList

FOLDER = Path(__file__).parent
Row = list[Any]
KEYS = {"about", "racks", "stock", "board", "starter", "single", "seats", "options", "words", "deal", "section"}
WAYS = {"alone", "in_turn", "together", "refused"}


@cache
def positions(key: str) -> tuple[dict[str, Any], ...]:
    """Those of a game."""
    found = tomllib.loads((FOLDER / f"{key}.toml").read_text(encoding="utf-8"))["position"]
    for position in found:
        assert position.keys() <= KEYS | WAYS, position.keys() - KEYS - WAYS
        assert position.keys() & WAYS, f"nothing is played: {position}"
    return tuple(found)


def rows(position: Mapping[str, Any]) -> Iterator[Row]:
    for way in WAYS:
        yield from position.get(way, ())


@cache
def declared(key: str) -> frozenset[str]:
    """All that is printed and played of a game."""
    return frozenset(row[0] for position in positions(key) for row in rows(position))


@cache
def spoken(key: str, language: str) -> frozenset[str]:
    """The same, and as a mail in another language prints it."""
    return declared(key) | written_moves(key, language)


@cache
def written_moves(key: str, language: str) -> frozenset[str]:
    """What is played, and what is printed in the words of the log, as a mail in this language prints it."""
    ours = move_words(" ".join(load_move_words(language, key)))
    moves = {row[1] for position in positions(key) for row in rows(position)}
    moves |= {text for text in declared(key) if move_words(text) <= ours}
    return frozenset(translate_move(text, language, key) for text in moves)


def move_words(text: str) -> set[str]:
    """The words of a move that are not laid."""
    return {word for word in re.findall(r"[^\W\d_]+", text) if not word.isupper()}


def squares(key: str, **options: Any) -> dict[str, str]:
    """The squares that a game's sentences name, on its table."""
    game = games.load_game(key)
    state = game.setup(game.min_seats, game.options(**options), Context(AnyWords(), keep_order)).state
    given = game.build_examples(view_for(state, 0))
    return {name: square for name, square in given.items() if re.fullmatch(r"[A-Z]{1,2}\d+", square)}


def opened(key: str, position: Mapping[str, Any]) -> tuple[MatchState[Any], Context]:
    game = games.load_game(key)
    options = read_options(game, position.get("options", {}))
    listed = position.get("words")
    words = AnyWords() if listed is None else WordList(word.replace("(", " (") for word in listed.split())
    ctx = Context(words, _reversed if position.get("deal") == "reversed" else keep_order)
    fixed: dict[str, Any] = {"racks": [rack.split() for rack in position["racks"]]}
    fixed["stock"] = position.get("stock", "").split()
    fixed |= {name: position[name] for name in ("starter", "single") if name in position}
    if board := position.get("board"):
        fixed["board"] = _stacks(board) if key == "topwords" else board
    seats = position.get("seats", len(fixed["racks"]))
    return open_match_state(game, seats, options, ctx, fixed)[0], ctx


def play(key: str, position: Mapping[str, Any]) -> None:
    """All rows of a position. Fails where something else is played, scored or refused than the row says."""
    for piece, code, *line in position.get("refused", ()):
        table, ctx = opened(key, position)
        _submitted(key, table, ctx, [piece, "", code, *line])
    for row in position.get("alone", ()):
        table, ctx = opened(key, position)
        _submitted(key, table, ctx, row)
    table, ctx = opened(key, position)
    for row in position.get("in_turn", ()):
        table = _submitted(key, table, ctx, row)
    if together := position.get("together"):
        for seat, row in enumerate(together):
            table, _ = try_order(games.load_game(key), table, seat, row[0], ctx)
        _, result = evaluate_in_state(games.load_game(key), table, ctx, "reject")
        for row, move in zip(together, sorted(result.moves, key=lambda one: one.seat), strict=True):
            compare(row, move)


def _submitted(key: str, table: MatchState[Any], ctx: Context, row: Row) -> MatchState[Any]:
    text = (row[3] if len(row) > 3 else "") or row[0]
    assert all(part.strip(" ;:") in text for part in row[0].split("…")), f"{row[0]} is no part of {text}"
    seat = row[4] if len(row) > 4 else table.state.to_move[0]
    table, result = try_order(games.load_game(key), table, seat, text, ctx, "reject")
    compare(row, result.moves[0])
    return table


def compare(row: Row, move: PlayedMove) -> None:
    played = move.played or ""
    found = [row[0], played, move.points if played else move.refused[-1].code]
    assert found == row[:3], f"{found} instead of {row}"


def _reversed(label: str, items: Sequence[str]) -> tuple[str, ...]:
    return tuple(reversed(items))


def _stacks(squares: Mapping[str, str]) -> list[list[str]]:
    options = games.load_game("topwords").options()
    found = [[""] * 10 for _ in range(10)]
    for square, stack in squares.items():
        y, x = divmod(get_stack_index(square, options), 10)
        found[y][x] = stack
    return found
