"""A player's new address: both mailboxes are asked, and it changes when both have said yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.common.errors import OperatorError
from moderator.common.mails import Line
from moderator.language.spelling import parse_yes_no
from moderator.notifications.content import NewAddress, ReplyAddress
from moderator.notifications.pages import Reader
from moderator.rules.game import Note
from moderator.service.create import require_free_address
from moderator.service.notifications import notify_chief, notify_reader
from moderator.service.players.reachability import PlayerReachability
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import AddressChange, InboxRow, PlayerRow
from moderator.views import people
from moderator.views.links import build_club_page, build_plain_reply, build_player_reader, build_reply_address
from moderator.views.unit_of_work import Recipient, UnitOfWork

LASTS = timedelta(days=7)
"""So long both mailboxes may take to answer."""
DAILY = 3
"""Wishes of a player in a day: nobody can make the club flood others with questions."""


@dataclass(frozen=True)
class AddressAsker:
    """Asks both mailboxes of a player about a new address, and acts on what they say."""

    work: UnitOfWork
    player: PlayerRow

    def has_asked_too_often(self) -> bool:
        """Return whether the player has asked for other addresses often enough for a day."""
        self.work.session.flush()
        since = self.work.now - timedelta(days=1)
        return players.count_address_changes(self.work.session, self.player.number, since) >= DAILY

    def request_change(self, address: str) -> bool:
        """Ask both mailboxes whether the player's address may change. Where the old one does not work any more, the
        moderator is asked in its place. An earlier request is forgotten. Returns whether the old mailbox was asked.
        Raises OperatorError for an address that cannot be, or is taken by a player or by another referee."""
        address = require_free_address(self.work.session, address)
        people.find_moving_referee(self.work.session, self.player, address)
        for earlier in self._list_open_changes():
            self._close_change(earlier)
        change = AddressChange(
            player_id=self.player.number,
            address=address,
            old_token=tokens.generate_token(),
            new_token=tokens.generate_token(),
            at=self.work.now,
        )
        self.work.session.add(change)
        self.work.session.flush()
        alive = not self.player.undeliverable
        if alive:
            self._ask_mailbox(change, old=True)
        else:
            facts = {"name": self.player.name, "old": self.player.address or "", "address": address}
            notify_chief(self.work, Note("address-by-moderator", facts))
        self._ask_mailbox(change, old=False)
        return alive

    def _list_open_changes(self) -> Sequence[AddressChange]:
        return players.list_open_address_changes(self.work.session, self.player.number)

    def _ask_mailbox(self, change: AddressChange, *, old: bool) -> None:
        """Put the question to one of the two mailboxes."""
        token = change.old_token if old else change.new_token
        facts = {"name": self.player.name, "address": change.address}
        note = Note("address-give-up" if old else "address-is-yours", facts)
        reply = build_reply_address(self.work.config, tokens.ADDRESS, token)
        self._notify_mailbox(_get_mailbox_reader(self.player, change, old=old), note, reply, asks=True)

    def _tell_mailbox(self, to: Reader, note: Note) -> None:
        self._notify_mailbox(to, note, build_plain_reply(self.work.config), asks=False)

    def _notify_mailbox(self, to: Reader, note: Note, reply: ReplyAddress, *, asks: bool) -> None:
        config, content = self.work.config, NewAddress(asks)
        page = build_club_page(config, self.work.now, MailKind.ADDRESS, to, reply=reply, notes=(note,), content=content)
        notify_reader(self.work, Recipient(self.player), page)

    def _close_change(self, change: AddressChange) -> None:
        change.closed_at = self.work.now
        self.work.session.add(change)

    def handle_answer(self, row: InboxRow, change: AddressChange, lines: Sequence[Line], *, old: bool) -> None:
        """Act on the yes or no of one mailbox about a change of address. It is asked again if it says neither; an
        answer that comes too late is answered with a mail that says so."""
        here = _get_mailbox_reader(self.player, change, old=old)
        if change.closed_at is not None:
            row.note = f"the change of address {change.id} is settled already"
            return
        if self.work.now - change.at > LASTS:
            self._close_change(change)
            self._tell_mailbox(here, Note("address-expired"))
            return
        said = parse_yes_no(lines)
        if said is None:
            self._ask_mailbox(change, old=old)
        elif said is False:
            self._close_change(change)
            facts = {"name": self.player.name, "address": self.player.address}
            self._tell_mailbox(build_player_reader(self.player), Note("address-stays", facts))
            # Who has the other mailbox may be a stranger, to whom the player's own address is not told.
            elsewhere = Note("address-stays-elsewhere", {"name": self.player.name})
            self._tell_mailbox(_get_mailbox_reader(self.player, change, old=False), elsewhere)
        else:
            change.old_said, change.new_said = change.old_said or old, change.new_said or not old
            self.work.session.add(change)
            self._finish_or_wait(change, here)

    def _finish_or_wait(self, change: AddressChange, here: Reader) -> None:
        """Change the address if both mailboxes have agreed; else thank for the answer and wait for the other one."""
        if not (change.old_said and change.new_said):
            code = "address-waits-moderator" if self.player.undeliverable and change.new_said else "address-waits-other"
            self._tell_mailbox(here, Note(code))
            return
        if self._is_address_taken(change.address):
            self._close_change(change)
            taken = Note("address-taken-meanwhile", {"address": change.address})
            for old in (True, False):
                self._tell_mailbox(_get_mailbox_reader(self.player, change, old=old), taken)
            return
        before = build_player_reader(self.player)
        self.set_address(change.address)
        done = Note("address-changed", {"name": self.player.name, "address": change.address})
        for to in (before, build_player_reader(self.player)):
            self._tell_mailbox(to, done)

    def _is_address_taken(self, address: str) -> bool:
        """Return whether somebody else has taken the address since it was asked for."""
        try:
            people.find_moving_referee(self.work.session, self.player, require_free_address(self.work.session, address))
        except OperatorError:
            return True
        return False

    def set_address(self, address: str) -> None:
        """Set the player's address, and that of the referee who is the same person; matches, seats and their reply
        addresses stay as they are. Raises OperatorError for another referee's."""
        if (referee := people.find_moving_referee(self.work.session, self.player, address)) is not None:
            referee.address = address
            self.work.session.add(referee)
        self.player.address = address
        self.work.session.add(self.player)
        for change in self._list_open_changes():
            self._close_change(change)
        if self.player.undeliverable:
            PlayerReachability(self.work, self.player).restore_reachability()


def get_answering_mailbox(session: Session, number: int, *, old: bool) -> Reader:
    """Return the mailbox whose answer about a change of address that is."""
    change = session.get_one(AddressChange, number)
    return _get_mailbox_reader(session.get_one(PlayerRow, change.player_id), change, old=old)


def _get_mailbox_reader(player: PlayerRow, change: AddressChange, *, old: bool) -> Reader:
    to = build_player_reader(player)
    return to if old else replace(to, address=change.address)
