"""Matches that cannot go on and are taken out of play, alone, until the operator has looked; and those that were set up
by mistake. Their rows are enough for that: the log may be what is wrong."""

from __future__ import annotations

from moderator.common.enums import ClockStop, LogEntryKind, MatchStatus, QuestionKind
from moderator.common.errors import Impossible, OperatorError
from moderator.notifications.task import StaffMember
from moderator.rules import replay
from moderator.rules.game import Note
from moderator.service.held_mails import release_mails_of_match
from moderator.service.match.clock import set_deadline
from moderator.service.notifications import notify_staff_member
from moderator.service.notify import notify_match_removed
from moderator.store import matches, reviews
from moderator.store.database import Session
from moderator.store.players import add_matter, delete_matter, list_watchers
from moderator.store.tables import MatchRow, Tournament
from moderator.views.loaded_match import MatchSuspended, load_log_entries, rebuild_match
from moderator.views.people import MatchCharge
from moderator.views.unit_of_work import UnitOfWork


def suspend_match(work: UnitOfWork, match_id: int, reason: str) -> None:
    """Take one match out of play until somebody has looked; all others go on."""
    match = work.session.get_one(MatchRow, match_id)
    match.status, match.trouble = MatchStatus.SUSPENDED, reason[:500]
    work.session.add(match)
    work.cache.matches.pop(match_id, None)
    notify_suspended(work, match, MatchCharge(work, match).find_staff())


def notify_suspended(work: UnitOfWork, match: MatchRow, who: StaffMember, *notes: Note) -> None:
    """Notify the chief or a referee that the match is suspended."""
    add_matter(work.session, QuestionKind.SUSPENDED, match.number, who.number, work.now)
    code = "match-suspended" if who.is_chief else "match-suspended-referee"
    notify_staff_member(work, who, *notes, Note(code, {"match": match.code, "reason": match.trouble}))


def resume_suspended_match(work: UnitOfWork, match: MatchRow, accept_lexicon: bool) -> None:
    """Let the match run again. Raises OperatorError when the reason still holds."""
    if match.status != MatchStatus.SUSPENDED:
        raise OperatorError(f"Match {match.code} is {match.status}.", "Only a suspended match can be resumed.")
    try:
        live = rebuild_match(work.session, match, work.config.deadlines)
    except MatchSuspended as error:
        raise OperatorError(error.reason, "Restore a backup, or ask for help with a copy of the database.") from error
    if accept_lexicon and live.game.uses_words:
        words = work.cache.get_dictionary(live.options)
        match.fingerprint, match.lexicon = words.fingerprint, words.edition
    if not work.cache.has_same_dictionary(live, match):
        raise OperatorError(
            f"Match {match.code} was started with another dictionary ({match.lexicon}).",
            "Put that one back, or go on with the new one by --accept-lexicon.",
        )
    match.status, match.trouble = MatchStatus.RUNNING, ""
    work.session.add(match)
    _requeue_waiting_mails(work.session, match)


def _requeue_waiting_mails(session: Session, match: MatchRow) -> None:
    """Requeue the mails that waited for the match, which is suspended no more."""
    delete_matter(session, QuestionKind.SUSPENDED, match.number)
    release_mails_of_match(session, match)


def release_from_tournament(match: MatchRow) -> None:
    """Let the match go on as an ordinary one, because its tournament is over."""
    match.tournament_id = None


# ---- a match that was set up by mistake ----


def count_people_moves(work: UnitOfWork, match: MatchRow) -> int:
    players = work.list_players(match)
    kinds = (LogEntryKind.ORDER, LogEntryKind.MOVE)
    return sum(
        one.kind in kinds and one.seat is not None and not players[one.seat].robot
        for _, one in replay.drop_undone(load_log_entries(work.session, match))
    )


def cancel_match(work: UnitOfWork, match: MatchRow, why: str = "") -> list[str]:
    """Cancel the match. One that has not begun is deleted with all that was entered for it. One that was dealt counts
    nowhere and is seen nowhere; its row stays, so that whoever still answers one of its mails reads what became of it.
    Returns the names of those who are notified. Raises Impossible for a game of a tournament, and for one that is
    cancelled already."""
    if match.status == MatchStatus.CANCELLED:
        raise Impossible("match-cancelled", match=match.code, name=match.name)
    if match.tournament_id is not None:
        tournament = work.session.get_one(Tournament, match.tournament_id)
        raise Impossible("boss-cancel-cup", match=match.code, tournament=tournament.code)
    code = "called-off" if why else "called-off-plain"
    note = Note(code, {"match": match.code, "title": match.name, "line": why})
    told = notify_match_removed(work, match, note, everybody=match.status == MatchStatus.OPEN and match.wanted > 0)
    if match.status == MatchStatus.OPEN:
        matches.delete_match(work.session, match)
        return told
    _requeue_waiting_mails(work.session, match)
    reviews.delete_review(work.session, match.number, requests=True)
    reviews.withdraw_puzzles(work.session, match.number, work.now)
    for row, _ in list_watchers(work.session, match.number):
        work.session.delete(row)
    match.status, match.finished_at, match.result = MatchStatus.CANCELLED, work.now, None
    set_deadline(match, None)
    match.remind_at = match.stopped_at = None
    match.stopped, match.held, match.trouble = ClockStop.NO, False, ""
    work.session.add(match)
    return told
