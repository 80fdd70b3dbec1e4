"""Knock-out, league and ladder: who plays whom, how it is decided, and who stands where."""

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction

import pytest

from moderator.common.errors import Illegal, OperatorError
from moderator.tournaments.field import (
    Draws,
    Entrant,
    Game,
    TournamentState,
    build_result,
    build_seeded_entrants,
    draw_lot,
)
from moderator.tournaments.formats import knockout, round_robin
from moderator.tournaments.formats import ladder as rules
from moderator.tournaments.formats.ladder import Ladder, LadderTerms


def field(count: int, **options: object) -> TournamentState:
    return TournamentState("knockout", tuple(Entrant(n, f"P{n}") for n in range(1, count + 1)), options=options)


def stronger_wins(game: Game) -> Game:
    return game if game.result else replace(game, result=build_result([100 - number for number in game.seats]))


def play(t: TournamentState, last: int | None = None) -> TournamentState:
    for round in range(1, (last or knockout.count_knockout_rounds(len(t.entrants))) + 1):
        t = t.with_games(map(stronger_wins, knockout.pair_knockout_round(t, round)))
    return t


def test_the_best_seeds_meet_as_late_as_can_be() -> None:
    assert knockout.build_seed_order(8) == [1, 8, 4, 5, 2, 7, 3, 6]
    for size in (2, 4, 16, 64):
        order = knockout.build_seed_order(size)
        assert sorted(order) == list(range(1, size + 1))
        while len(order) > 1:
            assert {one + other for one, other in zip(order[::2], order[1::2], strict=True)} == {len(order) + 1}
            order = [min(pair) for pair in zip(order[::2], order[1::2], strict=True)]


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33])
def test_byes_go_to_the_top_seeds_and_the_best_meet_last(count: int) -> None:
    t = field(count)
    first = knockout.pair_knockout_round(t, 1)
    missing = 2 ** knockout.count_knockout_rounds(count) - count
    assert sorted(g.seats[0] for g in first if g.kind == "bye") == list(range(1, missing + 1))
    t = play(t)
    assert len({(g.round, g.table) for g in t.games}) == len(t.games)
    last = [g for g in t.games if g.round == knockout.count_knockout_rounds(count)]
    assert [g.seats for g in last] == [(1, 2), (2, 1)]
    placing = knockout.rank_knockout(t)
    assert [number for _, number in placing] == sorted(number for _, number in placing)
    assert [place for place, _ in placing][:5] == [1, 2, 3, 3, 5][:count]
    assert all(place == 1 + 2 ** (number - 1).bit_length() // 2 for place, number in placing if number > 1)


def tie(first: tuple[int, int], second: tuple[int, int]) -> int:
    """Who wins between 1 and 2: scores of 1 and 2 in both games."""
    t = field(2)
    one, two = knockout.pair_knockout_round(t, 1)
    assert (one.seats, two.seats) == ((1, 2), (2, 1))
    t = t.with_games([replace(one, result=build_result(first)), replace(two, result=build_result(second[::-1]))])
    return knockout.determine_tie_outcome(t, 1, knockout.list_knockout_ties(t, 1)[0])[0]


def test_a_tie_is_decided_by_points_then_total_then_seed_or_in_one_game() -> None:
    assert tie((10, 20), (10, 11)) == 2, "two wins"
    assert tie((500, 0), (10, 10)) == 1, "a win and a draw"
    assert tie((500, 0), (10, 11)) == 1, "a win each: the total"
    assert tie((10, 11), (500, 0)) == 1
    assert tie((10, 12), (10, 9)) == 2
    assert tie((10, 12), (12, 10)) == 1, "all equal: the better seed"
    t = play(field(4, legs=1))
    assert [(g.round, g.table, g.seats) for g in t.games] == [(1, 1, (1, 4)), (1, 3, (2, 3)), (2, 1, (1, 2))]


@pytest.mark.parametrize("count", [3, 4, 7, 8, 12])
def test_third_place_is_played_for_where_it_is_wanted(count: int) -> None:
    t = play(field(count, third=True))
    assert [place for place, _ in knockout.rank_knockout(t)][:5] == [1, 2, 3, 4, 5][:count]
    last = knockout.list_knockout_ties(t, knockout.count_knockout_rounds(count))
    assert [(tie.better, tie.other) for tie in last] == [(1, 2), (3, 4)][: 1 + (count > 3)]


def test_open_ties_stop_the_next_round_and_who_withdraws_loses_without_play() -> None:
    t = play(field(8), 1)
    half = knockout.pair_knockout_round(t, 2)[:3]
    t = t.with_games([*map(stronger_wins, half[:2]), half[2]])
    with pytest.raises(OperatorError, match="Tie 2 of round 2 is not finished"):
        knockout.pair_knockout_round(t, 3)
    with pytest.raises(OperatorError, match="no round 4"):
        knockout.pair_knockout_round(t, 4)
    t = play(field(4), 1)
    t = t.with_entrants([replace(t.get_entrant(1), left=2)])
    games = knockout.pair_knockout_round(t, 2)
    assert [g.kind for g in games] == ["forfeit", "forfeit"]
    t = t.with_games(games)
    assert [number for _, number in knockout.rank_knockout(t)][:2] == [2, 1]
    both = field(2).with_entrants([Entrant(1, "P1", left=1), Entrant(2, "P2", left=1)])
    both = both.with_games(knockout.pair_knockout_round(both, 1))
    assert sum(g.get_points(n) for g in both.games for n in (1, 2)) == Fraction(0)
    assert knockout.rank_knockout(both) == ((1, 1), (2, 2))


def test_random_brackets_place_everybody_once() -> None:
    chance = random.Random(4)
    for count in range(2, 20):
        t = field(count, third=bool(count % 2))
        for round in range(1, knockout.count_knockout_rounds(count) + 1):
            games = knockout.pair_knockout_round(t, round)
            ends = (build_result([chance.randrange(9), chance.randrange(9)]) for _ in games)
            t = t.with_games(g if g.result else replace(g, result=end) for g, end in zip(games, ends, strict=True))
        placing = knockout.rank_knockout(t)
        assert sorted(number for _, number in placing) == list(range(1, count + 1))
        assert all(place == 1 + sum(p < place for p, _ in placing) for place, _ in placing)


# ---- league ----

TABLES = [list(range(1, 8)), list(range(11, 18)), list(range(21, 28))]


@pytest.mark.parametrize(
    ("players", "target", "expected"),
    [(0, 8, ()), (1, 8, (1,)), (3, 8, (3,)), (16, 8, (8, 8)), (17, 8, (8, 9)), (20, 8, (6, 7, 7)), (21, 8, (7, 7, 7)),
     (23, 8, (7, 8, 8)), (5, 2, (2, 3)), (30, 15, (15, 15))],
)  # fmt: skip
def test_divisions_have_about_the_wanted_size(players: int, target: int, expected: tuple[int, ...]) -> None:
    assert round_robin.compute_division_sizes(players, target) == expected
    with pytest.raises(OperatorError):
        round_robin.compute_division_sizes(6, 1)
    with pytest.raises(OperatorError, match="movers"):
        round_robin.count_movers(6, "half")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "option", "expected"),
    [(6, "sixth", 1), (7, "sixth", 2), (12, "sixth", 2), (13, "sixth", 3), (11, "fifth", 3), (7, "third", 3),
     (8, 2, 2), (4, 3, 2), (1, "sixth", 0), (8, 0, 0)],
)  # fmt: skip
def test_so_many_go_up_and_down_as_was_agreed(size: int, option: round_robin.Movers | int, expected: int) -> None:
    assert round_robin.count_movers(size, option) == expected


