"""Order sheets as people write them, German and English: a move is read in whatever friendly words it stands,
dictated and with its blanks missed; never as another move."""

import itertools
import re
from string import ascii_uppercase
from typing import Any

import pytest

from moderator.common.errors import Ambiguous, Illegal, PlayerError, Unreadable
from moderator.common.mails import Line
from moderator.games import REGISTRY, load_game
from moderator.rules.game import PLAIN, Game, State, Style
from moderator.rules.orders import conditions
from moderator.rules.orders.forgiving import NUMBER_OF, is_greeting_line
from moderator.rules.orders.markers import find_joint
from moderator.rules.orders.parse import (
    ParsedOrders,
    list_alternatives,
    parse_order_lines,
    split_alternatives,
)
from moderator.rules.state import View, view_for
from tests.games import domijongg_table
from tests.games.matches import TABLES, a_match

MOVE = re.compile(r"([a-j])\s?(\d{1,2})\s+([sw])\s+([a-zäöü]+)((?:\s*\([^)]*\))?\s*\d*)", re.I)


def parse(text: str) -> str:
    """A strict little notation: ``E5 w HAUS``, with anything in brackets and a number after it; ``passe``."""
    if text.casefold() in ("passe", "pass"):
        return "passe"
    found = MOVE.fullmatch(text)
    if found is None:
        raise (Ambiguous if "E5 E6" in text else Unreadable)("no-square", line=text)
    return f"{found[1].upper()}{found[2]} {found[3].lower()} {found[4].upper()}"


def sheet(text: str) -> ParsedOrders:
    return parse_order_lines([Line(n, line) for n, line in enumerate(text.splitlines(), start=1)], parse)


def statuses(text: str) -> list[str]:
    return [line.status for line in sheet(text).lines]


FALLBACKS = (
    "Ersatz: ", "Ersatz ", "ERSATZ: ", "ersatz 1: ", "Ersatz 2 ", "Ersatz Nr. 2: ", "Ersatz 1 - ", "Ersatz 1) ",
    "Ersatz1: ", "Ersatzzug: ", "Ersatzzug 2: ", "Ersatzzug #2: ", "Ersatzzüge: ", "Ersatzzuege: ", "Ersatzweise ",
    "1. Ersatz: ", "2. Ersatzzug: ", "- Ersatz: ", "* Ersatz 3: ", "• sonst ", "sonst ", "Sonst: ", "SONST, ",
    "ansonsten ", "andernfalls: ", "notfalls ", "falls nicht: ", "falls das nicht geht: ", "wenn nicht möglich: ",
    "wenn nicht moeglich: ", "oder: ", "oder ", "dann: ", "Alternativ: ", "Alternative 2: ", "alt 2: ", "Alt: ",
    "Reserve: ", "Reservezug: ", "2. Wahl: ", "2. ", "2) ", "(2) ", "2: ", "3.) ", "b) ", "else ", "ELSE: ",
    "else, ", "otherwise ", "Otherwise: ", "if not: ", "if that fails: ", "if not possible: ", "or ", "or else ",
    "fallback: ", "Fallback 1: ", "fallback move: ", "fall-back 2: ", "backup: ", "2nd choice: ", "substitute: ",
)  # fmt: skip
"""Beginnings of a line that make the move behind them a fallback."""
MAIN = (
    "- ", "-", "* ", "• ", "– ", "1. ", "1) ", "(1) ", "a) ", "Zug: ", "Zug 7: ", "ZUG: ", "Mein Zug: ",
    "Hauptzug: ", "Zug ", "1. Zug: ", "1. Wahl: ", "move: ", "My move: ", "Order: ", "main: ", "1st choice: ",
)  # fmt: skip
"""Such that leave it the main move."""
WRITTEN = (
    "c3 s mond", "C 3 s MOND", "C3 s MOND.", "C3 s MOND!", "*C3 s MOND*", "C3 s MOND (AH; US) 12",
    "C3 s MOND (SONST, ELSE) 12",
)  # fmt: skip


@pytest.mark.parametrize("begin", FALLBACKS)
def test_words_that_begin_a_fallback(begin: str) -> None:
    text = f"{begin}C3 s MOND"
    (line,) = sheet(text).lines
    assert (line.status, line.canonical, line.text) == ("fallback", "C3 s MOND", text)
    (alternative,) = list_alternatives(text)
    assert (alternative.text, alternative.fallback) == ("C3 s MOND", True)


