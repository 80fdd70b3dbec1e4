"""The only way to a player, and to the moderator: it alone decides when somebody reads something.

A mail is made at once, unless its reader is told of that in the daily mail (digest.py), or, while a backlog is
handled, in the one mail at the end of the run. What that will tell is kept in the transaction of the deed
(``store/notifications.py``), so a run that dies loses nothing; ``backlog.py`` tells."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from moderator.common.enums import MailKind
from moderator.common.typed import build_dataclass
from moderator.delivery.compose import compose_and_queue, queue_mail_copy
from moderator.notifications.pages import NOTHING, MailPayload, Page, Receipt
from moderator.notifications.task import StaffMember
from moderator.rules import events, outcomes
from moderator.rules.events import Happened
from moderator.rules.game import Note
from moderator.rules.outcomes import OrderDecision
from moderator.store import notifications
from moderator.store.tables import DeferredNews, MatchRow, OutboxRow, PlayerRow, SeatRow
from moderator.views.desk import Desk
from moderator.views.mail_pages import build_staff_page
from moderator.views.people import find_staff_in_charge, get_chief

DAILY: frozenset[MailKind] = frozenset({MailKind.TURN, MailKind.REMINDER})
"""What a player who wants one mail a day reads there."""
LATER: frozenset[MailKind] = frozenset(
    {
        MailKind.TURN,
        MailKind.RECEIPT,
        MailKind.CORRECTION,
        MailKind.STATUS,
        MailKind.REMINDER,
        MailKind.REFEREE,
        MailKind.DONE,
        MailKind.UNREAD,
        MailKind.NEWS,
        MailKind.NOTICE,
    }
)
"""Mails that wait for the end of a run over a backlog. Beginnings, ends, and questions that need an answer don't."""
NOT_TO_THE_DEAD: frozenset[MailKind] = frozenset(
    {MailKind.REMINDER, MailKind.STATUS, MailKind.REFEREE, MailKind.TOURNAMENT, MailKind.DIGEST, MailKind.PUZZLE}
)
"""What is not sent unasked to an address that no mail gets through to. Reports are: they try it again."""


@dataclass(frozen=True)
class Recipient:
    """The reader of a mail: a player, with the match that it is about and the seat there (None: a watcher); without a
    player the chief, a referee, or a mailbox of somebody unknown."""

    player: PlayerRow | None = None
    match: MatchRow | None = None
    seat: SeatRow | None = None
    referee: bool = False
    """A referee, to whom notices go at once."""


@dataclass(frozen=True)
class LazyMail:
    """A mail for one reader, whose payload and page are made only when they are wanted."""

    kind: MailKind
    said: Callable[[], MailPayload]
    """What cannot be had again later."""
    page: Callable[[MailPayload], Page]
    """The mail, of that and of how things stand."""


def build_lazy_mail(kind: MailKind, page: Callable[[], Page]) -> LazyMail:
    """Return a lazy mail without a payload: everything in it can be built again later."""
    return LazyMail(kind, lambda: NOTHING, lambda _: page())


def route(
    desk: Desk,
    to: Recipient,
    news: LazyMail | Page,
    *,
    answers: bool = False,
    once: bool = False,
    outbox_kind: MailKind | None = None,
) -> bool:
    """Deliver the mail now or store it for later. ``answers``: it replies to the mail at hand; ``once``: the reader
    would not get it another time, so no daily cap on answers stops it; ``outbox_kind``: the kind that the outbox counts
    it as, if not its own. Returns False if nobody reads it: a robot, a dead address, a day with too many answers, a
    player who reads of it in the daily mail."""
    told = _to_lazy_mail(news) if isinstance(news, Page) else news
    player = to.player
    if player is not None and not answers and not wants_mail(player, told.kind):
        return False
    if (
        desk.cache.catching_up
        and told.kind in LATER
        and (player is not None or (told.kind == MailKind.NOTICE and not to.referee))
    ):
        store_pending(desk, player, told.kind, told.said(), to.match)
        return True
    return deliver_now(desk, to, told.page(told.said()), answers=answers, once=once, outbox_kind=outbox_kind)


def deliver_now(
    desk: Desk,
    to: Recipient,
    page: Page,
    *,
    answers: bool = False,
    once: bool = False,
    outbox_kind: MailKind | None = None,
) -> bool:
    """Deliver a page at once, also one that has waited for the daily mail or for the end of the run."""
    return compose_and_queue(
        desk, page, match=to.match, seat=to.seat, player=to.player, answers=answers, news=once, kind=outbox_kind
    )


