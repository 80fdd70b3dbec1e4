"""Order lines of the tile games: digits, colons and semicolons mean something else there than in a word game."""

from __future__ import annotations

import re

import pytest

from moderator.errors import Unreadable
from moderator.mail.model import Line
from moderator.match.contract import PLAIN, Style
from moderator.match.markers import joint
from moderator.match.orders import read_lines, split

SNAKE = Style(
    attempt=re.compile(r"(?:\d{1,2}|links|rechts)\s*:", re.IGNORECASE),
    joined=re.compile(r"(?:kopf\s*)?\d{1,2}\s*:|(?:links|rechts)\b", re.IGNORECASE),
    colon_numbers=False,
)
DIGITS = [
    ("64@L", ["64@L"]),
    ("6-4 links; sonst 31 an 6", ["6-4 links", "31 an 6"]),
    ("1. 64@L 2. 31@R", ["64@L", "31@R"]),
    ("1) 64@L\n2) 31@R", ["64@L", "31@R"]),
    ("Ersatz: 31@R\n64@L", ["64@L", "31@R"]),
    ("Ersatz 2: 6-1 rechts\nErsatz 1: 64@L", ["64@L", "6-1 rechts"]),
    ("64 an 4 oder 31 an 6", ["64 an 4", "31 an 6"]),
    ("64@L sonst nach Ziehen: bester", ["64@L", "nach Ziehen: bester"]),
    ("64@L else after drawing: best", ["64@L", "after drawing: best"]),
    ("64@L; nach Ziehen: bester", ["64@L", "nach Ziehen: bester"]),
    ("225@8 ab 10; sonst 344@7", ["225@8 ab 10", "344@7"]),
    ("225@(1,0); sonst 225@(2,0)", ["225@(1,0)", "225@(2,0)"]),
    ("- 6-4 links\n- 3-1 rechts", ["6-4 links", "3-1 rechts"]),
    ("Mein Zug: 2-2-5 an 8, falls nicht 3-4-4 an 7", ["2-2-5 an 8", "3-4-4 an 7"]),
    ("Zug 64@L", ["64@L"]),
    ("lege 64 links an, sonst 31 an 6", ["lege 64 links an", "31 an 6"]),
    ("6:4 links", ["6:4 links"]),
]
SNAKES = [
    ("1: T3+E, T2; 3: N, DR", ["1: T3+E, T2; 3: N, DR"]),
    ("1: T3+E, T2; 3: N, DR; sonst 2: B3", ["1: T3+E, T2; 3: N, DR", "2: B3"]),
    ("links: B3 sonst rechts: B3", ["links: B3", "rechts: B3"]),
    ("rechts: B3; links: K4", ["rechts: B3; links: K4"]),
    ("Ersatz 2: 1: B3\n2: B4", ["2: B4", "1: B3"]),
    ("1) 1: B3\n2) 2: B3", ["1: B3", "2: B3"]),
    ("1: B3 ab 2; sonst 2: B3", ["1: B3 ab 2", "2: B3"]),
    ("Kopf 2: B3; Kopf 3: N", ["Kopf 2: B3; Kopf 3: N"]),
]


@pytest.mark.parametrize(("text", "alternatives"), DIGITS)
def test_tiles_of_digits(text: str, alternatives: list[str]) -> None:
    assert [alternative.text for alternative in split(text, PLAIN)] == alternatives


@pytest.mark.parametrize(("text", "alternatives"), SNAKES)
def test_heads_with_colons(text: str, alternatives: list[str]) -> None:
    assert [alternative.text for alternative in split(text, SNAKE)] == alternatives


def test_a_numbered_fallback_is_one_where_colons_name_no_place() -> None:
    assert [alternative.text for alternative in split("E5 w HAUS\n2: C3 s MOND", PLAIN)] == ["E5 w HAUS", "C3 s MOND"]
    assert [alternative.rank for alternative in split("E5 w HAUS\n2: C3 s MOND", PLAIN)] == [None, 2]


def test_a_long_turn_that_a_mail_program_broke_behind_a_semicolon_is_one() -> None:
    lines = ["1: T3+E, T2, T2, T4, T4, T5, T5, T6, T6, T7, T7, T8, T8, T9;", "3: N, DR"]
    sheet = read_lines([Line(n, line) for n, line in enumerate(lines, start=1)], str, str, SNAKE)
    assert [line.canonical for line in sheet.orders] == [" ".join(lines)]
    short = read_lines([Line(1, "1: T3+E, T2;"), Line(2, "3: N, DR")], str, str, SNAKE)
    assert len(short.orders) == 2


def test_what_might_be_one_move_is_shown_whole_where_its_end_was_not_understood() -> None:
    def parse(text: str) -> str:
        if not re.fullmatch(r"\d: \w\d", text):
            raise Unreadable("no-square", line=text)
        return text

    (line,) = read_lines([Line(1, "Zug: 1: T3; B4 noch etwas")], parse, str, SNAKE).lines
    assert (line.status, line.text) == ("error", "Zug: 1: T3; B4 noch etwas")


STYLE = Style(
    attempt=re.compile(r"take \w|[a-z]\d", re.IGNORECASE),
    unfinished=re.compile(r"take \w+,?", re.IGNORECASE),
    chain=re.compile(r"\+"),
)


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
