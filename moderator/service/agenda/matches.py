"""What waits in matches: rulings, faults, who is late, clocks that stand, seats that were given up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from moderator.common.enums import ClockStop, LogEntryKind, MatchStatus
from moderator.notifications.task import LATELY, Remedy, Task, TaskFacts, TaskKind
from moderator.rules.game import Note
from moderator.rules.replay import drop_undone
from moderator.service import match_clock
from moderator.service.desk import Desk
from moderator.store import matches, matches_log, questions
from moderator.store.tables import EventRow, MatchRow
from moderator.views.confirmations import list_unconfirmed_seats
from moderator.views.loaded_match import LiveMatch, MatchSuspended, load_log_entries
from moderator.views.staff import StaffMember, find_staff_in_charge, may_command

LONG = timedelta(days=14)
"""So long a clock may stand, or a match without a ZAT wait for one seat, before it is mentioned."""
UNCONFIRMED = timedelta(days=5)
"""So long the players of a match that was moved in may take to confirm it."""
MORE_DAYS = 3
"""What the line that gives somebody who is late more time offers."""

Seen = Callable[[MatchRow], bool]
"""Whether somebody may look at a match."""


def iter_match_tasks(desk: Desk, who: StaffMember | None) -> Iterator[Task]:
    """Yield the tasks that ``who`` may look at, see ``list_all_tasks`` in daily_notice.py."""

    def may_look_at(match: MatchRow) -> bool:
        return who is None or may_command(desk, who, match)

    yield from _iter_word_tasks(desk, may_look_at)
    yield from _iter_protest_tasks(desk, may_look_at)
    for match in filter(
        may_look_at, (*matches.list_running(desk.session), *matches.list_undealt_matches(desk.session))
    ):
        yield from _iter_tasks_of_match(desk, match)
    yield from _iter_vacated_seat_tasks(desk, may_look_at)


def _build_match_facts(match: MatchRow) -> TaskFacts:
    return {"match": match.code, "name": match.name}


def _iter_word_tasks(desk: Desk, seen: Seen) -> Iterator[Task]:
    """Yield the words that wait for a ruling; one that several matches in one charge wait for is asked about once."""
    waits: dict[tuple[str, StaffMember], list[tuple[datetime, MatchRow]]] = {}
    for question, match in questions.list_open_questions(desk.session):
        if seen(match):
            waits.setdefault((question.word, find_staff_in_charge(desk, match)), []).append((question.asked_at, match))
    for (word, who), places in waits.items():
        codes = [match.code for _, match in places]
        remedies = tuple(
            remedy
            for ruling in ("allow", "deny")
            for remedy in _iter_ruling_remedies(word, ruling, () if who.is_chief else codes)
        )
        note = Note("today-word", {"word": word, "matches": codes})
        since = min(at for at, _ in places)
        key = word if who.is_chief else f"{word} {' '.join(codes)}"
        facts: TaskFacts = {"word": word, "match": " ".join(codes)}
        yield Task(TaskKind.WORD, key, note, remedies, since, facts, told=True, led_by=_get_referee_name(who))


def _iter_ruling_remedies(word: str, ruling: str, codes: Sequence[str]) -> Iterator[Remedy]:
    """Yield remedies for the whole club, or for the matches of one referee."""
    if not codes:
        yield Remedy(("words", "rule", word, ruling), Note(f"do-word-{ruling}", {"word": word}))
    for code in codes:
        shell = ("words", "rule", word, ruling, "--scope", code)
        yield Remedy(shell, Note(f"do-word-{ruling}-here", {"word": word, "match": code}))


def _get_referee_name(who: StaffMember) -> str:
    return "" if who.is_chief else who.name


def _iter_protest_tasks(desk: Desk, seen: Seen) -> Iterator[Task]:
    for row, match, player in questions.list_protests(desk.session):
        if not seen(match):
            continue
        led_by = _get_referee_name(find_staff_in_charge(desk, match))
        number = str(row.id)
        said = {"name": player.name, "line": " ".join(row.text.split()), "number": number}
        remedies = tuple(
            Remedy(("match", "rule-protest", number, ruling), Note(f"do-protest-{ruling}", {"number": number}))
            for ruling in ("uphold", "deny")
        )
        note = Note("today-protest", {**said, "match": match.code, "title": match.name})
        about: TaskFacts = {"match": match.code, "player": player.name}
        yield Task(TaskKind.PROTEST, number, note, remedies, row.at, about, told=True, led_by=led_by)


def _iter_tasks_of_match(desk: Desk, match: MatchRow) -> Iterator[Task]:
    for task in _iter_state_tasks(desk, match):
        yield replace(task, led_by=_get_referee_name(find_staff_in_charge(desk, match)))


def _iter_state_tasks(desk: Desk, match: MatchRow) -> Iterator[Task]:
    """Yield the tasks of a match, by its row alone where that says that nothing waits: a club has hundreds of
    matches."""
    facts = {"match": match.code, "title": match.name}
    if match.status == MatchStatus.SUSPENDED:
        resume = Remedy(("match", "resume", match.code), Note("do-go-on", {"match": match.code}))
        note = Note("today-suspended", {**facts, "text": match.trouble})
        yield Task(TaskKind.SUSPENDED, match.code, note, (resume,), None, _build_match_facts(match), told=True)
    elif match.status == MatchStatus.OPEN:
        start = Remedy(("match", "start", match.code))
        note = Note("today-not-begun", {**facts, "text": match.trouble})
        yield Task(TaskKind.NOT_BEGUN, match.code, note, (start,), None, _build_match_facts(match), told=True)
    elif match.stopped == ClockStop.PAUSE:
        since = match.stopped_at or desk.now
        if desk.now - since >= LONG:
            go_on = Remedy(("match", "go-on", match.code), Note("do-go-on", {"match": match.code}))
            note = Note("today-paused", {**facts, "since": since})
            yield Task(TaskKind.PAUSED, match.code, note, (go_on,), since, _build_match_facts(match))
    elif match.stopped == ClockStop.CONFIRM:
        yield from _iter_confirmation_tasks(desk, match)
    elif not (match.held or match.stopped or match.training) and _may_be_late(desk, match):
        yield from _iter_tasks_of_due_match(desk, match)


def _iter_confirmation_tasks(desk: Desk, match: MatchRow) -> Iterator[Task]:
    """Yield the task of a match that waits for a player's word that it stands as it stood."""
    since = match.stopped_at or desk.now
    if desk.now - since < UNCONFIRMED:
        return
    try:
        live = desk.cache.load_readonly(desk.session, match)
    except MatchSuspended:
        return
    names = [desk.list_players(match)[seat].name for seat in list_unconfirmed_seats(desk, match, live)]
    go_on = Remedy(("match", "go-on", match.code), Note("do-go-on", {"match": match.code}))
    note = Note("today-moving-in", {"match": match.code, "title": match.name, "names": names, "since": since})
    yield Task(
        TaskKind.PAUSED, match.code, note, (go_on,), since, {**_build_match_facts(match), "players": ", ".join(names)}
    )


