"""What a bench promises. A missed target is named in one line, and `python -m bench` ends with 1."""

from __future__ import annotations

MISSED: list[str] = []
"""Of this process; each bench has one of its own."""


def at_most(what: str, value: float, limit: float, unit: str = "") -> None:
    """Print the figure beside its target."""
    _report(what, value, "at most", limit, unit, value <= limit)


def at_least(what: str, value: float, limit: float, unit: str = "") -> None:
    """Print the figure beside its target."""
    _report(what, value, "at least", limit, unit, value >= limit)


def _report(what: str, value: float, how: str, limit: float, unit: str, met: bool) -> None:
    digits = 2 if abs(value) < 100 else 0
    line = f"{what}: {value:.{digits}f}{unit} (target {how} {limit:g}{unit})"
    print(f"  {line}", flush=True)
    if not met:
        MISSED.append(line)
