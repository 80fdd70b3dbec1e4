"""The pages to lay dominoes, triangles and Domi Jongg's tiles on, in a real browser."""

import json
import random
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Browser

from moderator.common.errors import PlayerError
from moderator.games import load_game
from moderator.games.domijongg import snake
from moderator.games.domijongg.state import DomiJonggPublic as DomijonggPublic
from moderator.games.domijongg.state import HeadExtension, JonggTurn
from moderator.games.dominos.rules import build_dominoes_scene
from moderator.games.dominos.state import SET, DominosOptions, DominosPublic, list_laid_dominoes
from moderator.games.dominos.state import DominoPlacement as LayBone
from moderator.games.tridom.board import list_tridom_tiles
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
from tests.games.dominos_table import random_round
from tests.games.tridom_table import fixed, play
from tests.site.browser.test_zug_words import refusal
from tests.site.browser.vectors import ask_module, turn_of
from tests.site.browser.vectors_tiles import domijongg_vectors, lay_triangles
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
    board.page.locator("#orders button:not([disabled])", has_text="↑").first.click()


def read(key: str, state: State[Any], lines: list[str]) -> list[Any]:
    """Moves of a German order, as the game reads them."""
    return [load_game(key).parse_move(line.removeprefix("sonst "), view_for(state, 0)) for line in lines]


STATES: dict[str, Callable[[], State[Any]]] = {"dominos": dominos, "tridom": tridom, "domijongg": domijongg}
ARROWS = {"r": "ArrowRight", "l": "ArrowLeft", "u": "ArrowUp", "d": "ArrowDown"}


