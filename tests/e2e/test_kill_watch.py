"""SIGKILL at every step of `watch` (on real servers at every other one): over its first run, on its way into IDLE, when
a mail wakes it, over the run that follows and back into IDLE. Then another watch, or a tick from cron, goes on."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from moderator.mail.maildir import deliver
from tests.club.club import Club, plain_boards
from tests.e2e.dying import LEASE_ENDS, SLOW, Template, check, points
from tests.e2e.evening import Evening, differences, faults, file_club, picture
from tests.e2e.kill_steps import RECORDED
from tests.e2e.killer import Killer, Request

STRIPES = 4 if SLOW else 1
WATCHED = 8
"""Seconds of the watch that shows which steps there are; one that is to die has more time."""
SETTLED = 0.1
"""Seconds in which a watch that says so really waits."""


def watched(killer: Killer, request: Request, waiting: str, deliver: Callable[[], None]) -> bool:
    """A watch that gets a mail when it has begun to wait (when its log has that step). Whether it died."""
    killer.begin(request)
    log, there = Path(request.log), False
    while not killer.ended(0.02):
        if not there and log.exists() and waiting in log.read_text().splitlines():
            time.sleep(SETTLED)
            deliver()
            there = True
    if not there:
        deliver()
    return killer.end(request)


def steps_of(log: Path, waiting: str, more: int) -> list[str]:
    """Up to where it waits for the second time, and some more; after that it waits until its time is over."""
    steps = [step for step in log.read_text().splitlines() if step != RECORDED]
    waits = [number for number, step in enumerate(steps) if step == waiting]
    assert len(waits) >= 2, "it did not wake up"
    return steps[: waits[1] + 1 + more]


def recovers(killer: Killer, request: Request, fatal: int) -> None:
    """Another watch or a tick, in turns."""
    killer.run(replace(request, run="watch" if fatal % 4 < 2 else "tick", fatal=0, seconds=1))


# ---- real servers ----

IDLE = "before IMAP IDLE"


def watch_on_servers(killer: Killer, template: Template, folder: Path, fatal: int, seconds: int) -> bool:
    folder.mkdir()
    club = template.copy(folder / "club")
    club.box.deliver(template.letter(club, 1, "passe"))
    log = folder / "steps"
    request = Request(str(club.file), str(log), run="watch", fatal=fatal, seconds=seconds)
    died = watched(killer, request, IDLE, lambda: club.box.deliver(template.letter(club, 2, "HILFE")))
    if died:
        recovery = replace(request, log=str(folder / "recovery"), later=LEASE_ENDS)
        recovers(killer, recovery, fatal)
        killer.run(replace(recovery, run="tick", fatal=0, later=2 * LEASE_ENDS))
    check(club, log.read_text().splitlines(), {"start": 2, "turn": 2, "help": 1}, filed=2)
    return died


@pytest.mark.servers
@pytest.mark.parametrize("stripe", range(STRIPES))
def test_a_watch_that_dies(stripe: int, tmp_path: Path, template: Template, killer: Killer) -> None:
    assert not watch_on_servers(killer, template, tmp_path / "all", 0, WATCHED)
    steps = steps_of(tmp_path / "all" / "steps", IDLE, more=1)
    for fatal in points(len(steps), stripe, STRIPES, 3, every=2):
        if watch_on_servers(killer, template, tmp_path / str(fatal), fatal, 3 * WATCHED):
            pass


# ---- a Maildir ----

WAITS = "before waiting"


@dataclass
class Small:
    """A match in a club with Maildir folders, Anna's pass in the mailbox, her wish for help to come."""

    evening: Evening
    help: bytes
    killer: Killer

    def watch(self, folder: Path, fatal: int, seconds: int) -> tuple[Club, bool]:
        folder.mkdir()
        club = self.evening.copy(folder / "club")
        at = self.evening.at + timedelta(seconds=60)

        inbox = club.config.path(club.config.maildir.inbox)
        # The watch may take a mail at once, so it comes with its time.
        letter = deliver(folder / "on its way", self.help)
        os.utime(letter, (at.timestamp(), at.timestamp()))

        def comes() -> None:
            letter.rename(inbox / "new" / letter.name)

        log, config = f"{folder}/steps", str(club.config.file)
        request = Request(config, log, run="watch", fatal=fatal, at=at.isoformat(), seconds=seconds)
        died = watched(self.killer, request, WAITS, comes)
        request = replace(request, log=f"{folder}/recovery")
        if died:
            recovers(self.killer, request, fatal)
        later = at + timedelta(seconds=LEASE_ENDS)
        self.killer.run(replace(request, run="tick", fatal=0, at=later.isoformat()))
        return club, died


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, killer: Killer) -> Small:
    club = file_club(tmp_path_factory.mktemp("small") / "club")
    club.players("Anna", "Bert")
    plain_boards(club)
    code = club.match("Anna", "Bert")
    letter = club.order("Anna", code, 0, "HILFE")
    shutil.rmtree(club.config.path(club.config.maildir.inbox))
    club.order("Anna", code, 0, "passe")
    return Small(Evening(club, club.now), letter, killer)


def test_a_watch_over_a_maildir_that_dies(tmp_path: Path, small: Small) -> None:
    club, _ = small.watch(tmp_path / "all", 0, WATCHED // 2)
    assert faults(club) == []
    expected = picture(club)
    assert len(expected["Inbox"]) == 2
    steps = steps_of(tmp_path / "all" / "steps", WAITS, more=0)
    for fatal in points(len(steps), 0, 1, 2):
        club, died = small.watch(tmp_path / str(fatal), fatal, 3 * WATCHED)
        where = f"died at step {fatal}, {steps[fatal - 1]}"
        assert died, where
        assert faults(club) == [], where
        assert differences(expected, picture(club)) == [], where
        shutil.rmtree(tmp_path / str(fatal))
