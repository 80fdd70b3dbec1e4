"""What time it is by the machine: a club asks its settings (`Config.now`)."""

from __future__ import annotations

from datetime import UTC, datetime


def get_wall_time() -> datetime:
    """Return the machine's time as aware UTC."""
    return datetime.now(UTC)
