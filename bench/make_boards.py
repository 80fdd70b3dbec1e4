"""The pages to lay tiles on as a telephone shows them, a film of a whole move, and what they weigh.
``python -m bench.make_boards`` writes docs/zugbrett/; with ``figures`` behind it the page alone."""

from __future__ import annotations

import base64
import io
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from functools import cache
from html import escape
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from PIL import Image
from playwright.sync_api import Page

from bench.screens import HEIGHT, WIDTH, telephone
from moderator.common.enums import BoardForm
from moderator.games import OWN
from moderator.language.messages import load_sentences
from moderator.language.traits import find_board_page
from moderator.render.touch_board import map_board_pages
from moderator.rules import turn_data
from moderator.rules.game import Game, State
from moderator.site import build
from tests.chromium import chromium
from tests.club.club import Club, make_club
from tests.match.test_turn_data import build_full_turn_data, positions
from tests.pages.match_pages import KNOWN
from tests.site.browser.conftest import Archive
from tests.site.browser.test_zug_vectors import FAMILIES, ILLEGAL, LEGAL
from tests.site.browser.zug_page import LAID, OPEN, Board, lay_words, link_in, position, put_on_web

FOLDER = Path(__file__).parents[1] / "docs" / "zugbrett"
DARK = ("topwords", "tridom")
"""Games of which there is a picture in the dark, too."""
ROUND = 5000, 50
"""Bytes of a page and characters of a link to which they are rounded up when the document is written."""
WHOLE = 400
"""Turns that no match of robots comes to, for each number of seats but the most."""


def shown() -> list[str]:
    """Games of this package with a page, in the order of the registry."""
    return [game for game in OWN if find_board_page(game)]


def take_small(page: Page, whole: bool) -> bytes:
    """A picture of few colours: of the whole page, or of what the telephone shows of it."""
    taken = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    made = io.BytesIO()
    taken.quantize(48).save(made, "PNG", optimize=True)
    return made.getvalue()


def lay_move(page: Page, site: Path, key: str) -> None:
    """The game's page with a position, and a move laid."""
    state, seat, text = position(key)
    page.goto("about:blank")
    board = Board(page, Archive(site, {}))
    board.open(key, state, seat=seat)
    LAID[key](board, text)
    page.evaluate("scrollTo(0, 0)")


