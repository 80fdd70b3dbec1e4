"""`moderator today`: everything that waits for you, the most urgent first. Light as long as nothing waits."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from moderator.cli.group import print_rows, with_json_option
from moderator.cli.lists import OpenedClub, open_club_for_lists
from moderator.cli.texts import render_text
from moderator.common import disk
from moderator.rules.time.calendar import resolve_local_hour, to_local_day
from moderator.store import due_work
from moderator.store.due_work import ClockDoubt


@click.command()
@with_json_option("task", lines=True)
@click.pass_obj
def today(config_file: Path | None, as_json: bool) -> None:
    """List what waits for you, most urgent first, and what to do about it."""
    with open_club_for_lists(config_file) as club:
        quiet = not may_anything_wait(club)
    if quiet:
        print_rows((), as_json, render_text("nothing-waits"))
        return
    from moderator.cli.agenda import print_agenda  # it loads the tables, and the rules of the games

    print_agenda(config_file, as_json)


def may_anything_wait(club: OpenedClub) -> bool:
    """Return whether it is worth looking more closely: not if it is sure that nothing waits."""
    return _is_machine_in_trouble(club) or _may_task_wait(club)


def _is_machine_in_trouble(club: OpenedClub) -> bool:
    config, time = club.config, club.time
    left = disk.find_free_bytes(config.resolve_path(config.store.path).parent)
    return (
        time.doubt is not ClockDoubt.NONE
        or (time.polled is not None and config.guard.is_outage(time.polled, time.shown))
        or time.has_poll_gap(config.guard.outage_hours)
        or (left is not None and left < disk.LEAST_ROOM)
    )


def _may_task_wait(club: OpenedClub) -> bool:
    config, place = club.config, club.config.database
    days, zone = timedelta(days=config.club.backup_days), config.club.zone
    if days and isinstance(place, Path) and due_work.find_backup_gap(place, club.now) >= days:
        return True
    if not config.mail.authserv_id and due_work.load_value_at(place, due_work.CHECKED_BY):
        return True
    tomorrow = to_local_day(club.now, zone) + timedelta(days=1)
    return due_work.may_task_wait(place, club.now, resolve_local_hour(tomorrow, 0, ZoneInfo(zone)))
