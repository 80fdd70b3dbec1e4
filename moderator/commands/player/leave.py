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

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, terms_of
from moderator.commands.call import Answer, Call, said
from moderator.commands.declaration import Command, Group, Scope, Who, always
from moderator.errors import Impossible, Misused, PlayerError
from moderator.match.contract import Note
from moderator.match.time import calendar as rules
from moderator.match.time.calendar import Span
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, tell
from moderator.pages.messages import label
from moderator.paths import LANGUAGES
from moderator.states import MailKind, MatchStatus
from moderator.store import players
from moderator.store.matches import Place, seats_of
from moderator.store.models import Leave, Match, Player
from moderator.texts import heard, meanings, one_of, pattern, plain

HERE = Path(__file__).parent
_CANCEL = tuple(heard(HERE, "leave-cancel"))
_DAYS = meanings(HERE, "near-days")


@Command(
    "leave",
    scope=Scope.CLUB,
    group=Group.MATCHES,
    rank=30,
    who=Who.PLAYER,
    pattern=rf".*\d.*|{pattern(HERE, 'leave-from')}\s+{one_of(_DAYS)}\b.*|.*{pattern(HERE, 'leave-cancel')}.*|",
    short=always,
)
def leave(call: Call) -> Answer:
    """``Urlaub 24.12. bis 2.1.``; ``Urlaub löschen``; ``Urlaub`` alone lists what is announced."""
    words = plain(call.request.argument).split()
    if not words:
        return _listed(call)
    kept = [word for word in words if not word.startswith(_CANCEL)]
    if len(kept) < len(words):
        return _cancel(call, " ".join(w for w in call.request.argument.split() if not plain(w).startswith(_CANCEL)))
    return _announce(call)


def _announce(call: Call) -> Answer:
    desk, player, today = call.desk, call.player, call.desk.today
    first, last = _read(call.request.argument, today)
    taken = desk.cache.leaves_of(desk.session, player.number)
    why = rules.problem(first, last, taken, today, desk.config.leave)
    if why is not None:
        raise Impossible(why.code, **why.params)
    desk.session.add(Leave(player_id=player.number, first=first, last=last, announced_at=desk.now))
    desk.session.flush()
    desk.cache.forget_leaves()
    places = _running(desk, player)
    _tell(desk, player, places, Note("leave-of", {"name": player.name, "first": first, "last": last}))
    entered = Note("leave-entered", {"first": first, "last": last, "count": (last - first).days + 1})
    return Answer((entered, *_left(desk, player, first, last), *_consequences(desk, places)))


def _read(text: str, today: date) -> tuple[date, date]:
    try:
        return read_span(text, today)
    except PlayerError as error:
        raise Misused(error.code, **error.params) from None


def _left(desk: Desk, player: Player, first: date, last: date) -> list[Note]:
    """Days that may still be announced, for each year that the leave touches."""
    taken = desk.cache.leaves_of(desk.session, player.number)
    return [
        Note("leave-left", {"year": str(year), "count": rules.days_left(year, taken, desk.config.leave)})
        for year in range(first.year, last.year + 1)
    ]


def _running(desk: Desk, player: Player) -> list[tuple[Place, LiveMatch | None]]:
    """The player's matches that are not over; None for one that cannot be looked into just now."""
    found: list[tuple[Place, LiveMatch | None]] = []
    for match, seat in seats_of(desk.session, player.number):
        if match.status == MatchStatus.SUSPENDED:
            found.append(((match, seat), None))
        elif match.status == MatchStatus.RUNNING:
            live = desk.cache.live(desk.session, match)
            if seat.number not in live.table.out:
                found.append(((match, seat), live))
    return found


def _counts(desk: Desk, match: Match) -> bool:
    return terms_of(match, desk.config.deadlines).leave


