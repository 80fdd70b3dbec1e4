"""When a reader learns of something: a table of the kind of mail, what its reader wants, and what the run is doing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from moderator.common.enums import MailKind


class Delivery(Enum):
    NOW = "now"
    DAILY = "daily"
    """The daily mail tells it."""
    AFTER_RUN = "after the run"
    """One mail at the end of the run tells it, with all else."""
    NOBODY = "nobody"


class RunMode(Enum):
    USUAL = "usual"
    BACKLOG = "backlog"
    """So much mail waited that everybody is told of it in one mail at the end of the run."""


@dataclass(frozen=True)
class ReaderPreferences:
    """The reader: a player, or the chief or a referee."""

    is_player: bool = True
    has_mailbox: bool = True
    """Robots have none."""
    reachable: bool = True
    """No mail to the address was refused for good."""
    daily: bool = False
    """One mail a day is wanted."""
    is_referee: bool = False
    """A referee, to whom notices go at once."""


@dataclass(frozen=True)
class MailRule:
    daily: bool = False
    """Whoever wants one mail a day reads it there."""
    after_run: bool = False
    """It waits for the end of a run over a backlog. Beginnings, ends, and questions that need an answer don't."""
    only_reachable: bool = False
    """Not sent unasked to an address that no mail gets through to. Reports are: they try it again."""


RULES: Mapping[MailKind, MailRule] = {
    MailKind.TURN: MailRule(daily=True, after_run=True),
    MailKind.REMINDER: MailRule(daily=True, after_run=True, only_reachable=True),
    MailKind.RECEIPT: MailRule(after_run=True),
    MailKind.CORRECTION: MailRule(after_run=True),
    MailKind.STATUS: MailRule(after_run=True, only_reachable=True),
    MailKind.REFEREE: MailRule(after_run=True, only_reachable=True),
    MailKind.DONE: MailRule(after_run=True),
    MailKind.UNREAD: MailRule(after_run=True),
    MailKind.NEWS: MailRule(after_run=True),
    MailKind.NOTICE: MailRule(after_run=True),
    MailKind.ASKED: MailRule(after_run=True),
    MailKind.TOURNAMENT: MailRule(only_reachable=True),
    MailKind.DIGEST: MailRule(only_reachable=True),
    MailKind.PUZZLE: MailRule(only_reachable=True),
}
"""Mails of all other kinds go out at once."""


def route(kind: MailKind, reader: ReaderPreferences, mode: RunMode, *, answers: bool) -> Delivery:
    """Return when the reader learns of it. ``answers``: the mail replies to one of the reader's."""
    rule = RULES.get(kind, MailRule())
    if reader.is_player and not answers:
        if not reader.has_mailbox or (rule.only_reachable and not reader.reachable):
            return Delivery.NOBODY
        if reader.daily and rule.daily:
            return Delivery.DAILY
    waits = reader.is_player or (kind == MailKind.NOTICE and not reader.is_referee)
    return Delivery.AFTER_RUN if mode is RunMode.BACKLOG and rule.after_run and waits else Delivery.NOW
