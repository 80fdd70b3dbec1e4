"""All that waits for the moderator, the most urgent first; and the one notice of the day that tells of it. Each referee
has the same of the matches in their charge.

The notice goes out at the club's daily hour when something waits of which the moderator has not read yet: neither in
such a notice nor in a mail of its own, which tells of a fault, a word or a protest at once. What was told before
stands below it. Where nothing is new, what still waits is told again after some days."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from moderator.inbox.agenda.tasks import ClubTasks, MatchTasks
from moderator.language.messages import quote_text, render_code
from moderator.notifications.task import Remedy, StaffMember, Task, TaskKind
from moderator.rules.game import Note
from moderator.rules.time.calendar import to_local_day
from moderator.service import held_mails
from moderator.service.notifications import notify_staff_member
from moderator.service.staff import OpenQuestions
from moderator.store import inbox, key_values, players
from moderator.store.due_work import LOOKED, UNKNOWN, format_database_time
from moderator.store.tables import LOOK, InboxRow
from moderator.views.people import build_staff_member, get_chief, get_commander
from moderator.views.unit_of_work import UnitOfWork

AGAIN = 3
"""After so many days what waits is told once more."""


@dataclass(frozen=True)
class Agenda:
    """All that waits for a decision, and the one notice of the day that tells of it."""

    work: UnitOfWork

    def list_tasks(self, who: StaffMember | None = None) -> tuple[Task, ...]:
        """List everything that waits, each thing once; nothing that is fine. ``who``: what the chief or a referee may
        look at; None = at the machine, all of it."""
        found = [*MatchTasks(self.work, who).iter_tasks()]
        if who is None or who.is_chief:
            found += ClubTasks(self.work).iter_tasks()
        if who is None:
            found += ClubTasks(self.work).iter_hints()
        return tuple(sorted(found, key=lambda task: task.sort_key))

    def build_answer(self) -> tuple[Note, ...]:
        """Build the answer to the question what waits today, as whoever commands asks it."""
        who = get_commander(self.work)
        return build_task_notes(who, self.list_tasks(who)) or (Note("today-nothing"),)

    def is_notice_due(self) -> bool:
        """Return whether the club's daily hour has come since the last look."""
        looked = key_values.find_value(self.work.session, LOOKED) or ""
        return looked < format_database_time(self.work.config.club.compute_last_daily_time(self.work.now))

    def notify_staff(self) -> None:
        """Look for what waits, and notify the chief and each referee if there is something new or it is long ago. In a
        new club's first run the day is only begun."""
        first = key_values.find_value(self.work.session, LOOKED) is None
        self.mark_reported()
        if first:
            return
        if named := players.list_all_referees(self.work.session):
            OpenQuestions(self.work).reassign_questions()
        for who in (get_chief(self.work.config), *map(build_staff_member, named)):
            self._notify_if_needed(who)

    def _notify_if_needed(self, who: StaffMember) -> None:
        """Notify one of them, if there is cause. What is in a referee's charge gives the chief no cause for a notice,
        but stands in it."""
        now, found, known = self.work.now, self.list_tasks(who), self._load_reported_tasks(who)
        own = [task for task in found if not task.led_by or not who.is_chief]
        fresh = [task for task in own if not task.told and _build_task_name(task) not in known]
        waiting = [task for task in own if not (task.idle or task.kind.is_past)]
        again = any(self._count_days_since(known.get(_build_task_name(task), now)) >= AGAIN for task in waiting)
        if fresh or again:
            self._notify_tasks(who, fresh, [task for task in found if task not in fresh and not task.kind.is_past])
            known = {}
        names = [_build_task_name(task) for task in found]
        kept = json.dumps(
            {name: known.get(name, now).astimezone(UTC).isoformat() for name in names}, ensure_ascii=False
        )
        key_values.save_value(self.work.session, key_values.build_notice_key(who.number), kept)

    def _notify_tasks(self, who: StaffMember, fresh: Sequence[Task], old: Sequence[Task]) -> None:
        notes = [*build_task_notes(who, fresh)]
        if old:
            notes += [*([Note("today-still")] if fresh else []), *build_task_notes(who, old)]
        if who.is_chief and (unknown := inbox.count_unknown_mails(self.work.session, self.work.now - UNKNOWN)):
            notes.append(Note("look-unknown", {"count": unknown}))
        session = self.work.session
        for task in fresh:
            if task.kind in (TaskKind.MAIL, TaskKind.STRANGER):
                ranges = held_mails.parse_mail_ranges(task.facts["mail"])
                for number in held_mails.list_mail_numbers(session, ranges, LOOK):
                    session.get_one(InboxRow, number).told_at = self.work.now
        notify_staff_member(self.work, who, *notes)

    def mark_reported(self) -> None:
        """Mark the day, so that nothing more is looked for today."""
        key_values.save_value(self.work.session, LOOKED, format_database_time(self.work.now))

    def _count_days_since(self, moment: datetime) -> int:
        """Count days by the club's calendar: two runs at the same hour are not just so many hours apart."""
        return (self.work.today - to_local_day(moment, self.work.config.club.zone)).days

    def _load_reported_tasks(self, who: StaffMember) -> dict[str, datetime]:
        """Load what was reported before, or seen after it had been reported in a mail of its own: its name, and when
        that was."""
        kept = json.loads(key_values.find_value(self.work.session, key_values.build_notice_key(who.number)) or "{}")
        return {name: datetime.fromisoformat(at) for name, at in kept.items()}


def build_task_notes(who: StaffMember, found: Sequence[Task]) -> tuple[Note, ...]:
    """Build the notes of the tasks as a mail to the chief or a referee has them."""
    return tuple(to_mail_note(task, who) for task in found)


def _build_task_name(task: Task) -> str:
    return f"{task.kind.value} {task.key}".strip()


def to_mail_note(task: Task, who: StaffMember) -> Note:
    """Convert the task to its sentence, with the lines that an answer may have."""
    lines = " / ".join(quote_text(format_remedy(one, who.language), who.language) for one in task.remedies)
    facts = {"faults": [{"code": task.note.code, **task.note.params}], "todo": lines, "name": task.led_by}
    actions = [
        {"code": one.mail.code, **one.mail.params} if one.mail else {"shell": one.shell_line} for one in task.remedies
    ]
    return Note("today-task-led" if task.led_by and who.is_chief else "today-task", facts | {"actions": actions})


def format_remedy(remedy: Remedy, language: str) -> str:
    """Format the line as a mail to the moderator may have it; where there is no such line, that of the command line."""
    return render_code(remedy.mail.code, language, **remedy.mail.params) if remedy.mail else remedy.shell_line
