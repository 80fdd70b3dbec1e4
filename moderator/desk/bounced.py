"""Mails that came back."""

from __future__ import annotations

from sqlmodel import col, select

from moderator.desk.desk import Desk
from moderator.desk.post import moderator, new_page, post
from moderator.engine.contract import Note
from moderator.mail.model import Bounce
from moderator.store.models import Outbox, Player


def note(desk: Desk, bounce: Bounce) -> None:
    """A delivery report: find our mail in it; for a permanent failure mark the player and tell the moderator once."""
    if not bounce.permanent:
        return
    found = desk.session.exec(select(Outbox).where(col(Outbox.message_id).in_(bounce.original_ids))).first()
    if found is None:
        return
    words = bounce.status or "returned"
    known = mark(desk, found, words)
    if not known and found.recipient != desk.config.club.moderator:
        told = Note("mail-refused", {"address": found.recipient, "answer": words})
        post(desk, new_page(desk, "notice", moderator(desk), notes=(told,)), answers=False)


def mark(desk: Desk, mail: Outbox, words: str) -> bool:
    """Write on the player's row that mail comes back; True when it stood there already."""
    player = desk.session.exec(select(Player).where(Player.address == mail.recipient)).first()
    if player is None:
        return False
    known = bool(player.undeliverable)
    player.undeliverable = words[:300]
    desk.session.add(player)
    return known
