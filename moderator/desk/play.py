"""Carrying a match forward: try an order, let robots and stored orders move, evaluate a round, count a missed turn.

Which of these an order or a ZAT leads to depends on the pace (paces.py). Everything that happens is written to the
match's log first; the mails are made afterwards (announce.py).
"""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import islice

from moderator.desk import clock
from moderator.desk.cup import results
from moderator.desk.desk import Desk, Progress
from moderator.desk.live import Live, Suspended, context_of, log_of, rules_of, terms_of
from moderator.desk.log import enter, write
from moderator.desk.outcomes import result_of
from moderator.engine import ledger, robot, table
from moderator.engine.contract import Note, view_for
from moderator.engine.kept import standing
from moderator.engine.replay import Entry
from moderator.engine.seats import active
from moderator.engine.table import Result
from moderator.states import EntryKind, MatchStatus
from moderator.store.models import Match

MOST_TRIED = 500
"""Letters of an order in vain that the log keeps."""
MOST_AT_ONCE = 2000
"""Turns that pass before a person's next one where seats have left; more are a fault in a game's rules, which must not
hang the tick."""


def start(desk: Desk, match: Match) -> None:
    """Deal, and let robots that are first move. ``match.seed`` must be set."""
    game, options = rules_of(match)
    context = context_of(match)
    seats, terms = len(desk.seated(match)), terms_of(match, desk.config.deadlines)
    opened, step = table.open_table(game, seats, options, context)
    live = Live(match.number, match.code, game, options, context, opened, terms, ledger.opened(seats, terms))
    live.words = desk.shelf.words_of(live)
    match.terms = asdict(terms)
    desk.shelf.matches[match.number] = live
    match.status, match.started_at = MatchStatus.RUNNING, desk.now
    progress = desk.of(match)
    progress.started = progress.moved = True
    progress.begin(0)
    progress.notes.extend((*step.notes, *step.after))
    carry_on(desk, match, live)


def store(desk: Desk, match: Match, live: Live, seat: int, text: str) -> None:
    """Keep an order until its time comes; "" takes it back."""
    cost = clock.spent(desk, match, live, seat) if text and desk.mail else {}
    enter(desk, match, live, Entry(EntryKind.ORDER if text else EntryKind.WITHDRAW, seat, text, cost))


def tried(desk: Desk, match: Match, live: Live, seat: int, text: str, stored: bool = False) -> None:
    """An awaited seat has sent something of which nothing is possible, and nothing is kept; or (``stored``) what it has
    stored came to nothing at the ZAT. So nobody says later that it has sent nothing."""
    text = " ".join(text.split())[:MOST_TRIED]
    if seat in live.awaited and live.table.tried.get(seat) != text:
        enter(desk, match, live, Entry(EntryKind.TRIED, seat, text, {ledger.STORED: True} if stored else {}))


def was_played(result: Result) -> bool:
    return bool(result.moves) and result.moves[0].alternative > 0


def submit(desk: Desk, match: Match, live: Live, seat: int, text: str, remark: Note | None = None) -> Result:
    """Try an order. ``remark`` goes into the report, but not into the log."""
    context = desk.shelf.context(live)
    after, result = table.submit(live.game, live.table, seat, text, context)
    if result.undecided:
        if live.table.orders.get(seat) != text:
            store(desk, match, live, seat, text)
        hold(desk, match, result)
    elif was_played(result):
        round = live.table.state.public.round
        desk.of(match).begin(round)
        cost = {} if live.table.orders.get(seat) == text else clock.spent(desk, match, live, seat)
        live.table = after
        match.held = False  # a new order may have taken the place of one that waited for a ruling
        write(desk, match, live, Entry(EntryKind.MOVE, seat, text, result.to_json() | cost))
        live.note(result)
        happened(desk, match, _with(result, remark) if remark else result)
        _drop_stored(desk, match, live, round)
    elif after.orders != live.table.orders:
        store(desk, match, live, seat, after.orders[seat])
    return result


def _with(result: Result, remark: Note) -> Result:
    move = result.moves[0]
    return replace(result, moves=(replace(move, notes=(*move.notes, remark)),))


