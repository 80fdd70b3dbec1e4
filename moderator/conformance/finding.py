"""A check, what it finds, and how both are told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, TypedDict

from moderator.conformance.subject import GameSubject, format_in_one_line

MOST = 3
"""Findings of one check that are told; the first is what somebody mends."""


@dataclass(frozen=True)
class Finding:
    """Something that is not as the contract says."""

    call: str
    """What shows it: a call to the game, a mail, a file."""
    found: str
    """What came out, and what was expected."""
    seed: int | None = None
    """Of the match; None where no match is needed."""


@dataclass(frozen=True)
class Skipped:
    """A check that has nothing to look at in this game."""

    why: str


@dataclass(frozen=True)
class Unseen(Skipped):
    """A check that could not look, though there may be something: nothing is known, which is no ``is_ok``."""


@dataclass(frozen=True)
class CheckFigure:
    """A figure of a check that found nothing."""

    text: str


Found = Finding | Skipped | CheckFigure


class FindingValues(TypedDict):
    """Something that is not as the contract says."""

    call: str
    """What shows it."""
    found: str
    """What came out, and what was expected."""
    seed: int | None
    """Of the match; null where no match is needed."""


class Looked(TypedDict):
    """The result of a check."""

    check: str
    """Its name, see docs/build/conformance.md."""
    ok: bool
    """Nothing was found."""
    promise: str
    """What the contract says, one sentence."""
    skipped: str
    """Why there was nothing to look at; empty where there was."""
    said: str
    """A figure to be told; mostly empty."""
    findings: list[FindingValues]
    """At most three."""


class Report(TypedDict):
    """The report on a game."""

    game: str
    """Its key."""
    seed: int
    """Of the first match."""
    ok: bool
    """No check found anything."""
    checks: list[Looked]
    """In the order in which they were run."""


@dataclass(frozen=True)
class Check:
    """One thing that is promised."""

    name: str
    promise: str
    """What the contract says, one sentence."""
    look: Callable[[GameSubject], Iterable[Found]]


@dataclass(frozen=True)
class Outcome:
    """The result of a check."""

    check: Check
    findings: tuple[Finding, ...] = ()
    skipped: str = ""
    said: str = ""
    unseen: bool = False
    """What was skipped may hide a fault."""

    @property
    def is_ok(self) -> bool:
        return not self.findings

    def format_lines(self, before: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """Return one line; where something was found, the promise of the contract and the call that breaks it below it.
        A finding of an earlier check (text -> its name) is not printed again."""
        if self.is_ok:
            why = f"skipped: {self.skipped}" if self.skipped else f"ok {self.said}".rstrip()
            if self.unseen:
                why = f"NOT SEEN: {self.skipped}; look at it by hand: {self.check.promise}"
            return [f"{self.check.name:<14} {why}"]
        if all(one.found in before for one in self.findings):
            return [f"{self.check.name:<14} FAILED by the same as {before[self.findings[0].found]}"]
        told = [f"{self.check.name:<14} FAILED", f"    the contract: {self.check.promise}"]
        for one in self.findings:
            told.append(f"    found: {one.found}")
            told.append(f"    by:    {one.call}" + ("" if one.seed is None else f"   (--seed {one.seed})"))
        return told

    def to_json(self) -> Looked:
        return Looked(
            check=self.check.name,
            ok=self.is_ok,
            promise=self.check.promise,
            skipped=self.skipped,
            said=self.said,
            findings=[FindingValues(call=one.call, found=one.found, seed=one.seed) for one in self.findings],
        )


def run_check(check: Check, subject: GameSubject) -> Outcome:
    """Run a check; an exception of the game is a finding like any other."""
    findings: list[Finding] = []
    skipped = said = ""
    unseen = False
    try:
        for one in check.look(subject):
            if isinstance(one, Finding):
                findings.append(one)
                if len(findings) == MOST:
                    break
            elif isinstance(one, Skipped):
                skipped, unseen = one.why, isinstance(one, Unseen)
            else:
                said = one.text
    except Exception as error:
        findings.append(Finding(_format_traceback(error), f"{type(error).__name__}: {format_in_one_line(error)}"))
    return Outcome(check, tuple(findings), skipped, said, unseen)


def _format_traceback(error: BaseException) -> str:
    """Return the innermost places of the exception, so that somebody finds it without a debugger."""
    from traceback import extract_tb

    steps = list(islice(reversed(extract_tb(error.__traceback__)), 4))
    return " < ".join(f"{step.name} ({step.filename}:{step.lineno})" for step in steps)


def describe_difference(one: Any, other: Any, what: str = "") -> str:
    """Return the first place in which two values of the same kind differ, for people: ``public.row: ('A',) and
    ('B',)``."""
    if type(one) is type(other):
        for name in getattr(one, "__dataclass_fields__", ()):
            mine, yours = getattr(one, name), getattr(other, name)
            if mine != yours:
                return describe_difference(mine, yours, f"{what}.{name}".lstrip("."))
    if isinstance(one, str) and isinstance(other, str):
        same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        one, other = (f"{'… ' * (same > 0)}{text[max(0, same - 20) : same + 60]}" for text in (one, other))
    return f"{what or 'it'} is {format_in_one_line(one)} and {format_in_one_line(other)}"
