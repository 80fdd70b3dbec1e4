"""Rulings on words on their way into the club's house list.

A ruling is a row first, written in the transaction of the deed; the file is brought up to date after the commit. What
could not be written then (a full disk, a process that died) is written by the next run, and counts meanwhile: see
``RunCache.dictionary``. The rows are only what still waits: the list itself is the moderator's to edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moderator.config import Config
from moderator.store import db, key_values
from moderator.store.db import Session
from moderator.words import house
from moderator.words.house import Ruling

if TYPE_CHECKING:
    from moderator.club.desk import Desk
    from moderator.store.db import Store


def enter(desk: Desk, ruling: Ruling) -> None:
    """A ruling of the club's; it counts at once. Raises LexiconError for what is no word."""
    line = house.as_line(house.tidied(ruling))
    key_values.add_ruling(desk.session, line)
    desk.cache.ruled(waiting(desk.session))
    db.afterwards(desk.session, desk.cache.write_rulings)


def waiting(session: Session) -> list[Ruling]:
    """Rulings that the list may not have yet, in the order of the deeds."""
    return [house.parsed(row.value, row.key) for row in key_values.rulings(session)]


def bring_up_to_date(config: Config, store: Store) -> None:
    """Write what waits at the end of the list, and have it wait no more. Done twice, it changes nothing. Raises
    LexiconError where the list cannot be read or written."""
    with store.transaction() as session:
        for row in key_values.rulings(session, mine=True):
            house.append(config.path(config.words.house), house.parsed(row.value, row.key))
            session.delete(row)
