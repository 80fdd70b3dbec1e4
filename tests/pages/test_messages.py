"""Sentences: placeholders, word reasons, unknown codes, local times, moves in the reader's words; and that every code
in the source has a sentence in both languages."""

import ast
import re
import tomllib
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

import moderator
from moderator.common.text import clean_line, clean_name
from moderator.games import REGISTRY, folder, load_game
from moderator.language import messages, traits
from moderator.language.dates import format_deadline, format_moment, format_time_left
from moderator.language.messages import MarkedText, has_sentence, render_note, strip_quotes, translate_move
from moderator.render import boards, theme
from moderator.render.mails import report
from moderator.rules.game import PLAIN, Note, Style
from moderator.rules.scenes import Cell, Grid

PACKAGE = Path(moderator.__file__).parent
RAISED = {"Illegal", "Unreadable", "Ambiguous", "PlayerError", "Note"}


@pytest.fixture
def sentences(monkeypatch):
    """A table of our own, so that these tests don't hang on the wording of others."""
    own = {"yes": "ja", "no": "nein"}
    monkeypatch.setattr(messages, "load_sentences", lambda language, game=None: own)
    return own


@pytest.mark.parametrize(
    ("pattern", "params", "text"),
    [
        ("Auf {square} liegt {letter}.", {"square": "E5", "letter": "Ä"}, "Auf E5 liegt Ä."),
        ("{letters}", {"letters": frozenset("BA")}, "A, B"),
        ("{letters}", {"letters": ()}, "–"),
        ("{count:Stein|Steine}", {"count": 0}, "0 Steine"),
        ("{missing}!", {}, "–!"),
        ("{items}", {"items": [-4, 5]}, "−4 + 5"),
        ("{items}", {"items": []}, "0"),
        ("{tiles}", {"tiles": {"E": 15, "A": 5}}, "E 15, A 5"),
        ("{word}", {"word": "A\r\nBcc: x\x00"}, "A Bcc: x"),
        ("{word}", {"word": "{letter}", "letter": "no"}, "{letter}"),
    ],
)
def test_placeholders(sentences, pattern, params, text):
    sentences["code"] = pattern
    assert render_note(Note("code", params), "de") == text


def test_an_unknown_code_is_no_crash(sentences):
    assert render_note(Note("no-such-code", {"word": "X"}), "de") == "no-such-code (word = X)"
    assert render_note(Note("no-such-code"), "en") == "no-such-code"


def test_players_words_are_plain_and_capped():
    assert clean_line("a\x00b\x1b[31m \u2028 c\u202e") == "a b [31m c"
    assert clean_line("A\u0308") == "Ä"
    assert len(clean_line("x" * 999)) == 200
    assert len(clean_name("y" * 999)) == 40


HEADS = Style(attempt=re.compile(r"\d{1,2}:"), joined=re.compile(r"\d{1,2}:"), colon_numbers=False)


@pytest.mark.parametrize(
    ("line", "style", "shown"),
    [
        ("E5 w HAUS", PLAIN, "E5 w HAUS"),
        ("sonst E5 w HAUS", PLAIN, "E5 w HAUS"),
        ("Ersatz 2: 5E w HAUS", PLAIN, "5E w HAUS"),
        ("E5 w HAUS; sonst C3 s MOND", PLAIN, "E5 w HAUS …"),
        ("E5 w HAUS Ersatz 1: C3 s MOND", PLAIN, "E5 w HAUS …"),
        ("E5 w SONST (AH, US) 14", PLAIN, "E5 w SONST (AH, US) 14"),
        ("»E5 w HAUS«", PLAIN, "›E5 w HAUS‹"),
        ("“E5 w HAUS”", PLAIN, "‘E5 w HAUS’"),
        ("„E5 w HAUS“", PLAIN, "‚E5 w HAUS‘"),
        ("Liebe Grüße, pass auf dich auf", PLAIN, "Liebe Grüße, pass auf dich auf"),
        ("sonst", PLAIN, "sonst"),
        ("64@L; 31@R", PLAIN, "64@L …"),
        ("64@L 31@R", PLAIN, "64@L …"),
        ("64@L oder 31@R", PLAIN, "64@L …"),
        ("225@8 ab 40", PLAIN, "225@8 ab 40"),
        ("1: T3+E, T2; 3: N, DR", HEADS, "1: T3+E, T2; 3: N, DR"),
        ("sonst 1: T3+E, T2; 3: N ab 2", HEADS, "1: T3+E, T2; 3: N ab 2"),
        ("1: T3; sonst 2: B3", HEADS, "1: T3 …"),
    ],
)
def test_a_quoted_line_holds_one_move(line, style, shown):
    made = strip_quotes(line, style)
    assert isinstance(made, MarkedText)
    assert made == strip_quotes(str(made), style) == shown
    assert strip_quotes(made, PLAIN) is made


