"""A player's new address: both mailboxes are asked, and it changes when both have said yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from moderator.club import same_person, tokens
from moderator.club.desk import Desk
from moderator.club.spelling import consent
from moderator.errors import OperatorError
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.outbox.post import new_page, plain_reply, reader, reply_to
from moderator.outbox.tell import To, tell, tell_chief
from moderator.pages.content import NewAddress
from moderator.pages.pages import Reader, Reply
from moderator.people import bounced
from moderator.people.identify import Moving
from moderator.play.create import checked_address
from moderator.states import MailKind
from moderator.store import players
from moderator.store.models import AddressChange, Inbox, Player

LASTS = timedelta(days=7)
"""So long both mailboxes may take to answer."""
DAILY = 3
"""Wishes of a player in a day: nobody can make the club flood others with questions."""


def too_often(desk: Desk, player: Player) -> bool:
    """Whether the player has wished for other addresses often enough for a day."""
    desk.session.flush()
    return players.changes_since(desk.session, player.number, desk.now - timedelta(days=1)) >= DAILY


def ask(desk: Desk, player: Player, address: str) -> bool:
    """Ask both mailboxes; for one that does not work any more the moderator is asked. An earlier wish is forgotten.
    Returns whether the old mailbox was asked. Raises OperatorError for an address that cannot be, or is taken by a
    player or by another referee."""
    address = checked_address(desk.session, address)
    same_person.moving(desk.session, player, address)
    for earlier in _open(desk, player):
        _close(desk, earlier)
    change = AddressChange(
        player_id=player.number,
        address=address,
        old_token=tokens.new_token(),
        new_token=tokens.new_token(),
        at=desk.now,
    )
    desk.session.add(change)
    desk.session.flush()
    alive = not player.undeliverable
    if alive:
        _put(desk, player, change, old=True)
    else:
        facts = {"name": player.name, "old": player.address or "", "address": address}
        tell_chief(desk, Note("address-by-moderator", facts))
    _put(desk, player, change, old=False)
    return alive


def _open(desk: Desk, player: Player) -> Sequence[AddressChange]:
    return players.open_changes(desk.session, player.number)


def _put(desk: Desk, player: Player, change: AddressChange, *, old: bool) -> None:
    """The question to one of the two mailboxes."""
    token = change.old_token if old else change.new_token
    facts = {"name": player.name, "address": change.address}
    note = Note("address-give-up" if old else "address-is-yours", facts)
    _write(desk, player, _mailbox(player, change, old=old), (note,), reply_to(desk, tokens.ADDRESS, token))


def mailbox(desk: Desk, writer: Moving) -> Reader:
    """The one whose answer that is."""
    player = desk.session.get_one(Player, writer.change.player_id)
    return _mailbox(player, writer.change, old=writer.old)


def _mailbox(player: Player, change: AddressChange, *, old: bool) -> Reader:
    to = reader(player)
    return to if old else replace(to, address=change.address)


def _write(desk: Desk, player: Player, to: Reader, notes: tuple[Note, ...], reply: Reply, asks: bool = True) -> None:
    page = new_page(desk, MailKind.ADDRESS, to, reply=reply, notes=notes, content=NewAddress(asks))
    tell(desk, To(player), page)


def take_answer(desk: Desk, row: Inbox, writer: Moving, lines: Sequence[Line]) -> None:
    """Yes or no of one mailbox. Asked again when it says neither; an answer that comes too late is told so."""
    change, old = writer.change, writer.old
    player = desk.session.get_one(Player, change.player_id)
    here = _mailbox(player, change, old=old)
    if change.closed_at is not None:
        row.note = f"the change of address {change.id} is settled already"
        return
    if desk.now - change.at > LASTS:
        _close(desk, change)
        _write(desk, player, here, (Note("address-expired"),), plain_reply(desk), asks=False)
        return
    said = consent(lines)
    if said is None:
        _put(desk, player, change, old=old)
    elif said is False:
        _close(desk, change)
        stays = Note("address-stays", {"name": player.name, "address": player.address})
        _write(desk, player, reader(player), (stays,), plain_reply(desk), asks=False)
        # Who has the other mailbox may be a stranger, to whom the player's own address is not told.
        elsewhere = Note("address-stays-elsewhere", {"name": player.name})
        _write(desk, player, _mailbox(player, change, old=False), (elsewhere,), plain_reply(desk), asks=False)
    else:
        change.old_said, change.new_said = change.old_said or old, change.new_said or not old
        desk.session.add(change)
        _next(desk, player, change, here)


def _next(desk: Desk, player: Player, change: AddressChange, here: Reader) -> None:
    """After a yes: done, or thanks and wait for the other one."""
    if not (change.old_said and change.new_said):
        code = "address-waits-moderator" if player.undeliverable and change.new_said else "address-waits-other"
        _write(desk, player, here, (Note(code),), plain_reply(desk), asks=False)
        return
    if _taken(desk, player, change.address):
        _close(desk, change)
        _tell_both(desk, player, change, Note("address-taken-meanwhile", {"address": change.address}))
        return
    before = reader(player)
    put(desk, player, change.address)
    done = Note("address-changed", {"name": player.name, "address": change.address})
    for to in (before, reader(player)):
        _write(desk, player, to, (done,), plain_reply(desk), asks=False)


def _taken(desk: Desk, player: Player, address: str) -> bool:
    """Whether somebody else has come by it since it was asked for."""
    try:
        same_person.moving(desk.session, player, checked_address(desk.session, address))
    except OperatorError:
        return True
    return False


def put(desk: Desk, player: Player, address: str) -> None:
    """Make it the player's address, and that of the referee who is the same person; matches, seats and their reply
    addresses stay as they are. Raises OperatorError for another referee's."""
    if (referee := same_person.moving(desk.session, player, address)) is not None:
        referee.address = address
        desk.session.add(referee)
    player.address = address
    desk.session.add(player)
    for change in _open(desk, player):
        _close(desk, change)
    if player.undeliverable:
        bounced.reachable(desk, player)


def _close(desk: Desk, change: AddressChange) -> None:
    change.closed_at = desk.now
    desk.session.add(change)


def _tell_both(desk: Desk, player: Player, change: AddressChange, note: Note) -> None:
    for old in (True, False):
        _write(desk, player, _mailbox(player, change, old=old), (note,), plain_reply(desk), asks=False)
