"""Round robins: everybody plays everybody once, twice, or in divisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from moderator.tournaments import designs
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format


class Robin(Format):
    key = "robin"
    days = 120
    round_robin = True

    def pair(
        self,
        t: TournamentState,
        round: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        return designs.schedule([one.number for one in t.entrants if one.active(round)], self.twice)


ROBIN = Robin()


# ---- everybody plays everybody twice, once with each start ----


class Double(Robin):
    key = "double"
    days = 180
    twice = True


DOUBLE = Double()


# ---- divisions that play round robins; who is first goes up, who is last goes down with the next season ----


class League(Robin):
    key = "league"
    divisions = True

    def part(self, settings: Chosen) -> str:
        return DOUBLE.key if settings.cycles == 2 else self.key

    def described(self, rounds: int, legs: int) -> str:
        return "-double" if legs == 2 else ""

    def settings_of(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        return {"cycles": 2} if any(t.format == DOUBLE.key for t in found) else {}


LEAGUE = League()
