"""One canonical notation, and everything that people write instead of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.errors import Ambiguous, PlayerError, Unreadable
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.state import NAMES, Extension, Move
from moderator.match import orders
from moderator.match.contract import view_for
from tests.games.domijongg_table import table
from tests.games.tables import spelled

VIEW = view_for(table("B3 K4 DR", "DW"), 0)


def read(line: str) -> str:
    return GAME.format(GAME.parse(line, VIEW))


@pytest.mark.parametrize(
    ("line", "canonical"),
    spelled({
        "2: B3": [
            "2: B3", "rechts: B3", "rechts B3", "B3 rechts", "b3 right", "B3@2", "B3 @ 2", "B3 an 2", "B3 an Kopf 2",
            "an 2 B3", "Kopf 2: B3", "head 2: B3", "Kopf 2 B3", "2 : b 3", "2 = B3", "lege B3 rechts",
            "ich lege den B3 an 2.", "I play B3 on the right", "2: Bambus 3", "2: bamboo 3", "2: 3 Bambus",
            "2: Bambus-3",
        ],
        "1: B3": ["links: B3", "LINKS B3", "left: B3", "L: B3", "B3 links an", "Ich lege links B3 an"],
        "10: B3": ["B3 at head 10"],
        "3: N, DR": ["lege an Kopf 3 Nord, DR an"],
        "2: K3, K4": ["2: Kreis 3, Kreise 4"],
        "2: K3, K4, K5": ["2: circle 3, dot 4, circles 5"],
        "2: T3, T4": ["2: Tausend 3, Tausender 4", "2: character 3, thousand 4"],
        "2: E, S, W, N": ["2: Ost, Süd, West, Nord", "2: O, SUED, W, N", "2: east, south, west wind, north"],
        "2: E, N": ["2: Ostwind, Nord Wind"],
        "2: DR, DG, DW": [
            "2: roter Drache, Drache grün, weiß", "2: red dragon, green, white dragon", "2: ROT, GRUEN, WEISS",
        ],
        "2: F2, J4": ["2: Blume 2, Jahreszeit 4", "2: flower 2, season 4"],
        "2: J3": ["2: die 3. Jahreszeit"],
        "1: T3+E, T2; 3: N, DR": [
            "1: T3+E, T2; 3: N, DR", "1: T3 + Ost, T2 ; 3 : Nord DR", "links: T3&E T2; Kopf 3 N, dann DR",
        ],
        "1: T3+E, T2; 3: N": ["1: T3+E; 1: T2; 3: N"],
        "2: T3, T3": ["rechts: T3 T3"],
        "2: T3, T2, T1": ["rechts: T3 > T2 - T1"],
        "2: T3, T2": ["rechts: t3t2"],
        "2: B3 ab 2": ["2: B3 ab 2"],
        "2: B3, T3 ab 3": ["2: B3, T3 (at least 3 points)"],
        "2: B3 ab 1": ["2: B3 mind. 1"],
        "1: F3, B3+E, B2; 3: S ab 4": ["1: F3; 1: B3+E, B2; 3: S ab 4"],
    }),
)  # fmt: skip
def test_spellings(line: str, canonical: str) -> None:
    assert read(line) == canonical
    assert read(line.upper()) == canonical
    assert read(line.lower()) == canonical


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("", "empty-line"), ("; ;", "empty-line"), ("B3", "no-head"), ("B3 K4 DR", "no-head"),
        ("B3, K4, DR", "no-head"), ("B3 2", "no-head"), ("2 B3", "no-head"), ("0", "no-head"), ("B3 an", "no-head"),
        ("an", "no-head"), ("@", "no-head"), ("B3 an X", "no-head"), ("Kopf: B3", "no-head"), ("2:", "no-tile"),
        ("rechts", "no-tile"), ("2: B0", "unknown-tile"), ("2: B", "unknown-tile"), ("2: F5", "unknown-tile"),
        ("2: X3", "unknown-tile"), ("2: DB", "unknown-tile"), ("2: Hallo", "unknown-tile"), ("2: 3", "unknown-tile"),
        ("2: B3,", "unfinished"), ("2: , B3", "unfinished"), ("2: B3 +", "unfinished"),
        ("2: B3 + + E", "unfinished"), ("2: +B3", "unfinished"), ("1: T3+E+N", "fork-of-three"),
        ("123: B3", "head-too-large"), ("99999999999: B3", "head-too-large"),
        ("nach Ziehen: bester", "no-standing-order"), ("after the draw: best", "no-standing-order"),
        ("passe", "no-pass"), ("ich ziehe", "no-pass"), ("Kopf 1 (links) ǀ K3 · J3", "our-line"),
        ("1: K3 · J3", "our-line"), ("»2: B3«", "our-line"), ("2: B3 " + "x" * 1000, "line-too-long"),
    ],
)  # fmt: skip
def test_what_is_no_turn(line: str, code: str) -> None:
    with pytest.raises(Unreadable) as raised:
        GAME.parse(line, VIEW)
    assert raised.value.code == code
    assert "line" in raised.value.params


@pytest.mark.parametrize("line", ["1: T3 und Ost", "1: T3/E", "left: T3 and E"])
def test_chain_or_fork(line: str) -> None:
    with pytest.raises(Ambiguous) as raised:
        GAME.parse(line, VIEW)
    assert raised.value.params == {"line": line, "readings": ["1: T3, E", "1: T3+E"]}


ITEMS = st.one_of(st.tuples(st.sampled_from(NAMES)), st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)))
PARTS = st.lists(
    st.tuples(st.integers(1, 10), st.lists(ITEMS, min_size=1, max_size=5)),
    min_size=1,
    max_size=4,
    unique_by=lambda part: part[0],
)


@given(parts=PARTS, at_least=st.none() | st.integers(0, 99))
def test_it_prints_as_it_is_read(parts: list[Any], at_least: int | None) -> None:
    move = Move(tuple(Extension(head, tuple(items)) for head, items in parts), at_least)
    text = GAME.format(move)
    assert GAME.parse(text, VIEW) == move
    assert len(orders.split(text, GAME.style)) == 1
    assert orders.split(text, GAME.style)[0].text == text
    assert orders.canonical([move, move], GAME) == f"{text}; sonst {text}"
    assert [one.text for one in orders.split(f"{text}; sonst {text}", GAME.style)] == [text, text]


@given(st.text(alphabet="12345 :;,+@BKTEFJDRGWNOSan()\u01c0.-\nKopflinksrechtsab", max_size=50))
def test_any_line_is_a_turn_or_an_error(line: str) -> None:
    try:
        move = GAME.parse(line, VIEW)
    except PlayerError:
        return
    assert GAME.parse(GAME.format(move), VIEW) == move


# ---- in a mail ----


@dataclass(frozen=True)
class Line:
    number: int
    text: str


def sheet(text: str) -> orders.OrderSheet:
    lines = [Line(n, line) for n, line in enumerate(text.splitlines(), start=1)]
    return orders.read_lines(lines, lambda line: GAME.parse(line, VIEW), GAME.format, GAME.style)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("1: T3+E, T2; 3: N, DR", ["1: T3+E, T2; 3: N, DR"]),
        ("1: T3+E, T2; 3: N, DR; sonst 2: B3", ["1: T3+E, T2; 3: N, DR", "2: B3"]),
        ("1: T3+E;3: N; sonst rechts B3; sonst B4@1 ab 1", ["1: T3+E; 3: N", "2: B3", "1: B4 ab 1"]),
        ("links: T3+E; Kopf 3: N", ["1: T3+E; 3: N"]),
        ("2: B3\n1: K4", ["2: B3", "1: K4"]),
        ("2: B3\nsonst 1: K4\nErsatz: 1: E", ["2: B3", "1: K4", "1: E"]),
        ("2: B3 sonst 1: K4", ["2: B3", "1: K4"]),
        ("2: B3; else left: K4", ["2: B3", "1: K4"]),
        ("1. 2: B3\n2. 1: K4", ["2: B3", "1: K4"]),
        ("- 10: B3", ["10: B3"]),
        ("Zug: 2: B3", ["2: B3"]),
        ("Ersatz 1: 2: B3\nErsatz 2: 1: K4", ["2: B3", "1: K4"]),
        ("Hallo zusammen,\n\nB3 rechts\n\nGruß\nAnna", ["2: B3"]),
        ("Bambus 3 rechts", ["2: B3"]),
    ],
)
def test_the_lines_of_a_mail(text: str, read: list[str]) -> None:
    assert [line.canonical for line in sheet(text).orders] == read
    assert sheet(text).errors == ()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2: B3, X9", "unknown-tile"), ("B3", "no-head"), ("B3 K4", "no-head"), ("1: T3 und E", "chain-or-fork"),
        ("nach Ziehen: bester", "no-standing-order"), ("rechts: Bambus", "unknown-tile"), ("passe", "no-pass"),
    ],
)  # fmt: skip
def test_a_line_that_was_meant_as_a_turn_is_answered(text: str, code: str) -> None:
    (line,) = sheet(f"Hallo!\n{text}").errors
    assert line.error is not None
    assert line.error.code == code


def test_both_readings_of_a_doubtful_end_keep_what_stands_before_it() -> None:
    (line,) = sheet("1: T2, T3 und E").errors
    assert isinstance(line.error, Ambiguous)
    assert line.error.params["readings"] == ["1: T2, T3, E", "1: T2, T3+E"]


@pytest.mark.parametrize(
    "text", ["Bis 10: dann", "Links: siehe unten", "Um 18:30 bin ich da", "Heute West rechts?!", "3: Danke"]
)
def test_chat_is_no_order(text: str) -> None:
    assert sheet(text).orders == ()


def test_two_heads_after_a_semicolon_are_one_order() -> None:
    """Not a silent fallback: the player hears that a turn goes to one head."""
    assert [alternative.text for alternative in orders.split("1: B3; 2: K4", GAME.style)] == ["1: B3; 2: K4"]
