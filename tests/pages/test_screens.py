"""What a telephone shows of a mail: the button on the first screen, little to scroll, nothing to push sideways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page as Tab

from moderator.pages.mail import render
from tests.chromium import chromium
from tests.pages import match_pages
from tests.pages.all_pages import mail, pages
from tests.pages.screens import WIDTH, measure, telephone

TURNS = ("turn", "turn-common", "dominos-turn", "tridom-turn")
"""Mails that want a move."""
LONGEST = {"turn": 2.0, "dominos-turn": 2.0}
"""Screens, of those who know how to write a move."""


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with chromium() as browser, telephone(browser) as page:
        yield page


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
def test_the_button_is_on_the_first_screen(tab: Tab, language: match_pages.Language) -> None:
    for name in TURNS:
        page = replace(pages(language)[name], knows_how=True)
        shown = measure(tab, render(page))
        assert shown.button is not None, name
        assert shown.button <= 1, (name, shown)
        assert shown.screens <= LONGEST.get(name, 3.0), (name, shown)


@pytest.mark.parametrize("language", ["de", "en"])
def test_nothing_is_wider_than_a_telephone(tab: Tab, language: match_pages.Language) -> None:
    every = [*TURNS, "help", "domijongg-help", "overview", "cup-table-14", "history", "welcome"]
    wide = {name: shown for name in every if (shown := measure(tab, mail(language, name))).width > WIDTH}
    assert not wide
