"""Turning pages into finished mails in the outbox."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.delivery.lists import build_unsubscribe_address, ensure_player_token, find_mailing_list, format_list_id
from moderator.language.messages import render_label
from moderator.mail.build import Conversation, compose_mail, compose_repeated_mail
from moderator.mail.model import File, Ready
from moderator.notifications.pages import Page, Reader, ReplyAddress
from moderator.render import attachments, touch_board
from moderator.render.mail import render_mail
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.store import outbox
from moderator.store.outbox import NewOutboxRow
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import links
from moderator.views.staff import StaffMember, get_staff_token

REFERENCES = 3

A_DAY = timedelta(days=1)
"""So long replies to one address are counted."""


def reader_of(player: PlayerRow) -> Reader:
    """Return the person as the templates see them. Raises ValueError for a robot, which reads nothing."""
    if player.address is None:
        raise ValueError(f"{player.name} has no address")
    return Reader(player.name, player.address, player.language, player.zone, player.board, player.same_subject)


def build_staff_reader(desk: Desk, who: StaffMember) -> Reader:
    """Return the chief or a referee as a reader."""
    return Reader(who.name, who.address, who.language, desk.config.club.zone, referee=not who.is_chief)


def build_reply_address(desk: Desk, code: str, token: str) -> ReplyAddress:
    """Return address and subject that bring an answer back to the right place."""
    mail = desk.config.mail
    return ReplyAddress(tokens.build_token_address(mail.address, mail.subaddress, code, token), f"[{code}-{token}]")


def build_plain_reply(desk: Desk) -> ReplyAddress:
    """Return a reply address that belongs to no match, and identifies nobody."""
    return ReplyAddress(desk.config.mail.address, "")


def build_personal_reply(
    desk: Desk, player: PlayerRow, match: MatchRow | None = None, seat: SeatRow | None = None
) -> ReplyAddress:
    """Return the address for the player's answer to a mail that nobody else gets: about the seat, or about no match."""
    if match is not None and seat is not None:
        return build_reply_address(desk, match.code, seat.token)
    return (
        build_plain_reply(desk)
        if player.robot
        else build_reply_address(desk, tokens.PLAYER, ensure_player_token(desk, player))
    )


def build_club_page(desk: Desk, kind: MailKind, to: Reader, **more: Any) -> Page:
    """Return a page with what every mail of this club has."""
    club = desk.config.club
    return Page(kind, to, club.name, desk.now, club_zone=club.zone, **more)


def build_staff_page(desk: Desk, kind: MailKind, who: StaffMember, **more: Any) -> Page:
    """Return a page for the chief or a referee. A page without a question of its own is answered by commands."""
    if "reply" not in more:
        more["reply"] = build_reply_address(desk, tokens.BOSS, get_staff_token(desk, who))
    return build_club_page(desk, kind, build_staff_reader(desk, who), **more)


def compose_and_queue(
    desk: Desk,
    page: Page,
    *,
    match: MatchRow | None = None,
    seat: SeatRow | None = None,
    player: PlayerRow | None = None,
    answers: bool,
    news: bool = False,
    kind: MailKind | None = None,
) -> bool:
    """Render the page, fix its Message-ID and queue it. ``answers``: this mail replies to the one at hand; ``player``:
    the reader, if without a seat.

    A reply above the sender's daily cap is not made, unless it is ``news``, which the reader would not get another time
    (no two machines answer each other with legal moves); the mail it would have answered has been handled all the same.
    The last reply within the cap says so. Returns whether the mail was made."""
    replies = _count_replies_today(desk, page.reader.address) if answers else 0
    most = desk.config.mail.replies_per_day
    if replies > most and not news:
        return False
    if replies == most and page.kind != MailKind.BOSS:
        page = replace(page, remarks=(*page.remarks, Note("answers-last", {"count": most})))
    domain = desk.config.mail.address.rpartition("@")[2]
    label = f"{match.code}.{match.entries}" if match else page.kind
    message_id = f"<{label}.{secrets.token_hex(8)}@{domain}>"
    theirs = desk.mail.message_id if answers and desk.mail else ""
    thread = _list_thread_ids(match, seat, domain)
    found = find_mailing_list(page, answers)
    rendered = render_mail(page)
    raw = compose_mail(
        rendered,
        sender=desk.config.mail.address,
        sender_name=desk.config.club.name,
        recipient=page.reader.address,
        recipient_name=page.reader.name,
        message_id=message_id,
        date=desk.now,
        in_reply_to=theirs or (thread[0] if thread else ""),
        conversation=_build_conversation(match) if match else None,
        references=[*thread, *([theirs] if theirs else [])][-REFERENCES:],
        reply_to=page.reply.address if page.reply else "",
        auto="auto-replied" if answers else "auto-generated",
        list_id=format_list_id(desk, found) if found else "",
        list_unsubscribe_mailto=build_unsubscribe_address(desk, found, player) if found and player else "",
        language=page.reader.language,
    )
    if seat and not seat.thread:
        seat.thread = message_id
        desk.session.add(seat)
    made = NewOutboxRow(
        raw,
        message_id=message_id,
        recipient=page.reader.address,
        kind=kind or page.kind,
        now=desk.now,
        match_id=match.id if match else None,
        round=page.match.round if page.match else 0,
        player_id=seat.player_id if seat else player.id if player else None,
        inbox_id=desk.inbox_id if answers else None,
        return_token=_create_return_token(desk),
    )
    _queue_mail(desk, made)
    return True


