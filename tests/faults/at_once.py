"""A tick of a copied evening as a process of its own: ``python -m tests.faults.at_once FOLDER`` prints how many mails
it took in, handled and sent. It starts when its standard input ends, so that several start together."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from tests.e2e.killer import PRELOADED


def main(folder: Path) -> None:
    from moderator.config import load
    from moderator.run.tick import tick
    from tests.faults.evening import EVENING

    for name in PRELOADED:
        importlib.import_module(name)
    sys.stdin.read()
    summary = tick(load(folder / "moderator.toml"), lambda: EVENING)
    print(summary.taken, summary.handled, summary.sent)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
