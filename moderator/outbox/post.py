"""Turning pages into finished mails in the outbox."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.club.referees import Official, token_of
from moderator.mail.compose import Conversation, again, compose
from moderator.mail.model import Ready
from moderator.match.contract import Note
from moderator.outbox.lists import list_id, listed, secret_of, stop_address
from moderator.pages.mail import render
from moderator.pages.pages import Page, Reader, Reply
from moderator.states import MailKind
from moderator.store import outbox
from moderator.store.models import Match, Player, Seat
from moderator.store.outbox import Made

REFERENCES = 3

A_DAY = timedelta(days=1)
"""So long replies to one address are counted."""


def reader(player: Player) -> Reader:
    """The person as the templates see them. Raises ValueError for a robot, which reads nothing."""
    if player.address is None:
        raise ValueError(f"{player.name} has no address")
    return Reader(player.name, player.address, player.language, player.zone, player.board, player.same_subject)


def official_reader(desk: Desk, who: Official) -> Reader:
    """The chief or a referee as a reader."""
    return Reader(who.name, who.address, who.language, desk.config.club.zone, referee=not who.chief)


def reply_to(desk: Desk, code: str, token: str) -> Reply:
    """Address and subject that bring an answer back to the right place."""
    mail = desk.config.mail
    return Reply(tokens.address(mail.address, mail.subaddress, code, token), f"[{code}-{token}]")


def plain_reply(desk: Desk) -> Reply:
    """An answer that belongs to no match, and proves nobody."""
    return Reply(desk.config.mail.address, "")


def personal_reply(desk: Desk, player: Player, match: Match | None = None, seat: Seat | None = None) -> Reply:
    """The player's answer to a mail that nobody else gets: about the seat, or about no match."""
    if match is not None and seat is not None:
        return reply_to(desk, match.code, seat.token)
    return plain_reply(desk) if player.robot else reply_to(desk, tokens.PLAYER, secret_of(desk, player))


def new_page(desk: Desk, kind: MailKind, to: Reader, **more: Any) -> Page:
    """A page with what every mail of this club has."""
    club = desk.config.club
    return Page(kind, to, club.name, desk.now, club_zone=club.zone, **more)


def official_page(desk: Desk, kind: MailKind, who: Official, **more: Any) -> Page:
    """A page for the chief or a referee. What asks nothing of its own is answered by commands."""
    if "reply" not in more:
        more["reply"] = reply_to(desk, tokens.BOSS, token_of(desk, who))
    return new_page(desk, kind, official_reader(desk, who), **more)


def post(
    desk: Desk,
    page: Page,
    *,
    match: Match | None = None,
    seat: Seat | None = None,
    player: Player | None = None,
    answers: bool,
    news: bool = False,
    kind: MailKind | None = None,
) -> bool:
    """Render, fix the Message-ID and queue. ``answers``: this mail replies to the one at hand; ``player``: who reads it
    without a seat.

    A reply above the sender's daily cap is not made, unless it is ``news``, which it would not get another time (no
    two machines answer each other with legal moves); the mail it would have answered has been handled all the same. The
    last one within the cap says so. Returns whether the mail was made.
    """
    replies = _replies(desk, page.reader.address) if answers else 0
    most = desk.config.mail.replies_per_day
    if replies > most and not news:
        return False
    if replies == most and page.kind != MailKind.BOSS:
        page = replace(page, remarks=(*page.remarks, Note("answers-last", {"count": most})))
    domain = desk.config.mail.address.rpartition("@")[2]
    label = f"{match.code}.{match.entries}" if match else page.kind
    message_id = f"<{label}.{secrets.token_hex(8)}@{domain}>"
    theirs = desk.mail.message_id if answers and desk.mail else ""
    thread = _root(match, seat, domain)
    found = listed(page, answers)
    rendered = render(page)
    raw = compose(
        rendered,
        sender=desk.config.mail.address,
        sender_name=desk.config.club.name,
        recipient=page.reader.address,
        recipient_name=page.reader.name,
        message_id=message_id,
        date=desk.now,
        in_reply_to=theirs or (thread[0] if thread else ""),
        conversation=_conversation(match) if match else None,
        references=[*thread, *([theirs] if theirs else [])][-REFERENCES:],
        reply_to=page.reply.address if page.reply else "",
        auto="auto-replied" if answers else "auto-generated",
        list_id=list_id(desk, found) if found else "",
        list_unsubscribe_mailto=stop_address(desk, found, player) if found and player else "",
        language=page.reader.language,
    )
    if seat and not seat.thread:
        seat.thread = message_id
        desk.session.add(seat)
    made = Made(
        raw,
        message_id=message_id,
        recipient=page.reader.address,
        kind=kind or page.kind,
        now=desk.now,
        match_id=match.id if match else None,
        round=page.match.round if page.match else 0,
        player_id=seat.player_id if seat else player.id if player else None,
        inbox_id=desk.inbox_id if answers else None,
        return_token=_return_token(desk),
    )
    _queue(desk, made)
    return True