@pytest.mark.parametrize("text", ["C3 s MOND", *(f"{begin}C3 s MOND" for begin in MAIN), *WRITTEN])
def test_what_is_a_main_move(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.canonical) == ("move", "C3 s MOND")
    (alternative,) = list_alternatives(text)
    assert not alternative.fallback


@pytest.mark.parametrize(
    "text",
    [
        "E5 w HAUS; C3 s MOND", "E5 w HAUS; sonst C3 s MOND", "E5 w HAUS (AH) 12; sonst C3 s MOND",
        "E5 w HAUS sonst C3 s MOND", "E5 w HAUS, sonst C3 s MOND", "E5 w HAUS. Sonst C3 s MOND.",
        "E5 w HAUS / sonst: C3 s MOND", "E5 w HAUS - Ersatz: C3 s MOND", "E5 w HAUS Ersatz 1: C3 s MOND",
        "E5 w HAUS; Ersatzzug C3 s MOND;", "E5 w HAUS else C3 s MOND", "E5 w HAUS, otherwise C3 s MOND",
        "E5 w HAUS or C3 s MOND", "E5 w HAUS oder C3 s MOND", "E5 w HAUS alternativ C3 s MOND",
        "1. E5 w HAUS 2. C3 s MOND", "1) E5 w HAUS; 2) C3 s MOND", "E5 w HAUS\nC3 s MOND",
        "E5 w HAUS\nErsatz 1: C3 s MOND", "Hallo!\n\nE5 w HAUS\n\nErsatzzüge:\n- C3 s MOND\n\nGruß",
        "Ersatz: C3 s MOND\nE5 w HAUS",
    ],
)  # fmt: skip
def test_a_main_move_and_a_fallback_are_told_apart(text: str) -> None:
    assert sheet(text).text == "E5 w HAUS; sonst C3 s MOND"
    assert [line.status for line in sheet(text).orders] == ["move", "fallback"]


@pytest.mark.parametrize(
    "word", ["SONST", "ELSE", "ERSATZ", "ERSATZZUG", "OR", "ODER", "DANN", "RESERVE", "ALT", "PASS"]
)
def test_markers_are_words_too(word: str) -> None:
    order = f"E5 w {word}; sonst C3 s {word}"
    assert [a.text for a in list_alternatives(order)] == [f"E5 w {word}", f"C3 s {word}"]
    assert sheet(f"E5 w {word}").text == f"E5 w {word}"
    assert sheet(f"E5 w {word} 12").text == f"E5 w {word}"
    assert sheet(f"E5 w {word} sonst C3 s {word}").text == order


@pytest.mark.parametrize(
    "text",
    [
        "Hallo Anna,", "Viele Grüße", "Wie Du schriebst: Ersatz bitte auch.", "Sonst ist alles gut hier.",
        "Am 3. Mai bin ich weg", "Pass auf dich auf!", "Am Sonntag bin ich weg, daher jetzt schon:", "Meine Züge:",
        "Ersatzzüge:", "um 18h geht es los", "Ich tausche gerne mal mit dir Briefmarken", "…",
    ],
)  # fmt: skip
def test_remarks_are_no_orders(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.text) == ("text", text)
    assert sheet(text).text == ""


@pytest.mark.parametrize(
    "text",
    [
        "E5 x HAUS", "5E HAUS", "E5", "Ich lege HAUS auf E5", "haus auf e5", "E 5 HAUS", "tausche A, B", "passe ich",
        "exchange ABC", "Ersatz: haus", "Ersatz 2: irgendwas", "Ersatz HAUS", "Zug: haus", "64 an L", "345 an 7",
    ],
)  # fmt: skip
def test_attempts_are_errors(text: str) -> None:
    (line,) = sheet(text).lines
    assert (line.status, line.text) == ("error", text)
    assert line.error is not None
    assert line.error.code == "no-square"


def test_one_wrong_line_drops_no_other_and_is_told_as_the_parser_tells_it() -> None:
    text = "Hallo,\nE5 x HAUS\nG7 s HAUS\nErsatz 1: H3 TOR\nErsatz 2: passe\nGruß"
    assert statuses(text) == ["text", "error", "move", "error", "fallback", "text"]
    assert [line.number for line in sheet(text).lines] == [1, 2, 3, 4, 5, 6]
    assert sheet(text).text == "G7 s HAUS; sonst passe"
    assert [line.text for line in sheet(text).errors] == ["E5 x HAUS", "Ersatz 1: H3 TOR"]
    (line,) = sheet("E5 E6 w HAUS").lines
    assert isinstance(line.error, Ambiguous)

    def refuse(text: str) -> str:
        raise PlayerError("no-square", line=text)

    (line,) = parse_order_lines([Line(4, "Ersatz 1: E5 w HAUS")], refuse).lines
    assert (line.number, line.rank) == (4, 1)
    assert line.error is not None
    assert line.error.params == {"line": "E5 w HAUS"}


