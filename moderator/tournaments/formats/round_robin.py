"""Round robins: everybody plays everybody once, twice, or in divisions, where who is first goes up and who is last goes
down with the next season."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

from moderator.common.errors import OperatorError
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import tables
from moderator.tournaments.formats.contract import Chosen, Format, declare_option


class Robin(Format):
    key = "robin"
    days = 120
    round_robin = True

    def pair(
        self,
        t: TournamentState,
        number: int,
        settings: Chosen,
        *,
        division: int = 1,
        rematches: bool = False,
        byes: Collection[int] = (),
    ) -> Sequence[Game]:
        return tables.build_round_robin([one.number for one in t.entrants if one.is_active(number)], self.twice)


ROBIN = Robin()


# ---- everybody plays everybody twice, once from each seat ----


class Double(Robin):
    key = "double"
    days = 180
    twice = True

    def count_games_of_two(self, settings: Chosen) -> int:
        return 2


DOUBLE = Double()


# ---- divisions that play round robins; who is first goes up, who is last goes down with the next season ----


@dataclass(frozen=True)
class LeagueOptions:
    division: int = declare_option(10, least=2, most=100)
    movers: Movers | int = declare_option("sixth")
    cycles: Literal[1, 2] = declare_option(1)
    again_days: int = declare_option(0, least=0, most=366)


class League(Robin):
    key = "league"
    options = LeagueOptions
    divisions = True

    def count_games_of_two(self, settings: Chosen) -> int:
        return int(settings.own.cycles)

    def get_division_format(self, settings: Chosen) -> str:
        return DOUBLE.key if settings.own.cycles == 2 else self.key

    def describe_variant(self, rounds: int, legs: int) -> str:
        return "-double" if legs == 2 else ""

    def infer_settings(self, found: Sequence[TournamentState]) -> dict[str, Any]:
        return {"cycles": 2} if any(t.format == DOUBLE.key for t in found) else {}


LEAGUE = League()


# ---- the divisions of a league ----


Divisions = tuple[tuple[int, ...], ...]
"""Entrant numbers, the highest division first."""

Movers = Literal["sixth", "fifth", "third"]

_SHARES: dict[Movers, int] = {"sixth": 6, "fifth": 5, "third": 3}


def compute_division_sizes(players: int, target: int) -> tuple[int, ...]:
    """Return the sizes of divisions, the highest first: as near to ``target`` as possible, differing by at most one,
    the larger ones below. Raises OperatorError if ``target`` is under 2."""
    if target < 2:
        raise OperatorError(f"A division of {target} cannot play.", "Take at least 2.")
    if not players:
        return ()
    count = max(1, min((abs(players / n - target), n) for n in range(1, players + 1))[1])
    if players // count < 2:
        count = max(1, players // 2)
    small, more = divmod(players, count)
    return (small,) * (count - more) + (small + 1,) * more


def cut_divisions(order: Sequence[int], target: int) -> Divisions:
    """Cut ``order`` (the strongest first) into divisions of about ``target``."""
    found = []
    first = 0
    for size in compute_division_sizes(len(order), target):
        found.append(tuple(order[first : first + size]))
        first += size
    return tuple(found)


def count_movers(size: int, option: Movers | int = "sixth") -> int:
    """Count how many go up, and as many down, from a division of ``size``: a share of it rounded up, or a fixed number;
    never more than half of it."""
    if isinstance(option, int):
        wanted = option
    elif option in get_args(Movers):
        wanted = -(-size // _SHARES[option])
    else:
        raise OperatorError(f"movers = {option!r} is not known.", f"Possible: {', '.join(_SHARES)}, or a number.")
    return min(wanted, size // 2)


def build_next_season(
    tables: Sequence[Sequence[int]],
    target: int,
    option: Movers | int = "sixth",
    leaving: Collection[int] = (),
    returning: Sequence[tuple[int, int]] = (),
    new: Sequence[int] = (),
) -> Divisions:
    """Return the divisions after a season with the final ``tables`` (the highest first, each by place).

    Within a division come first those who stayed, then those who came up, those who came down, those who return after a
    pause (``returning``: entrant and its last division from 0, the stronger first); ``new`` ones (the stronger first)
    follow at the very bottom. Then the whole order is cut anew, so that gaps close from below. Two neighbours of
    different size exchange what the smaller one moves. Only where the number or the sizes of the divisions change can
    somebody move by two."""
    order = [number for division in _order_divisions(tables, option, leaving, returning) for number in division]
    return cut_divisions([*order, *new], target)


def _order_divisions(
    tables: Sequence[Sequence[int]],
    option: Movers | int,
    leaving: Collection[int],
    returning: Sequence[tuple[int, int]],
) -> list[list[int]]:
    stayed: list[list[int]] = [[] for _ in tables]
    raised: list[list[int]] = [[] for _ in tables]
    lowered: list[list[int]] = [[] for _ in tables]
    # As many go up as come down across a border, or those who come down would be pushed on by one more division.
    counts = [min(count_movers(len(one), option), count_movers(len(other), option)) for one, other in pairwise(tables)]
    for at, table in enumerate(tables):
        left = [number for number in table if number not in leaving]
        up = left[: counts[at - 1]] if at else []
        # A place for going down that someone vacates by leaving is gone: nobody else goes down for them.
        lowest = table[len(table) - counts[at] :] if at + 1 < len(tables) else []
        down = [number for number in lowest if number in left and number not in up]
        stayed[at] += [number for number in left if number not in up and number not in down]
        if up:
            raised[at - 1] += up
        if down:
            lowered[at + 1] += down
    back: list[list[int]] = [[] for _ in tables]
    for number, division in returning:
        if back:
            back[min(division, len(tables) - 1)].append(number)
    lists = zip(stayed, raised, lowered, back, strict=True)
    order = [[*one, *two, *three, *four] for one, two, three, four in lists]
    return order or [[number for number, _ in sorted(returning, key=lambda entry: entry[1])]]
