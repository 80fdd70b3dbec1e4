"""What the sentences of Presto say in single cases, and its worked mails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import moderator.games.typdom as package
from moderator.games import load
from moderator.games.typdom.presto import GAME
from moderator.match.contract import Note, view_for
from moderator.match.orders import read_lines
from moderator.match.record import parse, replay
from moderator.pages.messages import sentence
from tests.games.presto_table import Match
from tests.games.typdom_table import tiles
from tests.mail.new_text import new_text

FOLDER = Path(package.__file__ or "").parent
RULES = (FOLDER / "RULES.md").read_text(encoding="utf-8")


def mails() -> list[str]:
    """The worked mails: each quotation is one."""
    text = RULES.split("# Presto: five worked mails\n", 1)[1].split("\n# ", 1)[0]
    found = [[]]  # type: list[list[str]]
    for line in text.splitlines():
        if line.startswith("> "):
            found[-1].append(line[2:])
        elif found[-1]:
            found.append([])
    return ["\n".join(mail) for mail in found if mail]


WORDS = "EXAMEN LAGE NACHT WINTER ROSEN IGEL TISCH TRAUM HUND"
RACKS = ["AAEEECGHLMNTX", "EEIO*rGLNNRSTW", "AAEEUBDFKMPRV", "AEIUUCDHMNRST", "AB", "AB"]


def test_the_worked_mails() -> None:
    assert [sorted(tiles(rack)) for rack in RACKS[:4]] == [
        sorted(hand) for hand in named_racks(RULES.split("# Presto: five worked mails\n", 1)[1])
    ]
    texts = mails()
    assert len(texts) == 5
    values = {
        "record": 1,
        "game": "presto",
        "options": {},
        "seats": list("ABCDEF"),
        "setup": {"racks": [tiles(rack) for rack in RACKS]},
        "lexicon": WORDS.split(),
        "moves": [{"seat": seat, "text": text} for seat, text in zip([1, 0, 2, 3, 1], texts, strict=True)],
    }
    report = replay(parse(values, load))
    assert [(move["played"], move["points"]) for move in report["moves"]] == [
        (None, 0),
        ("fertig", 4),
        ("passe", 0),
        (None, 0),
        ("fertig", 2),
    ]
    first, fourth = (report["moves"][n]["refused"][0]["params"]["faults"] for n in (0, 3))
    assert [(one["code"], one.get("word"), one.get("column")) for one in first[:-1]] == [("fault-down", "NGEL", "C")]
    assert fourth == [{"code": "fault-left", "tiles": ["E"]}]
    assert [event["params"]["move"] for event in report["events"] if event["code"] == "layout"] == [
        "Gitter (..L / EXAMEN / ..G..A / ..E..C / .....H / .....T)",
        "Gitter (WINTER / .G...O / .*E...S / .L...E / .....N)",
    ]
    assert report["over"]


def named_racks(text: str) -> list[list[str]]:
    """»Anna holds A A E … and the red jolly, …«."""
    told = re.split(r"\b(?:Anna holds|Bert|Cora|Dora)\b", text.split("The mails arrive")[0])[1:]
    return [re.findall(r"\b[A-Z]\b", part) + ["*r"] * ("red jolly" in part) for part in told]


def test_the_worked_mails_are_read_by_the_reader_of_mails_as_well() -> None:
    game = Match(*RACKS, known="")
    for text in mails():
        lines, _ = new_text(f"Hallo!\n\n{text}\n\nGruß")
        found = read_lines(lines, lambda line: GAME.parse(line, view_for(game.state, 0)), GAME.format, GAME.style)
        assert len(found.orders) == 1


@pytest.mark.parametrize("part", ["Spalte C: NGEL", "Übrig sind noch: E."])
def test_answers_are_worded_as_the_rules_say(part: str) -> None:
    fault = {"code": "fault-left", "tiles": ["E"]}
    if "NGEL" in part:
        fault = {"code": "fault-down", "word": "NGEL", "column": "C", "reason": "unknown"}  # type: ignore[dict-item]
    said = sentence(Note("not-right", {"faults": [fault]}), "de", "presto")
    assert part in said
    assert said in RULES.replace("\n", " ")
