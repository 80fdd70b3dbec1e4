"""The end of each transaction: of what was noted in the unit of work, mails are made, or it is kept for later.

Of one transaction, or of one backlog, a reader gets one mail about a match, as it stands at the end. When the reader
learns of it is a table of the kind of mail, what its reader wants, and what the run is doing. The mails are queued with
the deeds that they tell of. Where our own code cannot make one, what it would have said is kept, the operator is told,
and the deed stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from moderator.common.enums import MailKind
from moderator.common.errors import ModeratorError, format_error_place
from moderator.common.mails import Ready
from moderator.delivery.compose import compose_notification, queue_composed_mails
from moderator.delivery.pages import PageBuilder
from moderator.delivery.pending import is_storable, store_pending
from moderator.notifications.pages import MailPayload
from moderator.settings import Config
from moderator.store.database import Session, on_commit, translate_database_errors
from moderator.store.outbox import NewOutboxRow
from moderator.store.tables import InboxRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.notification import MatchNews, Notification
from moderator.views.unit_of_work import UnitOfWork


class Delivery(Enum):
    NOW = "now"
    DAILY = "daily"
    """The daily mail tells it."""
    AFTER_RUN = "after the run"
    """One mail at the end of the run tells it, with all else."""
    NOBODY = "nobody"


class RunMode(Enum):
    USUAL = "usual"
    BACKLOG = "backlog"
    """So much mail waited that everybody is told of it in one mail at the end of the run."""


@dataclass(frozen=True)
class ReaderPreferences:
    """The reader: a player, or the chief or a referee."""

    is_player: bool = True
    has_mailbox: bool = True
    """Robots have none."""
    reachable: bool = True
    """No mail to the address was refused for good."""
    daily: bool = False
    """One mail a day is wanted."""
    is_referee: bool = False
    """A referee, to whom notices go at once."""


@dataclass(frozen=True)
class MailRule:
    daily: bool = False
    """Whoever wants one mail a day reads it there."""
    after_run: bool = False
    """It waits for the end of a run over a backlog. Beginnings, ends, and questions that need an answer don't."""
    only_reachable: bool = False
    """Not sent unasked to an address that no mail gets through to. Reports are: they try it again."""


RULES: Mapping[MailKind, MailRule] = {
    MailKind.TURN: MailRule(daily=True, after_run=True),
    MailKind.REMINDER: MailRule(daily=True, after_run=True, only_reachable=True),
    MailKind.RECEIPT: MailRule(after_run=True),
    MailKind.CORRECTION: MailRule(after_run=True),
    MailKind.STATUS: MailRule(after_run=True, only_reachable=True),
    MailKind.REFEREE: MailRule(after_run=True, only_reachable=True),
    MailKind.DONE: MailRule(after_run=True),
    MailKind.UNREAD: MailRule(after_run=True),
    MailKind.NEWS: MailRule(after_run=True),
    MailKind.NOTICE: MailRule(after_run=True),
    MailKind.ASKED: MailRule(after_run=True),
    MailKind.TOURNAMENT: MailRule(only_reachable=True),
    MailKind.DIGEST: MailRule(only_reachable=True),
    MailKind.PUZZLE: MailRule(only_reachable=True),
}
"""Mails of all other kinds go out at once."""


def route(kind: MailKind, reader: ReaderPreferences, mode: RunMode, *, answers: bool) -> Delivery:
    """Return when the reader learns of it. ``answers``: the mail replies to one of the reader's."""
    rule = RULES.get(kind, MailRule())
    if reader.is_player and not answers:
        if not reader.has_mailbox or (rule.only_reachable and not reader.reachable):
            return Delivery.NOBODY
        if reader.daily and rule.daily:
            return Delivery.DAILY
    waits = reader.is_player or (kind == MailKind.NOTICE and not reader.is_referee)
    return Delivery.AFTER_RUN if mode is RunMode.BACKLOG and rule.after_run and waits else Delivery.NOW


REPORTS = (MailKind.END, MailKind.CORRECTION, MailKind.START, MailKind.TURN, MailKind.RECEIPT)
"""Mails that report what has happened; of two the one that is named first says what the mail is."""


def merge_notifications(noted: Sequence[Notification]) -> list[Notification]:
    """Merge the reports of a match to one reader into the last of them: all of them would show the same position."""
    merged: dict[object, Notification] = {}
    for number, one in enumerate(noted):
        key: object = number
        if isinstance(one.news, MatchNews) and one.kind in REPORTS and one.to.player and one.to.match:
            key = one.to.player.number, one.to.match.number
            if key in merged:
                one = _merge_reports(merged.pop(key), one)
        merged[key] = one
    return list(merged.values())


def _merge_reports(earlier: Notification, later: Notification) -> Notification:
    assert isinstance(earlier.news, MatchNews)
    assert isinstance(later.news, MatchNews)
    first, then = earlier.news.payload, later.news.payload
    if then.reports:  # what was noted before these moves is told before them
        reports = (
            dataclasses.replace(then.reports[0], before=(*first.notes, *then.reports[0].before)),
            *then.reports[1:],
        )
        first, then = dataclasses.replace(first, notes=()), dataclasses.replace(then, reports=reports)
    payload = dataclasses.replace(
        merge_payloads((first, then)), press=(*first.press, *then.press), receipt=then.receipt or first.receipt
    )
    kind = min(earlier.kind, later.kind, key=REPORTS.index)
    news = MatchNews(kind, payload, later.news.with_tournament)
    answers, once = earlier.answers or later.answers, earlier.once or later.once
    return dataclasses.replace(later, news=news, answers=answers, once=once)


def merge_payloads(payloads: Sequence[MailPayload]) -> MailPayload:
    """Merge what has happened in one match: moves, notes, events; each note once."""
    notes = {repr(note): note for one in payloads for note in one.notes}
    since = [one.since for one in payloads if one.since is not None]
    reports = tuple(report for one in payloads for report in one.reports)
    happened = tuple(dict.fromkeys(each for one in payloads for each in one.happened))
    return MailPayload(reports=reports, notes=tuple(notes.values()), since=min(since, default=None), happened=happened)


@contextmanager
def open_delivering_work(
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
        if not is_storable(one):
            raise
        fault = format_error_place(error)
        store_pending(work.session, one, work.now, fault)
        if fault not in known_faults:
            who = one.to.player.name if one.to.player else "the moderator"
            line = f"a mail to {who} could not be made ({fault}); it is kept until it can be"
            on_commit(work.session, lambda store: store.trouble(line))
        return []
    return [made] if made is not None else []
