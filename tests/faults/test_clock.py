"""The clock jumps forward and back by a day, between runs and in the middle of one: nobody is late because of that."""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from sqlmodel import col, select

from moderator.backup.integrity import CheckedCounts, iter_integrity_faults
from moderator.run import tick as pipeline
from moderator.run.log import RunSummary
from moderator.service.players import wanted_mails
from moderator.store import due_work, outbox
from moderator.store.database import open_reading_session
from moderator.store.tables import EventRow, MatchRow, OutboxRow, PlayerRow
from tests.club.club import START, Club, club_of, copied
from tests.club.steps import run, run_well
from tests.faults.injector import Plan

pytestmark = pytest.mark.sqlite
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
TIMES = 20
"""So often a run asks for the time, at most."""
MINUTES = timedelta(minutes=5)
EVENING = START + timedelta(days=7, hours=-2)
"""Nine hours before Cici's ZAT."""


@dataclass
class Machine:
    """A clock that can be wrong, and the real time. Each time that a run asks for it is a step of the plan."""

    real: datetime = EVENING
    wrong: timedelta = timedelta()
    plan: Plan = field(default_factory=Plan)
    lasting: bool = True
    """A jump of the plan is over when the run ends, not at the next time that it asks."""

    def now(self) -> datetime:
        if self.plan.sprung and not self.lasting:
            self.wrong = timedelta()
        self.plan.step("clock")
        return self.real + self.wrong

    def jump(self, days: int) -> None:
        self.wrong = timedelta(days=days)

    def patch(self, patched: pytest.MonkeyPatch) -> None:
        patched.setattr(due_work, "_get_wall_seconds", lambda: (self.real + self.wrong).timestamp())
        patched.setattr(due_work, "_read_boot_seconds", lambda: (self.real - START).total_seconds() + 1e6)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """Cici has nine hours left in one match; in another one it is Anna's turn; Bert wants daily mails."""
    club = club_of(tmp_path_factory.mktemp("model") / "club", "Anna", "Bert", "Cici")
    club.match("Cici", "Anna")
    club.tick()
    club.wait(seconds=(EVENING - 6 * HOUR - club.now).total_seconds())
    club.match("Anna", "Bert")
    club.tick()
    with club.work() as work:
        bert = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Bert")).one()
        wanted_mails.switch_digest(work, bert, True)
    club.now = EVENING
    return club


@dataclass
class Hall:
    club: Club
    machine: Machine

    def tick(self, later: timedelta = MINUTES) -> RunSummary:
        self.machine.real += later
        self.club.now = self.machine.real + self.machine.wrong
        summary = pipeline.run_tick(self.club.config, self.machine.now)
        assert summary.quarantined == []
        return summary

    def days(self, span: timedelta) -> None:
        end = self.machine.real + span
        while self.machine.real < end:
            self.tick(min(8 * HOUR, end - self.machine.real))

    def kinds(self) -> list[tuple[str, str]]:
        """(match, kind) of all moves and misses, in the order of the matches."""
        query = select(MatchRow.id, EventRow.kind).join(EventRow, col(EventRow.match_id) == col(MatchRow.id))
        found = self.club.stored(query.order_by(col(EventRow.id)))
        return sorted((str(number), kind) for number, kind in found if kind in ("move", "miss"))

    def mails(self) -> Counter[tuple[str, str]]:
        return Counter(self.club.stored(select(OutboxRow.kind, OutboxRow.state)))

    def code(self, number: int) -> str:
        with self.club.work() as work:
            return work.session.get_one(MatchRow, number).code


