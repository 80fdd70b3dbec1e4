"""The page of Kreuzwort-Spiel and Point-Typ-Dom, in a real browser: two words, jollies, buying, a table larger than the
screen."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator import games
from moderator.games.typdom.state import Public
from moderator.match import turn_data
from moderator.match.contract import State, view_for
from tests.games.typdom_table import Match
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import check_usable, opened, order, spot, tile

TABLE = {
    **{f"{column}20": letter for column, letter in zip("OPQRST", "MEXICO", strict=True)},
    "Q18": "T",
    "Q19": "E",
    "Q21": "*A",
    **{f"{column}22": letter for column, letter in zip("QRSTUVWX", "SARAJEVO", strict=True)},
}
"""Of the sample game of Point-Typ-Dom."""


def dealt(key: str, rack: str = "POLAHN*r*bAS", board: dict[str, str] | None = None, **options: Any) -> State[Public]:
    return Match[Public](key, rack, "FLST", stock="ENSIRAT", board=TABLE if board is None else board, **options).state


def act(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def lay(page: Page, square: str, letters: str, down: bool = False) -> None:
    spot(page, square).click()
    if ("↓" in page.inner_text("#spot")) != down:
        page.click("#turn")
    for letter in letters:
        tile(page, letter).click()


def plays(key: str, state: State[Public], line: str) -> int:
    """The points of a line of the mail, as the game reads it."""
    game = games.load(key)
    return game.apply(state, 0, game.parse(line, view_for(state, 0)), turn_data.CONTEXT).points


@pytest.mark.slow
def test_two_words_are_laid_one_after_the_other(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt("point")
        opened(archive, page, "point", state)
        assert "Point-Typ-Dom" in page.inner_text("h1")
        lay(page, "T19", "PL", down=True)
        assert "POLA 8" in page.inner_text("#says")
        act(page, "Zweites Wort")
        assert "Jetzt das zweite Wort" in page.inner_text("#says")
        lay(page, "U19", "HON")
        assert order(page) == ["T19 s POLA + T19 w PHON"]
        assert page.inner_text("#says").endswith("18 Punkte")
        assert plays("point", state, order(page)[0]) == 18
        page.click("#keep")
        act(page, "Rot kaufen")
        act(page, "Schwarz kaufen")
        act(page, "Rot kaufen")
        assert order(page) == ["T19 s POLA + T19 w PHON", "sonst kaufe 2 rot 1 schwarz"]
        act(page, "Rot kaufen")
        assert page.inner_text("#says") == "Du darfst höchstens 3 Steine kaufen."
        assert order(page)[1] == "sonst kaufe 2 rot 1 schwarz"


@pytest.mark.slow
def test_a_second_word_needs_a_first_that_connects(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "kreuzwort", dealt("kreuzwort"))
        lay(page, "Y22", "S")
        act(page, "Zweites Wort")
        assert page.inner_text("#says").startswith("Ein zweites Wort ist nicht erlaubt: SARAJEVOS verbindet")
        act(page, "Schwarz kaufen")
        assert page.inner_text("#says") == "Gekauft wird statt eines Wortes, nicht dazu."
        assert order(page) == ["Q22 w SARAJEVOS"]
        act(page, "Von vorn")
        assert not page.is_visible("#send")


@pytest.mark.slow
def test_a_missing_second_word_is_bought_for(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt("kreuzwort")
        opened(archive, page, "kreuzwort", state, "en/")
        lay(page, "T19", "PL", down=True)
        assert "Lays no second word and so has to buy." in page.inner_text("#says")
        act(page, "Buy red")
        assert order(page) == ["T19 down POLA + buy red"]
        assert plays("kreuzwort", state, order(page)[0]) == 0


@pytest.mark.slow
def test_a_jolly_is_taken_from_the_table_and_asks_for_its_letter(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt("point", "AHRM")
        opened(archive, page, "point", state)
        assert spot(page, "Q21").get_attribute("aria-label") == "Q21: A, ein Jolly"
        spot(page, "T20").click()
        act(page, "Jolly holen")
        assert page.inner_text("#says") == "Auf T20 liegt kein Jolly."
        spot(page, "Q21").click()
        act(page, "Jolly holen")
        assert page.inner_text("#says").startswith("Der Jolly ist auf deiner Bank.")
        lay(page, "W21", "H", down=True)
        act(page, "roter Jolly")
        assert page.inner_text("#says") == "Für welchen Buchstaben soll der Stein stehen?"
        assert page.locator("#rack button").all_inner_texts() == list("AEIOUY")
        tile(page, "E").click()
        assert order(page) == ["tausche A an Q21; W21 s HV*E"]
        assert plays("point", state, order(page)[0]) == 9
        page.click("#keep")
        assert spot(page, "Q21").get_attribute("aria-label") == "Q21: A, ein Jolly"


@pytest.mark.slow
def test_a_jolly_is_laid_by_keys(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "point", dealt("point", "TXS*r*b", board={}))
        spot(page, "T20").focus()
        for key in ("t", "*", "e", "x", "*", "t", "s"):
            page.keyboard.press(key)
        assert order(page) == ["T20 w T*EX*TS"]
        page.keyboard.press("*")
        assert page.inner_text("#says") == "* liegt nicht mehr auf deiner Bank."
        page.keyboard.press("Backspace")
        page.keyboard.press("Backspace")
        page.keyboard.press("*")
        assert len(page.locator("#rack button").all()) == 20
        page.keyboard.press("Escape")
        assert order(page) == ["T20 w T*EX"]


@pytest.mark.slow
def test_what_the_rules_forbid_is_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "point", dealt("point"))
        lay(page, "S19", "P", down=False)
        spot(page, "T19").click()
        tile(page, "A").click()
        assert page.inner_text("#says") == (
            "PA ab S19 enthält keinen Buchstaben, der schon liegt. Berühren allein genügt nicht."
        )
        assert not page.is_visible("#send")
        assert page.is_disabled("#keep")
        spot(page, "T20").click()
        tile(page, "H").click()
        assert page.inner_text("#says") == "H passt dort nicht: Auf T20 liegt schon O."


@pytest.mark.slow
def test_the_table_grows_with_the_chosen_square(archive: Archive, chromium: Browser) -> None:
    """It is wider than the screen: the board scrolls, the page does not, and the focus stays in sight."""
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "kreuzwort", dealt("kreuzwort"))
        before = page.locator("#board [data-spot]").count()
        spot(page, "T20").focus()
        for _ in range(25):
            page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "AN20: leer"
        assert page.locator("#board [data-spot]").count() > before
        inside = page.evaluate(
            "(() => { const board = document.getElementById('board').getBoundingClientRect(), "
            "here = document.activeElement.getBoundingClientRect(); "
            "return board.left <= here.left && here.right <= board.right && board.right <= innerWidth; })()"
        )
        assert inside
        assert page.evaluate("scrollY") == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["kreuzwort", "point"])
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, key: str, dark: bool) -> None:
    """On a phone, with a move under way."""
    for view in looked(chromium, archive, dark=dark):
        page = view.page
        opened(archive, page, key, dealt(key))
        lay(page, "T19", "PL", down=True)
        page.click("#keep")
        spot(page, "Y22").click()
        act(page, "schwarzer Jolly")
        check_usable(page)
        assert page.evaluate("document.querySelector('[data-spot]').getBoundingClientRect().width") >= 34
