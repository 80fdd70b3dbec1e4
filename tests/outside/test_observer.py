"""The observer: what subject and first line of every mail say is so, and says what its reader must know first."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.outside import claims
from tests.outside.line import Entry, Letter, Line, Program, Seen
from tests.outside.observer import SETTINGS, TABLES, Cause, Observer, warm
from tests.outside.told import TRUE, Reading, Step, wrong

HERE = Path(__file__).parent
ALLOWED = {"pytest", "tests"}


def false(observer: Observer) -> list[str]:
    return [told for _, told in observer.false]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """It has played a little."""
    program = Program()
    try:
        warm(Line(program, "observer"), tmp_path_factory.mktemp("warm") / "club", TABLES[:2])
        yield program
    finally:
        program.close()


def test_every_mail_is_true(program: Program, tmp_path: Path) -> None:
    observer = Observer(Line(program, "observer"), tmp_path / "club", "observer")
    observer.play(3, TABLES[:7])
    assert not observer.false, "\n\n".join(false(observer)[:10])
    mails, checked = observer.figures["mails"], observer.figures["claims"]
    assert mails >= 40
    assert checked >= 4 * mails


@pytest.mark.slow
def test_who_is_silent_is_told_of_the_missed_turn_and_of_the_lost_seat(program: Program, tmp_path: Path) -> None:
    """Anna, Bert and Cora are silent until the first of them is out."""
    line = Line(program, "silence")
    settings = SETTINGS.replace("abandon_after = 3", "abandon_after = 1")
    observer = Observer(line, tmp_path / "club", "silence", settings)
    observer.open("topwords", "Anna Bert Cora", "")
    observer.look({code: Cause("start") for code in observer.matches})
    for _ in range(4):
        line.now += timedelta(days=4)
        observer.look({})
    assert not observer.false, "\n\n".join(false(observer))
    assert observer.said["missed"] == 3
    assert observer.said["out"] == 1


def test_nothing_here_knows_the_code() -> None:
    for file in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names | ALLOWED, (file.name, name)
                helper = name.startswith(("tests.outside", "tests.policies"))
                assert helper or not name.startswith("tests"), (file.name, name)


def test_every_claim_has_a_meaning() -> None:
    known = {claim for *_, made in claims.SENTENCES for claim in made.split()}
    assert known | {"round"} == set(TRUE)


ANNA = Letter("Anna", "K7Q2", "{}: Topwords „Arratia“, Runde 1", "{}", "", "", "<1@home>")
ASKED = Seen(1, {"Anna": "missing"}, {}, None, (), running=True)
PASSED_ON = Seen(1, {"Bert": "missing"}, {}, None, (Entry(1, "move", "Anna passe +0"),), running=True)
STILL = Seen(1, {"Anna": "missing"}, {}, None, (Entry(1, "tried", "Anna A1 w HAUS"),), running=True)
OVER = Seen(1, {}, {}, None, (Entry(1, "move", "Anna passe +0"),), running=False)


@pytest.mark.parametrize(
    ("after", "right"),
    [(PASSED_ON, "dein Zug zählt"), (STILL, "dein Zug zählt NICHT"), (OVER, "die Partie ist zu Ende")],
    ids=["played", "refused", "over"],
)
def test_each_other_sentence_would_be_false(after: Seen, right: str) -> None:
    """Of an answer to an order: the right sentence passes, and any that claims something else is found."""
    said = ["dein Zug zählt", "dein Zug zählt NICHT", "die Partie ist zu Ende", "du bist am Zug", "Bert am Zug"]
    said += ["dein Zug zählt, du bist wieder am Zug", "dein Zug zählt, sobald du dran bist", "so steht es", "los"]
    step = Step("sequential", ASKED, after, "order", "Anna")

    def faults(sentence: str) -> list[str]:
        letter = replace(ANNA, subject=ANNA.subject.format(sentence), first=f"{sentence[0].upper()}{sentence[1:]}.")
        return wrong(Reading(step, letter, answer=True))[0]

    assert not [sentence for sentence in said if bool(faults(sentence)) == (sentence == right)]
