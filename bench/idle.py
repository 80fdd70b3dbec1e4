"""A tick with nothing to do, against a bare script that imports imapclient, logs in, asks STATUS and leaves.

Target: CPU at most 1.8 times the bare script's, at most 30 MiB.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.process import paired
from bench.target import at_most
from tests.servers import PASSWORD
from tests.servers.dovecot import Dovecot

RUNS = 15
CONFIG = """\
[club]
moderator = "boss@test.example"
[mail]
address = "gm-bench@test.example"
[imap]
host = "{host}"
port = {port}
security = "plain"
user = "gm-bench"
password = "{password}"
[smtp]
host = "127.0.0.1"
security = "plain"
"""
FLOOR = """\
from imapclient import IMAPClient
client = IMAPClient({host!r}, port={port}, ssl=False, timeout=60)
client.login("gm-bench", {password!r})
client.folder_status("INBOX", ["MESSAGES"])
client.logout()
"""


def run() -> None:
    with Dovecot.started() as dovecot, tempfile.TemporaryDirectory() as name:
        values = {"host": dovecot.host, "port": dovecot.imap_port, "password": PASSWORD}
        file = Path(name) / "moderator.toml"
        file.write_text(CONFIG.format(**values), encoding="utf-8")
        from moderator.cli.init import create_database
        from moderator.settings import load_config

        create_database(load_config(file))
        ours, floor = paired(
            [sys.executable, "-m", "moderator", "--config", str(file), "tick"],
            [sys.executable, "-c", FLOOR.format(**values)],
            RUNS,
        )
    print(f"  idle tick        CPU {ours.cpu * 1000:6.1f} ms  wall {ours.wall * 1000:6.1f} ms  {ours.rss:5.1f} MiB")
    print(f"  bare imapclient  CPU {floor.cpu * 1000:6.1f} ms  wall {floor.wall * 1000:6.1f} ms  {floor.rss:5.1f} MiB")
    at_most("CPU beside bare imapclient", ours.cpu / floor.cpu, 1.8)
    at_most("memory", ours.rss, 30, " MiB")


if __name__ == "__main__":
    run()
