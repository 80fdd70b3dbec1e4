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
    from moderator.store.database import Session

    Text = click.ParamType[str]
else:
    Text = click.ParamType

Known = tuple[str, str]
"""What is typed, and what the shell shows beside it."""


class ClubNameType(Text):
    """A text of which the club knows the possible ones; any other is taken, too, and refused by the command itself."""

    def __init__(self, name: str, known: Callable[[Session], Iterable[Known]]) -> None:
        self.name = name
        self.known = known

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = _list_club_names(ctx, self.known)
        start = incomplete.casefold()
        return [
            CompletionItem(_quote_for_shell(text), help=about)
            for text, about in found
            if text.casefold().startswith(start)
        ]


def _quote_for_shell(text: str) -> str:
    """Return a text as one word of the command line: bash puts in what it gets as it is, zsh and fish quote it
    themselves."""
    return shlex.quote(text) if os.environ.get("_MODERATOR_COMPLETE", "").startswith("bash") else text


def _list_club_names(ctx: click.Context, known: Callable[[Session], Iterable[Known]]) -> list[Known]:
    from moderator.backup.archive import open_reading_session
    from moderator.common.errors import ModeratorError
    from moderator.settings import DEFAULT_FILE, load_config

    given = ctx.find_root().params.get("config_file")
    file = Path(given) if given else Path(os.environ.get("MODERATOR_CONFIG", DEFAULT_FILE))
    try:
        with open_reading_session(load_config(file)) as session:  # a tick that runs keeps nobody waiting
            return list(known(session))
    except ModeratorError:
        return []


def _list_unfinished_matches(session: Session) -> Iterable[Known]:
    from moderator.store import matches

    return [(row.code, f"{row.game} {row.name}") for row in matches.list_all_matches(session, finished=False)]


def _list_all_matches(session: Session) -> Iterable[Known]:
    from moderator.store import matches

    return [(row.code, f"{row.game} {row.name}, {row.status}") for row in matches.list_all_matches(session)]


def _list_tournaments(session: Session) -> Iterable[Known]:
    from moderator.store import tournaments

    return [(row.code, f"{row.name}, {row.status}") for row in tournaments.list_all_tournaments(session)]


def _list_players(session: Session) -> Iterable[Known]:
    from moderator.store import players

    return [(row.name, row.address or "robot") for row in players.list_all_players(session)]


def _list_referees(session: Session) -> Iterable[Known]:
    from moderator.store import referees

    return [(row.name, row.address) for row in referees.list_all_referees(session)]


MATCH: Any = ClubNameType("code", _list_unfinished_matches)
"""A match that is not over."""
ANY_MATCH: Any = ClubNameType("code", _list_all_matches)
TOURNAMENT: Any = ClubNameType("code", _list_tournaments)
PLAYER: Any = ClubNameType("name", _list_players)
REFEREE: Any = ClubNameType("name", _list_referees)
