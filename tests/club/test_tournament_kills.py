"""A run that dies before or after any commit that touches a tournament: the next one goes on, and nothing is repeated
or lost.

Each day of an undisturbed tournament is kept. Then every transaction of that day that wrote to the tables of
tournaments is the one at which the run dies, once before and once after its commit; after one more run all is as on
the undisturbed evening.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import ORMExecuteState
from sqlmodel import Session

from moderator.store.db import Store
from moderator.store.models import Tournament, TournamentEntry, TournamentGame, TournamentStep
from tests.club.club import Club, make_club, plain_boards
from tests.club.tournament_club import (
    Table,
    at,
    differences,
    enter,
    fixed,
    found,
    picture,
    tournament_of,
    withdraw,
)

NAMES = ("Anna", "R2a", "R2b", "Bert", "R2c")
TABLES = (Tournament, TournamentEntry, TournamentGame, TournamentStep)
FORMATS: dict[str, dict[str, Any]] = {
    "robin": {"round_days": 6},
    "swiss": {"rounds": 3, "round_days": 6},
    "knockout": {"legs": 1, "round_days": 6},
    "tables": {"seats": 3, "at_once": False, "rounds": 2, "round_days": 6},
    "league": {"division": 3, "again_days": 2, "round_days": 6},
    "ladder": {"round_days": 6, "answer_days": 2},
}


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Deaths:
    """Counts the transactions that write to tournaments, and dies at one of them."""

    fatal: int = 0
    after: bool = False
    count: int = 0
    armed: bool = False

    def passed(self, after: bool) -> None:
        if not self.armed:
            return
        self.count += not after
        if self.count == self.fatal and after == self.after:
            raise Killed


@pytest.fixture
def deaths(monkeypatch: pytest.MonkeyPatch) -> Iterator[Deaths]:
    made = Deaths()
    real = Store.transaction

    @contextmanager
    def transaction(self: Store) -> Iterator[Session]:
        touched = False
        with real(self) as session:
            yield session
            session.flush()
            touched = bool(session.info.get("tournament"))
            if touched:
                made.passed(after=False)
        if touched:
            made.passed(after=True)

    def mark(session: Session, _context: Any) -> None:
        written = (*session.new, *session.dirty, *session.deleted)
        if any(isinstance(row, TABLES) for row in written):
            session.info["tournament"] = True

    def mark_at_once(asked: ORMExecuteState) -> None:
        mapper = asked.bind_mapper
        if (asked.is_update or asked.is_delete) and mapper is not None and mapper.class_ in TABLES:
            asked.session.info["tournament"] = True

    monkeypatch.setattr(Store, "transaction", transaction)
    listeners = (("after_flush", mark), ("do_orm_execute", mark_at_once))
    for name, listener in listeners:
        event.listen(Session, name, listener)
    yield made
    for name, listener in listeners:
        event.remove(Session, name, listener)


@dataclass
class Day:
    """A day of the undisturbed run: the club before its machine ran, and what it was like afterwards."""

    folder: Path
    now: datetime
    commits: int
    evening: dict[str, Any] = field(repr=False)
    letters: int


def run_of(
    club: Club, format: str, folder: Path, deaths: Deaths, happenings: dict[int, Callable[[], None]]
) -> list[Day]:
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
        deaths.count, deaths.armed = 0, True
        summary = club.tick()
        deaths.armed = False
        assert not summary.quarantined
        assert not summary.troubles
        if deaths.count:
            days.append(Day(before, club.now, deaths.count, picture(club), letters(club)))
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
        from moderator.play.tournaments import challenges

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


@pytest.mark.matrix("club")
@pytest.mark.parametrize("format", FORMATS)
def test_a_run_that_dies_anywhere_is_continued(
    format: str, tmp_path: Path, deaths: Deaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    fixed(monkeypatch)
    club = make_club(tmp_path / "club")
    club.players(*NAMES, "Cici")
    plain_boards(club)
    found(club, format, NAMES, days=2, seeding="order", warn_days=2, terms={"days": 3}, **FORMATS[format])
    days = run_of(club, format, tmp_path, deaths, happenings_of(club, format))
    points = [(day, number, after) for day in days for number in range(1, day.commits + 1) for after in (False, True)]
    assert len(points) >= 20
    for day, number, after in sample(points):
        restored = Club(club.folder, club.config, day.now)
        shutil.rmtree(club.folder)
        shutil.copytree(day.folder, club.folder)
        deaths.count, deaths.fatal, deaths.after, deaths.armed = 0, number, after, True
        with pytest.raises(Killed):
            restored.tick()
        deaths.armed = False
        restored.tick()
        where = f"{format}, {day.now:%d.%m.}, commit {number}, died {'after' if after else 'before'} it"
        assert not differences(day.evening, picture(restored)), (where, differences(day.evening, picture(restored))[:4])
        assert letters(restored) == day.letters, where


def sample(points: Sequence[Any]) -> Sequence[Any]:
    """All in a slow run, else a few."""
    return points if os.environ.get("MODERATOR_SLOW") == "1" else points[3 :: len(points) // 5]
