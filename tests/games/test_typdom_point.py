"""Point-Typ-Dom: values, the bonus, the round that is played out, rests, buying up to three."""

from __future__ import annotations

import pytest

from moderator.errors import ConfigError, Illegal, OperatorError
from moderator.games.typdom.rules import POINT as GAME
from moderator.games.typdom.state import PointOptions
from moderator.games.typdom.tiles import COUNTS, VALUES
from moderator.match.contract import view_for
from moderator.match.words import AnyWords
from tests.games.typdom_table import Match, codes, points

WORDS = "HAUS SEE OHR RAT AS ES HASE TEE HERE REH"
JOINED = {"S20": "H", "T20": "A", "U20": "U", "V20": "S", "V21": "E", "V22": "E", "S21": "O", "S22": "H", "S23": "R"}


def match(*racks: str, **more: object) -> Match:
    more.setdefault("stock", "EEAANNRRSS*r*b")
    more.setdefault("known", WORDS)
    return Match("point", *racks, **more)  # type: ignore[arg-type]


def test_every_letter_has_a_value() -> None:
    assert VALUES.keys() == COUNTS.keys()
    assert sum(VALUES[letter] * count for letter, count in COUNTS.items()) == 200


def test_a_word_counts_all_its_letters() -> None:
    game = match("HASX", "B", board={"U20": "U", "U21": "H", "U22": "R"})
    step = game.turn("S20 w HAUS")
    assert step.points == 3 + 1 + 1 + 2
    assert step.state.scores == (7, 0)


def test_a_crossing_word_brings_nothing() -> None:
    board = {"T20": "R", "T21": "A", "U22": "S"}
    step = match("TX", "B", board=board, known="RAT TS").turn("T20 s RAT")
    assert step.detail["words"] == [{"word": "RAT", "points": 6}, {"word": "TS", "points": 0}]
    assert step.points == 6


def test_lying_and_new_jollies_count_nothing() -> None:
    game = match("H*rUSX", "SEEX")
    assert game.turn("T20 w H*AUS").points == 3 + 0 + 1 + 2
    assert match("HUSX", "B", board={"U20": "*A", "U21": "S"}).turn("T20 w HAUS").points == 6


def test_the_second_word_is_a_right_and_counts() -> None:
    both = match("ERHEX", "B", board=JOINED).turn("S22 w HERE + U22 s REH")
    assert both.points == (3 + 1 + 2 + 1) + (2 + 1 + 3)
    single = match("ERHEX", "B", board=JOINED).turn("S22 w HERE")
    assert single.points == 7
    assert codes(single.notes) == []


def test_nothing_is_bought_beside_a_word() -> None:
    with pytest.raises(Illegal, match="no-buy-with-word"):
        match("ERHEX", "B", board=JOINED).turn("S22 w HERE + kaufe rot")


def test_up_to_three_tiles_are_bought_in_any_colours() -> None:
    game = match("X", "B")
    step = game.turn("kaufe 2 rot 1 schwarz")
    assert game.hand(0) == "XEEN"
    assert codes(step.notes) == ["bought-red", "bought-black", "drew-tiles"]
    with pytest.raises(Illegal, match="buy-too-many") as caught:
        match("X", "B").turn("kaufe 4 rot")
    assert caught.value.params == {"most": 3}


def test_a_small_stock_is_bought_up() -> None:
    step = match("X", "B", stock="EN").turn("kaufe 3 rot")
    assert step.state.hands[0] == ("X", "E", "N")
    assert codes(step.notes) == ["bought-red", "bought-black", "drew-tiles"]


