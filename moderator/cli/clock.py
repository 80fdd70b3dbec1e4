"""`moderator clock …`: the moderator's word on the machine's clock, and the way back for deadlines that moved by
themselves."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.cli import session
from moderator.cli.session import format_club_time, open_club
from moderator.service.create import get_match
from moderator.service.deadlines import DeadlineGuard


@click.group()
def clock() -> None:
    """The machine's clock, and deadlines that moved by themselves: after an outage, say."""


@clock.command("right")
@click.pass_obj
def accept_machine_clock(config_file: Path | None) -> None:
    """Say that the clock is right now. Deadlines that wait for that move with the next tick; what was noted under a
    clock that was ahead counts no more, and what moved because of it moves back."""
    with open_club(config_file) as work:
        now = work.config.read_clock()
        behind = now < work.now
        put = DeadlineGuard(work).trust_clock(now)
        lines = [f"{match.code}: the deadline is {format_club_time(match.deadline, work.config)}." for match in put]
        said = f"It is {format_club_time(now, work.config)}."
        if not behind:
            said += " If the mailbox was not read for long, the next tick moves the deadlines."
    click.echo("\n".join((said, *lines)))


@clock.command("undo")
@click.argument("codes", nargs=-1, type=session.MATCH, metavar="[CODE]...")
@click.pass_obj
def restore_moved_deadlines(config_file: Path | None, codes: tuple[str, ...]) -> None:
    """Move back the deadlines that moved by themselves in the turns that run: of these matches, or of all. One that
    would be over is at its hour tomorrow. The players are told with the next tick. The clock must be right now."""
    with open_club(config_file) as work:
        now = work.config.read_clock()
        wanted = [get_match(work.session, code).code for code in codes]
        put = DeadlineGuard(work).trust_clock(now) if now < work.now else []
        put += DeadlineGuard(work).undo_postponements(wanted)
        lines = [f"{match.code}: the deadline is {format_club_time(match.deadline, work.config)}." for match in put]
    click.echo("\n".join(lines or ["No deadline moved by itself in a turn that runs."]))
