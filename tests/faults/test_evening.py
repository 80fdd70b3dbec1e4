"""The evening with one fault at each of its steps, in this process: a disk that is full or cannot be written, a
database that another program holds, a transport of another package that fails, somebody who changes the mailbox,
other runs beside it. The operator is told, and after the next run all is as on the undisturbed evening.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.common.errors import OperatorError, TransientError
from moderator.mail import maildir
from moderator.mail.maildir import MaildirMailbox
from moderator.mail.settings import TRANSPORTS
from moderator.run import steps as pipeline
from moderator.run.log import RunSummary
from moderator.run.tick import run_tick
from moderator.run.watch import receive_mail, watch_mailbox
from moderator.settings import load_config
from moderator.store import engines
from moderator.store.tables import EventRow, InboxRow, OutboxRow
from tests.club.club import Club, make_club, plain_boards
from tests.faults.evening import LATER, Evening, letters, recover, run
from tests.faults.injector import TRANSPORT, Plan, full, is_lock, is_write, passing, readonly, watching

pytestmark = pytest.mark.sqlite
WRITES, LOCKS, CALLS = 250, 70, 90
"""At least as many as there are on the evening."""


def one_fault(evening: Evening, club: Club, plan: Plan, over: Callable[[], object] = lambda: None) -> str:
    """A run in which something goes wrong, until that is ``over``, and those that go on; what the operator is told."""
    with watching(club.folder, plan):
        said = run(club)
    over()
    assert plan.names, "no step was counted"
    if not plan.sprung:
        pytest.skip(f"there are {len(plan.names)} steps")
    recover(club)
    assert evening.wrong(club) == [], f"after {plan.names[-1]}"
    return said


def test_every_write_and_lock_is_tried(evening: Evening) -> None:
    assert sum(map(is_write, evening.steps)) <= WRITES, "set WRITES"
    assert sum(map(is_lock, evening.steps)) <= LOCKS, "set LOCKS"


# ---- the disk ----


@pytest.mark.matrix("full disk", seconds=1.5)
@pytest.mark.parametrize("write", range(1, WRITES + 1))
def test_a_write_that_fails_is_told_and_loses_nothing(evening: Evening, tmp_path: Path, write: int) -> None:
    assert one_fault(evening, evening.copy(tmp_path / "club"), Plan(write, (full, readonly)[write % 2], is_write))


def test_nothing_is_renamed_into_its_place_before_its_bytes_are_on_the_disk(evening: Evening) -> None:
    """After a power failure a file may otherwise be there and empty."""
    made, names = 0, evening.steps
    for n, name in enumerate(names):
        opened = name.replace("os.rename ", "open ")
        if opened != name and opened in names[:n]:
            made += 1
            start = n - names[:n][::-1].index(opened)
            assert "fsync" in names[start:n], name
    assert made > 5


# ---- a locked database ----


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "BUSY_SECONDS", 0.02)


@pytest.mark.usefixtures("impatient")
@pytest.mark.matrix("locked database", seconds=1)
@pytest.mark.parametrize("moment", range(1, LOCKS + 1))
def test_another_program_that_holds_the_database_is_waited_for_by_the_next_run(
    evening: Evening, tmp_path: Path, moment: int
) -> None:
    """It takes the writer's lock at a moment at which it is free and the run wants it."""
    club = evening.copy(tmp_path / "club")
    other = sqlite3.connect(club.config.database, isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA journal_mode=WAL")
    plan = Plan(moment, lambda name: other.execute("BEGIN IMMEDIATE"), is_lock)
    said = one_fault(evening, club, plan, other.close)
    assert said
    assert all("locked by another program" in line for line in said.splitlines()), said


@pytest.mark.slow
def test_a_lock_that_is_given_up_in_time_is_only_waited_for(evening: Evening, tmp_path: Path) -> None:
    club = evening.copy(tmp_path / "club")
    other = sqlite3.connect(club.config.database, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.5, other.execute, ["ROLLBACK"])
    timer.start()
    assert run(club) == ""
    timer.join()
    other.close()
    recover(club)
    assert evening.wrong(club) == []


# ---- another package's transport ----

ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: KeyError("UIDNEXT"),
    lambda: ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    lambda: OSError(errno.ENOSPC, "No space left on device"),
    lambda: TransientError("The queue does not answer."),
    lambda: OperatorError("The queue knows no such user.", "Correct [transport.failing] user."),
)


def with_transport(evening: Evening, folder: Path, plan: Plan, patched: pytest.MonkeyPatch) -> Club:
    patched.setitem(TRANSPORTS.others, "failing", "tests.faults.injector:TRANSPORT")
    patched.setattr(TRANSPORT, "plan", plan)
    club = evening.copy(folder)
    text = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(text.replace('"maildir"', '"failing"'), encoding="utf-8")
    return Club(folder, load_config(club.config.file), evening.at)


