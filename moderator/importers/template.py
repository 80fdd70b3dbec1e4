"""The file of a match, ready to be filled in: an example that can be moved in as it is, with what each line means."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

from moderator.common.errors import OperatorError
from moderator.games import load_game
from moderator.language import messages
from moderator.rules import shuffling, table
from moderator.rules.game import Context, Game, Resumable
from moderator.rules.position import PLAYERS
from moderator.rules.robots import choose
from moderator.rules.words import WordList

NAMES = ("Anna", "Bert", "Carla", "Dirk", "Eva", "Franz")
_KNOWN = "ARM ART AST BAND HAND LAND LOS MAST MOND NAME NEST ORT RAT REST ROSE RUND SAND TAG TEE TEST TON WIND"
WORDS = WordList(_KNOWN.split())
MOVES = 4
WIDTH = 100
_SEEDS = 60


def format_match_template(key: str, language: str) -> str:
    """Format the file of a match with remarks in a language. Raises OperatorError for a game that cannot be moved
    in."""
    game = load_game(key)
    if not isinstance(game, Resumable):
        raise OperatorError(f"No match of {key} can be moved in.", "Its package does not read positions.")
    values = build_example_position(game, game)
    seats = values.pop(PLAYERS)
    lines = [
        *_iter_remark_lines(key, language, "head"),
        f'game = "{key}"',
        *_iter_remark_lines(key, language, "name"),
        'name = "Arratia"',
    ]
    lines += [*_iter_remark_lines(key, language, "deadline"), "# deadline = 2026-12-24"]
    for name, value in values.items():
        lines += [*_iter_remark_lines(key, language, name), f"{name} = {_format_value(value)}"]
    lines += [
        *_iter_remark_lines(key, language, "options"),
        "# [options]",
        "",
        *_iter_remark_lines(key, language, "player"),
    ]
    for n, seat in enumerate(seats):
        lines += ["[[player]]", f'name = "{NAMES[n]}"']
        for name, value in seat.items():
            lines += [*(_iter_remark_lines(key, language, name) if not n else ()), f"{name} = {_format_value(value)}"]
        lines += [*(_iter_remark_lines(key, language, "player-more") if not n else ()), ""]
    return "\n".join(lines)


def build_example_position(game: Game[Any, Any], resumable: Resumable) -> dict[str, Any]:
    """Build a position of a match that has just begun, as a person would write it down."""
    found = max(
        (_play_example(game, seed) for seed in range(_SEEDS if game.uses_words else 1)), key=lambda one: one[0]
    )[1]
    values = table.to_diagram(resumable, found)
    count = len(values.pop("stock_order").split())
    names = {seat: NAMES[seat] for seat in range(found.state.seats)}
    for name in ("turn", "starter", "leader", "last"):
        if name in values:
            values[name] = names[values[name]]
    return values | {"stock": count}


def _play_example(game: Game[Any, Any], seed: int) -> tuple[int, table.MatchState[Any]]:
    """Play an example; returns (how many moves were found, the match after them)."""
    ctx = Context(WORDS, shuffling.build_shuffle(bytes([seed]) * 32, (), "K7Q2"))
    now, _ = table.open_match_state(game, max(2, game.min_seats), game.options(), ctx)
    if now.pace == "race":
        return 0, now
    for number in range(MOVES):
        text = choose.choose_robot_move(game, now.state, now.state.to_move[0], ctx)
        after, result = table.submit_to_state(game, now, now.state.to_move[0], text, ctx)
        nothing = not (result.moves and result.moves[0].played) or text == getattr(game, "pass_text", "")
        if nothing or after.state.over:
            return number, now
        now = after
    return MOVES, now


def _iter_remark_lines(key: str, language: str, name: str) -> Iterator[str]:
    """Yield what a line means, where anything is to be said of it."""
    code = f"form-{name}"
    if code in messages.load_sentences(language, key):
        said = messages.render_code(code, language, key)
        yield from textwrap.wrap(said, WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _format_value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value) and len(value) > 2:
        return "[\n" + "".join(f"  {json.dumps(one, ensure_ascii=False)},\n" for one in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_format_value(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