def test_two_go_up_and_two_down_without_gaps_and_new_ones_come_last() -> None:
    season = round_robin.build_next_season(TABLES, 7)
    assert season == ((1, 2, 3, 4, 5, 11, 12), (13, 14, 15, 21, 22, 6, 7), (23, 24, 25, 26, 27, 16, 17))
    season = round_robin.build_next_season(TABLES, 8, returning=[(99, 0), (98, 7)], new=[71, 70])
    assert season == (
        (1, 2, 3, 4, 5, 11, 12, 99),
        (13, 14, 15, 21, 22, 6, 7, 23),
        (24, 25, 26, 27, 16, 17, 98, 71, 70),
    )
    season = round_robin.build_next_season(TABLES, 7, leaving=[1, 2, 17])
    assert [len(division) for division in season] == [6, 6, 6]
    assert season[0] == (3, 4, 5, 11, 12, 13)
    assert 16 in season[2], "the other place for going down went with 17"
    assert 15 not in season[2]
    assert round_robin.build_next_season([], 4, new=[3, 1, 2]) == ((3, 1, 2),)
    again = round_robin.build_next_season([], 3, returning=[(5, 1), (6, 0)], new=[3, 1, 2])
    assert again == ((6, 5), (3, 1, 2))


def test_seeds_go_by_rating_by_lot_or_by_order_and_lots_are_the_same_in_every_python() -> None:
    people = [("Ada", 1500.0), ("Bob", 1700.0), ("Cleo", 1500.0), ("Dan", 0.0)]
    by_rating = build_seeded_entrants(people, "rating", 3)
    assert [e.name for e in by_rating][::3] == ["Bob", "Dan"]
    assert [e.number for e in by_rating] == [1, 2, 3, 4]
    assert build_seeded_entrants(people[::-1], "rating", 3) == by_rating
    assert build_seeded_entrants(people[::-1], "lot", 3) == build_seeded_entrants(people, "lot", 3)
    assert [e.name for e in build_seeded_entrants(people, "order")] == ["Ada", "Bob", "Cleo", "Dan"]
    firsts = Counter(build_seeded_entrants(people, "lot", seed)[0].name for seed in range(400))
    assert min(firsts.values()) > 70
    assert {build_seeded_entrants(people, "rating", seed)[1].name for seed in range(20)} == {"Ada", "Cleo"}
    with pytest.raises(OperatorError, match="Ada"):
        build_seeded_entrants([("Ada", 1.0), ("Ada", 2.0)])
    draws = Draws(7, "test")
    assert (draw_lot(7, "test", 1) >> 48, [draws.draw_below(100) for _ in range(6)]) == (12069, [86, 22, 37, 14, 0, 84])
    assert "".join(draws.shuffle_items("abcdef")) == "faecdb"
    counts = Counter(draws.draw_below(3) for _ in range(3000))
    assert all(900 < counts[n] < 1100 for n in range(3))


