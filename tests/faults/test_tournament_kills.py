"""A run that dies before or after any commit that touches a tournament: the next one goes on, and nothing is repeated
or lost.

Each day of an undisturbed tournament is kept. Then every transaction of that day that wrote to the tables of
tournaments is the one at which the run dies, once before and once after its commit; after one more run all is as on
the undisturbed evening.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator.config import load
from moderator.play.tournaments import challenges
from moderator.store.models import Tournament
from tests.club.club import Club, make_club, plain_boards
from tests.club.tournament_club import Table, at, differences, enter, fixed, found, picture, tournament_of, withdraw
from tests.faults.injector import Died, Plan, die, watching

pytestmark = pytest.mark.sqlite
NAMES = ("Anna", "R2a", "R2b", "Bert", "R2c")
COMMITS = 34
"""Of each format's tournament so many, at most, write to the tables of tournaments."""
FORMATS: dict[str, dict[str, Any]] = {
    "robin": {"round_days": 6},
    "swiss": {"rounds": 3, "round_days": 6},
    "knockout": {"legs": 1, "round_days": 6},
    "tables": {"seats": 3, "at_once": False, "rounds": 2, "round_days": 6},
    "league": {"division": 3, "again_days": 2, "round_days": 6},
    "ladder": {"round_days": 6, "answer_days": 2},
}


class Commits(Plan):
    """Counts the commits of transactions that write to tournaments. Dies before one, or ``after`` it: at whatever comes
    next."""

    touched = after = done = False

    def step(self, name: str) -> None:
        if self.done:
            raise Died
        if name == "BEGIN":
            self.touched = False
        self.touched |= "tournament" in name
        if name == "COMMIT" and self.touched:
            super().step(name)
            self.done = self.after and self.sprung


@dataclass
class Day:
    """A day of the undisturbed run: the club before its machine ran, and what it was like afterwards."""

    folder: Path
    now: datetime
    commits: int
    evening: dict[str, Any] = field(repr=False)
    letters: int


def run_of(club: Club, format: str, folder: Path, happenings: dict[int, Callable[[], None]]) -> list[Day]:
    """Play a tournament to its end; the days on which something was written about it."""
    table, days = Table(club), list[Day]()
    for number in range(60):
        if over(club, format, number):
            return days
        happenings.get(number, lambda: None)()
        club.wait(days=1)
        table.answer()
        before = folder / f"day{number}"
        shutil.copytree(club.folder, before)
        with watching(club.folder, Commits()) as plan:
            summary = club.tick()
        assert not summary.quarantined
        assert not summary.troubles
        if plan.names:
            days.append(Day(before, club.now, len(plan.names), picture(club), letters(club)))
    raise AssertionError("the tournament does not end")


def over(club: Club, format: str, day: int) -> bool:
    if format == "ladder":
        return day > 12
    if format == "league":
        with club.desk() as desk:
            return desk.session.get(Tournament, 2) is not None and desk.session.get_one(Tournament, 2).round > 0
    return tournament_of(club).status == "finished"


def letters(club: Club) -> int:
    return len(list((club.config.path(club.config.maildir.outbox) / "new").glob("*")))


def happenings_of(club: Club, format: str) -> dict[int, Callable[[], None]]:
    """What people do besides playing."""
    if format == "ladder":

        def challenged(one: int, other: int) -> None:
            with at(club, "T1") as (desk, tournament):
                challenges.challenge(desk, tournament, one, other)

        def accepted() -> None:
            with at(club, "T1") as (desk, tournament):
                challenges.accept(desk, tournament, 1)

        return {3: lambda: challenged(3, 1), 4: accepted, 5: lambda: challenged(5, 4)}

    def leaves() -> None:
        withdraw(club, "T1", "R2c")

    def joins() -> None:
        enter(club, "T1", "Cici")

    return {4: leaves, 5: joins} if format == "swiss" else {4: leaves}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Day]]:
    """The days of a tournament of each format, undisturbed."""

    def play(format: str) -> list[Day]:
        folder = tmp_path_factory.mktemp(format)
        club = make_club(folder / "club")
        club.players(*NAMES, "Cici")
        plain_boards(club)
        with pytest.MonkeyPatch.context() as patched:
            fixed(patched)
            found(club, format, NAMES, days=2, seeding="order", warn_days=2, terms={"days": 3}, **FORMATS[format])
            days = run_of(club, format, folder, happenings_of(club, format))
        count = sum(day.commits for day in days)
        assert count <= COMMITS, f"there are {count} commits, COMMITS says {COMMITS}: set it"
        return days

    return cache(play)


@pytest.mark.matrix("tournament kills", seconds=1.5)
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("format", "number"), [(each, n) for each in FORMATS for n in range(1, COMMITS + 1)])
def test_a_run_that_dies_at_a_commit_is_continued(
    format: str,
    number: int,
    after: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    played: Callable[[str], list[Day]],
) -> None:
    days = played(format)
    for day in days:
        if number <= day.commits:
            break
        number -= day.commits
    else:
        pytest.skip(f"there are {sum(day.commits for day in days)} commits")
    fixed(monkeypatch)
    restored = Club(tmp_path / "club", load(shutil.copytree(day.folder, tmp_path / "club") / "moderator.toml"), day.now)
    plan = Commits(number, (lambda name: None) if after else die)
    plan.after = after
    with watching(restored.folder, plan), suppress(Died):
        restored.tick()
    assert plan.sprung
    restored.tick()
    where = f"{day.now:%d.%m.}, commit {number}"
    assert not differences(day.evening, picture(restored)), (where, differences(day.evening, picture(restored))[:4])
    assert letters(restored) == day.letters, where
