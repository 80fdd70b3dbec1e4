"""The settings of a tournament: what its format needs, when its rounds end, who may join. Kept as JSON in its row."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from moderator.errors import ConfigError
from moderator.store.models import Tournament
from moderator.tournaments import formats
from moderator.tournaments.formats.robin import Movers
from moderator.tournaments.tiebreaks import COLUMNS
from moderator.typed import build


@dataclass(frozen=True)
class Settings:
    """All formats: who may join, who is seeded where, when a round ends. Then what some formats have of their own."""

    seeding: Literal["rating", "lot", "order"] = "rating"
    """Numbers in the table by rating, by lot from the recorded seed, or in the order of joining."""
    least: int = 2
    """With fewer entrants it does not begin."""
    most: int = 0
    """More wait on the standby list; 0 = no limit."""
    invite: bool = True
    """When the registration opens, all players of the club get a mail."""
    late_entry: bool = True
    """Swiss and ladder: who joins later plays from the next round on."""
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
    rounds: int = 0
    """Swiss: 0 = as many as make one winner, and one more, but not more than half of the entrants (and at least 3).
    Tables: games of each entrant, 0 = until all have met."""
    seats: int = 4
    """Tables: seats of a game."""
    at_once: bool = True
    """Tables: all games start together; else round by round."""
    allow_rematch: bool = False
    """Swiss: two may meet again."""
    late_points: Literal["0", "1/2"] = "0"
    """Swiss: for each round missed by joining late."""
    legs: Literal[1, 2] = 2
    """Knock-out: games of a tie."""
    third: bool = False
    """Knock-out: a match for third place."""
    division: int = 10
    """League: about so many in each division."""
    movers: Movers | int = "sixth"
    """League: so many go up, and as many down."""
    cycles: Literal[1, 2] = 1
    """League: games of each two."""
    again_days: int = 0
    """League: so many days after its end the next season begins by itself, with everybody who played to the end
    and does not leave; the registration is open until then. 0 = never."""
    reach: int = 3
    """Ladder: how many rungs above one may challenge."""
    answer_days: int = 7
    """Ladder: days to accept a challenge."""
    lock_days: int = 28
    """Ladder: days until the same two may meet again."""
    refusal: Literal["swap", "below", "none"] = "swap"
    """Ladder: what it costs not to accept, see tournaments/formats/ladder.py."""

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
            ("rounds", 0, 100),
            ("seats", 2, 6),
            ("division", 2, 100),
            ("again_days", 0, 366),
            ("reach", 1, 1000),
            ("answer_days", 1, 366),
            ("lock_days", 0, 3660),
        ):
            if not lowest <= getattr(self, name) <= highest:
                raise ConfigError(
                    f"{where}: {name} = {getattr(self, name)} cannot be.", f"Possible: {lowest} to {highest}."
                )
        if self.most and self.most < self.least:
            raise ConfigError(f"{where}: most = {self.most} is less than least = {self.least}.", "Raise it.")
        for code in self.tiebreaks:
            if code not in COLUMNS:
                raise ConfigError(f"{where}: there is no tie-break {code!r}.", f"Known: {', '.join(COLUMNS)}.")


def settings_of(tournament: Tournament) -> Settings:
    """The tournament's settings. Raises ConfigError for values that cannot be."""
    return read(tournament.settings, tournament.format, f"tournament {tournament.code}")


def read(values: Mapping[str, Any], format: str, where: str = "The tournament") -> Settings:
    """Settings from plain values. Raises ConfigError, also for a format that does not exist."""
    if format not in formats.REGISTRY:
        raise ConfigError(f"There is no format {format!r}.", f"Known: {', '.join(formats.REGISTRY)}.")
    found = build(Settings, values, where)
    found.check(where)
    return found


def plain(settings: Settings) -> dict[str, Any]:
    """As JSON values, only those that are not the usual ones."""
    usual = Settings()
    values = dataclasses.asdict(settings)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if value != getattr(usual, name)
    }
