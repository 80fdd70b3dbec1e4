"""Carrying a match forward: let robots and stored orders move, let a full round be evaluated, set the clock.

Which of these an order or a ZAT leads to depends on the pace (paces.py); what a turn comes to is in turns.py. The mails
are made afterwards (notify.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice

from moderator.common.enums import ClockStop, Level, MatchStatus
from moderator.rules import replay, table
from moderator.rules.replay import LogEntry
from moderator.rules.seats import list_active_seats
from moderator.rules.state import Note, view_for
from moderator.rules.time import ledger
from moderator.service import match_clock, turns
from moderator.service.tournaments import results
from moderator.store import reviews
from moderator.store.tables import MatchRow
from moderator.views.desk import Desk, apply_event
from moderator.views.loaded_match import (
    LiveMatch,
    MatchSuspended,
    build_match_context,
    build_match_terms,
    load_log_entries,
    load_match_rules,
)
from moderator.views.ratings import build_rated_outcome

MOST_AT_ONCE = 2000
"""Turns that pass before a person's next one where seats have left; more are a fault in a game's rules, which must not
hang the tick."""

THOUGHT = 20
"""So many turns of the others is one of a robot that thinks, in the share of a run."""


def begin_play(desk: Desk, match: MatchRow) -> None:
    """Deal, and let robots that are first move. ``match.seed`` must be set."""
    advance_match(desk, match, _open_match(desk, match, ()))


def open_imported_match(desk: Desk, match: MatchRow, position: LogEntry) -> LiveMatch:
    """Open the match from a position that was reached elsewhere, which becomes the first entry. Nothing moves before
    ``match.stopped`` says so."""
    live = _open_match(desk, match, (position,))
    match.stopped, match.stopped_at = ClockStop.CONFIRM, desk.now
    apply_event(desk, match, live, position)
    return live


def _open_match(desk: Desk, match: MatchRow, log: Sequence[LogEntry]) -> LiveMatch:
    game, options = load_match_rules(match)
    context = build_match_context(match)
    seats, terms = len(desk.list_seated(match)), build_match_terms(match, desk.config.deadlines)
    opened, step = table.open_match_state(game, seats, options, context, replay.find_import_entry(log))
    live = LiveMatch(
        match.number, match.code, game, options, context, opened, terms, ledger.open_accounts(seats, terms)
    )
    live.first = opened.state.public.round
    live.words = desk.cache.build_words_opener(live)
    match.terms = asdict(terms)
    desk.cache.matches[match.number] = live
    match.status, match.started_at = MatchStatus.RUNNING, desk.now
    progress = desk.events_of(match)
    progress.started = progress.moved = True
    progress.record_start_round(0)
    progress.notes.extend((*step.notes, *step.after))
    return live


def advance_match(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Advance the match by all that needs no mail: robots, stored orders, a full round with ``early``; where no person
    is left, as much as a run does at once. Raises MatchSuspended, see ``play_unmanned_seat``."""
    if match.stopped == ClockStop.CONFIRM and not live.table.state.over:
        desk.session.add(match)
        return
    if live.table.is_simultaneous:
        turns.store_robot_orders(desk, match, live)
    while not live.table.state.over and not match.held and not _take_robot_share(desk, match, live):
        if not _advance_once(desk, match, live):
            break
    _set_clock(desk, match, live)


