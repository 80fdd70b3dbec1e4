"""A page to lay tiles on, opened and looked at."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from playwright.sync_api import Browser, Page

from moderator.club.archive import board_page
from moderator.config import Site as Settings
from moderator.match import turn_link
from moderator.match.contract import State
from moderator.site import run
from tests.club.club import Club, make_club
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors import REPLY, turn_of


@dataclass
class Served(Archive):
    """An archive in a folder of a web server."""

    asked: list[str] = field(default_factory=list)
    """Paths of the requests."""


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    asked: list[str] = []

    class Handler(SimpleHTTPRequestHandler):
        def log_request(self, *_: object) -> None:
            asked.append(self.path)

        def log_error(self, *_: object) -> None:
            """Not to the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder.parent))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Served(folder, {}, f"http://127.0.0.1:{server.server_port}/{folder.name}", asked)
        server.shutdown()


def opened(archive: Archive, page: Page, key: str, state: State[Any], language: str = "") -> None:
    """The page of a game, with a position in its address."""
    address = archive.address(f"{language}{board_page(key)}")
    page.goto(f"{address}#{turn_link.packed(turn_of(state, key))}")
    page.wait_for_selector("#play:not([hidden])", timeout=10_000)


def order(page: Page) -> list[str]:
    """The lines of the mail that the link opens."""
    link = urlsplit(page.get_attribute("#send", "href") or "")
    assert link.scheme == "mailto"
    assert unquote(link.path) == REPLY.address
    query = parse_qs(link.query)
    assert query["subject"] == [REPLY.subject]
    return query["body"][0].split("\r\n")


def spot(page: Page, square: str) -> Any:
    return page.locator(f'#board [aria-label^="{square}:"]')


def tile(page: Page, letter: str) -> Any:
    return page.locator("#rack button", has_text=letter).first


def check_usable(page: Page) -> None:
    """On a phone nothing sticks out, every button but the spots of the board has a finger's size; axe finds nothing."""
    from axe_playwright_python.sync_playwright import Axe

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sizes = page.evaluate(
        "[...document.querySelectorAll('button:not([data-spot]), input, #send')]"
        ".filter(one => one.checkVisibility()).map(one => "
        "{ const box = one.getBoundingClientRect(); return [one.textContent, box.width, box.height]; })"
    )
    assert not [one for one in sizes if one[1] < 44 or one[2] < 44]
    findings = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in findings]


def said(page: Page) -> str:
    """What the page says of the move."""
    return page.inner_text("#says")


def smallest(page: Page, spots: str) -> float:
    """The shorter side of the smallest of these, in px."""
    boxes: list[list[float]] = page.eval_on_selector_all(
        spots, "all => all.map(one => [one.getBoundingClientRect().width, one.getBoundingClientRect().height])"
    )
    return min(min(box) for box in boxes)


# ---- the whole way, from a mail of the program to a mail that it plays ----


@dataclass
class Turn:
    """A match whose first mail has a link to its page."""

    club: Club
    code: str
    seat: int
    name: str
    """Of the player to move."""
    link: str
    """Below the archive's folder."""

    @property
    def site(self) -> Archive:
        return Archive(self.club.folder / "site", {})

    def answered(self, chromium: Browser, lay: Callable[[Page], None]) -> None:
        """Open the link, ``lay`` there, and send the mail that the page opens."""
        for view in looked(chromium, self.site):
            view.page.goto(f"{self.site.address('')}/{self.link}")
            view.page.wait_for_selector("#play:not([hidden])")
            lay(view.page)
            answer = urlsplit(view.page.get_attribute("#send", "href") or "")
            body = parse_qs(answer.query)["body"][0]
            self.club.write(self.name, body, to=unquote(answer.path), subject="Re: your turn")
        self.club.tick()

    @property
    def played(self) -> str:
        """What was played in the seat's name."""
        return self.club.live(self.code).last[self.seat][0]


def mailed(folder: Path, key: str, *names: str) -> Turn:
    """A match between ``names`` (Anna and Bert) in a club that has pages on the web."""
    names = names or ("Anna", "Bert")
    club = make_club(folder)
    club.players(*names)
    made = replace(club.config, site=Settings(folder="site", url="https://club.example/archive"))
    object.__setattr__(made, "file", club.config.file)
    object.__setattr__(club, "config", made)
    run.bring_up(club.config, club.now, club.folder / "site")
    code = club.match(*names, game=key)
    club.tick()
    seat = club.live(code).awaited[0]
    html = club.mail(names[seat]).get_body(("html",))
    assert html is not None
    (link,) = re.findall(r'href="https://club\.example/archive/(zug/\w+\.html#[\w-]+)"', html.get_content())
    return Turn(club, code, seat, names[seat], link)
