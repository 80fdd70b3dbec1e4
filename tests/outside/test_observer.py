"""The observer: what subject and first line of every mail say is so, and says what its reader must know first."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.outside.line import Line, Program
from tests.outside.observer import SETTINGS, TABLES, Cause, Observer, warm

pytestmark = pytest.mark.slow


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
    observer.play(3)
    assert not observer.false, "\n\n".join(told for _, told in observer.false[:10])
    mails, checked = observer.figures["mails"], observer.figures["claims"]
    assert mails >= 40
    assert checked >= 4 * mails


@pytest.mark.slow
def test_who_is_silent_is_told_of_the_missed_turn_and_of_the_lost_seat(program: Program, tmp_path: Path) -> None:
    line = Line(program, "silence")
    settings = SETTINGS.replace("abandon_after = 3", "abandon_after = 1")
    observer = Observer(line, tmp_path / "club", "silence", settings)
    observer.open("topwords", "Anna Bert Cora", "")
    observer.look({code: Cause("start") for code in observer.matches})
    for _ in range(4):
        line.now += timedelta(days=4)
        observer.look({})
    assert not observer.false, "\n\n".join(told for _, told in observer.false)
    assert observer.said["missed"] == 3
    assert observer.said["out"] == 1