def _advance_once(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Advance by one turn or round that nobody need wait for. False = there is none."""
    if live.table.pace == "sequential":
        return _play_without_mail(desk, match, live)
    if live.table.pace == "race":
        return has_only_robots(desk, match, live) and _play_robot_race(desk, match, live)
    if not is_ready_to_evaluate(desk, match, live):
        return False
    turns.evaluate_round(desk, match, live)
    return True


def has_only_robots(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Return whether no person plays (any more), so that nobody is waited for and nobody's mail ever comes."""
    players = desk.list_players(match)
    return all(players[seat].robot for seat in list_active_seats(live.table))


def _take_robot_share(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Count one more turn of a match of robots. True = it has had its share of this run, and the next run goes on;
    False also where a person plays."""
    if not has_only_robots(desk, match, live):
        return False
    players = desk.list_players(match)
    slow = any(player.level == Level.STRONG or player.name in desk.config.bots for player in players)
    desk.cache.turns_left -= THOUGHT if slow else 1
    return desk.cache.turns_left < 0


def _play_robot_race(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Play a round of a race that no person is in: all hand in at once, by seat."""
    turns.store_robot_orders(desk, match, live)
    turns.evaluate_race(desk, match, live)
    return True


def play_unmanned_seat(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Play for the seat to move if no person sits there: it has left, or it is a robot. False = somebody does. Raises
    MatchSuspended if that goes on and on."""
    seat = live.table.state.to_move[0]
    if seat in live.table.out:
        if len(desk.events_of(match).results) >= MOST_AT_ONCE:
            raise MatchSuspended(match, f"match {match.code}: turns of seats that have left come round and round")
        turns.miss_turn(desk, match, live, seat)
        return True
    player = desk.list_players(match)[seat]
    if not player.robot:
        return False
    result = turns.play_order(desk, match, live, seat, turns.choose_robot_order(desk, live, seat, player))
    if not (result.undecided or turns.was_played(result)):
        turns.miss_turn(
            desk, match, live, seat
        )  # a robot that found no legal move has no deadline that would end its turn
    return True


def _play_without_mail(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Play for the seat to move if no person sits there, has left an order or wants no say where there is no choice.
    True = its turn is over, or waits for a ruling."""
    if play_unmanned_seat(desk, match, live):
        return True
    seat = live.table.state.to_move[0]
    player = desk.list_players(match)[seat]
    text = live.table.orders.get(seat)
    if text and live.table.flags.get(seat) != "wait":
        result = turns.play_order(desk, match, live, seat, text)
        if result.undecided or turns.was_played(result):
            return not result.undecided
        if result.moves[0].refused:
            turns.record_result(
                desk, match, live, live.table, result
            )  # it is kept; the report to this seat says why it was not possible
    return player.auto_single and _play_only_move(desk, match, live, seat)


def _play_only_move(desk: Desk, match: MatchRow, live: LiveMatch, seat: int) -> bool:
    """Play the only legal move, if there is just one and no way to pass. Whatever the seat has stored stays."""
    if getattr(live.game, "pass_text", ""):
        return False
    moves = live.game.list_moves(view_for(live.table.state, seat), desk.cache.build_context(live))
    found = [move for move, _ in islice(moves, 2)]
    if len(found) != 1:
        return False
    stored = live.table.orders.get(seat, "")
    remark = Note("auto-single", seat=seat)
    round = live.table.state.public.round
    played = turns.was_played(turns.play_order(desk, match, live, seat, live.game.format_move(found[0]), remark))
    if live.game.seeded_rounds and live.table.state.public.round != round:
        turns.drop_stored(desk, match, live, seat, stored)
    elif live.table.orders.get(seat, "") != stored:
        turns.store_order(desk, match, live, seat, stored)
    return played


def is_ready_to_evaluate(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """Return whether a round need not wait for its ZAT: all have submitted (``LiveMatch.has_submitted``), nobody wants
    to wait, and the match is one that does not wait or all people are ready. Nobody waits for robots."""
    players = desk.list_players(match)
    people = [seat for seat in live.seats_to_act if not players[seat].robot]
    flags = [live.table.flags.get(seat, "") for seat in people]
    agreed = match.early or all(flag == "ready" for flag in flags)
    waits = "wait" in flags or any(seat in live.seats_wanted for seat in people)
    return bool(live.seats_to_act) and agreed and not waits


def _set_clock(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Set a new deadline whenever somebody else is awaited or a round begins; end the match where the game is over."""
    progress = desk.events_of(match)
    if live.table.state.over:
        match.status, match.finished_at = MatchStatus.FINISHED, desk.now
        match.deadline = match.final = match.remind_at = None
        _record_outcome(desk, match, live)
        reviews.queue_review(desk.session, match, desk.now)
    elif progress.moved and not match.held:
        match_clock.begin_turn(desk, match, live)
    desk.session.add(match)


def _record_outcome(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Record how the match ended, for tables and ratings; a tournament takes note at once."""
    match.result = build_rated_outcome(live, load_log_entries(desk.session, match)).to_json()
    if match.tournament_id is not None:
        results.record_ended_match(desk, match)
