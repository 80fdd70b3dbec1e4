"""`moderator game …`: which games there are, and a folder for one of your own."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.listing import listed, printing
from moderator.errors import OperatorError

if TYPE_CHECKING:
    from moderator.cli.printed import GameLine

PLACEHOLDER = "newgame"
"""What the new game is called in the template."""
NAME = re.compile(r"[a-z][a-z0-9]{1,19}")


@click.group()
def game() -> None:
    """The games that can be played here, and your own."""


@game.command("list")
@click.argument("key", metavar="[GAME]", required=False)
@printing("game", lines=True)
def list_(key: str | None, as_json: bool) -> None:
    """All games, with the package that each comes from. Of one that is named its options, too: as they are where
    nothing is said, and what else is possible."""
    from moderator.games import load

    found = [values for values in _games() if key in (None, values["game"])]
    if not found:
        load(str(key))  # says which there are
    listed(((values, _line(values)) for values in found), as_json)
    if key and not as_json:
        for line in _options(key):
            click.echo(line)


def _options(key: str) -> Iterator[str]:
    """As behind ``-o``, with what it means."""
    import dataclasses
    import typing

    from moderator.games import load
    from moderator.pages.agreed import option_line

    options = load(key).options
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
        meaning = "" if value is None else option_line(name, value, "en", key)
        yield f"  {name}={typed}{more}  {meaning}".rstrip()


def _games() -> Iterator[GameLine]:
    from importlib.metadata import entry_points

    from moderator import __version__
    from moderator.games import GROUP, OWN, REGISTRY, load
    from moderator.pages.messages import say

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
            found = load(key)
            values["name"], values["seats"] = say("name", "en", key), [found.min_seats, found.max_seats]
        except OperatorError as error:
            values["trouble"] = str(error)
        except Exception as error:  # somebody else's module: whatever it raises, the others are listed
            values["trouble"] = f"It cannot be loaded: {error!r}"
        yield values


def _line(values: GameLine) -> str:
    seats = values["seats"]
    told = values["trouble"] or (
        "" if seats is None else f"{seats[0]} players" if seats[0] == seats[1] else f"{seats[0]} to {seats[1]} players"
    )
    return f"{values['game']:<12} {values['name']:<18} {told:<16} {values['package']} {values['version']}"


@game.command("new")
@click.argument("key", metavar="NAME")
@click.option("--at-once", is_flag=True, help="One in which all act at once, instead of in turns.")
def new(key: str, at_once: bool) -> None:
    """Write a folder NAME with a small game of that name: rules, notation, drawing, sentences, a page to lay tiles on.

    It plays as it is, and passes `python -m moderator.conformance NAME`. Make yours of it: docs/your-game.md."""
    from moderator.paths import templates

    _check(key)
    folder = Path(key)
    try:
        folder.mkdir()
    except FileExistsError:
        raise OperatorError(f"{folder}: there is a folder or file of that name.", "Take another name.") from None
    template = templates() / ("at-once" if at_once else "game")
    for source in sorted(template.rglob("*")):
        if "__pycache__" in source.parts:
            continue
        target = folder / _renamed(str(source.relative_to(template)), key)
        if source.is_dir():
            target.mkdir(exist_ok=True)
        else:
            target.write_text(_renamed(source.read_text(encoding="utf-8"), key), encoding="utf-8")
    click.echo(f"{folder}/ is written. README.md there says what each file is.")
    click.echo(f"  pip install -e {folder}")
    click.echo(f"  python -m moderator.conformance {key}")


def _check(key: str) -> None:
    """Raises OperatorError for a name that cannot be a module's, or is taken."""
    from importlib.util import find_spec

    from moderator.games import REGISTRY

    if NAME.fullmatch(key) is None or keyword.iskeyword(key):
        raise OperatorError(
            f"{key!r} cannot be the name of a game.", "Two to twenty small letters and digits, a letter first."
        )
    if key in REGISTRY:
        raise OperatorError(f"There is a game {key!r} already.", "See `moderator game list`; take another name.")
    if find_spec(key) is not None:
        raise OperatorError(f"There is a Python module {key!r} already.", "Take another name.")


def _renamed(text: str, key: str) -> str:
    title = key.capitalize()
    return text.replace(PLACEHOLDER, key).replace("NewGame", title).replace("New Game", title)
