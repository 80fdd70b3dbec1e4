"""What happens to a match besides moves: a seat is given up or handed over, the game is stopped, something is undone;
or it cannot go on and is taken out of play, alone, until the operator has looked.

What is part of the game is written into the log, with what everybody will read; the mails are made by announce.py."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from moderator.club import clock, tokens
from moderator.club.desk import Desk, enter, write
from moderator.club.live_match import LiveMatch, Suspended, log_of, rebuild
from moderator.club.referees import Official, in_charge
from moderator.club.tournaments import results
from moderator.errors import Impossible, OperatorError
from moderator.match import replay, rng, seats
from moderator.match.contract import Note
from moderator.match.happened import Happened, PlayStopped, SeatLost, SeatTaken, note
from moderator.match.replay import Entry
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, notify, tell
from moderator.pages.pages import Page
from moderator.play import moving_in, play
from moderator.play.announce import tell_gone
from moderator.states import EntryKind, InboxState, MailKind, MatchStatus, MatterKind, SeatLoss, Stopped
from moderator.store import bystanders, inbox, matches, puzzles, referees, reviews
from moderator.store.models import Match, Player, Tournament


def _tell(desk: Desk, match: Match, live: LiveMatch, said: Note) -> None:
    progress = desk.of(match)
    progress.begin(live.table.state.public.round)
    progress.notes.append(said)
    progress.moved = True


def _happens(desk: Desk, match: Match, live: LiveMatch, what: Happened) -> None:
    desk.of(match).happened.append(what)
    if (said := note(what)) is not None:
        _tell(desk, match, live, said)


def retire(desk: Desk, match: Match, live: LiveMatch, seat: int, why: SeatLoss) -> None:
    """The seat plays no more; the match ends when nobody is left to play against."""
    _happens(desk, match, live, SeatLost(seat, desk.players(match)[seat].name, why))
    enter(desk, match, live, Entry(EntryKind.RETIRE, seat, why.value))
    left = seats.active(live.table)
    people = [s for s in left if not desk.players(match)[s].robot]
    if len(left) < 2 or not people:
        stop(desk, match, live)
    else:
        play.carry_on(desk, match, live)
        moving_in.go_on_if_all(desk, match, live)


def stop(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The game ends as it stands."""
    _happens(desk, match, live, PlayStopped())
    enter(desk, match, live, Entry(EntryKind.STOP))
    play.carry_on(desk, match, live)


def hand_over(
    desk: Desk, match: Match, live: LiveMatch, seat: int, player: Player, why: SeatLoss | None = None
) -> None:
    """Somebody else takes the seat. Whoever is awaited has a new deadline, so that the newcomer can look around. Who
    sat there and played is told, but for one who has resigned and reads of it in the answer to that; ``why``: None =
    the moderator wants it.

    Raises OperatorError for a robot's seat or a player who has one already."""
    before = desk.players(match)[seat]
    if player.number in (p.number for p in desk.players(match)):
        raise OperatorError(f"{player.name} plays in match {match.code} already.", "Name somebody else.")
    played = seat not in live.table.out
    row, _ = desk.seated(match)[seat]
    row.player_id, row.token, row.thread = player.number, tokens.new_token(), ""
    desk.session.add(row)
    desk.session.flush()
    desk.reseat(match)
    enter(desk, match, live, Entry(EntryKind.HAND_OVER, seat, str(player.number)))
    held = player.robot and match.tournament_id is None and not match.training
    _happens(desk, match, live, SeatTaken(seat, before.name, player.name, held))
    if played and before.address is not None and why != SeatLoss.RESIGNED:
        tell(desk, To(before), _replaced(desk, match, before, player, why, held))
    match.deadline = match.final = None  # the turn begins anew for everybody
    play.carry_on(desk, match, live)


def _replaced(desk: Desk, match: Match, before: Player, player: Player, why: SeatLoss | None, held: bool) -> Page:
    """What somebody reads who has a seat no more, and reports of the match no more either."""
    values = {"match": match.code, "title": match.name, "new": player.name}
    notes = [Note("seat-replaced-silent" if why == SeatLoss.ABANDONED else "seat-replaced", values)]
    if held:
        notes.append(Note("seat-replaced-robot", {"match": match.code}))
    return new_page(desk, MailKind.NEWS, reader(before), reply=personal_reply(desk, before), notes=tuple(notes))


