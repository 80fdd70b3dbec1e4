"""What time it is by the machine: a club asks its settings (`Config.now`)."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Aware UTC."""
    return datetime.now(UTC)
