"""Which kinds of mail carry ``List-Unsubscribe``: those that a mail to the address in it ends (unsubscribe.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from sqlmodel import select

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.pages.pages import Kind, Page
from moderator.store.models import Player

When = Literal["never", "watching", "invitation"]
WHEN: Mapping[Kind, When] = {
    # What players are sent of their own matches: the others wait for them. Who only watches can stop it.
    "start": "watching",
    "turn": "watching",
    "end": "watching",
    "correction": "watching",
    "news": "watching",
    # In place of a mail for each turn; stopping it would bring more mail, not less.
    "digest": "never",
    "backlog": "never",
    "reminder": "never",
    "referee": "never",
    "official": "never",
    # Invitations; pairings, results and tables go to those who have joined.
    "cup": "invitation",
    # Answers, questions, the moderator's own mail.
    "receipt": "never",
    "status": "never",
    "overview": "never",
    "board": "never",
    "rack": "never",
    "history": "never",
    "calendar": "never",
    "rules": "never",
    "done": "never",
    "help": "never",
    "confirm": "never",
    "unread": "never",
    "ruling": "never",
    "ruled": "never",
    "notice": "never",
    "welcome": "never",
    "signup": "never",
    "closed": "never",
    "address": "never",
    "protest": "never",
    "boss": "never",
}


def stoppable(page: Page, answers: bool) -> bool:
    """Whether a mail to the address in its header keeps the next of this sort away. What was asked for is none."""
    if answers:
        return False
    when = WHEN[page.kind]
    if when == "invitation":
        return any(tournament.topic == "invite" for tournament in page.tournaments)
    return when == "watching" and page.watching


def target(desk: Desk, player: Player) -> str:
    """Where to write for that. The token stands in the subject, too: not everywhere do sub-addresses work."""
    if not player.unsubscribe:
        player.unsubscribe = tokens.new_token()
        desk.session.add(player)
    mail = desk.config.mail
    place = tokens.address(mail.address, mail.subaddress, tokens.STOP, player.unsubscribe)
    return f"{place}?subject={quote(f'unsubscribe [{tokens.STOP}-{player.unsubscribe}]')}"


def owner(desk: Desk, token: str) -> Player | None:
    """Whose address for unsubscribing that is."""
    player = desk.session.exec(select(Player).where(Player.unsubscribe == token)).first() if token else None
    return player if player is not None and tokens.same(token, player.unsubscribe) else None