def carry_on(desk: Desk, match: Match, live: Live) -> None:
    """Let everything happen that needs no mail: robots, stored orders, a full round with ``early``; where no person is
    left, as much as a run does at once. Raises Suspended, see ``unmanned``."""
    if live.table.together:
        robots_order(desk, match, live)
    while not live.table.state.over and not match.held and not _rests(desk, match, live):
        if not _goes_on(desk, match, live):
            break
    _set_clock(desk, match, live)


def _goes_on(desk: Desk, match: Match, live: Live) -> bool:
    """One turn or round that nobody need wait for. False = there is none."""
    if live.table.pace == "sequential":
        return _move_by_itself(desk, match, live)
    if live.table.pace == "race":
        return among_robots(desk, match, live) and _race_of_robots(desk, match, live)
    if not wants_evaluation(desk, match, live):
        return False
    evaluate(desk, match, live)
    return True


def among_robots(desk: Desk, match: Match, live: Live) -> bool:
    """Whether no person plays (any more), so that nobody is waited for and nobody's mail ever comes."""
    players = desk.players(match)
    return all(players[seat].robot for seat in active(live.table))


def _rests(desk: Desk, match: Match, live: Live) -> bool:
    """Whether a match of robots has had its share of this run; the next one goes on."""
    if not among_robots(desk, match, live):
        return False
    desk.shelf.turns_left -= 1
    return desk.shelf.turns_left < 0


def _race_of_robots(desk: Desk, match: Match, live: Live) -> bool:
    """A round of a race that no person is in: all hand in at once, by seat."""
    from moderator.desk import race

    robots_order(desk, match, live)
    race.play_out(desk, match, live)
    return True


def unmanned(desk: Desk, match: Match, live: Live) -> bool:
    """Play for the seat to move if no person sits there: it has left, or it is a robot. False = somebody does. Raises
    Suspended if that goes on and on."""
    seat = live.table.state.to_move[0]
    if seat in live.table.out:
        if len(desk.of(match).results) >= MOST_AT_ONCE:
            raise Suspended(match, f"match {match.code}: turns of seats that have left come round and round")
        miss(desk, match, live, seat)
        return True
    if not desk.players(match)[seat].robot:
        return False
    context = desk.shelf.context(live)
    result = submit(desk, match, live, seat, robot.choose(live.game, live.table.state, seat, context))
    if not (result.undecided or was_played(result)):
        miss(desk, match, live, seat)  # a robot that found no legal move has no deadline that would end its turn
    return True


def _move_by_itself(desk: Desk, match: Match, live: Live) -> bool:
    """Play for the seat to move if no person sits there, has left an order or wants no say where there is no choice.
    True = its turn is over, or waits for a ruling."""
    if unmanned(desk, match, live):
        return True
    seat = live.table.state.to_move[0]
    player = desk.players(match)[seat]
    text = live.table.orders.get(seat)
    if text and live.table.flags.get(seat) != "wait":
        result = submit(desk, match, live, seat, text)
        if result.undecided or was_played(result):
            return not result.undecided
        if result.moves[0].refused:
            happened(desk, match, result)  # it is kept; the report to this seat says why it was not possible
    return player.auto_single and _play_single(desk, match, live, seat)


def _play_single(desk: Desk, match: Match, live: Live, seat: int) -> bool:
    """Play the only legal move, if there is just one and no way to pass. Whatever the seat has stored stays."""
    if getattr(live.game, "pass_text", ""):
        return False
    moves = live.game.moves(view_for(live.table.state, seat), desk.shelf.context(live))
    found = [move for move, _ in islice(moves, 2)]
    if len(found) != 1:
        return False
    stored = live.table.orders.get(seat, "")
    remark = Note("auto-single", seat=seat)
    round = live.table.state.public.round
    played = was_played(submit(desk, match, live, seat, live.game.format(found[0]), remark))
    if live.game.seeded_rounds and live.table.state.public.round != round:
        _drop(desk, match, live, seat, stored)
    elif live.table.orders.get(seat, "") != stored:
        store(desk, match, live, seat, stored)
    return played


