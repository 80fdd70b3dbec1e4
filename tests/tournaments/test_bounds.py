"""Possible final places: sound and monotone, exact near the end; against all ends of small fields."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.tournaments import designs
from moderator.tournaments.field import Game, TournamentState, finished, walkover
from moderator.tournaments.standings import final_places, standings
from tests.tournaments.fields import OUTCOMES, end, entrants, robins, swisses


def open_games(t: TournamentState) -> list[Game]:
    return [game for game in t.games if game.result is None]


def places(t: TournamentState) -> dict[int, int]:
    return {row.entrant.number: row.place for row in standings(t).rows if row.place is not None}


def inside(t: TournamentState, later: TournamentState) -> bool:
    """The ranges of ``later`` lie in those of ``t``."""
    before, after = final_places(t), final_places(later)
    return all(before[n][0] <= after[n][0] <= after[n][1] <= before[n][1] for n in after)


def test_the_leader_who_cannot_be_caught() -> None:
    t = TournamentState("robin", entrants(4), rounds=3).with_games(designs.schedule((1, 2, 3, 4)))
    t = t.with_games(end(g, "first" if g.seats[0] == 1 else "second") for g in t.games if 1 in g.seats)
    assert final_places(t, withdrawals=False)[1] == (1, 1)
    assert final_places(t)[1] == (1, 4), "all others may still leave, and then its points are gone"


def test_before_the_first_game_everything_is_possible() -> None:
    t = TournamentState("robin", entrants(5), rounds=5).with_games(designs.schedule(range(1, 6)))
    assert set(final_places(t).values()) == {(1, 5)}


def test_rounds_not_paired_yet_are_open() -> None:
    games = [Game(1, 1, (1, 2), finished((5, 1))), Game(1, 2, (3, 4), finished((5, 1)))]
    t = TournamentState("swiss", entrants(4), rounds=2).with_games(games)
    assert set(final_places(t).values()) == {(1, 4)}
    assert final_places(replace(t, rounds=1)) == {1: (1, 1), 3: (1, 1), 2: (3, 3), 4: (3, 3)}


def test_two_who_play_each_other_cannot_both_come_level() -> None:
    """Worked out exactly: 1 has two points, 2 and 3 one each and one game left, against each other."""
    t = TournamentState("robin", entrants(4), rounds=3).with_games(designs.schedule((1, 2, 3, 4)))
    wins = {(1, 2): 1, (1, 3): 1, (1, 4): 4, (2, 4): 2, (3, 4): 3}
    for game in t.games:
        winner = wins.get((min(game.seats), max(game.seats)))
        if winner:
            t = t.with_games([end(game, "first" if game.seats[0] == winner else "second")])
    assert final_places(t, withdrawals=False)[1] == (1, 2)


@settings(max_examples=25, deadline=None)
@given(robins(most=4, withdrawals=False))
def test_exact_without_withdrawals_and_never_too_narrow(t: TournamentState) -> None:
    """All ends of the open games, with points alone: no range is narrower, and worst places are no wider."""
    running = open_games(t)[:4]
    t = t.with_games(end(game, "draw") for game in open_games(t)[4:])
    worst = dict.fromkeys(final_places(t), 0)
    bounds = final_places(t, withdrawals=False)
    best = dict.fromkeys(bounds, 99)
    for ends in itertools.product(("first", "second", "draw", "nobody"), repeat=len(running)):
        done = t.with_games(end(game, outcome) for game, outcome in zip(running, ends, strict=True))
        table = {row.entrant.number: row.points for row in standings(done).rows}
        for n, place in places(done).items():
            assert bounds[n][0] <= place <= bounds[n][1]
            worst[n] = max(worst[n], sum(points >= table[n] for points in table.values()))
            best[n] = min(best[n], 1 + sum(points > table[n] for points in table.values()))
    if running:
        assert bounds == {n: (best[n], worst[n]) for n in bounds}


@settings(max_examples=40, deadline=None)
@given(robins(most=6), st.data())
def test_ranges_only_narrow_and_hold_the_final_place(t: TournamentState, data: st.DataObject) -> None:
    """Games end one by one in any way, and now and then somebody leaves, who plays no more."""
    states = [t]
    while running := open_games(states[-1]):
        now = states[-1]
        if data.draw(st.integers(0, 9)) == 0:
            number = data.draw(st.sampled_from([one.number for one in now.entrants]))
            states.append(now.with_entrants([replace(now.entrant(number), left=1)]))
            continue
        game = data.draw(st.sampled_from(running))
        gone = [number for number in game.seats if now.entrant(number).left is not None]
        ended = walkover(game, gone) if gone else end(game, data.draw(st.sampled_from(OUTCOMES)))
        states.append(now.with_games([ended]))
    final = places(states[-1])
    for before, after in itertools.pairwise(states):
        assert inside(before, after)
    for state in states:
        ranges = final_places(state)
        assert all(ranges[n][0] <= place <= ranges[n][1] for n, place in final.items())


@settings(max_examples=30, deadline=None)
@given(swisses())
def test_a_swiss_tournament_narrows_too(t: TournamentState) -> None:
    """Played on with the higher number always winning."""
    states = [t]
    for round in range(max(g.round for g in t.games), t.rounds + 1):
        now = states[-1].with_games(end(g, "second") for g in open_games(states[-1]))
        states.append(now)
        if round < t.rounds:
            pairs = zip(now.entrants[::2], now.entrants[1::2], strict=False)
            games = [Game(round + 1, n, (a.number, b.number)) for n, (a, b) in enumerate(pairs, 1)]
            states.append(now.with_games(games))
    final = places(states[-1])
    assert all(inside(a, b) for a, b in itertools.pairwise(states))
    assert all(a <= final[n] <= b for state in states for n, (a, b) in final_places(state).items())


def test_a_point_for_a_game_that_was_left_may_be_lost_by_leaving_too() -> None:
    """4 has left in the middle of a game with 3: a win for 3, unless 3 leaves before it is written down."""
    t = TournamentState("robin", entrants(4), rounds=3).with_games(designs.schedule((1, 2, 3, 4)))
    t = t.with_games(end(game, "draw") for game in t.games if set(game.seats) != {3, 4})
    gone = t.with_entrants([replace(t.entrant(4), left=3)])
    assert final_places(gone, withdrawals=False)[3] == (1, 1)
    assert final_places(gone)[3] == (1, 4)
    both = gone.with_entrants([replace(t.entrant(3), left=3)])
    assert inside(gone, both)
    assert places(both)[3] == 3


def test_nothing_is_final_while_somebody_may_leave() -> None:
    """4 has left without a point, so that its games count no more; while one of them runs 2 can leave, too."""
    t = TournamentState("robin", entrants(4), rounds=3).with_games(designs.schedule((1, 2, 3, 4)))
    t = t.with_games(end(g, "absent" if 2 in g.seats else "draw") for g in t.games if set(g.seats) != {2, 4})
    gone = t.with_entrants([replace(t.entrant(4), left=1)])
    assert inside(gone, gone.with_entrants([replace(t.entrant(2), left=1)]))