def test_the_first_one_out_gets_ten_points_and_the_round_is_played_out() -> None:
    game = match("HAUSX", "EE", "OR*bX")
    game.turn("T20 w HAUS")
    step = game.turn("W20 s SEE")
    assert step.points == 4 + 10
    assert codes(step.notes) == ["went-out"]
    assert step.notes[0].points == 10
    assert (step.state.over, step.state.to_move) == (False, (2,))
    last = game.turn("passe")
    assert codes(last.notes) == ["passed"]
    assert last.state.over
    assert last.state.scores == (7 - 9, 14, -(1 + 2 + 10 + 9))
    assert codes(last.after) == [
        "out", "sum-laid", "left-over", "sum-total", "sum-laid", "sum-total", "sum-laid", "left-over", "sum-total",
        "match-won",
    ]  # fmt: skip
    assert last.after[0].seat == 1
    assert points(last.after, 3) == [-9, 0, -22]
    assert last.after[1].params == {"items": [7], "points": 7}
    assert GAME.winners(last.state) == (1,)


def test_only_the_first_one_out_gets_the_bonus() -> None:
    game = match("HAUSX", "EE", "OR", known=WORDS + " HOR")
    game.play("T20 w HAUS", "W20 s SEE")
    last = game.turn("T20 s HOR")
    assert last.points == 6
    assert last.state.over
    assert last.state.scores == (-2, 14, 6)


def test_in_the_last_round_nothing_must_be_bought() -> None:
    game = match("HAUSX", "EE", "ORX")
    game.play("T20 w HAUS", "W20 s SEE")
    assert codes(game.miss().notes) == ["missed", "passed"]
    assert game.state.over
    bought = match("HAUSX", "EE", "ORX").play("T20 w HAUS", "W20 s SEE").turn("kaufe rot")
    assert codes(bought.notes) == ["bought-red", "drew-tiles"]


def test_the_seat_before_the_opening_one_ends_the_round() -> None:
    game = match("ORX", "HAUSX", "EE", starter=1)
    game.play("T20 w HAUS", "W20 s SEE")
    assert game.state.to_move == (0,)
    assert game.turn("passe").state.over


def test_who_lays_the_last_tile_as_the_last_seat_ends_at_once() -> None:
    step = match("HAUSX", "EE").play("T20 w HAUS").turn("W20 s SEE")
    assert step.state.over
    assert step.state.scores == (7 - 9, 14)


def test_moves_promise_the_bonus() -> None:
    game = match("HAUS", "B")
    promised = {GAME.format(move): points for move, points in GAME.moves(view_for(game.state, 0), game.ctx)}
    assert promised["T20 w HAUS"] == 17
    assert game.turn("T20 w HAUS").points == 17


def test_a_blocked_game_costs_the_rests() -> None:
    step = match("HAUSX", "QB", stock="").turn("T20 w HAUS")
    assert step.state.over
    assert codes(step.after)[:3] == ["cannot-lay", "cannot-lay", "blocked"]
    assert step.state.scores == (7 - 9, -13)
    assert GAME.winners(step.state) == (0,)


def test_a_series_adds_up() -> None:
    game = match("HAUS", "B", games=2, known=AnyWords())
    game.play("T20 w HAUS", "passe")
    assert game.state.public.round == 2
    assert game.state.scores == (17, -4)
    assert game.state.public.gains == ((), ())
    assert codes(game.last.after)[-2:] == ["next-round", "starts"]


def test_larger_hands_may_be_agreed() -> None:
    ctx = match("A", "B").ctx
    step = GAME.setup(3, PointOptions(red=8, black=12), ctx)
    assert [len(hand) for hand in step.state.hands] == [20] * 3
    with pytest.raises(OperatorError, match="fewer players"):
        GAME.setup(4, PointOptions(red=8, black=12), ctx)
    with pytest.raises(ConfigError):
        PointOptions(red=0)
    with pytest.raises(ConfigError):
        PointOptions(black=26)


def test_a_robot_takes_the_points() -> None:
    game = match("HAUSEX", "B")
    turn = GAME.greedy(view_for(game.state, 0), game.ctx)
    assert turn is not None
    assert [place.word for place in turn.places] in (["HAUS"], ["HASE"])
