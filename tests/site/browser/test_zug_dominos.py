"""The page to lay tiles on of Dominos, in a real browser, from the mail to the mail."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from moderator.club import board_page
from moderator.errors import PlayerError
from moderator.games.dominos.rules import GAME, draw
from moderator.games.dominos.state import SET, Lay, Options, Public, tiles
from moderator.match import turn_data
from moderator.match.conditions import AfterDraw
from moderator.match.contract import Note, State, view_for
from moderator.pages.messages import sentence
from tests.games.dominos_table import board, random_round
from tests.site.browser import vectors_dominos
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.vectors import turn_of
from tests.site.browser.zug_page import check_usable, mailed, opened, order, said

LAID = "66 62@L 61@R 64@N 22@L 13@R"
DRAWN = """async ([source, turns]) => {
    const { dominos } = await import("data:text/javascript;base64," + source);
    return turns.map((turn) => {
        const position = dominos.start(turn);
        return { frame: position.frame, spots: dominos.draw(position).spots };
    });
}"""
ENDED = """async ([source, cases]) => {
    const { dominos } = await import("data:text/javascript;base64," + source);
    return cases.map(([turn, [[spot, tile]]]) => dominos.judge(dominos.put(dominos.start(turn), spot, tile)).notes);
}"""
UNIT = 21


def state(laid: str = LAID, hand: str = "43 60 21 32 55 10 63", drew: int | None = None) -> State[Public]:
    """Open are L 2, R 3, N 4 and S 6, unless something else lies."""
    public = Public(Options(), board(laid), drew=drew)
    return State(public, (tuple(hand.split()), ("54", "53")), ("00", "11"), (35, 20), (0,))


def tile(page: Page, name: str) -> Any:
    return page.locator(f'#rack [aria-label^="{name[0]}ǀ{name[1]}"]').first


def end(page: Page, place: str) -> Any:
    return page.locator(f'#board [data-spot="{place}"]')


def marked(page: Page) -> list[str]:
    """Ends that are shown as open."""
    return page.eval_on_selector_all("#board .open", "all => all.map(one => one.dataset.spot)")


def drag(page: Page, name: str, place: str) -> None:
    source, target = tile(page, name).bounding_box(), end(page, place).bounding_box()
    page.mouse.move(source["x"] + 20, source["y"] + 40)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] / 2, target["y"] + target["height"] / 2, steps=5)
    page.mouse.up()


def halves(spot: dict[str, Any]) -> tuple[int, int]:
    """Pips left or above the middle of a tile, and beyond it."""
    (x, y), pips = spot["at"], [values for _, values, *_ in spot["parts"] if values["class"] == "ink"]
    box = next(values for _, values, *_ in spot["parts"] if values["class"] == "edge")
    upright = box["height"] > box["width"]
    first = sum((one["cy"] - y if upright else one["cx"] - x) < 0 for one in pips)
    return first, len(pips) - first


def source() -> str:
    return b64encode(board_page.source("dominos").encode()).decode()


@pytest.mark.slow
def test_the_end_of_a_round_or_of_the_match_is_foretold(chromium: Browser) -> None:
    cases, page, ends = [], chromium.new_page(), {"went-out": "zug-out", "target-reached": "zug-target"}
    for vector in islice(vectors_dominos.vectors("dominos"), 900):
        step = vector.played(GAME)
        if vector.laid and not isinstance(step, PlayerError):
            cases.append((vector, [ends[note.code] for note in step.after if note.code in ends]))
    asked = [(json.loads(turn_of(vector.state, "dominos")), vector.laid) for vector, _ in cases]
    for (vector, expected), notes in zip(cases, page.evaluate(ENDED, [source(), asked]), strict=True):
        assert [note["code"] for note in notes if note["code"].startswith("zug-")] == expected, vector
    assert {code for _, expected in cases for code in expected} == set(ends.values())
    page.close()


@pytest.mark.slow
def test_the_tiles_lie_where_the_picture_of_the_mails_has_them(chromium: Browser) -> None:
    dice = random.Random("zug")
    tables, page = [], chromium.new_page()
    for _ in range(60):
        any_time = dice.random() < 0.3
        laid = random_round(dice, any_time)
        tables.append(board(laid[: dice.randint(0, len(laid))], any_time=any_time))
    turns = []
    for table in tables:
        left = [one for one in SET if one not in tiles(table)]
        public = Public(Options(spinner_any_time=table.any_time), table)
        turns.append(json.loads(turn_of(State(public, (tuple(left[:7]), ()), (), (0, 0), (0,)), "dominos")))
    for table, answer in zip(tables, page.evaluate(DRAWN, [source(), turns]), strict=True):
        scene, spots = draw(table), {str(one["spot"]): one for one in answer["spots"]}
        left, top, right, bottom = answer["frame"]

        def at(x: float, y: float, left: float = left, top: float = top) -> Any:
            return pytest.approx([(x - left) * UNIT, (y - top) * UNIT])

        for number, bone in enumerate(scene.bones):
            assert spots[str(number)]["at"] == at(bone.x, bone.y)
            assert halves(spots[str(number)]) == bone.values
            assert ("fresh" in spots[str(number)]["kind"]) == bone.fresh
            assert left < bone.x < right
            assert top < bone.y < bottom
        for one in scene.ends:
            assert spots[one.name]["at"] == at(one.x, one.y)
            assert spots[one.name]["label"][1]["params"] == {"value": one.value, "counts": one.counts}
        assert len(spots) == len(scene.bones) + len(scene.ends) or (not scene.bones and list(spots) == [""])
    page.close()


@pytest.mark.slow
def test_a_tile_goes_where_alone_it_fits_or_to_the_end_that_is_tapped(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, now = view.page, state()
        opened(archive, page, "dominos", now)
        assert not page.is_visible("#pass")
        assert not page.is_visible("#swap")
        assert marked(page) == ["L", "R", "N", "S"]
        assert end(page, "L").get_attribute("aria-label") == "Links (L), offen 2, zählt 4, du kannst 2ǀ1, 3ǀ2 legen"
        tile(page, "60").click()
        assert said(page) == "60@S · Die Enden zählen L 4, R 3, N 4, zusammen 11: keine Punkte."
        assert end(page, "S").get_attribute("aria-label") == "Stein 6ǀ0, von dir gelegt"
        page.click("#keep")
        tile(page, "43").click()
        assert said(page) == "4ǀ3 gewählt: Tippe auf eines der hervorgehobenen Enden."
        assert marked(page) == ["R", "N"]
        assert not page.is_visible("#orders li:nth-child(2)")
        end(page, "R").click()
        page.click("#keep")
        tile(page, "63").click()
        end(page, "S").click()
        assert said(page) == "63@S · Die Enden zählen L 4, R 3, N 4, S 3, zusammen 14: keine Punkte."
        end(page, "S").click()  # takes it back
        assert order(page) == ["60@S", "sonst 43@R"]
        page.click("#standing")
        assert said(page).endswith("Du hast in diesem Zug nicht ziehen müssen; »nach Ziehen: bester« wartet weiter.")
        assert order(page) == ["60@S", "sonst 43@R", "sonst nach Ziehen: bester"]
        page.locator("#orders button:not([disabled])", has_text="↑").first.click()
        assert order(page) == ["43@R", "sonst 60@S", "sonst nach Ziehen: bester"]
        moves = [GAME.parse(line.removeprefix("sonst "), view_for(now, 0)) for line in order(page)]
        assert moves == [Lay("43", "R"), Lay("60", "S"), AfterDraw()]


@pytest.mark.slow
def test_the_first_tile_of_a_round_has_one_place(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "dominos", state("", "64 31 22"), "en/")
        assert tile(page, "64").get_attribute("aria-label") == "6ǀ4: 10 points"
        tile(page, "64").click()
        assert order(page) == ["64"]
        assert said(page) == "64 · The ends count L 6, R 4, 10 in all: divisible by 5. · 10 points"
        drag(page, "22", "")
        assert order(page) == ["22"]


@pytest.mark.slow
def test_after_a_draw_the_standing_order_says_what_it_is_worth(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, now = view.page, state("66 62@L", "55 00 60 61", drew=0)
        opened(archive, page, "dominos", now, "en/")
        page.click("#standing")
        step = GAME.apply(now, 0, AfterDraw(), turn_data.CONTEXT)
        assert said(page) == f"after drawing: best · {sentence(step.notes[0], 'en', 'dominos')}"
        assert order(page) == ["after drawing: best"]
        assert GAME.parse(order(page)[0], view_for(now, 0)) == AfterDraw()


@pytest.mark.slow
def test_a_tile_is_dragged_and_the_table_is_walked_by_keys(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "dominos", state(), "en/")
        drag(page, "43", "N")
        assert order(page) == ["43@N"]
        page.click("#undo")
        assert not page.is_visible("#send")
        end(page, "5").focus()  # the tile laid last
        walked = []
        for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "ArrowUp"):
            page.keyboard.press(key)
            walked.append(page.evaluate("document.activeElement.dataset.spot"))
        assert walked == ["R", "5", "2", "0", "3", "N"]
        page.keyboard.press("Enter")
        tile(page, "43").focus()
        page.keyboard.press("Enter")
        assert order(page) == ["43@N"]
        assert page.evaluate("document.activeElement.closest('#rack') !== null")  # and the keys go on from there


@pytest.mark.slow
def test_what_the_rules_forbid_is_not_composed_and_said_as_in_the_mails(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page, now = view.page, state()
        opened(archive, page, "dominos", now)
        for name, place in (("60", "L"), ("55", "R"), ("10", "N")):
            with pytest.raises(PlayerError) as error:
                GAME.apply(now, 0, Lay(name, place), turn_data.CONTEXT)
            drag(page, name, place)
            assert said(page) == sentence(Note(error.value.code, error.value.params), "de", "dominos")
            assert not page.is_visible("#send")
            assert page.is_disabled("#keep")


@pytest.mark.slow
def test_a_move_may_have_a_condition(archive: Archive, chromium: Browser) -> None:
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "dominos", state("66", "63 62"), "en/")
        drag(page, "63", "R")
        page.fill("#least", "20")
        assert said(page) == "The move scores only 15 points; you wanted at least 20."
        assert not page.is_visible("#send")
        page.fill("#least", "10")
        assert order(page) == ["63@R from 10"]
        page.click("#keep")
        drag(page, "63", "L")
        assert order(page) == ["63@R from 10", "else 63@L"]


@pytest.mark.slow
def test_every_end_has_a_button_as_large_as_a_finger(archive: Archive, chromium: Browser) -> None:
    """However small it is in the drawing of a long table."""
    laid = random_round(random.Random(8))[:-3]
    for view in looked(chromium, archive):
        page = view.page
        opened(archive, page, "dominos", state(" ".join(laid), "43 30"))
        assert end(page, "L").bounding_box()["width"] < 30
        ends = page.locator("#ends button")
        assert ends.all_inner_texts() == ["L 0", "R 4"]
        assert [one.get_attribute("class") for one in ends.all()] == ["open", "open"]
        tile(page, "43").click()
        assert order(page) == ["43@R"]
        page.click("#undo")
        ends.first.focus()
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.textContent") == "L 0"
        tile(page, "43").click()
        assert "passt" in said(page)
        assert [one.get_attribute("class") for one in ends.all()] == ["", "open"]
        ends.last.click()
        assert order(page) == ["43@R"]
    for view in looked(chromium, archive):
        opened(archive, view.page, "dominos", state(""))
        assert not view.page.is_visible("#ends")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
def test_it_can_be_used_by_all(archive: Archive, chromium: Browser, dark: bool) -> None:
    """On a phone, with a long table: all of it is in sight, and every end can be hit."""
    laid = max((random_round(random.Random(number)) for number in range(12)), key=len)
    left = [one.partition("@")[0] for one in laid[-3:]]
    for view in looked(chromium, archive, dark=dark):
        page = view.page
        opened(archive, page, "dominos", state(" ".join(laid[:-3]), " ".join(left)))
        tile(page, left[0]).click()
        check_usable(page)
        box = page.locator("#board").bounding_box()
        for one in page.locator("#board [data-spot]").all():
            inner = one.bounding_box()
            assert inner["x"] >= box["x"]
            assert inner["x"] + inner["width"] <= box["x"] + box["width"]
    for view in looked(chromium, archive, dark=dark):
        page = view.page
        opened(archive, page, "dominos", state())
        tile(page, "43").click()
        end(page, "R").click()
        page.click("#keep")
        check_usable(page)
        sizes = [end(page, place).bounding_box() for place in "LRNS"]
        assert min(min(one["width"], one["height"]) for one in sizes) >= 42


@pytest.mark.slow
def test_a_link_in_a_mail_opens_the_page_and_the_page_opens_the_answer(tmp_path: Path, chromium: Browser) -> None:
    """The whole way, from a mail of the program to a mail that it plays."""
    turn = mailed(tmp_path / "club", "dominos")
    best = turn.club.moves(turn.code, turn.seat)[0].split(" ")[0]

    def lay(page: Page) -> None:
        bone, _, place = best.partition("@")
        end(page, place).click()
        tile(page, bone).click()

    turn.answered(chromium, lay)
    assert turn.played == best
