"""A position that is written down, for whomever, is read as the same one, as far as that audience sees it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from moderator.conformance.subject import SampleMatch
from moderator.games import OWN, load_game
from moderator.rules.codec import Audience, PositionCodec
from moderator.rules.game import State
from moderator.rules.position import Diagram
from tests.games.matches import TABLES, a_match

SHOWN = ("fresh", "runs")
"""Of the public state what only pictures show."""


def stripped(state: State[Any]) -> State[Any]:
    """The state without what no diagram has: the rounds before, and what only pictures and reports of them show."""
    shown = {key: type(value)() for key in SHOWN if (value := getattr(state.public, key, None)) is not None}
    if isinstance(getattr(state.public, "last", None), tuple):
        shown["last"] = ()
    return replace(state, public=replace(state.public, **shown), past=())


def again(
    codec: PositionCodec[Any], state: State[Any], match: SampleMatch, audience: Audience
) -> tuple[Any, State[Any]]:
    values = json.loads(json.dumps(codec.encode(state, audience)))
    given = Diagram(values, state.seats) if audience is Audience.DIAGRAM else {"round": state.public.round, **values}
    read = codec.decode(given, match.options, state.seats, audience, match.ctx)
    if isinstance(given, Diagram):
        given.finish()
    return values, read


@pytest.mark.slow
@pytest.mark.parametrize(("key", "pace"), [one for one in TABLES if one[0] in OWN])
@pytest.mark.parametrize("audience", Audience)
def test_what_is_written_down_is_read_again(key: str, pace: str, audience: Audience) -> None:
    game: Any = load_game(key)
    codec, seen = game.position, 0
    for seed in (1, 2, 3):
        match = a_match(key, pace, seed)
        for state in match.states:
            if state.over and audience is Audience.DIAGRAM:
                continue
            values, read = again(codec, state, match, audience)
            assert json.loads(json.dumps(codec.encode(read, audience))) == values
            if audience is Audience.DIAGRAM:
                assert stripped(read) == stripped(state)
            seen += 1
    assert seen >= 3
