"""A test that looks at many cases fails when one of them does, names each of those, and leaves none out in silence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import every
from tests.every import for_every
from tests.slow import LONG, is_long

SLOW = pytest.param(4, marks=pytest.mark.slow, id="four")


def looked(slow: bool, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    monkeypatch.setattr(every, "SLOW", slow)
    seen = []

    @for_every("number", [1, SLOW])
    @for_every("letter, again", [("a", "a"), ("b", "b")])
    def look(number: int, letter: str, again: str) -> None:
        assert letter == again
        seen.append((number, letter))

    look()
    return seen


def test_all_are_looked_at_and_slow_ones_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(False, monkeypatch) == [(1, "a"), (1, "b")]
    assert looked(True, monkeypatch) == [(1, "a"), (1, "b"), (4, "a"), (4, "b")]


def test_all_that_fail_are_named_and_the_others_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every, "SLOW", True)
    seen = []

    @for_every("number", [1, 2, 3, SLOW])
    def is_odd(number: int) -> None:
        seen.append(number)
        if number == 2:
            raise KeyError("an error is a failure, too")
        assert number % 2

    with pytest.raises(AssertionError, match=r"2 fail: \[2, four\]") as failure:
        is_odd()
    assert seen == [1, 2, 3, 4]
    assert "an error is a failure, too" in str(failure.value)


def test_a_skipped_case_skips_no_other() -> None:
    seen = []

    @for_every("number", [1, 2])
    def look(number: int) -> None:
        if number == 1:
            pytest.skip("not here")
        seen.append(number)

    look()
    assert seen == [2]


def test_where_none_is_looked_at_the_test_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(every, "SLOW", False)

    @for_every("number", [SLOW])
    def of_slow(number: int) -> None:
        raise AssertionError

    with pytest.raises(pytest.skip.Exception, match="MODERATOR_SLOW"):
        of_slow()


@pytest.fixture
def shared() -> str:
    return "ab"


@for_every("letter", ["a", "b"])
def test_fixtures_are_those_of_the_test(shared: str, letter: str) -> None:
    assert letter in shared


@pytest.mark.parametrize("word", ["ab", "ba"])
@for_every("letter", ["a", "b"])
def test_and_it_stands_below_parameters(word: str, letter: str) -> None:
    assert letter in word


def test_none_may_be_left_by_a_mistake() -> None:
    with pytest.raises(AssertionError, match="no cases"):
        for_every("number", [])


def test_a_mark_stands_on_a_test() -> None:
    """On anything else it says nothing: what was meant for slow runs would go every day."""
    marked = re.compile(r"^( *)@pytest\.mark\..*\n(?:\1[@ )\]].*\n)*\1(?:async )?def (?!test_)(\w+)", re.MULTILINE)
    sources = {path: path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*.py")}
    assert [(path.name, found[2]) for path, source in sources.items() for found in marked.finditer(source)] == []
    assert marked.search("@pytest.mark.slow\ndef played() -> None:\n")


def test_every_long_test_exists() -> None:
    """A name in long.txt that no test has any more would leave out another one some day."""
    tests = Path(__file__).parent
    for name in sorted(LONG):
        file, _, function = name.partition("[")[0].partition("::")
        assert f"def {function}(" in (tests / file).read_text(encoding="utf-8"), name


def test_a_test_is_long_by_its_name_or_by_that_of_its_case() -> None:
    whole = next(name for name in sorted(LONG) if "[" not in name)
    case = next(name for name in sorted(LONG) if "[" in name)
    assert [name for name in (f"tests/{whole}", f"tests/{whole}[any]", f"tests/{case}") if not is_long(name)] == []
    assert [name for name in (f"tests/{case.partition('[')[0]}[another]", f"tests/{whole}_too") if is_long(name)] == []
