"""What a telephone shows of a mail: the button on the first screen, little to scroll, nothing to push sideways. And
docs/mails/ has a picture of each kind of mail, and nothing that is none."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page as Tab

from bench.screens import FOLDER, WIDTH, examples, measure, telephone
from moderator.render.mail import render_mail
from tests.chromium import chromium
from tests.pages.all_pages import pages
from tests.pages.sample_pages import Language

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
def test_the_button_is_on_the_first_screen(tab: Tab, language: Language) -> None:
    for name in TURNS:
        page = replace(pages(language)[name], knows_how=True)
        shown = measure(tab, render_mail(page))
        assert shown.button is not None, name
        assert shown.button <= 1, (name, shown)
        assert shown.screens <= LONGEST.get(name, 3.0), (name, shown)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de", "en"])
def test_nothing_is_wider_than_a_telephone(tab: Tab, language: Language) -> None:
    every = [*TURNS, "help", "domijongg-help", "overview", "cup-table-14", "history", "welcome"]
    widths = {name: measure(tab, render_mail(pages(language)[name])).width for name in every}
    assert {name: width for name, width in widths.items() if width > WIDTH} == {}


def test_every_kind_of_mail_has_a_picture_in_the_docs() -> None:
    said = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {file.stem for file in FOLDER.glob("*.png")} == set(examples())
    for kind in examples():
        assert f"[{kind}]({kind}.png)" in said
        assert (FOLDER / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