@pytest.mark.parametrize(
    ("key", "dragged", "keys", "walked", "again"),
    [
        ("dominos", "43 N 43@N", "rllluu", "5 R 5 2 0 3 N", "43 N 43@N"),  # from the tile laid last
        ("tridom", "445 7 445@7", "llurrd", "8 3 7 4 1 2 8", "445 8 445@8"),
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
    board.page.fill("#least", "20")
    assert board.says == "The move scores only 10 points; you wanted at least 20."
    assert not board.order
    board.page.fill("#least", "10")
    assert board.order == ["32@R from 10"]
    board.tap("#keep =60")
    assert board.order == ["32@R from 10", "else 60@S"]


@pytest.mark.parametrize(
    ("key", "moves"),
    [
        ("dominos", [LayBone("60", "L"), LayBone("55", "R"), LayBone("10", "N")]),
        ("tridom", [LayTriangle("034", 8), LayTriangle("034", 7), LayTriangle("034", 3)]),
    ],
)
def test_what_the_rules_forbid_is_not_composed_and_said_as_in_the_mails(
    board: Board, key: str, moves: list[Any]
) -> None:
    state = STATES[key]()
    board.open(key, state)
    for move in moves:
        board.drag(move.tile, str(move.place))
        assert board.says == refusal(key, state, move)
        assert not board.order
        assert board.page.is_disabled("#keep")


def halves(spot: dict[str, Any]) -> tuple[int, int]:
    """Pips left or above the middle of a tile, and beyond it."""
    (x, y), pips = spot["at"], [values for _, values, *_ in spot["parts"] if values["class"] == "ink"]
    box = next(values for _, values, *_ in spot["parts"] if values["class"] == "edge")
    upright = box["height"] > box["width"]
    first = sum((one["cy"] - y if upright else one["cx"] - x) < 0 for one in pips)
    return first, len(pips) - first


def test_the_tiles_lie_where_the_picture_of_the_mails_has_them(chromium: Browser) -> None:
    dice = random.Random("zug")
    tables, turns = [], []
    for _ in range(60):
        any_time = dice.random() < 0.3
        laid = random_round(dice, any_time)
        tables.append(dominos_board(laid[: dice.randint(0, len(laid))], any_time=any_time))
    for lying in tables:
        left = [one for one in SET if one not in list_laid_dominoes(lying)]
        public = DominosPublic(DominosOptions(spinner_any_time=lying.any_time), lying)
        turns.append(json.loads(turn_of(State(public, (tuple(left[:7]), ()), (), (0, 0), (0,)), "dominos")))
    script = """(turn) => { const position = family.start(turn);
        return { frame: position.frame, spots: family.draw(position).spots }; }"""
    for lying, answer in zip(tables, ask_module(chromium, "dominos", script, turns), strict=True):
        scene, spots = build_dominoes_scene(lying), {str(one["spot"]): one for one in answer["spots"]}
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


def test_a_bone_goes_where_alone_it_fits_or_to_the_end_that_is_tapped(board: Board) -> None:
    state = dominos()
    board.open("dominos", state)
    assert not board.page.is_visible("#pass")
    assert not board.page.is_visible("#swap")
    assert board.marked() == ["L", "R", "N", "S"]
    assert board.label("L") == "Links (L), hier passt 2, zählt 4, du kannst 2ǀ1, 3ǀ2 legen"
    board.tap("=60")
    assert board.says == "60@S · Die Enden zählen L 4, R 3, N 4, zusammen 11; das ist nicht durch 5 teilbar."
    assert board.label("S") == "Stein 6ǀ0, von dir gelegt"
    board.tap("#keep =43")
    assert board.says == "4ǀ3 gewählt: Tippe auf eines der hervorgehobenen Enden."
    assert board.marked() == ["R", "N"]
    assert not board.page.is_visible("#orders li:nth-child(2)")
    board.tap("@R #keep =63 @S")
    assert board.says == "63@S · Die Enden zählen L 4, R 3, N 4, S 3, zusammen 14; das ist nicht durch 5 teilbar."
    board.tap("@S")  # takes it back
    assert board.order == ["60@S", "sonst 43@R"]
    board.tap("#standing")
    assert board.says.endswith("Du hast in diesem Zug nicht ziehen müssen; »nach Ziehen: bester« wartet weiter.")
    assert board.order == ["60@S", "sonst 43@R", "sonst nach Ziehen: bester"]
    move_up(board)
    assert board.order == ["43@R", "sonst 60@S", "sonst nach Ziehen: bester"]
    assert read("dominos", state, board.order) == [LayBone("43", "R"), LayBone("60", "S"), AfterDraw()]


def test_the_first_tile_of_a_round_has_one_place(board: Board) -> None:
    board.open("dominos", dominos("", "64 31 22"), "en/")
    assert not board.page.is_visible("#ends")
    assert board.tile("64").get_attribute("aria-label") == "6ǀ4: 10 points"
    board.tap("=64")
    assert board.order == ["64"]
    assert board.says == "64 · The ends count L 6, R 4, 10 in all: divisible by 5. · 10 points"
    board.drag("22", "")
    assert board.order == ["22"]


def test_every_end_has_a_button_as_large_as_a_finger(board: Board) -> None:
    """However small it is in the drawing of a long table, all of which is in sight."""
    laid = random_round(random.Random(8))[:-3]
    board.open("dominos", dominos(" ".join(laid), "43 30"))
    assert board.smallest('#board [data-spot="L"]') < 30
    frame = board.page.locator("#board").bounding_box()
    for box in (one.bounding_box() for one in board.page.locator("#board [data-spot]").all()):
        assert frame["x"] <= box["x"] <= box["x"] + box["width"] <= frame["x"] + frame["width"]
    ends = board.page.locator("#ends button")
    assert ends.all_inner_texts() == ["L 0", "R 4"]
    assert [one.get_attribute("class") for one in ends.all()] == ["open", "open"]
    board.tap("=43")
    assert board.order == ["43@R"]
    board.tap("#undo")
    ends.first.focus()
    board.tap("<Enter>")
    assert board.page.evaluate("document.activeElement.textContent") == "L 0"
    board.tap("=43")
    assert "passt" in board.says
    assert [one.get_attribute("class") for one in ends.all()] == ["", "open"]
    board.check_usable()
    ends.last.click()
    assert board.order == ["43@R"]


def test_a_triangle_goes_to_the_place_that_was_tapped_and_turns_by_itself(board: Board) -> None:
    state = tridom()
    moves = [move for move, _ in TRIDOM.list_moves(view_for(state, 0), turn_data.CONTEXT)]
    board.open("tridom", state)
    assert set(board.marked()) == {str(move.place) for move in moves}
    board.tap("@8")
    assert board.tile("445").get_attribute("aria-label") == "445: 63 Punkte"
    assert board.tile("034").get_attribute("aria-label") == "034"
    board.tap("=445")
    assert board.says == "445@8 · 445 13 · 1 Sechseck geschlossen: 50 Punkte extra. · 63 Punkte"
    assert board.label("8") == "Platz 8, Stein, Spitze oben, ab der Spitze 5 · 4 · 4, von dir gelegt"
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
    assert board.says == "445 gewählt: Tippe auf einen der hervorgehobenen Plätze."
    moves = TRIDOM.list_moves(view_for(state, 0), turn_data.CONTEXT)
    assert set(board.marked()) == {str(move.place) for move, _ in moves if move.tile == "445"}
    board.tap("@7")
    assert board.order == ["445@7"]
    board.tap("@8 =034")
    assert "passt der Stein 034 nicht" in board.says
    board.tap("=034")  # put back
    assert board.order == ["445@7"]


def test_of_a_table_larger_than_a_phone_what_is_chosen_is_in_sight(board: Board) -> None:
    """Only the table is scrolled."""
    dice = random.Random("zug False")
    held = dice.sample(list_tridom_tiles(True), k=76)
    lying, last = lay_triangles(dice, held, 45)
    public = TridomPublic(TridomOptions(), True, lying, ((0,), (0,)), last=last)
    state = State(public, (tuple(held[:9]), tuple(held[9:12])), tuple(held[12:]), (120, -35), (0,))
    board.open("supertridom", state)
    assert board.page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth > clientWidth)(document.getElementById('board'))"
    )
    board.spot(str(last)).focus()
    for key in ("ArrowLeft",) * 12 + ("ArrowDown",) * 8 + ("ArrowRight",) * 12:
        board.page.keyboard.press(key)
        assert board.in_sight(":focus"), key
    move, _ = next(iter(SUPER.list_moves(view_for(state, 0), turn_data.CONTEXT)))
    board.tap(f"@{move.place} ={move.tile} #keep @{move.place}")
    assert board.order == [SUPER.format_move(move)]
    board.check_usable()
    assert board.smallest() >= 44


