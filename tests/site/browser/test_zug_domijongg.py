"""The page to lay tiles on of Domi Jongg, in a real browser, from the mail to the mail: chains, forks, new heads."""

from __future__ import annotations

import json
from base64 import b64encode
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.club import board_page
from moderator.errors import PlayerError
from moderator.games.domijongg.rules import GAME
from moderator.games.domijongg.snake import lay, one
from moderator.games.domijongg.state import Public
from moderator.match import turn_data
from moderator.match.contract import Note, State, view_for
from moderator.pages.messages import sentence
from tests.games.domijongg_table import table
from tests.site.browser import vectors_domijongg
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors import Vector, turn_of
from tests.site.browser.zug_page import check_usable, mailed, opened, order, said, smallest
from tests.site.browser.zug_positions import lay_snake

DRAWN = """async ([source, cases]) => {
    const { domijongg } = await import("data:text/javascript;base64," + source);
    return cases.map(({turn, laid}) => {
        const put = (position, [spot, tile]) => domijongg.put(position, spot, tile);
        const after = laid.reduce(put, domijongg.start(turn));
        const draws = domijongg.judge(after).notes.find((note) => note.code === "zug-draws");
        return [after.snake.map(({ cell }) => cell), draws ? draws.params.count : 0];
    });
}"""


def dealt(rack: str = "T3 E T2 N DR B9") -> State[Public]:
    """The third of the worked mails of RULES.md, with one tile more."""
    return table(rack, "K9 W B5 B7 F1", board=["K3", "2: B3", "1: J3"])


def long_snake() -> Vector:
    """As large as a phone shows only in part, and a turn of several tiles."""
    found = vectors_domijongg.vectors("domijongg")
    return next(
        one
        for one in found
        if len(one.state.public.laid) > 32
        and len(one.laid) > 2
        and not one.least
        and not isinstance(one.played(GAME), PlayerError)
    )


def head(page: Page, number: int) -> Any:
    return page.locator(f'#board [data-spot="{number}"]')


def tile(page: Page, name: str) -> Any:
    return page.locator(f'#rack [aria-label="{name}"], #rack [aria-label^="{name}:"]').first


def put(page: Page, number: int, name: str) -> None:
    head(page, number).click()
    tile(page, name).click()


def refusal(state: State[Public], number: int, *items: tuple[str, ...]) -> str:
    """What a mail would say of a turn."""
    with pytest.raises(PlayerError) as error:
        GAME.apply(state, 0, one(number, *items), turn_data.CONTEXT)
    return sentence(Note(error.value.code, error.value.params), "de", "domijongg")


