"""The page of a match in a real browser: every button and key, on a board of every family; and links to a move, which
show that move on the screen."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.site.build import publish_site
from moderator.site.layout import SiteContent
from tests.club.club import Club, club_of
from tests.site.browser.conftest import FAMILIES, Archive, Looked

PLAYED = [game for game in FAMILIES if game != "presto"]
"""Games that robots play to the end; a race waits for a person."""


def last(page: Page) -> int:
    return int(page.locator(".controls input").get_attribute("max") or 0)


def now(page: Page) -> int:
    """The moment that is shown, and all parts of the page agree on it."""
    moment = int(page.locator(".controls input").input_value())
    says = page.locator(f"li[data-says][data-n='{moment}']").get_attribute("data-says")
    assert page.locator("#board-says").inner_text() == says
    assert {row.get_attribute("data-n") for row in page.locator("li.now").all()} == {str(moment)}
    for is_seen, start, end, first, final in page.evaluate(PARTS_OF_BOARDS):
        assert is_seen == (start <= moment <= end and first <= moment <= final)
    return moment


PARTS_OF_BOARDS = """() => {
    const seen = node => getComputedStyle(node).display !== 'none';
    return [...document.querySelectorAll('[data-from]')].map(part => {
        const board = part.closest('svg'), { first, last } = board.dataset;
        return [seen(part) && seen(board), +part.dataset.from, +part.dataset.to, +first, +last]; }); }"""


@pytest.mark.matrix("browser pages")
@pytest.mark.parametrize("game", PLAYED)
def test_every_button_and_key_slider_list_and_address(look: Looked, archive: Archive, game: str) -> None:
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
    keys = "Home ArrowRight ArrowRight ArrowLeft End ArrowRight Control+ArrowLeft"  # Control's belong to the browser
    for key, moment in zip(keys.split(), (0, 1, 2, 1, end, end, end), strict=True):
        page.keyboard.press(key)
        assert now(page) == moment, key
    page.goto("about:blank")
    page.goto(f"{archive.match(game)}#zug2")
    assert now(page) == 2
    page.locator(".controls input").focus()
    page.keyboard.press("ArrowRight")
    assert now(page) == 3
    page.locator("li[data-n='1'] a").click()
    assert now(page) == 1
    page.evaluate("location.hash = 'zug2'")
    page.wait_for_function("document.querySelector('.controls input').value === '2'")
    assert now(page) == 2
    for moment in (0, end // 2, end):
        page.goto(f"{archive.match(game)}#zug{moment}")
        page.wait_for_function(f"document.querySelector('.controls input').value === '{moment}'")
        row = page.locator(f"li[data-says][data-n='{moment}']")
        scores = [cell.inner_text() for cell in page.locator(".seats [data-score]").all()]
        assert " ".join(scores) == row.get_attribute("data-scores").replace("-", "−")
        racks = json.loads(row.get_attribute("data-racks") or "[]")
        cells = page.locator("[data-rack]").all()
        assert [" ".join(cell.locator(".small-tile").all_inner_texts()) for cell in cells] == racks


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


@pytest.mark.matrix("browser pages")
@pytest.mark.parametrize("game", PLAYED)
@pytest.mark.parametrize("look", [{"script": False}], indirect=True, ids=["no script"])
def test_without_a_script_the_last_moment_is_shown(look: Looked, archive: Archive, game: str) -> None:
    page = look.page
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


@pytest.mark.slow
@pytest.mark.parametrize("look", [{"width": 1200, "dark": True}], indirect=True, ids=["wide and dark"])
def test_in_the_dark_the_sheet_is_dark_and_the_tiles_are_light(look: Looked, archive: Archive) -> None:
    for game in FAMILIES:
        look.page.goto(archive.match(game))
        ground = look.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, ground.removeprefix("rgb(").removesuffix(")").split(","))) < 120
        tile = look.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--tile-1')")
        assert tile.strip() == "#FFFDF6"


NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["clipboard", "as before", "by hand"])
def test_the_link_to_the_move_is_copied_and_that_is_said(look: Looked, archive: Archive, way: str) -> None:
    page = look.page
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
    switch, menu = page.locator("a.language[lang=en]"), page.locator(".menu details:has(.language) summary")
    assert "#" not in (switch.get_attribute("href") or ""), "nobody has chosen a move yet"
    page.locator("[data-go=first]").click()
    page.locator("[data-go=on]").click()
    menu.click()
    switch.click()
    page.wait_for_url("**/en/matches/*#zug1")
    assert now(page) == 1
    page.goto(f"{archive.match('topwords', 'en/')}#zug2")
    menu.click()
    page.locator("a.language[lang=de]").click()
    page.wait_for_function("document.documentElement.lang === 'de'")
    assert now(page) == 2


@pytest.mark.slow
def test_a_finger_turns_the_page_and_reads_of_no_keys(chromium: Browser, archive: Archive) -> None:
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
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

    assert wipe((300, 400), (120, 410)) == 3
    assert wipe((120, 400), (300, 390)) == 2
    assert wipe((200, 450), (190, 300)) == 2, "who scrolls turns no page"
    context.close()


PHONE: Any = {"width": 390, "height": 844}
DESKTOP: Any = {"width": 1280, "height": 800}
LONG = ("R2 Donaudampfschifffahrtsgesellschaftska", "R2 Maximiliane von und zu Hohenlohe-Lang", f"R2 {'W' * 37}")
PARTS = 12
"""Of the links of whole sites each so many-th is followed by one test."""

LOOK = """() => {
    const box = node => { const r = node.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
    const controls = document.querySelector('.controls');
    return {board: box(document.querySelector('.stage .table')), controls: box(controls),
            head: document.querySelector('header').offsetHeight, across: document.documentElement.scrollWidth,
            moment: +controls.querySelector('input').value, last: +controls.querySelector('input').max}; }"""


def look_at(page: Page, moment: int) -> None:
    """The board of ``moment`` is on the screen, whole, and the bar below it."""
    # The browser goes where the address points until the page is loaded; two frames later nothing moves any more.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    look: dict[str, Any] = page.evaluate(LOOK)
    left, top, right, bottom = look["board"]
    where = f"{page.url} at {width}x{height}: {look}"
    assert look["moment"] == moment, where
    assert left >= 0, where
    assert right <= look["across"] <= width, where
    assert look["head"] <= top < bottom <= look["controls"][1], where
    assert look["controls"][3] <= height, where


def list_links(folder: Path) -> list[str]:
    """All links to a move in feeds and pages, as seen from the folder."""
    found = set()
    for file in [*folder.rglob("*.html"), *folder.rglob("*.atom")]:
        for target in re.findall(r'href="([^"]*#zug\d+)"', file.read_text(encoding="utf-8")):
            page = target.partition("#")[0]
            there = (file.parent / page).resolve() if page else file
            found.add(f"{there.relative_to(folder.resolve()).as_posix()}#{target.partition('#')[2]}")
    return sorted(found)


@pytest.mark.matrix("browser pages", seconds=3)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_link_of_a_site(chromium: Browser, archive: Archive, people: tuple[Club, Path], part: int) -> None:
    links = [(folder, link) for folder in (archive.folder, people[1]) for link in list_links(folder)]
    assert len(links) > 1000
    for screen, step in ((PHONE, PARTS), (DESKTOP, PARTS * 5)):  # the pages are the same, and each is loaded
        page = chromium.new_page(viewport=screen)
        for folder, link in links[part::step]:
            page.goto("about:blank")  # as by a click from elsewhere
            page.goto(f"{folder.as_uri()}/{link}")
            look_at(page, int(link.partition("#zug")[2]))
        page.close()


@pytest.mark.slow
def test_an_address_typed_into_an_open_page_and_a_page_of_one_s_own_scrolling(
    chromium: Browser, archive: Archive
) -> None:
    page = chromium.new_page(viewport=PHONE)
    page.goto(archive.match("topwords"))
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate("location.hash = 'zug3'")
    page.wait_for_function("document.querySelector('.controls input').value === '3'")
    look_at(page, 3)
    page.mouse.wheel(0, 900)
    page.wait_for_function("scrollY > 600")
    page.locator("[data-go=on]").evaluate("button => button.click()")
    assert page.evaluate("scrollY") > 600, "who scrolls stays where they are"
    page.close()


@pytest.mark.slow
def test_without_a_script_the_link_leads_to_the_line_of_the_list(chromium: Browser, archive: Archive) -> None:
    page = chromium.new_context(viewport=PHONE, java_script_enabled=False).new_page()
    page.goto(f"{archive.match('topwords')}#zug5")
    box = page.locator("li[data-n='5']").first.bounding_box()
    assert 0 <= box["y"] < 844 - box["height"]
    page.context.close()


@pytest.fixture(scope="module")
def lengthy(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Matches of people whose names are as long as names may be."""
    assert {len(name) for name in LONG} == {40}
    folder = tmp_path_factory.mktemp("lengthy")
    (folder / "club").mkdir()
    club = club_of(folder / "club", *LONG)
    codes = {game: club.match(*LONG[:2], game=game) for game in ("topwords", "dominos")}
    for _ in range(2):
        club.tick()
    with club.work() as work:
        publish_site(SiteContent(work, folder / "site"), folder / "site")
    return Archive(folder / "site", codes)


@pytest.mark.matrix("browser pages")
@pytest.mark.parametrize("width", [390, 600, 950, 1280])
def test_long_names_leave_the_moves_their_room(chromium: Browser, lengthy: Archive, width: int) -> None:
    for game in lengthy.codes:
        page = chromium.new_page(viewport={"width": width, "height": 800})
        page.goto(f"{lengthy.match(game)}#zug3")
        look_at(page, 3)
        for row in page.locator("li[data-says]:not(.note)").all()[:5]:
            move, points = row.locator("a").bounding_box(), row.locator(".points").bounding_box()
            assert move["width"] >= 60, f"{game}: a move has {move}"
            assert points["x"] + points["width"] <= width - 16, f"{game}: {points}"
        page.close()
