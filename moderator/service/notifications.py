"""Telling somebody something: noted in the order in which it was decided. Nothing is built, rendered or queued here:
``delivery/deliver.py`` does that at the end of the transaction."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.common.enums import MailKind
from moderator.notifications.pages import LetterView
from moderator.notifications.task import StaffMember
from moderator.rules.game import Note
from moderator.store.tables import MatchRow, OutboxRow, PlayerRow, SeatRow
from moderator.views.links import build_staff_page
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_view import build_seated_page
from moderator.views.people import MatchCharge, get_chief
from moderator.views.unit_of_work import MailCopy, News, Notification, Recipient, UnitOfWork


def notify_reader(
    work: UnitOfWork,
    to: Recipient,
    news: News,
    *,
    answers: bool = False,
    once: bool = False,
    waited: bool = False,
    outbox_kind: MailKind | None = None,
) -> None:
    """Note what somebody is to be told, see ``Notification``."""
    work.notifications.append(Notification(to, news, answers, once, waited, outbox_kind, work.mail))


def notify_seat(
    work: UnitOfWork, match: MatchRow, live: LiveMatch, seat: SeatRow, *notes: Note, press: Sequence[LetterView] = ()
) -> None:
    """Send whoever has the seat some news of the match, without a board; robots read nothing."""
    player = work.list_players(match)[seat.number]
    if player.address is not None:
        page = build_seated_page(work, MailKind.NEWS, match, live, seat, player, notes=notes, press=tuple(press))
        notify_reader(work, Recipient(player, match, seat), page)


def resend_mail(work: UnitOfWork, to: Recipient, raw: bytes, round_number: int) -> None:
    """Send once more a mail that this player was sent before, as the answer to the mail at hand."""
    copy = MailCopy(raw, MailKind.AGAIN, to.match.id if to.match else None, round_number)
    notify_reader(work, to, copy, answers=True)


def resend_lost_mail(work: UnitOfWork, player: PlayerRow, mail: OutboxRow, raw: bytes) -> None:
    """Send once more a mail that this player never had, as it was or with less in it; it is no answer to the mail at
    hand."""
    notify_reader(work, Recipient(player), MailCopy(raw, mail.kind, mail.match_id, mail.round), waited=True)


def notify_staff_with_page(
    work: UnitOfWork, who: StaffMember, page: News, *, answers: bool = False, once: bool = False
) -> None:
    """Send a page to the chief or a referee."""
    notify_reader(work, Recipient(referee=not who.is_chief), page, answers=answers, once=once)


def notify_staff_member(work: UnitOfWork, who: StaffMember, *notes: Note) -> None:
    """Send a staff member a notice that something needs attention."""
    notify_staff_with_page(work, who, build_staff_page(work, MailKind.NOTICE, who, notes=notes))


def notify_chief(work: UnitOfWork, *notes: Note) -> None:
    """Send the chief a notice about the club as a whole."""
    notify_staff_member(work, get_chief(work.config), *notes)


def notify_staff(work: UnitOfWork, match: MatchRow, *notes: Note) -> None:
    """Send a notice about a match to the staff member in charge of it."""
    notify_staff_member(work, MatchCharge(work, match).find_staff(), *notes)


def may_answer_today(work: UnitOfWork, address: str) -> bool:
    """Return whether one more answer to this address stays within its daily cap."""
    return work.count_replies_today(address) < work.config.mail.replies_per_day
