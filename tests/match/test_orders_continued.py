"""Orders of which one part, or one line, goes on with the next."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from moderator.errors import Unreadable
from moderator.match.contract import PLAIN, Style
from moderator.match.markers import joint
from moderator.match.orders import read_lines, split

STYLE = Style(
    attempt=re.compile(r"take \w|[a-z]\d", re.IGNORECASE),
    unfinished=re.compile(r"take \w+,?", re.IGNORECASE),
    chain=re.compile(r"\+"),
)


class Line(NamedTuple):
    number: int
    text: str


def texts(order: str, style: Style = STYLE) -> list[str]:
    return [alternative.text for alternative in split(order, style)]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("take A; B2 w HAUS", ["take A; B2 w HAUS"]),
        ("take A; B2 w HAUS; sonst C3 s MOND", ["take A; B2 w HAUS", "C3 s MOND"]),
        ("take A; sonst C3 s MOND", ["take A;", "C3 s MOND"]),
        ("take A; take B; B2 w HAUS", ["take A; take B; B2 w HAUS"]),
        ("Ersatz 1: take A; B2 w HAUS", ["take A; B2 w HAUS"]),
        ("take A, then B2 w HAUS", ["take A, then B2 w HAUS"]),
        ("B2 w HAUS, then C3 s MOND", ["B2 w HAUS,", "C3 s MOND"]),
        ("B2 w HAUS\n+ C3 s MOND", ["B2 w HAUS + C3 s MOND"]),
        ("take A\nB2 w HAUS\nelse C3 s MOND", ["take A; B2 w HAUS", "C3 s MOND"]),
        ("take A;\nB2 w HAUS", ["take A; B2 w HAUS"]),
        ("take A\n\nB2 w HAUS", ["take A", "B2 w HAUS"]),
        ("+ B2 w HAUS\n+ C3 s MOND", ["B2 w HAUS", "C3 s MOND"]),
    ],
)
def test_parts_that_belong_together(order: str, expected: list[str]) -> None:
    assert [text.rstrip(",; ") for text in texts(order)] == [text.rstrip(",; ") for text in expected]


def test_other_games_know_none_of_it() -> None:
    assert texts("take A; B2 w HAUS", PLAIN) == ["take A", "B2 w HAUS"]
    assert texts("B2 w HAUS\n+ C3 s MOND", PLAIN) == ["B2 w HAUS", "C3 s MOND"]
    assert joint("take A", "B2 w HAUS", PLAIN) is None


def test_lines_of_a_mail_are_one_order_only_if_they_read_as_one() -> None:
    def parse(text: str) -> str:
        if not re.fullmatch(r"(take \w; )?[A-Z]\d w \w+( \+ [A-Z]\d w \w+)?", text):
            raise Unreadable("no-square", line=text)
        return text

    def read(*lines: str) -> list[str]:
        numbered = [Line(n, line) for n, line in enumerate(lines, start=1)]
        return [line.canonical for line in read_lines(numbered, parse, str, STYLE).orders]

    assert read("take A", "B2 w HAUS") == ["take A; B2 w HAUS"]
    assert read("take A", "see you", "B2 w HAUS") == ["B2 w HAUS"]
    assert read("B2 w HAUS", "+ C3 w MOND") == ["B2 w HAUS + C3 w MOND"]
    assert read("hello", "+ C3 w MOND") == ["C3 w MOND"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Anna moves »take A; B2 w HAUS« – 8 points", ["Anna moves »take A; B2 w HAUS« – 8 points"]),
        ("last »take A; B2 w HAUS", ["last »take A; B2 w HAUS"]),
        ("A; B2 w HAUS«, 8 points", ["A; B2 w HAUS«, 8 points"]),
        ("»B2 w HAUS; C3 s MOND«", ["»B2 w HAUS", "C3 s MOND«"]),
        ("»B2 w HAUS«; »C3 s MOND«", ["»B2 w HAUS«", "»C3 s MOND«"]),
        ("Anna moves “take A; B2 w HAUS” – 8 points", ["Anna moves “take A; B2 w HAUS” – 8 points"]),
        ("last “take A; B2 w HAUS", ["last “take A; B2 w HAUS"]),
        ("A; B2 w HAUS”, 8 points", ["A; B2 w HAUS”, 8 points"]),
        ("“B2 w HAUS; C3 s MOND”", ["“B2 w HAUS", "C3 s MOND”"]),
        ("B2 w “HAUS”; C3 s “MOND”", ["B2 w “HAUS”", "C3 s “MOND”"]),
        ("B2 w „HAUS“; C3 s „MOND“", ["B2 w „HAUS“", "C3 s „MOND“"]),
        ("B2 w HAUS“; C3 s MOND", ["B2 w HAUS“", "C3 s MOND"]),
    ],
)
def test_what_is_cited_in_the_middle_of_a_line_is_not_cut(line: str, expected: list[str]) -> None:
    assert texts(line, PLAIN) == expected
