"""Tokens that somebody guesses: wrong ones are counted, and above a limit a token alone opens nothing any more.

Right tokens are never refused, whoever guessed: the address of a mail is easily forged, and the player whose address it
is would be shut out. Instead a right token counts as before if the player's provider vouches for the mail; else the
mail waits until its owner, asked at the address that we know, has said yes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime

from sqlmodel import Session

from moderator.store.models import Memo

PER_SENDER = 20
"""Wrong tokens of one address in a day (UTC)."""
PER_CLUB = 100
"""Wrong tokens of all senders in an hour."""
KEPT = 300
"""Addresses that are counted one by one in a day; the others count for the club's limit."""
_KEY = "wrong-tokens"


@dataclass
class Count:
    """Wrong tokens of the day and of the hour at hand."""

    day: str
    hour: int
    in_hour: int = 0
    senders: dict[str, int] = field(default_factory=dict)
    told: bool = False
    """Whether the moderator has heard of it this day."""

    def above(self, sender: str) -> bool:
        """Whether so many were wrong that a token alone is no proof."""
        return self.in_hour >= PER_CLUB or self.senders.get(sender, 0) >= PER_SENDER


def count(session: Session, now: datetime) -> Count:
    """What was counted so far."""
    row = session.get(Memo, _KEY)
    day = now.date().isoformat()
    known = Count(**json.loads(row.value)) if row else Count(day, now.hour)
    if known.day != day:
        return Count(day, now.hour)
    if known.hour != now.hour:
        known.hour, known.in_hour = now.hour, 0
    return known


def add(session: Session, now: datetime, sender: str, wrong: int) -> bool:
    """Count so many more. True = that was too much, for the first time today."""
    known = count(session, now)
    known.in_hour += wrong
    if sender in known.senders or len(known.senders) < KEPT:
        known.senders[sender] = known.senders.get(sender, 0) + wrong
    first = known.above(sender) and not known.told
    known.told = known.told or first
    _keep(session, json.dumps(vars(known)))
    return first


def _keep(session: Session, value: str) -> None:
    row = session.get(Memo, _KEY)
    if row is not None:
        row.value = value
        session.add(row)
        return
    from sqlalchemy import text

    # Of two workers that count the first guess ever, one writes the row.
    entry = "INSERT INTO memo (key, value) VALUES (:key, :value) ON CONFLICT (key) DO NOTHING"
    session.connection().execute(text(entry), {"key": _KEY, "value": value})
