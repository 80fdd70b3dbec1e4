"""Mails that came back: the player is marked, the moderator told, the clocks of their turns stand until they are
heard from again.

Anybody can write a delivery report, so only one that proves itself does that; see ``_find_proven_mails``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import timedelta

from moderator.common import tokens
from moderator.common.enums import HeldFor, InboxState, MailKind, MatchStatus, OutboxState
from moderator.common.errors import OperatorError
from moderator.common.mails import Bounce, ParsedMail
from moderator.mail.build import reduce_mail
from moderator.mail.smtp_answers import is_size_status
from moderator.rules.game import Note
from moderator.rules.time.calendar import to_local_day
from moderator.service import deadlines, held_mails
from moderator.service.match.match import Match
from moderator.service.notifications import notify_chief, resend_lost_mail
from moderator.store import outbox, players
from moderator.store.database import Session
from moderator.store.matches import list_current_seats
from moderator.store.tables import InboxRow, OutboxRow, PlayerRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.unit_of_work import UnitOfWork

LATELY = timedelta(days=14)
"""Mail servers give up after five days; a report about an older mail is none of theirs."""
REPORTS = (MailKind.START, MailKind.TURN, MailKind.RECEIPT, MailKind.CORRECTION, MailKind.REMINDER)
"""What was lost of these, one mail about the match as it stands says as well; or the match is over."""
AS_IT_WAS = frozenset({MailKind.WELCOME, MailKind.OFFICIAL, MailKind.NEWS, MailKind.RULES, MailKind.HELP})
"""What was lost of these comes as it was; of ``LATEST`` the last one of a match or of none. All else would mislead by
now, or was asked for and can be asked for again."""
LATEST = frozenset({MailKind.END, MailKind.TOURNAMENT, MailKind.REVIEW})


def record_bounce(work: UnitOfWork, row: InboxRow, mail: ParsedMail, bounce: Bounce) -> None:
    """Record a delivery report. One about a failure for good that proves itself marks the player; one that does not is
    stored for the moderator, and changes nothing."""
    row.state, row.note = InboxState.MACHINE, "bounce"
    if not bounce.permanent:
        return
    mails = _find_proven_mails(work.session, mail, bounce)
    newest = mails[0] if mails else None
    why = _explain_doubt(work, newest)
    if newest is not None and not why:
        _mark_returned(work.session, mails)
        if not is_size_status(bounce.status):
            mark_refused(work, newest, bounce.status or "returned")
        elif not _resend_lighter(work, newest):
            why = f"{newest.recipient} takes no mail as large as ours are at least"
            held_mails.hold_mail(work.session, row, HeldFor.BOUNCE, why)
        return
    there = players.list_players_at_addresses(work.session, [newest.recipient] if newest else bounce.addresses)
    player = there[0] if there else None
    if player is None:
        row.state, row.note = InboxState.UNKNOWN, "a delivery report about nobody here"
    elif newest is None or not player.undeliverable:
        note = f"a delivery report for {player.address} {why}"
        held_mails.hold_mail(work.session, row, HeldFor.BOUNCE, note, player)


def _mark_returned(session: Session, mails: Sequence[OutboxRow]) -> None:
    """Mark the mails as returned, so that the same report does not count again."""
    for one in mails:
        if one.state == OutboxState.SENT:
            one.state = OutboxState.RETURNED
            session.add(one)


def _resend_lighter(work: UnitOfWork, mail: OutboxRow) -> bool:
    """Send a mail that was too large for a server on its way again with less in it; False = it cannot be made
    smaller."""
    player = work.session.get(PlayerRow, mail.player_id) if mail.player_id else None
    less = reduce_mail(outbox.get_mail_bytes(work.session, mail))
    if player is None or less is None:
        return False
    resend_lost_mail(work, player, mail, less)
    mail.state = OutboxState.REPEATED
    work.session.add(mail)
    return True


def accept_bounce(work: UnitOfWork, player: PlayerRow, report: Bounce) -> None:
    """Mark the player as unreachable, because the moderator says that a report is right."""
    named = outbox.list_mails_by_message_id(work.session, report.original_ids)
    _mark_returned(work.session, [one for one in named if one.player_id == player.id])
    mark_unreachable(work, player, "returned, says the moderator")


def _find_proven_mails(session: Session, mail: ParsedMail, bounce: Bounce) -> list[OutboxRow]:
    """Return the mails of ours that the report is about beyond doubt, newest first.

    It has come to the return path of one, which only that mail carries; or it names the Message-ID of one and no other
    recipient than its own. Message-IDs are random and stand in mails to that recipient alone. So the Message-ID of a
    mail to somebody else, which a co-player may know from a mailbox of their own, proves nothing about this one."""
    wanted = tokens.find_return_tokens(mail.recipients)
    found = outbox.list_mails_by_return_token(session, wanted)
    own = [one for one in found if any(tokens.tokens_equal(token, one.return_token) for token in wanted)]
    if not own:
        named = outbox.list_mails_by_message_id(session, bounce.original_ids)
        own = [one for one in named if not bounce.addresses or one.recipient in bounce.addresses]
    if len({one.recipient for one in own}) > 1:
        return []
    return sorted(own, key=lambda one: one.id or 0, reverse=True)


def _explain_doubt(work: UnitOfWork, mail: OutboxRow | None) -> str:
    """Return why a report about this mail of ours does not count; "" = it does."""
    if mail is None:
        return "that proves nothing"
    if mail.state in (OutboxState.RETURNED, OutboxState.REPEATED):
        return "that has counted before"
    if mail.created_at < work.now - LATELY:
        return f"about a mail of {to_local_day(mail.created_at, work.config.club.zone)}, long ago"
    return ""


def mark_refused(work: UnitOfWork, mail: OutboxRow, words: str) -> bool:
    """Mark the players whose address a mail will never reach, stop the clocks that wait for them, and tell the
    moderator once. Returns whether the moderator was told, now or before."""
    if mail.recipient == work.config.club.moderator:
        return False
    there = players.list_players_at_addresses(work.session, [mail.recipient])
    for player in there:
        if not player.undeliverable:
            mark_unreachable(work, player, words)
    referee = players.find_referee_by_address(work.session, mail.recipient)
    if not there and referee is not None:
        facts = {"name": referee.name, "address": referee.address, "answer": words, "who": shlex.quote(referee.name)}
        notify_chief(work, Note("mail-refused-referee", facts))
    return bool(there) or referee is not None


def mark_unreachable(work: UnitOfWork, player: PlayerRow, words: str) -> None:
    """Mark a player to whom no mail gets through, and tell the moderator."""
    player.undeliverable = words[:300] or "refused"
    work.session.add(player)
    facts = {
        "address": player.address,
        "answer": words,
        "name": player.name,
        "who": shlex.quote(player.name),
        "matches": _stop_clocks(work, player),
    }
    notify_chief(work, Note("mail-refused-stopped" if facts["matches"] else "mail-refused", facts))


def _stop_clocks(work: UnitOfWork, player: PlayerRow) -> list[str]:
    """Stop the clocks of the matches that wait for the player; returns the codes of these matches. A match that cannot
    be loaded is left to its deadline, which looks again."""
    stopped: list[str] = []
    for match, seat in list_current_seats(work.session, player.number):
        if match.status != MatchStatus.RUNNING or match.stopped:
            continue
        try:
            playing = Match.load(work, match)
        except (MatchSuspended, OperatorError):
            continue
        if seat.number in playing.live.seats_to_act:
            playing.stop_clock_for_mail()
            stopped.append(match.code)
    return stopped


def mark_reachable(work: UnitOfWork, player: PlayerRow, sender: str) -> None:
    """Mark all who have the address ``sender`` as reachable again, if a mail came from it and it is the player's own
    address."""
    if not player.undeliverable or sender != player.address:
        return
    for one in players.list_players_at_addresses(work.session, [sender]):
        if one.undeliverable:
            restore_reachability(work, one)


def restore_reachability(work: UnitOfWork, player: PlayerRow) -> None:
    """Let mails to the player's address be sent (again): the clocks that stood begin their turns anew, and what never
    arrived is told anew."""
    player.undeliverable = ""
    work.session.add(player)
    work.session.flush()
    lost = outbox.list_undelivered_mails(work.session, player.number)
    openings = {mail.match_id for mail, _ in lost if mail.kind == MailKind.START}
    told = deadlines.resume_reachable_player(work, player.number, openings)
    for match, seat in list_current_seats(work.session, player.number):
        if match.status == MatchStatus.RUNNING and match.number not in told:
            about = [mail for mail, _ in lost if mail.match_id == match.number and mail.kind in REPORTS]
            if match.number in openings or any(outbox.is_newest_mail(work.session, mail, REPORTS) for mail in about):
                deadlines.resend_status(work, match, seat, match.number in openings)
    for mail, raw in lost:
        if mail.kind in AS_IT_WAS or (mail.kind in LATEST and outbox.is_newest_mail(work.session, mail, {mail.kind})):
            resend_lost_mail(work, player, mail, raw)
        mail.state = OutboxState.REPEATED
        work.session.add(mail)
