"""All pages of the archive in a real browser: nothing sticks out, nothing is asked from outside, all can use them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.club.club import Club
from tests.site.browser.conftest import Archive, looked
from tests.site.people_club import TRAP, player_page

SEVERE = ("serious", "critical")
REGIONS = "landmark-unique"
"""Not severe by axe, but who jumps from region to region is told the same name twice."""
LISTS = (
    *("index.html", "matches-2026.html", "players.html", "records.html", "words.html"),
    *("tournaments/T1.html", "tournaments/T4.html", "tournaments/T7.html"),
)


@pytest.fixture(scope="module")
def lists(people: tuple[Club, Path]) -> Archive:
    """Players, tournaments, records and words; the club of the other tests here has no tournament."""
    club, site = people
    return Archive(site, {"trap": player_page(club, TRAP)})


def list_kinds(archive: Archive) -> list[str]:
    """A page of each kind and family, in both languages."""
    found: dict[str, str] = {}
    for file in sorted(archive.folder.rglob("*.html")):
        page = file.relative_to(archive.folder).as_posix()
        found.setdefault(re.sub(r"/[A-Z0-9-]+\.html$", "/*", page), page)
    return sorted({*found.values(), *(f"matches/{code}.html" for code in archive.codes.values())})


def list_findings(page: Page) -> list[str]:
    """What axe finds, if it is severe."""
    found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    return [
        f"{one['id']}: {[n['html'][:120] for n in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in SEVERE or one["id"] == REGIONS
    ]


LAYOUT = """() => {
    const box = what => { const one = document.querySelector(what); if (!one) return null;
        const r = one.getBoundingClientRect(); return {left: r.left, top: r.top, right: r.right, bottom: r.bottom}; };
    const says = document.querySelector('#board-says'), over = says && says.getBoundingClientRect();
    return {across: document.documentElement.scrollWidth, h1: document.querySelector('h1')?.innerText,
            head: box('h1'), board: box('.stage .table'), bar: box('.bar'), seat: box('.seats'),
            table: box('.standings table, .standings .bracket'),
            free: !says || says === document.elementFromPoint(over.left + 5, over.top + over.height / 2)}; }"""
"""Where the things are that must be on the first screen."""
WINDOWS = {"phone": (390, 844), "desktop": (1280, 800), "laptop": (1366, 650)}


@pytest.mark.matrix("browser pages", seconds=5)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("window", WINDOWS)
def test_every_kind_of_page_is_for_all_and_shows_first_what_matters(
    chromium: Browser, archive: Archive, lists: Archive, window: str, dark: bool
) -> None:
    width, height = WINDOWS[window]
    for site, kinds in ((archive, list_kinds(archive)), (lists, [*LISTS, lists.codes["trap"]])):
        for view in looked(chromium, site, width=width, height=height, dark=dark):
            for page in kinds:
                view.page.goto(site.address(page))
                seen = view.page.evaluate(LAYOUT)
                where = f"{page}: {seen}"
                assert seen["across"] <= width, where
                if "matches/" in page:
                    check_match(seen, height, where)
                elif seen["table"]:
                    assert seen["table"]["top"] < 220, where
                # axe's findings hang on the colours, or on the width, not on both
                assert (window == "phone") != dark or not list_findings(view.page), page


def check_match(seen: dict[str, Any], height: int, where: str) -> None:
    """Result, seat, board, sentence and bar are on the first screen, and nothing covers the sentence."""
    assert re.search(r"\d", seen["h1"]), where
    assert max(seen["head"]["bottom"], seen["seat"]["bottom"]) <= 400, where
    assert seen["board"]["bottom"] - seen["board"]["top"] >= 120, where
    assert seen["board"]["bottom"] <= seen["bar"]["top"] < seen["bar"]["bottom"] <= height, where
    assert seen["free"], where


@pytest.fixture
def page(request: pytest.FixtureRequest, chromium: Browser, lists: Archive) -> Iterator[Page]:
    """An empty one on a phone; its parameter says without a script."""
    for view in looked(chromium, lists, script=getattr(request, "param", True)):
        yield view.page


without_script = pytest.mark.parametrize("page", [False], indirect=True, ids=["no script"])


@pytest.mark.slow
def test_a_wide_table_is_reached_and_moved_by_keys(page: Page, lists: Archive) -> None:
    page.goto(lists.address("tournaments/T2.html"))
    table = page.locator("div.wide").first
    table.focus()
    assert table.evaluate("box => box.scrollWidth > box.clientWidth")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('div.wide').scrollLeft > 0")


@pytest.mark.slow
def test_the_list_of_matches_is_narrowed_by_what_is_typed(page: Page, lists: Archive) -> None:
    page.goto(lists.address("matches-2026.html"))
    field, lines = page.locator("#filter"), page.locator("li.card")
    every, says = lines.count(), page.locator(".filter [role=status]")
    assert says.inner_text() == ""
    field.press_sequentially("anna DOM")
    shown = [line.inner_text().lower() for line in lines.all() if line.is_visible()]
    assert 0 < len(shown) < every
    assert all("anna" in text and "dom" in text for text in shown)
    assert says.inner_text() == f"{len(shown)} von {every}"
    page.locator("#game").select_option("kreuzwort")
    assert not any(line.is_visible() for line in lines.all() if "dominos" in line.inner_text().lower())
    page.locator("#game").select_option("")
    field.focus()
    assert page.evaluate("document.activeElement.id") == "filter"
    field.fill("")
    assert sum(line.is_visible() for line in lines.all()) == every
    assert says.inner_text() == ""


@pytest.mark.slow
@without_script
def test_without_a_script_rounds_unfold_and_the_list_is_whole_and_has_no_field(page: Page, lists: Archive) -> None:
    page.goto(lists.address("tournaments/T2.html"))
    first = page.locator("details", has_text="Runde 1")
    assert not first.locator("li").first.is_visible()
    first.locator("summary").click()
    assert first.locator("li").first.is_visible()
    page.goto(lists.address("matches-2026.html"))
    assert page.locator("#filter").is_hidden()
    assert all(line.is_visible() for line in page.locator("li.card").all())


@pytest.mark.slow
def test_points_of_a_tournament_are_on_a_phones_screen_however_long_the_names(page: Page, lists: Archive) -> None:
    for code in ("T1", "T2", "T4"):
        page.goto(lists.address(f"tournaments/{code}.html"))
        page.evaluate(
            "document.querySelectorAll('.cross .name a').forEach((a, i) => a.textContent = i % 2 ? "
            "'Maximiliane von und zu Hohenlohe-Langenb' : 'W'.repeat(40))"
        )
        for cell in page.locator(".cross .name + .points").all():
            box = cell.bounding_box()
            assert box["x"] + box["width"] <= 390 - 16, code
