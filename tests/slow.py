"""Which cases of a test run every time, and which in a slow run only (MODERATOR_SLOW=1, as in .ci/run)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

SLOW = os.environ.get("MODERATOR_SLOW") == "1"
LONG = frozenset(Path(__file__).with_name("long.txt").read_text(encoding="utf-8").splitlines())
"""Tests (``FOLDER/FILE.py::NAME``, where only one case is meant with its ``[CASE]``) that take half a second and more,
as ``--durations=0 --durations-min=0.5`` shows them. ``make test`` leaves them out
(``-m "not long"``), so that it takes less than three minutes. A few stay in it of each kind: a mail through real
servers, a way to die, a page that is opened and played."""


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


def is_long(nodeid: str) -> bool:
    """Whether long.txt names the test, seen from the root of the project, by its case or with all its cases."""
    name = nodeid.removeprefix("tests/")
    return name in LONG or name.partition("[")[0] in LONG


def long_first(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """What is slow or waits for servers at the beginning of each worker's share, so that no worker ends with what takes
    minutes while the others are idle. (pytest-xdist deals out neighbours, as many to each, and who is idle steals from
    the end of the longest share.)"""
    long = _shares([item for item in items if _long(item)], workers)
    short = [item for item in items if not _long(item)]
    ordered: list[pytest.Item] = []
    for worker, share in enumerate(long, start=1):
        room = len(items) * worker // workers - len(ordered) - len(share)
        ordered += [*share, *short[: max(0, room)]]
        del short[: max(0, room)]
    return [*ordered, *short]


def _shares(long: Sequence[pytest.Item], workers: int) -> list[list[pytest.Item]]:
    """As many for each worker. Tests of a file that share what took minutes to make stay together: another worker
    would make it again."""
    together: dict[str, list[pytest.Item]] = {}
    for item in long:
        together.setdefault(_shared(item), []).append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for group in sorted(together.values(), key=len, reverse=True):
        min(shares, key=len).extend(group)
    return shares


def _shared(item: pytest.Item) -> str:
    """Its file, if one of its fixtures is made once for that; itself otherwise."""
    info = getattr(item, "_fixtureinfo", None)
    made = [one for found in info.name2fixturedefs.values() for one in found] if info else []
    return item.nodeid.partition("::")[0] if any(one.scope in ("module", "class") for one in made) else item.nodeid


def _long(item: pytest.Item) -> bool:
    marked = any(item.get_closest_marker(name) for name in ("servers", "slow"))
    return marked or "killer" in getattr(item, "fixturenames", ())
