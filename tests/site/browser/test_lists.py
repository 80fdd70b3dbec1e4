"""Players, tournaments, records and words in a real browser; the club of the other tests here has no tournament."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.club.club import Club
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.test_pages import REGIONS, SEVERE
from tests.site.people_club import TRAP, player_page

TOURNAMENTS = tuple(f"tournaments/T{n}.html" for n in range(1, 8))
PAGES = ("index.html", "matches-2026.html", "players.html", "records.html", "words.html", *[*TOURNAMENTS][::3])


@pytest.fixture(scope="module")
def lists(people: tuple[Club, Path]) -> Archive:
    club, site = people
    return Archive(site, {"trap": player_page(club, TRAP)})


@pytest.mark.parametrize(
    ("width", "dark"), [(390, True), pytest.param(1200, False, marks=pytest.mark.matrix("browser"))]
)
def test_lists_are_for_all_and_nothing_sticks_out(chromium: Browser, lists: Archive, width: int, dark: bool) -> None:
    for view in looked(chromium, lists, width=width, dark=dark):
        for page in (*PAGES, lists.codes["trap"]):
            view.page.goto(lists.address(page))
            assert view.page.evaluate("document.documentElement.scrollWidth") <= width, page
            found = Axe().run(view.page, options={"resultTypes": ["violations"], "preload": False}).response
            told = [one["id"] for one in found["violations"] if one["impact"] in SEVERE or one["id"] == REGIONS]
            assert told == [], page


@pytest.mark.slow
def test_a_wide_table_is_reached_and_moved_by_keys(chromium: Browser, lists: Archive) -> None:
    for view in looked(chromium, lists, width=390):
        view.page.goto(lists.address("tournaments/T2.html"))
        table = view.page.locator("div.wide").first
        table.focus()
        assert table.evaluate("box => box.scrollWidth > box.clientWidth")
        for _ in range(3):
            view.page.keyboard.press("ArrowRight")
        view.page.wait_for_function("document.querySelector('div.wide').scrollLeft > 0")


@pytest.mark.slow
def test_rounds_unfold_without_a_script(chromium: Browser, lists: Archive) -> None:
    for view in looked(chromium, lists, width=390, script=False):
        view.page.goto(lists.address("tournaments/T2.html"))
        first = view.page.locator("details", has_text="Runde 1")
        assert not first.locator("li").first.is_visible()
        first.locator("summary").click()
        assert first.locator("li").first.is_visible()


@pytest.mark.slow
def test_the_list_of_matches_is_narrowed_by_what_is_typed(chromium: Browser, lists: Archive) -> None:
    (page,) = (path.name for path in lists.folder.glob("matches-*.html"))
    for view in looked(chromium, lists, width=390):
        view.page.goto(lists.address(page))
        field, lines = view.page.locator("#filter"), view.page.locator(".matches > li")
        every, says = lines.count(), view.page.locator(".filter [role=status]")
        assert says.inner_text() == ""
        field.press_sequentially("anna DOM")
        shown = [line.inner_text().lower() for line in lines.all() if line.is_visible()]
        assert 0 < len(shown) < every
        assert all("anna" in text and "dom" in text for text in shown)
        assert says.inner_text() == f"{len(shown)} von {every}"
        headings = view.page.locator("section h2:visible").all_inner_texts()
        assert headings == ["Dominos"]
        assert view.page.evaluate("document.activeElement.id") == "filter"
        field.fill("")
        assert sum(line.is_visible() for line in lines.all()) == every
        assert says.inner_text() == ""


@pytest.mark.slow
def test_without_a_script_the_list_is_whole_and_has_no_field(chromium: Browser, lists: Archive) -> None:
    (page,) = (path.name for path in lists.folder.glob("matches-*.html"))
    for view in looked(chromium, lists, width=390, script=False):
        view.page.goto(lists.address(page))
        assert view.page.locator("#filter").is_hidden()
        assert all(line.is_visible() for line in view.page.locator(".matches > li").all())


@pytest.mark.slow
def test_points_of_a_tournament_are_on_a_phones_screen_however_long_the_names(
    chromium: Browser, lists: Archive
) -> None:
    for view in looked(chromium, lists, width=390):
        for code in ("T1", "T2", "T4"):
            view.page.goto(lists.address(f"tournaments/{code}.html"))
            view.page.evaluate(
                "document.querySelectorAll('.cross .name a').forEach((a, i) => a.textContent = i % 2 ? "
                "'Maximiliane von und zu Hohenlohe-Langenb' : 'W'.repeat(40))"
            )
            for cell in view.page.locator(".cross .name + .points").all():
                box = cell.bounding_box()
                assert box is not None
                assert box["x"] + box["width"] <= 390 - 16, code
