"""SIGKILL at every step of a run: `tick` on the evening, over a backlog, `receive`, `watch`, with Maildir folders and
with real servers. Then the next run comes, and all is as if nothing had died: each order is in the log once, each mail
left once, but for those in the one window that cannot be closed (accepted by the server, not yet recorded).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from moderator.mail.maildir import deliver
from tests.club.club import Club
from tests.e2e.server_club import ServerClub, Template, wrong
from tests.faults.evening import LATER, LETTERS, MATCHES, Evening, differences, faults, letters, picture
from tests.faults.injector import RECORDED
from tests.faults.killer import WAITS, Killer, Request

STEPS = {"tick": 245, "backlog": 225, "receive": 60, "watch": 65}
"""How many steps each run has; test_all_steps_are_tried says when that changes."""
STEPS_ON_SERVERS = {"tick": 205, "receive": 55, "watch": 325}
SLACK = 25
IDLE = "IMAP IDLE"
PATIENCE = 30
"""Seconds that a watch may take until it has died, or waits for the second time."""


def cases(counts: dict[str, int]) -> list[tuple[str, int]]:
    return [(run, step) for run, count in counts.items() for step in range(1, count + 1)]


def counted(steps: list[str], waiting: str) -> int:
    """How many steps a run has; a watch, until it waits for the second time."""
    waits = [number for number, step in enumerate(steps, 1) if step == waiting]
    return waits[1] if len(waits) > 1 else len(steps)


def again(letter: bytes) -> bytes:
    """As a server delivers a mail anew of which it was not told that all went well."""
    return b"Received: by mx.club.example; second delivery\r\n" + letter


# ---- Maildir ----


@dataclass(frozen=True)
class Deadly:
    """A run on an evening; what comes of it undisturbed, and in how many steps."""

    run: str
    evening: Evening
    letter: bytes
    """The mail that ``receive`` is given, and that comes when ``watch`` waits."""
    killer: Killer
    count: int = 0

    def play(self, folder: Path, fatal: int = 0) -> tuple[Club, Request, bool]:
        """The run, dying at a step, and those that go on; whether it died."""
        folder.mkdir()
        club = self.evening.copy(folder / "club")
        # The watch may take a mail at once, so it comes with its time.
        file = deliver(folder / "on its way", self.letter)
        os.utime(file, (self.evening.at.timestamp(),) * 2)
        kind = self.run if self.run in ("receive", "watch") else "tick"
        request = Request(
            str(club.config.file),
            str(folder / "steps"),
            run=kind,
            fatal=fatal,
            at=self.evening.at.isoformat(),
            mail=str(file),
            seconds=PATIENCE,
            stop=WAITS,
        )
        goes_on = replace(request, fatal=0, log=str(folder / "recovery"), seconds=1, stop="")
        if kind == "watch":
            inbox = club.config.path(club.config.maildir.inbox) / "new"
            died = self.killer.watch(request, WAITS, lambda: file.rename(inbox / file.name))
        else:
            died = self.killer.run(request)
        if died:
            file.write_bytes(again(self.letter)) if kind == "receive" else None
            # After a watch another one, or a tick from cron, in turns.
            self.killer.run(goes_on if fatal % 2 or kind == "receive" else replace(goes_on, run="tick"))
        later = self.evening.at + timedelta(seconds=LATER)
        self.killer.run(replace(goes_on, run="tick", at=later.isoformat()))
        return club, request, died

    def undisturbed(self, folder: Path) -> Deadly:
        club, request, died = self.play(folder)
        assert (died, faults(club)) == (False, [])
        return replace(
            self, evening=replace(self.evening, expected=picture(club)), count=counted(request.steps(), WAITS)
        )


@pytest.fixture(scope="module")
def deadly(evening: Evening, killer: Killer, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Deadly]:
    """By the name of the run."""

    def made(run: str) -> Deadly:
        folder = tmp_path_factory.mktemp(run)
        club = evening.copy(folder / "club")
        came = [path.read_bytes() for path in letters(club)]
        if run == "backlog":
            with club.config.file.open("a", encoding="utf-8") as settings:
                settings.write("[guard]\nbacklog = 2\n")
        elif run == "receive":
            shutil.rmtree(club.config.path(club.config.maildir.inbox))
        elif run == "watch":  # in the night after
            shutil.rmtree(club.folder)
            club = replace(evening, folder=evening.after).copy(folder / "club")
            club.wait(seconds=LATER + 60)
            code = match_code(club, "waiting")
            came[LETTERS.index("ruling")] = club.order("Dora", code, 1, "HILFE")
            letters(club)[0].unlink()
            club.order("Dora", code, 1, "passe")
        at = replace(evening, folder=club.folder, at=club.now)
        return Deadly(run, at, came[LETTERS.index("ruling")], killer).undisturbed(folder / "calm")

    return cache(made)


def match_code(club: Club, name: str) -> str:
    from moderator.store.models import Match

    with club.desk() as desk:
        return desk.session.get_one(Match, MATCHES.index(name) + 1).code


@pytest.mark.matrix("kill points", seconds=1.5)
@pytest.mark.parametrize(("run", "step"), cases(STEPS))
def test_a_run_that_is_killed_is_continued(
    run: str, step: int, tmp_path: Path, deadly: Callable[[str], Deadly]
) -> None:
    calm = deadly(run)
    if step > calm.count:
        pytest.skip(f"there are {calm.count} steps")
    club, request, died = calm.play(tmp_path / "dies", step)
    where = f"died at {request.steps()[-1]}"
    assert died
    assert faults(club) + differences(calm.evening.expected, picture(club)) == [], where


@pytest.mark.slow
@pytest.mark.parametrize("run", STEPS)
def test_all_steps_are_tried(run: str, deadly: Callable[[str], Deadly]) -> None:
    count = deadly(run).count
    assert count <= STEPS[run] <= count + SLACK, f"there are {count} steps of {run}, STEPS says {STEPS[run]}: set it"


# ---- real servers ----


def play_on_servers(
    run: str, template: Template, killer: Killer, folder: Path, fatal: int = 0
) -> tuple[ServerClub, Request, bool]:
    folder.mkdir()
    club = template.copy(folder / "club")
    file = folder / "letter"
    file.write_bytes(template.letter(club, 1, "passe"))
    request = Request(str(club.file), str(folder / "steps"), run=run, fatal=fatal, mail=str(file))
    request = replace(request, seconds=PATIENCE, stop=IDLE)
    goes_on = replace(request, fatal=0, log=str(folder / "recovery"), later=LATER, seconds=1, stop="")
    if run == "watch":
        template.write(club, "passe")
        help = template.letter(club, 2, "HILFE")
        died = killer.watch(request, IDLE, lambda: club.box.deliver(help))
    else:
        if run == "tick":
            template.write(club, "passe", "HILFE")
        died = killer.run(request)
    if died:
        file.write_bytes(again(file.read_bytes()))
        killer.run(goes_on if fatal % 2 or run == "receive" else replace(goes_on, run="tick"))
        killer.run(replace(goes_on, run="tick", later=2 * LATER))
    return club, request, died


@pytest.fixture(scope="module")
def count_on_servers(
    template: Template, killer: Killer, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], int]:
    def count(run: str) -> int:
        club, request, died = play_on_servers(run, template, killer, tmp_path_factory.mktemp(run) / "calm")
        assert (died, all_wrong(run, club, request)) == (False, [])
        return counted(request.steps(), IDLE)

    return cache(count)


def all_wrong(run: str, club: ServerClub, request: Request) -> list[str]:
    """Twice came only what the server had and we had not written down."""
    handed_over = request.lines().count("SMTP DATA") - request.lines().count(RECORDED)
    if run == "receive":
        return wrong(club, handed_over, filed=0, mails={"start": 2, "turn": 2})
    return wrong(club, handed_over)


@pytest.mark.servers
@pytest.mark.matrix("kill points on servers", seconds=3)
@pytest.mark.parametrize(("run", "step"), cases(STEPS_ON_SERVERS))
def test_a_run_on_servers_that_is_killed_is_continued(
    run: str, step: int, tmp_path: Path, template: Template, killer: Killer, count_on_servers: Callable[[str], int]
) -> None:
    if step > (count := count_on_servers(run)):
        pytest.skip(f"there are {count} steps")
    club, request, _ = play_on_servers(run, template, killer, tmp_path / "dies", step)
    assert all_wrong(run, club, request) == [], f"died at {request.steps()[-1]}"


@pytest.mark.servers
@pytest.mark.slow
@pytest.mark.parametrize("run", STEPS_ON_SERVERS)
def test_all_steps_on_servers_are_tried(run: str, count_on_servers: Callable[[str], int]) -> None:
    count, said = count_on_servers(run), STEPS_ON_SERVERS[run]
    assert count <= said <= count + SLACK, f"there are {count} steps of {run}, STEPS_ON_SERVERS says {said}: set it"
