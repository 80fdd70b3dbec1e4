"""Mails that came back: the player is marked, the moderator told, the clocks of their turns stand until they are
heard from again."""

from __future__ import annotations

from datetime import timedelta

from sqlmodel import col, select

from moderator.desk import clock, deadlines
from moderator.desk.desk import Desk
from moderator.desk.live import Suspended
from moderator.desk.places import seats_of
from moderator.desk.post import tell_moderator
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.mail.model import Bounce
from moderator.store.models import Outbox, Player

LATELY = timedelta(days=14)
"""A report that names no mail of ours, but an address, is about one that was sent there so lately."""


def note(desk: Desk, bounce: Bounce) -> None:
    """A delivery report: find our mail in it, by its Message-ID or else by the address that failed. A failure for good
    marks the player."""
    if not bounce.permanent:
        return
    found = desk.session.exec(select(Outbox).where(col(Outbox.message_id).in_(bounce.original_ids))).first()
    if found is None and bounce.addresses and not bounce.original_ids:
        lately = select(Outbox).where(
            col(Outbox.recipient).in_(bounce.addresses), Outbox.created_at >= desk.now - LATELY
        )
        found = desk.session.exec(lately.order_by(col(Outbox.id).desc())).first()
    if found is not None:
        refused(desk, found, bounce.status or "returned")


def refused(desk: Desk, mail: Outbox, words: str) -> None:
    """A mail will never arrive: mark its player, stop the clocks that wait for them, and tell the moderator once."""
    if mail.recipient == desk.config.club.moderator:
        return
    player = desk.session.exec(select(Player).where(Player.address == mail.recipient)).first()
    if player is None or player.undeliverable:
        return
    player.undeliverable = words[:300] or "refused"
    desk.session.add(player)
    facts = {"address": mail.recipient, "answer": words, "name": player.name, "matches": _stop_clocks(desk, player)}
    tell_moderator(desk, Note("mail-refused-stopped" if facts["matches"] else "mail-refused", facts))


def _stop_clocks(desk: Desk, player: Player) -> list[str]:
    """Codes of the matches that wait for the player; their clocks stand now. A match that cannot be looked at is left
    to its deadline, which looks again."""
    stopped = []
    for match, seat in seats_of(desk, player.number):
        if match.status != "running" or match.stopped:
            continue
        try:
            live = desk.shelf.live(desk.session, match)
        except (Suspended, OperatorError):
            continue
        if seat.number in live.awaited:
            match.stopped, match.stopped_at = "mail", desk.now
            clock.note(desk, match, live, "mail", match.deadline)
            stopped.append(match.code)
    return stopped


def heard_from(desk: Desk, player: Player, sender: str) -> None:
    """A mail came from ``sender``. If that is the player's own address, mail works again."""
    if player.undeliverable and sender == player.address:
        reachable(desk, player)


def reachable(desk: Desk, player: Player) -> None:
    """The address works (again): the clocks that stood begin their turns anew."""
    player.undeliverable = ""
    desk.session.add(player)
    desk.session.flush()
    deadlines.reachable_again(desk, player.number)
