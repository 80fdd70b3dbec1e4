"""What happens to a match besides moves: a seat is given up or handed over, the game is stopped, something is undone;
or it cannot go on and is taken out of play, alone, until the operator has looked.

What is part of the game is written into the log, with what everybody will read; the mails are made by notify.py."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from moderator.common import tokens
from moderator.common.enums import (
    ClockStop,
    Level,
    LogEntryKind,
    MailKind,
    MatchStatus,
    QuestionKind,
    SeatLeftReason,
)
from moderator.common.errors import Impossible, OperatorError
from moderator.language.spelling import get_game_name
from moderator.notifications.pages import Page
from moderator.notifications.task import StaffMember
from moderator.rules import replay, seats, shuffling
from moderator.rules.events import Happened, PlayStopped, SeatLost, SeatTaken, event_message
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry, drop_undone
from moderator.service import advance, create, match_clock, moving_in
from moderator.service.held_mails import release_mails_of_match
from moderator.service.notifications import notify_reader, notify_staff_member
from moderator.service.notify import notify_match_removed
from moderator.service.tournaments import results
from moderator.store import matches, players, reviews
from moderator.store.database import Session
from moderator.store.players import add_matter, delete_matter, list_watchers
from moderator.store.tables import MatchRow, PlayerRow, Tournament
from moderator.views.desk import Desk, append_event, apply_event
from moderator.views.loaded_match import LiveMatch, MatchSuspended, load_log_entries, rebuild_match
from moderator.views.mail_pages import build_club_page, build_personal_reply, build_player_reader
from moderator.views.notification import Recipient
from moderator.views.people import find_staff_in_charge
from moderator.views.tournament_rows import find_consequences


def _add_event_note(desk: Desk, match: MatchRow, live: LiveMatch, note: Note) -> None:
    progress = desk.events_of(match)
    progress.record_start_round(live.table.state.public.round)
    progress.notes.append(note)
    progress.moved = True


def _record_match_event(desk: Desk, match: MatchRow, live: LiveMatch, event: Happened) -> None:
    desk.events_of(match).happened.append(event)
    if (said := event_message(event)) is not None:
        _add_event_note(desk, match, live, said)


def retire_seat(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, why: SeatLeftReason) -> None:
    """Let the seat play no more; the match ends when nobody is left to play against."""
    _record_match_event(desk, match, live, SeatLost(seat, desk.list_players(match)[seat].name, why))
    apply_event(desk, match, live, LogEntry(LogEntryKind.RETIRE, seat, why.value))
    left = seats.list_active_seats(live.table)
    people = [s for s in left if not desk.list_players(match)[s].robot]
    if len(left) < 2 or not people:
        stop_match(desk, match, live)
    else:
        advance.advance_match(desk, match, live)
        moving_in.resume_if_confirmed(desk, match, live)


def stop_match(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """End the game as it stands."""
    _record_match_event(desk, match, live, PlayStopped())
    apply_event(desk, match, live, LogEntry(LogEntryKind.STOP))
    advance.advance_match(desk, match, live)


def hand_over_seat(
    desk: Desk, match: MatchRow, live: LiveMatch, seat: int, player: PlayerRow, why: SeatLeftReason | None = None
) -> None:
    """Give the seat to somebody else. Whoever is awaited has a new deadline, so that the new player can look around.
    The player who sat there and played is notified, but not one who has resigned and reads of it in the answer to that;
    ``why``: None = the moderator wants it.

    Raises OperatorError for a robot's seat or a player who has one already."""
    before = desk.list_players(match)[seat]
    if player.number in (p.number for p in desk.list_players(match)):
        raise OperatorError(f"{player.name} plays in match {match.code} already.", "Name somebody else.")
    played = seat not in live.table.out
    row, _ = desk.list_seated(match)[seat]
    row.player_id, row.token, row.thread = player.number, tokens.generate_token(), ""
    desk.session.add(row)
    desk.session.flush()
    desk.forget_seats(match)
    apply_event(desk, match, live, LogEntry(LogEntryKind.HAND_OVER, seat, str(player.number)))
    held = player.robot and match.tournament_id is None and not match.training
    _record_match_event(desk, match, live, SeatTaken(seat, before.name, player.name, held))
    if played and before.address is not None and why != SeatLeftReason.RESIGNED:
        notify_reader(desk, Recipient(before), _build_replaced_page(desk, match, before, player, why, held))
    match.deadline = match.final = None  # the turn begins anew for everybody
    advance.advance_match(desk, match, live)


