"""What the sentences of »Wer behält recht?« say in single cases, and its worked mails."""

from __future__ import annotations

from pathlib import Path

import pytest

import moderator.games.typdom as package
from moderator.errors import PlayerError
from moderator.games import load
from moderator.games.typdom.recht import GAME
from moderator.match.contract import Note
from moderator.match.record import parse, replay
from moderator.pages.messages import sentence
from tests.games.test_recht_rules import match, refused, running
from tests.games.typdom_table import tiles

FOLDER = Path(package.__file__ or "").parent
RULES = (FOLDER / "RULES.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    return RULES.split(f"\n# {title}\n", 1)[1].split("\n# ", 1)[0]


def test_the_rules_name_every_key_of_the_public_state() -> None:
    text = section("Records of Wer behält recht?")
    for key in GAME.export(match("AEX", "AB").state.public):
        assert f"`{key}`" in text


def test_the_worked_mails() -> None:
    orders = [
        line[2:] for line in section("Wer behält recht?: five worked mails").splitlines() if line.startswith("> ")
    ]
    assert len(orders) == 5
    record = {
        "record": 1,
        "game": "recht",
        "seats": ["Anna", "Bert"],
        "setup": {"racks": [tiles("AEEIOBDGHKRZ*b"), tiles("AEIOUCDFGLNST")], "stock": tiles("EENN")},
        "lexicon": ["REISE", "STERN", "KLEID", "KLEIN"],
        "moves": [{"seat": seat, "text": text} for seat, text in zip((0, 1, 0, 1, 0), orders, strict=True)],
    }
    report = replay(parse(record, load))
    assert [(move["played"], move["alternative"]) for move in report["moves"]] == [
        ("E an T20 w = REISE", 1),
        ("vorn T = STERN", 1),
        ("weiter hinten *R", 1),
        ("L an T19 s + I an T21 = KLEID", 1),
        ("tausche R an U20; vorn K = KLEIN", 1),
    ]
    completes = next(event for event in report["events"] if event["code"] == "completes")
    text = sentence(Note("completes", completes["params"], seat=1), "de", "recht", ["Anna", "Bert"])
    assert text in RULES.replace("\n", " ")
    running_ = report["public"]["running"]
    assert (running_["word"], running_["letters"], running_["author"]) == ("KLEIN", "KLEI", 0)
    assert "*b" in report["hands"][0]
    assert report["to_move"] == [1]


def test_the_answer_that_the_rules_quote() -> None:
    board = running("E", "T20", "w", "REISE", author=0)
    table_ = match("XXX", "TEE", board=board, starter=1)
    with pytest.raises(PlayerError) as caught:
        table_.turn("T davor")
    text = sentence(Note(caught.value.code, caught.value.params), "de", "recht")
    assert text in RULES.replace("\n", " ")
    assert refused(table_, "weiter X").code == "not-your-letters"
