"""`make bench`: every figure as a ratio to a floor of the same run. `python -m bench NAME…` runs some.

Each bench has a process of its own, so they run in any order. Ends with 1 if one missed its target or broke off.
"""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

from bench.target import MISSED

ALL = (
    "topwords", "tiles", "pictures", "typdom", "review", "lexicon", "idle", "stored", "season", "tournament",
    "cup_tick", "ratings", "deep", "corpus", "workers", "scale",
    "backlog", "move_in", "site", "letter", "order", "cold", "decided", "statements", "structure", "robots",
)  # fmt: skip
BESIDE_OTHERS = ("peers", "ismcts", "start_up")
"""Beside programs of others: the first needs `node` and takes one from npm; the others need what
`pip install .[bench]` brings. Only by name."""
ALONE = "--alone"


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in ALL + BESIDE_OTHERS]
    if unknown:
        print(f"There is no bench {unknown[0]!r}. Known: {', '.join(ALL + BESIDE_OTHERS)}.", file=sys.stderr)
        return 2
    failed = [name for name in names or ALL if subprocess.call([sys.executable, "-m", "bench", ALONE, name]) != 0]
    if failed:
        print(f"Missed a target, or broke off: {', '.join(failed)}.")
    return 1 if failed else 0


def alone(name: str) -> int:
    module = import_module(f"bench.{name}")
    print(f"{name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
    module.run()
    for line in MISSED:
        print(f"MISSED {name}: {line}", flush=True)
    return 1 if MISSED else 0


arguments = sys.argv[1:]
sys.exit(alone(arguments[1]) if arguments[:1] == [ALONE] else main(arguments))
