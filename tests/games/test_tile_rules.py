"""Dominos, Tridom and Domi Jongg: what is refused, and what no whole match of test_recount.py comes upon."""

from dataclasses import replace
from typing import Any

import pytest

from moderator.common.errors import Illegal, OperatorError
from moderator.games.domijongg.rules import GAME as DOMIJONGG
from moderator.games.domijongg.state import WALL
from moderator.games.domijongg.state import DomiJonggOptions as DomiJonggOptions
from moderator.games.dominos.rounds import end_blocked_round
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.dominos.state import SET, DominoPlacement, DominosOptions
from moderator.games.tridom.board import list_tridom_tiles
from moderator.games.tridom.state import TridomOptions as TridomOptions
from moderator.games.tridom.state import TridomPlacement as LayTriangle
from moderator.rules.orders.conditions import AfterDraw
from moderator.rules.state import Context, view_for
from tests.games import domijongg_table as snake
from tests.games.dominos_table import ZEROS, context, table
from tests.games.tridom_table import GAME as TRIDOM
from tests.games.tridom_table import UNMIXED, fixed, play
from tests.games.typdom_table import codes

# ---- Dominos ----


def refused(state: Any, move: Any, seat: int = 0) -> Illegal:
    with pytest.raises(Illegal) as raised:
        DOMINOS.apply_move(state, seat, move, context())
    return raised.value


def test_what_is_refused() -> None:
    state = table("64 31 22 65", "00 11", laid="66 63@R")
    assert refused(state, DominoPlacement("55", "L")).code == "not-your-tile"
    fits_not = refused(state, DominoPlacement("22", "L"))
    assert (fits_not.code, fits_not.params) == ("does-not-fit", {"tile": "22", "ends": {"L": 6, "R": 3}})
    assert refused(state, DominoPlacement("22")).code == "does-not-fit"
    assert refused(state, DominoPlacement("64", "N")).code == "place-closed"
    assert refused(table("64", "11", laid="65 53@R"), DominoPlacement("64", "S")).code == "no-spinner"
    assert refused(table("64 10", "11", laid="65 51@R 16@R"), DominoPlacement("64")).code == "place-missing"
    assert refused(replace(state, to_move=()), DominoPlacement("64", "L")).code == "game-over"


def test_the_standing_order_waits_for_a_draw_of_its_own() -> None:
    state = table("31 20", "55 50", "62 44", laid="66 63@R 64@L")
    assert refused(state, AfterDraw()).code == "no-draw"
    drawn = DOMINOS.apply_move(state, 0, DominoPlacement("31", "R"), context()).state
    assert refused(replace(drawn, to_move=(0,)), AfterDraw()).code == "no-draw"
    laid = DOMINOS.apply_move(drawn, 1, DominoPlacement("62", "S"), context()).state
    assert refused(replace(laid, to_move=(1,)), AfterDraw(), seat=1).code == "no-draw"
    assert DOMINOS.is_standing_order(AfterDraw())
    assert not DOMINOS.is_standing_order(DominoPlacement("62", "S"))


@pytest.mark.parametrize(
    ("hands", "values", "outcome"),
    [
        (("66", "11"), {"scores": (5, 0)}, (0, "blocked-score")),
        (("66", "11"), {"scores": (0, 5)}, (1, "blocked-score")),
        (("66 55", "11"), {"scores": (5, 5)}, (1, "blocked-tiles")),
        (("66", "11"), {"last": 1}, (1, "blocked-last")),
        (("66", "11"), {"last": 0}, (0, "blocked-last")),
        (("66", "11 21"), {"scores": (5, 0), "blocked_winner": "lowest_hand"}, (1, "blocked-pips")),
        (("33 21", "63"), {"blocked_winner": "lowest_hand"}, (1, "blocked-tiles")),
        (("63", "54"), {"last": 1, "blocked_winner": "lowest_hand"}, (1, "blocked-last")),
    ],
)
def test_who_wins_a_blocked_round(hands: tuple[str, str], values: dict[str, Any], outcome: tuple[int, str]) -> None:
    agreed = {name: value for name, value in values.items() if name == "blocked_winner"}
    state = table("60", "11", "", ZEROS, **agreed)
    public, held = replace(state.public, last=values.get("last", 0)), tuple(tuple(hand.split()) for hand in hands)
    state = replace(state, public=public, hands=held, scores=values.get("scores", (0, 0)))
    notes = end_blocked_round(state, context(1))[1]
    assert (notes[0].seat, notes[1].code) == outcome


