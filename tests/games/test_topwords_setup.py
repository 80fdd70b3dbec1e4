"""Tiles, options and the deal of Topwords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from moderator.errors import ConfigError, OperatorError, RecordError
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import SETS, Options, bag
from moderator.match.contract import Context
from moderator.typed import build

Contexts = Callable[..., Context]


def test_tile_sets_have_the_printed_counts() -> None:
    assert len(bag("german-100")) == len(bag("english-100")) == 100
    german = SETS["german-100"]
    assert (german["E"], german["N"], german["Ä"], german["Z"], german["K"]) == (15, 9, 1, 1, 2)
    assert "Ä" not in SETS["english-100"]


def test_custom_tiles() -> None:
    options = build(Options, {"tiles": {"A": 20, "Ü": 2}}, "options")
    assert bag(options.tiles) == ("A",) * 20 + ("Ü",) * 2


@pytest.mark.parametrize(
    "values",
    [
        {"tiles": {"ß": 3}}, {"tiles": {"A": -1}}, {"tiles": {"A": 10**9}}, {"tiles": "dutch-100"}, {"rack_size": 0},
        {"pass_rounds": 0}, {"rounds": 0}, {"leftover_penalty": -5}, {"pace": "race"}, {"claims": "loose"},
        {"hieght": 5},
    ],
)  # fmt: skip
def test_wrong_options_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        build(Options, values, "options")


def test_setup_deals_seat_by_seat(context: Contexts) -> None:
    state = GAME.setup(3, Options(tiles={"A": 7, "B": 7, "C": 9}), context()).state
    assert state.hands == (("A",) * 7, ("B",) * 7, ("C",) * 7)
    assert state.stock == ("C", "C")
    assert state.to_move == (0,)
    assert state.scores == (0, 0, 0)


def test_setup_uses_the_first_rounds_shuffle(context: Contexts) -> None:
    labels: list[str] = []
    ctx = Context(context().words, lambda label, items: labels.append(label) or tuple(reversed(items)))
    state = GAME.setup(2, Options(tiles={"A": 10, "B": 10}), ctx).state
    assert labels == ["round1"]
    assert state.hands[0] == ("B",) * 7


@pytest.mark.parametrize(("seats", "options"), [(15, {}), (1, {}), (100, {"rack_size": 1}), (2, {"tiles": {"A": 13}})])
def test_too_few_tiles_or_a_wrong_number_of_seats(seats: int, options: dict[str, Any], context: Contexts) -> None:
    with pytest.raises(OperatorError):
        GAME.setup(seats, Options(**options), context())


def test_99_seats_can_play_from_one_common_rack(context: Contexts) -> None:
    state = GAME.setup(99, Options(pace="common"), context()).state
    assert len(state.hands) == 1
    assert len(state.hands[0]) == 8
    assert state.to_move == tuple(range(99))


@pytest.mark.parametrize(
    "fixed",
    [
        {"racks": [["A"]]}, {"racks": [["A"], ["a"]]}, {"racks": [["A"], "B"], "stock": []},
        {"racks": [["A"], ["B"]], "stock": ["*"]}, {"starter": 2}, {"starter": "0"}, {"board": [[""] * 10] * 9},
        {"board": [[""] * 9 + ["AAAAAA"]] + [[""] * 10] * 9}, {"board": [[""] * 9 + ["1"]] + [[""] * 10] * 9},
    ],
)  # fmt: skip
def test_a_wrong_fixed_deal_is_a_record_error(fixed: dict[str, Any], context: Contexts) -> None:
    with pytest.raises(RecordError):
        GAME.setup(2, Options(), context(), fixed)


def test_a_fixed_stock_alone_is_dealt_in_order(context: Contexts) -> None:
    state = GAME.setup(2, Options(rack_size=2), context(), {"stock": list("ABCDE"), "starter": 1}).state
    assert (state.hands, state.stock, state.to_move) == ((("A", "B"), ("C", "D")), ("E",), (1,))
