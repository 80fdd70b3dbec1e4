"""Points by place, results with forfeits, and the questions a tournament answers."""

import json
from fractions import Fraction

import pytest

from moderator.errors import OperatorError
from moderator.tournaments.field import (
    Entrant,
    Game,
    TournamentState,
    bye,
    finished,
    opponents,
    played,
    points_by_place,
    score,
    walkover,
)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((30, 20), "1 0"), ((20, 20), "1/2 1/2"), ((5, 9, 7), "0 1 1/2"), ((9, 9, 7), "3/4 3/4 0"),
     ((1, 1, 1, 1), "1/2 1/2 1/2 1/2"), ((4, 3, 2, 1), "1 2/3 1/3 0"), ((-5,), "1")],
)  # fmt: skip
def test_points_by_place(scores: tuple[int, ...], expected: str) -> None:
    points = points_by_place(scores)
    assert " ".join(map(str, points)) == expected
    assert sum(points) == Fraction(len(scores), 2) or len(scores) == 1


def test_who_forfeits_gets_nothing_and_comes_last() -> None:
    result = finished([50, 40, 60, 40], forfeits=[2])
    assert result.places == (1, 2, 4, 2)
    assert [str(p) for p in result.points] == ["1", "1/2", "0", "1/2"]
    assert finished([0, 0], forfeits=[0, 1]).points == (0, 0)
    assert finished([-9, -3], forfeits=[1]).points == (1, 0)


def test_what_counts_as_met_and_played() -> None:
    games = [Game(1, 1, (1, 2), finished([3, 2])), walkover(Game(1, 2, (3, 4)), [4]), Game(2, 1, (2, 3)), bye(2, 2, 1)]
    t = TournamentState("swiss", tuple(Entrant(n, f"P{n}") for n in range(1, 5))).with_games(games)
    assert [score(t, n) for n in range(1, 5)] == [2, 0, 1, 0]
    assert [opponents(t, n) for n in range(1, 5)] == [(2,), (1, 3), (2,), ()]
    assert [len(played(t, n)) for n in range(1, 5)] == [1, 1, 0, 0]
    assert t.with_games([Game(2, 1, (2, 3), finished([1, 1]))]).games[2].points(3) == Fraction(1, 2)
    assert TournamentState.from_json(json.loads(json.dumps(t.to_json()))) == t
    with pytest.raises(OperatorError, match="number 9"):
        t.entrant(9)


@pytest.mark.parametrize(("seats", "kind"), [((1, 1), "game"), ((1, 2), "bye"), ((1,), "game")])
def test_no_game_against_oneself(seats: tuple[int, ...], kind: str) -> None:
    with pytest.raises(ValueError, match="seats"):
        Game(1, 1, seats, None, kind)  # type: ignore[arg-type]


def test_who_is_active() -> None:
    assert [Entrant(1, "P", joined=2, left=4).active(round) for round in (1, 2, 3, 4)] == [False, True, True, False]


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(OperatorError, match="format 'cup'"):
        TournamentState.from_json({"format": "cup", "entrants": []})
    with pytest.raises(OperatorError, match="kind of game"):
        Game.from_json({"round": 1, "table": 1, "seats": [1, 2], "kind": "match"})
