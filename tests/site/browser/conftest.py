"""A published archive with one played match of each family of games, and a real browser that looks at it."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, Page, Request

from moderator.site.build import publish_site, update_site
from moderator.site.layout import SiteContent
from tests.chromium import chromium as started
from tests.club.club import club_of, make_club
from tests.servers.process import free_ports
from tests.site.conftest import in_two_languages

if TYPE_CHECKING:
    from tests.site.browser.zug_page import Board

FAMILIES = {"topwords": 3, "dominos": 2, "supertridom": 3, "domijongg": 3, "kreuzwort": 2, "recht": 2, "presto": 2}
"""Game -> seats."""
NAMES = ("R2 Anton", "R2 Berta", "R2 Cäsar")
SEEN = "try { localStorage.setItem('zug hint', 'true'); } catch {}"
"""Somebody who has been on a touch board before, and needs no hint."""


@dataclass
class Archive:
    """What was published."""

    folder: Path
    codes: dict[str, str]
    """Game -> code of its match."""
    url: str = ""
    """Where a server hands it out; "" = it is opened from its folder."""

    def address(self, page: str) -> str:
        path, mark, fragment = page.partition("#")
        return (f"{self.url}/{path}" if self.url else (self.folder / path).as_uri()) + mark + fragment

    def match(self, game: str, language: str = "") -> str:
        return self.address(f"{language}matches/{self.codes[game]}.html")


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """A club of robots whose matches are over (a race is still run)."""
    folder = tmp_path_factory.mktemp("archive")
    club = club_of(folder / "club", *NAMES, "Anna")
    codes = {game: club.match(*NAMES[:seats], game=game) for game, seats in FAMILIES.items()}
    for _ in range(3):
        club.tick()
    with club.work() as work, in_two_languages():
        publish_site(SiteContent(work, folder / "site"), folder / "site")
    return Archive(folder / "site", codes)


@pytest.fixture(scope="session")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Archive:
    """Touch boards, of a club without matches."""
    club = make_club(tmp_path_factory.mktemp("boards"))
    with in_two_languages():
        update_site(club.config, club.now, club.folder / "site")
    return Archive(club.folder / "site", {})


# Not for the whole session: while it runs, no other test could have an event loop (tests/chromium.py).
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="package")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Mozilla's, of Debian's Firefox: Playwright drives one of its own only. Skipped without, or failed where all
    servers must be there."""
    program = shutil.which("firefox-esr") or shutil.which("firefox")
    if program is None:
        if os.environ.get("REQUIRE_SERVERS"):
            pytest.fail("there is no Firefox: apt-get install firefox-esr")
        pytest.skip("needs Firefox")
    folder = tmp_path_factory.mktemp("firefox")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the driver itself uses
        from marionette_driver.marionette import Marionette

        driver = Marionette(
            bin=program,
            headless=True,
            port=free_ports(1)[0],
            workspace=str(folder),
            gecko_log=str(folder / "firefox.log"),
            prefs={"network.protocol-handler.external.mailto": False},
        )
        try:
            driver.start_session()
            yield driver
        finally:
            driver.quit(in_app=True)
            driver.cleanup()


@dataclass
class Looked:
    """A page, and what it did that it must not."""

    page: Page
    outside: list[str] = field(default_factory=list)
    """Requests beyond the folder, or its server."""
    errors: list[str] = field(default_factory=list)
    """What the console said, and exceptions."""


@pytest.fixture
def look(request: pytest.FixtureRequest, chromium: Browser, archive: Archive) -> Iterator[Looked]:
    """An empty page as wide as a phone, unless its parameters say otherwise; at the end nothing may have gone wrong."""
    yield from looked(chromium, archive, **getattr(request, "param", {}))


@pytest.fixture
def board(request: pytest.FixtureRequest, chromium: Browser, boards: Archive) -> Iterator[Board]:
    """The same with the touch boards."""
    from tests.site.browser.zug_page import Board

    for view in looked(chromium, boards, **getattr(request, "param", {})):
        yield Board(view.page, boards)


def looked(
    chromium: Browser, archive: Archive, *, width: int = 390, height: int = 844, dark: bool = False, script: bool = True
) -> Iterator[Looked]:
    context = chromium.new_context(
        viewport={"width": width, "height": height},
        has_touch=width < 1000,
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
        locale="de-DE",
    )
    context.add_init_script(SEEN)
    page = context.new_page()
    found = Looked(page)
    inside = archive.address("")

    def asked(request: Request) -> None:
        if not request.url.startswith(inside):
            found.outside.append(request.url)

    page.on("request", asked)
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on(
        "console", lambda message: found.errors.append(message.text) if message.type in ("error", "warning") else None
    )

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left before its icon had come
            found.errors.append(f"missing: {request.url}")

    page.on("requestfailed", failed)
    try:
        yield found
        assert found.outside == []
        assert found.errors == []
    finally:
        context.close()
