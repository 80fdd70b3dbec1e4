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

from moderator.common import tokens
from moderator.common.enums import HeldFor, InboxState, LogEntryKind, MailKind, MatchStatus
from moderator.common.mails import ParsedMail
from moderator.inbox.job import MailJob
from moderator.inbox.read import strip_reply_prefixes
from moderator.language.messages import write_move
from moderator.mail.parse import parse_mail_bytes
from moderator.rules.game import Note
from moderator.service import held_mails
from moderator.service.notifications import notify_reader
from moderator.store import inbox, matches_log
from moderator.store.matches import list_current_seats
from moderator.store.tables import EventRow, InboxRow, MatchRow, SeatRow
from moderator.views.mail_pages import build_club_page, build_player_reader, build_reply_address
from moderator.views.match_view import build_public_match_view
from moderator.views.notification import Recipient

SOON = timedelta(minutes=10)
"""What comes later is meant."""
_ORDERS = (LogEntryKind.ORDER, LogEntryKind.MOVE)
_SAYS_NOTHING = (LogEntryKind.FLAG, LogEntryKind.CLOCK, LogEntryKind.EXCUSE, LogEntryKind.NOTICE)
"""Entries after which an order still is a seat's last."""


@dataclass(frozen=True)
class RepeatedOrder:
    """An order that has come twice."""

    match: MatchRow
    seat: SeatRow
    order: EventRow
    first: InboxRow
    """The mail that it came with."""


def ask_about_repeat(job: MailJob) -> bool:
    """Return whether the mail is such a copy. It is held then, and its writer is asked, once in a row of copies."""
    work, row, player = job.work, job.row, job.player
    again = () if _is_match_quiet(job) else _find_repeated_orders(job)
    if not again:
        return False
    before = inbox.list_repeats_of_player(work.session, player.number)
    copy = any(abs(one.received_at - row.received_at) <= SOON and one.subject == row.subject for one in before)
    if copy:
        held_mails.end_hold(work.session, row, InboxState.DROPPED, "an order came once more, word for word")
        return True
    for one in before:
        held_mails.end_hold(work.session, one, InboxState.DROPPED, one.note)
    note = "an order came twice, word for word; its writer was asked"
    held_mails.hold_mail(work.session, row, HeldFor.REPEAT, note, player, again[0].match, InboxState.CONFIRM)
    row.told_at, row.token = work.now, tokens.generate_token()  # no matter for the moderator
    _notify_repeat(job, again)
    return True


def _is_match_quiet(job: MailJob) -> bool:
    """Return whether nothing was done for so long in the match that the mail is for that there can be no first
    order."""
    match = job.sender.match
    last = job.work.last_entries.get(match.number) if match else None
    return last is not None and last < job.row.received_at - SOON


def _notify_repeat(job: MailJob, again: Sequence[RepeatedOrder]) -> None:
    work, row, player = job.work, job.row, job.player
    one = again[0] if len(again) == 1 else None
    notes = [Note("repeated-copy", {"at": again[0].first.received_at})]
    for each in again:
        notes += _iter_repeat_notes(job, each)
    page = build_club_page(
        work.config,
        work.now,
        MailKind.REPEATED,
        build_player_reader(player),
        match=build_public_match_view(one.match, work.cache.load_match(work.session, one.match), player.language)
        if one
        else None,
        reply=build_reply_address(work.config, tokens.CONFIRM, row.token),
        notes=tuple(notes),
    )
    notify_reader(
        work, Recipient(player, one.match, one.seat) if one else Recipient(player), page, answers=True, once=True
    )


def _iter_repeat_notes(job: MailJob, again: RepeatedOrder) -> Iterator[Note]:
    """Yield what of the first order counts, and what is wanted now."""
    work = job.work
    live, match = work.cache.load_match(work.session, again.match), again.match
    order = write_move(again.order.text, job.player.language, match.game)
    yield Note("repeated-first", {"order": order, "match": match.code, "match_name": match.name})
    players = work.list_players(match)
    if again.seat.number in live.seats_wanted:
        yield Note("repeated-yours")
    elif live.seats_wanted:
        yield Note("repeated-others", {"names": [players[seat].name for seat in live.seats_wanted]})


def _find_repeated_orders(job: MailJob) -> tuple[RepeatedOrder, ...]:
    """Return the orders that come once more with this mail; () = it is no copy, or changes nothing. Of the mails before
    it only those are read whose order is a seat's last and had its effect: one or two, however many came."""
    work, mail = job.work, job.mail
    before = inbox.list_recent(work.session, job.row, SOON)
    if not before:
        return ()
    places = {
        (match.number, seat.number): (match, seat)
        for match, seat in list_current_seats(work.session, job.player.number)
    }
    orders = matches_log.list_events_of_mails(work.session, before, {number for number, _ in places}, _ORDERS)
    last: dict[tuple[int, int | None], str] = {}
    effective: dict[int, list[RepeatedOrder]] = {}
    for order in reversed(orders):
        at = (order.match_id, order.seat)
        if at not in places or last.setdefault(at, order.text) != order.text:
            continue
        if _has_taken_effect(job, *places[at], order):
            first = before[order.inbox_id or 0]
            effective.setdefault(first.id or 0, []).insert(0, RepeatedOrder(*places[at], order, first))
    for number, again in effective.items():
        first = before[number]
        if _get_compared_parts(parse_mail_bytes(first.raw, full=not first.is_truncated)) == _get_compared_parts(mail):
            return tuple(again)
    return ()


def _get_compared_parts(mail: ParsedMail) -> tuple[object, ...]:
    """Return all parts of a mail by which its writer could have meant another thing."""
    words = tuple(" ".join(line.text.split()) for line in mail.lines)
    to = frozenset(tokens.find_tokens((*mail.recipients, mail.subject)))
    return tuple(filter(None, words)), strip_reply_prefixes(mail.subject), to, mail.in_reply_to[:1]


def _has_taken_effect(job: MailJob, match: MatchRow, seat: SeatRow, order: EventRow) -> bool:
    """Return whether the order was played or has passed, the seat's player has sent nothing since, and nothing was
    taken back."""
    if match.status != MatchStatus.RUNNING:
        return False
    live = job.work.cache.load_match(job.session, match)
    if seat.number in live.table.out or live.table.orders.get(seat.number, "") == order.text:
        return False
    for entry in matches_log.list_events_after(job.session, match.number, order.n):
        if entry.kind == LogEntryKind.UNDO:
            return False
        played = entry.kind == LogEntryKind.MOVE and entry.text == order.text
        if entry.seat == seat.number and not played and entry.kind not in _SAYS_NOTHING:
            return False
    return True
