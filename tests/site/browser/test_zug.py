"""What all touch boards have in common: from the mail to the mail, alone, for all, in two browsers."""

import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error

from moderator.conformance import touch_board as turn_files
from moderator.conformance.subject import GameSubject, play_sample_match
from moderator.games import OWN, REGISTRY
from moderator.language.traits import find_board_page as page_of
from moderator.render import touch_board
from moderator.rules import turn_data
from moderator.words.house_rulings import HouseRuling, append_ruling
from tests.cli.running import type_command
from tests.club.club import text
from tests.examples.packages import install
from tests.packages import installed
from tests.site.browser import test_zug_walks as walks
from tests.site.browser.conftest import Archive, looked
from tests.site.browser.zug_page import LAID, OPEN, Board, Served, lay_words, mailed, serving

ROOT = Path(__file__).parents[3]
LANGUAGES = ("", "en/")
READY = "navigator.serviceWorker.ready.then(() => null)"


@pytest.fixture
def served(boards: Archive) -> Iterator[Served]:
    with serving(boards.folder) as found:
        yield found


OTHERS = ("kreuzwort", "recht", "dominos", "supertridom", "domijongg")


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", ["topwords", *(pytest.param(key, marks=pytest.mark.matrix("browser pages", seconds=2)) for key in OTHERS)]
)
def test_the_link_in_a_mail_opens_the_board_and_the_board_opens_the_answer(
    tmp_path: Path, chromium: Browser, key: str
) -> None:
    turn = mailed(tmp_path / "club", key, "Anna", "Bert")
    moves = [move.split(" (")[0] for move in turn.club.moves(turn.code, turn.seat)]
    best = min(moves, key=len) if key in ("topwords", "kreuzwort") else moves[0]
    plain = re.compile(r"[^*]*" if key != "recht" else r"[^*]* w [^*]*")  # the first word lies across
    best = next(move for move in (best, *moves) if plain.fullmatch(move))
    turn.answer(chromium, lambda board: LAID[key](board, best))
    assert turn.club.live(turn.code).last[turn.seat][0] == best


@pytest.mark.matrix("browser pages", seconds=2)
def test_the_link_in_a_mail_of_presto_opens_the_board_and_the_board_opens_the_answer(
    tmp_path: Path, chromium: Browser
) -> None:
    """A cross of two words that the house allows."""
    turn = mailed(tmp_path / "club", "presto", "Anna", "Bert", "Cici", "Dora", "Emil", "Fritz")
    club = turn.club
    hand = sorted(club.live(turn.code).table.state.hands[0])
    letters = [{"*r": "*A", "*b": "*B"}.get(one, one) for one in hand]
    across, down = "".join(letters[:8]), "".join([letters[0], *letters[8:]])
    for word in (across, down):
        ruling = HouseRuling(word.replace("*", ""), "allow", "test", "2026-11-20")
        append_ruling(club.config.resolve_path(club.config.words.house), ruling)
    turn.answer(chromium, lambda board: lay_words(board, f"T20 w {across}, T20 s {down}"))
    assert text(club.mail("anna")).startswith("✓ Fehlerfrei!")


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize("key", [*filter(page_of, OWN)])
@pytest.mark.parametrize(
    ("language", "board"), [("", {}), ("en/", {"dark": True})], indirect=["board"], ids=["light", "dark"]
)
def test_it_is_for_all_and_from_a_folder_needs_no_network(board: Board, key: str, language: str) -> None:
    asked: list[str] = []
    board.page.context.on("request", lambda request: asked.append(request.url.partition("#")[0]))
    board.page.context.set_offline(True)
    board.play(key, language)
    assert asked == [board.archive.address(language + page_of(key))]
    board.check_usable()


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize("key", [*filter(page_of, OWN)])
def test_from_the_archive_it_asks_the_archive_alone(served: Served, chromium: Browser, key: str) -> None:
    for language in LANGUAGES:
        for view in looked(chromium, served):  # that nobody else was asked is looked at there
            view.page.context.on(
                "request", lambda request, view=view: view.outside.extend(elsewhere(served, request.url))
            )
            Board(view.page, served).play(key, language)
            view.page.wait_for_load_state("networkidle")
            view.page.evaluate(READY)
            view.errors[:] = [one for one in view.errors if "404" not in one]  # nothing is published of the match
    at, page = f"/{served.folder.name}/", page_of(key)
    every = {f"{at}{language}{one}" for language in LANGUAGES for one in (page, "zug/sw.js")}
    assert set(served.asked) - {"/favicon.ico"} == every | {f"{at}matches/K7Q2.now.json"}


def elsewhere(archive: Archive, address: str) -> list[str]:
    return [] if address.startswith(archive.address("")) or address == "about:blank" else [address]


KEPT = """async () => {
    const kept = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
    return (await Promise.all(kept.map((cache) => cache.keys()))).flat().map((request) => request.url);
}"""


