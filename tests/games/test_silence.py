"""What a mail says that silence costs, against what the rules do to a seat that is silent."""

import re
from contextlib import suppress

import pytest

from moderator.conformance.deals import EndlessMatch, begin_driven_match
from moderator.conformance.subject import GameSubject, play_sample_match
from moderator.games import OWN
from moderator.language.messages import render_note
from moderator.render.mails.subject import build_mail_head
from moderator.rules.log import EngineResult
from moderator.rules.silence import MissEffect, foresee_silence
from moderator.rules.table import MatchState, miss_seat
from tests.games.matches import TABLES
from tests.games.test_every_game import SHORT
from tests.pages.match_pages import YOU, Moment, page, played


@pytest.mark.parametrize("key", sorted(OWN))
def test_the_foreseen_effect_is_what_happens(key: str) -> None:
    match, seen = played(key), set()
    for moment in match.moments:
        before = moment.before
        for seat in before.state.to_move:
            silence = foresee_silence(match.game, before, seat, match.ctx)
            after, _ = miss_seat(match.game, before, seat, match.ctx)
            seen.add(silence.effect)
            assert after.state.over or not silence.ends_match
            if after.state.public.round != before.state.public.round or after.state.over:
                continue
            tiles = len(after.state.hands[seat]) - len(before.state.hands[seat])
            points = after.state.scores[seat] - before.state.scores[seat]
            if before.pace == "race":
                assert silence.effect is MissEffect.ROUND_LOST
            elif silence.effect is MissEffect.PASSED:
                assert (tiles, points) == (0, 0)
            elif silence.effect is MissEffect.BOUGHT:
                assert tiles > 0 <= points  # somebody else who is out pays the others
            elif silence.effect is MissEffect.PENALTY:
                assert points < 0 < tiles
    assert seen


def test_the_end_is_not_foreseen_from_tiles_that_the_reader_cannot_see() -> None:
    """Whose word goes round is out if a letter of it is lacking, and with that the match is over."""
    subject, ended = GameSubject("recht", settings={"games": 1}), 0
    for seed in range(12):
        match = play_sample_match(subject, "sequential", seed, 12)
        for state in match.states:
            if state.over:
                continue
            (seat,) = state.to_move
            table = MatchState(state, "sequential", 0)
            after, result = miss_seat(match.game, table, seat, match.ctx)
            if after.state.over and any(note.code == "cannot-complete" for note in result.notes):
                ended += 1
                assert not foresee_silence(match.game, table, seat, match.ctx).ends_match
    assert ended


@pytest.mark.parametrize("key", ["domijongg", "kreuzwort", "recht"])
def test_a_missed_turn_is_told_by_what_it_did(key: str) -> None:
    """The reader's own miss, in the first line: not "missed" where a tile was bought."""
    match, told = played(key), set()
    for number, moment in enumerate(match.moments):
        if moment.before.state.to_move != (YOU,):
            continue
        after, result = miss_seat(match.game, moment.before, YOU, match.ctx)
        if after.state.over:
            continue
        made = page(key, "en", number - 1, told=(Moment(moment.before, result, after),))
        told.add(build_mail_head(made).headline.partition(":")[0])
    expected = {"domijongg": "You get a penalty tile", "kreuzwort": "You get a tile", "recht": "You get a tile"}
    assert expected[key] in told


@pytest.mark.parametrize(("key", "pace"), TABLES)
def test_nobody_is_said_to_have_tried_where_nobody_has_sent_anything(key: str, pace: str) -> None:
    match = begin_driven_match(GameSubject(key, settings=SHORT.get(key, ({},))[0]), pace, 3, most_seats=3)
    match.lateness = 1
    with suppress(EndlessMatch):
        match.play_to_end()
    ends = [EngineResult.from_json(entry.outcome).notes for entry in match.log]
    told = [render_note(note, "en", key, ["Anna", "Bert", "Cici"]) for notes in ends for note in notes]
    assert not [one for one in told if re.search(r"found|has passed|have passed|can lay|tried", one)]
