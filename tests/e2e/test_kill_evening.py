"""SIGKILL at every other step of a tick on a busy evening (evening.py), from and to Maildir folders: after another tick
all is as on the undisturbed evening, to the last row and mail. It also dies inside transactions, after a quarter of the
writing statements.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.club.club import Club
from tests.e2e.dying import LEASE_ENDS, points
from tests.e2e.evening import Evening, differences, faults, picture
from tests.e2e.kill_steps import RECORDED
from tests.e2e.killer import Killer, Request

STRIPES = 1
SAMPLE = 3
EVERY = 60
"""Of the writing statements, one of so many is tried."""


@dataclass
class Undisturbed:
    """The evening, and what comes of it when nothing dies."""

    evening: Evening
    killer: Killer
    picture: dict[str, Any]
    steps: list[str]
    """With each writing statement."""
    plain: int
    """How many they are without."""

    def request(self, club: Club, log: Path, later: int = 0, **options: Any) -> Request:
        at = self.evening.at + timedelta(seconds=later)
        return Request(str(club.config.file), str(log), at=at.isoformat(), **options)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, evening: Evening, killer: Killer) -> Undisturbed:
    folder = tmp_path_factory.mktemp("undisturbed")
    club, made = evening.copy(folder / "club"), Undisturbed(evening, killer, {}, [], 0)
    assert not killer.run(made.request(club, folder / "steps", statements=True))
    made.steps = [step for step in (folder / "steps").read_text().splitlines() if step != RECORDED]
    made.plain = sum(not STATEMENT.match(step) for step in made.steps)
    killer.run(made.request(club, folder / "after", LEASE_ENDS))
    made.picture = picture(club)
    assert faults(club) == []
    return made


STATEMENT = re.compile("after (INSERT|UPDATE|DELETE)")


@pytest.mark.slow
@pytest.mark.parametrize("stripe", range(STRIPES))
def test_an_evening_on_which_the_tick_dies(stripe: int, tmp_path: Path, undisturbed: Undisturbed) -> None:
    assert undisturbed.plain >= 150
    for fatal in points(undisturbed.plain, stripe, STRIPES, SAMPLE, every=2):
        dies(undisturbed, tmp_path / str(fatal), fatal)


@pytest.mark.slow
@pytest.mark.parametrize("stripe", range(STRIPES))
def test_an_evening_on_which_the_tick_dies_inside_a_transaction(
    stripe: int, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    statements = [number for number, step in enumerate(undisturbed.steps, 1) if STATEMENT.match(step)]
    assert len(statements) >= 80
    for fatal in statements[3::EVERY][stripe::STRIPES]:
        dies(undisturbed, tmp_path / str(fatal), fatal, statements=True)


def dies(undisturbed: Undisturbed, folder: Path, fatal: int, statements: bool = False) -> None:
    """A copy of the club, a tick that dies, one that goes on, and one when the leases of mails under way are over."""
    folder.mkdir()
    club, killer = undisturbed.evening.copy(folder / "club"), undisturbed.killer
    log, recovery = folder / "steps", folder / "recovery"
    assert killer.run(undisturbed.request(club, log, fatal=fatal, statements=statements))
    for later in (0, LEASE_ENDS):
        killer.run(undisturbed.request(club, recovery, later))
    died = f"died at step {fatal}, {log.read_text().splitlines()[-1]}"
    assert faults(club) == [], died
    assert differences(undisturbed.picture, picture(club)) == [], died
    shutil.rmtree(folder)