def test_fallbacks_sort_by_their_numbers_and_need_no_main_move() -> None:
    text = "Ersatz 3: C3 s C\nErsatz 1: A1 s A\nE5 w HAUS\nD4 w D\nErsatz 2: B2 s B"
    assert sheet(text).text == "E5 w HAUS; sonst A1 s A; sonst B2 s B; sonst D4 w D; sonst C3 s C"
    assert [a.text for a in list_alternatives(text)] == ["E5 w HAUS", "A1 s A", "B2 s B", "D4 w D", "C3 s C"]
    assert statuses("Ersatzzüge:\nC3 s MOND\npasse") == ["text", "fallback", "fallback"]
    assert sheet("Ersatz 2: passe\nErsatz 1: C3 s MOND").text == "C3 s MOND; sonst passe"
    assert statuses("Ersatz: C3 s MOND; D4 w HUT") == ["fallback", "fallback"]
    assert statuses("Ersatz: C3 s MOND; D4 w HUT\nE5 w HAUS") == ["fallback", "fallback", "move"]


def test_a_broken_line_is_put_together_and_a_long_order_reads_back() -> None:
    long = "E5 w HAUS (AH, US, SEHR) 12; sonst C3 s MOND (OH, JA, NEIN) 14; sonst D4 w"
    assert sheet(f"{long}\nHUT").text == "E5 w HAUS; sonst C3 s MOND; sonst D4 w HUT"
    assert statuses("E5 w HAUS; sonst D4 w\nAnna") == ["move", "error", "text"], "a short line is broken by its author"
    order = "; sonst ".join(f"E5 w {'WORT' * (n % 5 + 1)}" for n in range(1000))
    assert "; sonst ".join(a.text for a in list_alternatives(order)) == order


@pytest.mark.parametrize(
    "line",
    [
        "Änderung: E5 w HAUS", "Aenderung: E5 w HAUS", "Zugänderung: E5 w HAUS", "change: E5 w HAUS",
        "Changed move: E5 w HAUS", "Korrektur: E5 w HAUS", "correction: E5 w HAUS", "neuer Zug: E5 w HAUS",
        "Zug: E5 w HAUS", "move: E5 w HAUS",
    ],
)  # fmt: skip
def test_words_of_somebody_who_has_thought_of_another_move(line: str) -> None:
    (found,) = split_alternatives(line)
    assert (found.text, found.marked, found.fallback) == ("E5 w HAUS", True, False)
    assert [piece.text for piece in split_alternatives("change: X G")] == ["change: X G"], (
        "without a square it exchanges tiles"
    )


@pytest.mark.parametrize(
    "text",
    [
        "64@L ab 10", "64@L, ab 10 Punkte", "64@L (ab 10)", "64@L from 10", "64@L at least 10 points", "64@L >= 10",
        "64@L nur ab 10 Pkt.", "64@L mindestens 10", "64@L falls mind. 10 Punkte",
    ],
)  # fmt: skip
def test_a_condition_is_taken_off(text: str) -> None:
    assert conditions.take(text) == ("64@L", 10)


def test_a_condition_prints_as_it_is_read_refuses_fewer_points_and_is_nothing_else() -> None:
    assert conditions.take("225@8" + conditions.write(40)) == ("225@8", 40)
    assert conditions.write(None) == ""
    conditions.check(10, 10)
    conditions.check(None, -3)
    with pytest.raises(Illegal) as raised:
        conditions.check(10, 9)
    assert (raised.value.code, raised.value.params) == ("scores-less", {"points": 9, "at_least": 10})
    for text in ("64@L", "64 an 4", "ab 10", "64@L 10", "225@8", "grab 10"):
        assert conditions.take(text) == (text, None)
    for text in ("nach Ziehen", "bester", "64@L", "nach Ziehen: 64@L", ""):
        assert conditions.read_after_draw(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "nach Ziehen: bester", "Nach dem Ziehen den besten", "NACH ZIEHEN bester Platz", "after drawing: best",
        "after the draw: the best place.", "after draw best move",
    ],
)  # fmt: skip
def test_the_standing_order_is_read(text: str) -> None:
    assert conditions.read_after_draw(text) == conditions.AfterDraw()


