"""The column of the last turn in the score table, against the matches that were played."""

from contextlib import suppress

import pytest

from moderator.conformance.deals import EndlessMatch, begin_driven_match
from moderator.conformance.subject import GameSubject
from moderator.rules.replay import walk_log
from moderator.rules.time.clock import TimeRules, build_accounts
from moderator.views.loaded_match import LiveMatch
from tests.games.matches import TABLES
from tests.games.test_every_game import SHORT


@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_a_row_tells_of_the_last_turn_and_of_no_older_one(key: str, pace: str) -> None:
    match = begin_driven_match(GameSubject(key, settings=SHORT.get(key, ({},))[0]), pace, 5, leaving=True, most_seats=4)
    match.lateness = 0.4
    with suppress(EndlessMatch):
        match.play_to_end()
    past, results, _ = walk_log(match.game, match.seats, match.options, match.ctx, None, match.log)
    accounts = build_accounts(match.seats, TimeRules(), ())
    live = LiveMatch(0, "K7Q2", match.game, match.options, match.ctx, past[-1], TimeRules(), accounts)
    done, rounds = dict[int, str](), set[int]()
    for before, after, result in zip(past[:-1], past[1:], results, strict=True):
        live.record_last_moves(before, after, result)
        if after.state is before.state:
            continue
        if match.game.seeded_rounds and before.state.public.round not in rounds:
            done.clear()
        rounds.add(before.state.public.round)
        done |= {move.seat: move.public_text for move in result.moves}
        for move in result.moves:
            text, points = live.last[move.seat]
            assert text == done[move.seat]
            # A turn in which nothing was made has no points, unless it cost some.
            assert move.alternative or points is None or points != 0
            assert not move.alternative or points is not None
        for seat, (text, points) in live.last.items():
            assert text in (done.get(seat, ""), "")
            assert seat in done or (points is not None and points < 0)
    assert rounds
