"""The touch board is one screen, in each game and window: what is drawn is where it lands, and nothing gets lost."""

import json
import re
import zlib
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser

from moderator.games import OWN
from moderator.language.messages import load_labels
from moderator.language.traits import find_board_page
from moderator.render import touch_board
from moderator.rules import turn_data
from moderator.rules.game import State
from tests.site.browser import test_zug_walks as walks
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import LAID, OPEN, REPLY, Board, position, turn_of

WINDOWS = ((390, 660), (844, 390), (1280, 720), (1366, 650))
LONG = "Maximiliane-Charlotte von Größenbrü"
"""A name of 35 letters."""
ABOVE = 56
"""Pixels by which the picture of a tile is above the finger that drags it."""
PLACES = """() => ["header", "#board", "#says", "#rack", "#go"].map((one) => {
    const box = document.querySelector(one).getBoundingClientRect();
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return [one, box.left, box.top, box.right, box.bottom, Boolean(top?.closest(one))];
})"""
LABELS = "all => all.map(one => one.getAttribute('aria-label'))"
SAYS = load_labels("de")


def read_turn(key: str, state: State[Any], seat: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(turn_data.encode_turn(turn_of(state, key, seat)) or b"")
    return found


def link_of(turn: dict[str, Any]) -> str:
    """The end of the address, of any turn."""
    squeeze = zlib.compressobj(9, wbits=-15)
    packed = squeeze.compress(json.dumps(turn).encode()) + squeeze.flush()
    return urlsafe_b64encode(packed).rstrip(b"=").decode()


@contextmanager
def opened(
    chromium: Browser, boards: Archive, key: str, width: int = 390, height: int = 660, **more: Any
) -> Iterator[tuple[Board, str]]:
    """The page of a game in a window, with the move that a robot would make; ``more``: what the turn has besides."""
    state, seat, text = position(key)
    link = link_of(read_turn(key, state, seat) | more)
    for view in looked(chromium, boards, width=width, height=height):
        board = Board(view.page, boards)
        view.page.goto(f"{boards.address(find_board_page(key))}#{link}")
        view.page.wait_for_selector(OPEN, timeout=10_000)
        yield board, text


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize(("width", "height"), WINDOWS)
@pytest.mark.parametrize("key", [*filter(find_board_page, OWN)])
def test_all_is_on_one_screen(boards: Archive, chromium: Browser, key: str, width: int, height: int) -> None:
    """Before a move and after it, for six people with long names."""
    with opened(chromium, boards, key, width, height, names=[LONG] * 6, scores=[120] * 6) as (board, text):
        for laid in (False, True):
            if laid:
                LAID[key](board, text)
            for what, left, top, right, bottom, free in board.page.evaluate(PLACES):
                assert left >= 0 <= top, what
                assert right <= width + 0.5, what
                assert bottom <= height + 0.5, what
                assert free, f"{what} is covered"
                assert what != "#board" or min(right - left, bottom - top) >= min(300, height - 20)
            board.check_usable()
            assert board.in_sight(".own" if laid else "[class*=high-], .lies, .cursor")
        for sheet in ("more", "sending"):
            board.page.click(f"[data-open={sheet}]")
            board.check_usable()
            board.close()


class Finger:
    """One that drags, or two that pinch."""

    def __init__(self, board: Board) -> None:
        self.board, self.page = board, board.page
        self.wire = board.page.context.new_cdp_session(board.page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        self.wire.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": at})

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.page.locator(selector).first.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, what: str, to: str) -> str:
        """Drag something until the middle of its picture is there. Returns the spot that is framed then."""
        self.hold(what, *self.middle(to))
        framed = self.page.evaluate("document.querySelector('.target')?.dataset.spot ?? ''")
        self.touch("End")
        return str(framed)

    def hold(self, what: str, x: float, y: float) -> None:
        start = self.middle(what)
        self.touch("Start", start)
        for part in (0.2, 0.6, 1):
            self.touch("Move", (start[0] + (x - start[0]) * part, start[1] + (y + ABOVE - start[1]) * part))
        self.page.wait_for_timeout(50)
        assert self.middle(".held") == pytest.approx((x, y), abs=1)


FREE = """(drawn) => {
    const board = document.getElementById("board").getBoundingClientRect(), edge = drawn ? 0 : 60;
    return [...document.querySelectorAll(drawn ? "#board .open" : "#board [data-spot]")].filter((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return (drawn || !one.matches("[class*=high-]")) && left >= board.left + edge && right <= board.right - edge
            && top >= board.top + edge && bottom <= board.bottom - edge;
    }).map((one) => one.dataset.spot);
}"""


def find_spots(board: Board, key: str) -> tuple[int, list[str]]:
    """The number of a tile of the rack, and spots in sight to which it can go."""
    if not board.page.locator("#board svg").count():
        return 1, board.page.evaluate(FREE, key == "recht")
    for number in range(1, board.page.locator("#rack button").count() + 1):
        chosen = board.page.get_attribute("#board .cursor", "data-spot")
        board.page.click(f"#rack button:nth-of-type({number})")
        own = board.page.locator("#board .own")
        found = board.page.evaluate(FREE, True)
        if own.count():  # it went there at once
            found = [chosen if key == "domijongg" else own.first.get_attribute("data-spot")]
        board.page.click("#undo")
        if found:
            return number, found
    raise AssertionError("no tile fits anywhere")


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize("key", [*filter(find_board_page, OWN)])
def test_a_tile_lands_where_its_picture_is(boards: Archive, chromium: Browser, key: str) -> None:
    """Under a finger; from there it is dragged on, and back."""
    with opened(chromium, boards, key) as (board, _):
        finger, (number, spots) = Finger(board), find_spots(board, key)
        held = board.page.locator("#rack button").count()
        assert finger.drag(f"#rack button:nth-of-type({number})", f'#board [data-spot="{spots[0]}"]') == spots[0]
        lying = board.page.locator("#board .own").first.get_attribute("data-spot")
        assert key == "domijongg" or lying == spots[0]
        for other in spots[1:2]:
            assert finger.drag("#board .own", f'#board [data-spot="{other}"]') == other
            assert board.page.locator("#board .own").count() == 1
            assert key == "domijongg" or "own" in (board.spot(other).get_attribute("class") or "")
        finger.drag("#board .own", "#bar")
        assert not board.page.locator("#board .own").count()
        assert board.page.locator("#rack button").count() == held


@pytest.mark.matrix("browser pages", seconds=2)
def test_a_board_without_an_edge_is_scrolled_pinched_and_shown_whole(boards: Archive, chromium: Browser) -> None:
    with opened(chromium, boards, "kreuzwort") as (board, _):
        finger, box = Finger(board), board.page.locator("#board").bounding_box()
        assert box is not None
        before = board.page.evaluate("document.getElementById('board').scrollLeft")
        finger.hold("#rack button", *finger.middle("#board"))
        finger.touch("Move", (box["x"] + 5, box["y"] + 200))
        board.page.wait_for_timeout(300)
        assert board.page.evaluate("document.getElementById('board').scrollLeft") < before - 50
        finger.touch("Cancel")
        side, (x, y) = board.smallest(), finger.middle("#board")
        finger.touch("Start", (x - 40, y), (x + 40, y))
        for wide in (50, 60, 80):
            finger.touch("Move", (x - wide, y), (x + wide, y))
        finger.touch("End")
        assert board.smallest() > 1.3 * side
        board.page.click("#whole")
        every = board.page.locator("#board [data-spot]")
        for spot in (every.first, every.last):
            at = spot.bounding_box()
            assert at is not None
            assert box["x"] <= at["x"] <= at["x"] + at["width"] <= box["x"] + box["width"]
            assert box["y"] <= at["y"] <= at["y"] + at["height"] <= box["y"] + box["height"]
        board.page.click("#whole")
        assert board.smallest() >= 34


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize("key", [*filter(find_board_page, OWN)])
def test_a_reload_keeps_all(boards: Archive, chromium: Browser, key: str) -> None:
    """Also when another link has been open in the tab; and nothing is kept longer than the tab."""
    with opened(chromium, boards, key) as (board, text):
        LAID[key](board, text)
        board.tap("#keep")
        LAID[key](board, text)
        order, said, own = board.order, board.says, board.page.eval_on_selector_all("#board .own", LABELS)
        assert order
        board.page.reload()
        board.page.wait_for_selector(OPEN)
        assert (board.order, board.says) == (order, said)
        assert board.page.eval_on_selector_all("#board .own", LABELS) == own
        assert "#" not in board.page.url
        assert board.page.evaluate("Object.keys(localStorage)") == ["zug hint"]
        board.tap("#undo")
        assert board.page.locator("#board .own").count() == len(own) - 1


def walk_to(board: Board, selector: str) -> None:
    """Arrow keys until the chosen spot is one of these."""
    steps = 0
    while not board.page.evaluate("(one) => document.activeElement.matches(one)", selector):
        goal = board.page.locator(f"#board {selector}").first.bounding_box()
        here = board.page.locator("#board .cursor").bounding_box()
        assert goal is not None
        assert here is not None
        across, down = goal["x"] - here["x"], goal["y"] - here["y"]
        ways = ("Right" if across > 0 else "Left", "Down" if down > 0 else "Up")
        board.tap(f"<Arrow{ways[(abs(down) > abs(across)) != (steps % 5 == 4)]}>")
        steps += 1
        assert steps < 60, "the keys do not lead there"


def tab_to(board: Board, selector: str) -> None:
    for _ in range(40):
        if board.page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
        board.page.keyboard.press("Tab")
    raise AssertionError(f"no tab leads to {selector}")


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize("key", [*filter(find_board_page, OWN)])
def test_a_whole_move_is_made_with_keys_alone(boards: Archive, chromium: Browser, key: str) -> None:
    with opened(chromium, boards, key) as (board, text):
        drawn = bool(board.page.locator("#board svg").count())
        if drawn or key == "recht":
            number, spots = find_spots(board, key)
            tab_to(board, "#board [data-spot]")
            walk_to(board, f'[data-spot="{spots[-1 if text.startswith("hinten") else 0]}"]')
            board.tap("<Enter>")
            if drawn:
                tab_to(board, f"#rack button:nth-of-type({number})")
                board.tap("<Enter>")
            else:
                board.tap(f"<{text.partition(' = ')[0][-1].lower()}>")
                tab_to(board, "#word")
                board.page.keyboard.type(text.partition(" = ")[2])
        else:
            tab_to(board, "#board [data-spot]")
            for square, way, letters in re.findall(r"\b([A-Z]+\d+) ([ws]) ([*\w]+)", text):
                walk_to(board, f'[aria-label^="{square}:"]')
                if not board.page.locator(f"#board .cursor.{way}").count():
                    board.tap("<Enter>")
                for letter in letters:
                    board.tap(f"<{letter}>")
        order = board.order
        assert order
        tab_to(board, "#go")
        board.tap("<Enter>")
        tab_to(board, "#send")
        assert board.order == order


DAMAGES = {
    "pointed": "{}>",
    "dotted": "{}.",
    "bracketed": "{})",
    "tracked": "{}?utm_source=mail",
    "rewritten": "{}&data=05%7C02",
    "wrapped": "{0}%0A{1}",
    "spaced": "{0}%20{1}",
    "quoted": "{0}=%0A{1}",
    "coded": "%23{}",
    "doubled": "#{}",
    "followed": "{}%3C/a%3E",
}
"""What mail programs have made of links, all of which is still there."""


@pytest.mark.matrix("browser pages", seconds=10)
def test_a_damaged_link_opens(board: Board) -> None:
    link, page = (
        link_of(read_turn("topwords", walks.topwords("HAUS"))),
        board.archive.address("zug/topwords.html"),
    )
    twisted = [form.format(link if "{}" in form else link[:50], link[50:]) for form in DAMAGES.values()]
    plain = b64encode(urlsafe_b64decode(link + "=" * (-len(link) % 4))).decode()
    for one in (*twisted, plain.replace("+", "%2B").replace("/", "%2F"), plain):
        board.page.goto("about:blank")
        board.page.goto(f"{page}#{one}")
        board.page.wait_for_selector(OPEN)
        assert board.label("E5").startswith("E5: H"), one
    board.page.evaluate("document.getElementById('ask').hidden = false")
    board.page.fill("#paste", f"Schau mal: {page}#{link}")
    board.page.wait_for_selector("#ask", state="hidden")


@pytest.mark.matrix("browser pages", seconds=4)
def test_what_cannot_be_opened_is_told_four_ways_with_what_helps(board: Board) -> None:
    turn, page = read_turn("topwords", walks.topwords("HAUS")), board.archive.address("zug/topwords.html")
    state, seat, _ = position("dominos")
    other = link_of(read_turn("dominos", state, seat))
    said = {}
    for code, link in {
        "zug-none": "nichts",
        "zug-cut": link_of(turn)[:-60],
        "zug-renewed": link_of(turn | {"turn": 2}),
        "zug-other": other,
    }.items():
        board.page.goto("about:blank")
        board.page.goto(f"{page}#{link}")
        board.page.wait_for_selector("#ask:not([hidden])")
        said[board.page.inner_text("#wrong")] = board.page.inner_text("#way")
        assert board.page.inner_text("#wrong") == SAYS[code].replace("{game}", "Dominos")
        board.check_usable()
        assert board.page.is_visible("#lead") == (code in ("zug-renewed", "zug-other"))
        if code == "zug-renewed":
            assert (board.page.get_attribute("#lead", "href") or "").endswith(f"#{link}")
    assert len(said) == len(set(said.values())) == 4
    board.page.click("#lead")
    board.page.wait_for_selector(OPEN)
    assert board.page.url == board.archive.address("zug/dominos.html")


@pytest.mark.matrix("browser pages", seconds=2)
def test_the_line_is_copied_without_https_and_its_address_is_shown(boards: Archive, chromium: Browser) -> None:
    with opened(chromium, boards, "topwords") as (board, text):
        LAID["topwords"](board, text)
        board.page.click("#go")
        board.page.click("#copy")
        assert board.page.inner_text("#copied") in (SAYS["zug-copied"], SAYS["zug-marked"])
        assert board.page.evaluate("getSelection().toString().trim()") == text
        assert board.page.inner_text("#to") == REPLY.address
        board.check_usable()


@pytest.mark.matrix("browser pages", seconds=2)
def test_giving_up_a_round_asks_first(boards: Archive, chromium: Browser) -> None:
    with opened(chromium, boards, "presto") as (board, _):
        board.tap("#pass")
        assert board.page.inner_text("#sure h2") == "Willst du diese Runde wirklich aufgeben?"
        board.check_usable()
        board.close()
        assert not board.order
        board.tap("#pass")
        board.page.click("#surely")
        assert board.order == ["passe"]


@pytest.mark.matrix("browser pages", seconds=2)
def test_a_hint_is_given_once(boards: Archive, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 660})
    page, state = context.new_page(), walks.topwords("HAUS")
    board = Board(page, boards)
    board.open("topwords", state)
    assert page.locator("#hint svg").count() == 3
    board.check_usable()
    page.click("#hint [data-close]")
    page.wait_for_function("localStorage.getItem('zug hint')")
    page.goto("about:blank")
    board.open("topwords", state)
    assert not page.is_visible("#hint")
    context.close()


@pytest.mark.matrix("browser pages", seconds=2)
def test_without_a_script_it_says_how_to_answer(boards: Archive, chromium: Browser) -> None:
    for view in looked(chromium, boards, script=False):
        for page in touch_board.map_board_pages():
            view.page.goto(boards.address(page))
            assert "Antworte auf die Mail" in view.page.inner_text("main")
            assert not view.page.is_visible("#play")
