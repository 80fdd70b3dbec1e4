"""No test depends on the day on which it runs: nobody reads the machine's clock but who says so."""

from __future__ import annotations

import ast
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from moderator import wall_clock
from moderator.config import CLOCK, load
from tests import clocks
from tests.club.club import Club, copied, make_club

ROOT = Path(__file__).resolve().parent.parent
READS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")} | {
    ("time", name) for name in ("time", "time_ns", "localtime", "gmtime", "ctime")
}
IN_THE_PACKAGE = {
    "moderator/mail/maildir.py": "the names of mail files",
    "moderator/store/probe.py": "whether a run's time is the machine's, and can be measured by what it counts",
    "moderator/wall_clock.py": "all that asks what time it is",
}
IN_TESTS = {
    "tests/growth/season.py": "ticks by the clock of processes beside it",
    "tests/faults/test_locked.py": "processes beside each other",
    "tests/faults/wire.py": "real servers",
    "tests/backlog/week.py": "a week until now, for a tick in a process of its own",
    "tests/backlog/test_week.py": "a tick in a process of its own",
    "tests/clubs/make.py": "a program that packs a club, also an old one",
    "tests/servers/dovecot.py": "real servers",
    "tests/site/browser/test_zug_alone.py": "the time of a file",
    "tests/e2e/test_race_on_servers.py": "real servers",
    "tests/e2e/killer.py": "a process that is killed",
}


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_club(tmp_path / "club")


def reads(path: Path) -> bool:
    """Whether a module asks the system what time it is."""
    names = {
        (node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", ""), node.attr)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    }
    return bool(names & READS)


@pytest.mark.slow
@pytest.mark.parametrize(("folder", "listed"), [("moderator", list(IN_THE_PACKAGE)), ("tests", list(IN_TESTS))])
def test_who_reads_the_machines_clock_is_listed(folder: str, listed: list[str]) -> None:
    found = [str(path.relative_to(ROOT)) for path in sorted((ROOT / folder).rglob("*.py")) if reads(path)]
    assert found == sorted(listed)


def test_a_command_goes_by_the_clock_of_its_club(club: Club, tmp_path: Path) -> None:
    other = copied(club, tmp_path / "other")
    other.wait(days=3)
    assert club.now == club.config.now() == load(club.config.file).now()
    assert other.config.now() == other.now == club.now + timedelta(days=3)
    (other.folder / CLOCK).write_text("2030-01-01T00:00:00+00:00", encoding="utf-8")
    assert other.config.now().year == 2030


def test_elsewhere_it_is_the_same_day_in_each_run(club: Club, tmp_path: Path) -> None:
    shutil.copytree(club.folder, tmp_path / "unknown")
    now = load(tmp_path / "unknown" / "moderator.toml").now()
    assert clocks.MACHINE < now < wall_clock.now() < clocks.MACHINE + timedelta(hours=1)


@pytest.mark.machine_clock
def test_who_says_so_lives_in_the_machines_time(club: Club) -> None:
    assert clocks.real() <= club.config.now() <= wall_clock.now() <= clocks.real()
