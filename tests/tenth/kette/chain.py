"""Kette: everybody plays against both neighbours in the list, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats.contract import Chosen, Format, option


@dataclass(frozen=True)
class ChainOptions:
    links: int = option(2, least=1, most=2)


class Chain(Format):
    key = "kette"
    days = 9
    options = ChainOptions

    def rounds(self, t: TournamentState, settings: Chosen) -> int:
        return min(settings.own.links, len(t.entrants) - 1)

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
        numbers = [one.number for one in t.entrants if one.active(round)][round - 1 :]
        pairs = zip(numbers[::2], numbers[1::2], strict=False)
        return [Game(round, table, pair) for table, pair in enumerate(pairs, 1)]


CHAIN = Chain()
