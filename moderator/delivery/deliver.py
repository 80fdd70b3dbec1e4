"""The end of each transaction: mails are made of what was noted in the unit of work, or it is kept for later.

The mails are queued with the deeds that they tell of. Where our own code cannot make one, what it would have said is
kept, the operator is told, and the deed stands."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import datetime

from moderator.common.errors import ModeratorError, format_error_place
from moderator.common.mails import Ready
from moderator.delivery.compose import compose_notification, queue_composed_mails
from moderator.delivery.merge import merge_notifications
from moderator.delivery.pages import PageBuilder
from moderator.delivery.pending import may_be_kept, store_pending
from moderator.delivery.route import Delivery, ReaderPreferences, RunMode, route
from moderator.service.players.daily_mail import notify_daily
from moderator.settings import Config
from moderator.store.database import Session, on_commit, translate_database_errors
from moderator.store.outbox import NewOutboxRow
from moderator.store.tables import InboxRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.notification import Notification
from moderator.views.unit_of_work import UnitOfWork


@contextmanager
def open_delivering_desk(
    config: Config, session: Session, now: datetime, cache: MatchCache, mail: InboxRow | None = None
) -> Iterator[UnitOfWork]:
    """Open a unit of work; whatever is noted there is delivered when the block ends without an error."""
    work = UnitOfWork(config, session, now, cache, mail)
    yield work
    deliver_notifications(work)


def deliver_notifications(work: UnitOfWork, known_faults: Collection[str] = ()) -> list[Ready]:
    """Deliver all that was noted so far, in order; returns the mails that were queued. ``known_faults``: the operator
    knows of these."""
    noted = [*work.notifications]
    work.notifications.clear()
    if not noted:
        return []
    work.session.flush()
    builder, mails = PageBuilder(work), []
    mode = RunMode.BACKLOG if work.cache.catching_up else RunMode.USUAL
    for one in merge_notifications(noted):
        match find_delivery(one, mode):
            case Delivery.AFTER_RUN:
                store_pending(work.session, one, work.now)
            case Delivery.NOW:
                mails += _compose_or_keep(work, builder, one, known_faults)
    return queue_composed_mails(work.config, work.session, mails) if mails else []


def find_delivery(one: Notification, mode: RunMode) -> Delivery:
    """Find out when the reader learns of it."""
    player = one.to.player
    if one.waited:
        return Delivery.NOW
    reader = (
        ReaderPreferences(is_player=False, is_referee=one.to.referee)
        if player is None
        else ReaderPreferences(
            has_mailbox=player.address is not None, reachable=not player.undeliverable, daily=player.digest
        )
    )
    return route(one.kind, reader, mode, answers=one.answers)


def _compose_or_keep(
    work: UnitOfWork, builder: PageBuilder, one: Notification, known_faults: Collection[str]
) -> list[NewOutboxRow]:
    """Make the mail; where our own code fails at it, keep what it would have said. Nothing is written before the mail
    is made, so nothing has to be taken back."""
    try:
        with translate_database_errors(work.config.database):
            page = builder.build_page(one)
            made = compose_notification(work, one, page) if page is not None else None
    except (ModeratorError, MatchSuspended):
        raise
    except Exception as error:
        if not may_be_kept(one):
            raise
        fault = format_error_place(error)
        store_pending(work.session, one, work.now, fault)
        if fault not in known_faults:
            who = one.to.player.name if one.to.player else "the moderator"
            line = f"a mail to {who} could not be made ({fault}); it is kept until it can be"
            on_commit(work.session, lambda store: store.trouble(line))
        return []
    return [made] if made is not None else []


def deliver_daily_mail(work: UnitOfWork, player_id: int) -> bool:
    """Deliver one player's daily mail. Returns False if there was nothing to say, or nobody reads it."""
    notify_daily(work, player_id)
    return bool(deliver_notifications(work))
