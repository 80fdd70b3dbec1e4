"""What the sentences of Tridom and SuperTridom say in single cases."""

from __future__ import annotations

import re

import pytest

from moderator.games.tridom.state import Options
from moderator.match.contract import view_for
from moderator.pages.messages import say, table
from tests.games.tridom_table import GAME, SUPER, context


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)", sentence))


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_variant_has_a_name_and_a_way_to_read_of_its_own(language: str) -> None:
    assert (say("name", language, "tridom"), say("name", language, "supertridom")) == ("Tridom", "SuperTridom")
    assert "132" in table(language, "supertridom")["how-to-2"]
    assert "132" not in table(language, "tridom")["how-to-2"]


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_sentence_is_filled_by_what_the_rules_say(language: str) -> None:
    """In whole matches no note leaves a gap."""
    for game in (GAME, SUPER):
        for seed in range(6):
            ctx = context(seed)
            step = game.setup(2 + seed % 5, Options(target=150), ctx)
            notes = [*step.notes]
            while not step.state.over:
                seat = step.state.to_move[0]
                best = max(game.moves(view_for(step.state, seat), ctx), key=lambda found: found[1])[0]
                step = game.apply(step.state, seat, best, ctx)
                notes += [*step.notes, *step.after]
            for note in notes:
                params = {key: value for key, value in note.params.items() if key != "seats"}
                wanted = placeholders(table(language, game.key)[note.code]) - {"seats"}
                assert wanted <= params.keys(), note.code
                assert "{" not in say(note.code, language, game.key, **params)
