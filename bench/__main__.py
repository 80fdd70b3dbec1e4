"""`make bench`: every figure as a ratio to a floor of the same run. `python -m bench NAME…` runs some."""

from __future__ import annotations

import sys
from importlib import import_module

ALL = (
    "topwords", "tiles", "typdom", "lexicon", "idle", "stored", "season", "tournament",
    "cup_tick", "ratings", "deep", "corpus", "workers", "scale",
    "backlog", "site",
)  # fmt: skip


def main() -> None:
    names = sys.argv[1:] or ALL
    for name in names:
        if name not in ALL:
            sys.exit(f"There is no bench {name!r}. Known: {', '.join(ALL)}.")
        module = import_module(f"bench.{name}")
        print(f"{name}: {(module.__doc__ or '').splitlines()[0]}", flush=True)
        module.run()


main()