def write(folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        club = make_club(Path(place) / "club")
        build.update_site(club.config, club.now, club.folder / "site")
        for dark in (False, True):
            with telephone(browser, dark=dark) as page:
                for game in DARK if dark else shown():
                    lay_move(page, club.folder / "site", game)
                    (folder / f"{game}{'-dark' if dark else ''}.png").write_bytes(take_small(page, True))
        with telephone(browser) as page:
            for number, _ in enumerate(film(page, Path(place)), 1):
                (folder / f"film-{number:02}.png").write_bytes(take_small(page, False))
    (folder / "README.md").write_text(document(rounded(measure())), encoding="utf-8", newline="\n")


# ---- ten pictures of a whole move of Topwords, from the mail to the mail ----


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
"""A mail program, drawn here, because the link opens the reader's own."""


def film(page: Page, place: Path) -> Iterator[None]:
    """The telephone shows one picture after the other."""
    club, code, words = next(found for number in count() if (found := _begun(place / f"film-{number}")))
    mail = club.mails("Anna")[-1]
    yield _mail(page, mail)
    board = _opened(page, club, mail)
    yield
    yield from _laid(board, words)
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
    while len(club.log(code)) < 2 or club.live(code).seats_to_act[0] != 0:
        if not _known(club, code):
            return None
        _turn(club, code, names[club.live(code).seats_to_act[0]])
    best, *others = [one for one in _known(club, code) if len(one.split()[-1]) > 3] or [""]
    other = next((one for one in others if one.split()[0] != best.split()[0]), "")
    return (club, code, (best, other)) if other else None


def _club(folder: Path) -> Club:
    club = make_club(folder, words=[word.title() for word in KNOWN.split()])
    club.players("Anna", "Bert", board=BoardForm.PNG)
    put_on_web(club)
    return club


def _turn(club: Club, code: str, name: str) -> None:
    """Whoever is to move plays the best that everybody knows."""
    (seat,) = club.live(code).seats_to_act
    club.wait(hours=7)
    club.order(name, code, seat, _known(club, code)[0])
    club.tick()


def _known(club: Club, code: str) -> list[str]:
    (seat,) = club.live(code).seats_to_act
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


def _opened(page: Page, club: Club, mail: EmailMessage) -> Board:
    board = Board(page, Archive(club.folder / "site", {}))
    page.goto(board.archive.address(link_in(mail)))
    page.wait_for_selector(OPEN, timeout=10_000)
    return board


def _laid(board: Board, moves: tuple[str, str]) -> Iterator[None]:
    page, (best, other) = board.page, moves
    square, way, _ = best.split()
    board.spot(square).click()
    if way == "s":
        page.click("#turn")
    yield
    lay_words(board, best)
    yield _from_board(page)
    _emptied(page)
    held = page.locator("#rack button").all_inner_texts()
    lay_words(board, f"A10 w {held[0]}{held[1]}")
    yield _from_board(page)
    _emptied(page)
    lay_words(board, best)
    yield _from_board(page)
    page.click("#keep")
    lay_words(board, other)
    yield page.evaluate("document.getElementById('send').scrollIntoView({ block: 'end' })")


def _emptied(page: Page) -> None:
    while page.locator("#board .own").count():
        page.click("#undo")


def _from_board(page: Page) -> None:
    """So far down that the sentence below the rack is in sight."""
    page.evaluate("document.getElementById('undo').scrollIntoView({ block: 'end' })")


# ---- docs/zugbrett/README.md ----


HEAD = f"""# The pages to lay tiles on, as a telephone shows them

Written by `python -m bench.make_boards` at {WIDTH} × {HEIGHT} CSS pixels; with `figures` behind it, this page
without the pictures. A test refuses it when it is old. What the pages are: [zugbrett.md](../zugbrett.md). Positions and
moves are those of two robots.

## Figures

* **page**: all of it, styles, scripts and sentences, in the heavier language, at most.
* **link**: characters behind the `#` of the longest link in whole matches with long names, at most. Of one
  longer than 1,800 there would be no link.
* **legal, illegal**: moves that the page and Python have to agree about, with points, words and notation;
  **reasons**: different ones why a move is refused.
* **elsewhere**: requests to other places than the club's own archive, of a page that was opened and used
  (`test_zug.py`).

| game | page | link | legal | illegal | reasons | elsewhere |
|---|---|---|---|---|---|---|
"""


def document(figures: Mapping[str, tuple[int, int]]) -> str:
    """The page with all of them. ``figures``: game -> bytes of its page, characters of its longest link."""
    rows = [
        f"| {name(game)} | {figures[game][0] // 1000} kB | {figures[game][1]:,} | {LEGAL:,} | {ILLEGAL} "
        f"| {len(FAMILIES[game].codes)} | 0 |\n"
        for game in shown()
    ]
    games = [picture(game, name(game)) for game in shown()]
    dark = [picture(f"{game}-dark", f"{name(game)}, dark") for game in DARK]
    pictures = "".join(
        f"{number}. {caption}\n\n   {picture(f'film-{number:02}', caption)}\n"
        for number, caption in enumerate(CAPTIONS, 1)
    )
    return (
        f"{HEAD}{''.join(rows)}\n## The pages, with a move laid\n\n{''.join(games)}\n{''.join(dark)}\n"
        f"## A whole move, from mail to mail\n\n{pictures}"
    )


def name(game: str) -> str:
    return load_sentences("de", game)["name"]


def picture(file: str, says: str) -> str:
    return f'<img src="{file}.png" width="{WIDTH // 2}" alt="{says}">\n'


def measure() -> dict[str, tuple[int, int]]:
    """As they are."""
    return {game: (max(pages()[find_board_page(game)]), longest(game)) for game in shown()}


def rounded(figures: Mapping[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """As the document gives them, so that it need not change with every sentence."""
    up = {
        game: [-(-one // unit) * unit for one, unit in zip(both, ROUND, strict=True)] for game, both in figures.items()
    }
    return {game: (heavy, far) for game, (heavy, far) in up.items()}


def claimed(text: str) -> dict[str, tuple[int, int]]:
    """What a document says; of a game that it has not, (0, 0)."""
    rows = {row[0]: row for row in re.findall(r"^\| (.+?) \| (\d+) kB \| ([\d,]+) \|", text, re.MULTILINE)}
    said = {game: rows.get(name(game), ("", "0", "0")) for game in shown()}
    return {game: (int(heavy) * 1000, int(far.replace(",", ""))) for game, (_, heavy, far) in said.items()}


@cache
def pages() -> Mapping[str, tuple[int, ...]]:
    """Page -> its bytes in each language."""
    with tempfile.TemporaryDirectory() as place:
        club = make_club(Path(place) / "club")
        build.update_site(club.config, club.now, club.folder / "site")
        site = club.folder / "site"
        return {page: tuple(file.stat().st_size for file in site.rglob(page)) for page in map_board_pages()}


def longest(game: str) -> int:
    """Characters of the longest fragment."""
    return max(len(turn_data.encode_turn_link(write_turn(*one[:4]))) for one in positions(game, WHOLE))


def write_turn(game: Game[Any, Any], options: Any, state: State[Any], seat: int) -> bytes:
    found = turn_data.encode_turn(build_full_turn_data(game, state, seat, options))
    assert found is not None
    return found


if __name__ == "__main__":
    if "figures" in sys.argv:
        (FOLDER / "README.md").write_text(document(rounded(measure())), encoding="utf-8", newline="\n")
    else:
        write()