# ---- tile games: digits, colons and semicolons mean something else there than in a word game ----

SNAKE = Style(
    attempt=re.compile(r"(?:\d{1,2}|links|rechts)\s*:", re.IGNORECASE),
    joined=re.compile(r"(?:kopf\s*)?\d{1,2}\s*:|(?:links|rechts)\b", re.IGNORECASE),
    colon_numbers=False,
)
DIGITS = [
    ("64@L", ["64@L"]),
    ("6-4 links; sonst 31 an 6", ["6-4 links", "31 an 6"]),
    ("1. 64@L 2. 31@R", ["64@L", "31@R"]),
    ("Ersatz 2: 6-1 rechts\nErsatz 1: 64@L", ["64@L", "6-1 rechts"]),
    ("64 an 4 oder 31 an 6", ["64 an 4", "31 an 6"]),
    ("64@L sonst nach Ziehen: bester", ["64@L", "nach Ziehen: bester"]),
    ("225@(1,0); sonst 225@(2,0)", ["225@(1,0)", "225@(2,0)"]),
    ("Mein Zug: 2-2-5 an 8, falls nicht 3-4-4 an 7", ["2-2-5 an 8", "3-4-4 an 7"]),
    ("lege 64 links an, sonst 31 an 6", ["lege 64 links an", "31 an 6"]),
    ("6:4 links", ["6:4 links"]),
]
PARTED = Style(
    attempt=re.compile(r"take \w|[a-z]\d", re.IGNORECASE),
    unfinished=re.compile(r"take \w+,?", re.IGNORECASE),
    chain=re.compile(r"\+"),
)
PARTS = [
    ("take A; sonst C3 s MOND", ["take A", "C3 s MOND"]),
    ("take A; take B; B2 w HAUS", ["take A; take B; B2 w HAUS"]),
    ("B2 w HAUS, then C3 s MOND", ["B2 w HAUS", "C3 s MOND"]),
    ("take A\n\nB2 w HAUS", ["take A", "B2 w HAUS"]),
]
CITED = [
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
]
"""What is cited in the middle of a line is not cut."""


def texts(order: str, style: Style) -> list[str]:
    return [alternative.text for alternative in list_alternatives(order, style)]


@pytest.mark.parametrize(
    ("style", "order", "expected"),
    [(style, *case) for style, cases in ((PLAIN, DIGITS), (PARTED, PARTS), (PLAIN, CITED)) for case in cases],
)
def test_an_order_is_cut_into_its_alternatives_and_nowhere_else(style: Style, order: str, expected: list[str]) -> None:
    assert texts(order, style) == expected


def test_a_fallback_is_numbered_where_colons_name_no_place_and_other_games_know_no_parts() -> None:
    assert texts("E5 w HAUS\n2: C3 s MOND", PLAIN) == ["E5 w HAUS", "C3 s MOND"]
    assert [alternative.rank for alternative in list_alternatives("E5 w HAUS\n2: C3 s MOND", PLAIN)] == [None, 2]
    assert texts("take A; B2 w HAUS", PLAIN) == ["take A", "B2 w HAUS"]
    assert texts("B2 w HAUS\n+ C3 s MOND", PLAIN) == ["B2 w HAUS", "C3 s MOND"]
    assert find_joint("take A", "B2 w HAUS", PLAIN) is None


def test_a_long_turn_that_was_broken_is_one_and_shown_whole_where_its_end_was_not_understood() -> None:
    lines = ["1: T3+E, T2, T2, T4, T4, T5, T5, T6, T6, T7, T7, T8, T8, T9;", "3: N, DR"]
    sheet = parse_order_lines([Line(n, line) for n, line in enumerate(lines, start=1)], str, str, SNAKE)
    assert [line.canonical for line in sheet.orders] == [" ".join(lines)]
    short = parse_order_lines([Line(1, "1: T3+E, T2;"), Line(2, "3: N, DR")], str, str, SNAKE)
    assert len(short.orders) == 2

    def parse(text: str) -> str:
        if not re.fullmatch(r"\d: \w\d", text):
            raise Unreadable("no-square", line=text)
        return text

    (line,) = parse_order_lines([Line(1, "Zug: 1: T3; B4 noch etwas")], parse, str, SNAKE).lines
    assert (line.status, line.text) == ("error", "Zug: 1: T3; B4 noch etwas")
    first, second = parse_order_lines([Line(1, "1: T3; B4 noch etwas; sonst 2: T4")], parse, str, SNAKE).lines
    assert [first.text, second.canonical] == ["1: T3; B4 noch etwas", "2: T4"]