@pytest.mark.slow
def test_a_fork_is_laid_and_goes_on_at_both_of_its_heads(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt("T3 E T2 N DR")
        opened(archive, page, "domijongg", state)
        assert page.inner_text("#more") == f"In der Mauer: {len(state.stock)} Ziegel."
        assert head(page, 1).get_attribute("aria-label") == (
            "Kopf 1 (links), am Ende liegt J3, du kannst T3, E, N legen"
        )
        put(page, 1, "T3")
        assert (
            said(page) == "T3 beginnt eine Verzweigung und behält Kopf 1: Jetzt der zweite Ziegel, an dieselbe Nummer."
        )
        assert not page.is_visible("#send")
        tile(page, "E").click()
        assert order(page) == ["1: T3+E"]
        assert said(page) == "1: T3+E · 1 Verzweigung gebaut: 1 Punkt. · Danach ziehst du 3 Ziegel. · 1 Punkt"
        tile(page, "T2").click()
        put(page, 3, "N")
        tile(page, "DR").click()
        assert order(page) == ["1: T3+E, T2; 3: N, DR"]
        assert "Alle Ziegel gelegt" in said(page)
        assert said(page).endswith("2 Punkte")
        step = GAME.apply(state, 0, GAME.parse(order(page)[0], view_for(state, 0)), turn_data.CONTEXT)
        assert step.points == 2
        page.locator("#board .own", has_text="N").click()  # takes it back, and what was laid after it
        assert order(page) == ["1: T3+E, T2"]
        page.click("#undo")
        page.click("#undo")
        assert said(page).startswith("T3 beginnt eine Verzweigung")
        page.click("#undo")
        assert not page.is_visible("#send")


@pytest.mark.slow
def test_fallbacks_and_a_condition_are_kept(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt()
        opened(archive, page, "domijongg", state, "en/")
        put(page, 1, "T3")
        tile(page, "E").click()
        page.fill("#least", "2")
        assert "only 1 point" in said(page)
        page.fill("#least", "1")
        page.click("#keep")
        put(page, 2, "B9")
        assert order(page) == ["1: T3+E from 1", "else 2: B9"]
        moves = [GAME.parse(line.removeprefix("else "), view_for(state, 0)) for line in order(page)]
        assert [move.at_least for move in moves] == [1, None]


@pytest.mark.slow
def test_what_the_rules_forbid_is_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, state = view.page, dealt("T3 DR E T2 B9")
        opened(archive, page, "domijongg", state)
        put(page, 1, "DR")
        assert said(page) == refusal(state, 1, ("DR",))
        assert not page.is_visible("#send")
        tile(page, "DR").click()  # put back
        put(page, 2, "T2")
        assert said(page) == refusal(state, 2, ("T2",))
        tile(page, "T2").click()
        put(page, 1, "T3")
        tile(page, "B9").click()
        assert said(page) == "B9 passt jetzt an keinen Kopf."
        head(page, 1).click()
        assert said(page) == refusal(state, 1, ("T3", "B9"))
        tile(page, "B9").click()
        put(page, 2, "B9")
        assert said(page).startswith("T3 beginnt eine Verzweigung und behält Kopf 1")
        tile(page, "B9").click()
        put(page, 1, "E")
        put(page, 2, "B9")
        assert said(page).startswith("Ein Zug geht an einen einzigen Kopf. Du hast an Kopf 1 angefangen; Kopf 2")
        assert order(page) == ["1: T3+E"]


@pytest.mark.slow
def test_a_tile_is_dragged_and_the_snake_is_walked_by_keys(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "domijongg", dealt())
        source, target = tile(page, "B9").bounding_box(), head(page, 2).bounding_box()
        page.mouse.move(source["x"] + 20, source["y"] + 20)
        page.mouse.down()
        page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=5)
        page.mouse.up()
        assert order(page) == ["2: B9"]
        head(page, 1).focus()
        walked = []
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"):
            page.keyboard.press(key)
            walked.append(page.evaluate("document.activeElement.dataset.spot"))
        assert walked == ["t2", "t0", "t1", "t3", "2"]
        page.keyboard.press("Backspace")
        assert not page.is_visible("#send")
        assert page.evaluate("document.activeElement.dataset.spot") == "2"
        page.keyboard.press("Enter")
        tile(page, "B9").focus()
        page.keyboard.press("Enter")
        assert order(page) == ["2: B9"]


@pytest.mark.slow
def test_tiles_lie_where_the_mails_will_show_them(chromium: Browser) -> None:
    """And as many are drawn afterwards as the page says."""
    cases, expected = [], []
    for vector in islice(vectors_domijongg.vectors("domijongg"), 500):
        step = vector.played(GAME)
        if isinstance(step, PlayerError):
            continue
        after, drew = lay(vector.state.public, vector.move).public, [one for one in step.after if one.code == "drew"]
        expected.append([[list(one.cell) for one in after.laid], drew[0].params["count"] if drew else 0])
        cases.append({"turn": json.loads(turn_of(vector.state, "domijongg")), "laid": vector.laid})
    page = chromium.new_page()
    found = page.evaluate(DRAWN, [b64encode(board_page.source("domijongg").encode()).decode(), cases])
    page.close()
    assert found == expected
    assert len(found) > 200


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, dark: bool) -> None:
    """On a phone, with a long snake: what is chosen is in sight, and only the table is scrolled."""
    for view in looked(chromium, archive, dark=dark):
        page, vector = view.page, long_snake()
        opened(archive, page, "domijongg", vector.state)
        for number, stone in vector.laid:
            put(page, int(number), stone)
        assert order(page) == [GAME.format(vector.move)]
        inside = page.evaluate(
            "() => { const spot = document.querySelector('#board .cursor').getBoundingClientRect();"
            "const board = document.getElementById('board').getBoundingClientRect();"
            "return spot.top >= board.top - 1 && spot.bottom <= board.bottom + 1 && spot.left >= board.left - 1; }"
        )
        assert inside
        page.click("#keep")
        check_usable(page)
        assert smallest(page, "#board .free") >= 44


@pytest.mark.slow
def test_a_link_in_a_mail_opens_the_page_and_the_page_opens_the_answer(tmp_path: Path, chromium: Browser) -> None:
    """The whole way, from a mail of the program to a mail that it plays."""
    turn = mailed(tmp_path / "club", "domijongg")
    best = turn.club.moves(turn.code, turn.seat)[0]
    turn.answered(chromium, lambda page: lay_snake(page, best))
    assert turn.played == best
