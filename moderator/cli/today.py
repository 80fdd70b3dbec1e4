"""`moderator today`: everything that waits for you, the most urgent first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.listing import print_rows, with_json_option

if TYPE_CHECKING:
    from moderator.cli.json_types import TaskLine
    from moderator.notifications.task import Task


@click.command()
@with_json_option("task", lines=True)
@click.pass_obj
def today(config_file: Path | None, as_json: bool) -> None:
    """What waits for you, the most urgent first, each with the commands that settle it; nothing that is fine.

    Nothing is changed, nobody is told."""
    from moderator.cli.session import open_club
    from moderator.commands.moderator_call import render_sentences
    from moderator.service.agenda.daily_notice import list_all_tasks

    with open_club(config_file) as desk:
        found = list_all_tasks(desk)
        texts = render_sentences(desk, [task.note for task in found], "en")
    rows = [(_build_task_line(task, text), _format_task(task, text)) for task, text in zip(found, texts, strict=True)]
    print_rows(rows, as_json, otherwise="Nothing waits for you.")


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
    led = f" (referee: {task.led_by})" if task.led_by else ""
    return "\n".join((f"{text}{led}", *(f"    {one.shell_line}" for one in task.remedies)))
