"""Swiss pairings: legal on random fields, as close in scores as any pairing by brute force, the same for any order."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError
from moderator.tournaments.field import (
    Entrant,
    Game,
    TournamentState,
    build_bye,
    build_result,
    build_seeded_entrants,
    decide_by_absence,
    list_games_of,
    list_opponents,
    sum_points,
)
from moderator.tournaments.formats import swiss


def field(count: int, seed: int = 0, **options: object) -> TournamentState:
    return TournamentState(
        "swiss", build_seeded_entrants([(f"P{n}", 2000.0 - n) for n in range(count)]), seed=seed, options=options
    )


def play(t: TournamentState, games: tuple[Game, ...], chance: random.Random, forfeits: float = 0.0) -> TournamentState:
    done = []
    for game in games:
        if game.result is None and chance.random() < forfeits:
            game = decide_by_absence(game, chance.choice([game.seats[:1], game.seats[1:], game.seats]))
        elif game.result is None:
            game = replace(game, result=build_result([chance.randrange(3), chance.randrange(3)]))
        done.append(game)
    return t.with_games(done)


def seasons(
    count: int, players: tuple[int, int], rounds: int
) -> Iterator[tuple[TournamentState, int, tuple[Game, ...] | None]]:
    """Random tournaments with forfeits, withdrawals, late entrants; each before each of its rounds, with the pairing
    of this round or None if it is impossible."""
    for number in range(count):
        chance = random.Random(number)
        t = field(chance.randint(*players), number, late_points=chance.choice(["0", "1/2"]))
        for round in range(1, rounds + 1):
            if round > 1 and chance.random() < 0.2:
                t = t.with_entrants([replace(chance.choice(t.entrants), left=round)])
            if 1 < round < 4 and chance.random() < 0.2 and len(t.entrants) < players[1]:
                t = swiss.add_late_entrant(t, f"late {round}", 0.0, round)
            try:
                found = swiss.pair_swiss_round(t, round)
            except swiss.NoPairing:
                yield t, round, None
                break
            yield t, round, found
            t = play(t, found, chance, forfeits=0.15)


def three(t: TournamentState, number: int, started: bool) -> bool:
    line = [g.seats[0] == number for g in list_games_of(t, number) if g.kind == "game"] + [started]
    return line[-3:] in ([True] * 3, [False] * 3) or abs(2 * sum(line) - len(line)) >= 3


@pytest.mark.slow
def test_pairings_are_legal() -> None:
    paired = broken = 0
    for t, round, found in seasons(60, (2, 16), 7):
        if found is None:
            continue
        paired += 1
        seated = sorted(n for game in found for n in game.seats)
        assert seated == [e.number for e in t.entrants if e.is_active(round)]
        assert sum(game.kind == "bye" for game in found) == len(seated) % 2
        for game in found:
            if game.kind == "bye":
                assert game.get_points(game.seats[0]) == 1
                assert not any(
                    g.kind != "game" and g.get_points(game.seats[0]) == 1 for g in list_games_of(t, game.seats[0])
                )
            else:
                assert game.seats[1] not in list_opponents(t, game.seats[0])
                broken += sum(three(t, n, first) for n, first in zip(game.seats, (True, False), strict=True))
    assert broken <= 3, "the rule of three gives way where nothing else is legal"
    assert paired > 200


def matchings(numbers: list[int]) -> Iterator[list[tuple[int, int]]]:
    if not numbers:
        yield []
        return
    one, *rest = numbers
    for other in rest:
        for more in matchings([n for n in rest if n != other]):
            yield [(one, other), *more]


def measure(t: TournamentState, pairs: list[tuple[int, int]]) -> tuple[int, Fraction, Fraction] | None:
    """(starts that break the rule of three, score of the bye, squared differences) or None if it is not legal."""
    broken, bye, squares = 0, Fraction(0), Fraction(0)
    for one, other in pairs:
        if one == 0:
            if any(g.kind != "game" and g.get_points(other) == 1 for g in list_games_of(t, other)):
                return None
            bye = sum_points(t, other)
            continue
        if other in list_opponents(t, one):
            return None
        squares += (sum_points(t, one) - sum_points(t, other)) ** 2
        broken += min(three(t, one, first) + three(t, other, not first) for first in (True, False))
    return broken, bye, squares


@pytest.mark.slow
def test_brute_force_agrees_on_what_is_possible_and_what_is_best() -> None:
    impossible = compared = 0
    for t, round, found in seasons(40, (4, 8), 9):
        numbers = [e.number for e in t.entrants if e.is_active(round)]
        if len(numbers) < 2:
            continue
        every = (measure(t, pairs) for pairs in matchings(([0] if len(numbers) % 2 else []) + numbers))
        legal = [found for found in every if found is not None]
        if found is None:
            impossible += 1
            assert not legal
            continue
        compared += 1
        ours = [(0, *g.seats) if g.kind == "bye" else g.seats for g in found]
        assert measure(t, [(a, b) for a, b in ours]) == min(legal)
    assert impossible > 15
    assert compared > 120


def test_the_order_of_the_input_does_not_matter_nor_a_way_through_json() -> None:
    for t, round, first in seasons(4, (7, 12), 5):
        if first is None:
            continue
        assert TournamentState.from_json(json.loads(json.dumps(t.to_json()))) == t
        mixed = random.Random(round)
        entrants = list(t.entrants)
        mixed.shuffle(entrants)
        assert swiss.pair_swiss_round(replace(t, entrants=tuple(entrants)), round) == first
        people = swiss.build_swiss_players(t, round, [e.number for e in t.entrants if e.is_active(round)])
        best = swiss.find_cheapest_pairs(people, False, t.seed, round)
        mixed.shuffle(people)
        assert swiss.find_cheapest_pairs(people, False, t.seed, round) == best


def player(number: int, score: int, **changes: object) -> swiss.SwissPlayer:
    """Of a field of four: 1 to 3 have one score, 4 has less."""
    group, position = (3, number - 1) if number < 4 else (1, 0)
    plain = swiss.SwissPlayer(number, number - 1, score, group, position, frozenset(), (), (0, 0), True)
    return replace(plain, **changes)  # type: ignore[arg-type]


def test_nobody_floats_twice_running_if_another_can_by_the_rounds_before() -> None:
    plain = [player(1, 2), player(2, 2), player(3, 2), player(4, 0)]
    assert (3, 4) in swiss.find_cheapest_pairs(plain, False, 0, 3)
    for floats in ((-1, 0), (0, -1)):
        again = [*plain[:2], replace(plain[2], floats=floats), plain[3]]
        assert (2, 4) in swiss.find_cheapest_pairs(again, False, 0, 3)
    all_of_them = [replace(p, floats=(-1, 0)) for p in plain]
    all_of_them[0] = replace(plain[0], floats=(0, -1))
    assert (1, 4) in swiss.find_cheapest_pairs(all_of_them, False, 0, 3), "longer ago weighs less"
    t = field(5)
    one = [Game(1, 1, (1, 3), build_result([9, 1])), Game(1, 2, (2, 4), build_result([9, 1])), build_bye(1, 3, 5)]
    two = [Game(2, 1, (1, 2), build_result([5, 5])), Game(2, 2, (5, 3), build_result([5, 5])), build_bye(2, 3, 4)]
    found = swiss.build_swiss_players(t.with_games([*one, *two]), 3, [1, 2, 3, 4, 5])
    assert {p.number: p.floats for p in found} == {1: (0, 0), 2: (0, 0), 3: (1, 0), 4: (-1, 0), 5: (-1, -1)}


def test_starts_are_evened_out_before_the_seeding_counts() -> None:
    plain = [replace(player(n, 2), group=4, position=n - 1) for n in range(1, 5)]
    assert swiss.find_cheapest_pairs(plain, False, 0, 2) == {(1, 3), (2, 4)}
    uneven = [replace(p, starts=(p.number in (1, 3),)) for p in plain]
    assert swiss.find_cheapest_pairs(uneven, False, 0, 2) in ({(1, 2), (3, 4)}, {(1, 4), (2, 3)})
    assert swiss.seat_starter_first(uneven[0], uneven[1], 0, 2) == (uneven[1], uneven[0])
    assert swiss.seat_starter_first(uneven[1], uneven[2], 0, 2) == (uneven[1], uneven[2])


@pytest.mark.parametrize("rank", [0, 1])
def test_equal_starts_turn_round_the_last_difference(rank: int) -> None:
    one = player(1, 2, rank=rank, starts=(True, False, True, False))
    two = player(2, 2, rank=rank + 1, starts=(False, True, True, False))
    assert swiss.seat_starter_first(one, two, 0, 4) == (one, two)
    swapped = replace(one, starts=two.starts), replace(two, starts=one.starts)
    assert swiss.seat_starter_first(*swapped, 0, 4) == swapped[::-1]


@pytest.mark.parametrize("count", [2, 6, 7, 20, 33])
def test_first_round_top_half_against_bottom_half(count: int) -> None:
    found = swiss.pair_swiss_round(field(count), 1)
    half = count // 2
    assert {frozenset(g.seats) for g in found if g.kind == "game"} == {
        frozenset((n, n + half)) for n in range(1, half + 1)
    }
    assert [g.seats for g in found if g.kind == "bye"] == [(count,)] * (count % 2)
    tops = [min(g.seats) == g.seats[0] for g in found if g.kind == "game"]
    assert all(one != other for one, other in pairwise(tops)), "every other table starts its top seed"
    assert {swiss.pair_swiss_round(field(4, seed), 1)[0].seats for seed in range(20)} == {(1, 3), (3, 1)}


def test_an_impossible_round_says_why_and_what_can_be_done_with_as_few_rematches_as_possible() -> None:
    t = field(2)
    t = play(t, swiss.pair_swiss_round(t, 1), random.Random(1))
    with pytest.raises(swiss.NoPairing, match="P0, P1") as met:
        swiss.pair_swiss_round(t, 2)
    assert (met.value.reason, met.value.ways) == ("met", ("rematches", "bye", "end"))
    again = swiss.pair_swiss_round(t, 2, rematches=True)
    assert len(again) == 1
    assert again[0].seats == t.games[0].seats[::-1]
    assert swiss.pair_swiss_round(replace(t, options={"allow_rematch": True}), 2) == again
    byes = swiss.pair_swiss_round(t, 2, byes=[1, 2])
    assert [(g.kind, g.seats, g.table) for g in byes] == [("bye", (1,), 1), ("bye", (2,), 2)]
    t = field(3)
    for round in (1, 2, 3):
        t = play(t, swiss.pair_swiss_round(t, round, rematches=True), random.Random(round))
    with pytest.raises(swiss.NoPairing) as none_left:
        swiss.pair_swiss_round(t, 4, rematches=True)
    assert (none_left.value.reason, none_left.value.ways) == ("no-bye", ("bye", "end"))
    assert len(swiss.pair_swiss_round(t, 4, rematches=True, byes=[2])) == 2
    with pytest.raises(swiss.NoPairing, match="fewer than two") as few:
        swiss.pair_swiss_round(field(1), 1)
    assert few.value.ways == ("end",)
    t = field(4)
    for round in (1, 2, 3):
        t = play(t, swiss.pair_swiss_round(t, round), random.Random(round))
    t = swiss.add_late_entrant(swiss.add_late_entrant(t, "late", 0.0, 4), "later", 0.0, 4)
    paired = [game.seats for game in swiss.pair_swiss_round(t, 4, rematches=True)]
    assert sum(other in list_opponents(t, one) for one, other in paired) == 1


def test_a_round_needs_the_results_before_it_and_who_won_without_play_gets_no_bye() -> None:
    t = field(4)
    first = t.with_games(swiss.pair_swiss_round(t, 1))
    with pytest.raises(OperatorError, match="table 1 of round 1 is not finished"):
        swiss.pair_swiss_round(first, 2)
    with pytest.raises(OperatorError, match="paired already"):
        swiss.pair_swiss_round(first, 1)
    t = field(3)
    game = decide_by_absence(Game(1, 1, (1, 2)), [2])
    t = t.with_games([game, replace(game, table=2, seats=(3,), kind=GameKind.BYE, result=build_bye(1, 2, 3, 0).result)])
    found = swiss.pair_swiss_round(t, 2)
    assert [g.seats for g in found if g.kind == "bye"] != [(1,)]


def test_who_joins_late_is_paired_and_who_has_left_is_not() -> None:
    t = field(4, late_points="1/2")
    t = play(t, swiss.pair_swiss_round(t, 1), random.Random(3))
    t = swiss.add_late_entrant(t, "Late", 1500.0, 2)
    assert t.get_entrant(5) == Entrant(5, "Late", 1500.0, joined=2)
    assert sum_points(t, 5) == Fraction(1, 2)
    assert len({(g.round, g.table) for g in t.games}) == len(t.games) == 3
    t = t.with_entrants([replace(t.get_entrant(1), left=2)])
    seated = [n for g in swiss.pair_swiss_round(t, 2) for n in g.seats]
    assert sorted(seated) == [2, 3, 4, 5]
    with pytest.raises(OperatorError, match="takes part already"):
        swiss.add_late_entrant(t, "Late", 0.0, 3)
    with pytest.raises(OperatorError, match="late_points"):
        swiss.add_late_entrant(replace(t, options={"late_points": "1"}), "Later", 0.0, 3)
