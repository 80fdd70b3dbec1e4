"""What an order, the ZAT and a ruling lead to, in each pace."""

from __future__ import annotations

from moderator.common.enums import MailKind
from moderator.rules.game import Note, view_for
from moderator.rules.orders.alternatives import find_first_legal, merge_stored
from moderator.rules.table import EngineResult, PlayedMove
from moderator.service import advance, match_clock, turns
from moderator.service.notify import notify_status
from moderator.store.tables import MatchRow
from moderator.views.desk import Desk
from moderator.views.loaded_match import LiveMatch
from moderator.views.match_state import compute_final_deadline


def take_in_order(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str) -> EngineResult | None:
    """Submit a seat's order. Played at once where the seat is to move (sequential), else stored.

    Returns the engine's result when it was played, held or refused, None when it was stored."""
    if live.table.pace == "race":
        return submit_in_race(desk, match, live, seat, text)
    if live.table.is_simultaneous:
        return _submit_for_round(desk, match, live, seat, text)
    if seat not in live.table.state.to_move:
        before = live.table.orders.get(seat, "")
        turns.store_order(
            desk, match, live, seat, merge_stored(live.game, view_for(live.table.state, seat), before, text)
        )
        return None
    result = turns.play_order(desk, match, live, seat, text)
    if turns.was_played(result):
        advance.advance_match(desk, match, live)
    elif not result.undecided and result.moves and result.moves[0].refused:
        turns.record_refused(desk, match, live, seat, text)
    only_standing = bool(result.moves) and not turns.was_played(result) and not result.moves[0].refused
    return None if only_standing else result


def _submit_for_round(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str) -> EngineResult | None:
    """Submit an order that waits for the ZAT. Where the board stays as it is until then, one of which nothing is
    possible is refused. Where others move before, it may still become possible and is stored, but takes the place of
    none that is possible now, and its seat has not submitted by it."""
    found = find_first_legal(live.game, live.table.state, seat, text, desk.cache.build_context(live), "hold")
    vain = found.step is None and not found.undecided
    if vain and (live.table.pace == "common" or live.stored_order_state(seat) == "possible"):
        turns.record_refused(desk, match, live, seat, text)
        return EngineResult((PlayedMove(seat, text, refused=found.refused),))
    turns.store_order(desk, match, live, seat, text)
    if advance.is_ready_to_evaluate(desk, match, live):
        advance.advance_match(desk, match, live)
    else:
        match.final = compute_final_deadline(desk, match, live)
    return None


