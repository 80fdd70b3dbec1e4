"""Tie-breaks: FIDE's exercises by Mario Held, and small fields worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from moderator.errors import OperatorError
from moderator.tournaments import trf
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, bye, finished, walkover
from moderator.tournaments.standings import standings
from moderator.tournaments.tiebreaks import (
    COLUMNS,
    Field,
    buchholz,
    direct,
    firsts,
    order,
    share,
    sonneborn_berger,
    spread,
    wins,
)
from tests.beside import HELD, needs_held

# Published answers after 5 rounds; entrants 4, 6 and 11 as the edition of 2026 has them (as gacrux 1.11.65 agrees).
BUCHHOLZ = (12.5, 13, 15.5, 14, 8.5, 11.5, 14.5, 13.5, 9, 13, 12.5, 11.5, 14, 11, 12, 12.5)
CUT_1 = (11, 12, 13, 11.5, 7.5, 10.5, 12.5, 12, 7.5, 11.5, 11, 9.5, 12, 9, 11, 11)
SONNEBORN = (8, 9.5, 10.5, 9.25, 4.25, 6, 3.25, 5.25, 2.25, 1.5, 4.75, 4, 4.25, 4.5, 3.5, 7.25)
# The same exercise after 9 rounds, by gacrux 1.11.65 (BH/V2, BH/C1/V2, SB/V2).
BUCHHOLZ_9 = (43, 45.5, 44.5, 43, 36, 46, 35.5, 41, 33, 40.5, 37.5, 31.5, 38.5, 38.5, 42.5, 47)
CUT_1_9 = (40.5, 41.5, 41, 38.5, 33.5, 42, 33, 38.5, 30, 37.5, 35, 28.5, 35.5, 35.5, 39.5, 43.5)
SONNEBORN_9 = (27.25, 29.5, 30.75, 26.25, 15.75, 29.5, 15.5, 16.5, 8.5, 14, 14.25, 8.75, 10.25, 16, 16.25, 20.25)
WINS = (2, 3, 2, 2, 2, 3, 1, 2, 1, 1, 2, 2, 1, 2, 2, 3)


def held(name: str, format: str = "swiss") -> Field:
    text = (HELD / f"held_{name}.trf").read_text(encoding="utf-8")
    return Field(trf.parse(text, format))  # type: ignore[arg-type]


@needs_held
def test_held_swiss() -> None:
    field = held("swiss_5")
    numbers = range(1, 17)
    assert [float(buchholz(field, n)) for n in numbers] == list(BUCHHOLZ)
    assert [float(buchholz(field, n, 1)) for n in numbers] == list(CUT_1)
    assert [float(sonneborn_berger(field, n)) for n in numbers] == list(SONNEBORN)
    assert [wins(field, n) for n in numbers] == list(WINS)


@needs_held
def test_held_swiss_after_nine_rounds() -> None:
    field = held("swiss_9")
    numbers = range(1, 17)
    assert [float(buchholz(field, n)) for n in numbers] == list(BUCHHOLZ_9)
    assert [float(buchholz(field, n, 1)) for n in numbers] == list(CUT_1_9)
    assert [float(sonneborn_berger(field, n)) for n in numbers] == list(SONNEBORN_9)


@needs_held
def test_held_round_robin() -> None:
    """A forfeit of a round robin counts like a game; direct encounter leaves 2 and 3 equal."""
    field = held("round_robin", "robin")
    assert [float(sonneborn_berger(field, n)) for n in range(1, 7)] == [9.25, 6.25, 6.25, 4.25, 3.25, 2.25]
    for group, expected in (((1, 2, 3), (1, 2, 2)), ((4, 5, 6), (3, 2, 1))):
        values = direct(field, group)
        places = [1 + sum(values[other] > values[n] for other in group) for n in group]
        assert tuple(places) == expected


@needs_held
def test_held_direct_encounter_needs_that_all_met() -> None:
    field = held("swiss_5")
    assert direct(field, (1, 3, 4, 16)) == dict.fromkeys((1, 3, 4, 16), ())
    assert direct(field, (5, 8, 11)) == dict.fromkeys((5, 8, 11), ())


@needs_held
@pytest.mark.parametrize("name", ["swiss_5", "swiss_9", "round_robin"])
def test_held_points(name: str) -> None:
    field = held(name)
    for line in (HELD / f"held_{name}.trf").read_text(encoding="utf-8").splitlines():
        if line.startswith("001"):
            assert float(field.points[int(line[4:8])]) == float(line[80:84])


def tournament(*games: Game, count: int = 4, format: str = "swiss", **options: object) -> TournamentState:
    entrants = tuple(Entrant(number, f"E{number}") for number in range(1, count + 1))
    return TournamentState(format, entrants, options=options).with_games(games)  # type: ignore[arg-type]


def test_a_bye_counts_against_a_virtual_opponent() -> None:
    """1: bye, then a win. Own points 2, but two rounds of draws give only 1."""
    t = tournament(
        bye(1, 2, 1), Game(1, 1, (2, 3), finished((9, 1))), Game(2, 1, (1, 2), finished((9, 1))), bye(2, 2, 3), count=3
    )
    field = Field(t)
    assert field.points == {1: 2, 2: 1, 3: 1}
    assert buchholz(field, 1) == 1 + 1
    assert sonneborn_berger(field, 1) == 1 * 1 + 1 * 1


def test_a_forfeit_counts_no_more_than_the_absent_opponent_has() -> None:
    t = tournament(
        walkover(Game(1, 1, (1, 2)), [2]),
        Game(1, 2, (3, 4), finished((1, 0))),
        Game(2, 1, (1, 3), finished((5, 2))),
        Game(2, 2, (2, 4), finished((1, 1))),
    )
    field = Field(t)
    assert field.points == {1: 2, 2: HALF, 3: 1, 4: HALF}
    assert buchholz(field, 1) == HALF + 1


def test_byes_wished_at_the_end_count_as_draws_for_the_opponents() -> None:
    t = tournament(
        Game(1, 1, (1, 2), finished((1, 0))),
        Game(1, 2, (3, 4), finished((1, 0))),
        Game(2, 1, (1, 3), finished((1, 0))),
        bye(2, 2, 2, 0),
        bye(2, 3, 4),
    )
    field = Field(t)
    assert field.adjusted[2] == HALF
    assert field.adjusted[1] == 2
    left = tournament(*t.games[:3])
    assert Field(left).adjusted[2] == HALF, "the same for who left without a word"


def test_a_cut_takes_the_round_missed_by_own_will_first() -> None:
    t = tournament(
        bye(1, 2, 1, HALF),
        Game(1, 1, (2, 3), finished((1, 0))),
        Game(2, 1, (1, 3), finished((1, 0))),
        bye(2, 2, 2),
        count=3,
    )
    field = Field(t)
    assert buchholz(field, 1) == 1 + 0
    assert buchholz(field, 1, 1) == 0, "the virtual opponent (1) goes, though 3 has less"


def test_direct_encounter_is_applied_again_to_those_still_equal() -> None:
    """Among four, 1 and 2 have two points each; 2 beat 1."""
    results = {(1, 2): (0, 1), (1, 3): (1, 0), (1, 4): (1, 0), (2, 3): (1, 0), (2, 4): (0, 1), (3, 4): (1, 0)}
    t = tournament(
        *(Game(n, 1, pair, finished(scores)) for n, (pair, scores) in enumerate(results.items(), 1)), format="robin"
    )
    assert direct(Field(t), (1, 2, 3, 4)) == {1: (2, 0), 2: (2, 1), 3: (1, 1), 4: (1, 0)}


def test_direct_encounter_of_a_double_round_is_the_mean() -> None:
    t = tournament(Game(1, 1, (1, 2), finished((1, 0))), Game(2, 1, (2, 1), finished((1, 1))), count=2, format="double")
    assert direct(Field(t), (1, 2)) == {1: (Fraction(3, 4),), 2: (Fraction(1, 4),)}


def test_spread_is_capped_game_by_game_and_knows_no_forfeits() -> None:
    games = (
        Game(1, 1, (1, 2), finished((500, 100))),
        Game(2, 1, (1, 3), finished((90, 100))),
        Game(3, 1, (1, 4), finished((200, 3), [1])),
    )
    assert spread(Field(tournament(*games)), 1) == 90
    assert spread(Field(tournament(*games, spread_cap=250)), 1) == 240
    assert spread(Field(tournament(*games, spread_cap=0)), 1) == 390
    assert spread(Field(tournament(*games)), 2) == -100


def test_tables_of_several_seats() -> None:
    t = tournament(
        Game(1, 1, (1, 2, 3), finished((50, 30, 20))),
        Game(2, 1, (2, 1, 3), finished((40, 40, 20))),
        Game(3, 1, (3, 1, 2), finished((-10, 20, 10))),
        count=3,
        format="tables",
    )
    field = Field(t)
    assert share(field, 1) == Fraction(1, 2) + Fraction(2, 5) + Fraction(3, 5)
    assert share(field, 3) == Fraction(1, 5) + Fraction(1, 5)
    assert [firsts(field, n) for n in (1, 2, 3)] == [Fraction(5, 2), HALF, 0]
    assert direct(field, (1, 2)) == {1: (Fraction(5, 6),), 2: (Fraction(1, 6),)}
    assert order(t) == ("share", "firsts", "direct")


def test_who_forfeits_at_a_table_lost_to_all_there() -> None:
    t = tournament(Game(1, 1, (1, 2, 3), finished((50, 30, 20), [0, 1])), count=3, format="tables")
    assert direct(Field(t), (1, 2)) == {1: (0,), 2: (0,)}
    assert direct(Field(t), (1, 3)) == {1: (0,), 3: (1,)}


def test_the_order_can_be_chosen() -> None:
    t = tournament(tiebreaks=["spread", "wins"])
    assert standings(t).columns == ("spread", "wins")
    with pytest.raises(OperatorError, match=r"no tie-break 'sos'.*sonneborn-berger"):
        order(tournament(tiebreaks=["sos"]))
    assert set(COLUMNS) >= set(order(tournament())) | set(order(tournament(format="robin")))
