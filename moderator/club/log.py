"""The log of a match: one more entry, and the match at hand follows it."""

from __future__ import annotations

from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.match import replay
from moderator.match.replay import Entry
from moderator.match.time import ledger
from moderator.store import matches
from moderator.store.models import Match


def enter(desk: Desk, match: Match, live: LiveMatch, entry: Entry) -> None:
    """One more entry; the table follows it. Raises ReplayMismatch for one that does not fit."""
    live.table, _ = replay.step(live.game, live.table, entry, live.context)
    write(desk, match, live, entry)


def write(desk: Desk, match: Match, live: LiveMatch, entry: Entry) -> None:
    """One more entry that ``live.table`` shows already. An "undo" changes what came before: the match must be built
    anew after it."""
    match.entries += 1
    live.entries = match.entries
    live.ledger = ledger.add(live.ledger, live.terms, entry)
    values: dict[str, Any] = {"match_id": match.number, "n": match.entries, "kind": entry.kind, "seat": entry.seat}
    values |= {"text": entry.text, "outcome": dict(entry.outcome), "at": desk.now, "inbox_id": desk.inbox_id}
    matches.enter(desk.session, values)
    desk.session.add(match)
