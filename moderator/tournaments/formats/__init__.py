"""The registry: one line per format of our own, and whatever other packages on this machine register.

Another package can register a format as an entry point of the group ``moderator.formats``, its name the format's key,
its value ``module:name``. Beside that module lie its sentences (``messages.<language>.toml``), see contract.py. Nothing
of it is promised for the next release.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from moderator.registry import Registry
from moderator.tournaments.formats.contract import Format

GROUP = "moderator.formats"

OWN = {
    "robin": "moderator.tournaments.formats.robin:ROBIN",
    "double": "moderator.tournaments.formats.robin:DOUBLE",
    "swiss": "moderator.tournaments.formats.swiss:SWISS",
    "tables": "moderator.tournaments.formats.tables:TABLES",
    "knockout": "moderator.tournaments.formats.knockout:KNOCKOUT",
    "ladder": "moderator.tournaments.formats.ladder:LADDER",
    "league": "moderator.tournaments.formats.robin:LEAGUE",
}
REGISTRY = Registry("format", GROUP, OWN)
_LOADED: dict[str, Format] = {}
"""Asking is cheap then: a table asks for every game that it counts."""


class Formatted(Protocol):
    """What has a format: a stored tournament, its values, its view."""

    @property
    def format(self) -> str: ...


def load(key: str) -> Format:
    """The format of that key. Raises OperatorError naming the known ones."""
    if key not in _LOADED:
        _LOADED[key] = REGISTRY.load(key)
    return _LOADED[key]


def folder(key: str) -> Path:
    """Where its sentences lie. KeyError for an unknown format, OperatorError for one that is registered and gone."""
    return REGISTRY.folder(key)


def spoken_of() -> tuple[str, ...]:
    """Keys of the formats of other packages that were asked for: only their sentences are wanted."""
    return tuple(sorted(key for key in _LOADED if key not in OWN))


def of(tournament: Formatted) -> Format:
    """The format of a tournament, stored or not, or of what is shown of it. Raises OperatorError as ``load``."""
    return load(tournament.format)


def with_divisions() -> str:
    """Key of the format that a tournament of several tables is of."""
    return next(key for key in REGISTRY if load(key).divisions)
