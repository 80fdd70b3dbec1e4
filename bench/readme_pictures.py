"""The three pictures of README.md, as a telephone shows them: ``python -m bench.readme_pictures`` plays a match, from
the mail to the board to the archive, and writes docs/play/*.png."""

from __future__ import annotations

import base64
import io
import re
import tempfile
from email.message import EmailMessage
from itertools import count
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from bench.screens import telephone
from moderator.common.enums import BoardForm
from moderator.site import build
from tests import machine
from tests.chromium import chromium
from tests.club.club import Club, make_club
from tests.pages.match_pages import KNOWN
from tests.site.browser.conftest import Archive
from tests.site.browser.zug_page import OPEN, Board, lay_words, put_on_web

FOLDER = Path(__file__).parents[1] / "docs" / "play"
NAMES = ("Anna", "Bert")
TURNS = 8
"""Turns that are played before the pictures are taken."""


def write(folder: Path = FOLDER) -> None:
    machine.begin()
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        clubs = (begin(Path(place) / f"{number}", bytes([number]) * 32) for number in count())
        club, code, move = next(found for found in clubs if found)
        with telephone(browser) as page:
            mail = club.mails("Anna")[-1]
            show_mail(page, mail)
            take(page, folder / "mail.png")
            lay_move(page, club, mail, move)
            take(page, folder / "board.png")
            club.order("Anna", code, 0, move)
            club.tick()
            build.update_site(club.config, club.now, club.folder / "site")
            page.goto((club.folder / "site" / "en" / "matches" / f"{code}.html").as_uri())
            take(page, folder / "archive.png")


def begin(folder: Path, seed: bytes) -> tuple[Club, str, str] | None:
    """Return a club with a match in which Anna is to move, and a good move of hers; None where there is none."""
    club = make_club(folder, words=[word.title() for word in KNOWN.split()])
    club.players(*NAMES, board=BoardForm.PNG, **dict.fromkeys(NAMES, "en"))
    put_on_web(club)
    code = club.match(*NAMES, seed=lambda _: seed)
    club.tick()
    while len(club.log(code)) < TURNS or club.live(code).seats_to_act[0] != 0:
        (seat,) = club.live(code).seats_to_act
        moves = list_known_moves(club, code)
        if not moves:
            return None
        club.wait(hours=7)
        club.order(NAMES[seat], code, seat, moves[0])
        club.tick()
    good = [one for one in list_known_moves(club, code) if len(one.split()[-1]) > 3]
    return (club, code, good[0]) if good else None


def list_known_moves(club: Club, code: str) -> list[str]:
    """List the moves of the seat to move that lay a word everybody knows, the best first."""
    (seat,) = club.live(code).seats_to_act
    return [one for one in club.moves(code, seat) if one.split()[-1] in KNOWN.split()]


def show_mail(page: Page, mail: EmailMessage) -> None:
    part = mail.get_body(("html",))
    assert part is not None
    images = {str(one["Content-ID"]).strip("<>"): one.get_content() for one in mail.walk() if one["Content-ID"]}
    page.set_content(
        re.sub(
            r'src="cid:([^"]+)"',
            lambda found: f'src="data:image/png;base64,{base64.b64encode(images[found[1]]).decode()}"',
            part.get_content(),
        )
    )


def lay_move(page: Page, club: Club, mail: EmailMessage, move: str) -> None:
    """Open the page to which the mail leads, and lay the move there."""
    board = Board(page, Archive(club.folder / "site", {}))
    html = mail.get_body(("html",))
    assert html is not None
    (link,) = re.findall(r'href="https://club\.example/archive/([\w/]*zug/\w+\.html#[\w-]+)"', html.get_content())
    page.goto(board.archive.address(link))
    page.wait_for_selector(OPEN, timeout=10_000)
    square, way, _ = move.split()
    board.spot(square).click()
    if way == "s":
        page.click("#turn")
    lay_words(board, move)
    page.evaluate("scrollTo(0, 0)")


def take(page: Page, file: Path) -> None:
    """Take a picture of few colours of what the telephone shows."""
    taken = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    taken.quantize(64).save(file, "PNG", optimize=True)


if __name__ == "__main__":
    write()
