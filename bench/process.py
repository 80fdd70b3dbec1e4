"""Whole processes, measured by the operating system's own accounting."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    cpu: float
    """Seconds, user and system."""
    wall: float
    """Seconds."""
    rss: float
    """Peak, MiB."""


# A child's peak memory counts what its parent had before exec, so a small process does the starting.
_STARTER = """
import os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
wall = time.perf_counter() - began
process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)
sys.exit(process.returncode)
"""


def run(command: Sequence[str]) -> Cost:
    """Start, wait, and read the child's own usage. Raises CalledProcessError when it fails."""
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", _STARTER, *command], check=True, stdout=subprocess.PIPE, text=True
    )
    cpu, wall, rss = map(float, done.stdout.split())
    return Cost(cpu, wall, rss)


def paired(ours: Sequence[str], floor: Sequence[str], runs: int) -> tuple[Cost, Cost]:
    """Medians of both, run in turn, so that a drifting machine hits both alike."""
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for command in (ours, floor):
        run(command)
    for _ in range(runs):
        for command, found in zip((ours, floor), costs, strict=True):
            found.append(run(command))
    return _median(costs[0]), _median(costs[1])


def _median(costs: list[Cost]) -> Cost:
    return Cost(*(statistics.median(getattr(c, name) for c in costs) for name in ("cpu", "wall", "rss")))
