"""Turning pages into finished mails, and queueing them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal
from urllib.parse import quote

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.common.mails import File, Ready
from moderator.language import traits
from moderator.language.messages import render_label
from moderator.mail.build import Conversation, compose_mail, compose_repeated_mail
from moderator.notifications.content import DeadlineList
from moderator.notifications.pages import Page, list_tournament_views
from moderator.render import touch_board
from moderator.render.calendar import format_calendar
from moderator.render.mail import render_mail
from moderator.render.mails import answering
from moderator.rules.game import Note
from moderator.settings import Config
from moderator.store import outbox
from moderator.store.database import Session
from moderator.store.outbox import NewOutboxRow
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.links import ensure_player_token
from moderator.views.unit_of_work import MailCopy, Notification, UnitOfWork

# ---- Which of the club's lists a mail comes from, as ``List-Id`` says it, and the address in ``List-Unsubscribe``
# that ends it for its reader (what a mail there does: service/players/wanted_mails.py).
#
# Answers come from no list, nor do the mails of a match to those who play in it: the others wait for them. What comes
# from a list and is waited for has its name, for filters, and no address: a promise that nobody keeps is worse than
# none.


LISTS: Mapping[MailKind, Literal["watching", "tournament", "daily", "notices", "puzzles"]] = {
    # What is reported of a match; only who watches has it from a list.
    MailKind.START: "watching",
    MailKind.TURN: "watching",
    MailKind.END: "watching",
    MailKind.CORRECTION: "watching",
    MailKind.NEWS: "watching",
    MailKind.DIGEST: "daily",
    MailKind.OFFICIAL: "notices",
    MailKind.PUZZLE: "puzzles",
    # Invitations; pairings, results and tables go to those who have joined.
    MailKind.TOURNAMENT: "tournament",
}
"""Mails of all other kinds are answers, questions, or the moderator's own: they come from no list."""


MailingList = tuple[str, str]
"""The list's name within the club (``invitations``, ``daily``, ``k7q2.matches``), and what is written to, to end it,
before the reader's token; "" = it ends with what it is about."""


def find_mailing_list(page: Page, answers: bool) -> MailingList | None:
    """Return the list that a mail comes from. A mail that answers comes from none."""
    where = None if answers else LISTS.get(page.kind)
    if where == "daily":
        return "daily", tokens.DAILY
    if where == "notices":
        return "notices", ""
    if where == "puzzles":
        return "puzzles", tokens.NO_PUZZLE
    if where == "watching" and page.watching and page.match is not None:
        return f"{page.match.code.lower()}.matches", page.match.code
    if where == "tournament":
        for tournament in list_tournament_views(page.content):
            if tournament.topic == "invite":
                return "invitations", tokens.STOP
            return f"{tournament.code.lower()}.tournaments", ""
    return None


def format_list_id(config: Config, label: str) -> str:
    """Return the list's worldwide name (RFC 2919): its label before the club's address, with a dot in place of the
    @."""
    local, _, domain = config.mail.address.lower().rpartition("@")
    return f"{label}.{re.sub(r'[^a-z0-9]+', '-', local).strip('-') or 'club'}.{domain}"


def build_unsubscribe_address(session: Session, config: Config, stop: str, player: PlayerRow) -> str:
    """Return the address to write to in order to leave the list, or an empty text if there is none. The token stands in
    the subject, too, because sub-addresses do not work everywhere."""
    if not stop:
        return ""
    mail, token = config.mail, ensure_player_token(session, player)
    place = tokens.build_token_address(mail.address, mail.subaddress, stop, token)
    return f"{place}?subject={quote(f'unsubscribe [{stop}-{token}]')}"


REFERENCES = 3


def compose_notification(work: UnitOfWork, one: Notification, page: Page | MailCopy) -> NewOutboxRow | None:
    """Make the mail of a notification, whose page is built. None = it is one reply too many today."""
    return _compose_copy(work, one, page) if isinstance(page, MailCopy) else _compose_page(work, one, page)


