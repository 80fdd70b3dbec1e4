"""Forty pictures of touch board and archive, to look at beside those of others: ``python -m bench.show FOLDER``. They
are for the eye and are not kept, so the folder is outside of the repository."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from bench.readme_pictures import take
from moderator.games import OWN
from moderator.language.traits import find_board_page
from moderator.site.build import update_site
from tests import machine
from tests.chromium import chromium
from tests.club.club import club_of
from tests.site.browser.conftest import SEEN, Archive
from tests.site.browser.zug_page import LAID, Board, position
from tests.site.people_club import build

PHONE, LYING, DESKTOP = (390, 844), (844, 390), (1280, 800)
MANY = ("topwords", "tridom", "supertridom", "domijongg")
"""Games that three play here."""
NAMES = ("R2 Anton", "R2 Berta", "R2 Cäsar")
LISTS = (
    "index",
    "matches",
    "players",
    "players/1",
    "tournaments",
    "tournaments/T2",
    "tournaments/T3",
    "records",
    "letter",
)


def write(folder: Path) -> None:
    """Write all pictures, numbered in the order in which one walks through."""
    folder.mkdir(parents=True, exist_ok=True)
    machine.begin()
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        every = [*_take_boards(browser, Path(place)), *_take_pages(browser, Path(place))]
        for number, (name, picture) in enumerate(every, 1):
            (folder / f"{number:02}-{name}.png").write_bytes(picture.read_bytes())
    print(f"{len(every)} pictures in {folder}")


def _take_boards(browser: Browser, place: Path) -> Iterator[tuple[str, Path]]:
    """Each game's board on a phone with a move laid; one with its sheets, lying, and in the dark."""
    club = club_of(place / "boards", *NAMES)
    update_site(club.config, club.now, place / "boards" / "site")
    archive = Archive(place / "boards" / "site", {})
    for key in filter(find_board_page, OWN):
        page = _open(browser, PHONE)
        board, (state, seat, text) = Board(page, archive), position(key)
        board.open(key, state, seat=seat)
        LAID[key](board, text)
        yield _save(page, place, f"board-{key}")
        if key == "topwords":
            for sheet in ("more", "sending"):
                page.click(f"[data-open={sheet}]")
                yield _save(page, place, f"sheet-{sheet}")
                board.close()
        page.context.close()
    for name, window, dark, key in (("lying", LYING, False, "tridom"), ("dark", PHONE, True, "domijongg")):
        page = _open(browser, window, dark)
        state, seat, _ = position(key)
        Board(page, archive).open(key, state, seat=seat)
        yield _save(page, place, f"board-{name}")
        page.context.close()


def _take_pages(browser: Browser, place: Path) -> Iterator[tuple[str, Path]]:
    """Lists of a club with everything, and a finished match of each game, on a phone and on a desk."""
    people = build(place / "people")
    update_site(people.config, people.now, place / "people" / "site")
    club = club_of(place / "matches", *NAMES)
    codes = {key: club.match(*NAMES[: 3 if key in MANY else 2], game=key) for key in OWN}
    for _ in range(3):
        club.tick()
    update_site(club.config, club.now, place / "matches" / "site")
    pages = [(f"page-{name.replace('/', '-')}", "people", f"{name}.html") for name in LISTS]
    played = [(f"match-{key}", "matches", f"matches/{code}.html") for key, code in codes.items()]
    shots: list[tuple[tuple[int, int], bool, Any]] = [(PHONE, False, [*pages, *played]), (DESKTOP, False, pages[:6])]
    for window, dark, chosen in (*shots, (DESKTOP, False, played[:2]), (PHONE, True, [pages[0], played[0]])):
        page = _open(browser, window, dark)
        for name, site, file in chosen:
            page.goto((place / site / "site" / file).as_uri())
            yield _save(page, place, f"{name}-{window[0]}{'-dark' if dark else ''}")
        page.context.close()


def _open(browser: Browser, window: tuple[int, int], dark: bool = False) -> Page:
    width, height = window
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=width < 1000, color_scheme="dark" if dark else "light"
    )
    context.add_init_script(SEEN)
    return context.new_page()


def _save(page: Page, place: Path, name: str) -> tuple[str, Path]:
    page.wait_for_timeout(150)
    take(page, place / f"{name}.png")
    return name, place / f"{name}.png"


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="moderator-pictures-")))
