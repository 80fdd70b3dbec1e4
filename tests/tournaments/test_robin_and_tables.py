"""Round robins: the published Berger tables, everybody against everybody, starts as even as can be."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest

from moderator.common.errors import OperatorError
from moderator.tournaments.field import Draws, Game
from moderator.tournaments.formats import tables

PUBLISHED = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: """1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3 / 3-8 4-2 5-1 6-7 /
        8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1""",
}


def table(count: int) -> list[list[tuple[int, ...]]]:
    rows = PUBLISHED[count].split("/")
    return [[tuple(int(n) for n in pair.split("-")) for pair in row.split()] for row in rows]


def starts(games: tuple[Game, ...]) -> list[int]:
    surplus = Counter({number: 0 for game in games for number in game.seats})
    for game in games:
        surplus[game.seats[0]] += 1
        surplus[game.seats[1]] -= 1
    return list(surplus.values())


@pytest.mark.parametrize("count", sorted(PUBLISHED))
def test_published_tables_of_which_an_odd_field_leaves_out_the_missing_one(count: int) -> None:
    assert tables.build_berger_rounds(count) == table(count)
    if count > 4:
        odd = [[pair for pair in row if count not in pair] for row in table(count)]
        assert tables.build_berger_rounds(count - 1) == odd


@pytest.mark.parametrize("count", range(2, 21))
def test_everybody_meets_everybody_and_starts_are_even(count: int) -> None:
    games = tables.build_round_robin(range(101, 101 + count))
    assert Counter(frozenset(game.seats) for game in games).most_common(1)[0][1] == 1
    assert len(games) == count * (count - 1) // 2
    assert max(map(abs, starts(games))) <= 1
    for number in {game.round for game in games}:
        seated = [seat for game in games if game.round == number for seat in game.seats]
        assert len(seated) == len(set(seated)) == count - count % 2
    twice = tables.build_round_robin(range(1, count + 1), double=True)
    assert len({game.seats for game in twice}) == len(twice) == count * (count - 1)
    assert set(starts(twice)) == {0}
    assert len({(game.round, game.table) for game in twice}) == len(twice)


@pytest.mark.parametrize("count", range(2, 13))
def test_a_late_entrant_meets_everybody_and_starts_stay_even(count: int) -> None:
    games = tables.build_round_robin(range(1, count + 1))
    every = games + tables.build_late_games(games, 99)
    assert len({frozenset(game.seats) for game in every}) == len(every) == count * (count + 1) // 2
    assert max(map(abs, starts(every))) <= 1
    twice = tables.build_round_robin(range(1, count + 1), double=True)
    assert set(starts(twice + tables.build_late_games(twice, 99, double=True))) == {0}


PLANS = [
    (players, seats)
    for players, seats in product(range(3, 40), range(3, 7))
    if tables.find_exact_design(players, seats) is not None
]
ONCE = [(7, 3), (9, 3), (13, 3), (15, 3), (19, 3), (25, 3), (13, 4), (16, 4), (37, 4), (21, 5), (25, 5), (31, 6)]
TWICE = [(4, 3), (6, 3), (12, 3), (7, 4), (11, 5), (16, 6)]


def meetings(blocks: list[tuple[int, ...]]) -> Counter[frozenset[int]]:
    return Counter(frozenset(pair) for block in blocks for pair in combinations(block, 2))


def test_the_plans_that_players_ask_for_are_there() -> None:
    assert {*ONCE, *TWICE} <= set(PLANS)
    assert len(PLANS) == 27
    assert tables.build_round_robin([]) == tables.build_round_robin([7]) == ()


@pytest.mark.parametrize(("players", "seats"), PLANS)
def test_exact_plans_meet_evenly_and_every_seat_is_as_even_as_its_share(players: int, seats: int) -> None:
    design = tables.find_exact_design(players, seats)
    blocks = [block for blocks in design.rounds for block in blocks]
    assert all(len(set(block)) == seats for block in blocks)
    met = meetings(blocks)
    assert set(met.values()) == {design.meetings}
    assert len(met) == players * (players - 1) // 2
    assert set(Counter(p for block in blocks for p in block).values()) == {design.games}
    assert design.meetings == 1 + ((players, seats) not in ONCE) + ((players, seats) not in [*ONCE, *TWICE]) * (
        design.meetings - 2
    )
    if len(design.rounds) > 1:
        assert all(sorted(p for block in row for p in block) == list(range(players)) for row in design.rounds)
    found = tables.build_rotation(range(1, players + 1), seats, design.games)
    assert meetings([game.seats for game in found]).keys() == {frozenset(p + 1 for p in pair) for pair in met}
    assert set(meetings([game.seats for game in found]).values()) == {design.meetings}
    share = Fraction(design.games, seats)
    for seat in range(seats):
        times = Counter(game.seats[seat] for game in found)
        assert all(abs(times[number] - share) < 1 for number in range(1, players + 1))


def test_tables_are_as_full_and_as_equal_as_can_be() -> None:
    expected = {(7, 3): (3, 2, 2), (13, 4): (4, 3, 3, 3), (12, 4): (4, 4, 4), (7, 6): (4, 3), (5, 6): (5,)}
    assert {players: tables.compute_table_sizes(*players) for players in expected} == expected
    assert tables.compute_table_sizes(22, 5) == (5, 5, 4, 4, 4)
    for players, seats in ((1, 4), (4, 1), (3, 2)):
        with pytest.raises(OperatorError):
            tables.compute_table_sizes(players, seats)


@pytest.mark.parametrize(
    ("players", "seats", "rounds"),
    [(8, 3, None), (16, 4, 3), (25, 5, 4), (10, 3, 2), (17, 4, 3), pytest.param(40, 4, 6, marks=pytest.mark.slow)],
)
def test_searched_and_shortened_plans_meet_evenly(players: int, seats: int, rounds: int | None) -> None:
    found = tables.build_rotation(range(1, players + 1), seats, rounds)
    shape = sorted(tables.compute_table_sizes(players, seats))
    for number in range(1, max(game.round for game in found) + 1):
        row = [game.seats for game in found if game.round == number]
        assert sorted(map(len, row)) == shape
        assert len({p for seats_ in row for p in seats_}) == players
    met = meetings([game.seats for game in found])
    times = [met[frozenset(pair)] for pair in combinations(range(1, players + 1), 2)]
    first = Counter(game.seats[0] for game in found)
    starts = [first[number] for number in range(1, players + 1)]
    assert max(times) - min(times) <= 1
    assert max(starts) - min(starts) <= 1
    assert max(game.round for game in found) == (rounds or 4)


def test_an_unreachable_evenness_is_come_near_and_a_search_follows_from_its_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two rounds of three tables of four: of four at a table two meet again, three tables do not hold them apart.
    monkeypatch.setattr(tables, "STEPS", 1500)
    found = tables.build_rotation(range(12), 4, 3)
    met = meetings([game.seats for game in found])
    assert len(met) < 66
    assert max(met.values()) >= 2
    assert set(Counter(game.seats[0] for game in found).values()) == {1}
    monkeypatch.setattr(tables, "STEPS", 600)
    plans = [tables.build_rotation(range(14), 4, 4, seed) for seed in (1, 1, 2)]
    assert plans[0] == plans[1]
    assert plans[0] != plans[2]


def test_one_of_each_is_as_even_as_brute_force() -> None:
    draws = Draws(3, "blocks")
    for _ in range(60):
        blocks = [tuple(draws.shuffle_items(range(6))[: 2 + draws.draw_below(3)]) for _ in range(5)]
        ours = sum(n * n for n in Counter(tables.choose_one_of_each(blocks, {})).values())
        assert ours == min(sum(n * n for n in Counter(choice).values()) for choice in product(*blocks))
