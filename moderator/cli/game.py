"""`moderator game …`: which games there are, and a folder for one of your own."""

from __future__ import annotations

import dataclasses
import keyword
import re
import typing
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator import __version__
from moderator.cli.group import print_values, with_json_option
from moderator.cli.texts import SPOKEN, say_lines
from moderator.common.disk import get_template_root
from moderator.common.errors import OperatorError
from moderator.games import GROUP, OWN, REGISTRY, load_game
from moderator.language.messages import render_code
from moderator.render.mails.match_sections import render_option

if TYPE_CHECKING:  # it knows the tables: not on Windows
    from moderator.cli.json_types import GameLine

PLACEHOLDER = "newgame"
"""What the new game is called in the template."""
NAME = re.compile(r"[a-z][a-z0-9]{1,19}")


@click.command("list")
@click.argument("key", metavar="", required=False)
@with_json_option("game", lines=True)
def print_games(key: str | None, as_json: bool) -> None:
    """List the games that can be played, with the package that each comes from."""
    if key:  # what `game show` was before
        _show_game(key, as_json)
    else:
        _print_game_table(list(_iter_game_lines()), as_json)


@click.command("show")
@click.argument("key", metavar="GAME", type=click.Choice(list(REGISTRY)))
@with_json_option("game", lines=True)
def show_game(key: str, as_json: bool) -> None:
    """Show a game with its options, each with its default, other values and what it means."""
    _show_game(key, as_json)


def _show_game(key: str, as_json: bool) -> None:
    load_game(key)  # which refuses one that is not known
    _print_game_table([values for values in _iter_game_lines() if values["game"] == key], as_json)
    if not as_json:
        say_lines(f"Options (match add {key} … -o NAME=VALUE):")
        for line in _iter_option_lines(key):
            say_lines(line)


def _print_game_table(games: Sequence[GameLine], as_json: bool) -> None:
    rows = [(values, _build_game_cells(values)) for values in games]
    print_values(("game", "name", "players", "package", "note"), rows, as_json, "")


def _iter_option_lines(key: str) -> Iterator[str]:
    """Yield the options of a game as they stand behind ``-o``, with their meaning."""
    options = load_game(key).options
    kinds = typing.get_type_hints(options)
    for name, value in ((one.name, getattr(options(), one.name)) for one in dataclasses.fields(options)):
        kind = kinds[name]
        others = (
            [one for one in typing.get_args(kind) if one != value] if typing.get_origin(kind) is typing.Literal else []
        )
        if name == "pace" and not others:
            continue
        typed = str(value).lower() if isinstance(value, bool) else "" if value is None else value
        more = f" (or {', '.join(map(str, others))})" if others else ""
        meaning = "" if value is None else render_option(name, value, SPOKEN.get(), key)
        yield f"  {name}={typed}{more}  {meaning}".rstrip()


def _iter_game_lines() -> Iterator[GameLine]:
    others = {point.name: point.dist for point in entry_points(group=GROUP)}
    for key in REGISTRY:
        dist = None if key in OWN else others.get(key)
        values: GameLine = {
            "game": key,
            "name": key,
            "seats": None,
            "package": "moderator" if dist is None else dist.name,
            "version": __version__ if dist is None else dist.version,
            "trouble": None,
        }
        try:
            found = load_game(key)
            values["name"], values["seats"] = render_code("name", SPOKEN.get(), key), [found.min_seats, found.max_seats]
        except OperatorError as error:
            values["trouble"] = str(error)
        except Exception as error:  # somebody else's module: whatever it raises, the others are listed
            values["trouble"] = f"It cannot be loaded: {error!r}"
        yield values


def _build_game_cells(values: GameLine) -> tuple[str, ...]:
    seats = values["seats"]
    players = "" if seats is None else "–".join(map(str, dict.fromkeys(seats)))
    package = f"{values['package']} {values['version']}"
    return values["game"], values["name"], players, package, values["trouble"] or ""


@click.command("new")
@click.argument("key", metavar="NAME")
@click.option("--at-once", is_flag=True, help="Players act at once instead of in turns.")
def create_game_folder(key: str, at_once: bool) -> None:
    """Write a folder with a small new game, ready to be changed. It has rules, notation, drawing, texts and a board.

    It plays as it is, and passes `python -m moderator.conformance NAME`. How to turn it into your own:
    docs/build/your-game.md."""
    _check_game_name(key)
    folder = Path(key)
    try:
        folder.mkdir()
    except FileExistsError:
        raise OperatorError(f"{folder}: there is a folder or file of that name.", "Take another name.") from None
    template = get_template_root() / ("at-once" if at_once else "game")
    for source in sorted(template.rglob("*")):
        if "__pycache__" in source.parts:
            continue
        target = folder / _replace_placeholder(str(source.relative_to(template)), key)
        if source.is_dir():
            target.mkdir(exist_ok=True)
        else:
            target.write_text(_replace_placeholder(source.read_text(encoding="utf-8"), key), encoding="utf-8")
    say_lines(f"{folder}/ is written. README.md there says what each file is.")
    say_lines(f"  pip install -e {folder}")
    say_lines(f"  python -m moderator.conformance {key}")


def _check_game_name(key: str) -> None:
    """Check the name of a new game. Raises OperatorError for a name that cannot be a module's, or is taken."""
    if NAME.fullmatch(key) is None or keyword.iskeyword(key):
        raise OperatorError(
            f"{key!r} cannot be the name of a game.", "Two to twenty small letters and digits, a letter first."
        )
    if key in REGISTRY:
        raise OperatorError(f"There is a game {key!r} already.", "See `moderator game list`; take another name.")
    if find_spec(key) is not None:
        raise OperatorError(f"There is a Python module {key!r} already.", "Take another name.")


def _replace_placeholder(text: str, key: str) -> str:
    title = key.capitalize()
    return text.replace(PLACEHOLDER, key).replace("NewGame", title).replace("New Game", title)
