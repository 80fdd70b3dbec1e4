"""From an empty folder to the first answered mail, as docs/organiser.md leads there: each of its lines typed, one after
the other, by processes of their own, with a real mailbox and real mail servers."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from moderator.config import load
from tests.e2e.server_club import ServerClub, settings
from tests.e2e.test_real_servers import moderator
from tests.printed.test_typed import first_steps
from tests.servers import DOMAIN, eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix

pytestmark = [pytest.mark.servers, pytest.mark.matrix("e2e")]


def test_the_first_steps_lead_to_an_answered_mail(
    tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]
) -> None:
    began, mark, file = time.monotonic(), uuid.uuid4().hex[:8], tmp_path / "moderator.toml"
    games, boss = new_box(f"gm-{mark}"), new_box(f"playerboss{mark}")
    players = {name: new_box(f"player{name.lower()}{mark}") for name in ("Anna", "Bert")}
    steps = first_steps()
    assert [step.split()[1] for step in steps][:4] == ["init", "init", "lexicon", "player"]
    for number, step in enumerate(steps):
        words = shlex.split(re.sub(r"(anna|bert)@example.org", rf"player\g<1>{mark}@{DOMAIN}", step))[1:]
        command = [sys.executable, "-m", "moderator", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, (step, done.stdout, done.stderr)
        if number == 0:
            assert 'host = "imap.gmx.net"' in file.read_text(encoding="utf-8")
            file.write_text(settings(games, boss, dovecot, postfix), encoding="utf-8")
    club = ServerClub(load(file), games, players, postfix)
    assert eventually(lambda: all(len(club.inbox(name)) == 1 for name in players))
    club.reply("Anna", "passe")
    assert eventually(lambda: len(games.folder("INBOX")) == 1)
    assert moderator(club, "tick").returncode == 0
    assert eventually(lambda: len(club.inbox("Anna")) == 2)
    assert "zählt" in str(club.inbox("Anna")[1]["Subject"])
    print(f"{len(steps)} lines typed, {time.monotonic() - began:.0f} s")