def test_tiles_are_printed_so_that_they_are_no_move(sentences, monkeypatch):
    monkeypatch.setattr(traits, "format_tile", lambda game, name: f"{name[0]}ǀ{name[1]}")
    sentences["rest"] = "{tile}: {tiles}, zum Beispiel »{tile}@L«"
    assert (
        render_note(Note("rest", {"tile": "64", "tiles": ["31", "22"]}), "de") == "6ǀ4: 3ǀ1, 2ǀ2, zum Beispiel »64@L«"
    )


@cache
def _codes():
    """(file, code) of every code that is raised or noted anywhere in the package."""
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in RAISED:
                found += [(file.relative_to(PACKAGE), text) for text in _texts(node.args[0])]
    assert {"too-high", "foreign-letter", "mail-too-large", "not-your-turn"} <= {code for _, code in found}
    return found


def _name(func):
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _texts(node):
    """The string, or both strings of ``"a" if x else "b"``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
def test_every_code_has_a_sentence(language):
    missing = set()
    for file, code in _codes():
        if file.parts[0] == "games" and len(file.parts) > 2:
            # What only one variant of a folder speaks may have its sentence for that one alone.
            variants = [key for key in REGISTRY if folder(key).name == file.parts[1]]
            spoken = any(has_sentence(code, language, key) for key in variants)
        else:
            games = [key for key in REGISTRY if file.parts[0] not in ("games", "words") or load_game(key).uses_words]
            spoken = all(has_sentence(code, language, key) for key in games)
        if not spoken:
            missing.add(f"{file}: {code}")
    assert not missing, f"messages.{language}.toml lacks these sentences"


BERLIN = "Europe/Berlin"
NOW = datetime(2025, 11, 20, 18, 30, tzinfo=UTC)
ZAT = datetime(2025, 11, 24, 19, 0, tzinfo=UTC)


def test_a_deadline_says_how_long_it_is_to_it():
    assert format_deadline(ZAT, NOW, "de", BERLIN, BERLIN) == "Montag, 24. November, 20:00 Uhr (noch 4 Tage)"
    assert format_deadline(ZAT, NOW, "en", BERLIN, BERLIN) == "Monday, 24 November, 20:00 (4 days left)"


@pytest.mark.parametrize(
    ("zone", "language", "text"),
    [
        ("Europe/Vienna", "de", "Montag, 24. November, 20:00 Uhr"),
        ("America/New_York", "en", "Monday, 24 November, 14:00 EST"),
        ("America/Sao_Paulo", "de", "Montag, 24. November, 16:00 Uhr UTC-3"),
        ("Asia/Kathmandu", "en", "Tuesday, 25 November, 00:45 UTC+5:45"),
        ("No/Where", "de", "Montag, 24. November, 19:00 Uhr UTC"),
    ],
)
def test_the_zone_is_named_when_its_clock_differs_from_the_clubs(zone, language, text):
    assert format_moment(ZAT, NOW, language, zone, BERLIN) == text


def test_the_zone_is_named_in_german_and_the_hour_stays_when_clocks_change():
    summer = datetime(2025, 7, 1, 18, 0, tzinfo=UTC)
    assert format_moment(summer, NOW, "de", BERLIN, "Europe/London") == "Dienstag, 1. Juli, 20:00 Uhr MESZ"
    assert format_moment(ZAT, NOW, "de", BERLIN, "Europe/London") == "Montag, 24. November, 20:00 Uhr MEZ"
    before, after = datetime(2025, 10, 25, 18, 0, tzinfo=UTC), datetime(2025, 10, 26, 19, 0, tzinfo=UTC)
    assert all(format_moment(one, one, "de", BERLIN, BERLIN).endswith("20:00 Uhr") for one in (before, after))
    assert format_time_left(after, before, "de", BERLIN) == "noch 25 Stunden"


def test_another_year_is_named():
    new_year = datetime(2025, 12, 31, 23, 30, tzinfo=UTC)
    assert format_moment(new_year, NOW, "de", BERLIN, BERLIN) == "Donnerstag, 1. Januar 2026, 00:30 Uhr"
    assert format_moment(new_year, NOW, "en", "Europe/London", "Europe/London") == "Wednesday, 31 December, 23:30"


@pytest.mark.parametrize(
    ("gap", "german", "english"),
    [
        (timedelta(hours=48), "noch 2 Tage", "2 days left"),
        (timedelta(hours=47, minutes=59), "noch 47 Stunden", "47 hours left"),
        (timedelta(minutes=119), "noch 119 Minuten", "119 minutes left"),
        (timedelta(seconds=61), "noch 1 Minute", "1 minute left"),
        (timedelta(seconds=1), "noch 1 Minute", "1 minute left"),
        (timedelta(0), "abgelaufen", "over"),
    ],
)
def test_time_left(gap, german, english):
    assert format_time_left(NOW + gap, NOW, "de", BERLIN) == german
    assert format_time_left(NOW + gap, NOW, "en", BERLIN) == english


@pytest.mark.parametrize(
    ("game", "canonical", "english"),
    [
        ("topwords", "E5 w HAUS (AH) 12", "E5 a HAUS (AH) 12"),
        ("topwords", "passe", "pass"),
        ("topwords", "tausche A E", "exchange A E"),
        ("dominos", "31@R ab 10", "31@R from 10"),
        ("tridom", "nach Ziehen: bester", "after drawing: best"),
        ("kreuzwort", "T19 s POLA + kaufe rot", "T19 d POLA + buy red"),
        ("point", "kaufe 2 rot 1 schwarz", "buy 2 red 1 black"),
        ("recht", "tausche A an H7; weiter vorn B = BRETT", "exchange A at H7; continue before B = BRETT"),
        ("recht", "vollende ab T19", "complete from T19"),
        ("presto", "Gitter (EXAMEN / .B)", "Grid (EXAMEN / .B)"),
    ],
)
def test_words_of_a_move(game: str, canonical: str, english: str) -> None:
    assert translate_move(canonical, "en", game) == english
    assert translate_move(english, "en", game) == english
    assert translate_move(canonical, "de", game) == canonical


PAGE = (PACKAGE.parent / "docs" / "build" / "sentences.md").read_text(encoding="utf-8")
NAMES = ("Anna", "Bert")


def said(monkeypatch: pytest.MonkeyPatch, note: Note, sentences: dict[str, str]) -> str:
    whole = {**messages.load_sentences("en"), **sentences}
    monkeypatch.setattr(messages, "load_sentences", lambda *_: whole)
    return messages.render_note(note, "en", None, NAMES)


def test_values_are_printed_as_docs_sentences_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"```toml\n(\[\[value\]\].*?)```", PAGE, re.DOTALL)
    shown = tomllib.loads(block)["value"]
    assert len(shown) > 6
    for one in shown:
        text = said(monkeypatch, Note("x", one["values"], seat=one.get("seat")), {"x": one["sentence"]})
        assert text.replace("\u00a0", " ") == one["printed"]


FILLED: dict[str, tuple[dict[str, Any], str, dict[str, str]]] = {
    "{reason}": ({"reason": "late", "why": {"hour": "noon"}}, "at noon", {"word.late": "at {hour}"}),
    "{reason}!": ({"reason": "odd"}, "odd!", {}),
    "{tile} “{tile}”": ({"tile": "J"}, "jolly “J”", {"tile.J": "jolly"}),
    "{faults}": ({"faults": [{"code": "a", "n": 1}, {"code": "a", "n": 2}]}, "1! 2!", {"a": "{n}!"}),
    "{hour}": ({"why": {"hour": "noon"}}, "noon", {}),
    "{names}": ({"names": ["A", "B", "C"]}, "A, B and C", {}),
    "{line}": ({"line": "what"}, "“what”", {}),
    "{files}": ({"files": ["a.txt"]}, "“a.txt”", {}),
}


def test_the_other_names_are_printed_as_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    for pattern, (values, printed, more) in FILLED.items():
        with monkeypatch.context() as patch:
            assert said(patch, Note("x", values), {"x": pattern, **more}) == printed


def test_a_name_stands_before_a_note_of_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {**messages.load_sentences("en"), "x": "Draws.", "y": "{name} draws."}
    monkeypatch.setattr(messages, "load_sentences", lambda *_: whole)
    told = [report.render_note_line(Note(code, seat=0), "en", None, NAMES) for code in "xy"]
    assert told == ["Anna: Draws.", "Anna draws."]
    assert report.render_note_line(Note("x", seat=0, only=0), "en", None, NAMES) == "Draws."
    assert report.render_note_line(Note("x", seat=0), "en", None, (), NAMES) == "Draws."


def test_a_round_cell_is_red_and_is_called_a_vowel() -> None:
    for shape in get_args(get_type_hints(Cell)["shape"]):
        scene = Grid(("A",), ("1",), (Cell(0, 0, "E", shape=shape),))
        told = "".join(boards.render_legend_lines(scene, "en"))
        assert (theme.VOWEL in boards.render_board_svg(scene)) == (shape == "round") == ("ound and red: vowel" in told)