def _consequences(desk: Desk, places: list[tuple[Place, LiveMatch | None]]) -> list[Note]:
    """In which matches the leave counts, and which deadlines stay as they are."""
    notes: list[Note] = []
    counting = [_named(match) for (match, _), _ in places if _counts(desk, match)]
    without = [_named(match) for (match, _), _ in places if not _counts(desk, match)]
    if counting:
        notes.append(Note("leave-counts", {"matches": counting}))
    if without:
        notes.append(Note("leave-counts-not", {"matches": without}))
    for (match, seat), live in places:
        if live is not None and match.deadline is not None and seat.number in live.missing:
            notes.append(Note("leave-deadline-stays", {"match": _named(match), "deadline": match.deadline}))
    return notes


def _named(match: Match) -> str:
    return f"{match.code} ({match.name})"


def _listed(call: Call) -> Answer:
    desk, year = call.desk, str(call.desk.today.year)
    rows = players.leaves_to_come(desk.session, call.player.number, desk.today)
    left = rules.days_left(int(year), desk.cache.leaves_of(desk.session, call.player.number), desk.config.leave)
    notes = [Note("leave-listed", {"first": row.first, "last": row.last}) for row in rows] or [Note("leave-none")]
    notes.append(Note("leave-left", {"year": year, "count": left}))
    return Answer((*notes, Note("leave-how-cancel" if rows else "leave-how")))


def _cancel(call: Call, text: str) -> Answer:
    desk, today = call.desk, call.desk.today
    row = _chosen(players.leaves_to_come(desk.session, call.player.number, today), text, today)
    begun = row.first <= today
    if begun and row.last == today:
        raise Impossible("leave-ends-today")
    before = row.last
    if begun:
        row.last = today
    else:
        row.cancelled_at = desk.now
    desk.session.add(row)
    desk.session.flush()
    desk.cache.forget_leaves()
    facts = {"name": call.player.name, "first": row.first, "last": before}
    _tell(desk, call.player, _running(desk, call.player), Note("leave-of-shorter" if begun else "leave-of-off", facts))
    done = said("leave-shortened" if begun else "leave-cancelled", first=row.first, last=before)
    return Answer((*done.notes, *_left(desk, call.player, row.first, before)))


def _chosen(rows: list[Leave], text: str, today: date) -> Leave:
    """The leave that is meant: the only one, or the one that has the day named."""
    if not rows:
        raise Impossible("leave-nothing-to-cancel")
    if text.strip(" .:"):
        first, last = _read(text, today)
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


def _tell(desk: Desk, player: Player, places: list[tuple[Place, LiveMatch | None]], note: Note) -> None:
    """One short mail to each opponent of the matches in which the leave counts."""
    matches: dict[int, tuple[Player, list[str]]] = {}
    for (match, _), live in places:
        if not _counts(desk, match):
            continue
        for seat, other in desk.seated(match):
            gone = live is not None and seat.number in live.table.out
            if other.address and other.number != player.number and not gone:
                matches.setdefault(other.number, (other, []))[1].append(_named(match))
    for other, named in matches.values():
        told = Note(note.code, {**note.params, "matches": named})
        reply = personal_reply(desk, other)
        tell(desk, To(other), new_page(desk, MailKind.NEWS, reader(other), reply=reply, notes=(told,)))


# ---- from when to when ----


YEARS_AHEAD = 8
"""A 29 February is found within that."""
LONGEST = 366
_MONTH = meanings(HERE, "months")
_COUNTS = meanings(HERE, "counts")
_WEEKS = heard(HERE, "week-unit")
_NAMES, _NEAR = one_of(_MONTH), one_of(_DAYS)
_UNITS = one_of(heard(HERE, "day-unit") | _WEEKS)
_TH, _OF = one_of(heard(HERE, "ordinal")), one_of(heard(HERE, "of-month"))
_UNTIL, _UNTIL_DAY = (one_of(heard(HERE, key) | {"-"}) for key in ("until", "until-day"))
_FOR, _LONG = one_of(heard(HERE, "for-so-long")), one_of(heard(HERE, "so-long"))
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
_LASTING = re.compile(rf"{_FOR}?\s*\b(?P<count>\d{{1,3}}|{one_of(_COUNTS)})\s+(?P<unit>{_UNITS})(?:\s+{_LONG})?\b")
_FILLER = re.compile(rf"\b{one_of(heard(HERE, 'leave-filling') | heard(HERE, 'weekday-words'))}\b|[\s.,;:()!/-]")


