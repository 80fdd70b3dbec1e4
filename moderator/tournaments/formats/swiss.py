"""Nobody is knocked out; in each round those with about equally many points meet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from moderator.tournaments import swiss
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format


class Swiss(Format):
    key = "swiss"
    tiebreaks = ("direct", "sonneborn-berger", "buchholz-cut-1", "buchholz", "wins", "spread")
    pairs_by_table = True
    late_entry = True

    def described(self, rounds: int, legs: int) -> str:
        return "" if rounds else "-open"

    def settings_of(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        return {"rounds": found[0].rounds}

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        players = len(t.entrants)
        # With more than half as many rounds as entrants, five and six often come to a round without a legal pairing.
        usual = max(3, min((players - 1).bit_length() + 1, (players + 1) // 2))
        return min(settings.rounds or usual, max(1, players - 1))

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
        return swiss.pair(t, round, rematches=rematches, byes=byes).games


SWISS = Swiss()