def _compose_page(work: UnitOfWork, one: Notification, page: Page) -> NewOutboxRow | None:
    """Render the page and fix its Message-ID.

    A reply above the sender's daily cap is not made, unless its reader would not get it another time (``once``; no two
    machines answer each other with legal moves); the mail it would have answered has been handled all the same. The
    last reply within the cap says so."""
    match, seat, player = one.to.match, one.to.seat, one.to.player
    replies = _count_replies_today(work, page.reader.address) if one.answers else 0
    most = work.config.mail.replies_per_day
    if replies > most and not one.once:
        return None
    if replies == most and page.kind != MailKind.BOSS:
        page = replace(page, remarks=(*page.remarks, Note("answers-last", {"count": most})))
    domain = _get_mail_domain(work.config)
    label = f"{match.code}.{match.entries}" if match else page.kind
    message_id = f"<{label}.{secrets.token_hex(8)}@{domain}>"
    theirs = one.mail.message_id if one.answers and one.mail else ""
    thread = _list_thread_ids(match, seat, domain)
    if seat is not None:
        page = _attach_board_page(work.config, page)
    label, stop = find_mailing_list(page, one.answers) or ("", "")
    rendered = render_mail(_attach_calendar(page))
    raw = compose_mail(
        rendered,
        sender=work.config.mail.address,
        sender_name=work.config.club.name,
        recipient=page.reader.address,
        recipient_name=page.reader.name,
        message_id=message_id,
        date=work.now,
        in_reply_to=theirs or (thread[0] if thread else ""),
        conversation=_build_conversation(match) if match else None,
        references=[*thread, *([theirs] if theirs else [])][-REFERENCES:],
        reply_to=page.reply.address if page.reply else "",
        auto="auto-replied" if one.answers else "auto-generated",
        list_id=format_list_id(work.config, label) if label else "",
        list_unsubscribe_mailto=build_unsubscribe_address(work.session, work.config, stop, player) if player else "",
        language=page.reader.language,
    )
    if seat and not seat.thread:
        seat.thread = message_id
        work.session.add(seat)
    return NewOutboxRow(
        raw,
        message_id=message_id,
        recipient=page.reader.address,
        kind=one.outbox_kind or page.kind,
        now=work.now,
        match_id=match.id if match else None,
        round=page.match.round if page.match else 0,
        player_id=seat.player_id if seat else player.id if player else None,
        inbox_id=one.mail.id if one.answers and one.mail else None,
        return_token=_create_return_token(work.config),
    )


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


def _compose_copy(work: UnitOfWork, one: Notification, copy: MailCopy) -> NewOutboxRow | None:
    """Make a mail that its player was sent before once more. As an answer it begins no turn, whatever it says, and is
    not made above the daily cap."""
    player = one.to.player
    if player is None or player.address is None:
        return None
    if one.answers and _count_replies_today(work, player.address) >= work.config.mail.replies_per_day:
        work.cache.replies[player.address] -= 1  # the last one is left to a mail that can say so
        return None
    message_id = f"<again.{secrets.token_hex(12)}@{_get_mail_domain(work.config)}>"
    once_more = compose_repeated_mail(
        copy.raw,
        recipient=player.address,
        recipient_name=player.name,
        message_id=message_id,
        date=work.now,
        in_reply_to=(one.mail.message_id if one.mail else "") if one.answers else None,
    )
    return NewOutboxRow(
        once_more,
        message_id=message_id,
        recipient=player.address,
        kind=copy.kind,
        now=work.now,
        match_id=copy.match_id,
        round=copy.round,
        player_id=player.id,
        inbox_id=one.mail.id if one.answers and one.mail else None,
        return_token=_create_return_token(work.config),
    )


def _get_mail_domain(config: Config) -> str:
    return config.mail.address.rpartition("@")[2]


def queue_composed_mails(config: Config, session: Session, mails: Sequence[NewOutboxRow]) -> list[Ready]:
    """Queue the mails, all at once."""
    plain, made = config.mail.address, []
    for row, one in zip(outbox.add_mails(session, mails), mails, strict=True):
        path = tokens.build_return_path(plain, config.mail.subaddress, one.return_token)
        made.append(Ready(row, path, one.recipient, one.raw, plain, str(one.kind)))
    return made


def _create_return_token(config: Config) -> str:
    """Return a new secret for the address that one mail leaves under; an empty text where the club's mailbox has one
    address only."""
    return tokens.generate_token() if config.mail.subaddress else ""


def _count_replies_today(work: UnitOfWork, address: str) -> int:
    """Count the replies of the last day to this address, with the one that is about to be made. Counted from the
    database once per run (with a report's letters, where it goes with one), then in the cache."""
    work.cache.replies[address] = work.count_replies_today(address) + 1
    return work.cache.replies[address]


# ---- The touch board as a file, in the first mail that a player gets of a match: where the settings want
# it, and no site has the page.


KIND = "text/html; charset=utf-8"


def _attach_board_page(config: Config, page: Page) -> Page:
    """Attach the touch board to the first mail of a match: at its start, or for a reader who has taken over a
    seat. The page opens with the position of the mail, or asks for one where nothing is wanted of its reader yet. Other
    mails are returned as they are."""
    if page.match is None or page.kind != MailKind.START or page.board_page or not config.mail.attach_board:
        return page
    where, language = traits.find_board_page(page.match.game), page.reader.language
    if not where:
        return page
    turn = answering.find_turn_file(page)
    made = touch_board.render_enclosed_page(where, language, page.club, turn.data if turn else b"")
    name = f"{render_label('board-file', language)}-{page.match.code}.html"
    return replace(page, files=(*page.files, File(name, KIND, made)), board_file=name)


# ---- The dates that a reader has asked for, as a file for a calendar.


CALENDAR = "text/calendar; charset=utf-8; method=PUBLISH"


def _attach_calendar(page: Page) -> Page:
    """Attach the dates to the mail that lists them; other mails are returned as they are."""
    if not isinstance(page.content, DeadlineList):
        return page
    data = format_calendar(page.content.dates, language=page.reader.language, name=page.club, now=page.now)
    name = f"{page.content.match}-zat.ics" if page.content.match else "zat.ics"
    return replace(page, files=(*page.files, File(name, CALENDAR, data)))
