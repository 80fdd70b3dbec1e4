"""Pages to lay tiles on ask nobody elsewhere, and what was opened once works without a network."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page

from moderator.club.archive import board_page
from moderator.club.board_page import families
from moderator.match import turn_link
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.screens import shown
from tests.site.browser.vectors import turn_of
from tests.site.browser.zug_page import Served, serving
from tests.site.browser.zug_positions import LAID, position

KEPT = """async () => {
    const kept = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    return (await Promise.all(kept.map((cache) => cache.keys()))).flat().map((request) => request.url);
}"""
LANGUAGES = ("", "en/")


@pytest.fixture
def served(archive: Archive) -> Iterator[Served]:
    with serving(archive.folder) as found:
        yield found


def play(page: Page, archive: Archive, key: str, language: str = "") -> None:
    """Open the page of a game with a position, lay a move, write the mail."""
    state, seat, text = position(key)
    page.goto("about:blank")  # another fragment alone opens nothing anew
    page.goto(f"{archive.address(language + board_page(key))}#{turn_link.packed(turn_of(state, key, seat))}")
    page.wait_for_selector("#play:not([hidden])", timeout=10_000)
    LAID[key](page, text)
    page.click("#keep")
    assert (page.get_attribute("#send", "href") or "").startswith("mailto:")


@pytest.mark.slow
@pytest.mark.parametrize("key", shown())
def test_from_a_folder_it_asks_for_itself_alone(archive: Archive, chromium: Browser, key: str) -> None:
    """And needs no network, from the first time on."""
    for language in LANGUAGES:
        for view in looked(chromium, archive):
            asked: list[str] = []
            view.page.context.on("request", lambda request, asked=asked: asked.append(request.url.partition("#")[0]))
            view.page.context.set_offline(True)
            play(view.page, archive, key, language)
            assert asked == [archive.address(language + board_page(key))]


@pytest.mark.slow
@pytest.mark.parametrize("key", shown())
def test_from_the_archive_it_asks_the_archive_alone(served: Served, chromium: Browser, key: str) -> None:
    for language in LANGUAGES:
        for view in looked(chromium, served):  # that nobody else was asked is looked at there
            view.page.context.on(
                "request", lambda request, view=view: view.outside.extend(elsewhere(served, request.url))
            )
            play(view.page, served, key, language)
            view.page.wait_for_load_state("networkidle")
            view.page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            view.errors[:] = [one for one in view.errors if "404" not in one]  # nothing is published of the match
    at, page = f"/{served.folder.name}/", board_page(key)
    every = {f"{at}{language}{one}" for language in LANGUAGES for one in (page, "zug/sw.js")}
    assert set(served.asked) - {"/favicon.ico"} == every | {f"{at}matches/K7Q2.now.json"}


def elsewhere(archive: Archive, address: str) -> list[str]:
    return [] if address.startswith(archive.address("")) or address == "about:blank" else [address]


@pytest.mark.slow
def test_a_page_that_was_opened_once_opens_without_a_network(archive: Archive, chromium: Browser) -> None:
    """Also anew, with another position, when the server is gone. Only itself is kept, and never the token."""
    first, *others = families().values()
    with ExitStack() as server:
        site = server.enter_context(serving(archive.folder))
        for view in looked(chromium, site):
            page = view.page
            play(page, site, first)
            page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            page.context.set_offline(True)
            server.close()
            play(page, site, first)
            page.reload()
            page.wait_for_selector("#ask:not([hidden])")
            assert page.evaluate(KEPT) == [site.address(board_page(first))]
            for other in others:
                with pytest.raises(Error, match="ERR_"):
                    page.goto(site.address(board_page(other)))
            view.errors.clear()  # of what was asked in vain


@pytest.mark.slow
def test_a_page_that_was_opened_again_is_the_newest(archive: Archive, chromium: Browser, tmp_path: Path) -> None:
    """What is kept is for times without a network only."""
    folder = tmp_path / "site"
    # An old file may be taken for fresh for a while, by any browser: this one is new, and then newer.
    shutil.copytree(archive.folder / "zug", folder / "zug", copy_function=shutil.copy)
    key = next(iter(families().values()))
    file = folder / board_page(key)
    with ExitStack() as server:
        site = server.enter_context(serving(folder))
        for view in looked(chromium, site):
            page = view.page
            play(page, site, key)
            page.evaluate("navigator.serviceWorker.ready.then(() => null)")
            file.write_text(file.read_text(encoding="utf-8").replace("<h1>", "<h1>Neu: "), encoding="utf-8")
            os.utime(file, (time.time() + 5, time.time() + 5))
            for _ in range(2):
                page.goto("about:blank")
                page.goto(site.address(board_page(key)))
                assert page.inner_text("h1").startswith("Neu: ")
                page.context.set_offline(True)
            view.errors.clear()
