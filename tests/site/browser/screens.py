"""The pages to lay tiles on as a telephone shows them, a film of a whole move, and what they weigh.
``python -m tests.site.browser.screens`` writes docs/zugbrett/; with ``figures`` behind it the page alone."""

from __future__ import annotations

import io
import re
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page

from bench.screens import HEIGHT, WIDTH, telephone
from moderator.club.archive import board_page
from moderator.club.board_page import families
from moderator.games import OWN
from moderator.match import turn_data, turn_link
from moderator.match.contract import Game, State
from moderator.pages.messages import table
from moderator.site import run
from tests.chromium import chromium
from tests.club.club import make_club
from tests.match.test_turn_data import of, positions
from tests.site.browser.test_zug_vectors import FAMILIES, ILLEGAL, LEGAL
from tests.site.browser.vectors import turn_of
from tests.site.browser.zug_film import CAPTIONS, film
from tests.site.browser.zug_positions import LAID, position

FOLDER = Path(__file__).parents[3] / "docs" / "zugbrett"
DARK = ("topwords", "tridom")
"""Games of which there is a picture in the dark, too."""
ROUND = 5000, 50
"""Bytes of a page and characters of a link to which they are rounded up when the document is written."""
WHOLE = 400
"""Turns that no match of robots comes to, for each number of seats but the most."""


def shown() -> list[str]:
    """Games of this package with a page, in the order of the registry."""
    return [game for game in OWN if board_page(game)]


def small(page: Page, whole: bool) -> bytes:
    """A picture of few colours: of the whole page, or of what the telephone shows of it."""
    taken = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    made = io.BytesIO()
    taken.quantize(48).save(made, "PNG", optimize=True)
    return made.getvalue()


def laid(page: Page, site: Path, key: str) -> None:
    """The game's page with a position, and a move laid."""
    state, seat, text = position(key)
    page.goto("about:blank")
    page.goto(f"{(site / board_page(key)).as_uri()}#{turn_link.packed(turn_of(state, key, seat))}")
    page.wait_for_selector("#play:not([hidden])", timeout=10_000)
    if key in LAID:
        LAID[key](page, text)
    page.evaluate("scrollTo(0, 0)")


def write(folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        club = make_club(Path(place) / "club")
        run.bring_up(club.config, club.now, club.folder / "site")
        for dark in (False, True):
            with telephone(browser, dark=dark) as page:
                for game in DARK if dark else shown():
                    laid(page, club.folder / "site", game)
                    (folder / f"{game}{'-dark' if dark else ''}.png").write_bytes(small(page, True))
        with telephone(browser) as page:
            for number, _ in enumerate(film(page, Path(place)), 1):
                (folder / f"film-{number:02}.png").write_bytes(small(page, False))
    (folder / "README.md").write_text(document(rounded(found())), encoding="utf-8", newline="\n")


# ---- docs/zugbrett/README.md ----


HEAD = f"""# The pages to lay tiles on, as a telephone shows them

Written by `python -m tests.site.browser.screens` at {WIDTH} × {HEIGHT} CSS pixels; with `figures` behind it, this page
without the pictures. A test refuses it when it is old. What the pages are: [zugbrett.md](../zugbrett.md). Positions and
moves are those of two robots.

## Figures

* **page**: all of it, styles, scripts and sentences, in the heavier language, at most.
* **link**: characters behind the `#` of the longest link in whole matches with long names, at most. Of one
  longer than 1,800 there would be no link.
* **legal, illegal**: moves that the page and Python have to agree about in each run of the gate, with points, words and
  notation; **reasons**: different ones why a move is refused.
* **elsewhere**: requests to other places than the club's own archive, of a page that was opened and used
  (`test_zug_alone.py`).

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
    return table("de", game)["name"]


def picture(file: str, says: str) -> str:
    return f'<img src="{file}.png" width="{WIDTH // 2}" alt="{says}">\n'


def found() -> dict[str, tuple[int, int]]:
    """As they are."""
    return {game: (max(pages()[board_page(game)]), longest(game)) for game in shown()}


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
        run.bring_up(club.config, club.now, club.folder / "site")
        site = club.folder / "site"
        return {page: tuple(file.stat().st_size for file in site.rglob(page)) for page in families()}


def longest(game: str) -> int:
    """Characters of the longest fragment."""
    return max(len(turn_link.packed(written(*one[:4]))) for one in positions(game, WHOLE))


def written(game: Game[Any, Any], options: Any, state: State[Any], seat: int) -> bytes:
    found = turn_data.write(of(game, state, seat, options))
    assert found is not None
    return found


if __name__ == "__main__":
    if "figures" in sys.argv:
        (FOLDER / "README.md").write_text(document(rounded(found())), encoding="utf-8", newline="\n")
    else:
        write()