def _build_replaced_page(
    desk: Desk, match: MatchRow, before: PlayerRow, player: PlayerRow, why: SeatLeftReason | None, held: bool
) -> Page:
    """Build the page for somebody who has a seat no more, and gets no reports of the match any more."""
    values = {"match": match.code, "title": match.name, "new": player.name}
    notes = [Note("seat-replaced-silent" if why == SeatLeftReason.ABANDONED else "seat-replaced", values)]
    if held:
        notes.append(Note("seat-replaced-robot", {"match": match.code}))
    return build_club_page(
        desk, MailKind.NEWS, build_player_reader(before), reply=build_personal_reply(desk, before), notes=tuple(notes)
    )


def undo_to_entry(
    desk: Desk, match: MatchRow, live: LiveMatch, entry: int, why: Note, force: bool = False
) -> LiveMatch:
    """Undo everything after log entry number ``entry``; what was ordered by then holds again, and a new turn begins,
    which ends no sooner than the moderator had promised. A match of a tournament that was over is dealt anew instead.
    ``why`` tells everybody why. Returns the match as it is now. Raises OperatorError for no such entry, and without
    ``force`` Impossible("undo-hangs") for a result that a tournament has built on."""
    log = load_log_entries(desk.session, match)
    if not 0 <= entry < match.entries or 0 < entry < replay.find_last_redeal(log):
        raise OperatorError(f"Match {match.code} has no entry {entry} to go back to.", "See `moderator match log`.")
    if match.status == MatchStatus.FINISHED and not force and (hung := find_consequences(desk, match)):
        raise Impossible("undo-hangs", match=match.code, faults=_encode_notes(hung.built, hung.worth_if_replayed))
    scores = live.table.state.scores
    active = seats.list_active_seats(live.table)
    anew = must_redeal(match, log)
    entry = 0 if anew else entry
    later = {
        one.seat for number, one in replay.drop_undone(log) if number > entry and one.kind == LogEntryKind.HAND_OVER
    }
    had = results.find_dependent_result(desk, match) if match.status == MatchStatus.FINISHED else {}
    seed = {"seed": match.seed} if anew else {}
    append_event(desk, match, live, LogEntry(LogEntryKind.UNDO, text=str(entry), outcome=seed | had))
    match.seed = secrets.token_bytes(shuffling.SEED_BYTES).hex() if anew else match.seed
    desk.session.flush()
    desk.cache.matches.pop(match.number, None)
    if match.status == MatchStatus.FINISHED:
        match.status, match.finished_at, match.result = MatchStatus.RUNNING, None, None
        results.reopen_match_result(desk, match)
        reviews.delete_review(desk.session, match.number)
        reviews.withdraw_puzzles(desk.session, match.number, desk.now)
    now = desk.cache.load_match(desk.session, match)
    for seat in active:
        if seat in now.table.out or seat in later:  # who has taken over a seat since then keeps it
            apply_event(
                desk, match, now, LogEntry(LogEntryKind.HAND_OVER, seat, str(desk.list_players(match)[seat].number))
            )
    progress = desk.events_of(match)
    progress.correction, progress.started = not anew, anew
    if anew:
        progress.record_start_round(0)  # so that its mails have the new seal
    _add_event_note(desk, match, now, why)
    progress.notes += [Note("dealt-anew")] if anew else []
    for seat, (old, new) in enumerate(zip(scores, now.table.state.scores, strict=True)):
        if old != new:
            progress.notes.append(Note("score-corrected", {"old": old, "new": new}, seat=seat))
    match.held = False
    match.deadline = match.final = None
    match_clock.begin_turn(desk, match, now)
    if match_clock.keep_promised_extension(desk, match, now, entry):
        progress.notes.append(Note("extension-kept", {"deadline": match.deadline}))
    return now


def must_redeal(match: MatchRow, log: Sequence[LogEntry]) -> bool:
    """Return whether a match is dealt anew when it is taken back: it counts in a tournament and was over, so that its
    seed has been mailed, and whoever works it out knows all tiles."""
    return (
        match.status == MatchStatus.FINISHED and match.tournament_id is not None and not replay.find_import_entry(log)
    )


def _encode_notes(*notes: Note) -> list[dict[str, object]]:
    """Encode notes as a parameter of another one."""
    return [{"code": note.code, **note.params} for note in notes]


# ---- a match that cannot go on ----


def suspend_match(desk: Desk, match_id: int, reason: str) -> None:
    """Take one match out of play until somebody has looked; all others go on."""
    match = desk.session.get_one(MatchRow, match_id)
    match.status, match.trouble = MatchStatus.SUSPENDED, reason[:500]
    desk.session.add(match)
    desk.cache.matches.pop(match_id, None)
    notify_suspended(desk, match, find_staff_in_charge(desk, match))


def notify_suspended(desk: Desk, match: MatchRow, who: StaffMember, *notes: Note) -> None:
    """Notify the chief or a referee that the match is suspended."""
    add_matter(desk.session, QuestionKind.SUSPENDED, match.number, who.number, desk.now)
    code = "match-suspended" if who.is_chief else "match-suspended-referee"
    notify_staff_member(desk, who, *notes, Note(code, {"match": match.code, "reason": match.trouble}))