@pytest.mark.matrix("transport calls", seconds=1)
@pytest.mark.parametrize("call", range(1, CALLS + 1))
def test_a_transport_that_fails_at_a_call_is_told_and_loses_nothing(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    def fail(name: str) -> None:
        raise ERRORS[call % len(ERRORS)]()

    plan = Plan(call, fail, lambda name: name.startswith("call of"))
    said = one_fault(evening, with_transport(evening, tmp_path / "club", plan, monkeypatch), plan)
    name = plan.names[call - 1]
    assert said or name in ("call of close", "call of ways"), name
    assert "\n" not in said.strip()
    assert "Traceback" not in said


@pytest.mark.slow
def test_every_call_of_a_transport_is_tried(evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan()
    run(with_transport(evening, tmp_path / "club", plan, monkeypatch))
    assert len(plan.names) <= CALLS, "set CALLS"
    named = {name.split()[2].rstrip(",") for name in plan.names}
    assert named >= {"mailbox", "sender", "waiting", "fetch", "file_away", "marks", "mark", "deliver"}


# ---- somebody else at the mailbox ----


def read_elsewhere(folder: Path) -> None:
    """A mail program shows the mails: they move to cur/ and get a flag."""
    for path in (folder / "new").iterdir():
        path.rename(folder / "cur" / f"{path.name}:2,S")


def all_deleted(folder: Path) -> None:
    for path in (*(folder / "new").iterdir(), *(folder / "cur").iterdir()):
        path.unlink()


def folder_deleted(folder: Path) -> None:
    shutil.rmtree(folder / ".Processed", ignore_errors=True)


def put_back(folder: Path) -> None:
    for number, path in enumerate((folder / "new").iterdir()):
        shutil.copy2(path, folder / "new" / f"{number}.copy")
    for number, path in enumerate((folder / ".Processed" / "cur").glob("*")):
        path.rename(folder / "new" / f"{number}.back")


POINTS = ("bodies", "handling", "filing", "moving", "after")
"""Right before the mails are fetched, after they were taken in, before they are filed away, before the command that
moves them, when the run is over."""
ACTIONS = (read_elsewhere, all_deleted, folder_deleted, put_back)
CHANGES = [(p, a) for p in POINTS for a in ACTIONS if not (p == "bodies" and a is all_deleted)]


@pytest.mark.matrix("mailbox changes", seconds=1)
@pytest.mark.parametrize(("point", "action"), CHANGES, ids=lambda each: getattr(each, "__name__", each))
def test_a_mailbox_that_changes_during_the_run_is_handled_once(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, action: Callable[[Path], None]
) -> None:
    club = evening.copy(tmp_path / "club")
    folder = club.config.resolve_path(club.config.maildir.inbox)
    plan = Plan(point, lambda name: action(folder))
    with monkeypatch.context() as patched:
        passing(plan, patched, MaildirMailbox, "_read_mail", "bodies")
        passing(plan, patched, pipeline, "detect_outage", "handling")
        passing(plan, patched, pipeline, "move_handled_mails", "filing")
        passing(plan, patched, maildir, "_move_file", "moving")
        assert run(club) == ""
    plan.step("after")
    assert plan.sprung
    recover(club, 0, 0, LATER)
    assert evening.wrong(club) == []


# ---- other runs ----


@pytest.mark.slow
@pytest.mark.parametrize("point", ["fetch_mails", "move_handled_mails", "run_deadlines"])
def test_a_second_run_leaves_quietly_and_a_pipe_only_keeps_its_mail(
    evening: Evening, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    club = evening.copy(tmp_path / "club")
    come, on, said = threading.Event(), threading.Event(), []
    mail = letters(club)[0].read_bytes()

    def wait(name: str) -> None:
        come.set()
        assert on.wait(30)

    with monkeypatch.context() as patched:
        passing(Plan(1, wait), patched, pipeline, point, point)
        first = threading.Thread(target=lambda: said.append(run(club)))
        first.start()
        assert come.wait(30)
        assert club.tick() == RunSummary()
        beside = receive_mail(club.config, mail)
        assert (beside.taken, beside.handled, beside.sent) == (point == "fetch_mails", 0, 0)
        on.set()
        first.join()
    assert said == [""]
    recover(club)
    assert evening.wrong(club) == []


@pytest.mark.slow
@pytest.mark.machine_clock
def test_watch_and_pipes_and_ticks_beside_each_other(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.now = datetime.now(UTC)
    club.players("Anna", "Bert")
    plain_boards(club)
    code = club.match("Anna", "Bert")
    order = club.order("Anna", code, 0, "passe")
    mails = [club.order("Bert", code, 1, f"HILFE\n\n-- \n{number}") for number in range(6)]
    for path in letters(club)[:3]:
        path.unlink()
    wrong: list[str] = []

    def heard(summary: RunSummary) -> None:
        wrong.extend(summary.quarantined + summary.troubles + summary.away)

    def beside(*given: bytes) -> None:
        for mail in given:
            heard(receive_mail(club.config, mail))
            heard(run_tick(club.config))

    threads = [threading.Thread(target=lambda: [heard(summary) for summary in watch_mailbox(club.config, 2)])]
    threads += [threading.Thread(target=beside, args=mails[first::2]) for first in (0, 1)]
    threads.append(threading.Thread(target=beside, args=(order, *mails[:2])))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    heard(run_tick(club.config))
    assert wrong == []
    with club.work() as work:
        assert work.session.exec(select(EventRow.kind, EventRow.text)).all() == [("move", "passe")]
        assert list(work.session.exec(select(InboxRow.state))) == ["done"] * (1 + len(mails))
        rows = work.session.exec(select(OutboxRow)).all()
    assert {row.state for row in rows} == {"sent"}
    assert sum(row.kind == "help" for row in rows) == len(mails)
