"""The clock of a correspondence match: ZAT, extra days, grace, reminders, pauses; and what the log says about each
seat's time. Pure arithmetic on whole local days.

A turn begins on the local day of its board mail. The playing days after that day are its reply days, and the last of
them ends at the hour of the ZAT; extra days and days of grace follow in the same way. So a ZAT stays at its hour when
summer time begins or ends. All datetimes that go in and out are aware UTC.

An entry that ends a turn carries in its outcome ``"clock": {"<seat>": {"used": extra days, "took": days}}``; an order
that waits for the ZAT carries its own seat's, and the last one before the evaluation counts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from moderator.common.enums import LogEntryKind
from moderator.common.errors import ConfigError
from moderator.rules.log import LogEntry, drop_undone
from moderator.rules.time.calendar import (
    DAY,
    PlayingDays,
    get_day_before,
    get_next_day,
    is_existing_day,
    parse_holiday,
    parse_weekday,
    resolve_local_time,
)
from moderator.rules.time.calendar import Span as Span
from moderator.rules.time.calendar import resolve_local_hour as resolve_local_hour
from moderator.rules.time.calendar import to_local_day as to_local_day

DROPPED = "dropped"
"""Key in the outcome of an order or withdrawal: the text that we dropped ourselves, because its round is over."""
STORED = "stored"
"""In the outcome of what was tried: it was stored long ago, nobody has sent it now."""


@dataclass(frozen=True)
class TimeAccount:
    """One seat's account, since its player has it."""

    bank: int = 0
    """Extra days left."""
    turns: int = 0
    """Turns that it answered."""
    on_time: int = 0
    """Of those: before the ZAT."""
    days: int = 0
    """Of those: days from the board mail to the answer, in all."""
    missed: int = 0
    in_row: int = 0
    """Turns missed since the last answer that count towards giving the seat up."""

    @property
    def promptness(self) -> int | None:
        """The share of its turns, in per cent, that were answered before the ZAT; None before the first."""
        turns = self.turns + self.missed
        return round(100 * self.on_time / turns) if turns else None


@dataclass(frozen=True)
class TimeAccounts:
    seats: tuple[TimeAccount, ...]
    out: frozenset[int] = frozenset()
    waiting: tuple[tuple[int, Mapping[str, int]], ...] = ()
    """Seat and clock of the orders that wait for the ZAT."""
    sent: frozenset[int] = frozenset()
    """Seats that have sent something since their last turn. It may all have been impossible, but they are there: the
    turn that they miss is none of those for which a seat is given up."""


def open_accounts(seats: int, terms: TimeRules) -> TimeAccounts:
    return TimeAccounts((TimeAccount(terms.bank),) * seats)


def build_accounts(seats: int, terms: TimeRules, entries: Iterable[LogEntry]) -> TimeAccounts:
    """Return the accounts of a whole log; what was undone does not count."""
    ledger = open_accounts(seats, terms)
    for _, entry in drop_undone(entries):
        ledger = add_entry(ledger, terms, entry)
    return ledger


