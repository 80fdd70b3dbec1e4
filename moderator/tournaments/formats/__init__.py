"""The registry of formats: one line per format. Strings, so that nothing is imported before it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from moderator.errors import OperatorError
from moderator.tournaments.formats.contract import Format

REGISTRY = {
    "robin": "moderator.tournaments.formats.robin:ROBIN",
    "double": "moderator.tournaments.formats.robin:DOUBLE",
    "swiss": "moderator.tournaments.formats.swiss:SWISS",
    "tables": "moderator.tournaments.formats.tables:TABLES",
    "knockout": "moderator.tournaments.formats.knockout:KNOCKOUT",
    "ladder": "moderator.tournaments.formats.ladder:LADDER",
    "league": "moderator.tournaments.formats.robin:LEAGUE",
}
_LOADED: dict[str, Format] = {}
"""By place, as asking is cheap then: a table asks for every game that it counts."""


class Formatted(Protocol):
    """What has a format: a stored tournament, its values, its view."""

    @property
    def format(self) -> str: ...


def load(key: str) -> Format:
    """The format of that key. Raises OperatorError naming the known ones."""
    if key not in REGISTRY:
        raise OperatorError(f"There is no format {key!r}.", f"Known: {', '.join(REGISTRY)}.")
    place = REGISTRY[key]
    if place not in _LOADED:
        module, name = place.split(":")
        _LOADED[place] = getattr(import_module(module), name)
    return _LOADED[place]


def of(tournament: Formatted) -> Format:
    """The format of a tournament, stored or not, or of what is shown of it. Raises OperatorError as ``load``."""
    return load(tournament.format)


def with_divisions() -> str:
    """Key of the format that a tournament of several tables is of."""
    return next(key for key in REGISTRY if load(key).divisions)
