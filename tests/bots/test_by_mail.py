"""A robot that sits elsewhere and speaks mail: the example plays a whole match as a player, by the attachment alone."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import pytest

from moderator.mail.maildir import deliver
from moderator.states import EntryKind, MatchStatus
from tests.club.club import Club, make_club

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "bots" / "by_mail.py"
SENDMAIL = """#!/bin/sh
# What the robot's own server would do: the mail goes to the club's mailbox, once.
cat > "$CLUB/new/$$.mail"
"""


class Elsewhere:
    """Ada's mailbox, and the program beside it."""

    def __init__(self, folder: Path, club: Club) -> None:
        self.folder, self.club = folder / "Maildir", club
        self.programs = folder / "bin"
        self.programs.mkdir(parents=True)
        (self.programs / "sendmail").write_text(SENDMAIL)
        (self.programs / "sendmail").chmod(0o755)
        deliver(self.folder, b"From: friend@home.example\nTo: ada@home.example\nSubject: Hi\n\nNo turn in here.\n")

    def run(self) -> int:
        """Its new mails come, it is started as the page says; how many mails it has sent."""
        for mail in self.club.mails("ada"):
            deliver(self.folder, bytes(mail))
        inbox = self.club.config.path(self.club.config.maildir.inbox)
        before = len(list((inbox / "new").iterdir()))
        (command,) = re.findall(r"^    (python3 by_mail\.py .*)$", PAGE, re.MULTILINE)
        words = shlex.split(command.replace("games@example.org", "games@club.example"))
        assert words[2:] == ["games@club.example", "ada@home.example", "~/Maildir"]
        there = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}", "CLUB": str(inbox)}
        done = subprocess.run(
            [sys.executable, "-I", str(EXAMPLE), *words[2:4], str(self.folder)],
            env=there,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        sent = [file for file in (inbox / "new").iterdir() if file.suffix == ".mail"]
        for file in sent:
            os.utime(file, (self.club.now.timestamp(), self.club.now.timestamp()))
        return len(list((inbox / "new").iterdir())) - before


PAGE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_plays_a_whole_match_as_a_player(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.players("Ada", "R21", Ada="en")
    code = club.match("Ada", "R21", game="dominos", target=60)
    ada = Elsewhere(tmp_path / "ada", club)
    for _ in range(60):
        club.wait(minutes=2)
        summary = club.tick()
        assert (summary.quarantined, summary.troubles) == ([], [])
        if club.row(code).status == MatchStatus.FINISHED:
            break
        assert ada.run() == 1
        assert ada.run() == 0, "it answers a position once"
    assert club.row(code).status == MatchStatus.FINISHED
    log = club.log(code)
    moves = [entry for entry in log if entry.seat == 0 and entry.kind == EntryKind.MOVE]
    assert len(moves) >= 5
    assert not [entry for entry in log if entry.seat == 0 and entry.kind in (EntryKind.MISS, EntryKind.TRIED)]


def test_it_leaves_alone_what_is_not_for_it(tmp_path: Path) -> None:
    """A turn of another club, of another game, of a version that it does not know."""
    club = make_club(tmp_path / "club")
    club.tick()
    ada = Elsewhere(tmp_path / "ada", club)
    turn = {
        "turn": 1, "match": "K7Q2", "game": "dominos", "entry": 3, "rack": ["64"], "board": {"ends": {}},
        "reply": {"address": "games+K7Q2-8J3MZP4QXA@club.example", "subject": "Dominos [K7Q2-8J3MZP4QXA]"},
    }  # fmt: skip
    elsewhere = {"address": "games+K7Q2-8J3MZP4QXA@evil.example", "subject": "Dominos"}
    for change in ({"turn": 2}, {"game": "tridom"}, {"reply": elsewhere}):
        sent(ada, {**turn, **change})
    assert ada.run() == 0
    sent(ada, turn)
    assert ada.run() == 1


def sent(ada: Elsewhere, turn: dict[str, object]) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "games@club.example", "ada@home.example"
    mail.set_content("Your turn")
    data = json.dumps(turn).encode()
    mail.add_attachment(data, "application", "vnd.moderator.turn+json", filename="turn-K7Q2-3.json")
    deliver(ada.folder, bytes(mail))


def test_it_has_the_length_of_an_example_and_asks_nobody_but_the_standard_library() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    imported = re.findall(r"^(?:import|from) (\w+)", "\n".join(lines), re.MULTILINE)
    assert set(imported) <= sys.stdlib_module_names
