"""Which of the club's lists a mail comes from, as ``List-Id`` says it, and the address in ``List-Unsubscribe`` that
ends it for its reader (what a mail there does: people/unsubscribe.py).

Answers come from no list, nor do the mails of a match to those who play in it: the others wait for them. What comes
from a list and is waited for has its name, for filters, and no address: a promise that nobody keeps is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

from moderator.club import tokens
from moderator.club.desk import Desk
from moderator.pages.content import tournaments
from moderator.pages.pages import Page
from moderator.states import MailKind
from moderator.store import players
from moderator.store.models import Player

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
class Listed:
    """A list of the club's."""

    label: str
    """Within the club: ``invitations``, ``daily``, ``k7q2.matches``."""
    stop: str = ""
    """What is written to, to end it, before the reader's token; "" = it ends with what it is about."""


def listed(page: Page, answers: bool) -> Listed | None:
    """The list that a mail comes from. What was asked for comes from none."""
    where = "no list" if answers else WHERE[page.kind]
    if where == "daily":
        return Listed("daily", tokens.DAILY)
    if where == "notices":
        return Listed("notices")
    if where == "puzzles":
        return Listed("puzzles", tokens.NO_PUZZLE)
    if where == "watching" and page.watching and page.match is not None:
        return Listed(f"{page.match.code.lower()}.matches", page.match.code)
    if where == "tournament":
        for tournament in tournaments(page.content):
            invites = tournament.topic == "invite"
            return Listed("invitations", tokens.STOP) if invites else Listed(f"{tournament.code.lower()}.tournaments")
    return None


def list_id(desk: Desk, found: Listed) -> str:
    """Its name in the whole world (RFC 2919): the club's address, with a dot in place of the @."""
    local, _, domain = desk.config.mail.address.lower().rpartition("@")
    return f"{found.label}.{re.sub(r'[^a-z0-9]+', '-', local).strip('-') or 'club'}.{domain}"


def stop_address(desk: Desk, found: Listed, player: Player) -> str:
    """Where to write to end it; "" = nowhere. The token stands in the subject, too: not everywhere do sub-addresses
    work."""
    if not found.stop:
        return ""
    mail, token = desk.config.mail, secret_of(desk, player)
    place = tokens.address(mail.address, mail.subaddress, found.stop, token)
    return f"{place}?subject={quote(f'unsubscribe [{found.stop}-{token}]')}"


def secret_of(desk: Desk, player: Player) -> str:
    """The token of addresses that open no match: to end a list, to answer a puzzle."""
    if not player.unsubscribe:
        player.unsubscribe = tokens.new_token()
        desk.session.add(player)
    return player.unsubscribe


def who_stops(desk: Desk, token: str) -> Player | None:
    """Whose token that is (``secret_of``)."""
    player = players.by_unsubscribe(desk.session, token)
    return player if player is not None and tokens.same(token, player.unsubscribe) else None
