"""Which cases of a test run every time, and which in a slow run only (MODERATOR_SLOW=1, as in .ci/run)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

SLOW = os.environ.get("MODERATOR_SLOW") == "1"


def examples(slow: int, everyday: int) -> int:
    """How many examples hypothesis tries."""
    return slow if SLOW else everyday


def share(cases: Iterable[T], of: int = 4) -> list[T]:
    """For tests that loop: every ``of``-th case every time, all of them in a slow run."""
    return list(cases)[:: 1 if SLOW else of]


def mostly_slow(cases: Iterable[Any], always: Iterable[Any]) -> list[Any]:
    """All cases as parameters of a test, marked slow but for those of ``always``."""
    kept = list(always)
    return [case if case in kept else pytest.param(case, marks=pytest.mark.slow) for case in cases]


def long_first(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """What is slow or waits for servers at the beginning of each worker's share, so that no worker ends with what takes
    minutes while the others are idle. (pytest-xdist deals out neighbours, and who is idle steals from the end of the
    longest share.)"""
    long = [item for item in items if _long(item)]
    short = [item for item in items if not _long(item)]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        ends = (len(short) * part // workers for part in (worker, worker + 1))
        ordered += [*long[worker::workers], *short[slice(*ends)]]
    return ordered


def _long(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(name) for name in ("servers", "slow"))
    return marked or "killer" in getattr(item, "fixturenames", ())
