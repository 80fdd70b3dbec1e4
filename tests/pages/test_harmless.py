"""No line of a mail of ours is an order, however it is quoted: a player who answers below our text moves nothing.

Every sample mail is read with the rules of its own game as its reader would be understood then, in every form that a
mail program may give it; and line by line with the rules of every other game.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from dataclasses import replace
from functools import cache
from html import unescape
from typing import Any

import pytest

from moderator.conformance import mails
from moderator.conformance.mails import flat, rows
from moderator.games import REGISTRY, load
from moderator.mail.html_text import html_lines
from moderator.mail.model import Line
from moderator.match.contract import Context, Note, View, view_for
from moderator.match.rng import unshuffled
from moderator.match.words import AnyWords
from moderator.outbox.questions import read_answer
from moderator.pages.mail import render
from moderator.pages.messages import label
from moderator.paths import LANGUAGES
from tests.pages import match_pages, sample_asking
from tests.pages.all_pages import mail, names
from tests.pages.sample_pages import Language


@cache
def first_view(key: str) -> View[Any]:
    """What the first seat to move sees after the deal; in tile games it holds all tiles."""
    if key in match_pages.TILE_GAMES:
        return match_pages.greedy_view(key, match_pages.played(key).opened.state)
    game = load(key)
    context = Context(AnyWords(), unshuffled)
    state = game.setup(game.min_seats, game.options(), context).state
    return view_for(state, state.to_move[0])


@cache
def reader(name: str) -> tuple[str, View[Any]]:
    """(game, view) of the one who reads that sample mail."""
    seen = match_pages.views() | sample_asking.views()
    return seen.get(name) or ("topwords", first_view("topwords"))


def orders(lines: list[str], key: str = "topwords", view: View[Any] | None = None) -> list[str]:
    """What the desk would take out of these lines: commands and moves."""
    return mails.orders(load(key), view or first_view(key), lines)


def test_the_reader_of_this_test_sees_orders() -> None:
    assert orders(["E5 w HAUS", "hm; sonst passe", "HILFE"])
    assert orders(["Done.", "HILFE"], "presto") == ["HILFE", "Done."]
    assert orders(["Done.", "HILFE"], "topwords") == ["HILFE"]
    assert orders(flat("<table><td>»E5 w HAUS«</td></table>"))
    assert orders(flat("<table><td>“E5 across HAUS”</td></table>"))


@pytest.mark.parametrize("key", match_pages.TILE_GAMES)
def test_it_sees_the_moves_of_every_game(key: str) -> None:
    match = match_pages.played(key)
    for moment in match.moments[:9]:
        played = moment.result.moves[0]
        view = view_for(moment.before.state, played.seat)
        assert not played.text or orders([played.text], key, view) == [played.text]


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_the_text_is_an_order(language: Language) -> None:
    def is_harmless(name: str) -> None:
        lines = mail(language, name).text.splitlines()
        assert orders(lines, *reader(name)) == []
        assert orders([line.strip(" -+!·*") for line in lines], *reader(name)) == []

    for case in [*names()][::8]:
        is_harmless(case)


@pytest.mark.matrix("pages")
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_the_html_is_an_order(language: Language) -> None:
    def is_harmless(name: str) -> None:
        html = mail(language, name).html
        assert orders(flat(html), *reader(name)) == []
        assert orders([line for line, _ in html_lines(html)], *reader(name)) == []
        assert orders(rows(html), *reader(name)) == []

    for case in [*names()][::8]:
        is_harmless(case)


@pytest.mark.matrix("pages")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [60, 74])
def test_nor_when_a_program_wraps_the_html_anew(width: int, language: Language) -> None:
    """No-break spaces hold a move and the word before it together."""

    def is_harmless(name: str) -> None:
        lines = flat(mail(language, name).html)
        wrapped = [piece for line in lines for piece in textwrap.wrap(line.replace("\u00a0", "\x00"), width)]
        assert orders([line.replace("\x00", " ") for line in wrapped], *reader(name)) == []

    for case in [*names()][::8]:
        is_harmless(case)


@pytest.mark.matrix("pages")
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_no_line_is_an_order_of_another_game(key: str) -> None:
    lines: set[str] = set()
    for language in LANGUAGES:
        for name in names():
            made = mail(language, name)
            lines.update(made.text.splitlines(), flat(made.html), rows(made.html))
    assert [line for line in [*sorted(lines)][::4][::2] if orders([line], key)] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["ruling", "ruled"])
def test_no_line_answers_the_question_about_a_word(language: str, name: str) -> None:
    made = mail(language, name)
    for line in [*made.text.splitlines(), *flat(made.html)]:
        assert read_answer([Line(1, line)], "HAUSEN") is None, line


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prefilled_answer_holds_no_order(language: str) -> None:
    from urllib.parse import parse_qs, urlsplit

    link = re.search(r'href="(mailto:[^"]+)"', mail(language, "turn").html)
    assert link
    parts = urlsplit(unescape(link[1]))
    body = parse_qs(parts.query)["body"][0]
    assert orders(body.splitlines()) == []
    assert parts.path == "games%2BK7Q2-8J3MZP4QXA@example.org"
    title = label("title", language, game="Topwords", match="Arratia")
    assert parse_qs(parts.query)["subject"] == [f"{title} [K7Q2-8J3MZP4QXA]"]


LONG = {
    "kreuzwort": "tausche E an AA21, A an AB17; AA21 w DONAUDAMPFSCHIFF + AC15 s KAPITAENSMUETZE",
    "point": "AA21 w DONAUDAMPFSCHIFF + AC15 s KAPITAENSMUETZE",
    "recht": "tausche A an H7; vorn S + hinten *N = STERNWARTENKUPPEL",
    "presto": "Gitter (..B....H / EXAMEN..A / ..R..ESEL / .....I..M / ...TEER.....E / .....E......R / ...HUT)",
}
"""Moves that no line can hold."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", LONG)
def test_no_part_of_a_long_move_is_an_order(key: str, language: Language) -> None:
    page = match_pages.pages(language)[f"{key}-turn"]
    view = reader(f"{key}-turn")[1]
    assert orders([LONG[key]], key, view)
    for name in ("Jo", "Maximiliane-Charlotte von Größenbrück"):
        told = replace(page.reports[-1], name=name, played=LONG[key])
        drawn = Note("layout", {"move": LONG[key], "words": ["BAR"]}, seat=0)
        notes = (drawn,) if key == "presto" else ()
        seats = tuple(replace(seat, last=LONG[key]) for seat in page.seats)
        made = render(replace(page, reports=(told,), notes=notes, seats=seats, standing=LONG[key]))
        assert orders(made.text.splitlines(), key, view) == []
        lines = flat(made.html)
        for width in [*(*range(60, 80, 2), 200)][::10]:
            wrap = textwrap.TextWrapper(width, break_long_words=False).wrap
            wrapped = [piece for line in lines for piece in wrap(line.replace("\u00a0", "\x00"))]
            assert orders([line.replace("\x00", " ") for line in wrapped], key, view) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "played"), [("kreuzwort", "kaufe rot"), ("point", "kaufe rot"), ("recht", "kaufe schwarz, passe")]
)
def test_a_semicolon_in_a_name_makes_no_order_of_the_move_behind_it(key: str, played: str) -> None:
    page = match_pages.page(key, "de", match_pages.moment(match_pages.played(key), "turn"))
    view = reader(f"{key}-turn")[1]
    for name in ("Ada; Bert;", "Ada;"):
        told = tuple(replace(report, name=name, played=played) for report in page.reports)
        made = render(replace(page, reports=told))
        assert f"{name.replace(';', ',')}: »{played}«" in made.text
        assert orders(made.text.splitlines(), key, view) == []
        assert orders(flat(made.html), key, view) == []