def _build_conversation(match: MatchRow) -> Conversation:
    """Return the conversation that holds all mails about a match, in each mailbox."""
    key = f"{match.code} {match.created_at:%Y-%m-%d %H:%M:%S}"
    return Conversation(f"{match.name} [{match.code}]".strip(), key, match.created_at)


def _list_thread_ids(match: MatchRow | None, seat: SeatRow | None, domain: str) -> list[str]:
    """Return, as a list of one, the Message-ID that all mails of a match refer to; [] if there is none yet. It is that
    of a seat's first mail; for a reader without a seat an id that no mail has, which holds the thread together just as
    well."""
    if seat is not None:
        return [seat.thread] if seat.thread else []
    return [f"<{match.code}.{match.created_at:%Y%m%d%H%M%S}@{domain}>"] if match else []


def queue_mail_copy(
    desk: Desk,
    raw: bytes,
    player: PlayerRow,
    *,
    match_id: int | None,
    round_number: int,
    kind: MailKind = MailKind.AGAIN,
) -> None:
    """Queue once more a mail that this player was sent before. ``AGAIN``: as the answer to the mail at hand, not above
    the daily cap; it begins no turn, whatever it says. A mail of any other kind never arrived, and is what it was."""
    if player.address is None:
        return
    answers = kind == MailKind.AGAIN
    if answers and _count_replies_today(desk, player.address) >= desk.config.mail.replies_per_day:
        desk.cache.replies[player.address] -= 1  # the last one is left to a mail that can say so
        return
    domain = desk.config.mail.address.rpartition("@")[2]
    message_id = f"<again.{secrets.token_hex(12)}@{domain}>"
    once_more = compose_repeated_mail(
        raw,
        recipient=player.address,
        recipient_name=player.name,
        message_id=message_id,
        date=desk.now,
        in_reply_to=(desk.mail.message_id if desk.mail else "") if answers else None,
    )
    made = NewOutboxRow(
        once_more,
        message_id=message_id,
        recipient=player.address,
        kind=kind,
        now=desk.now,
        match_id=match_id,
        round=round_number,
        player_id=player.id,
        inbox_id=desk.inbox_id if answers else None,
        return_token=_create_return_token(desk),
    )
    _queue_mail(desk, made)


@contextmanager
def queue_mails_together(desk: Desk) -> Iterator[None]:
    """Queue the mails that are made in the block at its end, all at once; none of them if it fails."""
    desk.unqueued = []
    try:
        yield
        _queue_mails(desk, desk.unqueued)
    finally:
        desk.unqueued = None


def _queue_mail(desk: Desk, made: NewOutboxRow) -> None:
    if desk.unqueued is None:
        _queue_mails(desk, [made])
    else:
        desk.unqueued.append(made)


def _queue_mails(desk: Desk, mails: Sequence[NewOutboxRow]) -> None:
    desk.posted += [
        _build_outgoing_mail(desk, row, made)
        for row, made in zip(outbox.add_mails(desk.session, mails), mails, strict=True)
    ]


def _create_return_token(desk: Desk) -> str:
    """Return a new secret for the address that one mail leaves under; an empty text where the club's mailbox has one
    address only."""
    return tokens.generate_token() if desk.config.mail.subaddress else ""


def _build_outgoing_mail(desk: Desk, row: int, made: NewOutboxRow) -> Ready:
    mail = desk.config.mail
    path = tokens.build_return_path(mail.address, mail.subaddress, made.return_token)
    return Ready(row, path, made.recipient, made.raw, mail.address, str(made.kind))


def _count_replies_today(desk: Desk, address: str) -> int:
    """Count the replies of the last day to this address, with the one that is about to be made. Counted from the
    database once per run (with a report's letters, where it goes with one), then in the cache."""
    replies = desk.cache.replies
    if address not in replies:
        replies[address] = outbox.count_replies(desk.session, address, desk.now - A_DAY)
    replies[address] += 1
    return replies[address]


# ---- The page to lay tiles on as a file, in the first mail that a player gets of a match: where the settings want
# it, and no site has the page.


KIND = "text/html; charset=utf-8"


def attach_board_page(desk: Desk, page: Page) -> Page:
    """Attach the page to lay tiles on to the first mail of a match: at its start, or for a reader who has taken over a
    seat. The page opens with the position of the mail, or asks for one where nothing is wanted of its reader yet. Other
    mails are returned as they are."""
    if page.match is None or page.kind != MailKind.START or page.board_page or not desk.config.mail.attach_board:
        return page
    where, language = links.find_board_page(page.match.game), page.reader.language
    if not where:
        return page
    turn = attachments.find_turn_file(page)
    made = touch_board.render_enclosed_page(where, language, page.club, turn.data if turn else b"")
    name = f"{render_label('board-file', language)}-{page.match.code}.html"
    return replace(page, files=(*page.files, File(name, KIND, made)), board_file=name)
