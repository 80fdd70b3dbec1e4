"""Turning pages into finished mails in the outbox."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal
from urllib.parse import quote

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.common.mails import File, Ready
from moderator.games import board_pages
from moderator.language.messages import render_label
from moderator.mail.build import Conversation, compose_mail, compose_repeated_mail
from moderator.notifications.pages import Page, list_tournament_views
from moderator.render import attachments, touch_board
from moderator.render.mail import render_mail
from moderator.rules.game import Note
from moderator.store import outbox
from moderator.store.outbox import NewOutboxRow
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views.desk import Desk
from moderator.views.mail_pages import ensure_player_token

# ---- Which of the club's lists a mail comes from, as ``List-Id`` says it, and the address in ``List-Unsubscribe``
# that ends it for its reader (what a mail there does: service/players/unsubscribe.py).
#
# Answers come from no list, nor do the mails of a match to those who play in it: the others wait for them. What comes
# from a list and is waited for has its name, for filters, and no address: a promise that nobody keeps is worse than
# none.


Where = Literal["no list", "watching", "tournament", "daily", "notices", "puzzles"]
WHERE: Mapping[MailKind, Where] = {
    # What is reported of a match; only who watches has it from a list.
    MailKind.START: "watching",
    MailKind.TURN: "watching",
    MailKind.END: "watching",
    MailKind.CORRECTION: "watching",
    MailKind.NEWS: "watching",
    MailKind.REMINDER: "no list",
    MailKind.REFEREE: "no list",
    # In place of a mail for each turn.
    MailKind.DIGEST: "daily",
    MailKind.BACKLOG: "no list",
    MailKind.OFFICIAL: "notices",
    MailKind.PUZZLE: "puzzles",
    # Invitations; pairings, results and tables go to those who have joined.
    MailKind.TOURNAMENT: "tournament",
    # Answers, questions, the moderator's own mail.
    MailKind.RECEIPT: "no list",
    MailKind.STATUS: "no list",
    MailKind.OVERVIEW: "no list",
    MailKind.BOARD: "no list",
    MailKind.RACK: "no list",
    MailKind.HISTORY: "no list",
    MailKind.REVIEW: "no list",
    MailKind.CALENDAR: "no list",
    MailKind.RULES: "no list",
    MailKind.DONE: "no list",
    MailKind.HELP: "no list",
    MailKind.CONFIRM: "no list",
    MailKind.REPEATED: "no list",
    MailKind.UNREAD: "no list",
    MailKind.RULING: "no list",
    MailKind.RULED: "no list",
    MailKind.NOTICE: "no list",
    MailKind.WELCOME: "no list",
    MailKind.SIGNUP: "no list",
    MailKind.CLOSED: "no list",
    MailKind.ADDRESS: "no list",
    MailKind.PROTEST: "no list",
    MailKind.BOSS: "no list",
}


@dataclass(frozen=True)
class MailingList:
    """One of the club's mailing lists."""

    label: str
    """Within the club: ``invitations``, ``daily``, ``k7q2.matches``."""
    stop: str = ""
    """What is written to, to end it, before the reader's token; "" = it ends with what it is about."""


def find_mailing_list(page: Page, answers: bool) -> MailingList | None:
    """Return the list that a mail comes from. A mail that answers comes from none."""
    where = "no list" if answers else WHERE[page.kind]
    if where == "daily":
        return MailingList("daily", tokens.DAILY)
    if where == "notices":
        return MailingList("notices")
    if where == "puzzles":
        return MailingList("puzzles", tokens.NO_PUZZLE)
    if where == "watching" and page.watching and page.match is not None:
        return MailingList(f"{page.match.code.lower()}.matches", page.match.code)
    if where == "tournament":
        for tournament in list_tournament_views(page.content):
            invites = tournament.topic == "invite"
            return (
                MailingList("invitations", tokens.STOP)
                if invites
                else MailingList(f"{tournament.code.lower()}.tournaments")
            )
    return None


def format_list_id(desk: Desk, found: MailingList) -> str:
    """Return the list's worldwide name (RFC 2919): its label before the club's address, with a dot in place of the
    @."""
    local, _, domain = desk.config.mail.address.lower().rpartition("@")
    return f"{found.label}.{re.sub(r'[^a-z0-9]+', '-', local).strip('-') or 'club'}.{domain}"


def build_unsubscribe_address(desk: Desk, found: MailingList, player: PlayerRow) -> str:
    """Return the address to write to in order to leave the list, or an empty text if there is none. The token stands in
    the subject, too, because sub-addresses do not work everywhere."""
    if not found.stop:
        return ""
    mail, token = desk.config.mail, ensure_player_token(desk, player)
    place = tokens.build_token_address(mail.address, mail.subaddress, found.stop, token)
    return f"{place}?subject={quote(f'unsubscribe [{found.stop}-{token}]')}"


REFERENCES = 3

A_DAY = timedelta(days=1)
"""So long replies to one address are counted."""


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
    if seat is not None:
        page = _attach_board_page(desk, page)
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


def _attach_board_page(desk: Desk, page: Page) -> Page:
    """Attach the page to lay tiles on to the first mail of a match: at its start, or for a reader who has taken over a
    seat. The page opens with the position of the mail, or asks for one where nothing is wanted of its reader yet. Other
    mails are returned as they are."""
    if page.match is None or page.kind != MailKind.START or page.board_page or not desk.config.mail.attach_board:
        return page
    where, language = board_pages.find_board_page(page.match.game), page.reader.language
    if not where:
        return page
    turn = attachments.find_turn_file(page)
    made = touch_board.render_enclosed_page(where, language, page.club, turn.data if turn else b"")
    name = f"{render_label('board-file', language)}-{page.match.code}.html"
    return replace(page, files=(*page.files, File(name, KIND, made)), board_file=name)
