"""Settings, database and one transaction for a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from moderator.config import load

if TYPE_CHECKING:
    from moderator.desk.desk import Desk


@contextmanager
def opened(config_file: Path | None) -> Iterator[Desk]:
    """A desk whose work is committed when the block ends without an error."""
    from moderator.desk.desk import Desk
    from moderator.desk.live import Shelf
    from moderator.store.db import open_store

    config = load(config_file)
    store = open_store(config.path(config.store.path))
    try:
        with store.transaction() as session:
            yield Desk(config, session, datetime.now(UTC), Shelf(config))
    finally:
        store.close()