def _may_be_late(desk: Desk, match: MatchRow) -> bool:
    if match.deadline is not None:
        return match.deadline < desk.now
    return match.turn_at is not None and desk.now - match.turn_at >= LONG


def _iter_tasks_of_due_match(desk: Desk, match: MatchRow) -> Iterator[Task]:
    try:
        live = desk.cache.load_readonly(desk.session, match)
    except MatchSuspended:
        return  # the next run finds that, too, and tells of it
    yield from _iter_late_tasks(desk, match, live)


def _iter_late_tasks(desk: Desk, match: MatchRow, live: LiveMatch) -> Iterator[Task]:
    """Yield one line for a match, however many are late in it: the same line gives all of them more time."""
    players = desk.list_players(match)
    names = [players[seat].name for seat in sorted(live.seats_wanted) if not players[seat].robot]
    facts = {"match": match.code, "title": match.name, "names": names}
    about: TaskFacts = {**_build_match_facts(match), "players": ", ".join(names)}
    if not names:
        return
    if match.deadline is None:
        since = match.turn_at or desk.now
        if desk.now - since >= LONG:
            look = Remedy(("match", "missing", match.code), Note("do-missing", {"match": match.code}))
            yield Task(
                TaskKind.LATE,
                _build_turn_key(match, since),
                Note("today-idle", {**facts, "since": since}),
                (look,),
                since,
                about,
            )
    elif match.deadline < desk.now:
        until = match_clock.compute_final_deadline(desk, match, live) or match.deadline
        note = Note("today-late", {**facts, "deadline": match.deadline, "until": until})
        days = str(MORE_DAYS)
        extend = Remedy(("match", "extend", match.code, days), Note("do-extend", {"match": match.code, "days": days}))
        yield Task(
            TaskKind.LATE, _build_turn_key(match, match.deadline), note, (extend,), match.deadline, about, until=until
        )


def _build_turn_key(match: MatchRow, moment: datetime) -> str:
    return f"{match.code} {moment:%Y-%m-%d}"


def _iter_vacated_seat_tasks(desk: Desk, seen: Seen) -> Iterator[Task]:
    for event, match, name in matches_log.list_vacated_seats(desk.session, desk.now - LATELY):
        if match.status == MatchStatus.FINISHED or not seen(match) or not _is_still_vacated(desk, match, event):
            continue
        look = Remedy(("match", "show", match.code), Note("do-status", {"match": match.code}))
        code = "today-given-up" if event.kind == LogEntryKind.RETIRE else "today-stand-in"
        note = Note(code, {"match": match.code, "title": match.name, "name": name, "at": event.at})
        key = f"{match.code} {event.n}"
        led_by = _get_referee_name(find_staff_in_charge(desk, match))
        yield Task(
            TaskKind.GIVEN_UP,
            key,
            note,
            (look,),
            event.at,
            {**_build_match_facts(match), "player": name},
            led_by=led_by,
        )


def _is_still_vacated(desk: Desk, match: MatchRow, event: EventRow) -> bool:
    """Return whether the seat is still vacated: not if that was undone, or somebody else has had the seat since: the
    name would be theirs."""
    changes = (LogEntryKind.RETIRE, LogEntryKind.HAND_OVER)
    own = [
        number
        for number, entry in drop_undone(load_log_entries(desk.session, match))
        if entry.seat == event.seat and entry.kind in changes
    ]
    return bool(own) and own[-1] == event.n