def resume_suspended_match(desk: Desk, match: MatchRow, accept_lexicon: bool) -> None:
    """Let the match run again. Raises OperatorError when the reason still holds."""
    if match.status != MatchStatus.SUSPENDED:
        raise OperatorError(f"Match {match.code} is {match.status}.", "Only a suspended match can be resumed.")
    try:
        live = rebuild_match(desk.session, match, desk.config.deadlines)
    except MatchSuspended as error:
        raise OperatorError(error.reason, "Restore a backup, or ask for help with a copy of the database.") from error
    if accept_lexicon and live.game.uses_words:
        words = desk.cache.get_dictionary(live.options)
        match.fingerprint, match.lexicon = words.fingerprint, words.edition
    if not desk.cache.has_same_dictionary(live, match):
        raise OperatorError(
            f"Match {match.code} was started with another dictionary ({match.lexicon}).",
            "Put that one back, or go on with the new one by --accept-lexicon.",
        )
    match.status, match.trouble = MatchStatus.RUNNING, ""
    desk.session.add(match)
    _requeue_waiting_mails(desk, match)


def _requeue_waiting_mails(desk: Desk, match: MatchRow) -> None:
    """Requeue the mails that waited for the match, which is suspended no more."""
    delete_matter(desk.session, QuestionKind.SUSPENDED, match.number)
    release_mails_of_match(desk.session, match)


# ---- a match that was set up by mistake ----


def count_people_moves(desk: Desk, match: MatchRow) -> int:
    """Count the orders and moves of persons."""
    players = desk.list_players(match)
    kinds = (LogEntryKind.ORDER, LogEntryKind.MOVE)
    return sum(
        one.kind in kinds and one.seat is not None and not players[one.seat].robot
        for _, one in replay.drop_undone(load_log_entries(desk.session, match))
    )


def cancel_match(desk: Desk, match: MatchRow, why: str = "") -> list[str]:
    """Cancel the match. One that has not begun is deleted with all that was entered for it. One that was dealt counts
    nowhere and is seen nowhere; its row stays, so that whoever still answers one of its mails reads what became of it.
    Returns the names of those who are notified. Raises Impossible for a game of a tournament, and for one that is
    cancelled already."""
    if match.status == MatchStatus.CANCELLED:
        raise Impossible("match-cancelled", match=match.code, name=match.name)
    if match.tournament_id is not None:
        tournament = desk.session.get_one(Tournament, match.tournament_id)
        raise Impossible("boss-cancel-cup", match=match.code, tournament=tournament.code)
    code = "called-off" if why else "called-off-plain"
    note = Note(code, {"match": match.code, "title": match.name, "line": why})
    told = notify_match_removed(desk, match, note, everybody=match.status == MatchStatus.OPEN and match.wanted > 0)
    if match.status == MatchStatus.OPEN:
        matches.delete_match(desk.session, match)
        return told
    _requeue_waiting_mails(desk, match)
    reviews.delete_review(desk.session, match.number, requests=True)
    reviews.withdraw_puzzles(desk.session, match.number, desk.now)
    for row, _ in list_watchers(desk.session, match.number):
        desk.session.delete(row)
    match.status, match.finished_at, match.result = MatchStatus.CANCELLED, desk.now, None
    match.deadline = match.final = match.remind_at = match.stopped_at = None
    match.stopped, match.held, match.trouble = ClockStop.NO, False, ""
    desk.session.add(match)
    return told


# ---- Seats that wait for a person: given up, or held by a robot that stands in for whoever takes them over.
#
# A robot stands in where it came to a seat after the deal: put there by the moderator (`match replace`), or by itself
# where the terms of the match say so (``stand_in``) and a seat is given up for which nobody is on the standby list.


MOST = 2
"""Such tables that one person plays at at once."""


def count_practice_tables(session: Session, player: int) -> int:
    """Count the player's tables for training that are not over."""
    return matches.count_training_matches(session, player)


def begin_practice(desk: Desk, player: PlayerRow, game: str, level: Level, name: str) -> tuple[MatchRow, PlayerRow]:
    """Create a match for training and deal it; returns it and its robot. The mails are made with all others of this
    transaction. Raises OperatorError where the game cannot be played here, not by two, say, or without its dictionary;
    then nothing is stored."""
    match = None
    try:
        with desk.begin_savepoint():
            opponent = ensure_robot(desk, level)
            match = create.create_match(desk, game, name, [player, opponent], {})
            match.training = True
            create.deal_match(desk, match)
    except OperatorError:
        desk.progress = {number: one for number, one in desk.progress.items() if one.match is not match}
        raise
    return match, opponent