def end_turn_at_deadline(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Act on the ZAT that has come: evaluate the round, or count the awaited seat's turn as missed; in a race see
    ``close_race``."""
    if live.table.pace == "race":
        close_race(desk, match, live)
        return
    if live.table.is_simultaneous:
        turns.evaluate_round(desk, match, live)
    else:
        seat = live.table.state.to_move[0]
        stored = live.table.orders.get(seat)  # not tried yet if its player wanted to wait, or moves were taken back
        tried = turns.play_order(desk, match, live, seat, stored) if stored else None
        if tried is None or not (tried.undecided or turns.was_played(tried)):
            if stored and tried is not None and tried.moves and tried.moves[0].refused:
                turns.record_refused(desk, match, live, seat, stored, stored=True)
            turns.miss_turn(desk, match, live, seat)
    if not match.held:
        advance.advance_match(desk, match, live)


def resume_held_round(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Try again what waited for a ruling."""
    match.held = False
    if live.table.pace == "race":
        resume_held_race(desk, match, live)
        return
    if live.table.is_simultaneous:
        if (match.deadline and match.deadline <= desk.now) or advance.is_ready_to_evaluate(desk, match, live):
            turns.evaluate_round(desk, match, live)
        if not match.held:
            advance.advance_match(desk, match, live)
            refuse_ruled_out(desk, match, live)
        return
    seat = live.table.state.to_move[0]
    waited = live.table.orders.get(seat)
    advance.advance_match(desk, match, live)
    if waited and not match.held and live.table.orders.get(seat) == waited:
        turns.store_order(desk, match, live, seat, "")  # the ruling was against it, for good


def apply_ruling(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Apply the moderator's ruling on a word to a round that is not held: it may be complete by that, or wait for
    somebody again."""
    if live.table.is_simultaneous:
        advance.advance_match(desk, match, live)
        refuse_ruled_out(desk, match, live)


def refuse_ruled_out(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Refuse orders after a ruling against a word: a player whose order for the round came to nothing by it is told so,
    once, and is awaited again."""
    for seat, player in desk.list_seated(match):
        text = live.table.orders.get(seat.number, "")
        if (
            seat.number not in live.seats_wanted
            or not text
            or live.table.tried.get(seat.number) == " ".join(text.split())
        ):
            continue
        turns.record_refused(desk, match, live, seat.number, text, stored=True)
        if live.table.pace == "common":
            turns.store_order(desk, match, live, seat.number, "")
        match.final = compute_final_deadline(desk, match, live)
        if player.address and not desk.events_of(match).moved:
            notify_status(desk, match, seat, MailKind.REMINDER, [Note("ruled-out", {"order": text})])


# ---- a race ----
#
# Pace ``race``: who was first is told by when the mails reached the mailbox, not by when they were read.
#
# A right submission is kept until a poll has been completed that began after the last one that counts had arrived:
# then no earlier one can turn up any more, and they are played in the order of arrival (turns.py). That moment is
# the match's time of reminding, so that the next poll that begins behind it settles the round.


def submit_in_race(desk: Desk, match: MatchRow, live: LiveMatch, seat: int, text: str) -> EngineResult | None:
    """Store a submission if it is right; the first right one of a seat stands until it is withdrawn.

    Returns the engine's result when it is refused or waits for a ruling, None when it is stored."""
    result = turns.preview_race_entry(desk, live, seat, text)
    if result.moves and not result.moves[0].alternative:
        turns.record_refused(desk, match, live, seat, text)
        return result
    if seat not in live.table.orders:
        turns.store_order(desk, match, live, seat, text)
    if result.undecided:
        turns.put_on_hold(desk, match, result)
        return result
    turns.store_robot_orders(desk, match, live)  # robots are ready as soon as the first person is, and come in behind
    moment = turns.find_race_decision_time(desk, match, live)
    if moment is not None:
        match.remind_at = moment
        desk.session.add(match)
    return None


def settle_decided_race(desk: Desk, match: MatchRow, live: LiveMatch) -> bool:
    """End the round if it is decided, at the time of reminding. False = it is not, and those awaited are to be
    reminded; True = nothing is left to do."""
    moment = turns.find_race_decision_time(desk, match, live)
    if moment is not None and moment <= desk.now:
        close_race(desk, match, live)
        return True
    match.remind_at = moment or match_clock.compute_next_reminder(
        desk, match, live
    )  # a submission was withdrawn in the meantime
    desk.session.add(match)
    return match.remind_at is not None


def close_race(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Play what was handed in, because the ZAT has come or the round is decided, and go on."""
    if turns.evaluate_race(desk, match, live):
        advance.advance_match(desk, match, live)


def resume_held_race(desk: Desk, match: MatchRow, live: LiveMatch) -> None:
    """Try again what waited for the moderator's ruling: it is right now, or refused for good."""
    for seat, text in tuple(live.table.orders.items()):
        result = turns.preview_race_entry(desk, live, seat, text)
        if result.undecided:
            turns.put_on_hold(desk, match, result)
            return
        if not result.moves[0].alternative:
            turns.store_order(desk, match, live, seat, "")
            turns.record_result(desk, match, live, live.table, result)
    if match.deadline is not None and match.deadline <= desk.now:
        close_race(desk, match, live)
    else:
        settle_decided_race(desk, match, live)
