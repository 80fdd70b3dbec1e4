"""What waits in matches: rulings, faults, who is late, clocks that stand, seats that were given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from moderator.club import clock
from moderator.club.confirmations import unconfirmed
from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended, log_of
from moderator.club.referees import Official, in_charge, may
from moderator.match.contract import Note
from moderator.match.replay import effective
from moderator.states import EntryKind, MatchStatus, Stopped
from moderator.store import events, matches, questions
from moderator.store.models import Event, Match
from moderator.today.task import LATELY, Facts, Remedy, Task, TaskKind

LONG = timedelta(days=14)
"""So long a clock may stand, or a match without a ZAT wait for one seat, before it is mentioned."""
UNCONFIRMED = timedelta(days=5)
"""So long the players of a match that was moved in may take to confirm it."""
MORE_DAYS = 3
"""What the line that gives somebody who is late more time offers."""

Seen = Callable[[Match], bool]
"""Whether somebody may look at a match."""


def tasks(desk: Desk, who: Official | None) -> Iterator[Task]:
    """What ``who`` may look at, see ``tasks`` in daily_notice.py."""

    def seen(match: Match) -> bool:
        return who is None or may(desk, who, match)

    yield from _words(desk, seen)
    yield from _protests(desk, seen)
    for match in filter(seen, (*matches.going(desk.session), *matches.not_begun(desk.session))):
        yield from _of_match(desk, match)
    yield from _given_up(desk, seen)


def _about(match: Match) -> Facts:
    return {"match": match.code, "name": match.name}


def _words(desk: Desk, seen: Seen) -> Iterator[Task]:
    """A word that several matches in one charge wait for is asked about once."""
    waits: dict[tuple[str, Official], list[tuple[datetime, Match]]] = {}
    for question, match in questions.open_ones(desk.session):
        if seen(match):
            waits.setdefault((question.word, in_charge(desk, match)), []).append((question.asked_at, match))
    for (word, who), places in waits.items():
        codes = [match.code for _, match in places]
        remedies = tuple(
            remedy for ruling in ("allow", "deny") for remedy in _rulings(word, ruling, () if who.chief else codes)
        )
        note = Note("today-word", {"word": word, "matches": codes})
        since = min(at for at, _ in places)
        key = word if who.chief else f"{word} {' '.join(codes)}"
        facts: Facts = {"word": word, "match": " ".join(codes)}
        yield Task(TaskKind.WORD, key, note, remedies, since, facts, told=True, led_by=_led_by(who))


def _rulings(word: str, ruling: str, codes: Sequence[str]) -> Iterator[Remedy]:
    """For the whole club, or for the matches of one referee."""
    if not codes:
        yield Remedy(("words", "rule", word, ruling), Note(f"do-word-{ruling}", {"word": word}))
    for code in codes:
        shell = ("words", "rule", word, ruling, "--scope", code)
        yield Remedy(shell, Note(f"do-word-{ruling}-here", {"word": word, "match": code}))


def _led_by(who: Official) -> str:
    return "" if who.chief else who.name


def _protests(desk: Desk, seen: Seen) -> Iterator[Task]:
    for row, match, player in questions.protests_listed(desk.session):
        if not seen(match):
            continue
        led_by = _led_by(in_charge(desk, match))
        number = str(row.id)
        said = {"name": player.name, "line": " ".join(row.text.split()), "number": number}
        remedies = tuple(
            Remedy(("match", "rule-protest", number, ruling), Note(f"do-protest-{ruling}", {"number": number}))
            for ruling in ("uphold", "deny")
        )
        note = Note("today-protest", {**said, "match": match.code, "title": match.name})
        about: Facts = {"match": match.code, "player": player.name}
        yield Task(TaskKind.PROTEST, number, note, remedies, row.at, about, told=True, led_by=led_by)


def _of_match(desk: Desk, match: Match) -> Iterator[Task]:
    for task in _waiting(desk, match):
        yield replace(task, led_by=_led_by(in_charge(desk, match)))


def _waiting(desk: Desk, match: Match) -> Iterator[Task]:
    """By its row alone where that says that nothing waits: a club has hundreds of matches."""
    facts = {"match": match.code, "title": match.name}
    if match.status == MatchStatus.SUSPENDED:
        resume = Remedy(("match", "resume", match.code), Note("do-go-on", {"match": match.code}))
        note = Note("today-suspended", {**facts, "text": match.trouble})
        yield Task(TaskKind.SUSPENDED, match.code, note, (resume,), None, _about(match), told=True)
    elif match.status == MatchStatus.OPEN:
        start = Remedy(("match", "start", match.code))
        note = Note("today-not-begun", {**facts, "text": match.trouble})
        yield Task(TaskKind.NOT_BEGUN, match.code, note, (start,), None, _about(match), told=True)
    elif match.stopped == Stopped.PAUSE:
        since = match.stopped_at or desk.now
        if desk.now - since >= LONG:
            go_on = Remedy(("match", "go-on", match.code), Note("do-go-on", {"match": match.code}))
            note = Note("today-paused", {**facts, "since": since})
            yield Task(TaskKind.PAUSED, match.code, note, (go_on,), since, _about(match))
    elif match.stopped == Stopped.CONFIRM:
        yield from _moving_in(desk, match)
    elif not (match.held or match.stopped or match.training) and _may_be_late(desk, match):
        yield from _opened(desk, match)


def _moving_in(desk: Desk, match: Match) -> Iterator[Task]:
    """A match that waits for a player's word that it stands as it stood."""
    since = match.stopped_at or desk.now
    if desk.now - since < UNCONFIRMED:
        return
    try:
        live = desk.cache.look(desk.session, match)
    except Suspended:
        return
    names = [desk.players(match)[seat].name for seat in unconfirmed(desk, match, live)]
    go_on = Remedy(("match", "go-on", match.code), Note("do-go-on", {"match": match.code}))
    note = Note("today-moving-in", {"match": match.code, "title": match.name, "names": names, "since": since})
    yield Task(TaskKind.PAUSED, match.code, note, (go_on,), since, {**_about(match), "players": ", ".join(names)})