def add_entry(ledger: TimeAccounts, terms: TimeRules, entry: LogEntry) -> TimeAccounts:
    """Return the accounts one entry later; not for "undo", which needs the whole log."""
    seat = entry.seat
    if entry.kind == LogEntryKind.EVALUATE:
        return _add_evaluation(ledger, terms, entry)
    if entry.kind == LogEntryKind.MOVE_IN:
        players = entry.outcome["position"]["player"]
        return replace(ledger, out=frozenset(seat for seat, one in enumerate(players) if one.get("out")))
    if seat is None:
        return ledger
    if entry.kind in (LogEntryKind.ORDER, LogEntryKind.WITHDRAW):
        others = tuple(pair for pair in ledger.waiting if pair[0] != seat)
        waiting = (*others, (seat, _get_seat_clock(entry, seat))) if entry.text else others
        sent = ledger.sent | {seat} if entry.text and DROPPED not in entry.outcome else ledger.sent
        return replace(ledger, waiting=waiting, sent=sent)
    if entry.kind == LogEntryKind.TRIED:
        return ledger if STORED in entry.outcome else replace(ledger, sent=ledger.sent | {seat})
    if entry.kind == LogEntryKind.MOVE and any(move.get("played") for move in entry.outcome.get("moves", ())):
        clock = _get_seat_clock(entry, seat) or dict(ledger.waiting).get(seat, {})
        ledger = replace(ledger, waiting=tuple(pair for pair in ledger.waiting if pair[0] != seat))
        return _put_account(
            replace(ledger, sent=ledger.sent - {seat}), seat, _count_answer(ledger.seats[seat], terms, clock)
        )
    if entry.kind == LogEntryKind.MISS and seat not in ledger.out:
        # Logs from before what was tried is kept have no text here: there every such turn is missed, as it was.
        there = seat in ledger.sent and any(move.get("text") for move in entry.outcome.get("moves", ()))
        clock = dict(ledger.waiting).get(seat, {}) if there else {}
        after = _count_answer(ledger.seats[seat], terms, clock) if there else _count_miss(ledger.seats[seat], terms)
        return _put_account(replace(ledger, sent=ledger.sent - {seat}), seat, after)
    if entry.kind == LogEntryKind.EXCUSE:
        return _put_account(ledger, seat, replace(ledger.seats[seat], in_row=0))
    if entry.kind == LogEntryKind.RETIRE:
        return replace(ledger, out=ledger.out | {seat})
    if entry.kind == LogEntryKind.HAND_OVER:
        return _put_account(
            replace(ledger, out=ledger.out - {seat}, sent=ledger.sent - {seat}), seat, TimeAccount(terms.bank)
        )
    return ledger


def _add_evaluation(ledger: TimeAccounts, terms: TimeRules, entry: LogEntry) -> TimeAccounts:
    waiting = dict(ledger.waiting)
    for move in entry.outcome.get("moves", ()):
        seat = move["seat"]
        if seat in ledger.out:
            continue
        account = ledger.seats[seat]
        ledger = _put_account(
            ledger,
            seat,
            _count_answer(account, terms, waiting.get(seat, {})) if move["text"] else _count_miss(account, terms),
        )
    return replace(ledger, waiting=(), sent=frozenset())


def _get_seat_clock(entry: LogEntry, seat: int) -> Mapping[str, int]:
    found: Mapping[str, int] = entry.outcome.get("clock", {}).get(str(seat), {})
    return found


def _count_answer(account: TimeAccount, terms: TimeRules, clock: Mapping[str, int]) -> TimeAccount:
    used = clock.get("used", 0)
    return replace(
        account,
        bank=compute_bank_after(account.bank, used, terms, punctual=used == 0),
        turns=account.turns + 1,
        on_time=account.on_time + (used == 0),
        days=account.days + clock.get("took", 0),
        in_row=0,
    )


def _count_miss(account: TimeAccount, terms: TimeRules) -> TimeAccount:
    """Return the account after a missed turn: it takes all extra days with it; the first ones are excused."""
    missed = account.missed + 1
    return replace(account, bank=0, missed=missed, in_row=account.in_row + (missed > terms.excused))


def _put_account(ledger: TimeAccounts, seat: int, account: TimeAccount) -> TimeAccounts:
    return replace(ledger, seats=tuple(account if n == seat else one for n, one in enumerate(ledger.seats)))


MOST_DAYS = 366
MOST_YEARLY = 100
"""Holidays of every year; far more than any place has, few enough that every year has days to play on."""