# ---- ladder ----

DAY = date(2026, 1, 5)


def later(days: int) -> date:
    return DAY + timedelta(days=days)


def ladder(count: int = 6, **terms: object) -> Ladder:
    return Ladder(tuple(range(1, count + 1)), terms=LadderTerms(**terms))  # type: ignore[arg-type]


def lapsed_by(standing: Ladder, day: date) -> Ladder:
    """Every challenge that is not answered by then is refused, as a club does it day by day."""
    for asked in rules.LADDER.list_challenges(standing.to_json()):
        if asked.is_late(day):
            standing = rules.refuse_challenge(standing, asked.challenged, day)
    return standing


@pytest.mark.parametrize(
    ("challenger", "challenged", "expected"),
    [(9, 1, "ladder-not-on"), (3, 9, "ladder-not-on"), (3, 4, "ladder-not-above"), (3, 3, "ladder-not-above"),
     (5, 1, "ladder-too-far"), (6, 5, "ladder-away")],
)  # fmt: skip
def test_who_cannot_be_challenged(challenger: int, challenged: int, expected: str) -> None:
    with pytest.raises(Illegal, match=expected):
        rules.add_challenge(ladder(), challenger, challenged, DAY, away=[5])
    assert challenged not in rules.list_challengeable(ladder(), challenger, DAY, away=[5])


