"""What a single turn may come to: an order is stored, tried, played or missed, a round or a race evaluated. Each writes
to the match's log first; who acts next is no question here (play.py).

In a race what was handed in counts in the order in which the mails reached the mailbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from moderator.club import clock
from moderator.club.desk import Desk, Progress, enter, write
from moderator.club.live_match import LiveMatch, log_of
from moderator.match import robot, table
from moderator.match.alternatives import standing
from moderator.match.contract import Note, view_for
from moderator.match.happened import of_result
from moderator.match.replay import Entry, effective
from moderator.match.table import Result, Table
from moderator.match.time import ledger
from moderator.outbox.questions import ask
from moderator.play.possible import possible
from moderator.states import EntryKind
from moderator.store import events, key_values
from moderator.store.models import Match, Player

MOST_TRIED = 500
"""Letters of an order in vain that the log keeps."""


def store(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str) -> None:
    """Keep an order until its time comes; "" takes it back. The same once more changes nothing, the clock neither."""
    if text and live.table.orders.get(seat) == text and seat not in live.table.tried:
        return
    cost = clock.spent(desk, match, live, seat) if text and desk.mail else {}
    enter(desk, match, live, Entry(EntryKind.ORDER if text else EntryKind.WITHDRAW, seat, text, cost))


def tried(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str, stored: bool = False) -> None:
    """An awaited seat has sent something of which nothing is possible, and nothing is kept; or (``stored``) what it has
    stored came to nothing at the ZAT. So nobody says later that it has sent nothing."""
    text = " ".join(text.split())[:MOST_TRIED]
    if seat in live.awaited and live.table.tried.get(seat) != text:
        enter(desk, match, live, Entry(EntryKind.TRIED, seat, text, {ledger.STORED: True} if stored else {}))


def was_played(result: Result) -> bool:
    return bool(result.moves) and result.moves[0].alternative > 0


def submit(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str, remark: Note | None = None) -> Result:
    """Try an order. ``remark`` goes into the report, but not into the log."""
    context = desk.cache.context(live)
    after, result = table.submit(live.game, live.table, seat, text, context)
    if result.undecided:
        if live.table.orders.get(seat) != text:
            store(desk, match, live, seat, text)
        hold(desk, match, result)
    elif was_played(result):
        round = live.table.state.public.round
        desk.of(match).begin(round)
        cost = {} if live.table.orders.get(seat) == text else clock.spent(desk, match, live, seat)
        before, live.table = live.table, after
        match.held = False  # a new order may have taken the place of one that waited for a ruling
        write(desk, match, live, Entry(EntryKind.MOVE, seat, text, result.to_json() | cost))
        live.note(result)
        happened(desk, match, live, before, _with(result, remark) if remark else result)
        _drop_stored(desk, match, live, round)
    elif after.orders != live.table.orders:
        store(desk, match, live, seat, after.orders[seat])
    return result


def _with(result: Result, remark: Note) -> Result:
    move = result.moves[0]
    return replace(result, moves=(replace(move, notes=(*move.notes, remark)),))


def evaluate(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The ZAT of a round: every seat's first legal alternative counts. Held while a word waits for a ruling."""
    context = desk.cache.context(live)
    after, result = table.evaluate(live.game, live.table, context)
    if result.undecided:
        hold(desk, match, result)
        return
    desk.of(match).begin(live.table.state.public.round)
    before, live.table = live.table, after
    write(desk, match, live, Entry(EntryKind.EVALUATE, outcome=result.to_json()))
    live.note(result)
    happened(desk, match, live, before, result)
    desk.of(match).notes += possible(desk, live, before, result)
    robots_order(desk, match, live)


def miss(desk: Desk, match: Match, live: LiveMatch, seat: int) -> None:
    """Nothing legal of an awaited seat has come by the ZAT."""
    context = desk.cache.context(live)
    round = live.table.state.public.round
    desk.of(match).begin(round)
    before = live.table
    live.table, result = table.miss(live.game, before, seat, context)
    write(desk, match, live, Entry(EntryKind.MISS, seat, outcome=result.to_json()))
    live.note(result)
    happened(desk, match, live, before, result)
    _drop_stored(desk, match, live, round)


def robots_order(desk: Desk, match: Match, live: LiveMatch) -> None:
    """Robots that are awaited and have nothing in that is possible send their order."""
    for seat, player in desk.seated(match):
        if player.robot and seat.number in live.missing:
            text = robot_order(desk, live, seat.number, player)
            if text != live.table.orders.get(seat.number, ""):
                store(desk, match, live, seat.number, text)