def test_lines_of_a_mail_are_one_order_only_if_they_read_as_one() -> None:
    def parse(text: str) -> str:
        if not re.fullmatch(r"(take \w; )?[A-Z]\d w \w+( \+ [A-Z]\d w \w+)?", text):
            raise Unreadable("no-square", line=text)
        return text

    def read(*lines: str) -> list[str]:
        numbered = [Line(n, line) for n, line in enumerate(lines, start=1)]
        return [line.canonical for line in parse_order_lines(numbered, parse, str, PARTED).orders]

    assert read("take A", "B2 w HAUS") == ["take A; B2 w HAUS"]
    assert read("take A", "see you", "B2 w HAUS") == ["B2 w HAUS"]
    assert read("B2 w HAUS", "+ C3 w MOND") == ["B2 w HAUS + C3 w MOND"]
    assert read("hello", "+ C3 w MOND") == ["C3 w MOND"]


ENDS = (
    " LG Anna", ", LG Anna", ". LG", " lg", " VG", " – viele Grüße", " - viele Grüße, Anna", ", liebe Grüße",
    ". Liebe Gruesse aus Bremen", " Gruß Anna", ". Gruß, Anna!", " mfg", " danke!", ", danke schön", " bitte", "",
    " vielen Dank im Voraus", ". Schönen Abend noch!", ". Schönes Wochenende, eure Anna", ", bis morgen", " viel Glück",
    ", cheers", ", cheers, Anna", " thanks!", ", thank you",
    ". Best wishes, Anna", " please", ". Have fun!", " danke, lg",
    ", merci !", " Merci beaucoup", ", s'il te plaît", ". Cordialement, Anna", ", bises",
    ". À bientôt, Zoé", " bonne soirée",
    " :)", " ;-)", " :-D", " 😀", "😀", " 🎉🎉", " ❤️ lg", " *grins*", " haha", "!", " ...",
)  # fmt: skip
BEGINNINGS = (
    "Hallo, ", "Hallo zusammen, ", "Hi Anna! ", "Moin moin, ", "Guten Abend, ", "Liebe Leute: ", "Dear all, ", "ok, ",
    "Na gut, ", "Mein Zug ist ", "Mein Zug lautet: ", "My move is ", "😀 ", "Bitte ",
    "Bonjour, ", "Salut Anna ! ", "Chère Anna, ",
)  # fmt: skip
COURTESIES = (
    "LG", "Viele Grüße", "Viele Grüße, Anna", "Mit freundlichen Grüßen", "Liebe Grüße aus dem Urlaub",
    "Hallo zusammen,",
    "Hi Anna!", "Danke!", "Vielen Dank im Voraus", "Schönen Abend noch", "Good luck!", "Kind regards, Anna", ":-)",
    "🎉", "Bis morgen, Anna", "Bonjour Anna,", "Salut à tous,", "Merci d’avance",
    "Bien cordialement, Anna", "Amitiés, Zoé", "À bientôt",
)  # fmt: skip


def read(game: Game[Any, Any], view: View[Any], *lines: str) -> ParsedOrders:
    numbered = [Line(number, text) for number, text in enumerate(lines, start=1)]
    return parse_order_lines(numbered, lambda text: game.parse_move(text, view), game.format_move, game.style)


def positions(key: str, pace: str) -> list[tuple[State[Any], int, str]]:
    """(state, seat, one of its moves) of a random match."""
    match = a_match(key, pace, 1)
    text = match.game.pass_text
    found = [(match.first.state, match.first.state.to_move[0], text)] if text else []
    for played in match.calls[::3]:
        if played.name == "apply_move" and played.seat is not None:
            found.append((played.before, played.seat, match.game.format_move(played.move)))
        elif played.name == "evaluate_round":
            found += [(played.before, seat, match.game.format_move(move)) for seat, move in played.move.items() if move]
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_friendly_words_change_no_move(key: str, pace: str) -> None:
    game = load_game(key)
    seen = positions(key, pace)
    assert seen
    for state, seat, move in seen:
        if "\n" in move:
            continue  # a drawn crossword has lines of its own
        view = view_for(state, seat)
        for before, behind in [*itertools.product(BEGINNINGS, ("", ENDS[0])), *itertools.product(("",), ENDS)]:
            sheet = read(game, view, f"{before}{move}{behind}")
            assert sheet.text == move, (f"{before}{move}{behind}", sheet)


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_friendly_words_are_no_move(key: str) -> None:
    game = load_game(key)
    state, seat, _ = positions(key, game.paces[0])[0]
    for text in COURTESIES:
        sheet = read(game, view_for(state, seat), text)
        assert is_greeting_line(text), text
        assert {line.status for line in sheet.lines} == {"text"}, (text, sheet)


