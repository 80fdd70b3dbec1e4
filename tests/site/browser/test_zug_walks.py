"""The pages to lay tiles on, each as somebody uses it, step by step."""

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from moderator.common.errors import PlayerError
from moderator.games import load_game
from moderator.games.dominos.state import DominosOptions, DominosPublic
from moderator.games.topwords.state import TopwordsOptions, TopwordsPublic
from moderator.games.tridom.rules import GAME as TRIDOM
from moderator.games.tridom.rules import SUPER
from moderator.language.messages import render_note
from moderator.rules import turn_data
from moderator.rules.game import State
from moderator.rules.state import Note, view_for
from tests.games.domijongg_table import table
from tests.games.dominos_table import board as dominos_board
from tests.games.presto_table import Match as PrestoMatch
from tests.games.tridom_table import fixed, play
from tests.games.typdom_table import Match
from tests.match.test_turn_data import positions
from tests.site.browser.zug_page import Board, ask_module, turn_of

pytestmark = pytest.mark.slow

TABLE = {
    **{f"{column}20": letter for column, letter in zip("OPQRST", "MEXICO", strict=True)},
    **dict(zip(("Q18", "Q19", "Q21"), ("T", "E", "*A"), strict=True)),
    **{f"{column}22": letter for column, letter in zip("QRSTUVWX", "SARAJEVO", strict=True)},
}
"""Of the sample game of Point-Typ-Dom."""


def topwords(words: str = "") -> State[Any]:
    board = [""] * 100
    board[44 : 44 + len(words)] = words
    public = TopwordsPublic(TopwordsOptions(), tuple(board), fresh=tuple(range(44, 48)) if words else ())
    return State(public, (tuple("MAOTERN"), tuple("AEINRST")), tuple("ENSIRAT"), (8, 0), (0,))


def typdom(key: str, rack: str = "POLAHN*r*bAS", board: Any = None) -> State[Any]:
    return Match[Any](key, rack, "FLST", stock="ENSIRAT", board=TABLE if board is None else board).state


def presto(*racks: str) -> State[Any]:
    return PrestoMatch(*(racks or ("AAEE*rCGHLMNTX", "TOR", "RUF")), known="EXAMEN LAGE NACHT").state


def agreed() -> State[Any]:
    """Somebody has finished, somebody given up, and one tile may be left."""
    match = PrestoMatch("TORE", "TOR", "RUF", "EIS", known="TOR RUF EIS", finish_with_one_left=True)
    match.send(1, "TOR")
    match.send(2, "passe")
    return match.state


def recht() -> State[Any]:
    """The worked mails of RULES.md: Anna is to move again."""
    match = Match[Any]("recht", "EAEIOBDGHKRZ*b", "TAEIOUCDFGLNS", stock="ENSIRAT", known="REISE STERN")
    return match.play("E an T20 = REISE", "vorn T = STERN").state


def recht_at(columns: str, letters: str, rack: str, **more: Any) -> State[Any]:
    squares: Any = {f"{column}20": letter for column, letter in zip(columns, letters, strict=True)}
    return Match[Any]("recht", rack, "FLSTEEEE", stock="ENSIRAT", board={"squares": squares, **more}).state


def dominos(laid: str = "66 62@L 61@R 64@N 22@L 13@R", hand: str = "43 60 21 32 55 10 63") -> State[Any]:
    """Open are L 2, R 3, N 4 and S 6, unless something else lies."""
    public = DominosPublic(DominosOptions(), dominos_board(laid))
    return State(public, (tuple(hand.split()), ("54", "53")), ("00", "11"), (35, 20), (0,))


def tridom() -> State[Any]:
    """The worked mails of RULES.md: five tiles around a corner, and 445 closes the hexagon on place 8."""
    state = fixed("555 335 455 445 034", "355 255 345 012", stock="001 002").state
    for line in ("355@2", "455@3", "255@4", "335@6", "345@12"):
        state = play(TRIDOM, state, line).state
    return state


def domijongg(*rack: str) -> State[Any]:
    """The third of the worked mails of RULES.md, with one tile more."""
    return table(" ".join(rack or ("T3", "E", "T2", "N", "DR", "B9")), "K9 W B5 B7 F1", board=["K3", "2: B3", "1: J3"])


