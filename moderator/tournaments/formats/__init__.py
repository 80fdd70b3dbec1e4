"""The registry: one line per format of our own, and whatever other packages on this machine register.

Another package can register a format as an entry point of the group ``moderator.formats``, its name the format's key,
its value ``module:name``. Beside that module lie its sentences (``messages.<language>.toml``), see contract.py. Nothing
of it is promised for the next release.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from moderator.common.plugins import Registry
from moderator.tournaments.formats.contract import Format

GROUP = "moderator.formats"

OWN = {
    "robin": "moderator.tournaments.formats.round_robin:ROBIN",
    "double": "moderator.tournaments.formats.round_robin:DOUBLE",
    "swiss": "moderator.tournaments.formats.swiss:SWISS",
    "tables": "moderator.tournaments.formats.tables:TABLES",
    "knockout": "moderator.tournaments.formats.knockout:KNOCKOUT",
    "ladder": "moderator.tournaments.formats.ladder:LADDER",
    "league": "moderator.tournaments.formats.round_robin:LEAGUE",
}
REGISTRY = Registry("format", GROUP, OWN)
_LOADED: dict[str, Format] = {}
"""Asking is cheap then: a table asks for every game that it counts."""


class HasFormat(Protocol):
    """Anything that has a format: a stored tournament, its values, its view."""

    @property
    def format(self) -> str: ...


def load_format(key: str) -> Format:
    """Return the format of that key. Raises OperatorError naming the known ones, and for one of another contract."""
    if key not in _LOADED:
        _LOADED[key] = REGISTRY.load_registered(key)
    return _LOADED[key]


def get_format_folder(key: str) -> Path:
    """Return the folder in which the sentences of a format lie. KeyError for an unknown format, OperatorError for one
    that is registered and gone."""
    return REGISTRY.get_folder(key)


def list_foreign_formats() -> tuple[str, ...]:
    """List the keys of the formats of other packages that were asked for: only their sentences are wanted."""
    return tuple(sorted(key for key in _LOADED if key not in OWN))


def get_format(tournament: HasFormat) -> Format:
    """Return the format of a tournament, stored or not, or of what is shown of it. Raises OperatorError as
    ``load_format``."""
    return load_format(tournament.format)


def get_division_format() -> str:
    """Return the key of the format that a tournament of several tables is of."""
    return next(key for key in REGISTRY if load_format(key).divisions)