def test_one_challenge_each_way_a_win_swaps_and_the_same_two_wait() -> None:
    one = rules.add_challenge(ladder(), 4, 2, DAY)
    for challenger, challenged, expected in [(4, 3, "ladder-busy-challenger"), (5, 2, "ladder-busy-challenged")]:
        with pytest.raises(Illegal, match=expected):
            rules.add_challenge(one, challenger, challenged, DAY)
    both = rules.add_challenge(rules.add_challenge(one, 2, 1, DAY), 6, 4, DAY)
    assert [(c.challenger, c.challenged) for c in both.challenges] == [(4, 2), (2, 1), (6, 4)]
    assert rules.list_challengeable(ladder(), 5, DAY) == (2, 3, 4)
    assert rules.list_challengeable(one, 5, DAY) == (3, 4)
    running = rules.accept_challenge(rules.add_challenge(ladder(), 4, 2, DAY), 2, later(3))
    won = rules.finish_challenge(running, 4, "won", later(30))
    assert won.rungs == (1, 4, 3, 2, 5, 6)
    with pytest.raises(Illegal, match="ladder-locked") as found:
        rules.add_challenge(won, 2, 4, later(57))
    assert found.value.params["day"] == later(58)
    assert rules.add_challenge(won, 2, 4, later(58)).challenges
    for outcome in ("lost", "drawn"):
        kept = rules.finish_challenge(running, 4, outcome, later(30))  # type: ignore[arg-type]
        assert (kept.rungs, kept.challenges, kept.met) == (running.rungs, (), won.met)


@pytest.mark.parametrize(
    ("refusal", "expected"), [("swap", (1, 5, 3, 4, 2, 6)), ("below", (1, 5, 2, 3, 4, 6)), ("none", (1, 2, 3, 4, 5, 6))]
)
def test_no_answer_costs_the_place(refusal: str, expected: tuple[int, ...]) -> None:
    waiting = rules.add_challenge(ladder(refusal=refusal), 5, 2, DAY)
    assert lapsed_by(waiting, later(7)) == waiting, "the seventh day is the last one"
    lapsed = lapsed_by(waiting, later(8))
    assert (lapsed.rungs, lapsed.challenges) == (expected, ())
    assert lapsed_by(lapsed, later(8)) == lapsed
    assert rules.refuse_challenge(waiting, 2, later(2)).rungs == expected
    with pytest.raises(Illegal, match="ladder-no-challenge"):
        rules.refuse_challenge(lapsed, 2, later(9))


def test_who_joins_leaves_or_has_passed_the_other_moves_nobody_else() -> None:
    one = rules.add_challenge(rules.add_challenge(ladder(), 4, 2, DAY), 3, 1, DAY)
    gone = rules.leave_ladder(one, 2)
    assert gone.rungs == (1, 3, 4, 5, 6)
    assert [(c.challenger, c.challenged) for c in gone.challenges] == [(3, 1)]
    assert rules.join_ladder(gone, 7).rungs == (1, 3, 4, 5, 6, 7)
    assert rules.join_ladder(gone, 3) == gone
    assert Ladder.from_json(json.loads(json.dumps(gone.to_json()))) == gone
    running = rules.accept_challenge(rules.add_challenge(ladder(), 4, 3, DAY), 3, DAY)
    passed = rules.finish_challenge(replace(running, rungs=(1, 2, 4, 3, 5, 6)), 4, "won", later(9))
    assert passed.rungs == (1, 2, 4, 3, 5, 6)
    running = rules.accept_challenge(rules.add_challenge(ladder(), 5, 2, DAY), 2, later(7))
    assert lapsed_by(running, later(300)) == running
    with pytest.raises(OperatorError):
        rules.finish_challenge(rules.add_challenge(ladder(), 5, 2, DAY), 5, "won", DAY)
