"""A position of each game as two robots make one, and how what they would lay now is laid on the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from playwright.sync_api import Page

from moderator.games import load
from moderator.games.typdom.tiles import VOWELS
from moderator.match import rng, table
from moderator.match.contract import Context, State
from moderator.match.robot import choose
from tests.games.presto_table import Match
from tests.pages.match_pages import WORDS
from tests.site.browser.zug_page import spot, tile

TURNS = {"topwords": 5, "kreuzwort": 5, "point": 5, "recht": 1, "dominos": 12}
"""After how many turns words stand well on a phone; of the other games after so many:"""
MANY = 13


def position(key: str, turns: int | None = None) -> tuple[State[Any], int, str]:
    """(state, seat to move, what its robot would play). Of Presto it would have to find a crossword."""
    if key == "presto":
        return (
            Match("AAEE*rCGHLMNTX", "TOR", known="EXAMEN LAGE NACHT").state,
            0,
            "T20 w EXAM*EN, V19 s LAGE, Y20 s NACHT",
        )
    return next(islice(_turns(key), TURNS.get(key, MANY) if turns is None else turns, None))


def _turns(key: str) -> Iterator[tuple[State[Any], int, str]]:
    game, ctx = load(key), Context(WORDS, rng.shuffler(rng.round_seeds(bytes(32)), (), "K7Q2"))
    now, _ = table.open_table(game, 2, game.options(), ctx)
    while not now.state.over:
        seat = now.state.to_move[0]
        text = choose(game, now.state, seat, ctx)
        yield now.state, seat, text
        after, _ = table.submit(game, now, seat, text, ctx) if text else table.miss(game, now, seat, ctx)
        now = after if after.state is not now.state else table.miss(game, now, seat, ctx)[0]


def lay_words(page: Page, text: str) -> None:
    """``E5 w HAUS``; a star before what a jolly stands for."""
    for square, way, word in re.findall(r"\b([A-Z]\d+) ([ws]) ([*\w]+)", text):
        for at, (star, letter) in enumerate(re.findall(r"(\*?)(\w)", word)):
            here = f"{chr(ord(square[0]) + (at if way == 'w' else 0))}{int(square[1:]) + (at if way == 's' else 0)}"
            if re.match(rf"\w+: {letter}\b", spot(page, here).get_attribute("aria-label") or ""):
                continue  # it lies there already
            if page.inner_text("#spot").split()[0] != here:
                spot(page, here).click()
            if ("↓" in page.inner_text("#spot")) != (way == "s"):
                page.click("#turn")
            if star:
                page.locator(
                    f'#rack [aria-label$="olly"].{"round" if letter in VOWELS else "tile:not(.round)"}'
                ).click()
            tile(page, letter).click()


def lay_bone(page: Page, text: str) -> None:
    """``64@L``."""
    name, _, place = text.partition("@")
    page.locator("#rack button").nth(_held(page, name)).click()
    if not page.locator("#board .own").count():  # it fits in several places
        page.locator(f'#board [data-spot="{place}"]').click()


def _held(page: Page, name: str) -> int:
    faces = page.locator("#rack button").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    return next(at for at, face in enumerate(faces) if re.sub(r"\D", "", face.split(":")[0]) == name)


def lay_announced(page: Page, text: str) -> None:
    """``hinten L = GABEL``: the open squares are the one before the fragment and the one behind it."""
    found = re.fullmatch(r"(vorn|hinten) (\w) = (\w+)", text)
    assert found is not None, text
    page.locator("#board .open").nth(0 if found[1] == "vorn" else -1).click()
    tile(page, found[2]).click()
    page.fill("#word", found[3])


def lay_snake(page: Page, text: str) -> None:
    """``1: T3+E, T2; 3: N``: each tile goes to the number of its head."""
    for head, tiles in re.findall(r"(\d+): ([^;]+)", text):
        for name in re.split(r"[+,] ?", tiles.strip()):
            page.locator(f'#board [data-spot="{head}"]').click()
            page.locator(f'#rack [aria-label="{name}"], #rack [aria-label^="{name}:"]').first.click()


LAID: dict[str, Callable[[Page, str], None]] = {
    "topwords": lay_words,
    "kreuzwort": lay_words,
    "point": lay_words,
    "presto": lay_words,
    "recht": lay_announced,
    "dominos": lay_bone,
    "domijongg": lay_snake,
    "tridom": lay_bone,
    "supertridom": lay_bone,
}
"""Of a game that is not here the page is shown with nothing laid."""
