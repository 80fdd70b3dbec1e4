"""The pages to lay dominoes, triangles and Domi Jongg's tiles on, in a real browser."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Browser

from moderator.games import load_game
from moderator.games.domijongg.state import DomiJonggPublic as DomijonggPublic
from moderator.games.dominos.state import DominoPlacement as LayBone
from moderator.games.dominos.state import DominosOptions, DominosPublic
from moderator.games.tridom.rules import GAME as TRIDOM
from moderator.games.tridom.rules import SUPER
from moderator.games.tridom.state import TridomOptions as TridomOptions
from moderator.games.tridom.state import TridomPlacement as LayTriangle
from moderator.games.tridom.state import TridomPublic as TridomPublic
from moderator.rules import turn_data
from moderator.rules.game import State
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.state import view_for
from tests.games.domijongg_table import table
from tests.games.dominos_table import board as dominos_board
from tests.games.tridom_table import fixed, play
from tests.match.test_turn_data import positions
from tests.site.browser.vectors import ask_module, turn_of
from tests.site.browser.zug_page import Board

pytestmark = pytest.mark.slow
UNIT = 21


def dominos(
    laid: str = "66 62@L 61@R 64@N 22@L 13@R", hand: str = "43 60 21 32 55 10 63", drew: int | None = None
) -> State[DominosPublic]:
    """Open are L 2, R 3, N 4 and S 6, unless something else lies."""
    public = DominosPublic(DominosOptions(), dominos_board(laid), drew=drew)
    return State(public, (tuple(hand.split()), ("54", "53")), ("00", "11"), (35, 20), (0,))


def tridom() -> State[TridomPublic]:
    """The worked mails of RULES.md: five tiles around a corner, and 445 closes the hexagon on place 8."""
    state = fixed("555 335 455 445 034", "355 255 345 012", stock="001 002").state
    for line in ("355@2", "455@3", "255@4", "335@6", "345@12"):
        state = play(TRIDOM, state, line).state
    return state


def domijongg(rack: str = "T3 E T2 N DR B9") -> State[DomijonggPublic]:
    """The third of the worked mails of RULES.md, with one tile more."""
    return table(rack, "K9 W B5 B7 F1", board=["K3", "2: B3", "1: J3"])


def move_up(board: Board) -> None:
    """The second line of the order becomes the first."""
    board.tap("!↑")


def read(key: str, state: State[Any], lines: list[str]) -> list[Any]:
    """Moves of a German order, as the game reads them."""
    return [load_game(key).parse_move(line.removeprefix("sonst "), view_for(state, 0)) for line in lines]


STATES: dict[str, Callable[[], State[Any]]] = {"dominos": dominos, "tridom": tridom, "domijongg": domijongg}
ARROWS = {"r": "ArrowRight", "l": "ArrowLeft", "u": "ArrowUp", "d": "ArrowDown"}


@pytest.mark.parametrize(
    ("key", "dragged", "keys", "walked", "again"),
    [
        ("dominos", "43 N 43@N", "rllluu", "t5 R t5 t2 t0 t3 N", "43 N 43@N"),  # from the tile laid last
        ("tridom", "445 7 445@7", "llurrd", "8 t2 7 t2 8 t5 8", "445 8 445@8"),
        ("domijongg", "B9 2 2:_B9", "rrrrr", "1 t2 t0 t1 t3 2", "B9 2 2:_B9"),
    ],
)
def test_a_tile_is_dragged_and_the_table_is_walked_by_keys(
    board: Board, key: str, dragged: str, keys: str, walked: str, again: str
) -> None:
    board.open(key, STATES[key](), "en/")
    tile, spot, line = dragged.replace("_", " ").split(maxsplit=2)
    board.drag(tile, spot)
    assert board.order == [line]
    if key != "domijongg":
        board.tap("#undo")
    start, *expected = walked.split()
    assert board.walk(start, *(ARROWS[one] for one in keys)) == expected
    if key == "domijongg":
        board.tap("<Backspace>")  # takes away what was laid there
        assert board.page.evaluate("document.activeElement.dataset.spot") == "2"
    assert not board.order
    tile, spot, line = again.replace("_", " ").split(maxsplit=2)
    board.spot(spot).focus()
    board.tap("<Enter>")
    board.tile(tile).focus()
    board.tap("<Enter>")
    assert board.order == [line]
    assert board.page.evaluate("document.activeElement.closest('#rack') !== null"), "and the keys go on from there"


def test_a_move_may_have_a_condition(board: Board) -> None:
    state = dominos()
    board.open("dominos", state, "en/")
    board.tap("=32 @R")
    board.fill("#least", "20")
    assert board.says == "The move scores only 10 points; you wanted at least 20."
    assert not board.order
    board.fill("#least", "10")
    assert board.order == ["32@R from 10"]
    board.tap("#keep =60")
    assert board.order == ["32@R from 10", "else 60@S"]


@pytest.mark.parametrize(("key", "dragged"), [("dominos", "60 L, 55 R, 10 N"), ("tridom", "034 8, 034 7, 034 t1")])
def test_what_is_no_legal_move_is_not_composed(board: Board, key: str, dragged: str) -> None:
    board.open(key, STATES[key]())
    for tile, spot in map(str.split, dragged.split(", ")):
        board.drag(tile, spot)
        assert board.says == f"{'·'.join(tile)} passt dort nicht."
        assert not board.order
        assert board.page.is_disabled("#go")


def test_a_bone_goes_where_alone_it_fits_or_to_the_end_that_is_tapped(board: Board) -> None:
    state = dominos()
    board.open("dominos", state)
    assert not board.page.is_visible("#pass")
    assert not board.page.is_visible("#swap")
    assert board.marked() == ["L", "R", "N", "S"]
    assert board.label("L") == "Ende L, hier passt 2, du kannst 2·1, 3·2 legen"
    board.tap("=60")
    assert board.says == "60@S. Die Enden zählen L 4, R 3, N 4, zusammen 11; das ist nicht durch 5 teilbar."
    assert board.label("S") == "Stein 6·0, von dir gelegt"
    board.tap("#keep =43")
    assert board.says == "4·3 gewählt: Tippe auf eines der hervorgehobenen Enden."
    assert board.marked() == ["R", "N"]
    assert not board.page.is_visible("#orders li:nth-child(2)")
    board.tap("@R #keep =63 @S")
    assert board.says == "63@S. Die Enden zählen L 4, R 3, N 4, S 3, zusammen 14; das ist nicht durch 5 teilbar."
    board.tap("@S")  # takes it back
    assert board.order == ["60@S", "sonst 43@R"]
    board.tap("#standing")
    assert board.says.endswith("Gilt jedes Mal, wenn du ziehen musstest.")
    assert board.order == ["60@S", "sonst 43@R", "sonst nach Ziehen: bester"]
    move_up(board)
    assert board.order == ["43@R", "sonst 60@S", "sonst nach Ziehen: bester"]
    assert read("dominos", state, board.order) == [LayBone("43", "R"), LayBone("60", "S"), AfterDraw()]


def test_the_first_tile_of_a_round_has_one_place(board: Board) -> None:
    board.open("dominos", dominos("", "64 31 22"), "en/")
    assert board.tile("64").get_attribute("aria-label") == "6·4: 10 points"
    board.tap("=64")
    assert board.order == ["64"]
    assert board.says == "64, 10 points. The ends count L 6, R 4, 10 in all: divisible by 5."
    board.drag("22", "")
    assert board.order == ["22"]


def test_a_triangle_goes_to_the_place_that_was_tapped_and_turns_by_itself(board: Board) -> None:
    state = tridom()
    moves = [move for move, _ in TRIDOM.list_moves(view_for(state, 0), turn_data.CONTEXT)]
    board.open("tridom", state)
    assert set(board.marked()) == {str(move.place) for move in moves}
    board.tap("@8")
    assert board.tile("445").get_attribute("aria-label") == "4·4·5: 63 Punkte"
    assert board.tile("034").get_attribute("aria-label") == "0·3·4"
    board.tap("=445")
    assert board.says == "445@8, 63 Punkte. 1 Sechseck geschlossen: 50 Punkte extra."
    assert board.label("8") == "Stein, Spitze oben, ab der Spitze 5 · 4 · 4, von dir gelegt"
    assert board.page.locator("#rack button").count() == 1
    board.tap("#keep @7 =445")
    assert board.order == ["445@8", "sonst 445@7"]
    board.tap("@7")  # takes it back
    assert board.order == ["445@8"]
    board.tap("=445 #keep #standing")
    assert board.order == ["445@8", "sonst 445@7", "sonst nach Ziehen: bester"]
    move_up(board)
    assert board.order == ["445@7", "sonst 445@8", "sonst nach Ziehen: bester"]
    assert read("tridom", state, board.order)[:2] == [LayTriangle("445", 7), LayTriangle("445", 8)]
    assert not board.page.is_visible("#pass")
    assert not board.page.is_visible("#swap")


def test_a_triangle_that_is_tapped_first_waits_for_its_place(board: Board) -> None:
    state = tridom()
    board.open("tridom", state)
    board.tap("=445")
    assert board.says == "4·4·5 gewählt: Tippe auf einen der hervorgehobenen Plätze."
    moves = TRIDOM.list_moves(view_for(state, 0), turn_data.CONTEXT)
    assert set(board.marked()) == {str(move.place) for move, _ in moves if move.tile == "445"}
    board.tap("@7")
    assert board.order == ["445@7"]
    board.tap("@8 =034")
    assert board.says == "0·3·4 passt dort nicht."
    board.tap("=034")  # put back
    assert board.order == ["445@7"]


def test_of_a_table_larger_than_a_phone_what_is_chosen_is_in_sight(board: Board) -> None:
    """Only the table is scrolled."""
    _, _, state, seat, _ = next(one for one in positions("supertridom") if len(one[2].public.board.tiles) > 30)
    board.open("supertridom", state, "", seat)
    board.page.set_viewport_size({"width": 390, "height": 500})
    board.page.wait_for_selector("#whole")
    board.page.locator("#board .fresh").focus()
    for key in ("ArrowLeft",) * 12 + ("ArrowDown",) * 8 + ("ArrowRight",) * 12:
        board.page.keyboard.press(key)
        assert board.in_sight(":focus"), key
    move, _ = next(iter(SUPER.list_moves(view_for(state, seat), turn_data.CONTEXT)))
    board.tap(f"@{move.place} ={move.tile} #keep @{move.place}")
    assert board.order == [SUPER.format_move(move)]
    board.check_usable()
    assert board.smallest() >= 44


def test_a_fork_is_laid_and_goes_on_at_both_of_its_heads(board: Board) -> None:
    state, game = domijongg("T3 E T2 N DR"), load_game("domijongg")
    board.open("domijongg", state)
    assert board.page.inner_text("#says small") == f"In der Mauer: {len(state.stock)} Ziegel."
    assert board.label("1") == "Ende 1 (links), dort liegt J3, du kannst T3, E, N legen"
    board.tap("@1 =T3")
    begun = "T3 beginnt eine Verzweigung und behält Ende 1: Jetzt der zweite Ziegel, an dieselbe Nummer."
    assert board.says == begun
    assert not board.order
    board.tap("=E")
    assert board.order == ["1: T3+E"]
    assert board.says == "1: T3+E, 1 Punkt. 1 Verzweigung gebaut: 1 Punkt."
    board.tap("=T2 @3 =N =DR")
    assert board.order == ["1: T3+E, T2; 3: N, DR"]
    assert "Alle Ziegel gelegt" in board.says
    assert board.says.startswith("1: T3+E, T2; 3: N, DR, 2 Punkte.")
    (move,) = read("domijongg", state, board.order)
    assert game.apply_move(state, 0, move, turn_data.CONTEXT).points == 2
    board.page.locator("#board .own", has_text="N").click()  # takes it back, and what was laid after it
    assert board.order == ["1: T3+E, T2"]
    board.tap("#undo #undo")
    assert board.says == begun
    board.tap("#undo")
    assert not board.order


def test_what_fits_at_no_head_is_not_laid(board: Board) -> None:
    board.open("domijongg", domijongg("T3 DR E T2 B9"))
    for head, tile in ((1, "DR"), (2, "T2")):
        board.tap(f"@{head} ={tile}")
        assert board.says == f"{tile} passt dort nicht."
        assert not board.order
        board.tap(f"={tile}")  # put back
    board.tap("@1 =T3 =B9")
    assert board.says == "B9 passt jetzt an kein Ende."
    board.tap("=B9 @2 =B9")
    assert board.says.startswith("T3 beginnt eine Verzweigung und behält Ende 1")
    board.tap("=B9 @1 =E @2 =B9")
    assert board.says == "B9 passt dort nicht.", "a turn goes on only at heads that it opened"
    assert board.order == ["1: T3+E"]


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
    cases = [
        {
            "turn": json.loads(turn_data.encode_turn(turn_of(state, "domijongg", seat)) or b""),
            "dice": dice.choices(range(60), k=9),
        }
        for state, seat in turns
    ]
    count = 0
    for (state, seat), found in zip(turns, ask_module(chromium, "domijongg", LAID_AT_RANDOM, cases), strict=True):
        for text, points in found:
            move = game.parse_move(text, view_for(state, seat))
            assert game.apply_move(state, seat, move, turn_data.CONTEXT).points == points, text
            count += "+" in text
    assert count > 50


def test_a_link_of_an_older_version_is_told_from_a_wrong_one(board: Board) -> None:
    for key, made in STATES.items():
        old = replace(turn_of(made(), key), picture={}, moves=())
        page = board.address(key, made()).partition("#")[0]
        board.page.goto("about:blank")
        board.page.goto(f"{page}#{turn_data.encode_turn_link(old)}")
        board.page.wait_for_selector("#wrong:has-text('älteren Version')")
