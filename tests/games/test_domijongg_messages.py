"""What the sentences of Domi Jongg say in single cases, and its worked mails."""

from __future__ import annotations

from pathlib import Path

import pytest

import moderator.games.domijongg as package
from moderator.errors import Illegal
from moderator.games.domijongg.rules import GAME
from moderator.match import orders
from moderator.match.contract import Note
from moderator.pages.messages import known, say, sentence
from tests.games.domijongg_table import context, match, play, table

FOLDER = Path(package.__file__ or "").parent
RULES = (FOLDER / "RULES.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["de", "en"])
def test_notes_fill_their_sentences(language: str) -> None:
    names = ["Anna", "Bert", "Carla"]
    steps = [*match(3, 3), play(table("B3 B4 B5", "DW", stock=[], start_count=2), "2: B3, B4, B5")]
    steps += [GAME.miss(table("B3", "B9", board=["B5"]), 0, context())]
    for step in steps:
        for note in (*step.notes, *step.after):
            text = sentence(note, language, "domijongg", names)
            assert "{" not in text
            assert known(note.code, language, "domijongg")
    text = sentence(Note("series-won", {"seats": [0, 2], "points": 7}), language, "domijongg", names)
    assert "Anna, Carla" in text


@pytest.mark.parametrize(("lying", "text"), [("K3", "1: DW"), ("E", "1: B3"), ("DR", "1: F2"), ("F4", "1: J1")])
def test_a_tile_that_does_not_fit_is_told_what_would(lying: str, text: str) -> None:
    board = ["N", f"1: {lying}"] if lying == "F4" else [lying]
    with pytest.raises(Illegal) as raised:
        play(table("DW B3 F2 J1 K4 E N B4", "DW", board=board), text)
    for language, word in (("de", "passt nicht an"), ("en", "does not fit at")):
        told = say(raised.value.code, language, "domijongg", **raised.value.params)
        assert f"{word} {lying} (" in told
        assert raised.value.params["reason"] not in told
        assert "{" not in told


def test_the_worked_mails_of_the_rules() -> None:
    """They are the example game: each order must be played as the page says."""
    mails = [line[2:] for line in RULES.splitlines() if line.startswith("> ")]
    racks = ["J3 K9 W B5 B7", "B3 T3 E T2 N", "S W DW W F1"]
    wall = ["DR", "F2", "B3", "T3", "T3", "B1", "B2", "B4", "K1", "K2"]
    state = table(*racks, stock=wall, starter=1)
    played, refused = [], []
    for mail in mails:
        for alternative in orders.split(mail, GAME.style):
            try:
                step = play(state, alternative.text)
            except Illegal as error:
                refused.append(error.code)
            else:
                played.append((GAME.format(step.played), step.points))
                state = step.state
                break
    assert refused == ["does-not-fit", "scores-less"]
    assert played == [("2: B3", 0), ("1: J3", 0), ("1: T3+E, T2; 3: N, DR", 2), ("1: F2", 0), ("2: B3", 1)]
    assert state.scores == (1, 2, -1)
