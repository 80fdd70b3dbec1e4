"""Which kinds of mail carry ``List-Unsubscribe``: those that a mail to the address in it ends (unsubscribe.py)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.pages.pages import Page
from moderator.states import MailKind
from moderator.store import players
from moderator.store.models import Player

When = Literal["never", "watching", "invitation"]
WHEN: Mapping[MailKind, When] = {
    # What players are sent of their own matches: the others wait for them. Who only watches can stop it.
    MailKind.START: "watching",
    MailKind.TURN: "watching",
    MailKind.END: "watching",
    MailKind.CORRECTION: "watching",
    MailKind.NEWS: "watching",
    # In place of a mail for each turn; stopping it would bring more mail, not less.
    MailKind.DIGEST: "never",
    MailKind.BACKLOG: "never",
    MailKind.REMINDER: "never",
    MailKind.REFEREE: "never",
    MailKind.OFFICIAL: "never",
    # Invitations; pairings, results and tables go to those who have joined.
    MailKind.TOURNAMENT: "invitation",
    # Answers, questions, the moderator's own mail.
    MailKind.RECEIPT: "never",
    MailKind.STATUS: "never",
    MailKind.OVERVIEW: "never",
    MailKind.BOARD: "never",
    MailKind.RACK: "never",
    MailKind.HISTORY: "never",
    MailKind.CALENDAR: "never",
    MailKind.RULES: "never",
    MailKind.DONE: "never",
    MailKind.HELP: "never",
    MailKind.CONFIRM: "never",
    MailKind.UNREAD: "never",
    MailKind.RULING: "never",
    MailKind.RULED: "never",
    MailKind.NOTICE: "never",
    MailKind.WELCOME: "never",
    MailKind.SIGNUP: "never",
    MailKind.CLOSED: "never",
    MailKind.ADDRESS: "never",
    MailKind.PROTEST: "never",
    MailKind.BOSS: "never",
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
    player = players.by_unsubscribe(desk.session, token)
    return player if player is not None and tokens.same(token, player.unsubscribe) else None
