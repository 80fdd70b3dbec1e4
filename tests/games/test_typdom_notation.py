"""How turns of Typ-Dom are read and written, alone and as lines of a mail."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from moderator.errors import Ambiguous, Unreadable
from moderator.games.typdom import notation
from moderator.games.typdom.board import Table, index
from moderator.games.typdom.notation import STYLE
from moderator.match.orders import read_lines, split

TABLE = Table(40, {index("H7"): "*A", index("K3"): "*N"})

SAME = [
    "T20 w EXAMEN",
    "T20 s TEX*AS",
    "AA7 w HAUS",
    "T20 w HAUS (AH, US) 14",
    "T20 s POLA + U22 w PHON",
    "T20 s POLA (AH) + U22 w PHON 18",
    "T19 s POLA + kaufe rot",
    "tausche A an H7; H9 w WORT",
    "tausche A an H7, N an K3; H9 w W*ORT + I9 s OHR",
    "tausche A an H7; kaufe schwarz",
    "tausche A an H7; passe",
    "kaufe rot",
    "kaufe 2 rot",
    "kaufe 2 rot 1 schwarz",
    "passe",
]

READ = {
    "20T waagerecht Examen": "T20 w EXAMEN",
    "t 20 across examen": "T20 w EXAMEN",
    "EXAMEN T20 w": "T20 w EXAMEN",
    "T20 → Examen": "T20 w EXAMEN",
    "20Tw Examen": "T20 w EXAMEN",
    "7AA w HAUS": "AA7 w HAUS",
    "AA 7 w HAUS": "AA7 w HAUS",
    "T20 w Müßig": "T20 w MUESSIG",
    "T20 s tex*as": "T20 s TEX*AS",
    "T20 s TEX★AS": "T20 s TEX*AS",
    "T20 s TEX(A)S": "T20 s TEX*AS",
    "T20 s (T)EXAS": "T20 s *TEXAS",
    "T20 s TEXA(S)": "T20 s TEXA*S",
    "T20 w **HAUS**": "T20 w HAUS",
    "*T20 w HAUS*": "T20 w HAUS",
    "T20 w HAUS = 8 Punkte": "T20 w HAUS 8",
    "T20 w Haus, Ah, us 14": "T20 w HAUS (AH, US) 14",
    "T20 w HAUS + AH": "T20 w HAUS (AH)",
    "POLA T20 s + PHON U22 w": "T20 s POLA + U22 w PHON",
    "T20 s POLA 8 + U22 w PHON 10": "T20 s POLA + U22 w PHON 18",
    "T20 s POLA und U22 w PHON": "T20 s POLA + U22 w PHON",
    "T20 s POLA, U22 w PHON": "T20 s POLA + U22 w PHON",
    "T20 s POLA and U22 w PHON": "T20 s POLA + U22 w PHON",
    "T20 w UND + U22 s AND": "T20 w UND + U22 s AND",
    "T20 w UND und U22 s AND": "T20 w UND + U22 s AND",
    "Tausche A an H7, H9 w WORT": "tausche A an H7; H9 w WORT",
    "ich tausche A an H7 und lege H9 w WORT": "tausche A an H7; H9 w WORT",
    "tausche den Jolly auf H7 gegen A aus; H9 w *AN": "tausche A an H7; H9 w *AN",
    "tausche H7; H9 w *AN": "tausche A an H7; H9 w *AN",
    "exchange the jolly at H7 for A, then H9 across *AN": "tausche A an H7; H9 w *AN",
    "swap a jolly at H7 for A; pass": "tausche A an H7; passe",
    "tausche A an H7; tausche N an K3; H9 w AN": "tausche A an H7, N an K3; H9 w AN",
    "T20 w TAUSCHE": "T20 w TAUSCHE",
    "TAUSCHE T20 w": "T20 w TAUSCHE",
    "KAUFE T20 w": "T20 w KAUFE",
    "T20 w PASS": "T20 w PASS",
    "buy red": "kaufe rot",
    "buy 2 red 1 black": "kaufe 2 rot 1 schwarz",
    "kaufe 2 rote und 1 schwarzen Stein": "kaufe 2 rot 1 schwarz",
    "kaufe schwarz rot rot": "kaufe 2 rot 1 schwarz",
    "kaufe 2r 1s": "kaufe 2 rot 1 schwarz",
    "ich kaufe einen roten Stein": "kaufe rot",
    "zwei rote kaufen": "kaufe 2 rot",
    "I pass": "passe",
    "Ich passe leider": "passe",
}

WRONG = {
    "": "empty-line",
    "hallo": "no-square",
    "T20 HAUS": "no-direction",
    "T20": "no-word",
    "T20 w": "no-word",
    "AO5 w HAUS": "square-off-board",
    "T41 w HAUS": "square-off-board",
    "T20 w HAUS dort": "extra-words",
    "T20 w HAUS (AH": "open-parenthesis",
    "T20 w CAFÉ": "foreign-letter",
    "T20 w HAUS 3 4": "unclear-points",
    "T20 s POLA 8 + U22 w PHON": "unclear-points",
    "T20 w HAUS + U22 w PHON + V24 w OHR": "too-many-words",
    "T20 w HAUS + tausche A an H7": "exchange-first",
    "tausche A an H7": "exchange-then",
    "tausche A; H9 w WORT": "exchange-unclear",
    "tausche AB an H7; H9 w WORT": "exchange-unclear",
    "tausche an A1; H9 w WORT": "exchange-unclear",
    "kaufe": "buy-colour",
    "kaufe blau": "buy-colour",
    "kaufe 3": "buy-colour",
    "kaufe 2 3 rot": "buy-colour",
    "kaufe A": "buy-colour",
    "kaufe rot + kaufe schwarz": "unclear-turn",
    "T20 w HAUS; passe": "unclear-turn",
    "x" * 1001: "line-too-long",
}


class Line(NamedTuple):
    number: int
    text: str


def canonical(text: str) -> str:
    return notation.write(notation.read(text, TABLE))


@pytest.mark.parametrize("text", SAME)
def test_it_prints_as_it_is_read(text: str) -> None:
    assert canonical(text) == text


@pytest.mark.parametrize("text", READ)
def test_it_is_read_in_many_forms(text: str) -> None:
    assert canonical(text) == READ[text]
    assert notation.read(READ[text], TABLE) == notation.read(text, TABLE)


@pytest.mark.parametrize("text", WRONG)
def test_what_cannot_be_read_says_why(text: str) -> None:
    with pytest.raises(Unreadable) as caught:
        notation.read(text, TABLE)
    assert caught.value.code == WRONG[text]
    assert "line" in caught.value.params


def test_a_square_beyond_the_table_names_the_last_one() -> None:
    with pytest.raises(Unreadable) as caught:
        notation.read("T20 w HAUS", Table(15))
    assert caught.value.params["last"] == "O15"


@pytest.mark.parametrize(
    ("text", "readings"),
    [("T20 quer RUNTER", ["T20 w RUNTER", "T20 s QUER"]), ("T20 U22 w HAUS", ["T20", "U22"])],
)
def test_several_readings_are_named(text: str, readings: list[str]) -> None:
    with pytest.raises(Ambiguous) as caught:
        notation.read(text, TABLE)
    assert caught.value.params["readings"] == readings


MAILS = {
    "tausche A an H7; H9 w WORT; sonst passe": ["tausche A an H7; H9 w WORT", "passe"],
    "tausche A an H7\nH9 w WORT\nsonst kaufe rot": ["tausche A an H7; H9 w WORT", "kaufe rot"],
    "tausche A an H7;\nH9 w WORT": ["tausche A an H7; H9 w WORT"],
    "tausche A an H7, dann H9 w WORT": ["tausche A an H7; H9 w WORT"],
    "Ersatz 1: tausche A an H7; H9 w WORT; Ersatz 2: kaufe rot": ["tausche A an H7; H9 w WORT", "kaufe rot"],
    "1. tausche A an H7; H9 w WORT\n2. kaufe rot": ["tausche A an H7; H9 w WORT", "kaufe rot"],
    "T20 s POLA\n+ U22 w PHON\nsonst T20 s POLA": ["T20 s POLA + U22 w PHON", "T20 s POLA"],
    "T20 s POLA + U22 w PHON; T20 w MAUS": ["T20 s POLA + U22 w PHON", "T20 w MAUS"],
    "+ T20 w HAUS\n+ T20 w MAUS": ["T20 w HAUS", "T20 w MAUS"],
    "AA7 w HAUS sonst AB8 s MAUS": ["AA7 w HAUS", "AB8 s MAUS"],
    "T20 w SONST; sonst T20 w ELSE": ["T20 w SONST", "T20 w ELSE"],
    "Hallo!\nIch tausche A an H7 und lege H9 w WORT.\nGruß, Anna": ["tausche A an H7; H9 w WORT"],
    "- T20 w TEX*AS\n- kaufe 2 rot 1 schwarz": ["T20 w TEX*AS", "kaufe 2 rot 1 schwarz"],
    "tausche A an H7; sonst passe": ["passe"],
}


@pytest.mark.parametrize("mail", MAILS)
def test_lines_of_a_mail(mail: str) -> None:
    lines = [Line(number, text) for number, text in enumerate(mail.split("\n"), start=1)]
    sheet = read_lines(lines, lambda text: notation.read(text, TABLE), notation.write, STYLE)
    assert [line.canonical for line in sheet.orders] == MAILS[mail]
    assert [canonical(alternative.text) for alternative in split(sheet.text, STYLE)] == MAILS[mail]


@pytest.mark.parametrize(
    "line",
    ["AA7 w", "tausche A an H7 bitte", "kaufe blau", "T20 w CAFÉ", "kaufe"],
)
def test_what_was_meant_as_a_turn_is_an_error(line: str) -> None:
    sheet = read_lines([Line(1, line)], lambda text: notation.read(text, TABLE), notation.write, STYLE)
    assert [one.status for one in sheet.lines] == ["error"]


@pytest.mark.parametrize(
    "line",
    [
        "Viele Grüße aus Wien", "Ich kaufe mir morgen ein neues Buch über Kreuzworträtsel, das wird schön",
        "A E I O *r B C D F", "Kauft 2 rote Steine; rote im Vorrat: 9.",
        "Gets 1 red tile; red ones in the stock: 8.", "20ǀ .  M  E  X  I  C  O  .", "Anna 53, Bert 37",
    ],
)  # fmt: skip
def test_what_was_not_meant_as_a_turn_is_only_text(line: str) -> None:
    sheet = read_lines([Line(1, line)], lambda text: notation.read(text, TABLE), notation.write, STYLE)
    assert [one for one in sheet.lines if one.status != "text"] == []
