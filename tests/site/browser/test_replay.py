"""The page of a match in a real browser: every button and key, on a board of every family."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.site.browser.conftest import FAMILIES, SHOWN, Archive, Looked, looked
from tests.slow import mostly_slow

PLAYED = [game for game in FAMILIES if game != "presto"]
"""Games that robots play to the end; a race waits for a person."""
games = pytest.mark.parametrize("game", mostly_slow(PLAYED, ["dominos"]))


def last(page: Page) -> int:
    return int(page.locator(".controls input").get_attribute("max") or 0)


def now(page: Page) -> int:
    """The moment that is shown, and all parts of the page agree on it."""
    moment = int(page.locator(".controls input").input_value())
    says = page.locator(f"tr[data-says][data-n='{moment}']").get_attribute("data-says")
    assert page.locator("#board-says").inner_text() == says
    assert {row.get_attribute("data-n") for row in page.locator("tr.now").all()} == {str(moment)}
    assert shown(page) == expected(page, moment)
    return moment


def shown(page: Page) -> list[int]:
    """Which parts of the boards can be seen, by their place in the page."""
    script = """() => {
        const seen = node => getComputedStyle(node).display !== 'none';
        const parts = [...document.querySelectorAll('[data-from]')];
        return parts.map((part, i) => seen(part) && seen(part.closest('svg')) ? i : -1); }"""
    found: list[int] = page.evaluate(script)
    return [number for number in found if number >= 0]


def expected(page: Page, moment: int) -> list[int]:
    script = """() => [...document.querySelectorAll('[data-from]')].map(g => {
        const b = g.closest('svg'); return [+g.dataset.from, +g.dataset.to, +b.dataset.first, +b.dataset.last]; })"""
    parts: list[list[int]] = page.evaluate(script)
    return [
        n for n, (start, end, first, final) in enumerate(parts) if start <= moment <= end and first <= moment <= final
    ]


@games
def test_every_button(look: Looked, archive: Archive, game: str) -> None:
    page = look.page
    page.goto(archive.match(game))
    end = last(page)
    assert end > 2
    assert now(page) == end
    assert page.locator("[data-go=on]").is_disabled()
    for button, moment in (("back", end - 1), ("first", 0), ("on", 1), ("on", 2), ("back", 1), ("last", end)):
        page.locator(f"[data-go={button}]").click()
        assert now(page) == moment, button
        assert page.url.endswith(f"#zug{moment}")


@games
def test_every_key(look: Looked, archive: Archive, game: str) -> None:
    page = look.page
    page.goto(archive.match(game))
    end = last(page)
    for key, moment in (
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", end),
        ("ArrowRight", end),
    ):
        page.keyboard.press(key)
        assert now(page) == moment, key
    page.keyboard.press("Control+ArrowLeft")
    assert now(page) == end, "keys with Control belong to the browser"


@games
def test_slider_list_and_address(look: Looked, archive: Archive, game: str) -> None:
    page = look.page
    page.goto(f"{archive.match(game)}#zug2")
    assert now(page) == 2
    page.locator(".controls input").focus()
    page.keyboard.press("ArrowRight")
    assert now(page) == 3
    page.locator("tr[data-n='1'] a").click()
    assert now(page) == 1
    page.evaluate("location.hash = 'zug2'")
    page.wait_for_function("document.querySelector('.controls input').value === '2'")
    assert now(page) == 2


def test_it_plays_by_itself_and_stops(look: Looked, archive: Archive) -> None:
    page = look.page
    page.goto(archive.match("dominos"))
    page.evaluate("document.querySelector('.replay').dataset.pause = '20'")
    end, auto = last(page), page.locator("[data-go=auto]")
    page.evaluate(  # on a slow machine it has stopped again before it can be asked
        "window.said = []; new MutationObserver(() => window.said.push("
        "document.querySelector('[data-go=auto]').getAttribute('aria-pressed'))"
        ").observe(document.querySelector('[data-go=auto]'), {attributes: true})"
    )
    page.keyboard.press(" ")
    page.wait_for_function("window.said.length > 0")
    page.wait_for_function(f"document.querySelector('.controls input').value === '{end}'")
    page.wait_for_function("document.querySelector('[data-go=auto]').getAttribute('aria-pressed') === 'false'")
    assert page.evaluate("window.said") == ["true", "false"]
    page.evaluate("document.querySelector('.replay').dataset.pause = '100000'")
    auto.click()
    assert now(page) == 0
    page.keyboard.press("ArrowRight")
    assert auto.get_attribute("aria-pressed") == "false", "who steps by hand does not want it to go on"
    assert now(page) == 1


@games
def test_the_scores_and_racks_of_the_moment(look: Looked, archive: Archive, game: str) -> None:
    page = look.page
    page.goto(archive.match(game))
    for moment in (0, last(page) // 2, last(page)):
        page.goto(f"{archive.match(game)}#zug{moment}")
        row = page.locator(f"tr[data-says][data-n='{moment}']")
        scores = [cell.inner_text() for cell in page.locator("[data-score]").all()]
        assert " ".join(scores) == row.get_attribute("data-scores")
        racks = json.loads(row.get_attribute("data-racks") or "[]")
        cells = page.locator("[data-rack]").all()
        assert [" ".join(cell.locator(".small-tile").all_inner_texts()) for cell in cells] == racks


@games
def test_without_a_script_the_last_moment_is_shown(chromium: Browser, archive: Archive, game: str) -> None:
    for view in looked(chromium, archive, script=False):
        page = view.page
        page.goto(archive.match(game))
        assert page.locator(".controls").is_hidden()
        visible = page.locator("svg.board:visible")
        assert visible.count() == 1
        first, end = visible.get_attribute("data-first"), visible.get_attribute("data-last")
        parts = visible.locator("[data-from]")
        assert parts.count() > 0 or first == end
        for part in parts.all()[:60]:
            gone = part.get_attribute("data-to") != end
            assert part.get_attribute("class") == ("gone" if gone else None)
            assert not (gone and part.is_visible())


@pytest.fixture
def wide_and_dark(chromium: Browser, archive: Archive) -> Iterator[Looked]:
    yield from looked(chromium, archive, width=1200, dark=True)


def test_in_the_dark_the_sheet_is_dark_and_the_tiles_are_light(wide_and_dark: Looked, archive: Archive) -> None:
    page = wide_and_dark.page
    for game in SHOWN:
        page.goto(archive.match(game))
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 120
        tile = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--tile-1')")
        assert tile.strip() == "#FFFDF6"
