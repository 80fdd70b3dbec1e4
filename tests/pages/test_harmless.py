"""No line of a mail of ours is an order, however it is quoted: a player who answers below our text moves nothing.

Every sample mail is read with the rules of its own game as its reader would be understood then, in every form that a
mail program may give it; and line by line with the rules of every game. So are letters that players write to others.
"""

import re
import textwrap
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import moderator
from moderator.common.disk import LANGUAGES
from moderator.common.mails import Line, RenderedMail
from moderator.conformance import mails
from moderator.conformance.mails import flatten_html, flatten_html_rows, to_html_lines
from moderator.conformance.sentences import build_full_hand_view
from moderator.games import REGISTRY, load_game
from moderator.language.messages import render_label, write_move
from moderator.notifications.pages import LetterView, LineOutcome, Page, Receipt
from moderator.render.mail import render_mail
from moderator.render.text import LETTER_WIDTH, wrap_letter_text
from moderator.rules.game import Note, View
from moderator.rules.outcomes import CommandDone
from moderator.service.questions import parse_word_answer
from tests.mail.new_text import new_text
from tests.pages import all_pages, match_pages, sample_pages
from tests.pages.all_pages import mail, names
from tests.pages.sample_pages import Language, keep, turn

GOLDEN = sorted(file.stem for file in (Path(__file__).parent.parent / "golden" / "de").glob("*.txt"))
TILE_GAMES = pytest.mark.parametrize("key", match_pages.TILE_GAMES)
IN_EVERY = pytest.mark.parametrize("language", LANGUAGES)


@cache
def first_view(key: str) -> View[Any]:
    return build_full_hand_view(load_game(key))


def reader(name: str) -> tuple[str, View[Any]]:
    """(game, view) of the one who reads that sample mail."""
    return _views().get(name) or ("topwords", first_view("topwords"))


_views = cache(all_pages.views)


def orders(lines: list[str], key: str = "topwords", view: View[Any] | None = None) -> list[str]:
    """Whin the unit of work would take out of these lines: commands and moves."""
    return mails.list_orders_in_lines(load_game(key), view or first_view(key), lines)


def ways(made: RenderedMail, *widths: int) -> Iterator[list[str]]:
    """The lines of a mail as a program may quote them. No-break spaces hold a move and the word before it together,
    when it wraps them anew."""
    lines = flatten_html(made.html)
    yield from (made.text.splitlines(), [line.strip(" -+!·*") for line in made.text.splitlines()])
    yield from (lines, flatten_html_rows(made.html), to_html_lines(made.html))
    for width in widths:
        wrap = textwrap.TextWrapper(width, break_long_words=False).wrap
        pieces = (piece for line in lines for piece in wrap(line.replace("\u00a0", "\x00")))
        yield [piece.replace("\x00", " ") for piece in pieces]


def read_in(made: RenderedMail, name: str, *widths: int) -> list[str]:
    """What would be taken out of it in any way."""
    return [order for lines in ways(made, *widths) for order in orders(lines, *reader(name))]


def read_alone(page: Page) -> list[str]:
    """The lines of a page that would be an order if one of them stood alone in an answer."""
    lines = {line for way in ways(render_mail(page), 60, 66, 72, 78) for line in way}
    return [line for line in lines if orders([line])]


@pytest.mark.parametrize(
    "name", ["turn", "receipt-refused", "dominos-turn", "point-turn", "presto-round", "news-press", "notice-many"]
)
def test_no_line_of_an_everyday_mail_is_an_order(name: str) -> None:
    assert read_in(mail("de", name), name, 74) == []


@IN_EVERY
def test_the_last_move_in_the_score_table_is_no_order(language: Language) -> None:
    """A word and a colon before it would announce that word."""
    played = write_move("weiter hinten *N", language, "recht")
    assert orders([played], "recht")
    assert orders([render_label("last", language, move=played)], "recht") == []


@pytest.mark.matrix("harmless", seconds=0.2)
@IN_EVERY
@pytest.mark.parametrize("name", GOLDEN)
def test_no_line_of_a_mail_is_an_order(name: str, language: Language) -> None:
    assert read_in(mail(language, name), name, 60, 74) == []


@pytest.mark.matrix("harmless", seconds=4)
@IN_EVERY
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_no_line_of_a_mail_is_an_order_of_another_game(key: str, language: Language) -> None:
    lines: set[str] = set()
    for name in names():
        made = mail(language, name)
        lines.update(made.text.splitlines(), flatten_html(made.html), flatten_html_rows(made.html))
    assert [line for line in lines if orders([line], key)] == []


@IN_EVERY
@pytest.mark.parametrize("name", ["ruling", "ruled"])
def test_no_line_answers_the_question_about_a_word(language: Language, name: str) -> None:
    made = mail(language, name)
    for line in [*made.text.splitlines(), *flatten_html(made.html)]:
        assert parse_word_answer([Line(1, line)], "HAUSEN") is None, line


