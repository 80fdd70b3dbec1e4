"""The page of a match in a real browser: every button and key, on a board of every family."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.site.browser.conftest import FAMILIES, SHOWN, Archive, Looked, looked

PLAYED = [game for game in FAMILIES if game != "presto"]
"""Games that robots play to the end; a race waits for a person."""
games = pytest.mark.parametrize("game", PLAYED)


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@games
def test_without_a_script_the_last_moment_is_shown(chromium: Browser, archive: Archive, game: str) -> None:
    for view in looked(chromium, archive, script=False):
        page = view.page
        page.goto(archive.match(game))
        assert page.locator(".controls").is_hidden()
        assert page.locator(".share").is_hidden()
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


@pytest.mark.slow
def test_in_the_dark_the_sheet_is_dark_and_the_tiles_are_light(wide_and_dark: Looked, archive: Archive) -> None:
    page = wide_and_dark.page
    for game in SHOWN:
        page.goto(archive.match(game))
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 120
        tile = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--tile-1')")
        assert tile.strip() == "#FFFDF6"


# ---- a link to the move, the other language, fingers ----


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["clipboard", "as before", "by hand"])
def test_the_link_to_the_move_is_copied_and_that_is_said(chromium: Browser, archive: Archive, way: str) -> None:
    for view in looked(chromium, archive):
        page = view.page
        if way == "clipboard":
            page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        else:
            page.add_init_script(NO_CLIPBOARD)
        if way == "by hand":
            page.add_init_script("document.execCommand = () => false")
        page.goto(archive.match("dominos"))
        page.locator("[data-go=back]").click()
        address = f"{archive.match('dominos')}#zug{now(page)}"
        page.locator(".share button").click()
        said = page.locator(".share [role=status]")
        page.wait_for_function("document.querySelector('.share [role=status]').textContent !== ''")
        assert said.inner_text() == (f"Zum Kopieren: {address}" if way == "by hand" else "Kopiert.")
        assert page.evaluate("document.activeElement === document.querySelector('.share button')")
        if way == "clipboard":
            assert page.evaluate("navigator.clipboard.readText()") == address
        elif way == "as before":
            page.evaluate("document.body.append(document.createElement('textarea'))")
            page.locator("textarea").focus()
            page.keyboard.press("Control+v")
            assert page.locator("textarea").input_value() == address
        page.locator("[data-go=first]").click()
        assert said.inner_text() == "", "it was said of another move"


@pytest.mark.slow
def test_the_other_language_opens_at_the_same_move(look: Looked, archive: Archive) -> None:
    page = look.page
    page.goto(archive.match("topwords"))
    switch = page.locator("a.language[lang=en]")
    assert "#" not in (switch.get_attribute("href") or ""), "nobody has chosen a move yet"
    page.locator("[data-go=first]").click()
    page.locator("[data-go=on]").click()
    switch.click()
    page.wait_for_url("**/en/matches/*#zug1")
    assert now(page) == 1
    page.goto(f"{archive.match('topwords', 'en/')}#zug2")
    page.locator("a.language[lang=de]").click()
    page.wait_for_function("document.documentElement.lang === 'de'")
    assert now(page) == 2


@pytest.mark.slow
def test_a_finger_turns_the_page_and_reads_of_no_keys(chromium: Browser, archive: Archive) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{archive.match('topwords')}#zug2")
    assert page.locator(".keys").is_hidden()
    assert page.locator(".share").is_visible()
    fingers = context.new_cdp_session(page)

    def wipe(start: tuple[int, int], end: tuple[int, int]) -> int:
        points = ({"x": x, "y": y} for x, y in (start, end))
        for kind, where in zip(("touchStart", "touchMove"), points, strict=True):
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [where]})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        return now(page)

    assert wipe((300, 200), (120, 210)) == 3
    assert wipe((120, 200), (300, 190)) == 2
    assert wipe((200, 300), (190, 150)) == 2, "who scrolls turns no page"
    context.close()


def test_who_has_keys_is_told_of_them(look: Looked, archive: Archive) -> None:
    look.page.goto(archive.match("dominos"))
    assert look.page.locator(".keys").is_visible()