@dataclass(frozen=True)
class TimeRules:
    """The time rules of a match. Read from TOML by ``common.typed.build_dataclass``; then ``check_values`` them."""

    days: int = 7
    """Reply days."""
    hour: int = 20
    """Local hour of the ZAT, in the club's zone."""
    bank: int = 0
    """Extra days of each seat at the start of the match."""
    bank_increment: int = 0
    """Extra days gained by each turn that ended by its ZAT."""
    bank_cap: int = 0
    """Never more extra days than that; 0 = as many as at the start."""
    grace: int = 0
    """Days after the ZAT and the extra days in which an order still counts."""
    skip_weekdays: tuple[str, ...] = ()
    """No reply days: "sat", "sun"; German "sa", "so" are read too."""
    holidays: tuple[str, ...] = ()
    """No reply days either: "2026-12-24", or "12-24" = every year."""
    reminders: tuple[Literal["half", "day", "bank", "grace"], ...] = ("half", "day")
    """Half way, a day before the ZAT, at the start of each extra day, at the start of grace."""
    evening: int = 20
    """A board mail accepted after this local hour starts its turn the next day; -1 = no such rule."""
    leave: bool = True
    """Players' leave counts in this match."""
    abandon_after: int = 2
    """Misses in a row until a seat counts as abandoned; 0 = never."""
    excused: int = 1
    """So many misses of a seat per match do not count for that."""
    stand_in: Literal["", "beginner", "club", "strong"] = ""
    """Level of the robot that holds a seat which is given up until a person takes it over; "" = none does."""

    @property
    def most_bank(self) -> int:
        """The most extra days that a seat can have: what ``bank_cap`` comes to, in days."""
        return self.bank_cap or self.bank

    def check_values(self, where: str = "The clock") -> None:
        """Check the values. Raises ConfigError for values that cannot be; ``where`` names the table in it."""
        for name, lowest, highest in (
            ("days", 1, MOST_DAYS),
            ("hour", 0, 23),
            ("bank", 0, MOST_DAYS),
            ("bank_increment", 0, MOST_DAYS),
            ("bank_cap", 0, MOST_DAYS),
            ("grace", 0, MOST_DAYS),
            ("evening", -1, 23),
            ("abandon_after", 0, MOST_DAYS),
            ("excused", 0, MOST_DAYS),
        ):
            if not lowest <= getattr(self, name) <= highest:
                message = f"{where}: {name} = {getattr(self, name)} cannot be."
                raise ConfigError(message, f"Possible: {lowest} to {highest}.")
        if 0 < self.bank_cap < self.bank:
            raise ConfigError(
                f"{where}: bank_cap = {self.bank_cap} is less than bank = {self.bank}.",
                "Raise it, or write 0: never more extra days than at the start.",
            )
        self._check_days(where)

    def _check_days(self, where: str) -> None:
        skipped, yearly = set(), set()
        for name in self.skip_weekdays:
            try:
                skipped.add(parse_weekday(name))
            except ValueError:
                hint = "Write mon, tue, wed, thu, fri, sat, sun."
                raise ConfigError(f"{where}: skip_weekdays has no day {name!r}.", hint) from None
        for text in self.holidays:
            try:
                year, *rest = parse_holiday(text)
            except ValueError:
                hint = 'Write "2026-12-24", or "12-24" for every year.'
                raise ConfigError(f"{where}: holidays has no date {text!r}.", hint) from None
            if not year:
                yearly.add(tuple(rest))
        if len(skipped) == 7:
            raise ConfigError(f"{where}: skip_weekdays skips the whole week.", "Leave at least one day to play.")
        if len(yearly) > MOST_YEARLY:
            message = f"{where}: holidays has {len(yearly)} days of every year."
            raise ConfigError(message, f"At most {MOST_YEARLY} are possible.")


@dataclass(frozen=True)
class TurnSchedule:
    """The ends of one seat's turn."""

    zat: datetime
    """The end of the reply days."""
    bank: tuple[datetime, ...]
    """The ends of the extra days it has, in order; each begins where the one before ended, the first at ``zat``."""
    final: datetime
    """After that an order is too late: the end of the last day of grace, else of the last extra day, else ``zat``."""


