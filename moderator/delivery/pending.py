"""What waits to be told, as rows of the table ``deferrednews``: in a backlog until the end of the run, and where our
own code could not make a mail of it, until it can.

A row is written in the transaction of the deed (``store/club_tables.py``), so a run that dies loses nothing;
``backlog.py`` makes mails of them. It holds what cannot be had again later."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from moderator.common.enums import MailKind
from moderator.common.typed import build_dataclass
from moderator.notifications.pages import MailPayload, Page, PendingCommand, Receipt, TournamentTopic
from moderator.rules import events, outcomes
from moderator.rules.events import Happened
from moderator.rules.outcomes import OrderDecision
from moderator.store import club_tables
from moderator.store.database import Session
from moderator.store.tables import DeferredNews
from moderator.views.notification import DailyMail, MailCopy, MatchNews, News, Notification, TournamentNews

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
