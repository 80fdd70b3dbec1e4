"""The link to the page to lay tiles on: in text and HTML of the same mails, and only where the page exists."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from moderator.match import turn_link
from moderator.pages.content import Daily
from moderator.pages.mail import render
from moderator.pages.pages import Page
from moderator.states import MailKind
from tests.pages.all_pages import names, pages

URL = "https://club.example/archive/zug/topwords.html"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
def test_text_and_html_lead_there_from_the_same_mails(language: str) -> None:
    led = []

    def alike(name: str) -> None:
        made = render(replace(pages(language)[name], board_page=URL))
        links = re.findall(rf'href="{URL}#([\w-]+)"', made.html)
        assert len(links) <= 1
        assert (URL in made.text.split()) == bool(links), name
        if links:
            led.append(name)
            assert made.files
            assert links == [turn_link.packed(made.files[-1].data)]

    with_table = [name for name in names() if pages(language)[name].table is not None]
    assert len(with_table) > 50
    for case in with_table:
        alike(case)
    assert {name.partition("-")[2] for name in led} >= {"start", "turn", "refused", "round"}


@pytest.mark.slow
def test_no_mail_leads_to_a_page_that_is_not_there() -> None:
    for name in names():
        assert "/zug/" not in render(pages("de")[name]).html


def test_a_daily_mail_leads_there_for_each_match() -> None:
    turn = replace(pages("de")["dominos-turn"], board_page=URL)
    for parts in ((turn,), (turn, turn)):
        daily = Page(MailKind.DIGEST, turn.reader, turn.club, turn.now, reply=turn.reply, content=Daily(parts))
        made = render(daily)
        assert len(re.findall(rf'href="{URL}#', made.html)) == len(parts)
        assert made.text.split().count(URL) == len(parts)
