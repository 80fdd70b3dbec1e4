"""A protest ruled on by its number, where no mail about it is at hand. What the players read: desk/protest.py."""

from __future__ import annotations

from moderator.desk import protest
from moderator.desk.boss.call import Outcome, outcome
from moderator.desk.desk import Desk
from moderator.errors import Misused
from moderator.store.models import Match, Protest


def rule(desk: Desk, number: int, upheld: bool, reason: str) -> Outcome:
    """Enter the ruling and tell all players. Raises Misused for a protest that is not open."""
    row = desk.session.get(Protest, number)
    if row is None or row.answered_at is not None:
        raise Misused("boss-no-protest", number=number)
    match = desk.session.get_one(Match, row.match_id)
    protest.rule(desk, row, upheld, reason)
    return outcome("boss-protest-upheld" if upheld else "boss-protest-denied", number=number, match=match.code)