MEANT = [
    ("topwords", "E fünf waagerecht Haus", "E5 w HAUS"),
    ("topwords", "E fünf waagerecht eins", "E5 w EINS"),
    ("topwords", "E five across HOUSE", "E5 w HOUSE"),
    ("topwords", "E5wHAUS", "E5 w HAUS"),
    ("topwords", "5EwHAUS lg", "E5 w HAUS"),
    ("topwords", "E5 w DANKE", "E5 w DANKE"),
    ("topwords", "E5 w DANKE, danke", "E5 w DANKE"),
    ("topwords", "E5 w GRUSS LG Anna", "E5 w GRUSS"),
    ("topwords", "E5 w HAUS, thanks!", "E5 w HAUS"),
    ("topwords", "E5 w HAUS (DANKE) 12", "E5 w HAUS (DANKE) 12"),
    ("topwords", "I'll play HAUS at E5 across.", "E5 w HAUS"),
    ("topwords", "Ich spiele das Wort Haus auf E5 waagerecht und freue mich", "E5 w HAUS"),
    ("recht", "Ich finde nichts und kaufe 1x rot", "kaufe rot"),
    ("recht", "Ich sehe nichts, passe", "passe"),
    ("dominos", "an links bitte den sechs-vierer", "64@L"),
    ("topwords", "Mein Wort: drecksau ab A4 waagerecht", "A4 w DRECKSAU"),
]


@pytest.mark.parametrize(("key", "text", "move"), MEANT)
def test_what_is_meant(key: str, text: str, move: str) -> None:
    state, seat, _ = positions(key, "sequential")[-1]
    assert read(load_game(key), view_for(state, seat), text).text == move, read(
        load_game(key), view_for(state, seat), text
    )


def test_a_tile_is_put_in_many_words_and_a_name_that_is_a_tile_is_asked_about() -> None:
    state, seat, move = positions("tridom", "sequential")[-1]
    (tile, place), game = move.split("@"), load_game("tridom")
    spoken = " ".join(next(word for word, digit in NUMBER_OF.items() if digit == sign) for sign in tile)
    for form in ("lege {} auf die {}", "{} Nr. {}", "{} an Nummer {}", "{}#{}", "{} an die {}", "die {} an die {} :)"):
        assert read(game, view_for(state, seat), form.format(tile, place)).text == move, form
    for text in (f"{spoken} an {place}", f"Ich lege die {tile} an die {place}"):
        assert read(game, view_for(state, seat), text).text == move, text
    view = view_for(domijongg_table.table("B3 K4 DR", "DW"), 0)
    assert read(load_game("domijongg"), view, "1 DR").text == "1: DR"
    (line,) = read(load_game("domijongg"), view, "1: B3 LG rot").lines
    assert isinstance(line.error, Ambiguous)
    assert line.error.params["readings"] == ["1: B3", "1: B3, DR"]


def test_a_row_of_a_crossword_is_no_smiley() -> None:
    """``X)`` at the end of a drawing, ``XD`` in it: it is read as it stands; without brackets it is asked about."""
    state, seat, _ = positions("presto", "race")[0]
    game, view = load_game("presto"), view_for(state, seat)
    for first, second in itertools.product(ascii_uppercase, ["", "D", "P"]):
        for drawing in (f"Gitter (AB / {first}{second})", f"Gitter (AB / {first}{second} / E)"):
            assert read(game, view, drawing).text == drawing
            assert read(game, view, f"{drawing} :-)").text == drawing
        (line,) = read(game, view, f"Gitter: AB / {first}{second}").lines
        assert line.status == "move" or isinstance(line.error, Ambiguous), line


@pytest.mark.parametrize("text", ["E5 w", "E5 w VIELEN DANK", "Hallo E5", "danke E5"])
def test_no_half_of_a_line_is_a_move(text: str) -> None:
    state, seat, _ = positions("topwords", "sequential")[0]
    assert not read(load_game("topwords"), view_for(state, seat), text).orders