def test_the_winner_of_a_round_may_lead_any_tile() -> None:
    state = table("31", "65 55 20 11", "10", laid="66 63@R", leader="round_winner")
    step = DOMINOS.apply_move(state, 0, DominoPlacement("31", "R"), context(3))
    assert codes(step.after)[-2:] == ["next-round", "leads"]
    assert (step.state.to_move, step.state.public.leader) == ((0,), 0)
    led = step.state
    tile = led.hands[0][3]
    read = DOMINOS.parse_move(f"{tile}@L", view_for(led, 0))
    assert read == DominoPlacement(tile)
    assert DOMINOS.apply_move(led, 0, DominoPlacement(tile, "N"), context(3)).state.public.board.laid[0] == (tile, "")
    missed = DOMINOS.pass_turn(led, 0, context(3))
    assert missed.state.to_move == (1,)


def test_a_fixed_deal() -> None:
    step = DOMINOS.setup(
        2, DominosOptions(), context(), {"racks": [["46", "1-0"], ["66"]], "stock": ["55"], "starter": 0}
    )
    assert step.notes[0].params["tile"] == "64"
    assert step.state.hands == (("10",), ("66",))
    by_stock = DOMINOS.setup(2, DominosOptions(), context(), {"stock": list(SET)})
    assert by_stock.state.hands[1][0] == "31"
    on_board = DOMINOS.setup(2, DominosOptions(), context(5), {"board": ["66", "62@L"], "starter": 1})
    assert on_board.state.to_move == (1,)
    assert len(on_board.state.stock) + sum(map(len, on_board.state.hands)) == 26


# ---- Tridom ----


OPEN = {"(0,0)": "555"}


@pytest.mark.parametrize(
    ("line", "code", "params"),
    [
        ("345@6", "not-your-tile", {"tile": "345"}),
        ("133@1", "taken", {"place": 1, "free": [6, 7, 8, 9, 10, 11, 12, 13]}),
        ("225@7", "does-not-fit-up", {"tile": "225", "place": 7, "corners": "0 · 3 · ?"}),
        ("225@9", "does-not-fit-down", {"tile": "225", "place": 9, "corners": "1 · ? · 3"}),
        ("nach Ziehen: bester", "no-draw", {}),
    ],
)
def test_what_the_rules_of_tridom_forbid(line: str, code: str, params: dict[str, Any]) -> None:
    board = {"(0,0)": "311", "(0,1)": "303", "(1,1)": "333", "(1,-1)": "121", "(0,-1)": "111"}
    state = fixed("133 225", "001", stock="000", board=board).state
    with pytest.raises(Illegal) as caught:
        play(TRIDOM, state, line)
    assert (caught.value.code, caught.value.params) == (code, params)


def test_places_that_are_not_there() -> None:
    state = fixed("344", "001", stock="000", board={"(0,0)": "345"}).state
    for place in (0, -1, 5, 99):
        with pytest.raises(Illegal, match="no-such-place"):
            TRIDOM.apply_move(state, 0, LayTriangle("344", place), UNMIXED)


def test_a_fixed_deal_of_triangles() -> None:
    state = fixed("345", "001", stock="000", board={"(1,0)": "553", "(0,0)": "555"}).state
    assert state.public.board.cells == ((0, 0), (1, 0), (1, 1), (-1, 0), (2, 0), (0, -1))
    assert fixed("345", "001", stock="000", board={"0,0": "555", "(1, 0)": "553"}).state == state
    step = fixed("555 344", "002 012 345", stock="003", starter=1)  # it opens with its own best tile
    assert (step.notes[0].seat, step.notes[0].params["tile"]) == (1, "345")
    assert step.state.public.gains == ((), (22,))
    step = TRIDOM.setup(2, TridomOptions(), UNMIXED, {"stock": list(list_tridom_tiles(mirrored=False)[:20])})
    assert step.notes[0].params["tile"] == "000"