def resend_mail(desk: Desk, to: Recipient, raw: bytes, round_number: int) -> None:
    """Send once more a mail that this player was sent before, as the answer to the mail at hand."""
    if to.player is not None and to.match is not None:
        queue_mail_copy(desk, raw, to.player, match_id=to.match.id, round_number=round_number)


def resend_lost_mail(desk: Desk, player: PlayerRow, mail: OutboxRow, raw: bytes) -> None:
    """Send once more a mail that this player never had, as it was or with less in it; it is no answer to the mail at
    hand."""
    queue_mail_copy(desk, raw, player, match_id=mail.match_id, round_number=mail.round, kind=mail.kind)


def wants_mail(player: PlayerRow, kind: MailKind) -> bool:
    """Return whether an unasked mail of this kind is for the player."""
    if player.address is None or (player.undeliverable and kind in NOT_TO_THE_DEAD):
        return False
    return not (player.digest and kind in DAILY)


def _to_lazy_mail(page: Page) -> LazyMail:
    """Wrap a page that is built already."""
    said = MailPayload(page.reports, page.notes, page.press, page.receipt, happened=page.happened)
    return LazyMail(page.kind, lambda: said, lambda _: page)


def notify_staff_with_page(
    desk: Desk, who: StaffMember, page: Page, *, answers: bool = False, once: bool = False
) -> None:
    """Send a page to the chief or a referee."""
    route(desk, Recipient(referee=not who.is_chief), page, answers=answers, once=once)


def notify_staff_member(desk: Desk, who: StaffMember, *notes: Note) -> None:
    """Send a staff member a notice that something needs attention."""
    notify_staff_with_page(desk, who, build_staff_page(desk, MailKind.NOTICE, who, notes=notes))


def notify_chief(desk: Desk, *notes: Note) -> None:
    """Send the chief a notice about the club as a whole."""
    notify_staff_member(desk, get_chief(desk), *notes)


def notify_staff(desk: Desk, match: MatchRow, *notes: Note) -> None:
    """Send a notice about a match to the staff member in charge of it."""
    notify_staff_member(desk, find_staff_in_charge(desk, match), *notes)


# ---- kept until the end of the run ----


MOST_MAILS = 100
"""So many mails of a player are answered for line by line."""
_MOMENT, _DAY, _DECIDED, _HAPPENED = "$moment", "$day", "$decided", "$happened"


def store_pending(
    desk: Desk, player: PlayerRow | None, kind: MailKind, payload: MailPayload, match: MatchRow | None = None
) -> None:
    """Store what the player, or the moderator (None), is to read at the end of the run. ``match``: the match it is
    about."""
    if player is not None and player.digest and kind != MailKind.NEWS:
        payload = dataclasses.replace(payload, press=())  # the daily mail brings them
    if (
        player is not None
        and payload.receipt
        and notifications.has_more_news_than(desk.session, player.number, MOST_MAILS)
    ):
        payload = dataclasses.replace(payload, receipt=Receipt(payload.receipt.decided))
    desk.session.add(
        DeferredNews(
            player_id=player.id if player else None,
            match_id=match.id if match else None,
            inbox_id=desk.inbox_id,
            kind=kind,
            entry=match.entries if match else 0,
            said=encode_payload(payload),
            at=desk.received_at,
        )
    )


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
        if "decided" in value:
            value = {key: item for key, item in value.items() if key != "standing"}  # as versions up to 0.24 stored it
        if "counts" in value:
            return _from_plain_value(_convert_old_receipt(value))
        return {key: _from_plain_value(item) for key, item in value.items()}
    return (
        [_from_plain_value(item) for item in value]
        if isinstance(value, Sequence) and not isinstance(value, str)
        else value
    )


def _convert_old_receipt(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a receipt as versions up to 0.1 stored it, in a row of a run that was not brought to its end."""
    rest = {key: value for key, value in receipt.items() if key not in ("counts", "undecided")}
    name = "unopened" if receipt["counts"] == "nothing" and receipt.get("unopened") else receipt["counts"]
    return {**rest, "decided": {_DECIDED: name, "words": receipt.get("undecided", [])}}
