"""What players decide together: one asks to take the last move back, all others have to agree."""

from __future__ import annotations

from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch, log_of
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope
from moderator.errors import Impossible, Misused
from moderator.match import replay, seats
from moderator.match.contract import Note
from moderator.match.replay import Entry
from moderator.outbox.match_pages import match_info
from moderator.outbox.post import new_page, reader, reply_to
from moderator.outbox.tell import To, tell
from moderator.play import lifecycle, turns
from moderator.states import EntryKind, MailKind, MatchStatus
from moderator.store.models import Match


@Command(
    "undo",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=50,
)
def ask_undo(call: Call) -> Answer:
    """``Rücknahme``: the others are asked whether the player's own last move may be taken back."""
    match, seat, live = call.at
    _check(match, live, seat.number)
    if live.table.asked is not None:
        return said("undo-asked-already") if seat.number in live.table.asked.agreed else agree(call)
    entry = _before_own_move(call.desk, match, live, seat.number)
    enter(call.desk, match, live, Entry(EntryKind.ASK_UNDO, seat.number, str(entry)))
    if _done(call.desk, match, live):
        return said("undo-done")
    waiting = _not_agreed(call.desk, match, live)
    for number in waiting:
        _write(call.desk, match, live, number, Note("undo-asked", {"name": call.player.name}))
    return said("undo-asks", names=[call.desk.players(match)[n].name for n in waiting])


def may_ask(call: Call) -> bool:
    """Whether the player could ask for the last move to be taken back."""
    match, seat, live = call.at
    try:
        _check(match, live, seat.number)
        _before_own_move(call.desk, match, live, seat.number)
    except Misused:
        return False
    return live.table.asked is None


@Command(
    "agree",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=60,
    whole=True,
)
def agree(call: Call) -> Answer:
    """``einverstanden``: the move that somebody has asked about may be taken back."""
    match, seat, live = call.at
    asked = live.table.asked
    if asked is None:
        raise Impossible("undo-nothing-asked")
    _check(match, live, seat.number)
    if seat.number in asked.agreed:
        return said("undo-agreed-already")
    enter(call.desk, match, live, Entry(EntryKind.ASK_UNDO, seat.number, str(asked.entry)))
    if _done(call.desk, match, live):
        return said("undo-done")
    return said("undo-agreed", names=[call.desk.players(match)[n].name for n in _not_agreed(call.desk, match, live)])


@Command(
    "refuse",
    scope=Scope.MATCH,
    group=Group.TURN,
    rank=70,
)
def refuse(call: Call) -> Answer:
    """``ablehnen``: the move stays. Who has asked takes the wish back by the same word."""
    match, seat, live = call.at
    asked = live.table.asked
    if asked is None:
        raise Impossible("undo-nothing-asked")
    _check(match, live, seat.number)
    enter(call.desk, match, live, Entry(EntryKind.REFUSE_UNDO, seat.number))
    own = asked.agreed[0] == seat.number
    note = Note("undo-taken-back" if own else "undo-refused", {"name": call.player.name})
    for number in _people(call.desk, match, live):
        if number != seat.number:
            _write(call.desk, match, live, number, note)
    return said("undo-wish-ended" if own else "undo-refused-by-you")


def _check(match: Match, live: LiveMatch, seat: int) -> None:
    """Whether anything can be taken back by consent here. Raises Misused."""
    if match.status != MatchStatus.RUNNING or live.table.state.over:
        raise Impossible("game-over")
    if seat in live.table.out:
        raise Impossible("seat-is-out", match=match.code)
    if live.table.together:
        raise Impossible("undo-change-instead")
    if live.table.pace != "sequential":
        raise Impossible("undo-not-in-a-race")
    if match.held:
        raise Impossible("undo-held")


def _before_own_move(desk: Desk, match: Match, live: LiveMatch, seat: int) -> int:
    """Number of the log entry before the seat's last move, which must be the last turn of a person. Raises Misused."""
    players = desk.players(match)
    desk.session.flush()
    for number, entry in reversed(replay.effective(log_of(desk.session, match))):
        if entry.kind in (EntryKind.RETIRE, EntryKind.HAND_OVER, EntryKind.STOP):
            raise Impossible("undo-not-your-move")
        if entry.kind not in (EntryKind.MOVE, EntryKind.MISS) or entry.seat is None:
            continue
        if players[entry.seat].robot or (entry.kind == EntryKind.MISS and entry.seat in live.table.out):
            continue
        if entry.seat != seat or entry.kind == EntryKind.MISS:
            raise Impossible("undo-not-your-move")
        return number - 1
    raise Impossible("undo-no-move")


def _people(desk: Desk, match: Match, live: LiveMatch) -> list[int]:
    """Seats of people who still play; robots always agree."""
    players = desk.players(match)
    return [number for number in seats.active(live.table) if not players[number].robot]


def _not_agreed(desk: Desk, match: Match, live: LiveMatch) -> list[int]:
    agreed = live.table.asked.agreed if live.table.asked else ()
    return [number for number in _people(desk, match, live) if number not in agreed]


def _done(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Take the move back if everybody has agreed. A stored order that it came from is gone, too: the player has thought
    of something else."""
    asked = live.table.asked
    if asked is None or _not_agreed(desk, match, live):
        return False
    seat = asked.agreed[0]
    name = desk.players(match)[seat].name
    now = lifecycle.undo(desk, match, live, asked.entry, Note("undone-by-consent", {"name": name}))
    if now.table.orders.get(seat):
        turns.store(desk, match, now, seat, "")
    return True


def _write(desk: Desk, match: Match, live: LiveMatch, number: int, note: Note) -> None:
    seat, player = desk.seated(match)[number]
    if player.address is None:
        return
    page = new_page(
        desk,
        MailKind.NEWS,
        reader(player),
        match=match_info(match, live, player.language),
        reply=reply_to(desk, match.code, seat.token),
        notes=(note,),
    )
    tell(desk, To(player, match, seat), page)