def _conversation(match: Match) -> Conversation:
    """All mails about a match, in each mailbox."""
    key = f"{match.code} {match.created_at:%Y-%m-%d %H:%M:%S}"
    return Conversation(f"{match.name} [{match.code}]".strip(), key, match.created_at)


def _root(match: Match | None, seat: Seat | None, domain: str) -> list[str]:
    """Message-ID of what all mails of a match answer: a seat's first mail; for who has no seat a name that no mail
    has, which holds them together just as well."""
    if seat is not None:
        return [seat.thread] if seat.thread else []
    return [f"<{match.code}.{match.created_at:%Y%m%d%H%M%S}@{domain}>"] if match else []


def post_again(
    desk: Desk, raw: bytes, player: Player, *, match_id: int | None, round: int, kind: MailKind = MailKind.AGAIN
) -> None:
    """Queue a mail that this player was sent before once more. ``AGAIN``: as the answer to the mail at hand, not above
    the daily cap; it begins no turn, whatever it says. Any other kind never came, and is what it was."""
    if player.address is None:
        return
    answers = kind == MailKind.AGAIN
    if answers and _replies(desk, player.address) >= desk.config.mail.replies_per_day:
        desk.cache.replies[player.address] -= 1  # the last one is left to a mail that can say so
        return
    domain = desk.config.mail.address.rpartition("@")[2]
    message_id = f"<again.{secrets.token_hex(12)}@{domain}>"
    once_more = again(
        raw,
        recipient=player.address,
        recipient_name=player.name,
        message_id=message_id,
        date=desk.now,
        in_reply_to=(desk.mail.message_id if desk.mail else "") if answers else None,
    )
    made = Made(
        once_more,
        message_id=message_id,
        recipient=player.address,
        kind=kind,
        now=desk.now,
        match_id=match_id,
        round=round,
        player_id=player.id,
        inbox_id=desk.inbox_id if answers else None,
        return_token=_return_token(desk),
    )
    _queue(desk, made)


@contextmanager
def together(desk: Desk) -> Iterator[None]:
    """The mails that are made in the block are queued at its end, all at once; none of them if it fails."""
    desk.unqueued = []
    try:
        yield
        _queue_all(desk, desk.unqueued)
    finally:
        desk.unqueued = None


def _queue(desk: Desk, made: Made) -> None:
    if desk.unqueued is None:
        _queue_all(desk, [made])
    else:
        desk.unqueued.append(made)


def _queue_all(desk: Desk, mails: Sequence[Made]) -> None:
    desk.posted += [_ready(desk, row, made) for row, made in zip(outbox.put(desk.session, mails), mails, strict=True)]


def _return_token(desk: Desk) -> str:
    """A secret for the address that one mail leaves under; "" where the club's mailbox has one address only."""
    return tokens.new_token() if desk.config.mail.subaddress else ""


def _ready(desk: Desk, row: int, made: Made) -> Ready:
    mail = desk.config.mail
    path = tokens.return_path(mail.address, mail.subaddress, made.return_token)
    return Ready(row, path, made.recipient, made.raw, mail.address, str(made.kind))


def _replies(desk: Desk, address: str) -> int:
    """How many replies of a day this address has had, with the one that is about to be made. Counted from the database
    once per run (with a report's letters, where it goes with one), then along."""
    replies = desk.cache.replies
    if address not in replies:
        replies[address] = outbox.replies_since(desk.session, address, desk.now - A_DAY)
    replies[address] += 1
    return replies[address]
