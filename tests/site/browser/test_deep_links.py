"""Whoever follows a link to a move sees that move on the board: measured on the screen, for every link there is."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.club.club import Club, make_club
from tests.site.browser.conftest import FAMILIES, Archive

SCREENS = {"phone": (390, 844), "desktop": (1280, 800)}
LONG = ("R2 Donaudampfschifffahrtsgesellschaftska", "R2 Maximiliane von und zu Hohenlohe-Lang", f"R2 {'W' * 37}")
DESKTOP = 5
"""The desktop is tried with each so many-th of them: the pages are the same, and each is loaded."""
EVERY = 7
"""Of the links of whole sites each so many-th is followed."""

LOOK = """() => {
    const box = node => { const r = node.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
    const board = document.querySelector('svg.board:not(.gone)');
    const fresh = [...board.querySelectorAll('.fresh [data-from]:not(.gone)')].map(box);
    const controls = document.querySelector('.controls');
    return {board: box(board), fresh: fresh, controls: box(controls), moment: +controls.querySelector('input').value,
            last: +controls.querySelector('input').max, across: document.documentElement.scrollWidth}; }"""


def seen(page: Page, moment: int) -> dict[str, Any]:
    """What is on the screen, after it was found to be the board of ``moment``."""
    # The browser goes where the address points until the page is loaded; two frames later nothing moves any more.
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.viewport_size is not None
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    look: dict[str, Any] = page.evaluate(LOOK)
    left, top, right, bottom = look["board"]
    where = f"{page.url} at {width}x{height}: {look}"
    assert look["moment"] == moment, where
    assert left >= 0, where
    assert right <= look["across"] <= width, where
    assert 0 <= look["controls"][1] < look["controls"][3] <= height, where
    room = look["controls"][1] if bottom > height else height
    if top < 0 or bottom > height:  # higher than the screen: then the tiles that were laid last can be seen
        assert bottom - top > room - 160, where
        span = [min((box[1] for box in look["fresh"]), default=0), max((box[3] for box in look["fresh"]), default=0)]
        assert span[1] - span[0] > room or (span[0] >= 0 and span[1] <= room), where
        assert top >= 0 or look["fresh"], where
    return look


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The folder on the web; the address of its root."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def opened(browser: Browser, screen: str) -> Page:
    width, height = SCREENS[screen]
    return browser.new_page(viewport={"width": width, "height": height})


def follow(page: Page, root: str, link: str) -> dict[str, Any]:
    """A click from elsewhere: the page is loaded anew."""
    page.goto("about:blank")
    page.goto(f"{root}/{link}")
    return seen(page, int(link.partition("#zug")[2]))


def deep_links(folder: Path) -> list[str]:
    """All links to a move in feeds and pages, as seen from the folder."""
    found = set()
    for file in [*folder.rglob("*.html"), *folder.rglob("*.atom")]:
        for target in re.findall(r'href="([^"]*#zug\d+)"', file.read_text(encoding="utf-8")):
            page = target.partition("#")[0]
            there = (file.parent / page).resolve() if page else file
            found.add(f"{there.relative_to(folder.resolve()).as_posix()}#{target.partition('#')[2]}")
    return sorted(found)


@pytest.mark.matrix("browser")
@pytest.mark.parametrize("game", list(FAMILIES))
@pytest.mark.parametrize("screen", SCREENS)
def test_first_middle_and_last_move_from_file_and_web(
    chromium: Browser, archive: Archive, screen: str, game: str
) -> None:
    link = f"matches/{archive.codes[game]}.html#zug"
    page = opened(chromium, screen)
    with served(archive.folder) as web:
        for root in (archive.folder.as_uri(), web):
            last = follow(page, root, f"{link}0")["last"]
            for moment in sorted({min(1, last), last // 2, last}):
                follow(page, root, f"{link}{moment}")
            follow(page, root, f"en/{link}{last // 2}")
    page.close()


@pytest.mark.matrix("browser")
def test_every_link_of_a_site(chromium: Browser, archive: Archive, people: tuple[Club, Path]) -> None:
    links = [(folder, link) for folder in (archive.folder, people[1]) for link in deep_links(folder)]
    assert len(links) > 1000
    for screen in SCREENS:
        page = opened(chromium, screen)
        for folder, link in links[:: EVERY if screen == "phone" else EVERY * DESKTOP]:
            follow(page, folder.as_uri(), link)
        page.close()


@pytest.mark.slow
def test_an_address_typed_into_an_open_page_and_a_page_of_one_s_own_scrolling(
    chromium: Browser, archive: Archive
) -> None:
    page = opened(chromium, "phone")
    page.goto(archive.match("topwords"))
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.evaluate("location.hash = 'zug3'")
    page.wait_for_function("document.querySelector('.controls input').value === '3'")
    seen(page, 3)
    page.mouse.wheel(0, 900)
    page.wait_for_function("scrollY > 600")
    page.locator("[data-go=on]").evaluate("button => button.click()")
    assert page.evaluate("scrollY") > 600, "who scrolls stays where they are"
    page.close()


@pytest.mark.slow
def test_without_a_script_the_link_leads_to_the_line_of_the_list(chromium: Browser, archive: Archive) -> None:
    page = chromium.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False).new_page()
    page.goto(f"{archive.match('topwords')}#zug5")
    box = page.locator("tr[data-n='5']").first.bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 844 - box["height"]
    page.context.close()


@pytest.fixture(scope="module")
def lengthy(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Matches of people whose names are as long as names may be."""
    from moderator.site.run import publish

    assert {len(name) for name in LONG} == {40}
    folder = tmp_path_factory.mktemp("lengthy")
    (folder / "club").mkdir()
    club = make_club(folder / "club")
    club.players(*LONG)
    codes = {game: club.match(*LONG[:2], game=game) for game in ("topwords", "dominos")}
    for _ in range(2):
        club.tick()
    with club.desk() as desk:
        publish(desk, folder / "site")
    return Archive(folder / "site", codes)


@pytest.mark.matrix("browser")
@pytest.mark.parametrize("width", [390, 600, 950, 1280])
def test_long_names_leave_the_moves_their_room(chromium: Browser, lengthy: Archive, width: int) -> None:
    for game in lengthy.codes:
        page = chromium.new_page(viewport={"width": width, "height": 800})
        page.goto(f"{lengthy.match(game)}#zug3")
        seen(page, 3)
        for row in page.locator("tr[data-says]").all()[1:6]:
            if row.locator("td").count() < 5:
                continue  # a note goes across
            move, total = (row.locator(f"td:nth-child({n})").bounding_box() for n in (3, 5))
            assert move is not None
            assert total is not None
            assert move["width"] >= 110, f"{game}: a move has {move}"
            assert total["x"] + total["width"] <= width - 16, f"{game}: {total}"
        page.close()