def compute_first_day(accepted: datetime, terms: TimeRules, zone: str) -> date:
    """Return the local day on which a turn begins whose board mail was accepted then: exactly at the evening hour still
    the same day, after it the next."""
    day, place = to_local_day(accepted, zone), ZoneInfo(zone)
    late_mail = terms.evening >= 0 and accepted > resolve_local_hour(day, terms.evening, place)
    return get_next_day(day, place) if late_mail else day


def build_turn_schedule(
    began: date, terms: TimeRules, zone: str, bank: int = 0, away: Iterable[Span] = ()
) -> TurnSchedule:
    """Return the ends of a turn that began on that local day, for a seat with ``bank`` extra days.

    ``away`` are the days on which the seat is on leave or the match is paused. They, skipped weekdays and holidays are
    no days of any kind; ``terms`` must have been checked."""
    days = _build_playing_days(terms, zone, away)
    zat = days.add_playing_days(began, terms.days)
    return _build_schedule(days, zat, time(terms.hour), bank, terms.grace)


def merge_schedules(schedules: Iterable[TurnSchedule]) -> TurnSchedule:
    """Return the schedule of seats that are evaluated together: the last ZAT, the extra days that end after it, and the
    last end of all. Raises ValueError without any."""
    plans = tuple(schedules)
    zat = max(plan.zat for plan in plans)
    bank = sorted({end for plan in plans for end in plan.bank if end > zat})
    return TurnSchedule(zat, tuple(bank), max(plan.final for plan in plans))


def count_bank_used(plan: TurnSchedule, arrived: datetime) -> int:
    """Count the extra days used by an order that arrived then: 0 up to the ZAT, and all of them from the last one
    on."""
    return min(len(plan.bank), bisect_left((plan.zat, *plan.bank), arrived))


def is_late(plan: TurnSchedule, arrived: datetime) -> bool:
    """Return whether an order that arrived then is too late; at the very end it is not."""
    return arrived > plan.final


def compute_bank_after(bank: int, used: int, terms: TimeRules, punctual: bool) -> int:
    """Return the extra days left for the next turn; ``punctual`` = the order was there by the ZAT."""
    return min(max(bank - used, 0) + terms.bank_increment * punctual, terms.most_bank)


def list_reminders(began: date, plan: TurnSchedule, terms: TimeRules, zone: str) -> tuple[tuple[datetime, str], ...]:
    """Return the moments to remind a seat that has sent nothing, in order, each moment with its kind (see
    ``TimeRules.reminders``)."""
    place = ZoneInfo(zone)
    end, hour = _split_deadline(plan.zat, terms, place)
    half, day = began + (end - began) // 2, get_day_before(end, place)
    half = half if is_existing_day(half, place) else get_day_before(half, place)
    found: list[tuple[datetime, str]] = []
    if half > began and not (half == day and "day" in terms.reminders):
        found.append((resolve_local_time(half, hour, place), "half"))
    if day > began:
        found.append((resolve_local_time(day, hour, place), "day"))
    ends = (plan.zat, *plan.bank)
    found += [(start, "bank") for start in ends[:-1]]
    if plan.final > ends[-1]:
        found.append((ends[-1], "grace"))
    return tuple(sorted((moment, kind) for moment, kind in found if kind in terms.reminders))


