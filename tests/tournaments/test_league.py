"""The league: division sizes, up and down, priorities, gaps; and seeding by rating or lot."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from moderator.errors import OperatorError
from moderator.tournaments.field import Draws, lot, seeded
from moderator.tournaments.formats import robin

LOTS = [12069, [86, 22, 37, 14, 0, 84], ["f", "a", "e", "c", "d", "b"]]
TABLES = [list(range(1, 8)), list(range(11, 18)), list(range(21, 28))]


@pytest.mark.parametrize(
    ("players", "target", "expected"),
    [(0, 8, ()), (1, 8, (1,)), (3, 8, (3,)), (16, 8, (8, 8)), (17, 8, (8, 9)), (20, 8, (6, 7, 7)), (21, 8, (7, 7, 7)),
     (23, 8, (7, 8, 8)), (5, 2, (2, 3)), (30, 15, (15, 15))],
)  # fmt: skip
def test_sizes(players: int, target: int, expected: tuple[int, ...]) -> None:
    assert robin.sizes(players, target) == expected


def test_sizes_are_near_the_target_and_even() -> None:
    for players in range(2, 80):
        for target in range(2, 16):
            found = robin.sizes(players, target)
            assert sum(found) == players
            assert list(found) == sorted(found)
            assert max(found) - min(found) <= 1
            assert min(found) >= 2
            assert len(found) == 1 or max(found) <= 2 * target


@pytest.mark.parametrize(
    ("size", "option", "expected"),
    [(6, "sixth", 1), (7, "sixth", 2), (12, "sixth", 2), (13, "sixth", 3), (11, "fifth", 3), (7, "third", 3),
     (8, 2, 2), (4, 3, 2), (1, "sixth", 0), (8, 0, 0)],
)  # fmt: skip
def test_movers(size: int, option: robin.Movers | int, expected: int) -> None:
    assert robin.movers(size, option) == expected


def test_movers_of_no_known_kind() -> None:
    with pytest.raises(OperatorError, match="movers"):
        robin.movers(6, "half")  # type: ignore[arg-type]
    with pytest.raises(OperatorError):
        robin.sizes(6, 1)


def test_two_up_two_down() -> None:
    season = robin.next_season(TABLES, 7)
    assert season.divisions == (
        (1, 2, 3, 4, 5, 11, 12),
        (13, 14, 15, 21, 22, 6, 7),
        (23, 24, 25, 26, 27, 16, 17),
    )
    assert [season.moves[n] for n in (1, 6, 11, 14, 16, 27)] == ["stayed", "down", "up", "stayed", "down", "stayed"]


def test_returning_and_new_come_last() -> None:
    season = robin.next_season(TABLES, 8, returning=[(99, 0), (98, 7)], new=[71, 70])
    assert season.divisions == (
        (1, 2, 3, 4, 5, 11, 12, 99),
        (13, 14, 15, 21, 22, 6, 7, 23),
        (24, 25, 26, 27, 16, 17, 98, 71, 70),
    )
    assert [season.moves[n] for n in (99, 98, 71, 23)] == ["returning", "returning", "new", "up"]


def test_no_gaps_when_someone_leaves() -> None:
    season = robin.next_season(TABLES, 7, leaving=[1, 2, 17])
    assert [len(division) for division in season.divisions] == [6, 6, 6]
    assert season.divisions[0] == (3, 4, 5, 11, 12, 13)
    assert season.moves[16] == "down", "the other place for going down went with 17"
    assert 15 not in season.divisions[2]


def test_from_nothing() -> None:
    assert robin.next_season([], 4, new=[3, 1, 2]).divisions == ((3, 1, 2),)
    again = robin.next_season([], 3, returning=[(5, 1), (6, 0)], new=[3, 1, 2])
    assert again.divisions == ((6, 5), (3, 1, 2))


def division_of(divisions: Sequence[Sequence[int]], number: int) -> int:
    return next(at for at, division in enumerate(divisions) if number in division)


@pytest.mark.parametrize("seed", range(30))
def test_seasons_keep_everybody_and_move_nobody_twice(seed: int) -> None:
    chance = random.Random(seed)
    target = chance.randint(5, 12)
    divisions = robin.cut(range(chance.randint(12, 60)), target)
    for _ in range(6):
        tables = [chance.sample(division, len(division)) for division in divisions]
        leaving = chance.sample(tables[-1], chance.randint(0, 1))
        new = [max(n for table in tables for n in table) + 1 for _ in leaving]
        season = robin.next_season(tables, target, leaving=leaving, new=new)
        expected = {n for table in tables for n in table} - set(leaving) | set(new)
        everybody = [n for division in season.divisions for n in division]
        assert sorted(everybody) == sorted(expected)
        for number in everybody:
            if number not in new:
                before, after = (division_of(d, number) for d in (tables, season.divisions))
                assert abs(before - after) <= 1
        for at, table in enumerate(tables):
            if at and table[0] not in leaving:
                assert division_of(season.divisions, table[0]) == at - 1, "the winner goes up"
        divisions = season.divisions


def test_schedule() -> None:
    games = robin.schedule(((1, 2, 3, 4), (11, 12, 13)))
    assert len({(game.round, game.table) for game in games}) == len(games) == 9
    assert all(len({number // 10 for number in game.seats}) == 1 for game in games)
    assert len(robin.schedule(((1, 2, 3, 4), (11, 12, 13)), double=True)) == 18


def test_seeding() -> None:
    people = [("Ada", 1500.0), ("Bob", 1700.0), ("Cleo", 1500.0), ("Dan", 0.0)]
    by_rating = seeded(people, "rating", 3)
    assert [e.name for e in by_rating][::3] == ["Bob", "Dan"]
    assert [e.number for e in by_rating] == [1, 2, 3, 4]
    assert seeded(people[::-1], "rating", 3) == by_rating
    assert seeded(people[::-1], "lot", 3) == seeded(people, "lot", 3)
    assert [e.name for e in seeded(people, "order")] == ["Ada", "Bob", "Cleo", "Dan"]
    firsts = Counter(seeded(people, "lot", seed)[0].name for seed in range(400))
    assert min(firsts.values()) > 70
    assert {seeded(people, "rating", seed)[1].name for seed in range(20)} == {"Ada", "Cleo"}
    with pytest.raises(OperatorError, match="Ada"):
        seeded([("Ada", 1.0), ("Ada", 2.0)])


def test_lots_are_the_same_in_every_python() -> None:
    draws = Draws(7, "test")
    assert [lot(7, "test", 1) >> 48, [draws.below(100) for _ in range(6)], draws.shuffled("abcdef")] == LOTS
    counts = Counter(draws.below(3) for _ in range(3000))
    assert all(900 < counts[n] < 1100 for n in range(3))
