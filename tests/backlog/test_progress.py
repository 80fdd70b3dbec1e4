"""One line on a terminal while many mails are handled; nothing in cron."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.club.club import Club

ROOT = Path(__file__).resolve().parent.parent.parent


def run(club: Club, *arguments: str, terminal: bool) -> tuple[int, str]:
    """Exit status and what came to standard error."""
    command = [sys.executable, "-m", "moderator", "--config", str(club.config.file), *arguments]
    if not terminal:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stderr
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=ROOT, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    return process.wait(), said.decode()


@pytest.mark.slow
def test_a_line_on_a_terminal(club: Club) -> None:
    for number in range(120):
        club.write("stranger@else.example", f"Mail {number}", Auto_Submitted="auto-replied")
    status, said = run(club, "tick", terminal=True)
    assert status == 0
    assert re.search(r"Mails 60/120 .*?\d+/s", said)
    assert "120/120" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_nothing_elsewhere_and_nothing_for_a_few(club: Club) -> None:
    for number in range(60):
        club.write("stranger@else.example", f"Mail {number}", Auto_Submitted="auto-replied")
    assert run(club, "tick", terminal=False) == (0, "")
    club.write("stranger@else.example", "One more", Auto_Submitted="auto-replied")
    assert run(club, "tick", terminal=True) == (0, "")
