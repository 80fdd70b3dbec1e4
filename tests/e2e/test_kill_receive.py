"""SIGKILL at every step of `receive` (with Maildir folders at every other one). The mail server is not told that all
went well, so it delivers the mail again, with one more line at its head; then all is as if nothing had died."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.club.club import Club
from tests.e2e.dying import LEASE_ENDS, Template, check, points
from tests.e2e.evening import Evening, differences, faults, picture
from tests.e2e.kill_steps import RECORDED
from tests.e2e.killer import Killer, Request

LETTERS = {"rules on a word": 5}
"""Which of the evening's mails."""
STRIPES = 1
SAMPLE = (20, 40)


@dataclass
class Piped:
    """An evening whose mails don't lie in a mailbox but come one by one."""

    evening: Evening
    letters: list[bytes]
    killer: Killer

    def copy(self, folder: Path, number: int) -> Club:
        club = self.evening.copy(folder / "club")
        shutil.rmtree(club.config.path(club.config.maildir.inbox))
        (folder / "letter").write_bytes(self.letters[number])
        (folder / "again").write_bytes(again(self.letters[number]))
        return club

    def run(self, club: Club, log: Path, *, letter: str = "", later: int = 0, fatal: int = 0) -> bool:
        """A receive, or a tick for no letter; whether it died."""
        at = (self.evening.at + timedelta(seconds=later)).isoformat()
        mail, what = str(club.folder.parent / letter), "receive" if letter else "tick"
        return self.killer.run(Request(str(club.config.file), str(log), run=what, fatal=fatal, at=at, mail=mail))


def again(letter: bytes) -> bytes:
    return b"Received: by mx.club.example; second delivery\r\n" + letter


@pytest.fixture
def piped(evening: Evening, killer: Killer) -> Piped:
    new = evening.club.config.path(evening.club.config.maildir.inbox) / "new"
    letters = [path.read_bytes() for path in sorted(new.iterdir())]
    return Piped(evening, letters, killer)


@pytest.mark.slow
@pytest.mark.parametrize("number", LETTERS.values(), ids=LETTERS.keys())
def test_a_receive_that_dies(number: int, tmp_path: Path, piped: Piped) -> None:
    count, expected = undisturbed(piped, tmp_path, number)
    assert count >= 16
    for fatal in points(count, 0, 1, 2, every=2):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        club = piped.copy(folder, number)
        assert piped.run(club, folder / "steps", letter="letter", fatal=fatal)
        piped.run(club, folder / "recovery", letter="again")
        piped.run(club, folder / "recovery", later=LEASE_ENDS)
        died = f"died at step {fatal}, {(folder / 'steps').read_text().splitlines()[-1]}"
        assert faults(club) == [], died
        assert differences(expected, picture(club)) == [], died
        shutil.rmtree(folder)


def undisturbed(piped: Piped, folder: Path, number: int) -> tuple[int, dict[str, Any]]:
    """How many steps it takes, and what comes of it."""
    club = piped.copy(folder, number)
    assert not piped.run(club, folder / "steps", letter="letter")
    piped.run(club, folder / "after", later=LEASE_ENDS)
    assert faults(club) == []
    return sum(step != RECORDED for step in (folder / "steps").read_text().splitlines()), picture(club)


@pytest.mark.slow
@pytest.mark.servers
@pytest.mark.parametrize("stripe", range(STRIPES))
def test_a_receive_that_dies_while_it_sends(stripe: int, tmp_path: Path, template: Template, killer: Killer) -> None:
    """Its answers leave through a real mail server."""
    tried = 0
    for fatal in SAMPLE:
        folder = tmp_path / str(fatal)
        folder.mkdir()
        club = template.copy(folder / "club")
        letter = template.letter(club, 1, "passe")
        (folder / "letter").write_bytes(letter)
        (folder / "again").write_bytes(again(letter))
        received = Request(str(club.file), str(folder / "steps"), run="receive", fatal=fatal, mail=f"{folder}/letter")
        if not killer.run(received):
            break
        recovery = str(folder / "recovery")
        killer.run(Request(str(club.file), recovery, run="receive", mail=f"{folder}/again"))
        killer.run(Request(str(club.file), recovery, later=LEASE_ENDS))
        check(club, (folder / "steps").read_text().splitlines(), {"start": 2, "turn": 2}, filed=0)
        tried += 1
    assert tried == len(SAMPLE)