def test_a_tie_at_the_target_gives_another_round() -> None:
    state = fixed("255", "000 001", "011", stock="111", board=OPEN).state
    step = play(TRIDOM, replace(state, scores=(380, 420, 1)), "255@2")
    assert [code for code in codes(step.after) if code in ("tied", "next-round", "match-won")] == ["tied", "next-round"]
    tied = next(note for note in step.after if note.code == "tied")
    assert (tied.seat, tied.params) == (None, {"seats": [0, 1], "points": 420})
    assert (step.state.over, step.state.public.round) == (False, 2)


# ---- Domi Jongg ----


def refusal(state: Any, text: str) -> tuple[str, dict[str, Any]]:
    with pytest.raises(Illegal) as raised:
        snake.play(state, text)
    return raised.value.code, raised.value.params


def test_a_shuffle_that_always_turns_up_a_special_ends_too() -> None:
    def shuffle(label: str, items: Any) -> tuple[str, ...]:
        return (
            tuple(sorted(items, reverse=True))
            if "single" not in label
            else tuple(sorted(items, key=lambda t: t[0] not in "FJ"))
        )

    wall = ["B1"] * 12 + ["F1", "K2", "K3"]
    step = DOMIJONGG.setup(2, DomiJonggOptions(), Context(snake.NoWords(), shuffle), {"stock": wall})
    assert step.state.public.laid[0].tile == "K2"


def test_a_fixed_wall_is_dealt_in_order_and_may_be_too_short() -> None:
    state = DOMIJONGG.setup(2, DomiJonggOptions(start_count=2), snake.context(), {"stock": list(WALL[::4])[:6]}).state
    assert state.hands == (("B1", "B2"), ("B3", "B4"))
    assert (state.public.heads, state.stock, state.to_move) == (("B5", "B5"), ("B6",), (1,))
    with pytest.raises(OperatorError):
        DOMIJONGG.setup(2, DomiJonggOptions(), snake.context(), {"stock": ["B1"] * 11})


def test_only_one_head_and_what_grows_from_it() -> None:
    state = snake.table("T3 E T2 N DR", "DW", board=["K3", "1: J3", "2: B3"])
    assert refusal(state, "1: T3+E; 2: N") == ("other-head", {"head": 2, "first": 1})
    assert refusal(state, "3: N") == ("no-such-head", {"head": 3, "heads": [1, 2]})
    assert refusal(state, "1: T3+E; 4: N") == ("no-such-head", {"head": 4, "heads": [1, 2]})
    assert refusal(state, "1: T3+N, T9") == ("not-your-tiles", {"tiles": ["T9"]})
    assert snake.play(state, "1: T3+E; 3: N, DR; 1: T2").state.public.heads == ("T2", "B3", "DR")


def test_never_more_heads_than_agreed() -> None:
    board = ["N", "1: F1", "1: E+S"]
    state = snake.table("F2 W N K1", "DW", board=board, max_heads=3)
    assert refusal(state, "1: F2, W+N") == ("too-many-heads", {"limit": 3})
    assert snake.play(snake.table("F2 W N K1", "DW", board=board, max_heads=4), "1: F2, W+N").points == 1


def test_the_game_ends_when_the_wall_is_used_up_and_a_hand_is_empty() -> None:
    step = snake.play(snake.table("B3", "DW B1", "K1", stock=[], games=1), "2: B3")
    assert [(note.code, note.seat) for note in step.after] == [
        ("went-out", 0), ("rest", 1), ("rest", 2), ("sum-laid", 0), ("sum-total", 0), ("sum-laid", 1),
        ("sum-total", 1), ("sum-laid", 2), ("sum-total", 2), ("series-won", None),
    ]  # fmt: skip
    assert step.after[1].params == {"tiles": ["B1", "DW"]}
    assert step.after[-1].params == {"seats": [0], "points": 3}
    assert DOMIJONGG.find_winners(step.state) == (0,)
