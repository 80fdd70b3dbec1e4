"""`moderator doctor --mail`: a trial of the mailbox (mail/trial/), told line by line; what it has found is written into
the settings, if that is wanted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from moderator.cli import session
from moderator.cli.listing import listed
from moderator.config import Config, load
from moderator.errors import ModeratorError, OperatorError
from moderator.mail.settings_file import Setting, change
from moderator.mail.trial.step import Step
from moderator.match.time.calendar import local_day
from moderator.store import trials

if TYPE_CHECKING:
    from moderator.cli.printed import CheckLine


def show(step: Step, as_json: bool) -> None:
    values: CheckLine = {
        "check": step.name,
        "ok": not step.trouble,
        "trouble": step.trouble or None,
        "note": step.doubt or step.says or None,
    }
    listed([(values, str(step))], as_json)


def try_mail(config: Config, reachable: bool, wait: float | None, write: bool | None, as_json: bool) -> int:
    """Show each step, write what was found; returns how many things are left that are wrong. ``reachable``: see
    ``Trial.steps``; ``write``: None = who sits there is asked, nobody is not."""
    from moderator.mail.trial.trial import WAIT, Trial

    wait = wait or WAIT
    if reachable and sys.stderr.isatty() and not as_json:
        click.echo(f"Mails are sent to {config.mail.address} and waited for, {wait:g} seconds at most …", err=True)
    # Runs know the mails of the trial by it. Without a database none is sent.
    trial = Trial(config, trials.made_secret(config.database) if reachable else "", wait)
    steps = []
    for step in trial.steps(reachable):
        show(step, as_json)
        steps.append(step)
    if trial.good is not None:
        _note(config, trial.ways, trial.good)
    return _settle(config, steps, write, as_json)


def _settle(config: Config, steps: Sequence[Step], write: bool | None, as_json: bool) -> int:
    """Write the settings that were found; the steps that are wrong without them count no more then."""
    wrong = [step for step in steps if step.trouble]
    settings = list(dict.fromkeys(setting for step in steps for setting in step.settings))
    if not settings:
        return len(wrong)
    name = f"settings in {config.file}"
    found = "; ".join(map(str, settings))
    if write is None and not as_json and session.somebody_there():
        write = click.confirm(f"Write into {config.file}: {found}?", default=True)
    if not write:
        hint = "" if write is False else " `moderator doctor --mail --write` writes them."
        show(Step(name, doubt=f"not written: {found}.{hint}"), as_json)
        return len(wrong)
    try:
        _write(config, settings)
    except OperatorError as error:
        show(Step(name, trouble=str(error)), as_json)
        return len(wrong) + 1
    show(Step(name, f"written: {found}. A `moderator watch` that runs reads them when it is started anew"), as_json)
    return len([step for step in wrong if not step.settings])


def _write(config: Config, settings: Sequence[Setting]) -> None:
    change(config.file, settings)
    session.done(load(config.file))


def _note(config: Config, ways: tuple[str, ...], good: tuple[str, ...]) -> None:
    """For `moderator doctor` without a trial."""
    day = local_day(config.now(), config.club.zone).isoformat()
    with suppress(ModeratorError):
        trials.note(config.database, trials.Tried(config.mail.address, day, ways, good))
