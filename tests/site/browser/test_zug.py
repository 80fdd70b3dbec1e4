"""The page to lay tiles on, in a real browser, from the mail to the mail: Topwords, and what all pages share."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from moderator import games
from moderator.club import board_page
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import Options, Public
from moderator.match import turn_data
from moderator.match.contract import State, view_for
from moderator.pages.mail import folder as templates
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors import turn_of
from tests.site.browser.zug_page import check_usable, mailed, opened, order, spot, tile


def dealt(words: str = "") -> State[Public]:
    board = [""] * 100
    for place, letter in zip(range(44, 48), words, strict=False):
        board[place] = letter
    public = Public(Options(), tuple(board), fresh=tuple(range(44, 48)) if words else ())
    return State(public, (tuple("MAOTERN"), tuple("AEINRST")), tuple("ENSIRAT"), (8, 0), (0,))


def test_every_page_opens(archive: Archive, chromium: Browser) -> None:
    """Modules that stand one behind the other in one script share their names: one that is there twice stops it."""
    assert len(board_page.families()) > 3
    for page in board_page.families():
        for view in looked(chromium, archive):
            view.page.goto(archive.address(page))
            view.page.wait_for_selector("#ask:not([hidden])", timeout=10_000)


@pytest.mark.slow
def test_the_next_mails_link_is_followed_in_the_page_that_is_open(archive: Archive, chromium: Browser) -> None:
    """A browser that finds the page open changes the end of its address only."""
    for view in looked(chromium, archive):
        opened(archive, view.page, "topwords", dealt("HAUS"))
        spot(view.page, "E5").click()
        tile(view.page, "M").click()
        view.page.click("#keep")
        opened(archive, view.page, "topwords", dealt("RIND"))
        view.page.wait_for_function("() => document.getElementById('board').textContent.includes('R')")
        assert "R" in spot(view.page, "E5").inner_text()
        assert "MAUS" not in view.page.inner_text("#play"), "that was laid on another position"
        assert view.page.url.endswith("zug/topwords.html")


def test_modules_are_short() -> None:
    modules = [*(templates() / "site").glob("zug*.js"), *Path(games.__file__).parent.glob("*/*.js")]
    assert len(modules) > 6
    assert not [one.name for one in modules if len(one.read_text(encoding="utf-8").splitlines()) > 500]


@pytest.mark.slow
def test_tiles_are_laid_by_tapping_and_the_mail_holds_the_move(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt("HAUS")
        opened(archive, page, "topwords", state)
        assert page.url.endswith("zug/topwords.html")  # the token is out of the address bar
        assert "17" in page.inner_text("#about")
        assert "20:00" in page.inner_text("#until")
        spot(page, "E5").click()
        tile(page, "M").click()
        assert "E5 w MAUS" in page.inner_text("#says")
        page.click("#keep")
        spot(page, "H4").click()
        page.click("#turn")
        tile(page, "O").click()
        assert order(page) == ["E5 w MAUS", "sonst H4 s OS"]
        page.click("#keep")
        page.click("#pass")
        assert order(page) == ["E5 w MAUS", "sonst H4 s OS", "sonst passe"]
        page.locator("#orders button:not([disabled])", has_text="↑").first.click()
        assert order(page) == ["H4 s OS", "sonst E5 w MAUS", "sonst passe"]
        moves = [GAME.parse(line.removeprefix("sonst "), view_for(state, 0)) for line in order(page)]
        for move in moves:
            GAME.apply(state, 0, move, turn_data.CONTEXT)


@pytest.mark.slow
def test_tiles_are_laid_by_keys_and_by_dragging(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "topwords", dealt(), "en/")
        spot(page, "E5").focus()
        for key in ("n", "o", "t"):
            page.keyboard.press(key)
        assert order(page) == ["E5 across NOT"]
        page.keyboard.press("Backspace")
        assert order(page) == ["E5 across NO"]
        source, target = tile(page, "R").bounding_box(), spot(page, "G5").bounding_box()
        page.mouse.move(source["x"] + 20, source["y"] + 20)
        page.mouse.down()
        page.mouse.move(target["x"] + 10, target["y"] + 10, steps=5)
        page.mouse.up()
        assert order(page) == ["E5 across NOR"]
        tile(page, "M").click()
        assert order(page) == ["E5 across NORM"]


@pytest.mark.slow
def test_what_the_rules_forbid_is_not_composed_and_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "topwords", dealt("HAUS"))
        spot(page, "A1").click()
        tile(page, "M").click()
        tile(page, "A").click()
        assert page.inner_text("#says") == "MA ab A1 berührt nichts, was schon liegt."
        assert not page.is_visible("#send")
        assert page.is_disabled("#keep")


@pytest.mark.slow
def test_tiles_are_exchanged(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "topwords", dealt("HAUS"))
        page.click("#swap")
        tile(page, "M").click()
        tile(page, "T").click()
        assert order(page) == ["tausche M T"]


@pytest.mark.slow
def test_the_attachment_does_as_well_and_anything_else_is_refused(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        page.goto(archive.address("zug/topwords.html"))
        page.fill("#paste", '{"turn": 1, "game": "dominos"}')
        assert "keine Stellung" in page.inner_text("#wrong")
        page.set_input_files(
            "#file", {"name": "turn.json", "mimeType": "application/json", "buffer": turn_of(dealt("HAUS"), "topwords")}
        )
        page.wait_for_selector("#play:not([hidden])")
        assert spot(page, "E5").inner_text() == "H"


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, dark: bool) -> None:
    """On a phone, with a move under way."""
    for view in looked(chromium, archive, dark=dark):
        page = view.page
        opened(archive, page, "topwords", dealt("HAUS"))
        spot(page, "E5").click()
        tile(page, "M").click()
        page.click("#keep")
        check_usable(page)
        squares = page.evaluate("document.querySelector('[data-spot]').getBoundingClientRect().width")
        assert squares >= 34


@pytest.mark.slow
@pytest.mark.parametrize("key", ["topwords", "kreuzwort"])
def test_a_link_in_a_mail_opens_the_page_and_the_page_opens_the_answer(
    tmp_path: Path, chromium: Browser, key: str
) -> None:
    """The whole way, from a mail of the program to a mail that it plays."""
    turn = mailed(tmp_path / "club", key)
    moves = turn.club.moves(turn.code, turn.seat)
    word = min(moves, key=lambda move: ("*" in move, len(move), move)).split(" (")[0]

    def lay(page: Page) -> None:
        square, way, letters = word.split()
        spot(page, square).click()
        if way == "s":
            page.click("#turn")
        for letter in letters:
            tile(page, letter).click()

    turn.answered(chromium, lay)
    assert turn.played == word
