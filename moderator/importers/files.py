"""What all files of a folder that is moved in have in common: how they are read, and whom they name."""

from __future__ import annotations

import difflib
import json
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from moderator.common import disk
from moderator.common.errors import OperatorError
from moderator.games import load_game
from moderator.importers.vcards import decode_address_book
from moderator.language import messages
from moderator.rules import shuffling, table
from moderator.rules.game import Context, Game, Resumable
from moderator.rules.position import PLAYERS
from moderator.rules.position import Path as Place
from moderator.rules.robots import choose
from moderator.rules.words import WordList
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import PlayerRow


def read_text_file(path: Path) -> str:
    """Read a file as text. Raises OperatorError for a file that cannot be read."""
    try:
        return decode_address_book(path.read_bytes(), path.name)
    except OSError as error:
        what, fix = disk.describe_os_error(error, "read", path.name, "Check the file's permissions.")
        raise OperatorError(f"{path.name}:1: {what}", fix) from error


class PlayerDirectory:
    """The players here and, once they are entered, those in the folder, by what they are called. Each name is looked up
    once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, PlayerRow | None] = {}

    def find_player(self, name: str) -> PlayerRow | None:
        """Find a player by name or address, whatever its case; None = there is none."""
        if name not in self._known:
            there = players.list_players_at_addresses(self._session, [name.lower()])
            alone = there[0] if len(there) == 1 else None
            self._known[name] = players.find_player_by_name(self._session, name) or alone
        return self._known[name]

    def describe_unknown(self, name: object) -> str:
        """Describe what is wrong with a name that no player has."""
        close = difflib.get_close_matches(str(name), players.list_player_names(self._session), n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return f"nobody is called {name!r}, here or in the folder.{hint}"


# ---- The file of a match, ready to be filled in: an example that can be moved in as it is, with what each line
# means.


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


# ---- On which line of a TOML file a value stands: the parser of the standard library does not say.


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=\s*")
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|[\[\]{},#]|[^\s\[\]{},#"\']+')


def locate_toml_lines(text: str) -> dict[Place, int]:
    """Return a mapping, path -> line from 1, of every table, key and item of a list in a file that parses. Items of
    lists in lists are not told apart."""
    found: dict[Place, int] = {}
    counted: Counter[str] = Counter()
    here: Place = ()
    rows = iter(enumerate(text.splitlines(), start=1))
    for number, row in rows:
        if header := _HEADER.fullmatch(row):
            here = (header[2],)
            if header[1] == "[[":
                here = (header[2], counted[header[2]])
                counted[header[2]] += 1
            found[here] = number
        elif key := _KEY.match(row):
            path = (*here, key[1].strip("\"'"))
            found[path] = number
            found |= {(*path, n): line for n, line in _iter_item_lines(row[key.end() :], number, rows)}
    return found


def _iter_item_lines(rest: str, number: int, rows: Iterator[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Yield (number of an item, its line) of the list that begins there, if it is one; the rows that it takes are used
    up."""
    depth, item, fresh = 0, 0, True
    while True:
        for token in _TOKEN.findall(rest):
            if token == "#":
                break
            if fresh and depth == 1 and token not in "],":
                yield item, number
                fresh = False
            if token in "[{":
                depth += 1
                fresh = depth == 1
            elif token in "]}":
                depth -= 1
            elif token == "," and depth == 1:
                item, fresh = item + 1, True
        if depth <= 0:
            return
        number, rest = next(rows, (number, "]" * depth))


def get_toml_line(lines: Mapping[Place, int], path: Place) -> int:
    """Return the line of the value itself, or of what it stands in; 1 for what is nowhere."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