def robot_order(desk: Desk, live: LiveMatch, seat: int, player: Player) -> str:
    """What a robot of this level sends, or what plays for it, made of what its seat sees."""
    context = replace(desk.cache.context(live), out=live.table.out)
    if bot := desk.cache.bot(player.name):
        from moderator.bots import order
        from moderator.bots.failures import Failed, Unstarted

        turn = order.Turn(live.code, live.game, live.options, live.table.state, seat, context)
        try:
            return order.asked(bot, player.name, turn)
        except Failed as failed:
            key_values.write(desk.session, key_values.bot(player.name), f"{desk.now.isoformat()} {live.code} {failed}")
            return ""
        except Unstarted:
            pass  # `doctor` says why; until it is mended, the robot plays by itself
    return robot.choose(live.game, live.table.state, seat, context, player.level)


def _drop_stored(desk: Desk, match: Match, live: LiveMatch, round: int) -> None:
    """A new deal since ``round``: what is stored names places, ends and heads of a board that is gone, so nothing of it
    is tried on the new one; standing orders stay. The log says so, and a log from before this is as it was."""
    state = live.table.state
    if state.over or state.public.round == round or not live.game.seeded_rounds or live.table.pace != "sequential":
        return
    for seat, text in tuple(live.table.orders.items()):
        drop(desk, match, live, seat, text)


def drop(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str) -> None:
    """Of what a seat had stored for the last round only the standing orders are left."""
    kept = standing(live.game, view_for(live.table.state, seat), text)
    if kept == text:
        return
    if live.table.orders.get(seat, "") != kept:
        enter(
            desk,
            match,
            live,
            Entry(EntryKind.ORDER if kept else EntryKind.WITHDRAW, seat, kept, {ledger.DROPPED: text}),
        )
    desk.of(match).notes.append(Note("stored-dropped", {"order": text}, seat=seat, only=seat))


def hold(desk: Desk, match: Match, result: Result) -> None:
    """Stop the clock and put the words to the moderator."""
    match.held = True
    desk.session.add(match)
    ask(desk, match, result.undecided)


def happened(desk: Desk, match: Match, live: LiveMatch, before: Table[Any], result: Result) -> None:
    """The result is for the report, and with it what the turn has brought with it. ``before``: the table was so."""
    progress: Progress = desk.of(match)
    progress.played(result)
    progress.happened += of_result(live.game, before, live.table, result)
    progress.moved = True


# ---- a race ----


def race(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Play what was handed in, in the order of arrival, until the round is over. Seats that have handed in nothing
    missed the ZAT. False = a word waits for a ruling."""
    round = live.table.state.public.round
    handed = [(seat, live.table.orders[seat]) for _, seat in _by_arrival(desk, match, live)]
    for number, (seat, _) in enumerate(handed):
        if submit(desk, match, live, seat, live.table.orders[seat]).undecided:
            return False
        if _over(live.table, round):
            _tell_the_slower(desk, match, live, handed, number + 1)
            break
    for seat in live.table.state.to_move:
        if _over(live.table, round):
            break
        miss(desk, match, live, seat)
    return True


def _tell_the_slower(desk: Desk, match: Match, live: LiveMatch, handed: Sequence[tuple[int, str]], played: int) -> None:
    """Those whose solution was right, too, but was not needed any more (the first ``played`` of ``handed`` decided the
    round): that it was right, and why it brings nothing."""
    passed = getattr(live.game, "pass_text", "")
    scored = sum(text != passed for _, text in handed[:played])
    for place, seat in enumerate((seat for seat, text in handed[played:] if text != passed), start=scored + 1):
        values = {"place": place, "scored": scored}
        desk.of(match).notes.append(Note("right-but-later", values, seat=seat, only=seat))


def raced_alone(desk: Desk, live: LiveMatch, seat: int, text: str) -> Result:
    """What a submission would lead to if nobody else had handed in anything."""
    return table.submit(live.game, replace(live.table, orders={}), seat, text, desk.cache.context(live))[1]


def race_decided(desk: Desk, match: Match, live: LiveMatch) -> datetime | None:
    """When the last submission arrived that it takes to end the round; None while some are missing."""
    after = live.table
    for arrived, seat in _by_arrival(desk, match, live):
        after, _ = table.submit(live.game, after, seat, live.table.orders[seat], desk.cache.context(live))
        if _over(after, live.table.state.public.round):
            return arrived
    return None


def _over(after: Table[Any], round: int) -> bool:
    return after.state.over or after.state.public.round != round


def _by_arrival(desk: Desk, match: Match, live: LiveMatch) -> list[tuple[datetime, int]]:
    """(when its mail came, seat) of each kept submission, the first first, equal ones by the mail's number. A robot's
    comes in when it is made, behind all mails."""
    desk.session.flush()
    holds = [number for number, _ in effective(log_of(desk.session, match))]
    robots = {seat.number for seat, player in desk.seated(match) if player.robot}
    last: dict[int, tuple[bool, datetime, int]] = {}
    for seat, at, received, number in events.orders(desk.session, match.number, holds):
        if seat is not None and seat in live.table.orders:
            last[seat] = (seat in robots, received or at, number or 0)
    return [(when, seat) for seat, (_, when, _) in sorted(last.items(), key=lambda item: item[1])]