def ensure_robot(desk: Desk, level: Level, excluded: Collection[int] = ()) -> PlayerRow:
    """Return the club's robot of a level, none of those ``excluded``; created where there is none yet."""
    found = players.find_robot_of_level(desk.session, level, excluded)
    if found is not None:
        return found
    names = {known.casefold() for known in players.list_player_names(desk.session)}
    tried = (f"Robot {level.value}{number}" for number in ("", *(f" {n}" for n in range(2, 1000))))
    return create.add_player(
        desk.session, next(name for name in tried if name.casefold() not in names), None, desk.now, level=level
    )


# ---- Seats that wait for a person: given up, or held by a robot that stands in for whoever takes them over.


def may_take_over_seats(match: MatchRow) -> bool:
    """Return whether a seat of the match can be taken over at all: nobody plays for somebody else in a tournament, and
    at a table for training the robot is what its player wanted."""
    return match.status == MatchStatus.RUNNING and match.tournament_id is None and not match.training


def list_free_seats(desk: Desk, match: MatchRow, live: LiveMatch) -> tuple[int, ...]:
    """List the seats that a person may take over: first those that nobody plays, then those that robots hold."""
    if not may_take_over_seats(match) or live.table.state.over:
        return ()
    came = {
        entry.seat
        for _, entry in drop_undone(load_log_entries(desk.session, match))
        if entry.kind == LogEntryKind.HAND_OVER
    }
    held = (
        seat for seat in seats.list_active_seats(live.table) if seat in came and desk.list_players(match)[seat].robot
    )
    return (*sorted(live.table.out), *held)


@dataclass(frozen=True)
class WaitingSeat:
    """A match with a seat that waits for a person."""

    match: MatchRow
    robot: str
    """Who holds the seat that is taken next; "" = nobody."""


def iter_waiting_seats(desk: Desk, player: PlayerRow) -> Iterator[WaitingSeat]:
    """Yield the matches with such a seat in which the player has none, oldest first."""
    mine = {match.number for match, _ in matches.list_current_seats(desk.session, player.number)}
    for match in matches.list_matches_with_changed_seats(desk.session):
        if match.number in mine or not may_take_over_seats(match):
            continue
        with suppress(MatchSuspended):
            found = list_free_seats(desk, match, live := desk.cache.load_readonly(desk.session, match))
            if found:
                yield WaitingSeat(match, "" if found[0] in live.table.out else desk.list_players(match)[found[0]].name)


def list_seat_offers(desk: Desk, player: PlayerRow, game: str = "") -> tuple[Note, ...]:
    """List what the player reads of these seats: a note for each, in ``game`` or in any."""
    found = [one for one in iter_waiting_seats(desk, player) if game in ("", one.match.game)]
    if not found:
        return ()
    told = (
        Note(
            "seat-waits-robot" if one.robot else "seat-waits",
            {
                "match": one.match.code,
                "title": one.match.name,
                "game": get_game_name(one.match.game, player.language),
                "name": one.robot,
            },
        )
        for one in found
    )
    return (Note("seats-wait", {"count": len(found)}), *told)


# ---- who comes in for somebody ----


def take_next_standby(desk: Desk, match: MatchRow) -> PlayerRow | None:
    """Find who has waited longest for a seat like this one and can play now, and take them off the list."""
    desk.session.flush()
    playing = {player.number for player in desk.list_players(match)}
    today = desk.today
    for row, player in players.list_standbys_for_game(desk.session, match.game):
        leaves = desk.cache.list_player_leaves(desk.session, player.number)
        if player.number in playing or any(leave.first <= today <= leave.last for leave in leaves):
            continue
        desk.session.delete(row)
        return player
    return None


def vacate_seat(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, why: SeatLeftReason) -> None:
    """Vacate a seat that its player gives up. Where the match would go on without it, whoever is on the standby list
    takes it, or the robot that its terms name; else it passes from now on. A player who is the only one left has won,
    and plays nobody."""
    successor = _find_successor(desk, match, live) if _can_go_on_without(desk, match, live, seat) else None
    if successor is None:
        retire_seat(desk, match, live, seat, why)
    else:
        hand_over_seat(desk, match, live, seat, successor, why)


def _can_go_on_without(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> bool:
    left = [other for other in seats.list_active_seats(live.table) if other != seat]
    return (
        may_take_over_seats(match)
        and len(left) > 1
        and any(not desk.list_players(match)[other].robot for other in left)
    )


def _find_successor(desk: Desk, match: MatchRow, live: LiveMatch) -> PlayerRow | None:
    if (person := take_next_standby(desk, match)) is not None:
        return person
    playing = [player.number for player in desk.list_players(match)]
    return ensure_robot(desk, Level(live.terms.stand_in), playing) if live.terms.stand_in else None
