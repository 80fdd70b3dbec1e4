"""Everybody stands on a rung and challenges those above."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from moderator.errors import OperatorError
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format
from moderator.tournaments.ladder import Ladder as Rungs


class Ladder(Format):
    key = "ladder"
    challenges = True
    late_entry = True

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        return 0

    def places(self, t: TournamentState, state: Mapping[str, Any]) -> dict[int, int] | None:
        return {number: rung for rung, number in enumerate(Rungs.from_json(state).rungs, 1)}

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
        raise OperatorError("On a ladder there are no rounds.", "Players challenge each other.")


LADDER = Ladder()
