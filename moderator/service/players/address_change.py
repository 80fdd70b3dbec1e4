"""A player's new address: both mailboxes are asked, and it changes when both have said yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

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
from moderator.service.players import reachability
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import AddressChange, InboxRow, PlayerRow
from moderator.views import people
from moderator.views.mail_pages import build_club_page, build_plain_reply, build_player_reader, build_reply_address
from moderator.views.notification import Recipient
from moderator.views.unit_of_work import UnitOfWork

LASTS = timedelta(days=7)
"""So long both mailboxes may take to answer."""
DAILY = 3
"""Wishes of a player in a day: nobody can make the club flood others with questions."""


def has_asked_too_often(session: Session, now: datetime, player: PlayerRow) -> bool:
    """Return whether the player has asked for other addresses often enough for a day."""
    session.flush()
    return players.count_address_changes(session, player.number, now - timedelta(days=1)) >= DAILY


def request_address_change(work: UnitOfWork, player: PlayerRow, address: str) -> bool:
    """Ask both mailboxes whether the player's address may change. Where the old one does not work any more, the
    moderator is asked in its place. An earlier request is forgotten. Returns whether the old mailbox was asked. Raises
    OperatorError for an address that cannot be, or is taken by a player or by another referee."""
    address = require_free_address(work.session, address)
    people.find_moving_referee(work.session, player, address)
    for earlier in _list_open_changes(work.session, player):
        _close_change(work.session, work.now, earlier)
    change = AddressChange(
        player_id=player.number,
        address=address,
        old_token=tokens.generate_token(),
        new_token=tokens.generate_token(),
        at=work.now,
    )
    work.session.add(change)
    work.session.flush()
    alive = not player.undeliverable
    if alive:
        _ask_mailbox(work, player, change, old=True)
    else:
        facts = {"name": player.name, "old": player.address or "", "address": address}
        notify_chief(work, Note("address-by-moderator", facts))
    _ask_mailbox(work, player, change, old=False)
    return alive


def _list_open_changes(session: Session, player: PlayerRow) -> Sequence[AddressChange]:
    return players.list_open_address_changes(session, player.number)


def _ask_mailbox(work: UnitOfWork, player: PlayerRow, change: AddressChange, *, old: bool) -> None:
    """Put the question to one of the two mailboxes."""
    token = change.old_token if old else change.new_token
    facts = {"name": player.name, "address": change.address}
    note = Note("address-give-up" if old else "address-is-yours", facts)
    _notify_mailbox(
        work,
        player,
        _get_mailbox_reader(player, change, old=old),
        (note,),
        build_reply_address(work.config, tokens.ADDRESS, token),
    )


def get_answering_mailbox(session: Session, number: int, *, old: bool) -> Reader:
    """Return the mailbox whose answer about a change of address that is."""
    change = session.get_one(AddressChange, number)
    return _get_mailbox_reader(session.get_one(PlayerRow, change.player_id), change, old=old)


def _get_mailbox_reader(player: PlayerRow, change: AddressChange, *, old: bool) -> Reader:
    to = build_player_reader(player)
    return to if old else replace(to, address=change.address)


def _notify_mailbox(
    work: UnitOfWork, player: PlayerRow, to: Reader, notes: tuple[Note, ...], reply: ReplyAddress, asks: bool = True
) -> None:
    page = build_club_page(
        work.config, work.now, MailKind.ADDRESS, to, reply=reply, notes=notes, content=NewAddress(asks)
    )
    notify_reader(work, Recipient(player), page)


def handle_address_answer(work: UnitOfWork, row: InboxRow, number: int, lines: Sequence[Line], *, old: bool) -> None:
    """Act on the yes or no of one mailbox about a change of address. It is asked again if it says neither; an answer
    that comes too late is answered with a mail that says so."""
    change = work.session.get_one(AddressChange, number)
    player = work.session.get_one(PlayerRow, change.player_id)
    here = _get_mailbox_reader(player, change, old=old)
    if change.closed_at is not None:
        row.note = f"the change of address {change.id} is settled already"
        return
    if work.now - change.at > LASTS:
        _close_change(work.session, work.now, change)
        _notify_mailbox(work, player, here, (Note("address-expired"),), build_plain_reply(work.config), asks=False)
        return
    said = parse_yes_no(lines)
    if said is None:
        _ask_mailbox(work, player, change, old=old)
    elif said is False:
        _close_change(work.session, work.now, change)
        stays = Note("address-stays", {"name": player.name, "address": player.address})
        _notify_mailbox(work, player, build_player_reader(player), (stays,), build_plain_reply(work.config), asks=False)
        # Who has the other mailbox may be a stranger, to whom the player's own address is not told.
        elsewhere = Note("address-stays-elsewhere", {"name": player.name})
        _notify_mailbox(
            work,
            player,
            _get_mailbox_reader(player, change, old=False),
            (elsewhere,),
            build_plain_reply(work.config),
            asks=False,
        )
    else:
        change.old_said, change.new_said = change.old_said or old, change.new_said or not old
        work.session.add(change)
        _finish_or_wait(work, player, change, here)


def _finish_or_wait(work: UnitOfWork, player: PlayerRow, change: AddressChange, here: Reader) -> None:
    """Change the address if both mailboxes have agreed; else thank for the answer and wait for the other one."""
    if not (change.old_said and change.new_said):
        code = "address-waits-moderator" if player.undeliverable and change.new_said else "address-waits-other"
        _notify_mailbox(work, player, here, (Note(code),), build_plain_reply(work.config), asks=False)
        return
    if _is_address_taken(work.session, player, change.address):
        _close_change(work.session, work.now, change)
        _notify_both_mailboxes(work, player, change, Note("address-taken-meanwhile", {"address": change.address}))
        return
    before = build_player_reader(player)
    set_player_address(work, player, change.address)
    done = Note("address-changed", {"name": player.name, "address": change.address})
    for to in (before, build_player_reader(player)):
        _notify_mailbox(work, player, to, (done,), build_plain_reply(work.config), asks=False)


def _is_address_taken(session: Session, player: PlayerRow, address: str) -> bool:
    """Return whether somebody else has taken the address since it was asked for."""
    try:
        people.find_moving_referee(session, player, require_free_address(session, address))
    except OperatorError:
        return True
    return False


def set_player_address(work: UnitOfWork, player: PlayerRow, address: str) -> None:
    """Set the player's address, and that of the referee who is the same person; matches, seats and their reply
    addresses stay as they are. Raises OperatorError for another referee's."""
    if (referee := people.find_moving_referee(work.session, player, address)) is not None:
        referee.address = address
        work.session.add(referee)
    player.address = address
    work.session.add(player)
    for change in _list_open_changes(work.session, player):
        _close_change(work.session, work.now, change)
    if player.undeliverable:
        reachability.restore_reachability(work, player)


def _close_change(session: Session, now: datetime, change: AddressChange) -> None:
    change.closed_at = now
    session.add(change)


def _notify_both_mailboxes(work: UnitOfWork, player: PlayerRow, change: AddressChange, note: Note) -> None:
    for old in (True, False):
        _notify_mailbox(
            work,
            player,
            _get_mailbox_reader(player, change, old=old),
            (note,),
            build_plain_reply(work.config),
            asks=False,
        )