@pytest.mark.slow
def test_a_page_that_was_opened_once_opens_without_a_network(boards: Archive, chromium: Browser) -> None:
    """Also anew, with another position, when the server is gone. Only itself is kept, and never the token."""
    first, *others = touch_board.map_board_pages().values()
    with ExitStack() as server:
        site = server.enter_context(serving(boards.folder))
        for view in looked(chromium, site):
            page, board = view.page, Board(view.page, site)
            board.play(first)
            page.evaluate(READY)
            page.context.set_offline(True)
            server.close()
            board.play(first)
            page.reload()
            page.wait_for_selector(OPEN)
            assert page.evaluate(KEPT) == [site.address(page_of(first))]
            for other in others:
                with pytest.raises(Error, match="ERR_"):
                    page.goto(site.address(page_of(other)))
            view.errors.clear()  # of what was asked in vain


@pytest.mark.slow
def test_a_page_that_was_opened_again_is_the_newest(boards: Archive, chromium: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    # An old file may be taken for fresh for a while, by any browser: this one is new, and then newer.
    shutil.copytree(boards.folder / "zug", folder / "zug", copy_function=shutil.copy)
    key = next(iter(touch_board.map_board_pages().values()))
    file = folder / page_of(key)
    with serving(folder) as site:
        for view in looked(chromium, site):
            page = view.page
            Board(page, site).play(key)
            page.evaluate(READY)
            file.write_text(file.read_text(encoding="utf-8").replace("<title>", "<title>Neu: "), encoding="utf-8")
            os.utime(file, (time.time() + 5, time.time() + 5))
            for _ in range(2):
                page.goto("about:blank")
                page.goto(site.address(page_of(key)))
                assert page.title().startswith("Neu: ")
                page.context.set_offline(True)
            view.errors.clear()


FAR = 5
"""Calls before the position that is shown."""
TOUCHED = """() => {
    const tap = (one) => one.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const held = () => document.querySelectorAll("#rack button");
    const spots = () => [...document.querySelectorAll("#board [data-spot]")];
    const back = document.getElementById("undo"), all = held().length, names = spots().map((one) => one.dataset.spot);
    const square = (name) => spots().find((one) => one.dataset.spot === name) ?? spots()[0];
    const wrong = [];
    let laid = 0;
    const done = (what) => {
        laid += held().length < all;
        for (let times = 0; times < 4; times += 1) tap(back);
        if (held().length !== all) wrong.push(`${what}: ${held().length} of ${all} tiles after Back`);
    };
    for (const name of names.filter((_, at) => at % Math.ceil(names.length / 60) === 0)) {
        for (let at = 0; at < Math.min(all, 7); at += 1) {
            tap(held()[at]);
            tap(square(name));
            done(`tile ${at}, ${name}`);
            tap(square(name));
            tap(held()[at]);
            done(`${name}, tile ${at}`);
        }
    }
    return [laid, wrong.slice(0, 3)];
}"""


def touch(key: str, folder: Path, chromium: Browser) -> list[tuple[str, str]]:
    """Lay some tiles on some squares and take them back. Returns what each tile of the rack is called for who hears the
    page, and what stands on it."""
    subject, page = GameSubject(key, quick=True), page_of(key)
    match = play_sample_match(subject, subject.game.paces[0], 1, FAR)
    state = next(state for state in reversed(match.states) if not state.over)
    turn = turn_data.encode_turn(turn_files.build_full_turn_data(subject.game, state, state.to_move[0], match.options))
    file = folder / "board.html"
    file.write_text(touch_board.render_board_page(page, "de", "Postspiele", turn=turn), encoding="utf-8")
    for view in looked(chromium, Archive(folder, {})):
        view.page.goto(file.as_uri())
        view.page.wait_for_selector(OPEN, timeout=10_000)
        laid, wrong = view.page.evaluate(TOUCHED)
        assert wrong == []
        assert laid, "nothing was laid"
        assert not re.findall(r"\bzug-\w+|undefined|NaN|\{\w+", view.page.inner_text("#play"))
        rack = view.page.locator("#rack button").all()
        named = [(tile.get_attribute("aria-label") or "", tile.text_content() or "") for tile in rack]
    return named


@pytest.mark.matrix("browser pages", seconds=5)
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_every_board_of_ours_can_be_touched(key: str, tmp_path: Path, chromium: Browser) -> None:
    touch(key, tmp_path, chromium)


@pytest.mark.slow
def test_boards_of_a_new_game_and_of_the_example_can_be_touched(
    tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    type_command(None, "game", "new", "wortkreis")
    for package in (tmp_path / "wortkreis" / "wortkreis", ROOT / "examples" / "fantan" / "fantan"):
        site = tmp_path / f"{package.name}-site"
        site.mkdir()
        install(site, package)
        with installed(site):
            touch(package.name, tmp_path, chromium)


@pytest.mark.slow
def test_a_tile_is_called_as_sentences_call_it_and_one_that_fits_needs_no_number(
    tmp_path: Path, chromium: Browser
) -> None:
    with installed(ROOT / "tests" / "tenth"):
        named = touch("linie", tmp_path, chromium)
    assert {text[1:] for label, text in named if ":" in label} == {"✓"}
    assert [label for label, _ in named] == [
        f"{text[0].lower()}: passt hier" if text.endswith("✓") else text.lower() for _, text in named
    ]


TAPS: dict[str, tuple[Callable[[], Any], str]] = {
    "topwords": (lambda: walks.topwords("HAUS"), "E5 =M"),
    "point": (lambda: walks.typdom("point"), "T19 #turn =P =L"),
    "recht": (walks.recht, "=R"),
    "presto": (walks.presto, "T20 =E =X #pass #surely"),
    "dominos": (walks.dominos, "=6·0 #keep =4·3 .open"),
    "tridom": (walks.tridom, "[data-spot='8'] =4·4·5"),
    "domijongg": (walks.domijongg, "[data-spot='1'] =T3 =E"),
}
"""Of each page a game, a position and what is tapped: a square, =tile of the rack, or what a selector finds."""
SHOWN = "return !document.getElementById('play').hidden"
CHOSEN = "return document.querySelector('#board .cursor').getAttribute('aria-label').split(':')[0] === arguments[0]"
TILE = """const tiles = [...document.querySelectorAll('#rack button')];
return tiles.findIndex((one) => (one.getAttribute('aria-label') ?? one.textContent).startsWith(arguments[0])) + 1"""
IN_SIGHT = "document.querySelector(arguments[0]).scrollIntoView({ block: 'center', inline: 'center' })"
BY_SCRIPT = """const one = document.querySelector(arguments[0]);
const script = one instanceof SVGElement || one.closest("dialog");
if (script) one.dispatchEvent(new MouseEvent("click", { bubbles: true }));
return Boolean(script)"""
"""The driver clicks on no part of a drawing, and on nothing in a sheet that is closed."""
WRITTEN = "return document.getElementById('send').getAttribute('href')"
Ask = Callable[..., Any]


def compose(taps: str, ask: Ask, tap: Callable[[str], None]) -> str:
    """The mail that the page opens after these taps."""
    for one in taps.split():
        if one.startswith("="):
            tap(f"#rack button:nth-of-type({ask(TILE, one[1:])})")
        elif one[0].isalpha():
            if not ask(CHOSEN, one):
                tap(f'#board [aria-label^="{one}:"]')
        elif not ask(BY_SCRIPT, one):
            tap(one)
    return str(ask(WRITTEN))


def compose_in_firefox(driver: Any, address: str, taps: str) -> str:
    from marionette_driver import By, Wait

    def ask(script: str, *values: Any) -> Any:
        return driver.execute_script(script, script_args=values)

    def tap(selector: str) -> None:
        if not ask(BY_SCRIPT, selector):
            ask(IN_SIGHT, selector)
            driver.find_element(By.CSS_SELECTOR, selector).click()

    driver.navigate("about:blank")
    driver.navigate(address)
    Wait(driver, timeout=10).until(lambda _: ask(SHOWN))
    ask("document.getElementById('hint').close()")
    assert "#" not in driver.get_url()  # the token is out of the address bar
    return compose(taps, ask, tap)


@pytest.mark.matrix("browser pages", seconds=2)
@pytest.mark.parametrize("key", TAPS)
def test_the_same_taps_open_the_same_mail_in_firefox(board: Board, driver: Any, key: str) -> None:
    def ask(script: str, *values: Any) -> Any:
        return board.page.evaluate(f"(values) => (function () {{ {script} }}).apply(null, values)", values)

    assert {page_of(key) for key in TAPS} == touch_board.map_board_pages().keys()
    made, taps = TAPS[key]
    state = made()
    board.open(key, state)
    link = compose(taps, ask, lambda selector: board.page.locator(selector).first.click())
    assert link.startswith("mailto:games%2BK7Q2-")
    assert "&body=" in link
    assert compose_in_firefox(driver, board.address(key, state), taps) == link


@pytest.mark.slow
def test_the_next_mails_link_is_followed_in_the_page_that_is_open(board: Board) -> None:
    """A browser that finds the page open changes the end of its address only."""
    board.open("topwords", walks.topwords("HAUS"))
    board.tap("E5 =M #keep")
    board.open("topwords", walks.topwords("RIND"))
    board.page.wait_for_function("() => document.getElementById('board').textContent.includes('R')")
    assert "R" in board.spot("E5").inner_text()
    assert "MAUS" not in board.page.inner_text("#play"), "that was laid on another position"
    assert board.page.url.endswith("zug/topwords.html")


@pytest.mark.slow
def test_a_page_is_small(archive: Archive) -> None:
    pages = [*archive.folder.rglob("zug/*.html")]
    assert pages
    assert [page.name for page in pages if page.stat().st_size > 60_000] == []
