"""Players' leave: what may be announced, and which of it counts for a turn. Pure arithmetic on local days."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from moderator.errors import ConfigError
from moderator.match.time.calendar import DAY, Span

if TYPE_CHECKING:
    from moderator.match.contract import Note


@dataclass(frozen=True)
class LeaveRules:
    """The club's rules for leave. Read from TOML by ``moderator.typed.build``; then ``check`` them."""

    quota: int = 42
    """Days per calendar year."""
    minimum: int = 3
    """Days of the shortest block."""
    longest: int = 28
    """Days of the longest block."""
    announce: int = 0
    """Days from the announcement to the first day of leave; 0 = it may begin today."""

    def check(self, where: str = "Leave") -> None:
        """Raises ConfigError for values that cannot be; ``where`` names the table in it."""
        for name, lowest in (("quota", 0), ("minimum", 1), ("longest", self.minimum), ("announce", 0)):
            if not lowest <= getattr(self, name) <= 366:
                message = f"{where}: {name} = {getattr(self, name)} cannot be."
                raise ConfigError(message, f"Possible: {lowest} to 366.")


@dataclass(frozen=True)
class Leave:
    """First and last day, both included, and when it was announced (aware UTC)."""

    first: date
    last: date
    announced: datetime


def problem(first: date, last: date, others: Iterable[Leave], today: date, rules: LeaveRules) -> Note | None:
    """Why a player who has announced ``others`` cannot announce this leave today; None if they can.

    Leave that adjoins another is one block with it. A leave over New Year takes its days from both years.
    """
    from moderator.match.contract import Note

    taken = tuple(others)
    if last < first:
        return Note("leave-backwards", {"first": first, "last": last})
    if first < today:
        return Note("leave-past", {"first": first})
    if (first - today).days < rules.announce:
        return Note("leave-short-notice", {"announce": rules.announce})
    for leave in sorted(taken, key=lambda leave: leave.first):
        if leave.first <= last and first <= leave.last:
            return Note("leave-overlap", {"first": leave.first, "last": leave.last})
    block = _block(first, last, taken)
    if block < rules.minimum:
        return Note("leave-too-short", {"minimum": rules.minimum})
    if block > rules.longest:
        return Note("leave-too-long", {"longest": rules.longest})
    for year in range(first.year, last.year + 1):
        left = days_left(year, taken, rules)
        if _days_in(year, first, last) > left:
            return Note("leave-quota", {"year": year, "quota": rules.quota, "left": left})
    return None


def counting(leaves: Iterable[Leave], began: datetime) -> tuple[Span, ...]:
    """The leaves that count for a turn that began then: those announced before it, in order. So a leave never moves
    a deadline that was running when it was announced."""
    return tuple(sorted((leave.first, leave.last) for leave in leaves if leave.announced < began))


def days_left(year: int, leaves: Iterable[Leave], rules: LeaveRules) -> int:
    """Days of leave that may still be announced for that calendar year."""
    return max(0, rules.quota - sum(_days_in(year, leave.first, leave.last) for leave in leaves))


def _days_in(year: int, first: date, last: date) -> int:
    start, end = max(first, date(year, 1, 1)), min(last, date(year, 12, 31))
    return max(0, (end - start).days + 1)


def _block(first: date, last: date, taken: Iterable[Leave]) -> int:
    """Days of the block that ``first`` to ``last`` make together with the leaves that adjoin."""
    spans = sorted((leave.first, leave.last) for leave in taken)
    for start, end in reversed(spans):
        if end + DAY == first:
            first = start
    for start, end in spans:
        if last + DAY == start:
            last = end
    return (last - first).days + 1
