"""What a program is asked, in all games: what its seat sees, moves that are legal, and nothing that is hidden."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from moderator.bots.order import LISTED, Turn, question
from moderator.games import REGISTRY, load
from moderator.match import rng, table
from moderator.match.contract import Context, view_for
from moderator.match.words import AnyWords
from tests.match.test_turn_data import SCHEMA, WORDS, positions
from tests.schemas.validators import validator
from tests.worlds import looks_alike

PAGE = Path(__file__).parents[2] / "docs" / "bots.md"
FOR_MAILS = {
    "entry": 1,
    "deadline": None,
    "zone": "UTC",
    "language": "de",
    "reply": {"address": "a@b.example", "subject": "Dominos [K7Q2-8J3MZP4QXA]"},
}


def turns(key: str, every: int = 7) -> list[Turn]:
    found = positions(key, 30)[::every]
    return [
        Turn("K7Q2", game, options, state, seat, Context(WORDS, rng.unshuffled))
        for game, options, state, seat, _ in found
    ]


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_the_line_is_a_turn_as_the_page_describes_it(key: str) -> None:
    for turn in turns(key):
        line = question(turn, 5)
        assert b"\n" not in line
        validator("bot").validate(json.loads(line))
        SCHEMA.validate(FOR_MAILS | json.loads(line)["turn"])


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_each_move_that_is_named_can_be_played_and_brings_what_is_said(key: str) -> None:
    for turn in turns(key):
        asked = json.loads(question(turn, 5))
        legal = asked["legal"]
        assert len(legal) <= LISTED
        assert asked["all"] == (len(legal) < LISTED)
        for one in (*legal[:3], *legal[-1:]):
            seen = table.preview(
                turn.game,
                table.Table(turn.state, turn.options.pace, turn.seat),
                turn.seat,
                one["move"],
                turn.context,
            )
            assert [(found.canonical, found.points, found.refused) for found in seen] == [
                (one["move"], one["points"], None)
            ]


@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_two_worlds_that_look_alike_give_the_same_line(key: str) -> None:
    for turn in turns(key):
        if len(turn.state.hands) > 1:
            world = replace(turn, state=looks_alike(turn.state, turn.seat, random.Random(key)))
            assert question(world, 5) == question(turn, 5)


def test_the_page_shows_a_line_that_is_asked() -> None:
    game = load("dominos")
    options, ctx = game.options(), Context(AnyWords(), rng.unshuffled)
    dealt = {"racks": [["64", "61", "00"], ["65", "31"]], "stock": ["22"], "board": ["66"], "starter": 0}
    state = game.setup(2, options, ctx, dealt).state
    assert view_for(state, 0).hand == ("64", "61", "00")
    shown = re.search(r"<!-- the line -->\n```json\n(.*?)\n```\n", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    assert json.loads(shown[1]) == json.loads(question(Turn("K7Q2", game, options, state, 0, ctx), 5))
