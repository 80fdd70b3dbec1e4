"""Carrying a match forward: let robots and stored orders move, let a full round be evaluated, set the clock.

Which of these an order or a ZAT leads to depends on the pace (paces.py); what a turn comes to is in turns.py. The mails
are made afterwards (announce.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice

from moderator.club import clock
from moderator.club.desk import Desk, enter
from moderator.club.live_match import LiveMatch, Suspended, context_of, log_of, rules_of, terms_of
from moderator.club.ratings import result_of
from moderator.club.tournaments import results
from moderator.match import replay, table
from moderator.match.contract import Note, view_for
from moderator.match.replay import Entry
from moderator.match.seats import active
from moderator.match.time import ledger
from moderator.play import turns
from moderator.states import Level, MatchStatus, Stopped
from moderator.store import reviews
from moderator.store.models import Match

MOST_AT_ONCE = 2000
"""Turns that pass before a person's next one where seats have left; more are a fault in a game's rules, which must not
hang the tick."""

THOUGHT = 20
"""So many turns of the others is one of a robot that thinks, in the share of a run."""


def start(desk: Desk, match: Match) -> None:
    """Deal, and let robots that are first move. ``match.seed`` must be set."""
    carry_on(desk, match, _opened(desk, match, ()))


def take_up(desk: Desk, match: Match, position: Entry) -> LiveMatch:
    """The same from a position that was reached elsewhere, which becomes the first entry. Nothing moves before
    ``match.stopped`` says so."""
    live = _opened(desk, match, (position,))
    match.stopped, match.stopped_at = Stopped.CONFIRM, desk.now
    enter(desk, match, live, position)
    return live


def _opened(desk: Desk, match: Match, log: Sequence[Entry]) -> LiveMatch:
    game, options = rules_of(match)
    context = context_of(match)
    seats, terms = len(desk.seated(match)), terms_of(match, desk.config.deadlines)
    opened, step = table.open_table(game, seats, options, context, replay.moved_in(log))
    live = LiveMatch(match.number, match.code, game, options, context, opened, terms, ledger.opened(seats, terms))
    live.first = opened.state.public.round
    live.words = desk.cache.words_of(live)
    match.terms = asdict(terms)
    desk.cache.matches[match.number] = live
    match.status, match.started_at = MatchStatus.RUNNING, desk.now
    progress = desk.of(match)
    progress.started = progress.moved = True
    progress.begin(0)
    progress.notes.extend((*step.notes, *step.after))
    return live


def carry_on(desk: Desk, match: Match, live: LiveMatch) -> None:
    """Let everything happen that needs no mail: robots, stored orders, a full round with ``early``; where no person is
    left, as much as a run does at once. Raises Suspended, see ``unmanned``."""
    if match.stopped == Stopped.CONFIRM and not live.table.state.over:
        desk.session.add(match)
        return
    if live.table.together:
        turns.robots_order(desk, match, live)
    while not live.table.state.over and not match.held and not _rests(desk, match, live):
        if not _goes_on(desk, match, live):
            break
    _set_clock(desk, match, live)


def _goes_on(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """One turn or round that nobody need wait for. False = there is none."""
    if live.table.pace == "sequential":
        return _move_by_itself(desk, match, live)
    if live.table.pace == "race":
        return among_robots(desk, match, live) and _race_of_robots(desk, match, live)
    if not wants_evaluation(desk, match, live):
        return False
    turns.evaluate(desk, match, live)
    return True


def among_robots(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Whether no person plays (any more), so that nobody is waited for and nobody's mail ever comes."""
    players = desk.players(match)
    return all(players[seat].robot for seat in active(live.table))


