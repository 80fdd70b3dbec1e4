"""The settings of a tournament: what its format needs, when its rounds end, who may join. Kept as JSON in its row."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from moderator.errors import ConfigError
from moderator.store.models import Tournament
from moderator.tournaments import formats
from moderator.tournaments.formats.contract import NoOptions
from moderator.tournaments.tiebreaks import COLUMNS
from moderator.typed import build


@dataclass(frozen=True)
class Settings:
    """What all formats have: who may join, who is seeded where, when a round ends."""

    seeding: Literal["rating", "lot", "order"] = "rating"
    """Numbers in the table by rating, by lot from the recorded seed, or in the order of joining."""
    least: int = 2
    """With fewer entrants it does not begin."""
    most: int = 0
    """More wait on the standby list; 0 = no limit."""
    invite: bool = True
    """When the registration opens, all players of the club get a mail."""
    round_days: int = 0
    """Days until the latest end of a round, which is published with the pairings; 0 = by format."""
    warn_days: int = 7
    """So many days before it those whose games are open are warned; 0 = not."""
    adjudicate: Literal["score", "moderator"] = "score"
    """Unfinished games at that end: by score less what is on the racks, or by the moderator's word."""
    early: bool = False
    """Matches evaluate a round as soon as all orders are in."""
    tiebreaks: tuple[str, ...] = ()
    """In the order applied; () = by format."""
    spread_cap: int = 100
    """So much of a game's difference of scores counts at most."""
    own: Any = field(default_factory=NoOptions)
    """What the format has of its own, see ``Format.options``."""

    def days(self, format: str) -> int:
        """From the start of a round to its latest end."""
        return self.round_days or formats.load(format).days

    def check(self, where: str) -> None:
        """Raises ConfigError for values that cannot be."""
        for name, lowest, highest in (
            ("least", 2, 1000),
            ("most", 0, 1000),
            ("round_days", 0, 3660),
            ("warn_days", 0, 366),
            ("spread_cap", 1, 100_000),
        ):
            _check(where, name, getattr(self, name), lowest, highest)
        for one in dataclasses.fields(self.own):
            _check(where, one.name, getattr(self.own, one.name), *one.metadata.get("bounds", (None, None)))
        if self.most and self.most < self.least:
            raise ConfigError(f"{where}: most = {self.most} is less than least = {self.least}.", "Raise it.")
        for code in self.tiebreaks:
            if code not in COLUMNS:
                raise ConfigError(f"{where}: there is no tie-break {code!r}.", f"Known: {', '.join(COLUMNS)}.")


def _check(where: str, name: str, value: Any, lowest: int | None, highest: int | None) -> None:
    if (lowest is not None and value < lowest) or (highest is not None and value > highest):
        raise ConfigError(f"{where}: {name} = {value} cannot be.", f"Possible: {lowest} to {highest}.")


def names(format: str) -> dict[str, dataclasses.Field[Any]]:
    """All settings of the format: those that it has of its own, then those that all have."""
    common = [one for one in dataclasses.fields(Settings) if one.name != "own"]
    return {one.name: one for one in (*dataclasses.fields(formats.load(format).options), *common)}


def settings_of(tournament: Tournament) -> Settings:
    """The tournament's settings. Raises ConfigError for values that cannot be."""
    return read(fitting(tournament.settings, tournament.format), tournament.format, f"tournament {tournament.code}")


def fitting(values: Mapping[str, Any], format: str) -> dict[str, Any]:
    """Without what only other formats of ours have: up to 0.2 any of them could be set, and was left aside."""
    known = names(format)
    elsewhere = {name for other in formats.OWN for name in names(other)}
    return {name: value for name, value in values.items() if name in known or name not in elsewhere}


def read(values: Mapping[str, Any], format: str, where: str = "The tournament") -> Settings:
    """Settings from plain values. Raises ConfigError, also for a format that does not exist, or a setting that this one
    has not."""
    if format not in formats.REGISTRY:
        raise ConfigError(f"There is no format {format!r}.", f"Known: {', '.join(formats.REGISTRY)}.")
    options, known = formats.load(format).options, names(format)
    for name in values:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(sorted(known))}."
            raise ConfigError(f"{where}: format {format} has no setting {name!r}.", hint)
    own = {one.name for one in dataclasses.fields(options)}
    common = build(Settings, {name: value for name, value in values.items() if name not in own}, where)
    found = replace(common, own=build(options, {name: values[name] for name in values if name in own}, where))
    found.check(where)
    return found


def plain(settings: Settings) -> dict[str, Any]:
    """As JSON values, only those that are not the usual ones."""
    found: dict[str, Any] = {}
    for values in (settings, settings.own):
        usual = type(values)()
        for one in dataclasses.fields(values):
            value = getattr(values, one.name)
            if one.name != "own" and value != getattr(usual, one.name):
                found[one.name] = list(value) if isinstance(value, tuple) else value
    return found
