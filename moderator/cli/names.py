"""What the command line knows by name, completed by the shell: codes of matches and tournaments, names of players.

The shell asks at a press of the tab key, with the options typed so far; where there is no club to ask, nothing is
offered."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from moderator.store.db import Session

    Text = click.ParamType[str]
else:
    Text = click.ParamType

Known = tuple[str, str]
"""What is typed, and what the shell shows beside it."""


class Named(Text):
    """A text of which the club knows the possible ones; any other is taken, too, and refused by the command itself."""

    def __init__(self, name: str, known: Callable[[Session], Iterable[Known]]) -> None:
        self.name = name
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = _of_club(ctx, self.known)
        start = incomplete.casefold()
        return [CompletionItem(_typed(text), help=about) for text, about in found if text.casefold().startswith(start)]


def _typed(text: str) -> str:
    """As one word of the command line: bash puts in what it gets as it is, zsh and fish quote it themselves."""
    return shlex.quote(text) if os.environ.get("_MODERATOR_COMPLETE", "").startswith("bash") else text


def _of_club(ctx: click.Context, known: Callable[[Session], Iterable[Known]]) -> list[Known]:
    from moderator.backup.backup import reading
    from moderator.config import DEFAULT_FILE, load
    from moderator.errors import ModeratorError

    given = ctx.find_root().params.get("config_file")
    file = Path(given) if given else Path(os.environ.get("MODERATOR_CONFIG", DEFAULT_FILE))
    try:
        with reading(load(file)) as session:  # a tick that runs keeps nobody waiting
            return list(known(session))
    except ModeratorError:
        return []


def _unfinished(session: Session) -> Iterable[Known]:
    from moderator.store import matches

    return [(row.code, f"{row.game} {row.name}") for row in matches.every(session, finished=False)]


def _all_matches(session: Session) -> Iterable[Known]:
    from moderator.store import matches

    return [(row.code, f"{row.game} {row.name}, {row.status}") for row in matches.every(session)]


def _tournaments(session: Session) -> Iterable[Known]:
    from moderator.store import tournaments

    return [(row.code, f"{row.name}, {row.status}") for row in tournaments.every(session)]


def _players(session: Session) -> Iterable[Known]:
    from moderator.store import players

    return [(row.name, row.address or "robot") for row in players.every(session)]


def _referees(session: Session) -> Iterable[Known]:
    from moderator.store import referees

    return [(row.name, row.address) for row in referees.every(session)]


MATCH: Any = Named("code", _unfinished)
"""A match that is not over."""
ANY_MATCH: Any = Named("code", _all_matches)
TOURNAMENT: Any = Named("code", _tournaments)
PLAYER: Any = Named("name", _players)
REFEREE: Any = Named("name", _referees)
