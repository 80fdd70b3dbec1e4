"""Rulings on words on their way into the club's house list.

A ruling is a row first, written in the transaction of the deed; the file is brought up to date after the commit. What
could not be written then (a full disk, a process that died) is written by the next run, and counts meanwhile: see
``RunCache.dictionary``. The rows are only what still waits: the list itself is the moderator's to edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moderator.settings import Config
from moderator.store import database, key_values
from moderator.store.database import Session
from moderator.words import house_rulings
from moderator.words.house_rulings import HouseRuling

if TYPE_CHECKING:
    from moderator.service.desk import Desk
    from moderator.store.database import Store


def record_house_ruling(desk: Desk, ruling: HouseRuling) -> None:
    """Record a ruling of the club's; it counts at once. Raises LexiconError for what is no word."""
    line = house_rulings.format_ruling(house_rulings.tidy_ruling(ruling))
    key_values.add_pending_ruling(desk.session, line)
    desk.cache.set_unwritten_rulings(load_unwritten_rulings(desk.session))
    database.on_commit(desk.session, desk.cache.write_rulings)


def load_unwritten_rulings(session: Session) -> list[HouseRuling]:
    """Load the rulings that the list may not have yet, in the order in which they were made."""
    return [house_rulings.parse_ruling(row.value, row.key) for row in key_values.list_pending_rulings(session)]


def flush_house_rulings(config: Config, store: Store) -> None:
    """Append the rulings that wait to the list, and delete their rows. Done twice, it changes nothing. Raises
    LexiconError where the list cannot be read or written."""
    with store.begin_transaction() as session:
        for row in key_values.list_pending_rulings(session, for_update=True):
            house_rulings.append_ruling(
                config.resolve_path(config.words.house), house_rulings.parse_ruling(row.value, row.key)
            )
            session.delete(row)
