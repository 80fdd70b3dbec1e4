"""``python -m moderator.conformance NAME``: what every game must pass, on any that is installed."""

from __future__ import annotations

import faulthandler
import json
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from moderator.common.errors import ExitCode, OperatorError
from moderator.conformance.checks import CHECKS
from moderator.conformance.subject import WORDS, GameSubject, Outcome, Report, run_check
from moderator.rules.words import WordList

LONGEST = 900
"""Seconds of one check."""


def _parse_setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: write it as name=value, e.g. target=60")
    try:
        return name.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the first match; others follow.")
@click.option("--quick", is_flag=True, help="Fewer and shorter matches: for while you write.")
@click.option("--json", "as_json", is_flag=True, help="All of it as one JSON object.")
@click.option("--only", multiple=True, metavar="CHECK", help="This check alone; may be given several times.")
@click.option(
    "--set", "settings", multiple=True, metavar="OPTION=VALUE", help="An option of the matches, where they last long."
)
@click.option(
    "--words", type=click.Path(exists=True, path_type=Path, dir_okay=False), help="Words that count, one a line."
)
def main(
    name: str,
    seed: int,
    quick: bool,
    as_json: bool,
    only: tuple[str, ...],
    settings: tuple[str, ...],
    words: Path | None,
) -> None:
    """Run on the game NAME what every game must pass, see docs/build/conformance.md.

    NAME is the key of a game of ours, or of one that is installed with an entry point of the group moderator.games.
    One line for each check; exit code 1 if one found something.
    """
    if unknown := set(only) - {check.name for check in CHECKS}:
        raise OperatorError(f"There is no check {min(unknown)!r}.", f"Checks: {', '.join(c.name for c in CHECKS)}.")
    listed = WordList(words.read_text(encoding="utf-8").upper().split()) if words else WORDS
    subject = GameSubject(name, seed, quick, dict(map(_parse_setting, settings)), listed)
    try:
        game = subject.game
    except (ImportError, AttributeError) as error:
        told = f"The game {subject.key!r} cannot be loaded: {type(error).__name__}: {error}"
        raise OperatorError(f"{told}.", "Mend its module, or its entry point in the group moderator.games.") from error
    for pace in game.paces:
        subject.build_options(pace)
    outcomes: list[Outcome] = []
    before: dict[str, str] = {}
    for check in CHECKS:
        if not only or check.name in only:
            with _limit_time():
                outcomes.append(run_check(check, subject))
            if not as_json:
                click.echo("\n".join(outcomes[-1].format_lines(before)))
            before = {**{one.found: check.name for one in outcomes[-1].findings}, **before}
    click.echo(
        json.dumps(_build_report(name, seed, outcomes), indent=1, ensure_ascii=False)
        if as_json
        else _format_summary(outcomes)
    )
    sys.exit(ExitCode.FINE if all(one.is_ok for one in outcomes) else ExitCode.OPERATOR)


@contextmanager
def _limit_time() -> Iterator[None]:
    """End the program with exit code 1 if a call of the game never comes back; its traceback says where it is."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _format_summary(outcomes: list[Outcome]) -> str:
    failed = [one.check.name for one in outcomes if not one.is_ok]
    unseen = [one.check.name for one in outcomes if one.unseen]
    skipped = sum(bool(one.skipped) for one in outcomes) - len(unseen)
    told = f"{len(outcomes)} checks, {len(failed)} failed" + (f": {', '.join(failed)}" if failed else "")
    told += f"; {len(unseen)} could not see what they look at: {', '.join(unseen)}" if unseen else ""
    return told + (f"; {skipped} had nothing to look at" if skipped else "")


def _build_report(name: str, seed: int, outcomes: list[Outcome]) -> Report:
    checks = [one.to_json() for one in outcomes]
    return Report(game=name, seed=seed, ok=all(one.is_ok for one in outcomes), checks=checks)


if __name__ == "__main__":
    try:
        main(prog_name="python -m moderator.conformance")
    except OperatorError as error:
        click.echo(f"moderator: {error}", err=True)
        sys.exit(error.exit_code)
