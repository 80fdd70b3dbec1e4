"""`moderator sandbox`: a copy of the club whose clock is turned by hand."""

from __future__ import annotations

import re
from datetime import datetime, time
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from moderator.common.errors import OperatorError

if TYPE_CHECKING:
    from moderator.settings import Config


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--to", "until", help='Let time pass up to then: 2027-01-01 or "24.12.2026 20:00", on the club\'s clock.')
@click.pass_obj
def sandbox(config_file: Path | None, folder: Path, until: str | None) -> None:
    """Copy the club into FOLDER, where the clock is turned by hand and nothing is sent; then say what would happen.
    Again with a later --to, it goes on from there. Mails put into FOLDER/in (.eml) are read at the next call."""
    from moderator.run.sandbox import SETTINGS, create_sandbox, run_sandbox_to
    from moderator.settings import CLOCK, load_config

    there = (folder / CLOCK).exists()
    config = load_config(folder / SETTINGS if there else config_file)
    moment = parse_day_and_hour(until, config) if until else None
    if not there:
        if moment is not None and moment < config.read_clock():
            raise OperatorError(f"{until} is over.", "Name a later time.")
        create_sandbox(config, folder, config.read_clock())
        click.echo(f"{folder} holds a copy of {config.club.name}, which sends nothing: --config {folder / SETTINGS}")
    if moment is not None:
        for line in run_sandbox_to(folder, moment):
            click.echo(line)


def parse_day_and_hour(text: str, config: Config) -> datetime:
    """Return the time that is meant by a day (its beginning), or a day and an hour, in the club's zone. Raises
    OperatorError."""
    from moderator.rules.time.calendar import parse_day

    found = re.fullmatch(r"(?P<day>\S.*?)(?:[ T](?P<hour>\d{1,2}):(?P<minute>\d\d))?", text.strip())
    if not found:
        raise OperatorError(f"{text!r} is no time.", 'Write it as 2027-01-01 or "2027-01-01 20:00".')
    day, hour, minute = parse_day(found["day"]), int(found["hour"] or 0), int(found["minute"] or 0)
    if hour > 23 or minute > 59:
        raise OperatorError(f"{text!r} is no time.", 'Write it as 2027-01-01 or "2027-01-01 20:00".')
    return datetime.combine(day, time(hour, minute), ZoneInfo(config.club.zone))
