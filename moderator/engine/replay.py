"""A match rebuilt from its log. Words are answered from the record; another outcome is a ReplayMismatch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from moderator.engine import table as driver
from moderator.engine.contract import Context, Game, M, P, Step
from moderator.engine.plain import plain
from moderator.engine.result import Result
from moderator.engine.table import Table
from moderator.engine.words import Recorded
from moderator.errors import ModeratorError, ReplayMismatch


@dataclass(frozen=True)
class Entry:
    """One line of the log.

    order: stored until the ZAT (rounds, common) or held for a ruling (sequential); move: played or refused at once
    (sequential); withdraw: the stored or held order is gone; miss: the ZAT passed without a move (sequential);
    evaluate: the ZAT of a round.
    """

    kind: Literal["order", "move", "withdraw", "miss", "evaluate"]
    seat: int | None = None
    """None for "evaluate"."""
    text: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """``Result.to_json()``; other keys are left aside; empty = not recorded."""


def step(game: Game[P, M], table: Table[P], entry: Entry, ctx: Context, check: bool = True) -> tuple[Table[P], Result]:
    """Apply one entry of the log. With ``check`` its recorded outcome must come out again.

    Raises ReplayMismatch, also for an entry that does not fit the match at all.
    """
    number = table.entries + 1
    if entry.outcome:
        ctx = replace(ctx, words=Recorded(entry.outcome.get("verdicts", {})))
    try:
        after, result = _apply(game, table, entry, ctx)
    except ModeratorError as error:
        raise ReplayMismatch(
            number, f"{entry.kind} {entry.seat} {entry.text}", f"{type(error).__name__} {error}"
        ) from error
    if check and entry.outcome:
        _compare(number, entry.outcome, result)
    return replace(after, entries=number), result


def rebuild(
    game: Game[P, M],
    seats: int,
    options: Any,
    ctx: Context,
    fixed: Mapping[str, Any] | None,
    entries: Iterable[Entry],
    check: bool = True,
) -> tuple[Table[P], list[Result], Step[P]]:
    """The match after all ``entries``, what each led to, and the deal. Raises ReplayMismatch."""
    table, setup = driver.open_table(game, seats, options, ctx, fixed)
    results = []
    for entry in entries:
        table, result = step(game, table, entry, ctx, check)
        results.append(result)
    return table, results, setup


def _apply(game: Game[P, M], table: Table[P], entry: Entry, ctx: Context) -> tuple[Table[P], Result]:
    forced = bool(entry.outcome.get("forced"))
    if entry.kind == "evaluate":
        return driver.evaluate(game, table, ctx, "reject" if forced else None)
    seat = entry.seat
    if seat is None or not 0 <= seat < table.state.seats:
        raise ModeratorError(f"there is no seat {seat}")
    if entry.kind == "withdraw":
        return driver.withdraw(table, seat)
    if entry.kind == "miss":
        return driver.miss(game, table, seat, ctx)
    if entry.kind == "order" and not table.together:
        # A new text goes behind what others have stored: in a race the order of arrival decides.
        rest = {other: text for other, text in table.orders.items() if other != seat}
        return replace(table, orders={**rest, seat: entry.text}), _as_recorded(entry)
    if entry.kind not in ("order", "move"):
        raise ModeratorError(f"unknown kind {entry.kind!r}")
    return driver.submit(game, table, seat, entry.text, ctx, "reject" if forced else None)


def _as_recorded(entry: Entry) -> Result:
    """A held order changes nothing on the board; what it waited for is taken from the log."""
    return Result.from_json(entry.outcome)


def _compare(number: int, recorded: Mapping[str, Any], result: Result) -> None:
    replayed = result.to_json()
    for key, value in replayed.items():
        if key in recorded and plain(recorded[key]) != value:
            raise ReplayMismatch(number, {key: recorded[key]}, {key: value})


def from_row(kind: str, seat: int | None, text: str, outcome: Mapping[str, Any]) -> Entry:
    """An entry as a database keeps it. An unknown kind is found by ``step``."""
    return Entry(cast(Any, kind), seat, text, outcome)
