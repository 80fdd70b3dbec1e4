"""A run over much waiting mail: whether it is one, and the mails about it at its end."""

from __future__ import annotations

import traceback
from datetime import datetime

from moderator.club.desk import Desk
from moderator.club.live import Shelf
from moderator.config import Config
from moderator.errors import StoreError, TransientError
from moderator.inbox import catching_up
from moderator.run.summary import Summary
from moderator.store import inbox
from moderator.store.db import Store


def begin(config: Config, store: Store, shelf: Shelf, summary: Summary) -> None:
    """Before the mails are handled. Everybody is told in one mail if much mail waits, or an earlier such run was not
    brought to its end; after an outage ``shelf.catching_up`` is set already. Rulings that the house list
    lacks, since the run that took them could not write it, are written now."""
    store.trouble = summary.trouble
    with store.marks() as connection:
        left = inbox.left_over(connection)
    if left.rulings:
        store.attempt(shelf.write_rulings)
    summary.waiting = left.mails
    shelf.catching_up = shelf.catching_up or left.untold or left.mails > config.guard.backlog


def end(config: Config, store: Store, shelf: Shelf, now: datetime, summary: Summary) -> None:
    """After everything that this run does: one mail for each player, each in a transaction of its own. A mail that
    our own code cannot make stays to be made; the others go out."""
    if not shelf.catching_up:
        return
    from moderator.run.falling_due import apart

    shelf.catching_up = False
    with store.transaction() as session:
        readers = catching_up.readers(Desk(config, session, now, shelf))
    for number in readers:
        try:
            for _, made in apart(config, store, shelf, now, summary, number, catching_up.tell):
                summary.digests += made
        except (StoreError, TransientError):
            raise
        except Exception:
            summary.trouble(f"the mail to player {number} about the backlog: {traceback.format_exc().strip()}")
