"""Which of the club's lists a mail comes from, as ``List-Id`` says it, and the address in ``List-Unsubscribe`` that
ends it for its reader (what a mail there does: service/players/unsubscribe.py).

Answers come from no list, nor do the mails of a match to those who play in it: the others wait for them. What comes
from a list and is waited for has its name, for filters, and no address: a promise that nobody keeps is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from moderator.common import tokens
from moderator.common.enums import MailKind
from moderator.notifications.content import list_tournament_views
from moderator.notifications.pages import Page
from moderator.service.desk import Desk
from moderator.store import players
from moderator.store.tables import PlayerRow

Where = Literal["no list", "watching", "tournament", "daily", "notices", "puzzles"]
WHERE: Mapping[MailKind, Where] = {
    # What is reported of a match; only who watches has it from a list.
    MailKind.START: "watching",
    MailKind.TURN: "watching",
    MailKind.END: "watching",
    MailKind.CORRECTION: "watching",
    MailKind.NEWS: "watching",
    MailKind.REMINDER: "no list",
    MailKind.REFEREE: "no list",
    # In place of a mail for each turn.
    MailKind.DIGEST: "daily",
    MailKind.BACKLOG: "no list",
    MailKind.OFFICIAL: "notices",
    MailKind.PUZZLE: "puzzles",
    # Invitations; pairings, results and tables go to those who have joined.
    MailKind.TOURNAMENT: "tournament",
    # Answers, questions, the moderator's own mail.
    MailKind.RECEIPT: "no list",
    MailKind.STATUS: "no list",
    MailKind.OVERVIEW: "no list",
    MailKind.BOARD: "no list",
    MailKind.RACK: "no list",
    MailKind.HISTORY: "no list",
    MailKind.REVIEW: "no list",
    MailKind.CALENDAR: "no list",
    MailKind.RULES: "no list",
    MailKind.DONE: "no list",
    MailKind.HELP: "no list",
    MailKind.CONFIRM: "no list",
    MailKind.REPEATED: "no list",
    MailKind.UNREAD: "no list",
    MailKind.RULING: "no list",
    MailKind.RULED: "no list",
    MailKind.NOTICE: "no list",
    MailKind.WELCOME: "no list",
    MailKind.SIGNUP: "no list",
    MailKind.CLOSED: "no list",
    MailKind.ADDRESS: "no list",
    MailKind.PROTEST: "no list",
    MailKind.BOSS: "no list",
}


@dataclass(frozen=True)
class MailingList:
    """One of the club's mailing lists."""

    label: str
    """Within the club: ``invitations``, ``daily``, ``k7q2.matches``."""
    stop: str = ""
    """What is written to, to end it, before the reader's token; "" = it ends with what it is about."""


def find_mailing_list(page: Page, answers: bool) -> MailingList | None:
    """Return the list that a mail comes from. A mail that answers comes from none."""
    where = "no list" if answers else WHERE[page.kind]
    if where == "daily":
        return MailingList("daily", tokens.DAILY)
    if where == "notices":
        return MailingList("notices")
    if where == "puzzles":
        return MailingList("puzzles", tokens.NO_PUZZLE)
    if where == "watching" and page.watching and page.match is not None:
        return MailingList(f"{page.match.code.lower()}.matches", page.match.code)
    if where == "tournament":
        for tournament in list_tournament_views(page.content):
            invites = tournament.topic == "invite"
            return (
                MailingList("invitations", tokens.STOP)
                if invites
                else MailingList(f"{tournament.code.lower()}.tournaments")
            )
    return None


def format_list_id(desk: Desk, found: MailingList) -> str:
    """Return the list's worldwide name (RFC 2919): its label before the club's address, with a dot in place of the
    @."""
    local, _, domain = desk.config.mail.address.lower().rpartition("@")
    return f"{found.label}.{re.sub(r'[^a-z0-9]+', '-', local).strip('-') or 'club'}.{domain}"


def build_unsubscribe_address(desk: Desk, found: MailingList, player: PlayerRow) -> str:
    """Return the address to write to in order to leave the list, or an empty text if there is none. The token stands in
    the subject, too, because sub-addresses do not work everywhere."""
    if not found.stop:
        return ""
    mail, token = desk.config.mail, ensure_player_token(desk, player)
    place = tokens.build_token_address(mail.address, mail.subaddress, found.stop, token)
    return f"{place}?subject={quote(f'unsubscribe [{found.stop}-{token}]')}"


def ensure_player_token(desk: Desk, player: PlayerRow) -> str:
    """Return the player's token for addresses that open no match: to leave a list, to answer a puzzle. It is made at
    the first call."""
    if not player.unsubscribe:
        player.unsubscribe = tokens.generate_token()
        desk.session.add(player)
    return player.unsubscribe


def find_unsubscribing_player(desk: Desk, token: str) -> PlayerRow | None:
    """Return the player whose token (``ensure_player_token``) this is; None if it is nobody's."""
    player = players.find_player_by_unsubscribe(desk.session, token)
    return player if player is not None and tokens.tokens_equal(token, player.unsubscribe) else None
