"""Another program holds the database for long, from each point of a run on; and several runs at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from moderator.errors import TransientError
from moderator.run import tick as pipeline
from moderator.run.intake import Summary
from moderator.run.watch import receive, watch
from moderator.store import sqlite
from moderator.store.models import Event, Inbox, Outbox
from tests.club.club import Club, make_club, plain_boards
from tests.faults.evening import copied, lost_or_doubled, recover, sqlite_only
from tests.faults.traps import Trap, watching

pytestmark = sqlite_only
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = (2, 12)


# ---- locked ----


class Rival(Trap):
    """Another program that takes the writer's lock at the n-th moment when it is free and a run wants it."""

    def __init__(self, place: Path, when: int) -> None:
        super().__init__()
        self.other = sqlite3.connect(place, isolation_level=None, timeout=0, check_same_thread=False)
        self.when, self.moments, self.held_by_us = when, 0, False

    def begin(self) -> None:
        self._moment()
        self.held_by_us = True

    def database(self, name: str) -> None:
        if not self.held_by_us:  # a mark, which is a transaction by itself
            self._moment()
        if name == "COMMIT":
            self.held_by_us = False

    def _moment(self) -> None:
        self.moments += 1
        if self.moments == self.when:
            self.other.execute("BEGIN IMMEDIATE")


def one_lock(evening: Path, expected: dict[str, Any], folder: Path, when: int) -> bool:
    """A run that finds the database locked from some moment on, then one that does not. False = it has fewer."""
    club = copied(evening, folder)
    with closing(sqlite3.connect(club.folder / "moderator.sqlite")) as there:
        there.execute("PRAGMA journal_mode=WAL")
    rival = Rival(club.folder / "moderator.sqlite", when)
    with closing(rival.other), watching(club.folder, rival):
        try:
            said = club.tick().away
        except TransientError as error:
            said = [str(error)]
    if rival.moments < when:
        return False
    assert all("locked by another program" in line for line in said), said
    assert said, f"nothing was said at moment {when}"
    recover(club)
    assert lost_or_doubled(club, expected) == [], f"locked at moment {when}"
    return True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.02)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("when", SAMPLE)
def test_locked_at_some_moments(evening: Path, expected: dict[str, Any], tmp_path: Path, when: int) -> None:
    assert one_lock(evening, expected, tmp_path / "club", when)


@pytest.mark.matrix("faults")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("stripe", range(1, 4))
def test_locked_at_every_moment(evening: Path, expected: dict[str, Any], tmp_path: Path, stripe: int) -> None:
    when = stripe
    while one_lock(evening, expected, tmp_path / str(when), when):
        when += 3
    assert when > 19


@pytest.mark.slow
def test_a_lock_that_is_given_up_in_time_is_only_waited_for(
    evening: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    club = copied(evening, tmp_path / "club")
    other = sqlite3.connect(club.folder / "moderator.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.5, other.execute, ["ROLLBACK"])
    timer.start()
    summary = club.tick()
    timer.join()
    other.close()
    assert (summary.away, summary.handled) == ([], 3)
    recover(club)
    assert lost_or_doubled(club, expected) == []


# ---- together ----


@contextmanager
def held(point: str, patched: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """The first run that comes to the point waits there: (it has come, it may go on)."""
    come, on = threading.Event(), threading.Event()
    real = getattr(pipeline, point)

    def waits(*arguments: Any, **options: Any) -> Any:
        if not come.is_set():
            come.set()
            assert on.wait(30)
        return real(*arguments, **options)

    patched.setattr(pipeline, point, waits)
    try:
        yield come, on
    finally:
        on.set()


@pytest.mark.matrix("faults")
@pytest.mark.parametrize("point", ["take_in", "file_away", "run_deadlines"])
def test_a_second_run_leaves_quietly_and_a_pipe_only_keeps_its_mail(
    evening: Path, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    club = copied(evening, tmp_path / "club")
    done: list[Summary] = []
    mail = next((club.folder / "mail/in/new").iterdir()).read_bytes()
    with held(point, monkeypatch) as (come, on):
        first = threading.Thread(target=lambda: done.append(club.tick()))
        first.start()
        assert come.wait(30)
        assert club.tick() == Summary()
        beside = receive(club.config, mail)
        assert (beside.taken, beside.handled, beside.sent) == (point == "take_in", 0, 0)
        on.set()
        first.join()
    (summary,) = done
    assert (summary.quarantined, summary.troubles, summary.away) == ([], [], [])
    recover(club)
    assert lost_or_doubled(club, {name: value for name, value in expected.items() if name != "filed"}) == []


def race(evening: Path, expected: dict[str, Any], folder: Path, count: int) -> None:
    """So many processes start at the same moment: one does it all."""
    club = copied(evening, folder)
    command = [sys.executable, "-m", "tests.faults.at_once", str(folder)]
    runs = [
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for run in runs:
        assert run.stdin
        run.stdin.close()
        run.stdin = None
    said = [run.communicate(timeout=60)[0].split() for run in runs]
    assert [run.returncode for run in runs] == [0] * count
    assert sorted(said, reverse=True)[0] == ["3", "3", "7"]
    assert sum(int(words[1]) for words in said) == 3
    recover(club)
    assert lost_or_doubled(club, expected) == []


@pytest.mark.matrix("faults")
def test_five_processes_at_once(evening: Path, expected: dict[str, Any], tmp_path: Path) -> None:
    race(evening, expected, tmp_path / "club", 5)


@pytest.mark.slow
@pytest.mark.machine_clock
def test_watch_and_pipes_and_ticks_beside_each_other(tmp_path: Path) -> None:
    """Everybody at once, by the machine's own clock."""
    club = make_club(tmp_path / "club")
    club.now = datetime.now(UTC)
    club.players("Anna", "Bert")
    plain_boards(club)
    code = club.match("Anna", "Bert")
    order = club.order("Anna", code, 0, "passe")
    mails = [club.order("Bert", code, 1, f"HILFE\n\n-- \n{number}") for number in range(6)]
    for path in list((club.folder / "mail/in/new").iterdir())[:3]:
        path.unlink()
    wrong: list[str] = []

    def beside(*given: bytes) -> None:
        for mail in given:
            for summary in (receive(club.config, mail), pipeline.tick(club.config)):
                wrong.extend(summary.quarantined + summary.troubles + summary.away)

    def watching_it() -> None:
        for summary in watch(club.config, 2):
            wrong.extend(summary.quarantined + summary.troubles + summary.away)

    threads = [threading.Thread(target=watching_it)]
    threads += [threading.Thread(target=beside, args=mails[first::2]) for first in (0, 1)]
    threads.append(threading.Thread(target=beside, args=(order, *mails[:2])))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pipeline.tick(club.config)
    assert wrong == []
    assert_once(club, len(mails))


def assert_once(club: Club, helps: int) -> None:
    with club.desk() as desk:
        assert desk.session.exec(select(Event.kind, Event.text)).all() == [("move", "passe")]
        assert list(desk.session.exec(select(Inbox.state))) == ["done"] * (1 + helps)
        rows = desk.session.exec(select(Outbox)).all()
    assert {row.state for row in rows} == {"sent"}
    assert sum(row.kind == "help" for row in rows) == helps
