"""What the command line knows by name, completed by the shell: codes of matches and tournaments, names of people."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from moderator.common import disk
from moderator.common.errors import ModeratorError
from moderator.settings import load_config
from moderator.store import listings
from moderator.store.due_work import Place

if TYPE_CHECKING:
    Text = click.ParamType[str]
else:
    Text = click.ParamType

Known = tuple[str, str]
"""What is typed, and what the shell shows beside it."""


class ClubNameType(Text):
    """A text of which the club knows the possible ones; any other is taken, too, and refused by the command itself."""

    def __init__(self, name: str, kind: str) -> None:
        self.name, self.kind = name, kind

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        start = incomplete.casefold()
        return [
            CompletionItem(_quote_for_shell(text), help=about)
            for text, about in _list_club_names(ctx, self.kind)
            if text.casefold().startswith(start)
        ]


def _quote_for_shell(text: str) -> str:
    """Return a text as one word of the command line: bash puts in what it gets as it is, zsh and fish quote it
    themselves."""
    return shlex.quote(text) if os.environ.get("_MODERATOR_COMPLETE", "").startswith("bash") else text


def _list_club_names(ctx: click.Context, kind: str) -> Iterable[Known]:
    reads: dict[str, Callable[[Place], Iterable[Known]]] = {
        "match": lambda place: ((row.code, f"{row.game} {row.name}") for row in listings.list_matches(place)),
        "any-match": lambda place: (
            (row.code, f"{row.game} {row.name}, {row.status}") for row in listings.list_matches(place, over=True)
        ),
        "tournament": listings.list_tournament_codes,
        "player": listings.list_players_with_addresses,
        "referee": listings.list_referees_with_addresses,
    }
    given = ctx.find_root().params.get("config_file")
    file = disk.choose_settings_file(Path(given) if given else None)
    try:
        return list(reads[kind](load_config(file).database))
    except ModeratorError:
        return []


MATCH: Any = ClubNameType("code", "match")
"""A match that is not over."""
ANY_MATCH: Any = ClubNameType("code", "any-match")
TOURNAMENT: Any = ClubNameType("code", "tournament")
PLAYER: Any = ClubNameType("name", "player")
REFEREE: Any = ClubNameType("name", "referee")
NAME_TYPES = {one.kind: one for one in (MATCH, ANY_MATCH, TOURNAMENT, PLAYER, REFEREE)}
