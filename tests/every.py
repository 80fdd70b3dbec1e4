"""One test per property, over all that has it: a test for each of hundreds of mails costs more than the looking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def holds_for_every(cases: Iterable[T], check: Callable[[T], None]) -> None:
    """``check`` each case; one that fails keeps no other from being looked at; all are named at the end."""
    failed: list[tuple[T, AssertionError]] = []
    for case in cases:
        try:
            check(case)
        except AssertionError as error:
            failed.append((case, error))
    if failed:
        told = "\n\n".join(f"{case}: {error}" for case, error in failed[:5])
        raise AssertionError(f"{len(failed)} fail: {[case for case, _ in failed]}\n\n{told}") from failed[0][1]
