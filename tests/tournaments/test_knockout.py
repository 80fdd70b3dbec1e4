"""Knock-out: the bracket, ties and how they are decided, withdrawals, the final placing."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from moderator.errors import OperatorError
from moderator.tournaments.field import Entrant, Game, TournamentState, finished
from moderator.tournaments.formats import knockout


def field(count: int, **options: object) -> TournamentState:
    return TournamentState("knockout", tuple(Entrant(n, f"P{n}") for n in range(1, count + 1)), options=options)


def stronger_wins(game: Game) -> Game:
    return game if game.result else replace(game, result=finished([100 - number for number in game.seats]))


def play(t: TournamentState, last: int | None = None) -> TournamentState:
    for round in range(1, (last or knockout.rounds(len(t.entrants))) + 1):
        t = t.with_games(map(stronger_wins, knockout.pair(t, round)))
    return t


def test_seed_order() -> None:
    assert knockout.seed_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    for size in (2, 4, 16, 64):
        order = knockout.seed_order(size)
        assert sorted(order) == list(range(1, size + 1))
        while len(order) > 1:
            assert {one + other for one, other in zip(order[::2], order[1::2], strict=True)} == {len(order) + 1}
            order = [min(pair) for pair in zip(order[::2], order[1::2], strict=True)]


@pytest.mark.parametrize("count", range(2, 34))
def test_byes_go_to_the_top_seeds_and_the_best_meet_last(count: int) -> None:
    t = field(count)
    first = knockout.pair(t, 1)
    missing = 2 ** knockout.rounds(count) - count
    assert sorted(g.seats[0] for g in first if g.kind == "bye") == list(range(1, missing + 1))
    t = play(t)
    assert len({(g.round, g.table) for g in t.games}) == len(t.games)
    last = [g for g in t.games if g.round == knockout.rounds(count)]
    assert [g.seats for g in last] == [(1, 2), (2, 1)]
    placing = knockout.placing(t)
    assert [number for _, number in placing] == sorted(number for _, number in placing)
    assert [place for place, _ in placing][:5] == [1, 2, 3, 3, 5][:count]
    assert all(place == 1 + 2 ** (number - 1).bit_length() // 2 for place, number in placing if number > 1)


def tie(first: tuple[int, int], second: tuple[int, int]) -> int:
    """Who wins between 1 and 2: scores of 1 and 2 in both games."""
    t = field(2)
    one, two = knockout.pair(t, 1)
    assert (one.seats, two.seats) == ((1, 2), (2, 1))
    t = t.with_games([replace(one, result=finished(first)), replace(two, result=finished(second[::-1]))])
    return knockout.outcome(t, 1, knockout.ties(t, 1)[0])[0]


def test_points_then_total_then_seed() -> None:
    assert tie((10, 20), (10, 11)) == 2, "two wins"
    assert tie((500, 0), (10, 10)) == 1, "a win and a draw"
    assert tie((500, 0), (10, 11)) == 1, "a win each: the total"
    assert tie((10, 11), (500, 0)) == 1
    assert tie((10, 12), (10, 9)) == 2
    assert tie((10, 12), (12, 10)) == 1, "all equal: the better seed"


def test_one_game_a_tie() -> None:
    t = play(field(4, legs=1))
    assert [(g.round, g.table, g.seats) for g in t.games] == [(1, 1, (1, 4)), (1, 3, (2, 3)), (2, 1, (1, 2))]


@pytest.mark.parametrize("count", [3, 4, 7, 8, 12])
def test_third_place(count: int) -> None:
    t = play(field(count, third=True))
    assert [place for place, _ in knockout.placing(t)][:5] == [1, 2, 3, 4, 5][:count]
    last = knockout.ties(t, knockout.rounds(count))
    assert [(tie.better, tie.other) for tie in last] == [(1, 2), (3, 4)][: 1 + (count > 3)]


def test_open_ties_stop_the_next_round() -> None:
    t = play(field(8), 1)
    half = knockout.pair(t, 2)[:3]
    t = t.with_games([*map(stronger_wins, half[:2]), half[2]])
    with pytest.raises(OperatorError, match="Tie 2 of round 2 is not finished"):
        knockout.pair(t, 3)
    with pytest.raises(OperatorError, match="no round 4"):
        knockout.pair(t, 4)


def test_who_withdraws_loses_without_play() -> None:
    t = play(field(4), 1)
    t = t.with_entrants([replace(t.entrant(1), left=2)])
    games = knockout.pair(t, 2)
    assert [g.kind for g in games] == ["forfeit", "forfeit"]
    t = t.with_games(games)
    assert [number for _, number in knockout.placing(t)][:2] == [2, 1]
    both = field(2).with_entrants([Entrant(1, "P1", left=1), Entrant(2, "P2", left=1)])
    both = both.with_games(knockout.pair(both, 1))
    assert sum(g.points(n) for g in both.games for n in (1, 2)) == Fraction(0)
    assert knockout.placing(both) == ((1, 1), (2, 2))


def test_random_brackets_place_everybody_once() -> None:
    chance = random.Random(4)
    for count in range(2, 20):
        t = field(count, third=bool(count % 2))
        for round in range(1, knockout.rounds(count) + 1):
            games = knockout.pair(t, round)
            t = t.with_games(
                g if g.result else replace(g, result=finished([chance.randrange(9), chance.randrange(9)]))
                for g in games
            )
        placing = knockout.placing(t)
        assert sorted(number for _, number in placing) == list(range(1, count + 1))
        assert all(place == 1 + sum(p < place for p, _ in placing) for place, _ in placing)
