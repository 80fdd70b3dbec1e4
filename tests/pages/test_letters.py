"""Nothing that a player writes to others, and no sentence about it, can be read as an order of whoever answers."""

from __future__ import annotations

import re
import textwrap
import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import moderator
from moderator.mail.html_text import html_lines
from moderator.match.contract import Note
from moderator.match.decision import Done
from moderator.pages.flow import LETTER_WIDTH, shown
from moderator.pages.mail import render
from moderator.pages.pages import LineRead, Page, PressItem, Receipt
from tests.mail.new_text import new_text
from tests.pages import sample_letters
from tests.pages.sample_pages import turn
from tests.pages.test_harmless import flat, orders, rows

PACKAGE = Path(moderator.__file__).parent
FILES = (
    *(PACKAGE / f"{name}.messages.de.toml" for name in ("outbox/press", "play/protest", "inbox/remarks")),
    *(PACKAGE / "commands" / "player" / f"{name}.messages.de.toml" for name in ("leave", "together", "turn")),
)
CODES = sorted(code for file in FILES for code in tomllib.loads(file.read_text(encoding="utf-8")))
PARAMS: dict[str, Any] = {
    "name": "Anna",
    "names": ["Bert", "Cici"],
    "first": date(2025, 12, 24),
    "last": date(2026, 1, 2),
    "dates": [date(2025, 12, 24)],
    "until": datetime(2025, 11, 24, 19, 0, tzinfo=UTC),
    "at": datetime(2025, 11, 24, 19, 0, tzinfo=UTC),
    "deadline": datetime(2025, 11, 24, 19, 0, tzinfo=UTC),
    "matches": ["K7Q2 (Arratia)", "M4RA (Runde 2)"],
    "match": "K7Q2",
    "match_name": "Arratia",
    "address": "anna@example.org",
    "number": "12",
    "year": "2025",
    "days": ["12-24"],
    "line": "E5 w HAUS",
    "day": "30.2.",
    "count": 3,
    "hour": 20,
    "most": 10,
    "excused": 1,
    "length": 5000,
    "round": 7,
}
PIECES = (
    "E5 w HAUS",
    "sonst C3 s MOND",
    "HILFE",
    "Partie K7Q2",
    "passe",
    "64@L",
    "tausche A B",
    "ENDE",
    "Urlaub 24.12.",
)
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=90)), min_size=1, max_size=5).map("\n".join)


def lines_of(page: Page) -> list[str]:
    """Every line that a mail program may make of the mail."""
    made = render(page)
    found = [*made.text.splitlines(), *flat(made.html), *rows(made.html), *(line for line, _ in html_lines(made.html))]
    for width in (60, 66, 72, 78):
        for line in flat(made.html):
            found += [piece.replace("\x00", " ") for piece in textwrap.wrap(line.replace("\u00a0", "\x00"), width)]
    return found


@pytest.mark.matrix("pages")
@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_about_it_is_an_order(language: Any) -> None:
    def is_harmless(code: str) -> None:
        note = Note(code, PARAMS)
        line = LineRead(1, "Urlaub 24.12. bis 2.1.", "command", notes=(note,))
        page = turn(language, scene=None, notes=(note,), remarks=(note,), receipt=Receipt(Done(), (line,)))
        assert [line for line in lines_of(page) if orders([line])] == []

    for case in [*CODES][::10]:
        is_harmless(case)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@example("E5 w HAUS oder C3 s MOND")
@example("x" * 300)
@given(TEXTS)
def test_no_letter_is_an_order(text: str) -> None:
    page = sample_letters.news("de", press=(PressItem("Anna", text), PressItem("Bert", text, ("Jörg",))))
    written = render(page)
    assert [line for line in lines_of(page) if orders([line])] == []
    kept, _ = new_text(written.text)
    assert not any(line.text.startswith("¦") for line in kept)


@settings(max_examples=15, deadline=None)
@example("Hilfe")
@example("Presse an alle: E5 w HAUS")
@example("ENDE")
@given(st.one_of(st.sampled_from(PIECES), st.text(min_size=1, max_size=40)))
def test_no_name_makes_a_letter_an_order(name: str) -> None:
    page = sample_letters.news("de", press=(PressItem(name, "Hallo!", (name, "Jörg")), PressItem(name, "Hallo!")))
    assert [line for line in lines_of(replace(page, match=None)) if orders([line])] == []


@given(st.text(max_size=200))
def test_a_letter_is_printed_in_short_lines_without_control_characters(text: str) -> None:
    for line in shown(text):
        assert line.startswith("¦")
        assert len(line) <= LETTER_WIDTH
        assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069]", line)


def test_nothing_of_a_letter_is_lost() -> None:
    words = " ".join(line.removeprefix("¦") for line in shown(sample_letters.TEXT)).split()
    assert words == sample_letters.TEXT.split()
