"""`moderator clock …`: the moderator's word on the machine's clock, and the way back for deadlines that moved by
themselves."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.cli import club_names
from moderator.cli.session import format_club_time, open_club
from moderator.cli.texts import say_lines
from moderator.service.create import get_match
from moderator.service.deadlines import DeadlineGuard


@click.command("right")
@click.pass_obj
def accept_machine_clock(config_file: Path | None) -> None:
    """Confirm that the machine's clock is right. Deadlines that wait for this move with the next tick. If the clock was
    ahead before, what it noted then no longer counts, and deadlines that moved because of it move back."""
    with open_club(config_file) as work:
        now = work.config.read_clock()
        behind = now < work.now
        put = DeadlineGuard(work).trust_clock(now)
        lines = [f"{match.code}: the deadline is {format_club_time(match.deadline, work.config)}." for match in put]
        said = f"It is {format_club_time(now, work.config)}."
        if not behind:
            said += " If the mailbox was not read for long, the next tick moves the deadlines."
    say_lines("\n".join((said, *lines)))


@click.command("undo")
@click.argument("codes", nargs=-1, type=club_names.MATCH, metavar="[CODE]...")
@click.pass_obj
def restore_moved_deadlines(config_file: Path | None, codes: tuple[str, ...]) -> None:
    """Move back deadlines that moved by themselves: in these matches, or in all. Only current turns are meant. A
    deadline that would be over ends tomorrow at its usual hour. The next tick tells the players. The clock must be
    right."""
    with open_club(config_file) as work:
        now = work.config.read_clock()
        wanted = [get_match(work.session, code).code for code in codes]
        put = DeadlineGuard(work).trust_clock(now) if now < work.now else []
        put += DeadlineGuard(work).undo_postponements(wanted)
        lines = [f"{match.code}: the deadline is {format_club_time(match.deadline, work.config)}." for match in put]
    say_lines("\n".join(lines or ["No deadline moved by itself in a turn that runs."]))
