"""What happens when time passes: the ZAT of a match, the reminders before it, and what holds a ZAT back because nobody
can be blamed: the moderator was away itself, or too many orders are missing at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from moderator.club import clock
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended
from moderator.match.contract import Note
from moderator.match.time.clock import outage_days
from moderator.outbox.tell import tell_chief
from moderator.play import lifecycle, paces
from moderator.play.announce import announce, send_status
from moderator.play.paces import meet_deadline
from moderator.play.play import carry_on
from moderator.play.stand_ins import next_standby, vacate
from moderator.states import MailKind, MatchStatus, SeatLoss, Stopped
from moderator.store import club_time, events, key_values, matches
from moderator.store.matches import seats_of
from moderator.store.models import Match, Seat


def go_on_by_itself(desk: Desk, match_id: int) -> None:
    """A match of robots plays on, as far as this run may."""
    match = desk.session.get_one(Match, match_id)
    if match.status == MatchStatus.RUNNING and not match.held and not match.stopped and desk.cache.turns_left > 0:
        carry_on(desk, match, desk.cache.live(desk.session, match))
        announce(desk)


def late(desk: Desk, match_id: int) -> list[int] | None:
    """Seats that are late in a due match and have sent nothing (none, if a round only waited for its ZAT); None if it
    is not over after all: somebody has extra days left, or never got the board, or cannot be reached."""
    match = desk.session.get_one(Match, match_id)
    live = desk.cache.live(desk.session, match)
    if live.missing and clock.unreachable(desk, match, live):
        match.stopped, match.stopped_at = Stopped.MAIL, desk.now
        clock.note(desk, match, live, "mail", match.deadline)
        return None
    if clock.began_later(desk, match, live) is not False:
        return None
    final = clock.last_moment(desk, match, live)
    if final is not None and final + desk.config.guard.settle > desk.now:
        match.final = final
        desk.session.add(match)
        return None
    return [seat for seat in live.silent if not desk.players(match)[seat].robot]


def zat(desk: Desk, match_id: int) -> None:
    """The turn is over: evaluate the round or pass the seat, see who is gone for good, and mail everybody."""
    match = desk.session.get_one(Match, match_id)
    live = desk.cache.live(desk.session, match)
    if match.status != MatchStatus.RUNNING or match.final is None or match.final + desk.config.guard.settle > desk.now:
        return  # another worker has handled the order that was missing
    settle_turn(desk, match, live)
    announce(desk)


def settle_turn(desk: Desk, match: Match, live: LiveMatch) -> None:
    """Let the turn end as it stands, whatever the clock says."""
    missing = [seat for seat in live.silent if not desk.players(match)[seat].robot]
    if substitute(desk, match, live, missing):
        return
    meet_deadline(desk, match, live)
    if not match.held:
        give_up(desk, match, live)


def has_waited(desk: Desk, match: Match) -> bool:
    """Whether this turn was put off before because too much was missing: that is done once."""
    since = match.turn_at or desk.now - timedelta(days=2)
    return events.clock_was_moved(desk.session, match.number, "breaker", since)


def remind(desk: Desk, match_id: int) -> None:
    """Write to those that the match waits for, or end a round that a race has decided."""
    match = desk.session.get_one(Match, match_id)
    live = desk.cache.live(desk.session, match)
    if match.remind_at is None or match.remind_at > desk.now:
        return  # another worker has handled the order that was missing
    if live.table.pace == "race" and paces.settle_race(desk, match, live):
        announce(desk)
        return
    kind = clock.reminder_kind(desk, match, live)
    for seat, _ in desk.seated(match):
        if seat.number in live.missing:
            left = live.ledger.seats[seat.number].bank
            notes = [Note(f"reminder-{kind}", {"bank": left, "grace": live.terms.grace})]
            send_status(desk, match, seat, MailKind.REMINDER, notes if kind in ("bank", "grace") else ())
    match.remind_at = clock.next_reminder(desk, match, live)
    desk.session.add(match)


def reachable_again(desk: Desk, player_id: int, openings: Collection[int | None]) -> set[int]:
    """A player's mail works again: the clocks that stood for that begin their turns anew. Returns the matches of which
    the player is told by that; of ``openings`` by an opening mail."""
    told: set[int] = set()
    for match, _ in seats_of(desk.session, player_id):
        if match.status != MatchStatus.RUNNING or match.stopped != Stopped.MAIL:
            continue
        live = desk.cache.live(desk.session, match)
        if clock.unreachable(desk, match, live):
            continue
        match.turn_at = desk.now
        clock.lay_out(desk, match, live)
        clock.note(desk, match, live, "mail-back", None)
        for seat, player in desk.seated(match):
            if seat.number in live.missing:
                mine = player.id == player_id
                tell_again(desk, match, seat, mine and match.number in openings)
                told |= {match.number} if mine else set()
    return told


def tell_again(desk: Desk, match: Match, seat: Seat, opening: bool) -> None:
    """How the match stands, because mail works again; ``opening``: all that its first mail says, which never came."""
    kind, notes = (MailKind.START, (Note("opening-again"),)) if opening else (MailKind.TURN, ())
    send_status(desk, match, seat, kind, notes)


# ---- who does not answer ----
#
# What becomes of a seat whose player does not answer.
#
# Stored orders were tried before; then the turn is missed (a pass, or what the game makes of it). After
# ``abandon_after`` missed turns in a row, the first ``excused`` ones not counted, the seat is given up: somebody from
# the standby list takes it over, with a new deadline and without the missed turn; else a robot holds it, where the
# terms of the match say so (stand_ins.py), or it passes to the end.


def given_up(live: LiveMatch, seat: int, more: int = 0) -> bool:
    """Whether so many missed turns (``more`` = that would come now) are enough."""
    account, terms = live.ledger.seats[seat], live.terms
    counted = sum(account.missed + n > terms.excused for n in range(1, more + 1))
    return 0 < terms.abandon_after <= account.in_row + counted


def substitute(desk: Desk, match: Match, live: LiveMatch, missing: Sequence[int]) -> bool:
    """Before turns are missed: let somebody else take over the seats that would be given up by it. True = somebody
    has, and the match waits for them. In a tournament nobody plays for somebody else."""
    done = False
    if match.tournament_id is not None:
        return done
    for seat in missing:
        if given_up(live, seat, more=1) and (player := next_standby(desk, match)) is not None:
            lifecycle.hand_over(desk, match, live, seat, player, SeatLoss.ABANDONED)
            done = True
    return done


def give_up(desk: Desk, match: Match, live: LiveMatch) -> None:
    """After turns were missed: what becomes of the seats that nobody plays any more."""
    for seat, player in desk.seated(match):
        if live.table.state.over:
            return
        if seat.number not in live.table.out and not player.robot and given_up(live, seat.number):
            vacate(desk, match, live, seat.number, SeatLoss.ABANDONED)


# ---- when the moderator does not trust what it sees ----


def after_outage(desk: Desk, before: datetime, now: datetime) -> int:
    """Put off all deadlines that were open when the mailbox was last read, tell those who are awaited and the
    moderator. Returns how many matches it were."""
    days = outage_days(now - before)
    settled = before - desk.config.guard.settle
    count = 0
    for match in matches.not_over_by(desk.session, settled):
        desk.cache.tidy()
        try:
            live = desk.cache.live(desk.session, match)
        except Suspended:
            continue
        clock.move(desk, match, live, days, "outage")
        count += 1
        for seat, _ in desk.seated(match):
            if seat.number in live.missing:
                send_status(desk, match, seat, MailKind.STATUS, [Note("deadline-outage", {"days": days})])
    tell_chief(desk, Note("outage", {"days": days, "matches": count, "since": before}))
    return count


def needs_word(desk: Desk, before: datetime, now: datetime) -> bool:
    """Whether moving the deadlines would put one off further than may be without the moderator's word, with what it was
    put off by before."""
    days = outage_days(now - before)
    found = matches.not_over_by(desk.session, before - desk.config.guard.settle)
    return any(clock.put_off_days(desk, match) + days > club_time.MOST.days for match in found)


def ask_for_word(desk: Desk, since: datetime, shown: datetime) -> None:
    """Ask the moderator, once for each outage, whether the clock is right, and the deadlines are to move."""
    if key_values.read(desk.session, key_values.ASKED) != since.isoformat():
        key_values.write(desk.session, key_values.ASKED, since.isoformat())
        tell_chief(desk, Note("clock-asks", {"now": shown, "since": since, "days": outage_days(shown - since)}))


def put_all_back(desk: Desk, codes: Collection[str] = (), later_than: datetime | None = None) -> list[Match]:
    """What put off the deadlines of these matches (none named: of all) by itself is taken back, all players are told;
    which they were. ``later_than``: only what was written later than that; turns that began later begin now."""
    put = []
    for match in matches.not_over_by(desk.session, datetime.min.replace(tzinfo=UTC)):
        try:
            live = desk.cache.live(desk.session, match) if not codes or match.code in codes else None
        except Suspended:
            live = None
        if live is None:
            continue
        if later_than is not None and match.turn_at is not None and match.turn_at > later_than:
            before, match.turn_at = match.deadline, later_than
            clock.lay_out(desk, match, live)
            clock.note(desk, match, live, "clock", before)
        elif not clock.put_back(desk, match, live, later_than):
            continue
        put.append(match)
        for seat, _ in desk.seated(match):
            if seat.number not in live.table.out:
                said = Note("deadline-back", {"deadline": match.deadline})
                send_status(desk, match, seat, MailKind.REFEREE, [said])
    return put


def trust_clock(desk: Desk, now: datetime) -> list[Match]:
    """The moderator says that it is ``now``. Where something was noted later than that, what moved since then is moved
    back, see ``put_all_back``; else the next run moves what it has asked about."""
    behind = now < desk.now
    key_values.trust_clock(desk.session, now, behind)
    desk.now = now
    return put_all_back(desk, later_than=now) if behind else []


def trusted(desk: Desk, due: Mapping[int, Sequence[int]]) -> bool:
    """Whether what is missing in all due matches (match id -> seats that are late) may be adjudicated. If not, the
    deadlines of those that have not waited before move by a day, and the moderator is told of just those."""
    guard = desk.config.guard
    late = [(desk.session.get_one(Match, number), seats) for number, seats in due.items() if seats]
    waiting = [(match, seats) for match, seats in late if not has_waited(desk, match)]
    missing = sum(len(seats) for _, seats in waiting)
    if missing < guard.nmr_least:
        return True
    expected = missing + _here(desk, due) + events.moves_by_mail(desk.session, desk.now - timedelta(days=1))
    if missing <= guard.nmr_breaker * expected:
        return True
    names = []
    for match, seats in waiting:
        clock.move(desk, match, desk.cache.live(desk.session, match), 1, "breaker")
        players = desk.players(match)
        names.append(f"{match.code} {', '.join(players[seat].name for seat in seats)}")
    tell_chief(desk, Note("many-missing", {"missing": missing, "expected": expected, "matches": names}))
    return False


def _here(desk: Desk, due: Mapping[int, Sequence[int]]) -> int:
    """Orders of people that wait for the ZAT in these matches."""
    count = 0
    for number in due:
        match = desk.session.get_one(Match, number)
        live, players = desk.cache.live(desk.session, match), desk.players(match)
        if live.table.pace != "sequential":
            count += sum(seat not in live.silent and not players[seat].robot for seat in live.awaited)
    return count
