"""Whole matches of the tile games, random and greedy players mixed, each recounted by a second referee.

What is looked at stands in ``tests/games/recount/match.py``. A failure names game and seed: ``Match("tridom",
1042).run()`` plays that match again. Before that the second referee is held against figures printed in the rules.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.games.recount.domijongg import DomiJongg, may_follow, may_fork
from tests.games.recount.dominos import Dominos
from tests.games.recount.match import Match
from tests.games.recount.tridom import Cell, Tridom, all_tiles, turned
from tests.games.test_vectors import FILES

EVERYDAY = {"dominos": range(14), "tridom": range(12), "supertridom": range(6), "domijongg": range(1, 9)}
CHUNK, CHUNKS = 10, 20


@pytest.mark.parametrize("key", EVERYDAY)
def test_matches_are_played_as_the_second_referee_plays_them(key: str) -> None:
    for seed in EVERYDAY[key]:
        Match(key, seed).run()


@pytest.mark.slow
@pytest.mark.parametrize("key", EVERYDAY)
def test_a_match_is_right_after_every_single_event(key: str) -> None:
    Match(key, 1, thorough=True).run()


@pytest.mark.matrix("game matches", seconds=1)
@pytest.mark.parametrize("key", EVERYDAY)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_hundreds_of_matches(key: str, chunk: int) -> None:
    for seed in range(1000 + chunk * CHUNK, 1000 + (chunk + 1) * CHUNK):
        Match(key, seed, thorough=seed % 50 == 0).run()


# ---- the second referee itself ----


def sorted_tiles(label: str, items: Sequence[str]) -> Sequence[str]:
    return sorted(items)


def test_the_sum_of_the_ends() -> None:
    for vector in FILES["dominos"]["laying"]:
        game = Dominos(2, {}, sorted_tiles)
        game.line, game.north, game.south, game.spinner = [], [], [], None
        for move in vector["laid"]:
            game.put(move)
        assert game.worth() == vector["ours"], vector


@pytest.mark.parametrize(
    ("blocked", "scores", "hands", "bonus"),
    [
        ("highest_score", [5, 0], [[], ["66", "64", "42"]], 25),
        ("highest_score", [5, 0], [["66"], ["64", "30"]], -2),
        ("highest_score", [0, 0], [["66"], ["64", "30"]], -2),
        ("lowest_hand", [0, 5], [["30"], ["22"]], -3),
    ],
)
def test_a_blocked_round(blocked: str, scores: list[int], hands: list[list[str]], bonus: int) -> None:
    game = Dominos(2, {"blocked_winner": blocked}, sorted_tiles)
    game.scores, game.hands, game.stock = list(scores), hands, []
    game.line, game.spinner = [(5, 5)], (5, 5)
    game.end_round = lambda winner, bonus: found.append((winner, bonus))  # type: ignore[method-assign]
    found: list[tuple[int, int]] = []
    game.go_on(1)
    assert found == [(0, bonus)]


BOARDS: dict[str, dict[Cell, str]] = {
    "bridge": {(0, 0): "211", (3, 0): "433"},
    "several sides": {(0, -1): "111", (0, 0): "311", (0, 1): "303", (1, 1): "333", (1, -1): "121"},
    "hexagon": {(0, 0): "534", (-1, 0): "445", (-1, 1): "554", (0, 1): "551", (1, 1): "115"},
}


@pytest.mark.parametrize(
    ("board", "tile", "points"), [("bridge", "123", 46), ("several sides", "133", 47), ("hexagon", "135", 59)]
)
def test_the_examples_of_the_rule_sheet(board: str, tile: str, points: int) -> None:
    game = Tridom(2, {}, sorted_tiles)
    game.laid = [(cell, turned(corners)[0]) for cell, corners in BOARDS[board].items()]
    game.walk()
    assert game.lying(tile, (1, 0))
    assert game.worth(tile, (1, 0)) == points
    if len(set(tile)) == 3:
        assert game.lying(tile[0] + tile[2] + tile[1], (1, 0)) is None


def test_the_sets_of_triangles() -> None:
    assert len(all_tiles(False)) == 56
    assert len(all_tiles(True)) == 76


def test_what_may_follow_what() -> None:
    for pair in ("K8 B8", "K8 K2", "E DR", "F1 J1", "J4 J1", "W F2"):
        assert may_follow(*pair.split()), pair
    for pair in ("K8 B7", "B3 E", "F4 J1", "DR F2", "F3 B3"):
        assert not may_follow(*pair.split()), pair
    assert may_fork("F3", "E")
    assert may_fork("F3", "B3")


def test_the_printed_game() -> None:
    game = DomiJongg(3, {}, sorted_tiles)
    game.heads, game.laid, game.scores, game.turn = {1: "K3", 2: "K3"}, ["K3"], [0, 0, 0], 1
    game.hands = [
        ["J3", "B3", "B1", "B1", "B1"], ["B3", "T3", "E", "T2", "N"], ["F2", "DR", "DR", "DG", "DG"],
    ]  # fmt: skip
    game.stock = ["DR", "K9", "B9", "T3", "T3", "K8", "K8", "K8", "K7", "B7", "B6", "B5"]
    assert game.play("2: B3") == 0
    assert (game.turn, game.scores) == (0, [0, 0, -1])
    assert game.play("1: J3") == 0
    assert game.play("1: T3+E, T2; 3: N, DR") == 2
    assert game.scores == [0, 2, -1]
    assert game.play("1: F2") == 0
    assert len(game.hands[2]) == 5
    assert game.play("2: B3") == 1
    assert game.play("2: T3, T3") == 0
    assert game.scores == [1, 2, -1]
    assert game.stock == ["B5"]