_LONGER = re.compile(
    rf"(?:{one_of(heard(HERE, 'longer-by') | {'+'})}\s*)?(?P<count>\d{{1,3}}|{one_of(_COUNTS)})\b"
    rf"(?:\s*(?P<unit>{_UNITS}))?(?:\s+{one_of(heard(HERE, 'longer'))})?"
)
_UP_TO = re.compile(rf"\b{one_of(heard(HERE, 'up-to'))}(?!\w)")
_BESIDE_A_DAY = re.compile(rf"\b{one_of(heard(HERE, 'up-to-filling'))}\b|[\s.,]")
_WEEKDAY = re.compile(rf"\b{one_of(heard(HERE, 'weekday-words'))}\b")


@dataclass(frozen=True)
class _Found:
    day: int
    month: int = 0
    """0 = that of the other date."""
    year: int = 0
    slashed: bool = False
    at: date | None = None
    """Known already: today, tomorrow."""


def read_span(text: str, today: date) -> Span:
    """First and last day. Raises PlayerError("leave-no-dates", "leave-no-such-day", "leave-many-dates")."""
    line = re.sub(r"[\u2010-\u2015\u2212]", "-", plain_dates(text))
    found: list[_Found] = []
    rest = _DATE.sub(lambda hit: _take(hit, found, today), line)
    lasting = _LASTING.search(rest)
    if lasting:
        rest = rest[: lasting.start()] + rest[lasting.end() :]
    if _FILLER.sub("", rest) or not found:
        raise PlayerError("leave-no-dates")
    if len(found) > 2 or (lasting and len(found) > 1):
        raise PlayerError("leave-many-dates")
    found = _as_months_and_days(found)
    if lasting:
        first = _resolved(found[0], today)
        return first, first + timedelta(days=_days(lasting) - 1)
    return _both(found[0], found[-1], today)


def read_longer(text: str, today: date) -> int | date:
    """How much longer: so many days (``3``, ``two weeks``), or up to which day (``until 12 Dec``). Nothing of it is
    passed over. Raises PlayerError."""
    line = re.sub(r"[\u2010-\u2015\u2212]", "-", plain_dates(text))
    if said := _LONGER.fullmatch(line):
        return _number_of_days(said)
    found: list[_Found] = []
    rest = _UP_TO.sub(" ", line)
    rest = _DATE.sub(lambda hit: _take(hit, found, today), rest)
    weekdays = _WEEKDAY.findall(rest)
    if len(found) != 1 or _BESIDE_A_DAY.sub("", _WEEKDAY.sub("", rest)):
        raise PlayerError("leave-no-dates")
    plainly_a_day = found[0].year or found[0].at or not re.fullmatch(r"[\d.,/ ]*", line)
    day = _resolved(found[0], today)
    called = {plain(label("weekdays", language).split()[day.weekday()]) for language in LANGUAGES}
    if not plainly_a_day or not all(any(name.startswith(word) for name in called) for word in weekdays):
        raise PlayerError("leave-no-dates")
    return day


def mentioned_span(text: str, today: date) -> Span | None:
    """The days that a sentence names: two, or one or none with how long; None = there are none."""
    found: list[_Found] = []
    try:
        rest = _DATE.sub(lambda hit: _take(hit, found, today), re.sub(r"[\u2010-\u2015\u2212]", "-", plain_dates(text)))
        lasting = _LASTING.search(rest)
        if lasting and len(found) < 2:
            first = _resolved(found[0], today) if found else today
            return first, first + timedelta(days=_days(lasting) - 1)
        if len(found) != 2:
            return None
        first_day, last_day = _as_months_and_days(found)
        return _both(first_day, last_day, today)
    except PlayerError:
        return None