def count_outage_days(gap: timedelta) -> int:
    """Count the whole days by which deadlines move after the mailbox was not read for ``gap``: rounded up."""
    return max(0, -(-gap // DAY))


def shift_deadline(moment: datetime, days: int, terms: TimeRules, zone: str, away: Iterable[Span] = ()) -> datetime:
    """Return a deadline so many calendar days later, then on to the next playing day, at the same hour."""
    place = ZoneInfo(zone)
    day, hour = _split_deadline(moment, terms, place)
    target = _build_playing_days(terms, zone, away).on_or_after(day + timedelta(days=days))
    return moment if target == day else resolve_local_time(target, hour, place)


def shift_after_pause(
    moment: datetime, paused: datetime, now: datetime, terms: TimeRules, zone: str, away: Iterable[Span] = ()
) -> datetime:
    """Return a deadline for a match that goes on ``now`` after a pause: as many playing days are left as when it was
    paused.

    What had passed by then stays. A deadline of the very day has its hour today, tomorrow if that is over. Never
    earlier than it was; unchanged if the pause began and ended on one day, unless it lay in between."""
    if moment <= paused:
        return moment
    days, place = _build_playing_days(terms, zone, away), ZoneInfo(zone)
    before, today = to_local_day(paused, zone), to_local_day(now, zone)
    end, hour = _split_deadline(moment, terms, place)
    again = moment
    if before != today:
        left = days.count_between(before, end)
        again = max(
            moment,
            resolve_local_time(days.add_playing_days(today, left) if left else days.on_or_after(today), hour, place),
        )
    return again if again > now else resolve_local_time(days.add_playing_days(today, 1), hour, place)


def shift_schedule(
    plan: TurnSchedule, since: datetime, days: int, terms: TimeRules, zone: str, away: Iterable[Span] = ()
) -> TurnSchedule:
    """Return ``plan`` with its first end after ``since`` moved (``shift_deadline``) by so many calendar days, 0 or
    more; the extra days and days of grace behind that follow on playing days, so none is lost where two would fall on
    one day."""
    spans = tuple(away)
    return _shift_ends(
        plan,
        since,
        lambda end: shift_deadline(end, days, terms, zone, spans),
        terms,
        _build_playing_days(terms, zone, spans),
    )


def _build_playing_days(terms: TimeRules, zone: str, away: Iterable[Span]) -> PlayingDays:
    return PlayingDays.from_names(zone, terms.skip_weekdays, terms.holidays, away)


def _split_deadline(moment: datetime, terms: TimeRules, place: ZoneInfo) -> tuple[date, time]:
    """Return the day on which a deadline ends and its hour. Where the hour of the ZAT was skipped, the clock shows
    another one at that moment, and the next day already if it was an hour before midnight."""
    wall = moment.astimezone(place)
    for day in (wall.date(), wall.date() - DAY):
        if moment == resolve_local_hour(day, terms.hour, place):
            return day, time(terms.hour)
    return wall.date(), wall.time()


def _build_schedule(days: PlayingDays, zat: date, hour: time, bank: int, grace: int) -> TurnSchedule:
    """Return the schedule of a ZAT on that day."""
    ends = [zat]
    for _ in range(bank):
        ends.append(days.add_playing_days(ends[-1], 1))
    moments = [resolve_local_time(day, hour, days.place) for day in ends]
    final = resolve_local_time(days.add_playing_days(ends[-1], grace), hour, days.place) if grace else moments[-1]
    return TurnSchedule(moments[0], tuple(moments[1:]), final)


def _shift_ends(
    plan: TurnSchedule, since: datetime, carry: Callable[[datetime], datetime], terms: TimeRules, days: PlayingDays
) -> TurnSchedule:
    """Return ``plan`` with the first end after ``since`` carried, and those behind it laid anew, none earlier than it
    was."""
    ends = [plan.zat, *plan.bank]
    passed = bisect_right(ends, since)
    if passed == len(ends):
        return TurnSchedule(plan.zat, plan.bank, carry(plan.final) if plan.final > since else plan.final)
    last, _ = _split_deadline(ends[-1], terms, days.place)
    final, _ = _split_deadline(plan.final, terms, days.place)
    # Counted, for seats that are evaluated together may have more; but days of grace that fall on leave are not lost.
    grace = max(terms.grace, days.count_between(last, final)) if final > last else 0
    first, hour = _split_deadline(carry(ends[passed]), terms, days.place)
    new = _build_schedule(days, first, hour, len(ends) - passed - 1, grace)
    later = [max(pair) for pair in zip(ends[passed:], (new.zat, *new.bank), strict=True)]
    ends = ends[:passed] + later
    return TurnSchedule(ends[0], tuple(ends[1:]), max(plan.final, new.final))
