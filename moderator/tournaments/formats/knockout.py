"""Who loses a tie is out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from moderator.tournaments import knockout
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format


class Knockout(Format):
    key = "knockout"
    eliminates = True

    def games_of_two(self, settings: Chosen) -> int:
        return settings.legs

    def described(self, rounds: int, legs: int) -> str:
        return "-1" if legs == 1 else ""

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        return knockout.rounds(len(t.entrants))

    def places(self, t: TournamentState, state: Mapping[str, Any]) -> dict[int, int] | None:
        return {number: place for place, number in knockout.placing(t)}

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
        return knockout.pair(t, round)


KNOCKOUT = Knockout()
