"""Whoever a text names as a winner, against the game that was played."""

import pytest

from moderator.conformance.deals import EndlessMatch, begin_driven_match
from moderator.conformance.subject import GameSubject
from moderator.language.messages import render_label
from moderator.render.mails.task import render_outcome
from moderator.rules.ending import build_ending, build_match_outcome, list_match_winners
from moderator.rules.table import list_active_seats
from tests.games.matches import TABLES
from tests.games.test_every_game import SHORT

NAMES = ("Anna", "Bert", "Cora", "Dora", "Emil", "Fips", "Gerd", "Hans")
SILENT, OFTEN, NEVER = 1.0, 0.6, 0.0


@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_the_winners_of_every_text_are_those_of_the_game(key: str, pace: str) -> None:
    """Robots play, miss turns, or say nothing at all; seats leave. Who is left alone has won whatever the game says."""
    seen = 0
    for seed, lateness in enumerate((SILENT, OFTEN, NEVER, SILENT, OFTEN, NEVER)):
        match = begin_driven_match(
            GameSubject(key, settings=SHORT.get(key, ({},))[0]), pace, seed, leaving=seed > 2, most_seats=4
        )
        match.lateness = lateness
        try:
            match.play_to_end()
        except EndlessMatch:
            continue  # of some games only a deadline ends one in which nobody says anything
        if len(list_active_seats(match.table)) < 2 or any(entry.kind == "stop" for entry in match.log):
            continue
        seen += 1
        ended = build_ending(build_match_outcome(match.game, match.table, match.log))
        won = match.game.find_winners(match.table.state)
        if not match.table.out or not won:
            assert ended.winners == won
        assert ended.winners == list_match_winners(match.game, match.table, stopped=False)
        for you in (None, *range(match.seats)):
            told = render_outcome(ended, NAMES[: match.seats], "en", you)
            assert (render_label("won-nobody", "en").rstrip(".") in told) == (not won)
            if ended.level:
                assert told.startswith("A draw")
            elif you in ended.winners:
                assert told.startswith("Won ")
            elif you is None and won:
                assert [seat for seat in range(match.seats) if NAMES[seat] in told] == list(ended.winners)
            elif won:
                assert told.startswith(("Lost to ", "Place ", "You left, "))
    assert seen