def _drop_stored(desk: Desk, match: Match, live: Live, round: int) -> None:
    """A new deal since ``round``: what is stored names places, ends and heads of a board that is gone, so nothing of it
    is tried on the new one; standing orders stay. The log says so, and a log from before this is as it was."""
    state = live.table.state
    if state.over or state.public.round == round or not live.game.seeded_rounds or live.table.pace != "sequential":
        return
    for seat, text in tuple(live.table.orders.items()):
        _drop(desk, match, live, seat, text)


def _drop(desk: Desk, match: Match, live: Live, seat: int, text: str) -> None:
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
    desk.of(match).notes.append(Note("stored-dropped", {"line": text}, seat=seat, only=seat))


def robots_order(desk: Desk, match: Match, live: Live) -> None:
    """Robots that are awaited and have nothing in that is possible send their order."""
    for seat, player in desk.seated(match):
        if player.robot and seat.number in live.missing:
            context = desk.shelf.context(live)
            text = robot.choose(live.game, live.table.state, seat.number, context)
            if text != live.table.orders.get(seat.number, ""):
                store(desk, match, live, seat.number, text)


def wants_evaluation(desk: Desk, match: Match, live: Live) -> bool:
    """Whether a round need not wait for its ZAT: everybody is in (``Live.is_in``), nobody wants to wait, and the match
    is one that does not wait or all people are ready. Nobody waits for robots."""
    players = desk.players(match)
    people = [seat for seat in live.awaited if not players[seat].robot]
    flags = [live.table.flags.get(seat, "") for seat in people]
    agreed = match.early or all(flag == "ready" for flag in flags)
    waits = "wait" in flags or any(seat in live.missing for seat in people)
    return bool(live.awaited) and agreed and not waits


def evaluate(desk: Desk, match: Match, live: Live) -> None:
    """The ZAT of a round: every seat's first legal alternative counts. Held while a word waits for a ruling."""
    context = desk.shelf.context(live)
    after, result = table.evaluate(live.game, live.table, context)
    if result.undecided:
        hold(desk, match, result)
        return
    desk.of(match).begin(live.table.state.public.round)
    live.table = after
    write(desk, match, live, Entry(EntryKind.EVALUATE, outcome=result.to_json()))
    live.note(result)
    happened(desk, match, result)
    robots_order(desk, match, live)


def miss(desk: Desk, match: Match, live: Live, seat: int) -> None:
    """Nothing legal of an awaited seat has come by the ZAT."""
    context = desk.shelf.context(live)
    round = live.table.state.public.round
    desk.of(match).begin(round)
    live.table, result = table.miss(live.game, live.table, seat, context)
    write(desk, match, live, Entry(EntryKind.MISS, seat, outcome=result.to_json()))
    live.note(result)
    happened(desk, match, result)
    _drop_stored(desk, match, live, round)


def hold(desk: Desk, match: Match, result: Result) -> None:
    """Stop the clock and put the words to the moderator."""
    from moderator.desk.questions import ask

    match.held = True
    desk.session.add(match)
    ask(desk, match, result.undecided)


def happened(desk: Desk, match: Match, result: Result) -> None:
    progress: Progress = desk.of(match)
    progress.results.append(result)
    progress.moved = True


def _set_clock(desk: Desk, match: Match, live: Live) -> None:
    """A new deadline whenever somebody else is awaited or a round begins."""
    progress = desk.of(match)
    if live.table.state.over:
        match.status, match.finished_at = MatchStatus.FINISHED, desk.now
        match.deadline = match.final = match.remind_at = None
        _keep_result(desk, match, live)
    elif progress.moved and not match.held:
        clock.begin_turn(desk, match, live)
    desk.session.add(match)


def _keep_result(desk: Desk, match: Match, live: Live) -> None:
    """How it ended, for tables and ratings; a tournament takes note at once."""
    match.result = result_of(live, log_of(desk.session, match)).to_json()
    if match.cup_id is not None:
        results.ended(desk, match)