STATES: dict[str, Callable[..., State[Any]]] = {
    "topwords": topwords,
    "point": lambda *rack: typdom("point", *rack),
    "point-empty": lambda: typdom("point", "TXS*r*b", {}),
    "kreuzwort": lambda: typdom("kreuzwort"),
    "presto": lambda *rack: presto(*rack, *(["TOR"] if rack else [])),
    "presto-agreed": agreed,
    "recht": recht,
    "recht-crossing": lambda: recht_at("RSTUV", "STERN", "LIKDR", finished={"square": "T20", "direction": "w"}),
    "recht-round": lambda: recht_at(
        "TUV", "ANA", "ANNASE", running={"square": "T20", "direction": "w", "word": "ANANAS", "author": 0}
    ),
    "dominos": dominos,
    "dominos-first": lambda: dominos("", "64 31 22"),
    "tridom": tridom,
    "domijongg": domijongg,
}
WALKS = re.findall(r"^\[(.+)\]\n((?:.+\n)+)", (Path(__file__).parent / "walks.txt").read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize(("head", "steps"), WALKS, ids=lambda text: text if "\n" not in text else "")
def test_each_step_says_shows_and_writes(board: Board, head: str, steps: str) -> None:
    language, name, *rack = head.split()
    board.open(name.partition("-")[0], STATES[name](*rack), "" if language == "de" else f"{language}/")
    for step in steps.splitlines():
        taps, *expected = re.split(r"(?:^| )(->|=>|\?) ", step)
        board.tap(taps)
        for kind, text in zip(expected[::2], expected[1::2], strict=True):
            found = {"->": lambda: board.says, "=>": lambda: " | ".join(board.order) or "-", "?": lambda: ""}[kind]()
            if kind == "?":
                found, text = board.look_up(text)
            assert re.fullmatch(re.escape(text).replace("…", "(?s:.*)"), found), f"{step}: {found}"


def test_what_is_wrong_is_said_as_in_the_mails(board: Board) -> None:
    for key, state, taps, move in (
        ("presto", presto(), "T20w:EXA T22w:CH W18s:LG", "T20 w EXA + T22 w CH + W18 s LG"),
        ("recht", recht(), "U20 =D", "weiter hinten D"),
    ):
        board.page.goto("about:blank")
        board.open(key, state)
        board.tap(taps)
        game = load_game(key)
        with pytest.raises(PlayerError) as error:
            game.apply_move(state, 0, game.parse_move(move, view_for(state, 0)), turn_data.CONTEXT)
        assert board.says.startswith(render_note(Note(error.value.code, error.value.params), "de", key))
        assert not board.order


def test_a_crossword_or_a_table_that_grows_is_scrolled_inside_the_page(board: Board) -> None:
    board.open("presto", presto("EANTIRSOUL" * 4, "TOR"))
    assert board.smallest() >= 44
    board.tap("T20w:EANTIRSOULEA Z19s:NTIRSOULEA")
    board.check_usable()
    assert board.in_sight(".cursor")
    board.open("kreuzwort", typdom("kreuzwort"))
    before = board.page.locator("#board [data-spot]").count()
    board.tap(":T20" + " <ArrowRight>" * 25)
    assert board.page.evaluate("document.activeElement.getAttribute('aria-label')") == "AN20: leer, nach rechts"
    assert board.page.locator("#board [data-spot]").count() > before
    assert board.in_sight(":focus")


def test_of_a_table_larger_than_a_phone_what_is_chosen_is_in_sight(board: Board) -> None:
    """Only the table is scrolled; what is open are the places of all legal moves."""
    _, _, state, seat, _ = next(one for one in positions("supertridom") if len(one[2].public.board.tiles) > 30)
    board.open("supertridom", state, "", seat)
    moves = [move for move, _ in SUPER.list_moves(view_for(state, seat), turn_data.CONTEXT)]
    assert set(board.marked()) == {str(move.place) for move in moves}
    assert not board.page.is_visible("#pass")
    assert not board.page.is_visible("#swap")
    board.page.set_viewport_size({"width": 390, "height": 500})
    board.page.wait_for_selector("#whole")
    board.page.locator("#board .fresh").focus()
    for key in ("ArrowLeft",) * 12 + ("ArrowDown",) * 8 + ("ArrowRight",) * 12:
        board.page.keyboard.press(key)
        assert board.in_sight(":focus"), key
    board.tap(f"@{moves[0].place} ={moves[0].tile} #keep @{moves[0].place}")
    assert board.order == [SUPER.format_move(moves[0])]
    board.check_usable()
    assert board.smallest() >= 44


LAID_AT_RANDOM = """({turn, dice}) => {
    let position = family.start(turn), found = [];
    for (const die of dice) {
        const heads = position.tips.map((_, at) => at + 1);
        const can = heads.flatMap((head) => family.left(position)
            .map((tile) => [head, tile]).filter(([one, tile]) => family.worth(position, one, tile) !== null));
        if (!can.length) break;
        position = family.put(position, ...can[die % can.length]);
        const { text, points } = family.judge(position);
        if (text) found.push([text, points]);
        const cells = [...position.snake.map(({cell}) => cell), ...position.labels];
        if (new Set(cells.map(String)).size < cells.length) throw new Error(`two tiles in one cell: ${text}`);
    }
    return found; }"""


def test_whatever_is_laid_tile_for_tile_is_a_turn_of_so_many_points(chromium: Browser) -> None:
    dice, game = random.Random("zug"), load_game("domijongg")
    turns = [(state, seat) for _, _, state, seat, _ in positions("domijongg")] * 4
    texts = [turn_data.encode_turn(turn_of(state, "domijongg", seat)) or b"" for state, seat in turns]
    cases = [{"turn": json.loads(text), "dice": dice.choices(range(60), k=9)} for text in texts]
    count = 0
    for (state, seat), found in zip(turns, ask_module(chromium, "domijongg", LAID_AT_RANDOM, cases), strict=True):
        for text, points in found:
            move = game.parse_move(text, view_for(state, seat))
            assert game.apply_move(state, seat, move, turn_data.CONTEXT).points == points, text
            count += "+" in text
    assert count > 50


def test_a_link_of_an_older_version_is_told_from_a_wrong_one(board: Board) -> None:
    for key in ("dominos", "tridom", "domijongg"):
        old = replace(turn_of(STATES[key](), key), picture={}, moves=())
        board.page.goto("about:blank")
        board.page.goto(board.address(key, STATES[key]()).partition("#")[0] + f"#{turn_data.encode_turn_link(old)}")
        board.page.wait_for_selector("#wrong:has-text('älteren Version')")
