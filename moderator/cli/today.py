"""`moderator today`: everything that waits for you, the most urgent first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.listing import listed, printing

if TYPE_CHECKING:
    from moderator.cli.printed import TaskLine
    from moderator.today.task import Task


@click.command()
@printing("task", lines=True)
@click.pass_obj
def today(config_file: Path | None, as_json: bool) -> None:
    """What waits for you, the most urgent first, each with the commands that settle it; nothing that is fine.

    Nothing is changed, nobody is told."""
    from moderator.cli.session import opened
    from moderator.commands.moderator_call import spoken
    from moderator.today.daily_notice import tasks

    with opened(config_file) as desk:
        found = tasks(desk)
        texts = spoken(desk, [task.note for task in found], "en")
    rows = [(_values(task, text), _lines(task, text)) for task, text in zip(found, texts, strict=True)]
    listed(rows, as_json, otherwise="Nothing waits for you.")


def _values(task: Task, text: str) -> TaskLine:
    """``text``: the sentence in English."""
    values: TaskLine = {
        "kind": task.kind,
        "key": task.key,
        "since": task.since,
        "text": text,
        "commands": [one.command for one in task.remedies],
    }
    if task.until:
        values["until"] = task.until
    if task.led_by:
        values["referee"] = task.led_by
    whole: TaskLine = {**task.facts, **values}
    return whole


def _lines(task: Task, text: str) -> str:
    led = f" (referee: {task.led_by})" if task.led_by else ""
    return "\n".join((f"{text}{led}", *(f"    {one.command}" for one in task.remedies)))
