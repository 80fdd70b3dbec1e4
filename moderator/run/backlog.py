"""A run over much waiting mail: whether it is one, and the mails about it at its end."""

from __future__ import annotations

import traceback
from datetime import datetime

from moderator.club.desk import Desk
from moderator.club.run_cache import RunCache
from moderator.config import Config
from moderator.errors import StoreError, TransientError, place_of
from moderator.inbox import catching_up
from moderator.run.intake import Summary
from moderator.store.db import Store
from moderator.store.probe import Left


def begin(config: Config, store: Store, cache: RunCache, left: Left, summary: Summary) -> None:
    """Before the mails are handled. Everybody is told in one mail if much mail waits, or an earlier such run was not
    brought to its end; after an outage ``cache.catching_up`` is set already. Rulings that the house list
    lacks, since the run that took them could not write it, are written now."""
    store.trouble = summary.trouble
    if left.rulings:
        store.attempt(cache.write_rulings)
    summary.waiting = left.mails
    cache.catching_up = cache.catching_up or left.deferred_news or left.mails > config.guard.backlog


def end(config: Config, store: Store, cache: RunCache, now: datetime, summary: Summary) -> None:
    """After everything that this run does: one mail for each player, each in a transaction of its own. A mail that
    our own code cannot make stays to be made; the others go out."""
    if not cache.catching_up:
        return
    from moderator.run.falling_due import apart
    from moderator.store.models import Player

    cache.catching_up = False
    with store.transaction() as session:
        readers = catching_up.readers(Desk(config, session, now, cache))
    for number in readers:
        try:
            for _, made in apart(config, store, cache, now, summary, number, catching_up.tell, Player):
                summary.digests += made
        except (StoreError, TransientError):
            raise
        except Exception as error:
            what = f"the mail to player {number} about the backlog"
            summary.trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {place_of(error)}")
