"""What an order, the ZAT and a ruling lead to, in each pace."""

from __future__ import annotations

from moderator.club import clock
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.match.alternatives import first_legal, keep
from moderator.match.contract import Note, view_for
from moderator.match.table import Played, Result
from moderator.play import play, turns
from moderator.play.announce import send_status
from moderator.states import MailKind
from moderator.store.models import Match


def give(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str) -> Result | None:
    """A seat's order. Played at once where the seat is to move (sequential), else stored.

    Returns the engine's result when it was played, held or refused, None when it was stored.
    """
    if live.table.pace == "race":
        return hand_in_race(desk, match, live, seat, text)
    if live.table.together:
        return _for_the_round(desk, match, live, seat, text)
    if seat not in live.table.state.to_move:
        before = live.table.orders.get(seat, "")
        turns.store(desk, match, live, seat, keep(live.game, view_for(live.table.state, seat), before, text))
        return None
    result = turns.submit(desk, match, live, seat, text)
    if turns.was_played(result):
        play.carry_on(desk, match, live)
    elif not result.undecided and result.moves and result.moves[0].refused:
        turns.tried(desk, match, live, seat, text)
    only_standing = bool(result.moves) and not turns.was_played(result) and not result.moves[0].refused
    return None if only_standing else result


def _for_the_round(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str) -> Result | None:
    """An order that waits for the ZAT. Where the board stays as it is until then, one of which nothing is possible is
    refused. Where others move before, it may still become possible and is kept, but takes the place of none that is
    possible now, and its seat is not in by it."""
    found = first_legal(live.game, live.table.state, seat, text, desk.cache.context(live), "hold")
    vain = found.step is None and not found.undecided
    if vain and (live.table.pace == "common" or live.order(seat) == "possible"):
        turns.tried(desk, match, live, seat, text)
        return Result((Played(seat, text, refused=found.refused),))
    turns.store(desk, match, live, seat, text)
    if play.wants_evaluation(desk, match, live):
        play.carry_on(desk, match, live)
    else:
        match.final = clock.last_moment(desk, match, live)
    return None


def meet_deadline(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The ZAT has come: evaluate the round, or count the awaited seat's turn as missed; in a race see close_race."""
    if live.table.pace == "race":
        close_race(desk, match, live)
        return
    if live.table.together:
        turns.evaluate(desk, match, live)
    else:
        seat = live.table.state.to_move[0]
        stored = live.table.orders.get(seat)  # not tried yet if its player wanted to wait, or moves were taken back
        tried = turns.submit(desk, match, live, seat, stored) if stored else None
        if tried is None or not (tried.undecided or turns.was_played(tried)):
            if stored and tried is not None and tried.moves and tried.moves[0].refused:
                turns.tried(desk, match, live, seat, stored, stored=True)
            turns.miss(desk, match, live, seat)
    if not match.held:
        play.carry_on(desk, match, live)


def resume(desk: Desk, match: Match, live: LiveMatch) -> None:
    """Try again what waited for a ruling."""
    match.held = False
    if live.table.pace == "race":
        resume_race(desk, match, live)
        return
    if live.table.together:
        if (match.deadline and match.deadline <= desk.now) or play.wants_evaluation(desk, match, live):
            turns.evaluate(desk, match, live)
        if not match.held:
            play.carry_on(desk, match, live)
            ruled_out(desk, match, live)
        return
    seat = live.table.state.to_move[0]
    waited = live.table.orders.get(seat)
    play.carry_on(desk, match, live)
    if waited and not match.held and live.table.orders.get(seat) == waited:
        turns.store(desk, match, live, seat, "")  # the ruling was against it, for good


def ruled(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The moderator has ruled on a word of a round that is not held: it may be complete by that, or wait for somebody
    again."""
    if live.table.together:
        play.carry_on(desk, match, live)
        ruled_out(desk, match, live)


def ruled_out(desk: Desk, match: Match, live: LiveMatch) -> None:
    """After a ruling against a word: whose order for the round came to nothing by it is told so, once, and is awaited
    again."""
    for seat, player in desk.seated(match):
        text = live.table.orders.get(seat.number, "")
        if seat.number not in live.missing or not text or live.table.tried.get(seat.number) == " ".join(text.split()):
            continue
        turns.tried(desk, match, live, seat.number, text, stored=True)
        if live.table.pace == "common":
            turns.store(desk, match, live, seat.number, "")
        match.final = clock.last_moment(desk, match, live)
        if player.address and not desk.of(match).moved:
            send_status(desk, match, seat, MailKind.REMINDER, [Note("ruled-out", {"order": text})])


# ---- a race ----
#
# Pace ``race``: who was first is told by when the mails reached the mailbox, not by when they were read.
#
# A right submission is kept until a poll has been completed that began after the last one that counts had arrived:
# then no earlier one can turn up any more, and they are played in the order of arrival (turns.py). That moment is
# the match's time of reminding, so that the next poll that begins behind it settles the round.


def hand_in_race(desk: Desk, match: Match, live: LiveMatch, seat: int, text: str) -> Result | None:
    """Keep a submission if it is right; the first right one of a seat stands until it is withdrawn.

    Returns the engine's result when it is refused or waits for a ruling, None when it is kept.
    """
    result = turns.raced_alone(desk, live, seat, text)
    if result.moves and not result.moves[0].alternative:
        turns.tried(desk, match, live, seat, text)
        return result
    if seat not in live.table.orders:
        turns.store(desk, match, live, seat, text)
    if result.undecided:
        turns.hold(desk, match, result)
        return result
    turns.robots_order(desk, match, live)  # robots are ready as soon as the first person is, and come in behind
    moment = turns.race_decided(desk, match, live)
    if moment is not None:
        match.remind_at = moment
        desk.session.add(match)
    return None


def settle_race(desk: Desk, match: Match, live: LiveMatch) -> bool:
    """At the time of reminding: end the round if it is decided. False = it is not, and those awaited are to be
    reminded; True = nothing is left to do."""
    moment = turns.race_decided(desk, match, live)
    if moment is not None and moment <= desk.now:
        close_race(desk, match, live)
        return True
    match.remind_at = moment or clock.next_reminder(desk, match, live)  # a submission was withdrawn in the meantime
    desk.session.add(match)
    return match.remind_at is not None


def close_race(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The ZAT, or the round is decided: play what was handed in, and go on."""
    if turns.race(desk, match, live):
        play.carry_on(desk, match, live)


def resume_race(desk: Desk, match: Match, live: LiveMatch) -> None:
    """The moderator has ruled: what waited is right now, or refused for good."""
    for seat, text in tuple(live.table.orders.items()):
        result = turns.raced_alone(desk, live, seat, text)
        if result.undecided:
            turns.hold(desk, match, result)
            return
        if not result.moves[0].alternative:
            turns.store(desk, match, live, seat, "")
            turns.happened(desk, match, live, live.table, result)
    if match.deadline is not None and match.deadline <= desk.now:
        close_race(desk, match, live)
    else:
        settle_race(desk, match, live)