@pytest.mark.slow
@pytest.mark.parametrize("key", match_pages.TILE_GAMES)
def test_no_rack_is_an_order(key: str) -> None:
    """However few tiles are left, in whatever order, on one line or one on each."""
    match = match_pages.played(key)
    page = match_pages.page(key, "de", match_pages.moment(match, "turn"), 0)
    _, view = reader(f"{key}-turn")
    tiles = sorted({tile for hand in match.opened.state.hands for tile in hand})
    for first, second in [*itertools.pairwise(tiles)][::8]:
        made = render(replace(page, rack=(second, first), scene=None))
        lines = [line for line in [*made.text.splitlines(), *rows(made.html), *flat(made.html)] if line.strip()]
        assert orders(lines, key, view) == []


@pytest.mark.matrix("pages")
@pytest.mark.parametrize("key", match_pages.TILE_GAMES)
def test_no_mail_of_a_whole_match_is_an_order(key: str) -> None:
    """Reports of single moves and of several, long sums and large racks."""
    match = match_pages.played(key)
    for at in range(0, len(match.moments), 12):
        moves = 1 + at % 4
        page = match_pages.page(key, "de", at, moves)
        made = render(replace(page, reader=replace(page.reader, board="text")))
        view = match_pages.greedy_view(key, match.moments[at].after.state)
        for lines in (made.text.splitlines(), flat(made.html), rows(made.html)):
            assert orders(lines, key, view) == []
