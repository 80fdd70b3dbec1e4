"""Mails that came back: the player is marked, the moderator told, the clocks of their turns stand until they are
heard from again.

Anybody can write a delivery report, so only one that proves itself does that; see ``_find_proven_mails``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from moderator.common import tokens
from moderator.common.enums import ClockCause, ClockStop, HeldFor, InboxState, MailKind, MatchStatus, OutboxState
from moderator.common.errors import OperatorError
from moderator.common.mails import Bounce, ParsedMail
from moderator.rules.events import describe_moved_deadline
from moderator.rules.game import Note
from moderator.rules.time.calendar import to_local_day
from moderator.service import held_mails
from moderator.service.match.match import Match
from moderator.service.notifications import notify_chief, resend_lost_mail
from moderator.service.notify import notify_status
from moderator.store import outbox, players
from moderator.store.matches import list_current_seats
from moderator.store.tables import InboxRow, MatchRow, OutboxRow, PlayerRow, SeatRow
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


@dataclass(frozen=True)
class BounceHandler:
    """Acts on mails that came back. ``reduce_mail`` leaves out more of a mail that was too large; None = it cannot be
    smaller."""

    work: UnitOfWork
    reduce_mail: Callable[[bytes], bytes | None]

    def record_bounce(self, row: InboxRow, mail: ParsedMail, bounce: Bounce) -> None:
        """Record a delivery report. One about a failure for good that proves itself marks the player; one that does not
        is stored for the moderator, and changes nothing."""
        row.state, row.note = InboxState.MACHINE, "bounce"
        if not bounce.permanent:
            return
        mails = self._find_proven_mails(mail, bounce)
        newest = mails[0] if mails else None
        why = self._explain_doubt(newest)
        if newest is not None and not why:
            self._mark_returned(mails)
            if not bounce.is_about_size:
                self.mark_refused(newest, bounce.status or "returned")
            elif not self._resend_lighter(newest):
                why = f"{newest.recipient} takes no mail as large as ours are at least"
                held_mails.hold_mail(self.work.session, row, HeldFor.BOUNCE, why)
            return
        there = players.list_players_at_addresses(self.work.session, [newest.recipient] if newest else bounce.addresses)
        player = there[0] if there else None
        if player is None:
            row.state, row.note = InboxState.UNKNOWN, "a delivery report about nobody here"
        elif newest is None or not player.undeliverable:
            note = f"a delivery report for {player.address} {why}"
            held_mails.hold_mail(self.work.session, row, HeldFor.BOUNCE, note, player)

    def _mark_returned(self, mails: Sequence[OutboxRow]) -> None:
        """Mark the mails as returned, so that the same report does not count again."""
        for one in mails:
            if one.state == OutboxState.SENT:
                one.state = OutboxState.RETURNED
                self.work.session.add(one)

    def _resend_lighter(self, mail: OutboxRow) -> bool:
        """Send a mail that was too large for a server on its way again with less in it; False = it cannot be made
        smaller."""
        player = self.work.session.get(PlayerRow, mail.player_id) if mail.player_id else None
        less = self.reduce_mail(outbox.get_mail_bytes(self.work.session, mail))
        if player is None or less is None:
            return False
        resend_lost_mail(self.work, player, mail, less)
        mail.state = OutboxState.REPEATED
        self.work.session.add(mail)
        return True

    def accept_bounce(self, player: PlayerRow, report: Bounce) -> None:
        """Mark the player as unreachable, because the moderator says that a report is right."""
        named = outbox.list_mails_by_message_id(self.work.session, report.original_ids)
        self._mark_returned([one for one in named if one.player_id == player.id])
        PlayerReachability(self.work, player).mark_unreachable("returned, says the moderator")

    def _find_proven_mails(self, mail: ParsedMail, bounce: Bounce) -> list[OutboxRow]:
        """Return the mails of ours that the report is about beyond doubt, newest first.

        It has come to the return path of one, which only that mail carries; or it names the Message-ID of one and no
        other recipient than its own. Message-IDs are random and stand in mails to that recipient alone. So the
        Message-ID of a mail to somebody else, which a co-player may know from a mailbox of their own, proves nothing
        about this one."""
        wanted = tokens.find_return_tokens(mail.recipients)
        found = outbox.list_mails_by_return_token(self.work.session, wanted)
        own = [one for one in found if any(tokens.tokens_equal(token, one.return_token) for token in wanted)]
        if not own:
            named = outbox.list_mails_by_message_id(self.work.session, bounce.original_ids)
            own = [one for one in named if not bounce.addresses or one.recipient in bounce.addresses]
        if len({one.recipient for one in own}) > 1:
            return []
        return sorted(own, key=lambda one: one.id or 0, reverse=True)

    def _explain_doubt(self, mail: OutboxRow | None) -> str:
        """Return why a report about this mail of ours does not count; "" = it does."""
        if mail is None:
            return "that proves nothing"
        if mail.state in (OutboxState.RETURNED, OutboxState.REPEATED):
            return "that has counted before"
        if mail.created_at < self.work.now - LATELY:
            return f"about a mail of {to_local_day(mail.created_at, self.work.config.club.zone)}, long ago"
        return ""

    def mark_refused(self, mail: OutboxRow, words: str) -> bool:
        """Mark the players whose address a mail will never reach, stop the clocks that wait for them, and tell the
        moderator once. Returns whether the moderator was told, now or before."""
        if mail.recipient == self.work.config.club.moderator:
            return False
        there = players.list_players_at_addresses(self.work.session, [mail.recipient])
        for player in there:
            if not player.undeliverable:
                PlayerReachability(self.work, player).mark_unreachable(words)
        referee = players.find_referee_by_address(self.work.session, mail.recipient)
        if not there and referee is not None:
            name = referee.name
            facts = {"name": name, "address": referee.address, "answer": words, "who": shlex.quote(name)}
            notify_chief(self.work, Note("mail-refused-referee", facts))
        return bool(there) or referee is not None


@dataclass(frozen=True)
class PlayerReachability:
    """The way of mails to one player: whether they get through, and what follows from it."""

    work: UnitOfWork
    player: PlayerRow

    def mark_unreachable(self, words: str) -> None:
        """Mark a player to whom no mail gets through, and tell the moderator."""
        self.player.undeliverable = words[:300] or "refused"
        self.work.session.add(self.player)
        facts = {
            "address": self.player.address,
            "answer": words,
            "name": self.player.name,
            "who": shlex.quote(self.player.name),
            "matches": self._stop_clocks(),
        }
        notify_chief(self.work, Note("mail-refused-stopped" if facts["matches"] else "mail-refused", facts))

    def _stop_clocks(self) -> list[str]:
        """Stop the clocks of the matches that wait for the player; returns the codes of these matches. A match that
        cannot be loaded is left to its deadline, which looks again."""
        stopped: list[str] = []
        for match, seat in list_current_seats(self.work.session, self.player.number):
            if match.status != MatchStatus.RUNNING or match.stopped:
                continue
            try:
                playing = Match.load(self.work, match)
            except (MatchSuspended, OperatorError):
                continue
            if seat.number in playing.live.seats_to_act:
                playing.stop_clock_for_mail()
                stopped.append(match.code)
        return stopped

    def mark_reachable(self, sender: str) -> None:
        """Mark all who have the address ``sender`` as reachable again, if a mail came from it and it is the player's
        own address."""
        if not self.player.undeliverable or sender != self.player.address:
            return
        for one in players.list_players_at_addresses(self.work.session, [sender]):
            if one.undeliverable:
                PlayerReachability(self.work, one).restore_reachability()

    def restore_reachability(self) -> None:
        """Let mails to the player's address be sent (again): the clocks that stood begin their turns anew, and what
        never arrived is told anew."""
        self.player.undeliverable = ""
        self.work.session.add(self.player)
        self.work.session.flush()
        lost = outbox.list_undelivered_mails(self.work.session, self.player.number)
        openings = {mail.match_id for mail, _ in lost if mail.kind == MailKind.START}
        told = self.resume_turns(openings)
        for match, seat in list_current_seats(self.work.session, self.player.number):
            if match.status == MatchStatus.RUNNING and match.number not in told:
                about = [mail for mail, _ in lost if mail.match_id == match.number and mail.kind in REPORTS]
                newest = any(outbox.is_newest_mail(self.work.session, mail, REPORTS) for mail in about)
                if match.number in openings or newest:
                    self._resend_status(match, seat, match.number in openings)
        for mail, raw in lost:
            last = mail.kind in LATEST and outbox.is_newest_mail(self.work.session, mail, {mail.kind})
            if mail.kind in AS_IT_WAS or last:
                resend_lost_mail(self.work, self.player, mail, raw)
            mail.state = OutboxState.REPEATED
            self.work.session.add(mail)

    def resume_turns(self, openings: Collection[int | None]) -> set[int]:
        """Begin the turns anew whose clocks stood because the player's mail did not work. Returns the matches of which
        the player is told by that; of ``openings`` by an opening mail."""
        told: set[int] = set()
        for row, _ in list_current_seats(self.work.session, self.player.number):
            if row.status != MatchStatus.RUNNING or row.stopped != ClockStop.MAIL:
                continue
            match = Match.load(self.work, row)
            if match.awaited.list_unreachable():
                continue
            moved = match.restart_turn(self.work.now, ClockCause.MAIL_BACK)
            why = (describe_moved_deadline(moved),) if moved else ()
            for seat, awaited in match.seated:
                if seat.number in match.live.seats_awaited:
                    mine = awaited.id == self.player.id
                    self._resend_status(row, seat, mine and row.number in openings, why)
                    told |= {row.number} if mine else set()
        return told

    def _resend_status(self, match: MatchRow, seat: SeatRow, opening: bool, why: Sequence[Note] = ()) -> None:
        """Notify a player how the match stands, because mail works again; ``opening``: all that its first mail says,
        which never came."""
        kind, notes = (MailKind.START, (Note("opening-again"),)) if opening else (MailKind.TURN, why)
        notify_status(self.work, match, seat, kind, notes)
