"""Round robins: the published Berger tables, everybody against everybody, starts as even as can be."""

from collections import Counter

import pytest

from moderator.tournaments import designs
from moderator.tournaments.field import Game

PUBLISHED = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: """1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 /
        8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1""",
    10: """1-10 2-9 3-8 4-7 5-6 / 10-6 7-5 8-4 9-3 1-2 / 2-10 3-1 4-9 5-8 6-7 / 10-7 8-6 9-5 1-4 2-3 /
        3-10 4-2 5-1 6-9 7-8 / 10-8 9-7 1-6 2-5 3-4 / 4-10 5-3 6-2 7-1 8-9 / 10-9 1-8 2-7 3-6 4-5 /
        5-10 6-4 7-3 8-2 9-1""",
    12: """1-12 2-11 3-10 4-9 5-8 6-7 / 12-7 8-6 9-5 10-4 11-3 1-2 / 2-12 3-1 4-11 5-10 6-9 7-8 /
        12-8 9-7 10-6 11-5 1-4 2-3 / 3-12 4-2 5-1 6-11 7-10 8-9 / 12-9 10-8 11-7 1-6 2-5 3-4 /
        4-12 5-3 6-2 7-1 8-11 9-10 / 12-10 11-9 1-8 2-7 3-6 4-5 / 5-12 6-4 7-3 8-2 9-1 10-11 /
        12-11 1-10 2-9 3-8 4-7 5-6 / 6-12 7-5 8-4 9-3 10-2 11-1""",
}


def table(count: int) -> list[list[tuple[int, ...]]]:
    return [
        [tuple(int(n) for n in pair.split("-")) for pair in row.split()] for row in PUBLISHED[count].split("/")
    ]  # fmt: skip


def by_circle(count: int) -> list[set[frozenset[int]]]:
    """The same pairs by turning a circle: the last stands still, the others move on by half of the field."""
    ring = list(range(1, count))
    rounds = []
    for _ in range(count - 1):
        line = [ring[0], *ring[1:], count]
        pairs = [(line[0], count)] + [(line[i], line[-1 - i]) for i in range(1, count // 2)]
        rounds.append({frozenset(pair) for pair in pairs})
        ring = ring[count // 2 :] + ring[: count // 2]
    return rounds


def starts(games: tuple[Game, ...]) -> list[int]:
    surplus = Counter({number: 0 for game in games for number in game.seats})
    for game in games:
        surplus[game.seats[0]] += 1
        surplus[game.seats[1]] -= 1
    return list(surplus.values())


@pytest.mark.parametrize("count", sorted(PUBLISHED))
def test_published_tables(count: int) -> None:
    assert designs.rounds(count) == table(count)


@pytest.mark.parametrize("count", [5, 7, 9, 11])
def test_an_odd_field_leaves_out_the_missing_one(count: int) -> None:
    expected = [[pair for pair in row if count + 1 not in pair] for row in table(count + 1)]
    assert designs.rounds(count) == expected


@pytest.mark.parametrize("count", range(4, 41, 2))
def test_pairs_are_those_of_the_turning_circle(count: int) -> None:
    # The circle of the Berger tables: who met the last one in round r is followed by the one half a circle on.
    lines = []
    for row in designs.rounds(count):
        still = next(sum(pair) - count for pair in row if count in pair)
        ring = [(still - 1 + step) % (count - 1) + 1 for step in range(count - 1)]
        lines.append({frozenset((ring[i], ring[-i])) for i in range(1, count // 2)} | {frozenset((still, count))})
    assert [{frozenset(pair) for pair in row} for row in designs.rounds(count)] == lines == by_circle(count)


@pytest.mark.parametrize("count", range(2, 21))
def test_everybody_meets_everybody_and_starts_are_even(count: int) -> None:
    games = designs.schedule(range(101, 101 + count))
    assert Counter(frozenset(game.seats) for game in games).most_common(1)[0][1] == 1
    assert len(games) == count * (count - 1) // 2
    assert max(map(abs, starts(games))) <= 1
    for number in {game.round for game in games}:
        seated = [seat for game in games if game.round == number for seat in game.seats]
        assert len(seated) == len(set(seated)) == count - count % 2


@pytest.mark.parametrize("count", [2, 3, 6, 9])
def test_double(count: int) -> None:
    games = designs.schedule(range(1, count + 1), double=True)
    assert len({game.seats for game in games}) == len(games) == count * (count - 1)
    assert set(starts(games)) == {0}
    assert len({(game.round, game.table) for game in games}) == len(games)


@pytest.mark.parametrize("count", range(2, 13))
def test_a_late_entrant_meets_everybody_and_starts_stay_even(count: int) -> None:
    games = designs.schedule(range(1, count + 1))
    every = games + designs.late(games, 99)
    assert len({frozenset(game.seats) for game in every}) == len(every) == count * (count + 1) // 2
    assert max(map(abs, starts(every))) <= 1
    twice = designs.schedule(range(1, count + 1), double=True)
    assert set(starts(twice + designs.late(twice, 99, double=True))) == {0}


def test_nobody_and_one() -> None:
    assert designs.schedule([]) == ()
    assert designs.schedule([7]) == ()