def plain_dates(text: str) -> str:
    """Lower case, umlauts as two letters, single spaces; hyphens stay."""
    return "-".join(plain(part) for part in re.split(r"(?<=\S)-(?=\S)|-", text[:200]))


def _take(hit: re.Match[str], found: list[_Found], today: date) -> str:
    """Note the date; a dash that belongs to none is left."""
    if hit["word"]:
        found.append(_Found(0, at=today + timedelta(days=int(_DAYS[hit["word"]]))))
    elif hit["iso"]:
        found.append(_Found(int(hit["d1"]), int(hit["m1"]), int(hit["y1"])))
    elif hit["d2"] or hit["d3"]:
        n = 2 if hit["d2"] else 3
        found.append(_Found(int(hit[f"d{n}"]), int(_MONTH[hit[f"m{n}"]]), int(hit[f"y{n}"] or 0)))
    elif hit["d4"]:
        year = int(hit["y4"] or 0) or 2000 * bool(hit["short"]) + int(hit["short"] or 0)
        found.append(_Found(int(hit["d4"]), int(hit["m4"]), year, hit["sep"] == "/"))
    elif hit["d7"]:
        found.append(_Found(int(hit["d7"]), int(hit["m7"]), int(hit["y7"])))
    else:
        found.append(_Found(int(hit["d5"] or hit["d6"])))
    return " "


def _as_months_and_days(found: list[_Found]) -> list[_Found]:
    """If one slashed date can only be month and day, all are."""
    if not any(one.slashed and one.month > 12 >= one.day for one in found):
        return found
    return [replace(one, day=one.month, month=one.day) if one.slashed else one for one in found]


def _days(lasting: re.Match[str]) -> int:
    return max(1, min(LONGEST, _number_of_days(lasting)))


def _number_of_days(said: re.Match[str]) -> int:
    count = said["count"]
    return int(_COUNTS.get(count, count)) * (7 if said["unit"] in _WEEKS else 1)


def _both(first: _Found, last: _Found, today: date) -> Span:
    """Two dates, of which each may lack what the other has."""
    first = replace(first, month=first.month or last.month)
    last = replace(last, month=last.month or first.month)
    if first.year or first.at:
        start = _resolved(first, today)
        return start, _resolved(last, start)
    if last.year:
        end = _resolved(last, today)
        start = _on(first, end.year)
        return (start if start <= end else _on(first, end.year - 1)), end
    start = _resolved(first, today)
    near = _maybe(first, today.year) or _maybe(first, today.year - 1)
    # What has begun already and is not over is meant now, not in a year.
    if (
        near is not None
        and near < today <= _resolved(last, near)
        and (_resolved(last, near) - near).days < LONGEST // 2
    ):
        start = near
    return start, _resolved(last, start)


def _resolved(one: _Found, since: date) -> date:
    """The date, in its year or the next time from ``since`` on."""
    if one.at is not None:
        return one.at
    if not one.month:
        raise PlayerError("leave-no-dates")
    if one.year:
        return _on(one, one.year)
    for year in range(since.year, since.year + YEARS_AHEAD + 1):
        day = _maybe(one, year)
        if day is not None and day >= since:
            return day
    raise PlayerError("leave-no-such-day", day=f"{one.day}.{one.month}.")


def _on(one: _Found, year: int) -> date:
    day = _maybe(one, year)
    if day is None:
        raise PlayerError("leave-no-such-day", day=f"{one.day}.{one.month}.{year}")
    return day


def _maybe(one: _Found, year: int) -> date | None:
    try:
        return date(year, one.month, one.day)
    except ValueError:
        return None
