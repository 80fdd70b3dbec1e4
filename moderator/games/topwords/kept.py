"""What the letters are worth that a turn leaves on the rack: ``kept.toml``, made by ``python -m
bench.kept_letters``."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

AGAIN = "again"
"""Every further tile of a letter that is there already."""


def features(kept: Iterable[str]) -> Counter[str]:
    """What is counted of the letters kept: each kind once, and how many tiles are there again."""
    counts = Counter(kept)
    return Counter(dict.fromkeys(counts, 1) | {AGAIN: sum(counts.values()) - len(counts)})


@cache
def values() -> dict[str, float]:
    """Points of each feature."""
    return dict(tomllib.loads(Path(__file__).with_name("kept.toml").read_bytes().decode()))


def worth(kept: Iterable[str]) -> float:
    """Points that the letters kept will bring in the next turn, against others."""
    known = values()
    return sum(known.get(name, 0.0) * count for name, count in features(kept).items())
