"""Standings: places and shared places, the 50 % rule, ranks after each round; on any field."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings

from moderator.tournaments import designs
from moderator.tournaments.field import HALF, Entrant, Game, TournamentState, bye, finished, walkover
from moderator.tournaments.standings import annulled, counted, finished_share, progress, standings
from moderator.tournaments.tiebreaks import CAP
from tests.tournaments.fields import robins, swisses


def robin(count: int, *results: tuple[int, int, int, int], left: tuple[int, ...] = ()) -> TournamentState:
    """Of a round robin the games ``(a, b, score of a, score of b)`` are finished."""
    entrants = tuple(Entrant(n, f"E{n}", left=1 if n in left else None) for n in range(1, count + 1))
    t = TournamentState("robin", entrants, rounds=count - 1 + count % 2).with_games(
        designs.schedule(range(1, count + 1))
    )
    scores = {frozenset(line[:2]): {line[0]: line[2], line[1]: line[3]} for line in results}
    return t.with_games(
        replace(game, result=finished([scores[frozenset(game.seats)][n] for n in game.seats]))
        for game in t.games
        if frozenset(game.seats) in scores
    )


def places(t: TournamentState) -> dict[int, int | None]:
    return {row.entrant.number: row.place for row in standings(t).rows}


def test_points_then_direct_encounter_then_the_columns_in_order() -> None:
    t = robin(4, (1, 2, 0, 9), (1, 3, 9, 0), (1, 4, 9, 0), (2, 3, 0, 9), (2, 4, 9, 0), (3, 4, 1, 1))
    table = standings(t)
    assert table.columns == ("direct", "sonneborn-berger", "wins", "spread")
    assert [row.entrant.number for row in table.rows] == [2, 1, 3, 4]
    assert [row.place for row in table.rows] == [1, 2, 3, 4]
    assert [row.points for row in table.rows] == [2, 2, Fraction(3, 2), HALF]
    assert table.row(2).ties == ((1,), (2 + HALF,), (2,), (9,))
    assert (table.row(1).played, table.row(1).wins, table.row(1).spread) == (3, 2, 9)


def test_a_place_is_shared_only_by_those_equal_in_all_columns() -> None:
    t = robin(4, (1, 2, 5, 5), (3, 4, 5, 5))
    assert places(t) == {1: 1, 2: 1, 3: 1, 4: 1}
    assert [row.entrant.number for row in standings(t).rows] == [1, 2, 3, 4]
    assert places(robin(4, (1, 2, 5, 5), (3, 4, 9, 8))) == {3: 1, 1: 2, 2: 2, 4: 4}


def test_who_leaves_before_half_of_its_games_counts_for_nobody() -> None:
    results = ((1, 5, 0, 9), (1, 2, 9, 0), (2, 3, 9, 0))
    assert standings(robin(5, *results)).row(5).points == 1
    t = robin(5, *results, left=(5,))
    assert annulled(t) == {5}
    table = standings(t)
    assert places(t) == {1: 1, 2: 2, 4: 3, 3: 4, 5: None}
    assert table.rows[-1].points == 1, "its results stay shown"
    assert table.row(1).forfeits == table.row(1).played - 1 == 0


def test_who_leaves_later_loses_the_rest_by_forfeit() -> None:
    t = robin(5, (5, 1, 9, 0), (5, 2, 9, 0), left=(5,))
    assert finished_share(t, 5) == (2, 4)
    table = standings(t)
    assert (table.row(5).points, table.row(5).forfeits, table.row(3).points) == (2, 2, 1)
    assert {game.kind for game in counted(t).games if 5 in game.seats} == {"game", "forfeit"}


def test_games_lost_by_leaving_are_not_finished_ones() -> None:
    """Whoever closes its games by forfeit does not get over the half that way."""
    t = robin(5, (5, 1, 9, 0), left=(5,))
    t = t.with_games(walkover(g, [5]) for g in t.games if 5 in g.seats and g.result is None)
    assert annulled(t) == {5}


def test_two_who_leave_get_nothing_from_each_other() -> None:
    t = robin(4, (1, 3, 9, 0), (1, 4, 9, 0), (2, 3, 9, 0), (2, 4, 9, 0), left=(1, 2))
    assert standings(t).row(1).points == standings(t).row(2).points == 2


def test_points_stay_in_a_swiss_tournament() -> None:
    entrants = (Entrant(1, "A", left=2), Entrant(2, "B"), Entrant(3, "C"))
    t = TournamentState("swiss", entrants, rounds=5).with_games([Game(1, 1, (1, 2), finished((3, 1))), bye(1, 2, 3)])
    assert annulled(t) == frozenset()
    assert standings(t).row(1).points == 1


def test_ranks_after_each_round() -> None:
    entrants = (Entrant(1, "A"), Entrant(2, "B"), Entrant(3, "C", joined=2))
    t = TournamentState("swiss", entrants, rounds=3).with_games(
        [
            Game(1, 1, (1, 2), finished((1, 3))),
            Game(2, 1, (3, 1), finished((0, 5))),
            bye(2, 2, 2),
            Game(3, 1, (2, 3)),
        ]
    )
    assert progress(t) == {1: (2, 2), 2: (1, 1), 3: (None, 3)}


@settings(max_examples=15, deadline=None)
@given(robins())
def test_a_round_robin_adds_up(t: TournamentState) -> None:
    """Points given = games finished that count, less double forfeits; places and rows fit together."""
    table = standings(t)
    games = [game for game in counted(t).games if game.result is not None]
    both = sum(game.result is not None and len(game.result.forfeits) == 2 for game in games)
    assert sum(row.points for row in table.rows if row.place is not None) == len(games) - both
    assert {row.entrant.number for row in table.rows if row.place is None} == annulled(t)
    _check_places(t)


@settings(max_examples=15, deadline=None)
@given(swisses())
def test_a_swiss_tournament_has_a_row_for_everybody(t: TournamentState) -> None:
    assert {row.entrant.number for row in standings(t).rows} == {one.number for one in t.entrants}
    _check_places(t)
    shuffled = replace(t, entrants=t.entrants[::-1], games=t.games[::-1])
    assert standings(shuffled) == standings(t)


def _check_places(t: TournamentState) -> None:
    ranked = [row for row in standings(t).rows if row.place is not None]
    keys = [(row.points, *row.ties) for row in ranked]
    assert keys == sorted(keys, reverse=True)
    assert [row.place for row in ranked] == [1 + sum(other > key for other in keys) for key in keys]
    for row in ranked:
        assert abs(row.spread) <= CAP * row.played
