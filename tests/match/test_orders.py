"""Order sheets as people write them, German and English."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator import games
from moderator.errors import Ambiguous, Illegal, PlayerError, Unreadable
from moderator.mail.model import Line
from moderator.match import conditions
from moderator.match.contract import Context, view_for
from moderator.match.orders import OrderSheet, canonical, pieces, read_lines, split
from moderator.match.rng import shuffler
from moderator.match.table import open_table
from moderator.match.words import AnyWords
from tests.beside import CORPORA, needs_corpora
from tests.match.toy import TOY

MOVE = re.compile(r"([a-j])\s?(\d{1,2})\s+([sw])\s+([a-zäöü]+)((?:\s*\([^)]*\))?\s*\d*)", re.I)


def parse(text: str) -> str:
    """A strict little notation: ``E5 w HAUS``, with anything in brackets and a number after it; ``passe``."""
    if text.casefold() in ("passe", "pass"):
        return "passe"
    found = MOVE.fullmatch(text)
    if found is None:
        raise (Ambiguous if "E5 E6" in text else Unreadable)("no-square", line=text)
    return f"{found[1].upper()}{found[2]} {found[3].lower()} {found[4].upper()}"


def sheet(text: str) -> OrderSheet:
    return read_lines([Line(n, line) for n, line in enumerate(text.splitlines(), start=1)], parse)


def statuses(text: str) -> list[str]:
    return [line.status for line in sheet(text).lines]


FALLBACKS = """
Ersatz: C3 s MOND
Ersatz C3 s MOND
ERSATZ: C3 s MOND
ersatz 1: C3 s MOND
Ersatz 2 C3 s MOND
Ersatz Nr. 2: C3 s MOND
Ersatz 1 - C3 s MOND
Ersatz 1) C3 s MOND
Ersatz1: C3 s MOND
Ersatzzug: C3 s MOND
Ersatzzug 2: C3 s MOND
Ersatzzug #2: C3 s MOND
Ersatzzüge: C3 s MOND
Ersatzzuege: C3 s MOND
Ersatzweise C3 s MOND
1. Ersatz: C3 s MOND
2. Ersatzzug: C3 s MOND
- Ersatz: C3 s MOND
* Ersatz 3: C3 s MOND
• sonst C3 s MOND
sonst C3 s MOND
Sonst: C3 s MOND
SONST, C3 s MOND
ansonsten C3 s MOND
andernfalls: C3 s MOND
notfalls C3 s MOND
falls nicht: C3 s MOND
falls das nicht geht: C3 s MOND
wenn nicht möglich: C3 s MOND
wenn nicht moeglich: C3 s MOND
oder: C3 s MOND
oder C3 s MOND
dann: C3 s MOND
Alternativ: C3 s MOND
Alternative 2: C3 s MOND
alt 2: C3 s MOND
Alt: C3 s MOND
Reserve: C3 s MOND
Reservezug: C3 s MOND
2. Wahl: C3 s MOND
2. C3 s MOND
2) C3 s MOND
(2) C3 s MOND
2: C3 s MOND
3.) C3 s MOND
b) C3 s MOND
else C3 s MOND
ELSE: C3 s MOND
else, C3 s MOND
otherwise C3 s MOND
Otherwise: C3 s MOND
if not: C3 s MOND
if that fails: C3 s MOND
if not possible: C3 s MOND
or C3 s MOND
or else C3 s MOND
fallback: C3 s MOND
Fallback 1: C3 s MOND
fallback move: C3 s MOND
fall-back 2: C3 s MOND
backup: C3 s MOND
2nd choice: C3 s MOND
substitute: C3 s MOND
""".strip().splitlines()
MAIN = """
C3 s MOND
c3 s mond
C 3 s MOND
C3 s MOND.
C3 s MOND!
- C3 s MOND
-C3 s MOND
* C3 s MOND
*C3 s MOND*
• C3 s MOND
– C3 s MOND
1. C3 s MOND
1) C3 s MOND
(1) C3 s MOND
a) C3 s MOND
Zug: C3 s MOND
Zug 7: C3 s MOND
ZUG: C3 s MOND
Mein Zug: C3 s MOND
Hauptzug: C3 s MOND
Zug C3 s MOND
1. Zug: C3 s MOND
1. Wahl: C3 s MOND
move: C3 s MOND
My move: C3 s MOND
Order: C3 s MOND
main: C3 s MOND
1st choice: C3 s MOND
C3 s MOND (AH; US) 12
C3 s MOND (SONST, ELSE) 12
""".strip().splitlines()


@pytest.mark.parametrize("text", FALLBACKS)
def test_fallbacks(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.canonical, line.text) == ("fallback", "C3 s MOND", text)
    (alternative,) = split(text)
    assert (alternative.text, alternative.fallback) == ("C3 s MOND", True)


@pytest.mark.parametrize("text", MAIN)
def test_main_moves(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.canonical) == ("move", "C3 s MOND")
    (alternative,) = split(text)
    assert not alternative.fallback


@pytest.mark.parametrize(
    "text",
    [
        "E5 w HAUS; C3 s MOND",
        "E5 w HAUS; sonst C3 s MOND",
        "E5 w HAUS (AH) 12; sonst C3 s MOND",
        "E5 w HAUS sonst C3 s MOND",
        "E5 w HAUS, sonst C3 s MOND",
        "E5 w HAUS. Sonst C3 s MOND.",
        "E5 w HAUS / sonst: C3 s MOND",
        "E5 w HAUS - Ersatz: C3 s MOND",
        "E5 w HAUS Ersatz 1: C3 s MOND",
        "E5 w HAUS; Ersatzzug C3 s MOND;",
        "E5 w HAUS else C3 s MOND",
        "E5 w HAUS, otherwise C3 s MOND",
        "E5 w HAUS or C3 s MOND",
        "E5 w HAUS oder C3 s MOND",
        "E5 w HAUS alternativ C3 s MOND",
        "1. E5 w HAUS 2. C3 s MOND",
        "1) E5 w HAUS; 2) C3 s MOND",
        "E5 w HAUS\nC3 s MOND",
        "E5 w HAUS\nErsatz 1: C3 s MOND",
        "Hallo!\n\nE5 w HAUS\n\nErsatzzüge:\n- C3 s MOND\n\nGruß",
        "Ersatz: C3 s MOND\nE5 w HAUS",
    ],
)
def test_main_move_and_fallback(text: str) -> None:
    assert sheet(text).text == "E5 w HAUS; sonst C3 s MOND"
    assert [line.status for line in sheet(text).orders] == ["move", "fallback"]


@pytest.mark.parametrize(
    "word", ["SONST", "ELSE", "ERSATZ", "ERSATZZUG", "OR", "ODER", "DANN", "RESERVE", "ALT", "PASS"]
)
def test_markers_are_words_too(word: str) -> None:
    order = f"E5 w {word}; sonst C3 s {word}"
    assert [a.text for a in split(order)] == [f"E5 w {word}", f"C3 s {word}"]
    assert sheet(f"E5 w {word}").text == f"E5 w {word}"
    assert sheet(f"E5 w {word} 12").text == f"E5 w {word}"
    assert sheet(f"E5 w {word} sonst C3 s {word}").text == order


@pytest.mark.parametrize(
    "text",
    [
        "Hallo Anna,",
        "Viele Grüße",
        "Wie Du schriebst: Ersatz bitte auch.",
        "Sonst ist alles gut hier.",
        "Am 3. Mai bin ich weg",
        "Pass auf dich auf!",
        "Am Sonntag bin ich weg, daher jetzt schon:",
        "Meine Züge:",
        "Ersatzzüge:",
        "um 18h geht es los",
        "Ich tausche gerne mal mit dir Briefmarken",
        "…",
    ],
)
def test_remarks(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.text) == ("text", text)
    assert sheet(text).text == ""


@pytest.mark.parametrize(
    "text",
    [
        "E5 x HAUS",
        "5E HAUS",
        "E5",
        "Ich lege HAUS auf E5",
        "haus auf e5",
        "E 5 HAUS",
        "tausche A, B",
        "passe ich",
        "exchange ABC",
        "Ersatz: haus",
        "Ersatz 2: irgendwas",
        "Ersatz HAUS",
        "Zug: haus",
        "64 an L",
        "345 an 7",
    ],
)
def test_attempts_are_errors(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.text) == ("error", text)
    assert line.error is not None
    assert line.error.code == "no-square"


def test_one_wrong_line_never_drops_the_others() -> None:
    text = "Hallo,\nE5 x HAUS\nG7 s HAUS\nErsatz 1: H3 TOR\nErsatz 2: passe\nGruß"
    assert statuses(text) == ["text", "error", "move", "error", "fallback", "text"]
    assert [line.number for line in sheet(text).lines] == [1, 2, 3, 4, 5, 6]
    assert sheet(text).text == "G7 s HAUS; sonst passe"
    assert [line.text for line in sheet(text).errors] == ["E5 x HAUS", "Ersatz 1: H3 TOR"]


def test_ambiguous_lines_are_errors_too() -> None:
    (line,) = sheet("E5 E6 w HAUS").lines
    assert isinstance(line.error, Ambiguous)


def test_numbers_sort_among_themselves() -> None:
    text = "Ersatz 3: C3 s C\nErsatz 1: A1 s A\nE5 w HAUS\nD4 w D\nErsatz 2: B2 s B"
    assert sheet(text).text == "E5 w HAUS; sonst A1 s A; sonst B2 s B; sonst D4 w D; sonst C3 s C"
    assert [a.text for a in split(text)] == ["E5 w HAUS", "A1 s A", "B2 s B", "D4 w D", "C3 s C"]


def test_only_fallbacks_are_an_order_without_a_main_move() -> None:
    assert statuses("Ersatzzüge:\nC3 s MOND\npasse") == ["text", "fallback", "fallback"]
    assert sheet("Ersatz 2: passe\nErsatz 1: C3 s MOND").text == "C3 s MOND; sonst passe"


def test_after_a_fallback_the_rest_of_the_line_is_fallback() -> None:
    assert statuses("Ersatz: C3 s MOND; D4 w HUT") == ["fallback", "fallback"]
    assert statuses("Ersatz: C3 s MOND; D4 w HUT\nE5 w HAUS") == ["fallback", "fallback", "move"]


def test_a_broken_line_is_put_together() -> None:
    long = "E5 w HAUS (AH, US, SEHR) 12; sonst C3 s MOND (OH, JA, NEIN) 14; sonst D4 w"
    assert sheet(f"{long}\nHUT").text == "E5 w HAUS; sonst C3 s MOND; sonst D4 w HUT"
    assert statuses("E5 w HAUS; sonst D4 w\nAnna") == ["move", "error", "text"], "a short line is broken by its author"


def test_canonical_reads_back() -> None:
    text = canonical(["HAUS", "SONST", "pass"], TOY)
    assert text == "A1 HAUS; sonst A1 SONST; sonst pass"
    assert [a.text for a in split(text)] == ["A1 HAUS", "A1 SONST", "pass"]


def test_a_very_long_order_keeps_every_alternative() -> None:
    order = "; sonst ".join(f"E5 w {'WORT' * (n % 5 + 1)}" for n in range(1000))
    assert "; sonst ".join(a.text for a in split(order)) == order


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["(" * 30_000, "Ersatz " * 10_000, "- " * 50_000, "E5 " * 30_000, ";" * 100_000, " " * 9999]
)
def test_hostile_texts_are_read_at_once(text: str) -> None:
    import time

    begun = time.process_time()
    sheet(text)
    split(text)
    assert time.process_time() - begun < 2


WORDS = [
    "Ersatz",
    "2:",
    "sonst",
    "E5",
    "w",
    "HAUS",
    ";",
    "-",
    "passe",
    "\n",
    "(",
    ")",
    "*",
    "Zug:",
    "1.",
    "tausche",
    "ä",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_gives_a_sheet(text: str) -> None:
    found = read_lines([Line(n, line) for n, line in enumerate(text.split("\n"), start=1)], parse)
    assert {line.status for line in found.lines} <= {"move", "fallback", "error", "text"}
    assert sum(line.status == "move" for line in found.lines) <= 1
    for line in found.lines:
        assert (line.error is not None) == (line.status == "error")
        assert bool(line.canonical) == (line.status in ("move", "fallback"))
    assert [line.canonical for line in sheet(found.text).orders] == [line.canonical for line in found.orders]
    assert sorted(a.text for a in split(text)) == sorted(a.text for a in pieces(text))


LAID = st.sampled_from(
    [
        "HAUS",
        "SONST",
        "ELSE",
        "ERSATZ",
        "ERSATZZUG",
        "OR",
        "ODER",
        "DANN",
        "ALT",
        "ALTERNATIVE",
        "FALLBACK",
        "IF",
        "ZUG",
    ]
)


@st.composite
def notations(draw: st.DrawFn) -> str:
    """Canonical moves of Topwords, with the words that are markers, too."""
    named = draw(st.lists(LAID, max_size=2))
    bracket = f" ({', '.join(named)})" if named else ""
    points = draw(st.sampled_from(["", " 2", " 12", " 123"]))
    square = f"{draw(st.sampled_from('ABCDEFGHIJ'))}{draw(st.integers(1, 10))}"
    return f"{square} {draw(st.sampled_from('ws'))} {draw(LAID)}{bracket}{points}"


@given(st.lists(notations() | st.sampled_from(["passe", "tausche A O R"]), max_size=5))
def test_canonical_orders_read_back(moves: list[str]) -> None:
    assert [a.text for a in split("; sonst ".join(moves))] == moves


def test_the_error_of_the_parser_is_kept() -> None:
    def refuse(text: str) -> str:
        raise PlayerError("no-square", line=text)

    (line,) = read_lines([Line(4, "Ersatz 1: E5 w HAUS")], refuse).lines
    assert (line.number, line.rank) == (4, 1)
    assert line.error is not None
    assert line.error.params == {"line": "E5 w HAUS"}


@needs_corpora
def test_the_same_order_in_every_mail_of_the_corpus() -> None:
    """What the mail reader should find in 20 German mail programs' mails, read with the real game's notation."""
    game = games.load("topwords")
    table, _ = open_table(game, 2, game.options(), Context(AnyWords(), shuffler(bytes(32))))
    view = view_for(table.state, 0)
    for path in sorted(CORPORA.glob("own-german/*.expected.txt")):
        text = path.read_text(encoding="utf-8")
        lines = [Line(n, line) for n, line in enumerate(text.splitlines(), start=1)]
        found = read_lines(lines, lambda line: game.parse(line, view), game.format)
        # One of the mails has no third move.
        expected = [move for move in ("G7 s HAUS", "H3 w TOR", "passe") if move in text]
        assert len(expected) >= 2, path.name
        assert [line.canonical for line in found.orders] == expected, path.name
        assert found.errors == (), path.name


@pytest.mark.parametrize(
    "line",
    [
        "Änderung: E5 w HAUS",
        "Aenderung: E5 w HAUS",
        "Zugänderung: E5 w HAUS",
        "change: E5 w HAUS",
        "Changed move: E5 w HAUS",
        "Korrektur: E5 w HAUS",
        "correction: E5 w HAUS",
        "neuer Zug: E5 w HAUS",
        "Zug: E5 w HAUS",
        "move: E5 w HAUS",
    ],
)
def test_words_of_somebody_who_has_thought_of_another_move(line: str) -> None:
    (found,) = pieces(line)
    assert (found.text, found.marked, found.fallback) == ("E5 w HAUS", True, False)


def test_change_without_a_square_exchanges_tiles() -> None:
    assert [piece.text for piece in pieces("change: X G")] == ["change: X G"]


@pytest.mark.parametrize(
    "text",
    [
        "64@L ab 10",
        "64@L, ab 10 Punkte",
        "64@L (ab 10)",
        "64@L from 10",
        "64@L at least 10 points",
        "64@L >= 10",
        "64@L nur ab 10 Pkt.",
        "64@L mindestens 10",
        "64@L falls mind. 10 Punkte",
    ],
)
def test_a_condition_is_taken_off(text: str) -> None:
    assert conditions.take(text) == ("64@L", 10)


@pytest.mark.parametrize("text", ["64@L", "64 an 4", "ab 10", "64@L 10", "225@8", "grab 10"])
def test_what_is_no_condition_stays(text: str) -> None:
    assert conditions.take(text) == (text, None)


def test_it_prints_as_it_is_read() -> None:
    assert conditions.take("225@8" + conditions.write(40)) == ("225@8", 40)
    assert conditions.write(None) == ""


def test_too_few_points() -> None:
    conditions.check(10, 10)
    conditions.check(None, -3)
    with pytest.raises(Illegal) as raised:
        conditions.check(10, 9)
    assert (raised.value.code, raised.value.params) == ("scores-less", {"points": 9, "at_least": 10})


@pytest.mark.parametrize(
    "text",
    [
        "nach Ziehen: bester",
        "Nach dem Ziehen den besten",
        "NACH ZIEHEN bester Platz",
        "after drawing: best",
        "after the draw: the best place.",
        "after draw best move",
    ],
)
def test_the_standing_order(text: str) -> None:
    assert conditions.read_after_draw(text) == conditions.AfterDraw()


@pytest.mark.parametrize("text", ["nach Ziehen", "bester", "64@L", "nach Ziehen: 64@L", ""])
def test_what_is_no_standing_order(text: str) -> None:
    assert conditions.read_after_draw(text) is None
