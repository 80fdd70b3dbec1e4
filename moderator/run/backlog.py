"""A run over much waiting mail: whether it is one, and the mails about it at its end."""

from __future__ import annotations

import traceback
from datetime import datetime

from moderator.common.errors import StoreError, TransientError, format_error_place
from moderator.delivery import backlog
from moderator.run.fetch import RunSummary
from moderator.service.desk import Desk
from moderator.settings import Config
from moderator.store.database import Store
from moderator.store.due_work import PendingWork
from moderator.views.match_cache import MatchCache


def begin_backlog(config: Config, store: Store, cache: MatchCache, left: PendingWork, summary: RunSummary) -> None:
    """Prepare the run before the mails are handled: decide whether everybody gets one mail, and write pending rulings.

    Everybody gets one mail if much mail waits, or an earlier such run was not brought to its end; after an outage
    ``cache.catching_up`` is set already. Rulings that the house list lacks, since the run that took them could not
    write it, are written now."""
    store.trouble = summary.add_trouble
    if left.rulings:
        store.run_callback(cache.write_rulings)
    summary.waiting = left.mails
    cache.catching_up = cache.catching_up or left.deferred_news or left.mails > config.guard.backlog


def send_backlog_mails(config: Config, store: Store, cache: MatchCache, now: datetime, summary: RunSummary) -> None:
    """Build one mail for each player after everything that this run does, each in a transaction of its own. A mail that
    our own code cannot make stays to be made; the others are sent."""
    if not cache.catching_up:
        return
    from moderator.run.deadlines import run_isolated
    from moderator.store.tables import PlayerRow

    cache.catching_up = False
    with store.begin_transaction() as session:
        readers = backlog.list_backlog_readers(Desk(config, session, now, cache))
    for number in readers:
        try:
            for _, made in run_isolated(
                config, store, cache, now, summary, number, backlog.notify_after_backlog, PlayerRow
            ):
                summary.digests += made
        except (StoreError, TransientError):
            raise
        except Exception as error:
            what = f"the mail to player {number} about the backlog"
            summary.add_trouble(f"{what}: {traceback.format_exc().strip()}", f"{what}: {format_error_place(error)}")
