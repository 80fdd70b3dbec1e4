"""Several workers on one club, of which one dies by SIGKILL now and then: ``python -m tests.growth.herd CONFIG WORKERS
SEED KILLS SENT``. Each is a process that runs one tick after the other. It goes on until its standard input ends and
prints how many it has killed; at most KILLS, and never two before some mails were sent, so that a slow machine does not
kill all that is begun. While a mail is tried again nobody dies: one that has cost three lives goes to the quarantine,
as it should, and here it would be chance.

The workers are forked from this process, which has imported everything and played a little: that is what takes long.
What they send is accepted by a line in the file SENT, so that a mail that is sent twice is seen twice.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import random
import select
import signal
import sys
import time
import traceback
from pathlib import Path
from unittest import mock

from moderator.mail.model import Ready
from moderator.mail.transport import OneByOne
from tests.e2e.killer import warm

PRELOADED = (
    "moderator.run.handling",
    "moderator.run.dispatch",
    "moderator.play.deadlines",
    "moderator.outbox.digest",
    "moderator.mail.maildir",
    "moderator.games.topwords.rules",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "jinja2",
    "css_inline",
)
PAUSE = 0.05
LEAST, MOST = 6, 16
"""Mails sent between two deaths."""
LINE = 70
"""Bytes."""


class Ledger(OneByOne):
    """A sender: a mail is accepted when its line stands in the file, written in one piece."""

    def __init__(self, file: Path) -> None:
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def check(self) -> None:
        """It is always there."""

    def deliver(self, mail: Ready) -> str:
        os.write(self._handle, f"{mail.row} {hashlib.sha256(mail.data).hexdigest()}\n".encode())
        return "accepted"


def work(config_file: str, sent: Path) -> None:
    """Ticks until SIGTERM, which ends the one at hand first. What goes wrong stands in SENT.err."""
    from moderator.config import load
    from moderator.run import tick

    going = True

    def stop(*_: object) -> None:
        nonlocal going
        going = False

    signal.signal(signal.SIGTERM, stop)
    config, ledger = load(Path(config_file)), Ledger(sent)
    mock.patch.object(tick, "open_sender", return_value=ledger).start()
    while going:
        try:
            summary = tick.tick(config)
            wrong = f"{summary}\n" if summary.quarantined or summary.troubles or summary.away else ""
        except BaseException:
            summary, wrong = None, traceback.format_exc()
        if wrong:
            with Path(f"{sent}.err").open("a", encoding="utf-8") as stream:
                stream.write(wrong)
        if summary is None or summary.quiet:
            time.sleep(PAUSE)


def tried_again(config_file: str) -> bool:
    """Whether a mail waits or is in hand whose worker has died. (No connection stays open: workers are forked.)"""
    import psycopg

    from moderator.config import load

    query = "SELECT 1 FROM inbox WHERE state = 'received' AND attempts >= 2 LIMIT 1"
    with psycopg.connect(load(Path(config_file)).store.url) as connection:
        return connection.execute(query).fetchone() is not None


def main(config_file: str, workers: str, seed: str, kills: str, sent: str) -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    warm()
    chance, killed, left = random.Random(int(seed)), 0, int(kills)

    def start() -> int:
        child = os.fork()
        if child == 0:
            try:
                work(config_file, Path(sent))
            finally:
                os._exit(0)
        return child

    herd, done, fatal = [start() for _ in range(int(workers))], Path(sent), MOST * LINE
    while not select.select([sys.stdin], [], [], chance.uniform(0.01, 0.1))[0]:
        if killed < left and done.exists() and done.stat().st_size >= fatal and not tried_again(config_file):
            which = chance.randrange(len(herd))
            os.kill(herd[which], signal.SIGKILL)
            os.waitpid(herd[which], 0)
            herd[which] = start()
            killed += 1
            fatal = done.stat().st_size + chance.randint(LEAST, MOST) * LINE
    for child in herd:
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
    print(killed, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