def undo(desk: Desk, match: Match, live: LiveMatch, entry: int, why: Note, force: bool = False) -> LiveMatch:
    """Everything after log entry number ``entry`` never happened; what was ordered by then holds again, and a new turn
    begins, which ends no sooner than the moderator had promised. A match of a tournament that was over is dealt anew
    instead. ``why`` tells everybody why. Returns the match as it is now. Raises OperatorError for no such entry, and
    without ``force`` Impossible("undo-hangs") for a result that a tournament has built on."""
    log = log_of(desk.session, match)
    if not 0 <= entry < match.entries or 0 < entry < replay.dealt_anew(log):
        raise OperatorError(f"Match {match.code} has no entry {entry} to go back to.", "See `moderator match log`.")
    if match.status == MatchStatus.FINISHED and not force and (hung := results.hanging(desk, match)):
        raise Impossible("undo-hangs", match=match.code, faults=_faults(hung.built, hung.would_be))
    scores = live.table.state.scores
    active = seats.active(live.table)
    anew = deals_anew(match, log)
    entry = 0 if anew else entry
    later = {one.seat for number, one in replay.effective(log) if number > entry and one.kind == EntryKind.HAND_OVER}
    had = results.built_upon(desk, match) if match.status == MatchStatus.FINISHED else {}
    seed = {"seed": match.seed} if anew else {}
    write(desk, match, live, Entry(EntryKind.UNDO, text=str(entry), outcome=seed | had))
    match.seed = secrets.token_bytes(rng.SEED_BYTES).hex() if anew else match.seed
    desk.session.flush()
    desk.cache.matches.pop(match.number, None)
    if match.status == MatchStatus.FINISHED:
        match.status, match.finished_at, match.result = MatchStatus.RUNNING, None, None
        results.reopened(desk, match)
        reviews.drop(desk.session, match.number)
        puzzles.withdraw(desk.session, match.number, desk.now)
    now = desk.cache.live(desk.session, match)
    for seat in active:
        if seat in now.table.out or seat in later:  # who has taken over a seat since then keeps it
            enter(desk, match, now, Entry(EntryKind.HAND_OVER, seat, str(desk.players(match)[seat].number)))
    progress = desk.of(match)
    progress.correction, progress.started = not anew, anew
    if anew:
        progress.begin(0)  # so that its mails have the new seal
    _tell(desk, match, now, why)
    progress.notes += [Note("dealt-anew")] if anew else []
    for seat, (old, new) in enumerate(zip(scores, now.table.state.scores, strict=True)):
        if old != new:
            progress.notes.append(Note("score-corrected", {"old": old, "new": new}, seat=seat))
    match.held = False
    match.deadline = match.final = None
    clock.begin_turn(desk, match, now)
    if clock.keep_extension(desk, match, now, entry):
        progress.notes.append(Note("extension-kept", {"deadline": match.deadline}))
    return now


def deals_anew(match: Match, log: Sequence[Entry]) -> bool:
    """Whether a match is dealt anew when it is taken back: it counts in a tournament and was over, so that its seed has
    been mailed, and whoever works it out knows all tiles."""
    return match.status == MatchStatus.FINISHED and match.tournament_id is not None and not replay.moved_in(log)


def _faults(*notes: Note) -> list[dict[str, object]]:
    """Notes as a parameter of another one."""
    return [{"code": note.code, **note.params} for note in notes]


# ---- a match that cannot go on ----


WAITS_FOR = "waits for suspended match "
"""What the note of a mail begins with that is read again when its match runs."""


def suspend(desk: Desk, match_id: int, reason: str) -> None:
    """Take one match out of play until somebody has looked; all others go on."""
    match = desk.session.get_one(Match, match_id)
    match.status, match.trouble = MatchStatus.SUSPENDED, reason[:500]
    desk.session.add(match)
    desk.cache.matches.pop(match_id, None)
    tell_suspended(desk, match, in_charge(desk, match))


def tell_suspended(desk: Desk, match: Match, who: Official, *notes: Note) -> None:
    """Put it to the chief or a referee."""
    referees.put(desk.session, MatterKind.SUSPENDED, match.number, who.number, desk.now)
    code = "match-suspended" if who.chief else "match-suspended-referee"
    notify(desk, who, *notes, Note(code, {"match": match.code, "reason": match.trouble}))


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
    _read_what_waited(desk, match)


def _read_what_waited(desk: Desk, match: Match) -> None:
    """The match is suspended no more."""
    referees.settled(desk.session, MatterKind.SUSPENDED, match.number)
    for row in inbox.with_note(desk.session, WAITS_FOR + match.code):
        row.state, row.note, row.attempts = InboxState.RECEIVED, "", 0
        desk.session.add(row)


# ---- a match that was set up by mistake ----


def moves_made(desk: Desk, match: Match) -> int:
    """Orders and moves of persons."""
    players = desk.players(match)
    kinds = (EntryKind.ORDER, EntryKind.MOVE)
    return sum(
        one.kind in kinds and one.seat is not None and not players[one.seat].robot
        for _, one in replay.effective(log_of(desk.session, match))
    )


def cancel(desk: Desk, match: Match, why: str = "") -> list[str]:
    """One that has not begun goes with all that was entered for it. One that was dealt counts nowhere and is seen
    nowhere; its row stays, so that whoever still answers one of its mails reads what became of it. Returns the names
    of those who are told. Raises Impossible for a game of a tournament, and for one that is cancelled already."""
    if match.status == MatchStatus.CANCELLED:
        raise Impossible("match-cancelled", match=match.code, name=match.name)
    if match.tournament_id is not None:
        tournament = desk.session.get_one(Tournament, match.tournament_id)
        raise Impossible("boss-cancel-cup", match=match.code, tournament=tournament.code)
    code = "called-off" if why else "called-off-plain"
    note = Note(code, {"match": match.code, "title": match.name, "line": why})
    told = tell_gone(desk, match, note, everybody=match.status == MatchStatus.OPEN and match.wanted > 0)
    if match.status == MatchStatus.OPEN:
        matches.remove(desk.session, match)
        return told
    _read_what_waited(desk, match)
    reviews.drop(desk.session, match.number, requests=True)
    puzzles.withdraw(desk.session, match.number, desk.now)
    for row, _ in bystanders.watchers_of(desk.session, match.number):
        desk.session.delete(row)
    match.status, match.finished_at, match.result = MatchStatus.CANCELLED, desk.now, None
    match.deadline = match.final = match.remind_at = match.stopped_at = None
    match.stopped, match.held, match.trouble = Stopped.NO, False, ""
    desk.session.add(match)
    return told
