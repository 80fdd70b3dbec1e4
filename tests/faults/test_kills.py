"""SIGKILL at every step of a run: `tick` on the evening, over a backlog, `receive`, `watch`, with Maildir folders and
with real servers. Then the next run comes, and all is as if nothing had died: each order is in the log once, each mail
left once, but for those in the one window that cannot be closed (accepted by the server, not yet recorded).

Of a tournament of each format each day is kept. Then every transaction of that day that wrote to the tables of
tournaments is the one at which the run dies, once before and once after its commit; after one more run all is as on
the undisturbed day.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import PendingRollbackError

from moderator.mail.maildir import deliver_to_maildir
from moderator.service.tournaments.club_tournament import ClubTournament
from moderator.settings import load_config
from moderator.store.tables import MatchRow, Tournament
from tests.club import tournament_club as cup
from tests.club.club import Club, club_of
from tests.e2e.server_club import ServerClub, Template, wrong
from tests.faults.evening import LATER, LETTERS, MATCHES, Evening, differences, faults, letters, picture
from tests.faults.injector import RECORDED, Died, Plan, die, watching
from tests.faults.killer import WAITS, Killer, Request

STEPS = {"tick": 260, "backlog": 235, "receive": 60, "watch": 65}
"""At least as many as each run has steps."""
STEPS_ON_SERVERS = {"tick": 225, "receive": 55, "watch": 360}
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
        file = deliver_to_maildir(folder / "on its way", self.letter)
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
            inbox = club.config.resolve_path(club.config.maildir.inbox) / "new"
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
    def made(run: str) -> Deadly:
        folder = tmp_path_factory.mktemp(run)
        club = evening.copy(folder / "club")
        came = [path.read_bytes() for path in letters(club)]
        if run == "backlog":
            with club.config.file.open("a", encoding="utf-8") as settings:
                settings.write("[guard]\nbacklog = 2\n")
        elif run == "receive":
            shutil.rmtree(club.config.resolve_path(club.config.maildir.inbox))
        elif run == "watch":  # in the night after
            shutil.rmtree(club.folder)
            club = replace(evening, folder=evening.after).copy(folder / "club")
            club.wait(seconds=LATER + 60)
            with club.work() as work:
                code = work.session.get_one(MatchRow, MATCHES.index("waiting") + 1).code
            came[LETTERS.index("ruling")] = club.order("Dora", code, 1, "HILFE")
            letters(club)[0].unlink()
            club.order("Dora", code, 1, "passe")
        at = replace(evening, folder=club.folder, at=club.now)
        calm = Deadly(run, at, came[LETTERS.index("ruling")], killer).undisturbed(folder / "calm")
        assert calm.count <= STEPS[run], f"there are {calm.count} steps of {run}: set STEPS"
        return calm

    return cache(made)


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
        steps = counted(request.steps(), IDLE)
        assert steps <= STEPS_ON_SERVERS[run], f"there are {steps} steps of {run}: set STEPS_ON_SERVERS"
        return steps

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


# ---- tournaments ----

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
    folder: Path
    now: datetime
    commits: int
    evening: dict[str, Any] = field(repr=False)
    letters: int


def run_of(club: Club, format: str, folder: Path, happenings: dict[int, Callable[[], None]]) -> list[Day]:
    """Play a tournament to its end; the days on which something was written about it."""
    table, days = cup.Table(club), list[Day]()
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
            days.append(Day(before, club.now, len(plan.names), cup.picture(club), count_sent(club)))
    raise AssertionError("the tournament does not end")


def over(club: Club, format: str, day: int) -> bool:
    if format == "ladder":
        return day > 12
    if format == "league":
        with club.work() as work:
            return work.session.get(Tournament, 2) is not None and work.session.get_one(Tournament, 2).round > 0
    return cup.tournament_of(club).status == "finished"


def count_sent(club: Club) -> int:
    return len(list((club.config.resolve_path(club.config.maildir.outbox) / "new").glob("*")))


def happenings_of(club: Club, format: str) -> dict[int, Callable[[], None]]:
    if format == "ladder":

        def challenged(one: int, other: int) -> None:
            with cup.at(club, "T1") as (work, tournament):
                ClubTournament(work, tournament).challenge_entrant(one, other)

        def accepted() -> None:
            with cup.at(club, "T1") as (work, tournament):
                ClubTournament(work, tournament).accept_ladder_game(1)

        return {3: lambda: challenged(3, 1), 4: accepted, 5: lambda: challenged(5, 4)}

    def leaves() -> None:
        cup.withdraw(club, "T1", "R2c")

    def joins() -> None:
        cup.enter(club, "T1", "Cici")

    return {4: leaves, 5: joins} if format == "swiss" else {4: leaves}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Day]]:
    def play(format: str) -> list[Day]:
        folder = tmp_path_factory.mktemp(format)
        club = club_of(folder / "club", *NAMES, "Cici")
        with pytest.MonkeyPatch.context() as patched:
            cup.fixed(patched)
            cup.found(club, format, NAMES, days=2, seeding="order", warn_days=2, terms={"days": 3}, **FORMATS[format])
            days = run_of(club, format, folder, happenings_of(club, format))
        count = sum(day.commits for day in days)
        assert count <= COMMITS, f"there are {count} commits, COMMITS says {COMMITS}: set it"
        return days

    return cache(play)


@pytest.mark.sqlite
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
    cup.fixed(monkeypatch)
    restored = Club(
        tmp_path / "club", load_config(shutil.copytree(day.folder, tmp_path / "club") / "moderator.toml"), day.now
    )
    plan = Commits(number, (lambda name: None) if after else die)
    plan.after = after
    with watching(restored.folder, plan), suppress(Died, PendingRollbackError):  # which a dead process does not raise
        restored.tick()
    assert plan.sprung
    restored.tick()
    where = f"{day.now:%d.%m.}, commit {number}"
    assert cup.differences(day.evening, cup.picture(restored)) == [], where
    assert count_sent(restored) == day.letters, where
