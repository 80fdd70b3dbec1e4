"""Tables of three to six that change from round to round until all have met about equally often."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from moderator.tournaments import tables
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format
from moderator.tournaments.lots import lot


class Tables(Format):
    key = "tables"
    days = 90
    several_seats = True
    laid_out = True

    def at_once(self, settings: Chosen) -> bool:
        return settings.at_once

    def seats(self, settings: Chosen) -> int:
        return settings.seats

    def settings_of(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        return {"seats": max((len(game.seats) for t in found for game in t.games), default=2)}

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
        numbers = [one.number for one in t.entrants if one.active(round)]
        seed = lot(t.seed, "rotation", division)
        return tables.rotation(numbers, settings.seats, settings.rounds or None, seed).games


TABLES = Tables()
