"""What the moderator decides about moves: end a turn now, take one back, rule on a word, move for somebody."""

from __future__ import annotations

from collections.abc import Sequence

from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch
from moderator.club.referees import commanding
from moderator.commands.declaration import Command, Reach, Scope, Shell, Who
from moderator.commands.moderator_call import (
    MATCH,
    ORDER,
    PLAYER,
    ROUND,
    WHY,
    Outcome,
    force,
    outcome,
    running,
    seat_of,
)
from moderator.errors import Impossible, Misused
from moderator.mail.model import Line
from moderator.match.contract import Note
from moderator.match.replay import Entry
from moderator.match.result import Played, Result
from moderator.pages.messages import sentence
from moderator.play import deadlines, orders, paces, turns
from moderator.play.announce import announce, send_status
from moderator.states import EntryKind, MailKind, MatchStatus
from moderator.store import questions
from moderator.store.models import Match


@Command(
    "evaluate",
    scope=Scope.MATCH,
    rank=50,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, ROUND, force("Also where orders are missing before the ZAT."), WHY),
    shell=Shell("evaluate", "End the turn or round now."),
)
def evaluate(desk: Desk, match: Match, round: int | None, force: bool = False, why: str = "") -> Outcome:
    """End the turn or round now. ``round`` must be the one that is being played; ``force`` also where orders are
    missing before the ZAT. Raises Misused."""
    live = running(desk, match)
    now = live.table.state.public.round
    if not round:
        raise Misused("boss-needs-round", match=match.code, round=0, now=now)
    if round != now:
        raise Impossible("boss-round", match=match.code, round=round, now=now)
    if match.held:
        raise Impossible("boss-held", match=match.code, words=questions.open_words(desk.session, match.number))
    missing = [desk.players(match)[seat].name for seat in live.missing if not desk.players(match)[seat].robot]
    early = match.deadline is not None and desk.now < match.deadline
    if missing and early and not force:
        raise Impossible("boss-missing", match=match.code, round=now, names=missing, deadline=match.deadline)
    deadlines.settle_turn(desk, match, live)
    progress = desk.of(match)
    if early and not match.held:
        progress.opening.insert(0, Note("evaluated-early"))
    told = moves_told(desk, match, live, progress.results)
    if why:
        progress.notes.append(Note("boss-why", {"line": why}))
    announce(desk)
    if match.held:
        return outcome("boss-now-held", match=match.code, words=questions.open_words(desk.session, match.number))
    if match.status == MatchStatus.FINISHED:
        return (*outcome("boss-evaluated-end", match=match.code, round=now), *told)
    values = {"match": match.code, "round": now, "now": now_in(live), "deadline": match.deadline}
    if not live.table.together and now == now_in(live):
        names = [desk.players(match)[seat].name for seat in live.awaited]
        return (*outcome("boss-turn-over", **values, names=names), *told)
    return (*outcome("boss-evaluated", **values), *told)


def now_in(live: LiveMatch) -> int:
    return int(live.table.state.public.round)


def moves_told(desk: Desk, match: Match, live: LiveMatch, results: Sequence[Result]) -> Outcome:
    """What was moved, one sentence for each; nothing that only one seat may know."""
    players = desk.players(match)
    return tuple(
        _move_told(players[move.seat].name, move)
        for result in results
        for move in result.moves
        if move.alternative or live.table.together or not move.refused
    )


def _move_told(name: str, move: Played) -> Note:
    if move.played:
        return Note("boss-moved", {"name": name, "move": move.played, "points": move.points})
    return Note("boss-nothing", {"name": name, "points": move.points})


@Command(
    "move",
    scope=Scope.MATCH,
    rank=160,
    who=Who.MODERATOR,
    reach=Reach.MATCHES,
    pattern=r".*",
    arguments=(MATCH, PLAYER, ORDER),
    shell=Shell("move", "Give ORDER in the name of PLAYER; the report says that it comes from the moderator."),
)
def move(desk: Desk, match: Match, name: str, text: str) -> Outcome:
    """An order in a player's name, marked as such. Raises Misused if it cannot be read or played."""
    live = running(desk, match)
    if not text:
        raise Misused("boss-no-order")
    seat, player = seat_of(desk, match, name)
    if seat.number in live.table.out:
        raise Impossible("boss-seat-out", name=player.name, match=match.code)
    sheet = orders.read_sheet(live, seat.number, [Line(1, text)])
    language = commanding(desk).language if desk.inbox_id else "en"  # what the command line speaks
    if sheet.errors or not sheet.text:
        error = next((line.error for line in sheet.errors if line.error), None)
        why = Note(error.code, error.params) if error else Note("boss-no-order")
        raise Misused("boss-unread-order", line=text, text=_in_words(desk, live, match, why, language))
    note = Note("ordered-for", {"name": player.name})
    before = live.table.orders.get(seat.number)
    result = paces.give(desk, match, live, seat.number, sheet.text)
    if result is not None and result.moves and not turns.was_played(result):
        refused = result.moves[0].refused[-1]
        why = Note(refused.code, refused.params)
        raise Impossible("boss-refused-order", move=sheet.text, text=_in_words(desk, live, match, why, language))
    enter(desk, match, live, Entry(EntryKind.NOTICE, seat.number, "by the moderator"))
    played = bool(desk.of(match).moved)
    if played:
        desk.of(match).notes.insert(0, note)
        announce(desk)
    elif player.address and not match.held and live.table.orders.get(seat.number) != before:
        send_status(desk, match, seat, MailKind.REFEREE, [Note("ordered-for-you")])
    code = "boss-order-held" if match.held else "boss-order-played" if played else "boss-order-stored"
    return outcome(code, name=player.name, match=match.code, move=sheet.text)


def _in_words(desk: Desk, live: LiveMatch, match: Match, note: Note, language: str) -> str:
    """A note of the match's game as a sentence, for mails that belong to no game."""
    return sentence(note, language, live.game.key, [player.name for player in desk.players(match)])
