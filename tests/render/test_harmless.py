"""No line of a mail of ours is an order, however it is quoted: a player who answers below our text moves nothing."""

from __future__ import annotations

import re
import textwrap
from html import unescape

import pytest

from moderator.desk.questions import read_answer
from moderator.desk.sections import cut
from moderator.engine.contract import Context, view_for
from moderator.engine.orders import read_lines
from moderator.engine.words import AnyWords
from moderator.games import load
from moderator.mail.html_text import html_lines
from moderator.mail.model import Line
from moderator.render.mail import render
from tests.render.sample_pages import pages

NAMES = sorted(pages("de"))


@pytest.fixture(scope="module")
def view():
    game = load("topwords")
    context = Context(AnyWords(), lambda label, items: tuple(items))
    return view_for(game.setup(3, game.options(), context).state, 0)


def orders(lines, view):
    """What the desk would take out of these lines: commands and moves."""
    game = load("topwords")
    numbered = [Line(n, line) for n, line in enumerate(lines, 1)]
    found = []
    for section in cut(numbered):
        found += [line.text for line, _ in section.commands]
        sheet = read_lines(section.lines, lambda text: game.parse(text, view), game.format)
        found += [line.text for line in sheet.orders]
    return found


def flat(html):
    """HTML as a program may turn it into text: each block and cell on a line of its own."""
    body = re.sub(r"(?s)<(style|title)\b.*?</\1>", "", html)
    text = re.sub(r"(?i)</?(?:p|td|th|tr|table|h1|h2|li|ul|div|br|pre|body|img)\b[^>]*>", "\n", body)
    return unescape(re.sub(r"<[^>]+>", "", text)).splitlines()


def test_the_reader_of_this_test_sees_orders(view):
    assert orders(["E5 w HAUS", "hm; sonst passe", "HILFE"], view)
    assert orders(flat("<table><td>»E5 w HAUS«</td></table>"), view)


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_the_text_is_an_order(language, name, view):
    lines = render(pages(language)[name]).text.splitlines()
    assert orders(lines, view) == []
    assert orders([line.strip(" -+!·*") for line in lines], view) == []


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", NAMES)
def test_no_line_of_the_html_is_an_order(language, name, view):
    html = render(pages(language)[name]).html
    assert orders(flat(html), view) == []
    assert orders([line for line, _ in html_lines(html)], view) == []
    rows = re.sub(r"(?i)</t[dh]>\s*<t[dh]\b[^>]*>", " \t", html)
    assert orders(flat(rows), view) == []


@pytest.mark.parametrize("width", [60, 66, 68, 70, 72, 74, 76, 78])
@pytest.mark.parametrize("name", NAMES)
def test_nor_when_a_program_wraps_the_html_anew(name, width, view):
    """No-break spaces hold a move and the word before it together."""
    for language in ("de", "en"):
        lines = flat(render(pages(language)[name]).html)
        wrapped = [piece for line in lines for piece in textwrap.wrap(line.replace("\u00a0", "\x00"), width)]
        assert orders([line.replace("\x00", " ") for line in wrapped], view) == []


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("name", ["ruling", "ruled"])
def test_no_line_answers_the_question_about_a_word(language, name):
    mail = render(pages(language)[name])
    for line in [*mail.text.splitlines(), *flat(mail.html)]:
        assert read_answer([Line(1, line)], "HAUSEN") is None, line


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_prefilled_answer_holds_no_order(language, view):
    from urllib.parse import parse_qs, urlsplit

    link = re.search(r'href="(mailto:[^"]+)"', render(pages(language)["turn"]).html)[1]
    parts = urlsplit(unescape(link))
    body = parse_qs(parts.query)["body"][0]
    assert orders(body.splitlines(), view) == []
    assert parts.path == "games%2BK7Q2-8J3MZP4QXA@example.org"
    name = "„Arratia“" if language == "de" else "“Arratia”"
    assert parse_qs(parts.query)["subject"] == [f"[K7Q2-8J3MZP4QXA] Topwords {name}"]
