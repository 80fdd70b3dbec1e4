"""Ten pictures of a whole move of Topwords, from the mail to the mail: a club, a telephone, and a mail program that is
drawn here, because the link opens the reader's own."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from email.message import EmailMessage
from html import escape
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from playwright.sync_api import Page

from moderator.config import Site as Settings
from moderator.site import run
from tests.club.club import Club, make_club
from tests.pages.match_pages import KNOWN
from tests.site.browser.zug_page import spot
from tests.site.browser.zug_positions import lay_words

URL = "https://club.example/archive"
CAPTIONS = (
    "The mail says that it is Anna's turn, and has the button.",
    "The button opens the page with this position. The token is out of the address bar.",
    "A tap chooses a square, another one the direction.",
    "Each tile that is tapped goes to the next square, and the words and points are foretold.",
    "What the rules of geometry forbid is said in the sentence of the mails, and cannot be sent.",
    "The move is laid.",
    "It is kept, and a fallback laid; they can change places.",
    "“Mail öffnen” opens the reader's mail program with the finished order (drawn here).",
    "The referee's receipt.",
    "The opponent has moved: the next mail, with the next button.",
)
MAIL = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; font: 17px/1.5 "Noto Sans", sans-serif; color: #1B1B1B; }}
p {{ margin: 0; padding: 10px 14px; border-bottom: 1px solid #DDD6C5; overflow-wrap: anywhere; }}
b {{ font-weight: 400; color: #5F594D; }}
h1 {{ margin: 0; padding: 12px 14px; background: #0B5394; color: #FFFFFF; font-size: 19px; }}
h1 span {{ float: right; }}
pre {{ margin: 0; padding: 14px; font: inherit; }}
</style>
<h1>Neue Nachricht <span>Senden</span></h1><p><b>An</b> {to}</p><p><b>Betreff</b> {subject}</p><pre>{body}</pre>"""


def film(page: Page, place: Path) -> Iterator[None]:
    """The telephone shows one picture after the other."""
    club, code, words = next(found for number in count() if (found := _begun(place / f"film-{number}")))
    mail = club.mails("Anna")[-1]
    yield _mail(page, mail)
    yield _opened(page, club, mail)
    yield from _laid(page, words)
    answer = urlsplit(page.get_attribute("#send", "href") or "")
    query = {name: values[0] for name, values in parse_qs(answer.query).items()}
    to, body = unquote(answer.path), query["body"]
    page.goto("about:blank")  # what a page forbids holds for all that is shown in its place
    yield page.set_content(MAIL.format(to=escape(to), subject=escape(query["subject"]), body=escape(body)))
    club.write("Anna", body, to=to, subject=query["subject"])
    club.wait(minutes=5)
    club.tick()
    yield _mail(page, club.mail("Anna"))
    _turn(club, code, "Bert")
    yield _mail(page, club.mail("Anna"))


def _begun(folder: Path) -> tuple[Club, str, tuple[str, str]] | None:
    """A club with a match in which Anna is to move, and two moves of hers that are worth a picture; None without."""
    club = _club(folder)
    code = club.match("Anna", "Bert")
    club.tick()
    names = ("Anna", "Bert")
    while len(club.log(code)) < 2 or club.live(code).awaited[0] != 0:
        if not _known(club, code):
            return None
        _turn(club, code, names[club.live(code).awaited[0]])
    best, *others = [one for one in _known(club, code) if len(one.split()[-1]) > 3] or [""]
    other = next((one for one in others if one.split()[0] != best.split()[0]), "")
    return (club, code, (best, other)) if other else None


def _club(folder: Path) -> Club:
    club = make_club(folder, words=[word.title() for word in KNOWN.split()])
    club.players("Anna", "Bert")
    made = replace(club.config, site=Settings(folder="site", url=URL))
    object.__setattr__(made, "file", club.config.file)
    object.__setattr__(club, "config", made)
    run.bring_up(club.config, club.now, club.folder / "site")
    return club


def _turn(club: Club, code: str, name: str) -> None:
    """Whoever is to move plays the best that everybody knows."""
    (seat,) = club.live(code).awaited
    club.wait(hours=7)
    club.order(name, code, seat, _known(club, code)[0])
    club.tick()


def _known(club: Club, code: str) -> list[str]:
    (seat,) = club.live(code).awaited
    return [one for one in club.moves(code, seat) if one.split()[-1] in KNOWN.split()]


def _mail(page: Page, mail: EmailMessage) -> None:
    part = mail.get_body(("html",))
    assert part is not None
    images = {str(one["Content-ID"]).strip("<>"): one.get_content() for one in mail.walk() if one["Content-ID"]}
    html = re.sub(
        r'src="cid:([^"]+)"',
        lambda found: f'src="data:image/png;base64,{base64.b64encode(images[found[1]]).decode()}"',
        part.get_content(),
    )
    page.goto("about:blank")
    page.set_content(html)


def _opened(page: Page, club: Club, mail: EmailMessage) -> None:
    part = mail.get_body(("html",))
    assert part is not None
    (link,) = re.findall(rf'href="{URL}/(zug/\w+\.html#[\w-]+)"', part.get_content())
    page.goto(f"{(club.folder / 'site').as_uri()}/{link}")
    page.wait_for_selector("#play:not([hidden])", timeout=10_000)


def _laid(page: Page, moves: tuple[str, str]) -> Iterator[None]:
    best, other = moves
    square, way, _ = best.split()
    spot(page, square).click()
    if way == "s":
        page.click("#turn")
    yield
    lay_words(page, best)
    yield _from_board(page)
    _emptied(page)
    held = page.locator("#rack button").all_inner_texts()
    lay_words(page, f"A10 w {held[0]}{held[1]}")
    yield _from_board(page)
    _emptied(page)
    lay_words(page, best)
    yield _from_board(page)
    page.click("#keep")
    lay_words(page, other)
    yield page.evaluate("document.getElementById('send').scrollIntoView({ block: 'end' })")


def _emptied(page: Page) -> None:
    while page.locator("#board .own").count():
        page.click("#undo")


def _from_board(page: Page) -> None:
    """So far down that the sentence below the rack is in sight."""
    page.evaluate("document.getElementById('undo').scrollIntoView({ block: 'end' })")
