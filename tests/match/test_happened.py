"""What happens to a match besides moves: each kind of value is made by the referee, told in both languages and kept,
and what it says is what the game's own sums say."""

from __future__ import annotations

import typing
from dataclasses import replace

import pytest

from moderator.match import happened
from moderator.match.contract import Pace
from moderator.match.happened import (
    Happened,
    PlayStopped,
    RoundEnded,
    SeatEliminated,
    SeatLost,
    SeatTaken,
    TurnMissed,
    from_json,
    of_result,
    to_json,
)
from moderator.outbox.tell import Said
from moderator.outbox.tell import from_json as said_from_json
from moderator.outbox.tell import to_json as said_to_json
from moderator.pages.aftermath import rounds_over
from moderator.pages.head import head
from moderator.pages.messages import known, sentence
from moderator.paths import LANGUAGES
from moderator.states import MailKind, SeatLoss
from tests.pages.match_pages import played
from tests.pages.sample_pages import match, turn

EVERY: tuple[Happened, ...] = (
    RoundEnded(3),
    TurnMissed(1, tried=False),
    TurnMissed(1, tried=True),
    *(SeatLost(1, "Bert", why) for why in SeatLoss),
    SeatEliminated(1),
    SeatTaken(1, "Bert", "Cora"),
    PlayStopped(),
)
PACES: tuple[Pace, ...] = typing.get_args(Pace)
GAMES = ("tridom", "dominos", "domijongg", "kreuzwort", "point", "presto", "recht")


def test_every_kind_is_here() -> None:
    assert {type(one) for one in EVERY} == set(typing.get_args(Happened))


@pytest.mark.parametrize("one", EVERY, ids=repr)
def test_it_is_kept_as_it_is(one: Happened) -> None:
    assert from_json(to_json(one)) == one
    said = Said(happened=(one,))
    assert said_from_json(said_to_json(said)) == said


@pytest.mark.parametrize(("one", "language"), [(one, language) for one in EVERY for language in LANGUAGES], ids=repr)
def test_it_is_told_once(one: Happened, language: str) -> None:
    """By a sentence of its own, or in the head, or with the move that did not come; and whoever is named is."""
    said = happened.note(one)
    headed = rounds_over(turn(language, happened=(one,)))
    with_the_move = isinstance(one, TurnMissed | SeatEliminated)
    assert [said is not None, bool(headed), with_the_move].count(True) == 1
    if said is None:
        return
    assert known(said.code, language)
    text = sentence(said, language)
    assert "{" not in text
    assert ("Bert" in text) == isinstance(one, SeatLost | SeatTaken)
    assert ("Cora" in text) == isinstance(one, SeatTaken)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_pair_in_every_pace_is_headed_by_its_rounds_and_nothing_else(language: str) -> None:
    over = {"de": "Runde 3 ist zu Ende.", "en": "Round 3 is over.", "fr": "Manche 3 terminée."}[language]
    for pace in PACES:
        for first in EVERY:
            for second in EVERY:
                page = turn(language, happened=(first, second), match=match(language, pace=pace))
                ended = [first, second].count(RoundEnded(3))
                assert head(page).lines.count(over) == ended, (pace, first, second)
                plain = head(replace(page, happened=())).lines
                assert [line for line in head(page).lines if line != over] == list(plain), (pace, first, second)
    assert over not in head(turn(language, kind=MailKind.END, happened=(RoundEnded(3),))).lines


@pytest.mark.parametrize("key", GAMES)
def test_the_rounds_that_end_are_those_of_the_games_own_sums(key: str) -> None:
    one, told = played(key), []
    for moment in one.moments:
        ended = happened.rounds_ended(of_result(one.game, moment.before, moment.after, moment.result))
        sums = {note.params.get("round") for note in moment.result.notes if note.code == "sum-total"} - {None}
        assert sums <= set(ended), (key, sums, ended)
        told += ended
    assert told == list(range(1, one.moments[-1].after.state.public.round + 1))


@pytest.mark.parametrize("key", ["topwords", *GAMES])
def test_a_turn_is_missed_where_nothing_was_played(key: str) -> None:
    one = played(key)
    for moment in one.moments:
        missed = {
            each.seat
            for each in of_result(one.game, moment.before, moment.after, moment.result)
            if isinstance(each, TurnMissed)
        }
        assert missed == {move.seat for move in moment.result.moves if not move.alternative}
        assert of_result(one.game, replace(moment.before, out=tuple(missed)), moment.after, moment.result) == tuple(
            each
            for each in of_result(one.game, moment.before, moment.after, moment.result)
            if not isinstance(each, TurnMissed)
        )
        assert of_result(one.game, moment.before, moment.before, moment.result) == ()


def test_who_is_out_by_the_rules_is_so_from_the_position_on() -> None:
    """In the script of »Wer behält recht?« somebody cannot complete an announcement."""
    one, out = played("recht"), []
    for moment in one.moments:
        told = of_result(one.game, moment.before, moment.after, moment.result)
        found = {each.seat for each in told if isinstance(each, SeatEliminated)}
        now = set(moment.after.state.public.gone) - set(moment.before.state.public.gone)
        if not any(isinstance(each, RoundEnded) for each in told):
            assert found == now
        out += found
    assert out
