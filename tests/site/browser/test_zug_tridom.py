"""The page to lay tiles on of Tridom and SuperTridom, in a real browser, from the mail to the mail."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.errors import PlayerError
from moderator.games.tridom.board import all_tiles
from moderator.games.tridom.rules import GAME, SUPER
from moderator.games.tridom.state import Lay, Options, Public
from moderator.match import turn_data
from moderator.match.contract import Note, State, view_for
from moderator.pages.messages import sentence
from tests.games.tridom_table import fixed, play
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors_tridom import table
from tests.site.browser.zug_page import check_usable, mailed, opened, order, said, smallest


def circle() -> State[Public]:
    """The worked mails of RULES.md: five tiles around a corner, and 445 closes the hexagon on place 8."""
    state = fixed("555 335 455 445 034", "355 255 345 012", stock="001 002").state
    for line in ("355@2", "455@3", "255@4", "335@6", "345@12"):
        state = play(GAME, state, line).state
    return state


def large(dark: bool) -> State[Public]:
    """Wider and higher than a phone."""
    dice = random.Random(f"zug {dark}")
    tiles = dice.sample(all_tiles(True), k=76)
    board, last = table(dice, tiles, 45)
    public = Public(Options(), True, board, ((0,), (0,)), last=last)
    return State(public, (tuple(tiles[:9]), tuple(tiles[9:12])), tuple(tiles[12:]), (120, -35), (0,))


def place(page: Page, number: int) -> Any:
    return page.locator(f'#board [data-spot="{number}"]')


def tile(page: Page, name: str) -> Any:
    return page.locator(f'#rack [aria-label^="{name}"]').first


def marked(page: Page) -> set[int]:
    """Places that are shown as open."""
    return {int(one) for one in page.eval_on_selector_all(".open", "all => all.map(one => one.dataset.spot)")}


def drag(page: Page, name: str, number: int) -> None:
    source, target = tile(page, name).bounding_box(), place(page, number).bounding_box()
    page.mouse.move(source["x"] + 20, source["y"] + 20)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=5)
    page.mouse.up()


@pytest.mark.slow
def test_a_tile_goes_to_the_place_that_was_tapped_and_turns_by_itself(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, circle()
        opened(archive, page, "tridom", state)
        assert marked(page) == {move.place for move, _ in GAME.moves(view_for(state, 0), turn_data.CONTEXT)}
        place(page, 8).click()
        assert tile(page, "445").get_attribute("aria-label") == "445: 63 Punkte"
        assert tile(page, "034").get_attribute("aria-label") == "034"
        tile(page, "445").click()
        assert said(page) == "445@8 · 445 13 · 1 Sechseck geschlossen: 50 Punkte extra. · 63 Punkte"
        assert place(page, 8).get_attribute("aria-label") == (
            "Platz 8, Stein, Spitze oben, ab der Spitze 5 · 4 · 4, von dir gelegt"
        )
        assert page.locator("#rack button").count() == 1
        page.click("#keep")
        place(page, 7).click()
        tile(page, "445").click()
        assert order(page) == ["445@8", "sonst 445@7"]
        place(page, 7).click()  # takes it back
        assert order(page) == ["445@8"]
        tile(page, "445").click()
        page.click("#keep")
        page.click("#standing")
        assert order(page) == ["445@8", "sonst 445@7", "sonst nach Ziehen: bester"]
        page.locator("#orders button:not([disabled])", has_text="↑").first.click()
        assert order(page) == ["445@7", "sonst 445@8", "sonst nach Ziehen: bester"]
        moves = [GAME.parse(line.removeprefix("sonst "), view_for(state, 0)) for line in order(page)]
        assert moves[:2] == [Lay("445", 7), Lay("445", 8)]
        assert not page.is_visible("#pass")
        assert not page.is_visible("#swap")


@pytest.mark.slow
def test_a_tile_that_is_tapped_first_waits_for_its_place(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, circle()
        opened(archive, page, "tridom", state)
        tile(page, "445").click()
        assert said(page) == "445 gewählt: Tippe auf einen der hervorgehobenen Plätze."
        here = {move.place for move, _ in GAME.moves(view_for(state, 0), turn_data.CONTEXT) if move.tile == "445"}
        assert marked(page) == here
        place(page, 7).click()
        assert order(page) == ["445@7"]
        place(page, 8).click()
        tile(page, "034").click()
        assert "passt der Stein 034 nicht" in said(page)
        tile(page, "034").click()  # put back
        assert order(page) == ["445@7"]


@pytest.mark.slow
def test_a_tile_is_dragged_and_the_table_is_walked_by_keys(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "tridom", circle(), "en/")
        drag(page, "445", 7)
        assert order(page) == ["445@7"]
        drag(page, "034", 3)
        assert "A tile lies on place 3 already" in said(page)
        place(page, 7).focus()
        page.keyboard.press("Backspace")
        assert not page.is_visible("#send")
        place(page, 8).focus()
        walked = []
        for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowRight", "ArrowRight", "ArrowDown"):
            page.keyboard.press(key)
            walked.append(page.evaluate("document.activeElement.dataset.spot"))
        assert walked == ["3", "7", "4", "1", "2", "8"]
        place(page, 8).focus()
        page.keyboard.press("Enter")
        tile(page, "445").focus()
        page.keyboard.press("Enter")
        assert order(page) == ["445@8"]
        assert "1 hexagon closed: 50 points extra." in said(page)


@pytest.mark.slow
def test_what_the_rules_forbid_is_not_composed_and_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, circle()
        opened(archive, page, "tridom", state)
        for number in (8, 7, 3):
            with pytest.raises(PlayerError) as error:
                GAME.apply(state, 0, Lay("034", number), turn_data.CONTEXT)
            drag(page, "034", number)
            expected = sentence(Note(error.value.code, error.value.params), "de", "tridom")
            assert said(page) == expected
            assert not page.is_visible("#send")
            assert page.is_disabled("#keep")


@pytest.mark.slow
def test_a_move_may_have_a_condition(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "tridom", circle())
        place(page, 8).click()
        tile(page, "445").click()
        page.fill("#least", "99")
        assert said(page) == "Der Zug bringt nur 63 Punkte, du wolltest mindestens 99."
        assert not page.is_visible("#send")
        page.fill("#least", "40")
        assert order(page) == ["445@8 ab 40"]


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, dark: bool) -> None:
    """On a phone, with a table that is larger: what is chosen is in sight, and only the table is scrolled."""
    for view in looked(chromium, archive, dark=dark):
        page, state = view.page, large(dark)
        opened(archive, page, "supertridom", state)
        assert page.evaluate(
            "(({scrollWidth, clientWidth}) => scrollWidth > clientWidth)(document.getElementById('board'))"
        )
        last = state.public.last
        assert last is not None
        place(page, last).focus()
        for key in ("ArrowLeft",) * 12 + ("ArrowDown",) * 8 + ("ArrowRight",) * 12:
            page.keyboard.press(key)
            inside = page.evaluate(
                "() => { const spot = document.activeElement.getBoundingClientRect();"
                "const board = document.getElementById('board').getBoundingClientRect();"
                "return spot.left >= board.left - 1 && spot.right <= board.right + 1"
                " && spot.top >= board.top - 1 && spot.bottom <= board.bottom + 1; }"
            )
            assert inside, key
        move, _ = next(iter(SUPER.moves(view_for(state, 0), turn_data.CONTEXT)))
        place(page, move.place).click()
        tile(page, move.tile).click()
        page.click("#keep")
        place(page, move.place).click()
        assert order(page) == [SUPER.format(move)]
        check_usable(page)
        assert smallest(page, "#board [data-spot]") >= 44


@pytest.mark.slow
def test_a_link_in_a_mail_opens_the_page_and_the_page_opens_the_answer(tmp_path: Path, chromium: Browser) -> None:
    """The whole way, from a mail of the program to a mail that it plays."""
    turn = mailed(tmp_path / "club", "supertridom")
    stone, _, number = turn.club.moves(turn.code, turn.seat)[0].split(" ")[0].partition("@")

    def lay(page: Page) -> None:
        place(page, int(number)).click()
        tile(page, stone).click()

    turn.answered(chromium, lay)
    assert turn.played == f"{stone}@{number}"
