"""Formats stand behind one contract: nobody else knows them by name. Each is played by test_every_format.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from moderator.errors import OperatorError
from moderator.tournaments import formats

PACKAGE = Path(__file__).resolve().parents[2] / "moderator"
NAMES = frozenset(formats.OWN)
TEMPLATE = re.compile(r"format *(?:[!=]=|in|not in) *[(\[\"']")


def _texts(node: ast.expr) -> Iterator[str]:
    for part in node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def suspects() -> Iterator[tuple[Path, str]]:
    """The files that hold the name of a format at all; to parse all others takes seconds."""
    quoted = re.compile(f"[\"']({'|'.join(NAMES)})[\"']")
    for path in PACKAGE.rglob("*.py"):
        if "formats" not in path.parts and quoted.search(text := path.read_text(encoding="utf-8")):
            yield path, text


def compared(source: str) -> list[int]:
    """Lines that compare something called format with names of formats."""
    found = []
    for node in ast.walk(ast.parse(source)):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Match):
            patterns = (part for case in node.cases for part in ast.walk(case.pattern))
            sides = [node.subject, *(part.value for part in patterns if isinstance(part, ast.MatchValue))]
        called = any(getattr(side, "attr", getattr(side, "id", "")) in ("format", "form") for side in sides)
        if called and NAMES.intersection(text for side in sides for text in _texts(side)):
            found.append(getattr(node, "lineno", 0))
    return found


def named(source: str) -> list[int]:
    """Lines with collections of names of formats: sets and dictionaries to look a format up in."""
    found = []
    for node in ast.walk(ast.parse(source)):
        keys = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
        texts = [text for key in keys if key is not None for text in _texts(key)]
        if len(texts) > 1 and NAMES.issuperset(texts):
            found.append(getattr(node, "lineno", 0))
    return found


def test_nobody_outside_compares_the_name_of_a_format() -> None:
    found = [f"{path.relative_to(PACKAGE)}:{n}" for path, text in suspects() for n in compared(text) + named(text)]
    templates = [path for path in (PACKAGE.parent / "templates").rglob("*.j2") if TEMPLATE.search(path.read_text())]
    assert (found, templates) == ([], [])


@pytest.mark.parametrize(
    "source",
    [
        'if t.format == "ladder": pass',
        'if "swiss" != cup.format: pass',
        'found = view.format in ("knockout", "ladder")',
        'match t.format:\n    case "league": pass',
    ],
)
def test_such_a_comparison_would_be_seen(source: str) -> None:
    assert compared(source)


def test_such_a_table_would_be_seen() -> None:
    assert named('A = frozenset({"robin", "league"})')
    assert named('A = {"robin": 120, "double": 180}')
    assert TEMPLATE.search('{% if c.format == "ladder" %}')


def test_nobody_outside_works_with_the_values_of_one_format() -> None:
    """A ladder's state and a knock-out's ties are read by their formats alone, so that others may have their own."""
    own = re.compile(r"formats(?:\.| import .*)\b(?:ladder|knockout)\b")
    found = [
        path.relative_to(PACKAGE)
        for path in PACKAGE.rglob("*.py")
        if "formats" not in path.parts and own.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert own.search("from moderator.tournaments.formats import ladder, of")
    assert own.search("from moderator.tournaments.formats.knockout import ties")


def test_an_unknown_format_is_named_with_the_known_ones() -> None:
    with pytest.raises(OperatorError, match="There is no format 'chess'") as error:
        formats.load("chess")
    assert "robin, double, swiss" in error.value.hint
