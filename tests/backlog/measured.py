"""A tick in a process of its own: ``python -m tests.backlog.measured CONFIG`` prints what it did, and what memory it
took at most."""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path

from moderator.config import load
from moderator.run.tick import tick

PRELOADED = (
    "moderator.run.backlog",
    "moderator.run.dispatch",
    "moderator.run.handling",
    "moderator.play.deadlines",
    "moderator.games.topwords.rules",
    "css_inline",
    "jinja2",
    "resvg_py",
)
"""What takes long to import and has nothing to do with the number of mails."""


def main(file: Path) -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    began, before = time.perf_counter(), time.process_time()
    summary = tick(load(file))
    found = {
        "seconds": time.perf_counter() - began,
        "processor": time.process_time() - before,
        "mebibytes": _peak() / 1024,
        "handled": summary.handled,
    }
    found |= {"sent": summary.sent, "digests": summary.digests}
    found["troubles"] = [*summary.troubles, *summary.away, *summary.quarantined]
    print(json.dumps(found))


def _peak() -> int:
    """Kibibytes of the process since it was started. Linux: the parent's size at the fork is not counted, unlike in
    ``ru_maxrss``."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main(Path(sys.argv[1]))
