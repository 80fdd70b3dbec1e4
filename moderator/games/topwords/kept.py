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


def count_leave_features(kept: Iterable[str]) -> Counter[str]:
    """Count the features of the letters that stay on the rack: each kind once, and how many tiles are there again."""
    counts = Counter(kept)
    return Counter(dict.fromkeys(counts, 1) | {AGAIN: sum(counts.values()) - len(counts)})


@cache
def load_leave_values() -> dict[str, float]:
    """Return the points of each feature."""
    return dict(tomllib.loads(Path(__file__).with_name("kept.toml").read_bytes().decode()))


def evaluate_leave(kept: Iterable[str]) -> float:
    """Return the points that the letters that stay on the rack will bring in the next turn, against others."""
    known = load_leave_values()
    return sum(known.get(name, 0.0) * count for name, count in count_leave_features(kept).items())
