"""Bringing a database to the version this program needs. Only `moderator init` and `upgrade` change one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

HEAD = "0008"
"""The newest migration; a test keeps it equal to what lies in migrations/versions."""


def migrate(engine: Any) -> None:
    """Apply all migrations that are missing."""
    from alembic import command
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect() as connection:
        settings.attributes["connection"] = connection
        command.upgrade(settings, "head")
        connection.commit()