LONG = {
    "kreuzwort": "tausche E an AA21, A an AB17; AA21 w DONAUDAMPFSCHIFF + AC15 s KAPITAENSMUETZE",
    "point": "AA21 w DONAUDAMPFSCHIFF + AC15 s KAPITAENSMUETZE",
    "recht": "tausche A an H7; vorn S + hinten *N = STERNWARTENKUPPEL",
    "presto": "Gitter (..B....H / EXAMEN..A / ..R..ESEL / .....I..M / ...TEER.....E / .....E......R / ...HUT)",
}
"""Moves that no line can hold."""


@pytest.mark.slow
@IN_EVERY
@pytest.mark.parametrize("key", LONG)
def test_no_part_of_a_long_move_is_an_order(key: str, language: Language) -> None:
    page = match_pages.page(key, language, match_pages.moment(match_pages.played(key), "turn"), 2)
    name = f"{key}-turn"
    assert orders([LONG[key]], *reader(name))
    for who in ("Jo", sample_pages.LONG_NAME):
        told = replace(page.reports[-1], name=who, played=LONG[key])
        drawn = Note("layout", {"move": LONG[key], "words": ["BAR"]}, seat=0)
        notes = (drawn,) if key == "presto" else ()
        seats = tuple(replace(seat, last=LONG[key]) for seat in page.seats)
        made = render_mail(replace(page, reports=(told,), notes=notes, seats=seats, stored=keep(LONG[key]), scene=None))
        assert read_in(made, name, 60, 200) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "played"), [("kreuzwort", "kaufe rot"), ("point", "kaufe rot"), ("recht", "kaufe schwarz, passe")]
)
def test_a_semicolon_in_a_name_makes_no_order_of_the_move_behind_it(key: str, played: str) -> None:
    page = match_pages.page(key, "de", match_pages.moment(match_pages.played(key), "turn"))
    for name in ("Ada; Bert;", "Ada;"):
        made = render_mail(replace(page, reports=tuple(replace(one, name=name, played=played) for one in page.reports)))
        assert f"{name.replace(';', ',')}: »{played}«" in made.text
        assert read_in(made, f"{key}-turn") == []


PACKAGE = Path(moderator.__file__).parent
SPEAKERS = (
    "service/round_letters", "service/protest", "inbox/remarks",
    *(f"commands/player/{name}" for name in ("leave", "together", "turn")),
)  # fmt: skip
AT = datetime(2025, 11, 24, 19, 0, tzinfo=UTC)
PARAMS: dict[str, Any] = {
    "name": "Anna", "names": ["Bert", "Cici"], "first": date(2025, 12, 24), "last": date(2026, 1, 2),
    "dates": [date(2025, 12, 24)], "until": AT, "at": AT, "deadline": AT,
    "matches": ["K7Q2 (Arratia)", "M4RA (Runde 2)"], "match": "K7Q2", "match_name": "Arratia",
    "address": "anna@example.org", "number": "12", "year": "2025", "days": ["12-24"], "line": "E5 w HAUS",
    "day": "30.2.", "count": 3, "hour": 20, "most": 10, "excused": 1, "length": 5000, "round": 7,
}  # fmt: skip
PIECES = (
    "E5 w HAUS", "sonst C3 s MOND", "HILFE", "Partie K7Q2", "passe", "64@L", "tausche A B", "ENDE", "Urlaub 24.12.",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=90)), min_size=1, max_size=5).map("\n".join)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
def test_no_sentence_about_letters_and_leave_is_an_order(language: Language) -> None:
    texts = [(PACKAGE / f"{name}.messages.de.toml").read_text(encoding="utf-8") for name in SPEAKERS]
    codes = [code for text in texts for code in tomllib.loads(text) if not code.endswith("-line")]  # those are orders
    notes = tuple(Note(code, PARAMS) for code in codes)
    receipt = Receipt(CommandDone(), (LineOutcome(1, "Urlaub 24.12. bis 2.1.", "command", notes=notes),))
    assert len(notes) > 50
    assert read_alone(turn(language, scene=None, notes=notes, remarks=notes, receipt=receipt)) == []


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@example("E5 w HAUS oder C3 s MOND", "Hilfe")
@example("x" * 300, "Presse an alle: E5 w HAUS")
@example("Hallo!", "ENDE")
@given(TEXTS, st.one_of(st.sampled_from(PIECES), st.text(min_size=1, max_size=40)))
def test_no_letter_is_an_order_whoever_writes_it(text: str, name: str) -> None:
    page = sample_pages.news("de", press=(LetterView(name, text, (name, "Jörg")), LetterView(name, text)))
    assert read_alone(replace(page, match=None)) == []
    kept, _ = new_text(render_mail(page).text)
    assert not any(line.text.startswith("¦") for line in kept)


@given(st.text(max_size=200))
def test_a_letter_is_printed_in_short_lines_without_control_characters(text: str) -> None:
    for line in wrap_letter_text(text):
        assert line.startswith("¦")
        assert len(line) <= LETTER_WIDTH
        assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069]", line)
