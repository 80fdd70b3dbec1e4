"""The pages to lay tiles on in Firefox: what is tapped there and in Chromium opens the same mail, for each page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.club.archive import board_page
from moderator.club.board_page import families
from moderator.match import turn_link
from tests.firefox import firefox
from tests.site.browser import (
    test_zug,
    test_zug_domijongg,
    test_zug_dominos,
    test_zug_presto,
    test_zug_recht,
    test_zug_tridom,
    test_zug_typdom,
)
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors import turn_of

TAPS = {
    "topwords": (test_zug.dealt("HAUS"), "E5 =M"),
    "point": (test_zug_typdom.dealt("point"), "T19 #turn =P =L"),
    "recht": (test_zug_recht.dealt(), "=R"),
    "presto": (test_zug_presto.dealt(), "T20 =E =X #pass"),
    "dominos": (test_zug_dominos.state(), "=6ǀ0 #keep =4ǀ3 .open"),
    "tridom": (test_zug_tridom.circle(), "[data-spot='8'] =445"),
    "domijongg": (test_zug_domijongg.dealt(), "[data-spot='1'] =T3 =E"),
}
"""Of each page a game, a position and what is tapped: a square, =tile of the rack, or what a selector finds."""
SHOWN = "return !document.getElementById('play').hidden"
CHOSEN = "return document.getElementById('spot').textContent.split(' ')[0] === arguments[0]"
TILE = """const tiles = [...document.querySelectorAll('#rack button')];
return tiles.findIndex((one) => (one.getAttribute('aria-label') ?? one.textContent).startsWith(arguments[0])) + 1"""
IN_SIGHT = "document.querySelector(arguments[0]).scrollIntoView({ block: 'center', inline: 'center' })"
DRAWN = """const spot = document.querySelector(arguments[0]), drawn = spot instanceof SVGElement;
if (drawn) spot.dispatchEvent(new MouseEvent("click", { bubbles: true }));
return drawn"""
"""The driver clicks on no part of a drawing."""
WRITTEN = "return document.getElementById('send').getAttribute('href')"
Ask = Callable[..., Any]


def composed(taps: str, ask: Ask, tap: Callable[[str], None]) -> str:
    """The mail that the page opens after these taps."""
    for one in taps.split():
        if one.startswith("="):
            tap(f"#rack button:nth-of-type({ask(TILE, one[1:])})")
        elif one[0].isalpha():
            if not ask(CHOSEN, one):
                tap(f'#board [aria-label^="{one}:"]')
        else:
            tap(one)
    return str(ask(WRITTEN))


def address(archive: Archive, key: str) -> str:
    return f"{archive.address(board_page(key))}#{turn_link.packed(turn_of(TAPS[key][0], key))}"


def in_firefox(driver: Any, archive: Archive, key: str) -> str:
    from marionette_driver import By, Wait

    def ask(script: str, *values: Any) -> Any:
        return driver.execute_script(script, script_args=values)

    def tap(selector: str) -> None:
        if not ask(DRAWN, selector):
            ask(IN_SIGHT, selector)
            driver.find_element(By.CSS_SELECTOR, selector).click()

    driver.navigate("about:blank")
    driver.navigate(address(archive, key))
    Wait(driver, timeout=10).until(lambda _: ask(SHOWN))
    assert "#" not in driver.get_url()  # the token is out of the address bar
    return composed(TAPS[key][1], ask, tap)


def in_chromium(page: Page, archive: Archive, key: str) -> str:
    def ask(script: str, *values: Any) -> Any:
        return page.evaluate(f"(values) => (function () {{ {script} }}).apply(null, values)", values)

    page.goto(address(archive, key))
    page.wait_for_selector("#play:not([hidden])")
    return composed(TAPS[key][1], ask, lambda selector: page.locator(selector).first.click())


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with firefox(tmp_path_factory.mktemp("firefox")) as found:
        yield found


def test_every_page_is_tapped() -> None:
    assert {board_page(key) for key in TAPS} == families().keys()


@pytest.mark.slow
@pytest.mark.parametrize("key", TAPS)
def test_the_same_taps_open_the_same_mail(archive: Archive, chromium: Browser, driver: Any, key: str) -> None:
    for view in looked(chromium, archive):
        link = in_chromium(view.page, archive, key)
        assert link.startswith("mailto:games%2BK7Q2-")
        assert "&body=" in link
        assert in_firefox(driver, archive, key) == link