@pytest.fixture
def hall(model: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hall:
    club = copied(model, tmp_path / "club")
    machine = Machine()
    machine.patch(monkeypatch)
    made = Hall(club, machine)
    made.tick()  # the last one with a good clock
    club.order("Anna", made.code(2), 0, "passe")
    return made


def assert_sound(hall: Hall) -> None:
    """The order counted once, all mails are out, and the logs replay."""
    assert hall.kinds().count(("2", "move")) == 1
    assert {state for _, state in hall.mails()} == {"sent"}
    with open_reading_session(hall.club.config.database) as session:
        assert [str(fault) for fault in iter_integrity_faults(session, hall.club.config, CheckedCounts())] == []


def test_a_jump_forward_makes_nobody_late(hall: Hall) -> None:
    hall.machine.wrong = DAY
    assert any("put forward by 1 day" in line for line in hall.tick().troubles)
    assert hall.tick().is_quiet
    hall.machine.wrong = timedelta()
    (line,) = hall.tick().troubles
    assert "nobody is late and no deadline moves" in line
    hall.days(7 * HOUR)
    hall.club.order("Cici", hall.code(1), 0, "passe")
    hall.tick()
    assert hall.kinds() == [("1", "move"), ("2", "move")]
    assert_sound(hall)


def test_a_jump_forward_that_stays_makes_nobody_late_either(hall: Hall) -> None:
    hall.machine.wrong = DAY
    hall.days(8 * HOUR)
    assert ("1", "miss") not in hall.kinds()
    hall.days(3 * DAY)
    assert ("1", "miss") in hall.kinds(), "a deadline that moved is not lifted"
    assert_sound(hall)


def test_a_jump_back_keeps_nothing_for_ever(hall: Hall) -> None:
    """Everything that was done under a clock a year ahead: mails put off, the next daily mail."""
    with hall.club.work() as work:
        ahead = hall.machine.real + timedelta(days=365)
        player = work.session.exec(select(PlayerRow).where(PlayerRow.name == "Bert")).one()
        player.digest_at = ahead
        row = work.session.exec(select(OutboxRow)).first()
        assert row
        row.state, row.next_at, row.attempts = "queued", ahead, 1
        work.session.add_all([player, row])
    assert due_work.check_idle(hall.club.config.database, hall.machine.real, HOUR, hall.machine.real).due
    hall.tick()
    hall.days(DAY)
    assert hall.mails()["digest", "sent"] == 2, "at once, and on the next morning"
    assert_sound(hall)


def test_no_wait_of_ours_is_longer_than_what_looks_like_a_wrong_clock() -> None:
    assert max(outbox.RETRY_MINUTES) * timedelta(minutes=1) < due_work.PUT_OFF
    assert outbox.LEASE < due_work.PUT_OFF


def test_without_a_jump_a_day_between_two_runs_is_a_day(hall: Hall) -> None:
    assert not hall.tick(9 * HOUR).troubles
    assert not hall.tick(20 * HOUR).troubles
    assert ("1", "miss") in hall.kinds()


def test_a_restarted_machine_has_nothing_to_compare_with_nor_has_one_without_such_a_count(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = hall.club.folder / "boot_id"
    other.write_text("another start\n")
    monkeypatch.setattr(due_work, "_BOOT", other)
    assert not hall.tick(20 * HOUR).troubles
    monkeypatch.setattr(due_work, "_read_boot_seconds", Mock(side_effect=OSError))
    assert not hall.tick(20 * HOUR).troubles
    assert due_work.read_clock_mark(hall.machine.real) == ""


@pytest.mark.matrix("clock jumps", seconds=0.5)
@pytest.mark.parametrize("lasting", [True, False])
@pytest.mark.parametrize("days", [1, -1])
@pytest.mark.parametrize("asked", range(1, TIMES + 1))
def test_a_jump_within_a_run_makes_nobody_late(hall: Hall, asked: int, days: int, lasting: bool) -> None:
    """At the n-th time that the run asks for the time, for this one time or until it ends."""
    machine = hall.machine
    machine.plan, machine.lasting = Plan(asked, lambda name: machine.jump(days)), lasting
    hall.tick()
    assert len(machine.plan.names) <= TIMES, "set TIMES"
    if not machine.plan.sprung:
        pytest.skip(f"it asks {len(machine.plan.names)} times")
    machine.plan, machine.wrong = Plan(), timedelta()
    hall.days(7 * HOUR)
    hall.club.order("Cici", hall.code(1), 0, "passe")
    hall.days(30 * HOUR)
    assert hall.kinds() == [("1", "move"), ("2", "move")]
    assert_sound(hall)


JUMPS = [*(DAY * days for days in (-2500, -30, -3, -1, 1, 2, 4, 9, 13, 15, 20, 400)), -5 * HOUR, 5 * HOUR, timedelta()]
BOUND = due_work.MOST + DAY
"""The rounding up to a whole day, too."""


@pytest.mark.matrix("clock jumps", seconds=2)
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("number", range(20))
def test_whatever_the_clock_does_nobody_is_late_and_one_command_brings_the_deadlines_back(
    hall: Hall, number: int, restarts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six jumps, behind, ahead and back, within the hours that Cici has left. ``restarts``: nothing but what is in the
    database tells what time it was, so that only jumps are told that are long enough for an outage."""
    dice, machine, first = random.Random(f"{number} {restarts}"), hall.machine, hall.code(1)
    jumps = [jump for jump in JUMPS if not restarts or abs(jump) >= 2 * DAY or not jump]
    if restarts:
        monkeypatch.setattr(due_work, "_read_boot_seconds", Mock(side_effect=OSError))
    before, real = hall.club.row(first).deadline, machine.real
    assert before
    for _ in range(6):
        machine.wrong = dice.choice(jumps)
        for _ in range(dice.randint(1, 3)):
            hall.tick(dice.randint(1, 20) * MINUTES / 4)
            for code in (first, hall.code(2)):
                deadline = hall.club.row(code).deadline
                assert deadline
                assert deadline <= max(before, real + 8 * DAY) + BOUND, machine.wrong
            assert "miss" not in [kind for _, kind in hall.kinds()], machine.wrong
    machine.wrong, hall.club.now = timedelta(), machine.real
    run_well(hall.club, "clock", "undo")
    assert hall.club.row(first).deadline == before
    assert hall.tick().troubles == []
    assert hall.club.row(first).deadline == before
    hall.club.order("Cici", first, 0, "passe")
    hall.tick()
    assert hall.kinds() == [("1", "move"), ("2", "move")]
    assert_sound(hall)


def test_a_clock_that_was_behind_for_one_run_moves_nothing(hall: Hall) -> None:
    before = hall.club.row(hall.code(1)).deadline
    hall.machine.wrong = -2500 * DAY
    (line,) = hall.tick().troubles
    assert "`moderator clock right`" in line
    assert line in run(hall.club, "today").stderr
    hall.machine.wrong = timedelta()
    assert hall.tick().troubles == []
    assert hall.club.row(hall.code(1)).deadline == before
    assert_sound(hall)


def test_a_poll_that_an_older_version_noted_under_a_wrong_clock_moves_nothing(hall: Hall) -> None:
    hall.tick()
    before = hall.club.row(hall.code(1)).deadline
    due_work.save_value_at(hall.club.config.database, due_work.POLLED, "2020-01-01T00:00:00+00:00")
    assert hall.tick().troubles == []
    assert hall.club.row(hall.code(1)).deadline == before
