"""Leave: announced ahead, shown to opponents at once, never moving a deadline that runs.

The dates of a player's line, from when to when, are read in the ways in which people write them.

``24.12. bis 2.1.``, ``vom 24. Dezember bis 2. Januar 2027``, ``24 Dec to 2 Jan``, ``24.-28.12.``, ``2026-12-24 -
2027-01-02``, ``ab 24.12. 10 Tage``, ``from tomorrow two weeks``, a single day. A date without a year is the next
one. Numbers are day and month, unless a slashed one of the line can only be month and day (``12/24``)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from moderator.commands.declaration import (
    Command,
    CommandContext,
    CommandGiver,
    CommandGroup,
    CommandOutcome,
    CommandScope,
    accept_any_argument,
    done_with,
)
from moderator.common.disk import LANGUAGES
from moderator.common.enums import MailKind, MatchStatus
from moderator.common.errors import Impossible, Misused, PlayerError
from moderator.common.message_files import (
    build_any_pattern,
    load_meanings,
    load_synonyms,
    load_word_pattern,
    normalize_spelling,
)
from moderator.language.messages import render_label
from moderator.rules.game import Note
from moderator.rules.time import calendar
from moderator.rules.time.calendar import Span
from moderator.service.notifications import notify_reader
from moderator.settings import Config
from moderator.store import players
from moderator.store.database import Session
from moderator.store.matches import Place, list_current_seats
from moderator.store.tables import Leave, MatchRow, PlayerRow
from moderator.views.links import build_player_page
from moderator.views.loaded_match import LiveMatch, build_match_terms
from moderator.views.match_cache import MatchCache
from moderator.views.unit_of_work import Recipient, UnitOfWork

HERE = Path(__file__).parent
_CANCEL = tuple(load_synonyms(HERE, "leave-cancel"))
_DAYS = load_meanings(HERE, "near-days")


@Command(
    "leave",
    scope=CommandScope.CLUB,
    group=CommandGroup.MATCHES,
    rank=30,
    who=CommandGiver.PLAYER,
    pattern=rf".*\d.*|{load_word_pattern(HERE, 'leave-from')}\s+{build_any_pattern(_DAYS)}\b.*"
    rf"|.*{load_word_pattern(HERE, 'leave-cancel')}.*|",
    short=accept_any_argument,
)
def manage_leave_by_command(call: CommandContext) -> CommandOutcome:
    """Announce leave (``Urlaub 24.12. bis 2.1.``), cancel it (``Urlaub löschen``) or list what is announced (``Urlaub``
    alone)."""
    words = normalize_spelling(call.request.argument).split()
    if not words:
        work, year = call.work, str(call.work.today.year)
        rows = players.list_coming_leaves(work.session, call.player.number, work.today)
        left = calendar.count_leave_days_left(
            int(year), work.cache.list_player_leaves(work.session, call.player.number), work.config.leave
        )
        notes = [Note("leave-listed", {"first": row.first, "last": row.last}) for row in rows] or [Note("leave-none")]
        notes.append(Note("leave-left", {"year": year, "count": left}))
        return CommandOutcome((*notes, Note("leave-how-cancel" if rows else "leave-how")))
    kept = [word for word in words if not word.startswith(_CANCEL)]
    if len(kept) < len(words):
        return _cancel_leave(
            call, " ".join(w for w in call.request.argument.split() if not normalize_spelling(w).startswith(_CANCEL))
        )
    return _announce_leave(call)


def _announce_leave(call: CommandContext) -> CommandOutcome:
    work, player, today = call.work, call.player, call.work.today
    first, last = _parse_span(call.request.argument, today)
    taken = work.cache.list_player_leaves(work.session, player.number)
    why = calendar.find_leave_problem(first, last, taken, today, work.config.leave)
    if why is not None:
        raise Impossible(why.code, **why.params)
    work.session.add(Leave(player_id=player.number, first=first, last=last, announced_at=work.now))
    work.session.flush()
    work.cache.forget_leaves()
    places = _list_running_places(work.session, work.cache, player)
    _notify_opponents(work, player, places, Note("leave-of", {"name": player.name, "first": first, "last": last}))
    entered = Note("leave-entered", {"first": first, "last": last, "count": (last - first).days + 1})
    notes: list[Note] = []
    counting = [_format_match(match) for (match, _), _ in places if _may_leave_count(work.config, match)]
    without = [_format_match(match) for (match, _), _ in places if not _may_leave_count(work.config, match)]
    if counting:
        notes.append(Note("leave-counts", {"matches": counting}))
    if without:
        notes.append(Note("leave-counts-not", {"matches": without}))
    for (match, seat), live in places:
        if live is not None and match.deadline is not None and seat.number in live.seats_awaited:
            notes.append(Note("leave-deadline-stays", {"match": _format_match(match), "deadline": match.deadline}))
    return CommandOutcome((entered, *_build_days_left_notes(work, player, first, last), *notes))


def _parse_span(text: str, today: date) -> tuple[date, date]:
    try:
        return parse_day_span(text, today)
    except PlayerError as error:
        raise Misused(error.code, **error.params) from None


def _build_days_left_notes(work: UnitOfWork, player: PlayerRow, first: date, last: date) -> list[Note]:
    """Return the days that may still be announced, for each year that the leave touches."""
    taken = work.cache.list_player_leaves(work.session, player.number)
    return [
        Note("leave-left", {"year": str(year), "count": calendar.count_leave_days_left(year, taken, work.config.leave)})
        for year in range(first.year, last.year + 1)
    ]


def _list_running_places(
    session: Session, cache: MatchCache, player: PlayerRow
) -> list[tuple[Place, LiveMatch | None]]:
    """Return the player's matches that are not over, each with its loaded match; None for one that cannot be loaded
    just now."""
    found: list[tuple[Place, LiveMatch | None]] = []
    for match, seat in list_current_seats(session, player.number):
        if match.status == MatchStatus.SUSPENDED:
            found.append(((match, seat), None))
        elif match.status == MatchStatus.RUNNING:
            live = cache.load_match(session, match)
            if seat.number not in live.table.out:
                found.append(((match, seat), live))
    return found


def _may_leave_count(config: Config, match: MatchRow) -> bool:
    return build_match_terms(match, config.deadlines).leave


def _format_match(match: MatchRow) -> str:
    return f"{match.code} ({match.name})"


def _cancel_leave(call: CommandContext, text: str) -> CommandOutcome:
    work, today = call.work, call.work.today
    row = _choose_leave(players.list_coming_leaves(work.session, call.player.number, today), text, today)
    begun = row.first <= today
    if begun and row.last == today:
        raise Impossible("leave-ends-today")
    before = row.last
    if begun:
        row.last = today
    else:
        row.cancelled_at = work.now
    work.session.add(row)
    work.session.flush()
    work.cache.forget_leaves()
    facts = {"name": call.player.name, "first": row.first, "last": before}
    _notify_opponents(
        work,
        call.player,
        _list_running_places(work.session, work.cache, call.player),
        Note("leave-of-shorter" if begun else "leave-of-off", facts),
    )
    done = done_with("leave-shortened" if begun else "leave-cancelled", first=row.first, last=before)
    return CommandOutcome((*done.notes, *_build_days_left_notes(work, call.player, row.first, before)))


def _choose_leave(rows: list[Leave], text: str, today: date) -> Leave:
    """Return the leave that is meant: the only one, or the one that has the day named. Raises Impossible, Misused."""
    if not rows:
        raise Impossible("leave-nothing-to-cancel")
    if text.strip(" .:"):
        first, last = _parse_span(text, today)
        # A leave that has begun may be named by its first day, which is read as next year's.
        days = {(first.month, first.day)}
        rows = [
            row for row in rows if (row.first <= first and last <= row.last) or (row.first.month, row.first.day) in days
        ]
        if not rows:
            raise Impossible("leave-no-such")
    if len(rows) > 1:
        raise Misused("leave-which", dates=[row.first for row in rows])
    return rows[0]


def _notify_opponents(
    work: UnitOfWork, player: PlayerRow, places: list[tuple[Place, LiveMatch | None]], note: Note
) -> None:
    """Send one short mail to each opponent of the matches in which the leave counts."""
    matches: dict[int, tuple[PlayerRow, list[str]]] = {}
    for (match, _), live in places:
        if not _may_leave_count(work.config, match):
            continue
        for seat, other in work.list_seated(match):
            gone = live is not None and seat.number in live.table.out
            if other.address and other.number != player.number and not gone:
                matches.setdefault(other.number, (other, []))[1].append(_format_match(match))
    for other, named in matches.values():
        told = Note(note.code, {**note.params, "matches": named})
        notify_reader(work, Recipient(other), build_player_page(work, MailKind.NEWS, other, notes=(told,)))


# ---- from when to when ----


YEARS_AHEAD = 8
"""A 29 February is found within that."""
LONGEST = 366
_MONTH = load_meanings(HERE, "months")
_COUNTS = load_meanings(HERE, "counts")
_WEEKS = load_synonyms(HERE, "week-unit")
_NAMES, _NEAR = build_any_pattern(_MONTH), build_any_pattern(_DAYS)
_UNITS = build_any_pattern(load_synonyms(HERE, "day-unit") | _WEEKS)
_TH, _OF = build_any_pattern(load_synonyms(HERE, "ordinal")), build_any_pattern(load_synonyms(HERE, "of-month"))
_UNTIL, _UNTIL_DAY = (build_any_pattern(load_synonyms(HERE, key) | {"-"}) for key in ("until", "until-day"))
_FOR, _LONG = build_any_pattern(load_synonyms(HERE, "for-so-long")), build_any_pattern(load_synonyms(HERE, "so-long"))
_DATE = re.compile(
    r"(?P<iso>(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2}))(?!\d)"
    rf"|(?P<d2>\d{{1,2}})(?:\.|{_TH})?\s*(?:{_OF}\s+)?(?P<m2>{_NAMES})\b\.?(?:\s*,?\s*(?P<y2>\d{{4}})(?!\d|-))?"
    rf"|(?P<m3>{_NAMES})\b\.?\s*(?P<d3>\d{{1,2}}){_TH}?(?![\d.])(?:\s*,?\s*(?P<y3>\d{{4}})(?!\d))?"
    r"|(?P<d4>\d{1,2})\s?(?P<sep>[./])\s?(?P<m4>\d{1,2})(?!\d)(?:\s?(?P=sep)?\s?(?P<y4>\d{4})(?!\d)"
    rf"|(?P=sep)(?P<short>\d{{2}})(?!\d|\s*{_UNITS})|\.)?"
    r"|(?P<d7>\d{1,2})-(?P<m7>\d{1,2})-(?P<y7>\d{4})(?!\d)"
    rf"|(?P<d5>\d{{1,2}})(?:\.|{_TH})?(?=\s*{_UNTIL}(?![a-z]))"
    rf"|(?P<word>{_NEAR})\b"
    rf"|(?<=[a-z0-9.])\s*{_UNTIL_DAY}\s*(?P<d6>\d{{1,2}}){_TH}?(?![\w./-]|\s*(?:{_OF}\s+)?{_NAMES})"
)
_LASTING = re.compile(
    rf"{_FOR}?\s*\b(?P<count>\d{{1,3}}|{build_any_pattern(_COUNTS)})\s+(?P<unit>{_UNITS})(?:\s+{_LONG})?\b"
)
_FILLER = re.compile(
    rf"\b{build_any_pattern(load_synonyms(HERE, 'leave-filling') | load_synonyms(HERE, 'weekday-words'))}\b"
    r"|[\s.,;:()!/-]"
)


_LONGER = re.compile(
    rf"(?:{build_any_pattern(load_synonyms(HERE, 'longer-by') | {'+'})}\s*)?"
    rf"(?P<count>\d{{1,3}}|{build_any_pattern(_COUNTS)})\b"
    rf"(?:\s*(?P<unit>{_UNITS}))?(?:\s+{build_any_pattern(load_synonyms(HERE, 'longer'))})?"
)
_UP_TO = re.compile(rf"\b{build_any_pattern(load_synonyms(HERE, 'up-to'))}(?!\w)")
_BESIDE_A_DAY = re.compile(rf"\b{build_any_pattern(load_synonyms(HERE, 'up-to-filling'))}\b|[\s.,]")
_WEEKDAY = re.compile(rf"\b{build_any_pattern(load_synonyms(HERE, 'weekday-words'))}\b")


@dataclass(frozen=True)
class _WrittenDate:
    day: int
    month: int = 0
    """0 = that of the other date."""
    year: int = 0
    slashed: bool = False
    at: date | None = None
    """Known already: today, tomorrow."""


def parse_day_span(text: str, today: date) -> Span:
    """Return the first and the last day. Raises PlayerError("leave-no-dates", "leave-no-such-day",
    "leave-many-dates")."""
    line = re.sub(r"[\u2010-\u2015\u2212]", "-", normalize_dates(text))
    found: list[_WrittenDate] = []
    rest = _DATE.sub(lambda hit: _record_date(hit, found, today), line)
    lasting = _LASTING.search(rest)
    if lasting:
        rest = rest[: lasting.start()] + rest[lasting.end() :]
    if _FILLER.sub("", rest) or not found:
        raise PlayerError("leave-no-dates")
    if len(found) > 2 or (lasting and len(found) > 1):
        raise PlayerError("leave-many-dates")
    found = _swap_months_and_days(found)
    if lasting:
        first = _resolve_date(found[0], today)
        return first, first + timedelta(days=_count_lasting_days(lasting) - 1)
    return _resolve_span(found[0], found[-1], today)


def parse_extension(text: str, today: date) -> int | date:
    """Return how much longer: so many days (``3``, ``two weeks``), or up to which day (``until 12 Dec``). Nothing of
    the text is passed over. Raises PlayerError."""
    line = re.sub(r"[\u2010-\u2015\u2212]", "-", normalize_dates(text))
    if said := _LONGER.fullmatch(line):
        return _parse_day_count(said)
    found: list[_WrittenDate] = []
    rest = _UP_TO.sub(" ", line)
    rest = _DATE.sub(lambda hit: _record_date(hit, found, today), rest)
    weekdays = _WEEKDAY.findall(rest)
    if len(found) != 1 or _BESIDE_A_DAY.sub("", _WEEKDAY.sub("", rest)):
        raise PlayerError("leave-no-dates")
    plainly_a_day = found[0].year or found[0].at or not re.fullmatch(r"[\d.,/ ]*", line)
    day = _resolve_date(found[0], today)
    called = {normalize_spelling(render_label("weekdays", language).split()[day.weekday()]) for language in LANGUAGES}
    if not plainly_a_day or not all(any(name.startswith(word) for name in called) for word in weekdays):
        raise PlayerError("leave-no-dates")
    return day


def find_day_span(text: str, today: date) -> Span | None:
    """Return the days that a sentence names: two, or one or none with how long; None = there are none."""
    found: list[_WrittenDate] = []
    try:
        rest = _DATE.sub(
            lambda hit: _record_date(hit, found, today), re.sub(r"[\u2010-\u2015\u2212]", "-", normalize_dates(text))
        )
        lasting = _LASTING.search(rest)
        if lasting and len(found) < 2:
            first = _resolve_date(found[0], today) if found else today
            return first, first + timedelta(days=_count_lasting_days(lasting) - 1)
        if len(found) != 2:
            return None
        first_day, last_day = _swap_months_and_days(found)
        return _resolve_span(first_day, last_day, today)
    except PlayerError:
        return None


def normalize_dates(text: str) -> str:
    """Return the text in lower case, umlauts as two letters, single spaces; hyphens stay."""
    return "-".join(normalize_spelling(part) for part in re.split(r"(?<=\S)-(?=\S)|-", text[:200]))


def _record_date(hit: re.Match[str], found: list[_WrittenDate], today: date) -> str:
    """Record the date; returns a blank in its place. A dash that belongs to no date is left."""
    if hit["word"]:
        found.append(_WrittenDate(0, at=today + timedelta(days=int(_DAYS[hit["word"]]))))
    elif hit["iso"]:
        found.append(_WrittenDate(int(hit["d1"]), int(hit["m1"]), int(hit["y1"])))
    elif hit["d2"] or hit["d3"]:
        n = 2 if hit["d2"] else 3
        found.append(_WrittenDate(int(hit[f"d{n}"]), int(_MONTH[hit[f"m{n}"]]), int(hit[f"y{n}"] or 0)))
    elif hit["d4"]:
        year = int(hit["y4"] or 0) or 2000 * bool(hit["short"]) + int(hit["short"] or 0)
        found.append(_WrittenDate(int(hit["d4"]), int(hit["m4"]), year, hit["sep"] == "/"))
    elif hit["d7"]:
        found.append(_WrittenDate(int(hit["d7"]), int(hit["m7"]), int(hit["y7"])))
    else:
        found.append(_WrittenDate(int(hit["d5"] or hit["d6"])))
    return " "


def _swap_months_and_days(found: list[_WrittenDate]) -> list[_WrittenDate]:
    """Swap month and day of all slashed dates, if one of them can only be month and day."""
    if not any(one.slashed and one.month > 12 >= one.day for one in found):
        return found
    return [replace(one, day=one.month, month=one.day) if one.slashed else one for one in found]


def _count_lasting_days(lasting: re.Match[str]) -> int:
    return max(1, min(LONGEST, _parse_day_count(lasting)))


def _parse_day_count(said: re.Match[str]) -> int:
    count = said["count"]
    return int(_COUNTS.get(count, count)) * (7 if said["unit"] in _WEEKS else 1)


def _resolve_span(first: _WrittenDate, last: _WrittenDate, today: date) -> Span:
    """Return the first and last day of two dates, of which each may lack what the other has."""
    first = replace(first, month=first.month or last.month)
    last = replace(last, month=last.month or first.month)
    if first.year or first.at:
        start = _resolve_date(first, today)
        return start, _resolve_date(last, start)
    if last.year:
        end = _resolve_date(last, today)
        start = _build_date(first, end.year)
        return (start if start <= end else _build_date(first, end.year - 1)), end
    start = _resolve_date(first, today)
    near = _find_date(first, today.year) or _find_date(first, today.year - 1)
    # What has begun already and is not over is meant now, not in a year.
    if (
        near is not None
        and near < today <= _resolve_date(last, near)
        and (_resolve_date(last, near) - near).days < LONGEST // 2
    ):
        start = near
    return start, _resolve_date(last, start)


def _resolve_date(one: _WrittenDate, since: date) -> date:
    """Return the date, in its year or the next time from ``since`` on. Raises PlayerError."""
    if one.at is not None:
        return one.at
    if not one.month:
        raise PlayerError("leave-no-dates")
    if one.year:
        return _build_date(one, one.year)
    for year in range(since.year, since.year + YEARS_AHEAD + 1):
        day = _find_date(one, year)
        if day is not None and day >= since:
            return day
    raise PlayerError("leave-no-such-day", day=f"{one.day}.{one.month}.")


def _build_date(one: _WrittenDate, year: int) -> date:
    day = _find_date(one, year)
    if day is None:
        raise PlayerError("leave-no-such-day", day=f"{one.day}.{one.month}.{year}")
    return day


def _find_date(one: _WrittenDate, year: int) -> date | None:
    try:
        return date(year, one.month, one.day)
    except ValueError:
        return None
