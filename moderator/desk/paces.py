"""What an order, the ZAT and a ruling lead to, in each pace."""

from __future__ import annotations

from moderator.desk import clock, play, race
from moderator.desk.desk import Desk
from moderator.desk.live import Live
from moderator.engine.contract import view_for
from moderator.engine.kept import keep
from moderator.engine.table import Result
from moderator.store.models import Match


def give(desk: Desk, match: Match, live: Live, seat: int, text: str) -> Result | None:
    """A seat's order. Played at once where the seat is to move (sequential), else stored.

    Returns the engine's result when it was played, held or refused, None when it was stored.
    """
    if live.table.pace == "race":
        return race.hand_in(desk, match, live, seat, text)
    if live.table.together:
        play.store(desk, match, live, seat, text)
        if play.wants_evaluation(match, live):
            play.carry_on(desk, match, live)
        else:
            match.final = clock.last_moment(desk, match, live)
        return None
    if seat not in live.table.state.to_move:
        before = live.table.orders.get(seat, "")
        play.store(desk, match, live, seat, keep(live.game, view_for(live.table.state, seat), before, text))
        return None
    result = play.submit(desk, match, live, seat, text)
    if play.was_played(result):
        play.carry_on(desk, match, live)
    only_standing = bool(result.moves) and not play.was_played(result) and not result.moves[0].refused
    return None if only_standing else result


def meet_deadline(desk: Desk, match: Match, live: Live) -> None:
    """The ZAT has come: evaluate the round, or count the awaited seat's turn as missed; in a race see race.py."""
    if live.table.pace == "race":
        race.close(desk, match, live)
        return
    if live.table.together:
        play.evaluate(desk, match, live)
    else:
        seat = live.table.state.to_move[0]
        stored = live.table.orders.get(seat)  # not tried yet if its player wanted to wait, or moves were taken back
        tried = play.submit(desk, match, live, seat, stored) if stored else None
        if tried is None or not (tried.undecided or play.was_played(tried)):
            play.miss(desk, match, live, seat)
    if not match.held:
        play.carry_on(desk, match, live)


def resume(desk: Desk, match: Match, live: Live) -> None:
    """Try again what waited for a ruling."""
    match.held = False
    if live.table.pace == "race":
        race.resume(desk, match, live)
        return
    if live.table.together:
        if (match.deadline and match.deadline <= desk.now) or play.wants_evaluation(match, live):
            play.evaluate(desk, match, live)
        if not match.held:
            play.carry_on(desk, match, live)
        return
    seat = live.table.state.to_move[0]
    waited = live.table.orders.get(seat)
    play.carry_on(desk, match, live)
    if waited and not match.held and live.table.orders.get(seat) == waited:
        play.store(desk, match, live, seat, "")  # the ruling was against it, for good