def _may_be_late(desk: Desk, match: Match) -> bool:
    if match.deadline is not None:
        return match.deadline < desk.now
    return match.turn_at is not None and desk.now - match.turn_at >= LONG


def _opened(desk: Desk, match: Match) -> Iterator[Task]:
    try:
        live = desk.cache.look(desk.session, match)
    except Suspended:
        return  # the next run finds that, too, and tells of it
    yield from _late(desk, match, live)


def _late(desk: Desk, match: Match, live: LiveMatch) -> Iterator[Task]:
    """One line for a match, however many are late in it: the same line gives all of them more time."""
    players = desk.players(match)
    names = [players[seat].name for seat in sorted(live.missing) if not players[seat].robot]
    facts = {"match": match.code, "title": match.name, "names": names}
    about: Facts = {**_about(match), "players": ", ".join(names)}
    if not names:
        return
    if match.deadline is None:
        since = match.turn_at or desk.now
        if desk.now - since >= LONG:
            look = Remedy(("match", "missing", match.code), Note("do-missing", {"match": match.code}))
            yield Task(
                TaskKind.LATE, _turn(match, since), Note("today-idle", {**facts, "since": since}), (look,), since, about
            )
    elif match.deadline < desk.now:
        until = clock.last_moment(desk, match, live) or match.deadline
        note = Note("today-late", {**facts, "deadline": match.deadline, "until": until})
        days = str(MORE_DAYS)
        extend = Remedy(("match", "extend", match.code, days), Note("do-extend", {"match": match.code, "days": days}))
        yield Task(TaskKind.LATE, _turn(match, match.deadline), note, (extend,), match.deadline, about, until=until)


def _turn(match: Match, moment: datetime) -> str:
    return f"{match.code} {moment:%Y-%m-%d}"


def _given_up(desk: Desk, seen: Seen) -> Iterator[Task]:
    for event, match, name in events.given_up(desk.session, desk.now - LATELY):
        if match.status == MatchStatus.FINISHED or not seen(match) or not _still_out(desk, match, event):
            continue
        look = Remedy(("match", "show", match.code), Note("do-status", {"match": match.code}))
        code = "today-given-up" if event.kind == EntryKind.RETIRE else "today-stand-in"
        note = Note(code, {"match": match.code, "title": match.name, "name": name, "at": event.at})
        key = f"{match.code} {event.n}"
        led_by = _led_by(in_charge(desk, match))
        yield Task(TaskKind.GIVEN_UP, key, note, (look,), event.at, {**_about(match), "player": name}, led_by=led_by)


def _still_out(desk: Desk, match: Match, event: Event) -> bool:
    """Not if that was undone, or somebody else has had the seat since: the name would be theirs."""
    changes = (EntryKind.RETIRE, EntryKind.HAND_OVER)
    own = [
        number
        for number, entry in effective(log_of(desk.session, match))
        if entry.seat == event.seat and entry.kind in changes
    ]
    return bool(own) and own[-1] == event.n
