"""Everybody plays everybody once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from moderator.tournament import berger
from moderator.tournament.field import Game, Tournament
from moderator.tournament.formats.contract import Chosen, Format


class Robin(Format):
    key = "robin"
    days = 120
    round_robin = True

    def pair(
        self,
        t: Tournament,
        round: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        return berger.schedule([one.number for one in t.entrants if one.active(round)], self.twice)


ROBIN = Robin()
