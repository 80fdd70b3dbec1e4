"""One test per property, over all that has it: a test for each of hundreds of mails costs more than the looking."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import pytest

from tests.slow import SLOW

T = TypeVar("T")
ONLY = os.environ.get("MODERATOR_ONLY", "")
"""Where cases have this word in their names, only those are looked at. (``-k`` chooses whole tests, by the words of all
their cases.)"""


def holds_for_every(cases: Iterable[T], check: Callable[[T], None]) -> None:
    """``check`` each case; one that fails, or is skipped, keeps no other from being looked at; all that fail are named
    at the end."""
    failed: list[tuple[T, Exception]] = []
    looked, why = 0, "slow; set MODERATOR_SLOW=1"
    for case in cases:
        try:
            check(case)
        except pytest.skip.Exception as skipped:
            why = str(skipped)
            continue
        except Exception as error:
            failed.append((case, error))
        looked += 1
    if not looked:
        pytest.skip(why)
    if failed:
        told = "\n\n".join(f"{case}: {error!r}" for case, error in failed[:5])
        raise AssertionError(f"{len(failed)} fail: {[case for case, _ in failed]}\n\n{told}") from failed[0][1]


def for_every(names: str, cases: Iterable[Any], ids: Any = None) -> Callable[[Any], Any]:
    """As ``pytest.mark.parametrize``, for tests that need nothing of their own for each case (no fixture but those that
    are shared anyway): one test looks at all cases. Thousands of tests that take a millisecond each cost more to
    collect, to hand out and to report than to run. Cases that are marked slow are left out where those are."""
    keys = [name.strip() for name in names.split(",")]
    cases = list(cases)
    assert cases, "no cases"
    every = [_Case(keys, case, ids, number) for number, case in enumerate(cases) if SLOW or not _slow(case)]
    todo = [case for case in every if ONLY and ONLY in re.findall(r"\w+", case.name.lower())] or every

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def looped(**given: Any) -> None:
            holds_for_every(todo, lambda case: test(**given, **case.values))

        taken = inspect.signature(test)
        left = [each for name, each in taken.parameters.items() if name not in keys]
        looped.cases = len(todo) * getattr(test, "cases", 1)  # type: ignore[attr-defined]
        looped.__signature__ = taken.replace(parameters=left)  # type: ignore[attr-defined]
        # pytest takes what hangs on a function for its keywords.
        vars(looped).update(dict.fromkeys((word for case in todo for word in re.findall(r"\w+", case.name)), True))
        return looped

    return decorate


class _Case:
    def __init__(self, keys: list[str], case: Any, ids: Any, number: int) -> None:
        parameters = getattr(case, "marks", None) is not None and hasattr(case, "values")
        found = tuple(case.values) if parameters else (case,) if len(keys) == 1 else tuple(case)
        self.values = dict(zip(keys, found, strict=True))
        named = getattr(case, "id", None) if parameters else None
        if named is None and ids is not None:
            named = " ".join(str(ids(value)) for value in found) if callable(ids) else list(ids)[number]
        self.name = named or ", ".join(f"{value!r:.200}" for value in found)

    def __repr__(self) -> str:
        return str(self.name)


def _slow(case: Any) -> bool:
    return any(mark.name == "slow" for mark in getattr(case, "marks", ()))
