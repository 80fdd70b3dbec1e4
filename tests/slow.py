"""Which cases of a test run every time, and which in a slow run only (MODERATOR_SLOW=1, as in .ci/run)."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
