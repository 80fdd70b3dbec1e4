"""`moderator doctor --mail`: a trial of the mailbox (mail/trial/), told line by line; what it has found is written into
the settings, if that is wanted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from moderator.cli import session
from moderator.cli.listing import print_rows
from moderator.common.errors import ModeratorError, OperatorError
from moderator.diagnostics.settings_file import Setting, change_settings_file
from moderator.diagnostics.step import TrialStep
from moderator.rules.time.calendar import to_local_day
from moderator.settings import Config, load_config
from moderator.store import trials

if TYPE_CHECKING:
    from moderator.cli.json_types import CheckLine


def print_check_step(step: TrialStep, as_json: bool) -> None:
    values: CheckLine = {
        "check": step.name,
        "ok": not step.trouble,
        "trouble": step.trouble or None,
        "note": step.doubt or step.says or None,
    }
    print_rows([(values, str(step))], as_json)


def run_mailbox_trial(config: Config, reachable: bool, wait: float | None, write: bool | None, as_json: bool) -> int:
    """Show each step, write what was found; returns how many things are left that are wrong. ``reachable``: see
    ``Trial.iter_steps``; ``write``: None = the operator is asked, if one sits there; else nothing is written."""
    from moderator.diagnostics.mail_trial import WAIT, Trial

    wait = wait or WAIT
    if reachable and sys.stderr.isatty() and not as_json:
        click.echo(f"Mails are sent to {config.mail.address} and waited for, {wait:g} seconds at most …", err=True)
    # Runs know the mails of the trial by it. Without a database none is sent.
    trial = Trial(config, trials.get_or_create_trial_secret(config.database) if reachable else "", wait)
    steps = []
    for step in trial.iter_steps(reachable):
        print_check_step(step, as_json)
        steps.append(step)
    if trial.good is not None:
        _record_trial_result(config, trial.ways, trial.good)
    return _write_found_settings(config, steps, write, as_json)


def _write_found_settings(config: Config, steps: Sequence[TrialStep], write: bool | None, as_json: bool) -> int:
    """Write the settings that were found; the steps that are wrong without them count no more then. Returns how many
    wrong steps are left."""
    wrong = [step for step in steps if step.trouble]
    settings = list(dict.fromkeys(setting for step in steps for setting in step.settings))
    if not settings:
        return len(wrong)
    name = f"settings in {config.file}"
    found = "; ".join(map(str, settings))
    if write is None and not as_json and session.can_ask_operator():
        write = click.confirm(f"Write into {config.file}: {found}?", default=True)
    if not write:
        hint = "" if write is False else " `moderator doctor --mail --write` writes them."
        print_check_step(TrialStep(name, doubt=f"not written: {found}.{hint}"), as_json)
        return len(wrong)
    try:
        _save_settings(config, settings)
    except OperatorError as error:
        print_check_step(TrialStep(name, trouble=str(error)), as_json)
        return len(wrong) + 1
    print_check_step(
        TrialStep(name, f"written: {found}. A `moderator watch` that runs reads them when it is started anew"), as_json
    )
    return len([step for step in wrong if not step.settings])


def _save_settings(config: Config, settings: Sequence[Setting]) -> None:
    change_settings_file(config.file, settings)
    session.record_outside_change(load_config(config.file))


def _record_trial_result(config: Config, ways: tuple[str, ...], good: tuple[str, ...]) -> None:
    """Record the result for `moderator doctor` without a trial."""
    day = to_local_day(config.read_clock(), config.club.zone).isoformat()
    with suppress(ModeratorError):
        trials.record_trial(config.database, trials.TrialResult(config.mail.address, day, ways, good))