def _rests(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Whether a match of robots has had its share of this run; the next one goes on."""
    if not among_robots(desk, match, live):
        return False
    players = desk.players(match)
    slow = any(player.level == Level.STRONG or player.name in desk.config.bots for player in players)
    desk.cache.turns_left -= THOUGHT if slow else 1
    return desk.cache.turns_left < 0


def _race_of_robots(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """A round of a race that no person is in: all hand in at once, by seat."""
    turns.robots_order(desk, match, live)
    turns.race(desk, match, live)
    return True


def unmanned(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Play for the seat to move if no person sits there: it has left, or it is a robot. False = somebody does. Raises
    Suspended if that goes on and on."""
    seat = live.table.state.to_move[0]
    if seat in live.table.out:
        if len(desk.of(match).results) >= MOST_AT_ONCE:
            raise Suspended(match, f"match {match.code}: turns of seats that have left come round and round")
        turns.miss(desk, match, live, seat)
        return True
    player = desk.players(match)[seat]
    if not player.robot:
        return False
    result = turns.submit(desk, match, live, seat, turns.robot_order(desk, live, seat, player))
    if not (result.undecided or turns.was_played(result)):
        turns.miss(desk, match, live, seat)  # a robot that found no legal move has no deadline that would end its turn
    return True


def _move_by_itself(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Play for the seat to move if no person sits there, has left an order or wants no say where there is no choice.
    True = its turn is over, or waits for a ruling."""
    if unmanned(desk, match, live):
        return True
    seat = live.table.state.to_move[0]
    player = desk.players(match)[seat]
    text = live.table.orders.get(seat)
    if text and live.table.flags.get(seat) != "wait":
        result = turns.submit(desk, match, live, seat, text)
        if result.undecided or turns.was_played(result):
            return not result.undecided
        if result.moves[0].refused:
            turns.happened(
                desk, match, live, live.table, result
            )  # it is kept; the report to this seat says why it was not possible
    return player.auto_single and _play_single(desk, match, live, seat)


def _play_single(desk: Desk, match: Match, live: LiveMatch, seat: int) -> bool:
    """Play the only legal move, if there is just one and no way to pass. Whatever the seat has stored stays."""
    if getattr(live.game, "pass_text", ""):
        return False
    moves = live.game.moves(view_for(live.table.state, seat), desk.cache.context(live))
    found = [move for move, _ in islice(moves, 2)]
    if len(found) != 1:
        return False
    stored = live.table.orders.get(seat, "")
    remark = Note("auto-single", seat=seat)
    round = live.table.state.public.round
    played = turns.was_played(turns.submit(desk, match, live, seat, live.game.format(found[0]), remark))
    if live.game.seeded_rounds and live.table.state.public.round != round:
        turns.drop(desk, match, live, seat, stored)
    elif live.table.orders.get(seat, "") != stored:
        turns.store(desk, match, live, seat, stored)
    return played


def wants_evaluation(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """Whether a round need not wait for its ZAT: everybody is in (``Live.is_in``), nobody wants to wait, and the match
    is one that does not wait or all people are ready. Nobody waits for robots."""
    players = desk.players(match)
    people = [seat for seat in live.awaited if not players[seat].robot]
    flags = [live.table.flags.get(seat, "") for seat in people]
    agreed = match.early or all(flag == "ready" for flag in flags)
    waits = "wait" in flags or any(seat in live.missing for seat in people)
    return bool(live.awaited) and agreed and not waits


def _set_clock(desk: Desk, match: Match, live: LiveMatch) -> None:
    """A new deadline whenever somebody else is awaited or a round begins."""
    progress = desk.of(match)
    if live.table.state.over:
        match.status, match.finished_at = MatchStatus.FINISHED, desk.now
        match.deadline = match.final = match.remind_at = None
        _keep_result(desk, match, live)
        reviews.queue(desk.session, match, desk.now)
    elif progress.moved and not match.held:
        clock.begin_turn(desk, match, live)
    desk.session.add(match)


def _keep_result(desk: Desk, match: Match, live: LiveMatch) -> None:
    """How it ended, for tables and ratings; a tournament takes note at once."""
    match.result = result_of(live, log_of(desk.session, match)).to_json()
    if match.tournament_id is not None:
        results.ended(desk, match)
