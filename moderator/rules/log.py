"""The log of a match: its entries, and which of them hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from moderator.common.enums import LogEntryKind

ASIDE = frozenset(
    {
        LogEntryKind.EXCUSE,
        LogEntryKind.CLOCK,
        LogEntryKind.NOTICE,
        LogEntryKind.PROTEST,
        LogEntryKind.RULING,
        LogEntryKind.MOVE_IN,
        LogEntryKind.CONFIRM,
    }
)
"""Kinds that leave the table as it is, and that nothing takes back. What MOVE_IN brought lies there from the start."""


@dataclass(frozen=True)
class LogEntry:
    """One line of the log."""

    kind: LogEntryKind
    seat: int | None = None
    """None for what concerns no seat."""
    text: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    """``EngineResult.to_json()``; other keys ("clock", see time/clock.py) are left aside; empty = not recorded."""


def drop_undone(entries: Iterable[LogEntry]) -> list[tuple[int, LogEntry]]:
    """Return (number, entry) of each entry that was not undone; entries that only tell something are never undone."""
    log = tuple(enumerate(entries, start=1))
    if all(entry.kind != LogEntryKind.UNDO for _, entry in log):
        return list(log)
    kept: list[tuple[int, LogEntry]] = []
    past = [kept]
    for number, entry in log:
        if entry.kind == LogEntryKind.UNDO:
            # An undo may be undone: then what it took back holds again, so each moment's list is kept.
            told = [pair for pair in kept if pair[1].kind in ASIDE]
            kept = sorted(
                {pair[0]: pair for pair in (*past[int(entry.text)], *told)}.values(), key=lambda pair: pair[0]
            )
        else:
            kept = [*kept, (number, entry)]
        past.append(kept)
    return kept
