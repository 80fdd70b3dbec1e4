"""Mails that came back: the player is marked, the moderator told, the clocks of their turns stand until they are
heard from again.

Anybody can write a delivery report, so only one that proves itself does that; see ``_proven``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import timedelta

from moderator.club import clock, tokens
from moderator.club.desk import Desk
from moderator.club.live_match import Suspended
from moderator.errors import OperatorError
from moderator.mail.lighter import lighter
from moderator.mail.model import Bounce, Incoming
from moderator.mail.smtp_answers import is_size
from moderator.match.contract import Note
from moderator.match.time.calendar import local_day
from moderator.outbox.tell import tell_chief, tell_lost
from moderator.play import deadlines
from moderator.states import InboxState, MailKind, MatchStatus, OutboxState, Stopped
from moderator.store import outbox, players, referees
from moderator.store.matches import seats_of
from moderator.store.models import Inbox, Outbox, Player

LATELY = timedelta(days=14)
"""Mail servers give up after five days; a report about an older mail is none of theirs."""
REPORTS = (MailKind.START, MailKind.TURN, MailKind.RECEIPT, MailKind.CORRECTION, MailKind.REMINDER)
"""What was lost of these, one mail about the match as it stands says as well; or the match is over."""
AS_IT_WAS = frozenset({MailKind.WELCOME, MailKind.OFFICIAL, MailKind.NEWS, MailKind.RULES, MailKind.HELP})
"""What was lost of these comes as it was; of ``LATEST`` the last one of a match or of none. All else would mislead by
now, or was asked for and can be asked for again."""
LATEST = frozenset({MailKind.END, MailKind.TOURNAMENT, MailKind.REVIEW})


def note(desk: Desk, row: Inbox, mail: Incoming, bounce: Bounce) -> None:
    """A delivery report. One about a failure for good that proves itself marks the player; one that does not is kept
    for the moderator, and changes nothing."""
    row.state, row.note = InboxState.MACHINE, "bounce"
    if not bounce.permanent:
        return
    mails = _proven(desk, mail, bounce)
    newest = mails[0] if mails else None
    why = _doubt(desk, newest)
    if newest is not None and not why:
        _set_returned(desk, mails)
        if not is_size(bounce.status):
            refused(desk, newest, bounce.status or "returned")
        elif not _send_less(desk, newest):
            row.state, row.note = InboxState.WAITING, f"{newest.recipient} takes no mail as large as ours are at least"
        return
    there = players.at_addresses(desk.session, [newest.recipient] if newest else bounce.addresses)
    player = there[0] if there else None
    if player is None:
        row.state, row.note = InboxState.UNKNOWN, "a delivery report about nobody here"
    elif newest is None or not player.undeliverable:
        row.state, row.note, row.player_id = (
            InboxState.WAITING,
            f"a delivery report for {player.address} {why}",
            player.id,
        )


def _set_returned(desk: Desk, mails: Sequence[Outbox]) -> None:
    """The same report does not count again."""
    for one in mails:
        if one.state == OutboxState.SENT:
            one.state = OutboxState.RETURNED
            desk.session.add(one)


def _send_less(desk: Desk, mail: Outbox) -> bool:
    """A mail that was too large for a server on its way goes again with less in it; False = it cannot."""
    player = desk.session.get(Player, mail.player_id) if mail.player_id else None
    less = lighter(outbox.letter(desk.session, mail))
    if player is None or less is None:
        return False
    tell_lost(desk, player, mail, less)
    mail.state = OutboxState.REPEATED
    desk.session.add(mail)
    return True


def accepted(desk: Desk, player: Player, report: Bounce) -> None:
    """The moderator says that a report is right."""
    named = outbox.by_message_id(desk.session, report.original_ids)
    _set_returned(desk, [one for one in named if one.player_id == player.id])
    unreachable(desk, player, "returned, says the moderator")


def _proven(desk: Desk, mail: Incoming, bounce: Bounce) -> list[Outbox]:
    """The mails of ours that the report is about beyond doubt, newest first.

    It has come to the return path of one, which only that mail carries; or it names the Message-ID of one and no other
    recipient than its own. Message-IDs are random and stand in mails to that recipient alone, so that of a mail to
    somebody else, which a co-player may know from a mailbox of their own, proves nothing about this one."""
    wanted = tokens.returned(mail.recipients)
    found = outbox.by_return_token(desk.session, wanted)
    own = [one for one in found if any(tokens.same(token, one.return_token) for token in wanted)]
    if not own:
        named = outbox.by_message_id(desk.session, bounce.original_ids)
        own = [one for one in named if not bounce.addresses or one.recipient in bounce.addresses]
    if len({one.recipient for one in own}) > 1:
        return []
    return sorted(own, key=lambda one: one.id or 0, reverse=True)


def _doubt(desk: Desk, mail: Outbox | None) -> str:
    """Why a report about this mail of ours does not count; "" = it does."""
    if mail is None:
        return "that proves nothing"
    if mail.state in (OutboxState.RETURNED, OutboxState.REPEATED):
        return "that has counted before"
    if mail.created_at < desk.now - LATELY:
        return f"about a mail of {local_day(mail.created_at, desk.config.club.zone)}, long ago"
    return ""


def refused(desk: Desk, mail: Outbox, words: str) -> bool:
    """A mail will never arrive: mark its player, stop the clocks that wait for them, and tell the moderator once.
    Returns whether the moderator was told, now or before."""
    if mail.recipient == desk.config.club.moderator:
        return False
    there = players.at_addresses(desk.session, [mail.recipient])
    for player in there:
        if not player.undeliverable:
            unreachable(desk, player, words)
    referee = referees.by_address(desk.session, mail.recipient)
    if not there and referee is not None:
        facts = {"name": referee.name, "address": referee.address, "answer": words, "who": shlex.quote(referee.name)}
        tell_chief(desk, Note("mail-refused-referee", facts))
    return bool(there) or referee is not None


def unreachable(desk: Desk, player: Player, words: str) -> None:
    """Mark a player to whom no mail gets through."""
    player.undeliverable = words[:300] or "refused"
    desk.session.add(player)
    facts = {
        "address": player.address,
        "answer": words,
        "name": player.name,
        "who": shlex.quote(player.name),
        "matches": _stop_clocks(desk, player),
    }
    tell_chief(desk, Note("mail-refused-stopped" if facts["matches"] else "mail-refused", facts))


def _stop_clocks(desk: Desk, player: Player) -> list[str]:
    """Codes of the matches that wait for the player; their clocks stand now. A match that cannot be looked at is left
    to its deadline, which looks again."""
    stopped: list[str] = []
    for match, seat in seats_of(desk.session, player.number):
        if match.status != MatchStatus.RUNNING or match.stopped:
            continue
        try:
            live = desk.cache.live(desk.session, match)
        except (Suspended, OperatorError):
            continue
        if seat.number in live.awaited:
            match.stopped, match.stopped_at = Stopped.MAIL, desk.now
            clock.note(desk, match, live, "mail", match.deadline)
            stopped.append(match.code)
    return stopped


def heard_from(desk: Desk, player: Player, sender: str) -> None:
    """A mail came from ``sender``. If that is the player's own address, mail works again, for all who have it."""
    if not player.undeliverable or sender != player.address:
        return
    for one in players.at_addresses(desk.session, [sender]):
        if one.undeliverable:
            reachable(desk, one)


def reachable(desk: Desk, player: Player) -> None:
    """The address works (again): the clocks that stood begin their turns anew, and what never came is said anew."""
    player.undeliverable = ""
    desk.session.add(player)
    desk.session.flush()
    lost = outbox.lost(desk.session, player.number)
    openings = {mail.match_id for mail, _ in lost if mail.kind == MailKind.START}
    told = deadlines.reachable_again(desk, player.number, openings)
    for match, seat in seats_of(desk.session, player.number):
        if match.status == MatchStatus.RUNNING and match.number not in told:
            about = [mail for mail, _ in lost if mail.match_id == match.number and mail.kind in REPORTS]
            if match.number in openings or any(outbox.is_newest(desk.session, mail, REPORTS) for mail in about):
                deadlines.tell_again(desk, match, seat, match.number in openings)
    for mail, raw in lost:
        if mail.kind in AS_IT_WAS or (mail.kind in LATEST and outbox.is_newest(desk.session, mail, {mail.kind})):
            tell_lost(desk, player, mail, raw)
        mail.state = OutboxState.REPEATED
        desk.session.add(mail)
