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
from datetime import date, datetime
from enum import Enum
from typing import Any

from moderator.common.enums import MailKind
from moderator.common.errors import ModeratorError, format_error_place
from moderator.common.mails import Ready
from moderator.common.typed import build_dataclass
from moderator.delivery.compose import compose_notification, queue_composed_mails
from moderator.delivery.pages import PageBuilder
from moderator.notifications.pages import MailPayload, Page, PendingCommand, Receipt, TournamentTopic
from moderator.rules import events, outcomes
from moderator.rules.events import Happened
from moderator.rules.outcomes import OrderDecision
from moderator.settings import Config
from moderator.store import club_tables
from moderator.store.database import Session, on_commit, translate_database_errors
from moderator.store.outbox import NewOutboxRow
from moderator.store.tables import DeferredNews
from moderator.views.loaded_match import MatchSuspended
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import DailyMail, MailCopy, MatchNews, News, Notification, TournamentNews, UnitOfWork


class Delivery(Enum):
    NOW = "now"
    DAILY = "daily"
    """The daily mail tells it."""
    AFTER_RUN = "after the run"
    """One mail at the end of the run tells it, with all else."""
    NOBODY = "nobody"


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


def find_delivery(one: Notification, backlog: bool) -> Delivery:
    """Find out when the reader learns of it. ``backlog``: so much mail waited that everybody is told of it in one mail
    at the end of the run."""
    rule, player = RULES.get(one.kind, MailRule()), one.to.player
    if one.waited:
        return Delivery.NOW
    if player is not None and not one.answers:
        if player.address is None or (rule.only_reachable and player.undeliverable):
            return Delivery.NOBODY
        if player.digest and rule.daily:
            return Delivery.DAILY
    waits = player is not None or (one.kind == MailKind.NOTICE and not one.to.referee)
    return Delivery.AFTER_RUN if backlog and rule.after_run and waits else Delivery.NOW


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
def open_delivering_work(config: Config, session: Session, now: datetime, cache: MatchCache) -> Iterator[UnitOfWork]:
    """Open a unit of work; whatever is noted there is delivered when the block ends without an error."""
    work = UnitOfWork(config, session, now, cache)
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
    for one in merge_notifications(noted):
        match find_delivery(one, work.cache.catching_up):
            case Delivery.AFTER_RUN:
                store_pending(work.session, one, work.now)
            case Delivery.NOW:
                mails += _compose_or_keep(work, builder, one, known_faults)
    return queue_composed_mails(work.config, work.session, mails) if mails else []


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


# ---- what waits to be told, as rows of the table ``deferrednews``: in a backlog until the end of the run, and where
# our own code could not make a mail of it, until it can
#
# A row is written in the transaction of the deed (``store/club_tables.py``), so a run that dies loses nothing;
# ``run/backlog.py`` makes mails of them. It holds what cannot be had again later.


MOST_MAILS = 100
"""So many mails of a player are answered for line by line."""
_MOMENT, _DAY, _DECIDED, _HAPPENED = "$moment", "$day", "$decided", "$happened"


def is_storable(one: Notification) -> bool:
    """Return whether a row says all that the mail needs: a mail that only shows what was asked for cannot be told from
    one."""
    match one.news:
        case Page() as page:
            known = one.to.player is not None or (page.kind == MailKind.NOTICE and not one.to.referee)
            return known and page.content is None
        case MailCopy() | DailyMail():
            return False
    return True


def store_pending(session: Session, one: Notification, now: datetime, fault: str = "") -> None:
    """Store what somebody is to read later. ``fault``: why no mail could be made of it; "" = it waits for the end of
    the run."""
    player, match, kind, payload = one.to.player, one.to.match, one.kind, build_payload(one.news)
    if player is not None and player.digest and kind != MailKind.NEWS:
        payload = dataclasses.replace(payload, press=())  # the daily mail brings them
    if player is not None and payload.receipt and club_tables.has_more_news_than(session, player.number, MOST_MAILS):
        payload = dataclasses.replace(payload, receipt=Receipt(payload.receipt.decided))
    session.add(
        DeferredNews(
            player_id=player.id if player else None,
            match_id=match.id if match else None,
            inbox_id=one.mail.id if one.mail else None,
            kind=kind,
            entry=match.entries if match else 0,
            said=encode_payload(payload),
            at=min(one.mail.received_at, now) if one.mail else now,
            fault=fault,
        )
    )


def build_payload(news: News) -> MailPayload:
    """Return what of it cannot be had again later."""
    match news:
        case MatchNews():
            return news.payload
        case TournamentNews():
            return MailPayload(notes=news.notes, tournament=TournamentTopic(news.tournament.number, news.topic))
        case PendingCommand():
            return MailPayload(asked=news)
        case Page():
            return MailPayload(news.reports, news.notes, news.press, news.receipt, happened=news.happened)
    raise TypeError(f"{type(news).__name__} does not wait")


def encode_payload(payload: MailPayload) -> dict[str, Any]:
    """Return plain values. ``decode_payload(encode_payload(payload)) == payload``, but that tuples in the parameters of
    notes become lists."""
    values: dict[str, Any] = _to_plain_value(payload)
    return values


def decode_payload(values: Mapping[str, Any]) -> MailPayload:
    return build_dataclass(MailPayload, _from_plain_value(values), "what is to be told")


def _to_plain_value(value: Any) -> Any:
    if isinstance(value, OrderDecision):
        return {_DECIDED: outcomes.outcome_code(value), "words": list(outcomes.list_undecided_words(value))}
    if isinstance(value, Happened):
        return {_HAPPENED: events.encode_match_event(value)}
    if dataclasses.is_dataclass(value):
        fields = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name: _to_plain_value(given) for field, given in fields if given != field.default}
    if isinstance(value, Mapping):
        return {str(key): _to_plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_to_plain_value(item) for item in value]
    if isinstance(value, datetime):
        return {_MOMENT: value.isoformat()}
    return {_DAY: value.isoformat()} if isinstance(value, date) else value


def _from_plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        if _MOMENT in value:
            return datetime.fromisoformat(value[_MOMENT])
        if _DAY in value:
            return date.fromisoformat(value[_DAY])
        if _DECIDED in value:
            return outcomes.get_outcome_by_code(value[_DECIDED], value["words"])
        if _HAPPENED in value:
            return events.decode_match_event(value[_HAPPENED])
        left_out = ("standing",) if "decided" in value else ()  # of a receipt, up to 0.24
        return {key: _from_plain_value(item) for key, item in value.items() if key not in left_out}
    return (
        [_from_plain_value(item) for item in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else value
    )
