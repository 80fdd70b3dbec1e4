"""A mail that says word for word what its writer said a few minutes ago, where that was an order that has been played.

Some mail programs send a mail twice, each time under a Message-ID of its own, and who is not sure whether it went out
presses the button again. Such a copy must not pass another turn. It is held, and its writer is asked. It is no copy if
it answers another mail of ours than the first one did, and it is not asked about while the first order still waits for
its time: then the same once more changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.inbox.sections import bare_subject
from moderator.mail.inbound import read_mail
from moderator.mail.model import Incoming
from moderator.match.contract import Note
from moderator.outbox.match_pages import match_info
from moderator.outbox.post import new_page, reader, reply_to
from moderator.outbox.tell import To, tell
from moderator.pages.messages import move
from moderator.people import waiting
from moderator.people.identify import REPEATED, Identity
from moderator.states import EntryKind, InboxState, MailKind, MatchStatus
from moderator.store import events, inbox
from moderator.store.matches import seats_of
from moderator.store.models import Event, Inbox, Match, Player, Seat

SOON = timedelta(minutes=10)
"""What comes later is meant."""
_ORDERS = (EntryKind.ORDER, EntryKind.MOVE)
_SAYS_NOTHING = (EntryKind.FLAG, EntryKind.CLOCK, EntryKind.EXCUSE, EntryKind.NOTICE)
"""Entries after which an order still is a seat's last."""


@dataclass(frozen=True)
class Again:
    """An order that has come twice."""

    match: Match
    seat: Seat
    order: Event
    first: Inbox
    """The mail that it came with."""


def asked(desk: Desk, row: Inbox, writer: Identity, mail: Incoming) -> bool:
    """Whether the mail is such a copy: it is held then, and its writer asked, once in a row of them."""
    player = writer.player
    again = () if _nothing_since(desk, row, writer) else _found(desk, row, player, mail)
    if not again:
        return False
    before = inbox.held_of(desk.session, REPEATED, player.number)
    copy = any(abs(one.received_at - row.received_at) <= SOON and one.subject == row.subject for one in before)
    for one in before if not copy else ():
        one.state, one.token = InboxState.DROPPED, ""
        desk.session.add(one)
    row.state, row.note = InboxState.DROPPED if copy else InboxState.CONFIRM, REPEATED
    waiting.belongs(desk, row, player, again[0].match)
    if not copy:
        row.told_at, row.token = desk.now, tokens.new_token()  # no matter for the moderator
        _ask(desk, row, player, again)
    return True


def _nothing_since(desk: Desk, row: Inbox, writer: Identity) -> bool:
    """Whether the match that the mail is for has had nothing done in it for so long that there is no first one."""
    last = desk.last_entries.get(writer.match.number) if writer.match else None
    return last is not None and last < row.received_at - SOON


def _ask(desk: Desk, row: Inbox, player: Player, again: Sequence[Again]) -> None:
    one = again[0] if len(again) == 1 else None
    notes = [Note("repeated-copy", {"at": again[0].first.received_at})]
    for each in again:
        notes += _what_stands(desk, each, player.language)
    page = new_page(
        desk,
        MailKind.REPEATED,
        reader(player),
        match=match_info(one.match, desk.cache.live(desk.session, one.match), player.language) if one else None,
        reply=reply_to(desk, tokens.CONFIRM, row.token),
        notes=tuple(notes),
    )
    tell(desk, To(player, one.match, one.seat) if one else To(player), page, answers=True, once=True)


def _what_stands(desk: Desk, again: Again, language: str) -> Iterator[Note]:
    """What of the first one counts, and what is wanted now."""
    live, match = desk.cache.live(desk.session, again.match), again.match
    order = move(again.order.text, language, match.game)
    yield Note("repeated-first", {"order": order, "match": match.code, "match_name": match.name})
    players = desk.players(match)
    if again.seat.number in live.missing:
        yield Note("repeated-yours")
    elif live.missing:
        yield Note("repeated-others", {"names": [players[seat].name for seat in live.missing]})


def _found(desk: Desk, row: Inbox, player: Player, mail: Incoming) -> tuple[Again, ...]:
    """The orders that come once more with this mail; () = it is no copy, or changes nothing. Of the mails before it
    only those are read whose order is a seat's last and had its effect: one or two, however many came."""
    before = inbox.lately(desk.session, row, SOON)
    if not before:
        return ()
    places = {(match.number, seat.number): (match, seat) for match, seat in seats_of(desk.session, player.number)}
    orders = events.of_mails(desk.session, before, {number for number, _ in places}, _ORDERS)
    last: dict[tuple[int, int | None], str] = {}
    effective: dict[int, list[Again]] = {}
    for order in reversed(orders):
        at = (order.match_id, order.seat)
        if at not in places or last.setdefault(at, order.text) != order.text:
            continue
        if _has_had_its_effect(desk, *places[at], order):
            first = before[order.inbox_id or 0]
            effective.setdefault(first.id or 0, []).insert(0, Again(*places[at], order, first))
    for number, again in effective.items():
        first = before[number]
        if _said(read_mail(first.raw, full=not first.truncated)) == _said(mail):
            return tuple(again)
    return ()


def _said(mail: Incoming) -> tuple[object, ...]:
    """All by which somebody could have meant another thing."""
    words = tuple(" ".join(line.text.split()) for line in mail.lines)
    to = frozenset(tokens.carried((*mail.recipients, mail.subject)))
    return tuple(filter(None, words)), bare_subject(mail.subject), to, mail.in_reply_to[:1]


def _has_had_its_effect(desk: Desk, match: Match, seat: Seat, order: Event) -> bool:
    """Whether it was played or has passed, and the seat's player has sent nothing since; nothing was taken back."""
    if match.status != MatchStatus.RUNNING:
        return False
    live = desk.cache.live(desk.session, match)
    if seat.number in live.table.out or live.table.orders.get(seat.number, "") == order.text:
        return False
    for entry in events.behind(desk.session, match.number, order.n):
        if entry.kind == EntryKind.UNDO:
            return False
        played = entry.kind == EntryKind.MOVE and entry.text == order.text
        if entry.seat == seat.number and not played and entry.kind not in _SAYS_NOTHING:
            return False
    return True
