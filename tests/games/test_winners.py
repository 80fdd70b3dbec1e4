"""Whoever a text names as a winner, against the game that was played."""

import pytest

from moderator.conformance.deals import EndlessMatch, begin_driven_match
from moderator.conformance.subject import CODE, GameSubject, build_master_seed
from moderator.games import load_game
from moderator.language.messages import render_label
from moderator.render.mails.task import render_outcome
from moderator.rules.ending import MatchOutcome, build_ending, build_match_outcome, list_match_winners
from moderator.rules.records.record import build_record, parse_record_values, verify_record
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


def test_an_older_record_of_a_match_without_winners_is_still_verified() -> None:
    """Where somebody had left it named those ahead of the others, though the game names nobody."""
    subject = GameSubject("presto", settings={"rounds": 1})
    match = begin_driven_match(subject, "race", 1, most_seats=3)
    match.leaves, match.lateness = {0: 0}, SILENT
    match.play_to_end()
    found = build_match_outcome(match.game, match.table, match.log)
    assert MatchOutcome.from_json(found.to_json()) == found
    old = MatchOutcome.from_json({key: value for key, value in found.to_json().items() if key != "undecided"})
    assert (build_ending(old).winners, build_ending(found).winners) == ((1, 2), ())
    made = build_record(
        CODE, match.game, match.options, NAMES[:3], build_master_seed(1), [], match.log, ending=build_ending(old)
    )
    made["result"]["winners"] = [1, 2]
    assert verify_record(parse_record_values(made, load_game), subject.words)["ok"]
