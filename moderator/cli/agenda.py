"""The list of `moderator today`, where something waits."""

from __future__ import annotations

from pathlib import Path

from moderator.cli.group import print_rows
from moderator.cli.json_types import TaskLine
from moderator.cli.session import open_club
from moderator.cli.texts import SPOKEN, render_text
from moderator.commands.moderator_call import render_sentences
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.notifications.task import Task


def print_agenda(config_file: Path | None, as_json: bool) -> None:
    """Print all that waits, with sentences in English for programs."""
    with open_club(config_file) as work:
        found = Agenda(work).list_tasks()
        texts = render_sentences(work.config, work.now, [task.note for task in found], SPOKEN.get())
    rows = [(_build_task_line(task, text), _format_task(task, text)) for task, text in zip(found, texts, strict=True)]
    print_rows(rows, as_json, render_text("nothing-waits"))


def _build_task_line(task: Task, text: str) -> TaskLine:
    """Return a task as values. ``text``: the sentence in English."""
    values: TaskLine = {
        "kind": task.kind,
        "key": task.key,
        "since": task.since,
        "text": text,
        "commands": [one.shell_line for one in task.remedies],
    }
    if task.until:
        values["until"] = task.until
    if task.led_by:
        values["referee"] = task.led_by
    whole: TaskLine = {**task.facts, **values}
    return whole


def _format_task(task: Task, text: str) -> str:
    led = render_text("led-by", name=task.led_by) if task.led_by else ""
    return "\n".join((f"{text}{led}", *(f"    {one.shell_line}" for one in task.remedies)))
