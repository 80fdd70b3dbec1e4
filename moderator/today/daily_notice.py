"""All that waits for the moderator, the most urgent first; and the one notice of the day that tells of it. Each referee
has the same of the matches in their charge.

The notice goes out at the club's daily hour when something waits of which the moderator has not read yet: neither in
such a notice nor in a mail of its own, which tells of a fault, a word or a protest at once. What was told before
stands below it. Where nothing is new, what still waits is told again after some days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from moderator.club.desk import Desk
from moderator.club.referees import Official, chief, commanding, official
from moderator.match.contract import Note
from moderator.match.time.calendar import local_day
from moderator.outbox.tell import notify
from moderator.people import waiting
from moderator.play import refereeing
from moderator.store import inbox, key_values, referees
from moderator.store.models import LOOK, Inbox
from moderator.store.probe import LOOKED, stamp
from moderator.today import club, matches
from moderator.today.task import Task, TaskKind

AGAIN = 3
"""After so many days what waits is told once more."""
UNKNOWN = timedelta(days=2)
"""So long mails of senders whom nobody knows are counted."""


def tasks(desk: Desk, who: Official | None = None) -> tuple[Task, ...]:
    """Everything that waits, each thing once; nothing that is fine. ``who``: what the chief or a referee may look at;
    None = at the machine, all of it."""
    found = [*matches.tasks(desk, who)]
    if who is None or who.chief:
        found += club.tasks(desk)
    return tuple(sorted(found, key=lambda task: task.order))


def in_mail(who: Official, found: Sequence[Task]) -> tuple[Note, ...]:
    """As a mail to the chief or a referee tells it."""
    return tuple(task.told_in_mail(who) for task in found)


def all_in_mail(desk: Desk) -> tuple[Note, ...]:
    """The answer to the question what waits today, as whoever commands asks it."""
    who = commanding(desk)
    return in_mail(who, tasks(desk, who)) or (Note("today-nothing"),)


# ---- the notice of the day ----


def due(desk: Desk) -> bool:
    """Whether the club's daily hour has come since the last look."""
    looked = key_values.read(desk.session, LOOKED) or ""
    return looked < stamp(desk.config.club.daily_hour(desk.now))


def tell(desk: Desk) -> None:
    """Look what waits, and tell the chief and each referee if there is something new or it is long ago. In a new club's
    first run the day is only begun."""
    first = key_values.read(desk.session, LOOKED) is None
    leave(desk)
    if first:
        return
    if named := referees.every(desk.session):
        refereeing.follow(desk)
    for who in (chief(desk), *map(official, named)):
        _tell(desk, who)


def _tell(desk: Desk, who: Official) -> None:
    """What is in a referee's charge gives the chief no cause for a notice, but stands in it."""
    found, known = tasks(desk, who), _known(desk, who)
    own = [task for task in found if not task.led_by or not who.chief]
    fresh = [task for task in own if not task.told and _name(task) not in known]
    waiting = [task for task in own if not (task.idle or task.kind.of_the_past)]
    again = any(_days_ago(desk, known.get(_name(task), desk.now)) >= AGAIN for task in waiting)
    if fresh or again:
        _send(desk, who, fresh, [task for task in found if task not in fresh and not task.kind.of_the_past])
        known = {}
    kept = {_name(task): known.get(_name(task), desk.now).astimezone(UTC).isoformat() for task in found}
    key_values.write(desk.session, key_values.told_to(who.number), json.dumps(kept, ensure_ascii=False))


def _send(desk: Desk, who: Official, fresh: Sequence[Task], old: Sequence[Task]) -> None:
    notes = [*in_mail(who, fresh)]
    if old:
        notes += [*([Note("today-still")] if fresh else []), *in_mail(who, old)]
    notes.append(Note("today-how"))
    if any(remedy.mail is None for task in (*fresh, *old) for remedy in task.remedies):
        notes.append(Note("today-how-shell"))
    if who.chief and (unknown := inbox.unknown_since(desk.session, desk.now - UNKNOWN)):
        notes.append(Note("look-unknown", {"count": unknown}))
    for task in fresh:
        if task.kind in (TaskKind.MAIL, TaskKind.STRANGER):
            for number in waiting.in_ranges(desk, waiting.ranges_in(task.facts["mail"]), LOOK):
                desk.session.get_one(Inbox, number).told_at = desk.now
    notify(desk, who, *notes)


def _name(task: Task) -> str:
    return f"{task.kind.value} {task.key}".strip()


def leave(desk: Desk) -> None:
    """Today nothing more is looked for."""
    key_values.write(desk.session, LOOKED, stamp(desk.now))


def _days_ago(desk: Desk, moment: datetime) -> int:
    """By the club's calendar: two runs at the same hour are not just so many hours apart."""
    return (desk.today - local_day(moment, desk.config.club.zone)).days


def _known(desk: Desk, who: Official) -> dict[str, datetime]:
    """What was told before, or seen after it had been told in a mail of its own: its name, and when that was."""
    kept = json.loads(key_values.read(desk.session, key_values.told_to(who.number)) or "{}")
    return {name: datetime.fromisoformat(at) for name, at in kept.items()}
