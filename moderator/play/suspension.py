"""A match that cannot go on is taken out of play, alone, until the operator has looked."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.live_match import Suspended, rebuild
from moderator.errors import OperatorError
from moderator.match.contract import Note
from moderator.outbox.tell import tell_moderator
from moderator.states import InboxState, MatchStatus
from moderator.store import inbox
from moderator.store.models import Match

WAITS_FOR = "waits for suspended match "
"""What the note of a mail begins with that is read again when its match runs."""


def suspend(desk: Desk, match_id: int, reason: str) -> None:
    """Take one match out of play until the operator has looked; all others go on."""
    match = desk.session.get_one(Match, match_id)
    match.status, match.trouble = MatchStatus.SUSPENDED, reason[:500]
    desk.session.add(match)
    desk.cache.matches.pop(match_id, None)
    tell_moderator(desk, Note("match-suspended", {"match": match.code, "reason": reason}))


def unsuspend(desk: Desk, match: Match, accept_lexicon: bool) -> None:
    """Let it run again. Raises OperatorError when the reason still holds."""
    if match.status != MatchStatus.SUSPENDED:
        raise OperatorError(f"Match {match.code} is {match.status}.", "Only a suspended match can be resumed.")
    try:
        live = rebuild(desk.session, match, desk.config.deadlines)
    except Suspended as error:
        raise OperatorError(error.reason, "Restore a backup, or ask for help with a copy of the database.") from error
    if accept_lexicon and live.game.uses_words:
        words = desk.cache.dictionary(live.options)
        match.fingerprint, match.lexicon = words.fingerprint, words.edition
    if not desk.cache.same_words(live, match):
        raise OperatorError(
            f"Match {match.code} was started with another dictionary ({match.lexicon}).",
            "Put that one back, or go on with the new one by --accept-lexicon.",
        )
    match.status, match.trouble = MatchStatus.RUNNING, ""
    desk.session.add(match)
    for row in inbox.with_note(desk.session, WAITS_FOR + match.code):
        row.state, row.note, row.attempts = InboxState.RECEIVED, "", 0
        desk.session.add(row)