def test_a_fork_is_laid_and_goes_on_at_both_of_its_heads(board: Board) -> None:
    state, game = domijongg("T3 E T2 N DR"), load_game("domijongg")
    board.open("domijongg", state)
    assert board.page.inner_text("#more") == f"In der Mauer: {len(state.stock)} Ziegel."
    assert board.label("1") == "Ende 1 (links), dort liegt J3, du kannst T3, E, N legen"
    board.tap("@1 =T3")
    begun = "T3 beginnt eine Verzweigung und behält Ende 1: Jetzt der zweite Ziegel, an dieselbe Nummer."
    assert board.says == begun
    assert not board.order
    board.tap("=E")
    assert board.order == ["1: T3+E"]
    assert board.says == "1: T3+E · 1 Verzweigung gebaut: 1 Punkt. · Danach ziehst du 3 Ziegel. · 1 Punkt"
    board.tap("=T2 @3 =N =DR")
    assert board.order == ["1: T3+E, T2; 3: N, DR"]
    assert "Alle Ziegel gelegt" in board.says
    assert board.says.endswith("2 Punkte")
    (move,) = read("domijongg", state, board.order)
    assert game.apply_move(state, 0, move, turn_data.CONTEXT).points == 2
    board.page.locator("#board .own", has_text="N").click()  # takes it back, and what was laid after it
    assert board.order == ["1: T3+E, T2"]
    board.tap("#undo #undo")
    assert board.says == begun
    board.tap("#undo")
    assert not board.order


def test_what_fits_at_no_head_is_said_as_in_the_mails(board: Board) -> None:
    state = domijongg("T3 DR E T2 B9")
    board.open("domijongg", state)
    for head, tile in ((1, "DR"), (2, "T2")):
        board.tap(f"@{head} ={tile}")
        assert board.says == refusal("domijongg", state, JonggTurn((HeadExtension(head, ((tile,),)),)))
        assert not board.order
        board.tap(f"={tile}")  # put back
    board.tap("@1 =T3 =B9")
    assert board.says == "B9 passt jetzt an kein Ende."
    board.tap("@1")
    assert board.says == refusal("domijongg", state, JonggTurn((HeadExtension(1, (("T3", "B9"),)),)))
    board.tap("=B9 @2 =B9")
    assert board.says.startswith("T3 beginnt eine Verzweigung und behält Ende 1")
    board.tap("=B9 @1 =E @2 =B9")
    assert board.says.startswith("Ein Zug geht an ein einziges Ende. Du hast an Ende 1 angefangen; Ende 2")
    assert board.order == ["1: T3+E"]


def test_tiles_lie_where_the_mails_will_show_them(chromium: Browser) -> None:
    """And as many are drawn afterwards as the page says."""
    cases, expected = [], []
    for vector in islice(domijongg_vectors("domijongg"), 500):
        step = vector.outcome
        if isinstance(step, PlayerError):
            continue
        after = snake.lay_jongg_turn(vector.state.public, vector.move).public
        drew = [one.params["count"] for one in step.after if one.code == "drew"]
        expected.append([[list(one.cell) for one in after.laid], drew[0] if drew else 0])
        cases.append({"turn": json.loads(turn_of(vector.state, "domijongg")), "laid": vector.laid})
    script = """({turn, laid}) => {
        const put = (position, [spot, tile]) => family.put(position, spot, tile);
        const after = laid.reduce(put, family.start(turn));
        const draws = family.judge(after).notes.find((note) => note.code === "zug-draws");
        return [after.snake.map(({ cell }) => cell), draws ? draws.params.count : 0]; }"""
    assert ask_module(chromium, "domijongg", script, cases) == expected
    assert len(cases) > 200
