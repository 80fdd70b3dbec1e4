"""`moderator puzzle …`: the puzzles of the week and the table of a year; withdrawing the one that runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli.listing import printing

if TYPE_CHECKING:
    from moderator.cli.printed import PuzzleLine, Puzzles, SolverLine
    from moderator.club.desk import Desk
    from moderator.store.models import Puzzle


@click.group()
def puzzle() -> None:
    """The puzzle of the week."""


@puzzle.command("list")
@printing("puzzles")
@click.option("--year", type=int, help="Of the table. [default: this year]")
@click.pass_obj
def list_(config_file: Path | None, as_json: bool, year: int | None) -> None:
    """All puzzles, the newest first, and the table of a year.

    The solution of one that still takes answers is shown, too: think before you look, if you solve it yourself."""
    from moderator.cli.session import opened
    from moderator.club import puzzles as club
    from moderator.printable import json_spelt_out, spelt_out
    from moderator.store import puzzles

    with opened(config_file) as desk:
        table = club.table(desk, year or desk.today.year)
        every = [_values(desk, one) for one in puzzles.every(desk.session)]
    if as_json:
        lines: list[SolverLine] = [
            {"place": one.place, "name": one.name, "found": one.found, "answered": one.answered} for one in table
        ]
        found: Puzzles = {"puzzles": every, "year": year or desk.today.year, "table": lines}
        click.echo(json_spelt_out(found))
        return
    if not every:
        click.echo("No puzzle was set yet.")
    for values in every:
        click.echo(spelt_out("; ".join(_said(values))))
    for one in table:
        click.echo(spelt_out(f"{one.place:3}. {one.name}: {one.found} of {one.answered} answered"))


def _values(desk: Desk, puzzle: Puzzle) -> PuzzleLine:
    from moderator.club import puzzles as club
    from moderator.store.models import Match

    match = desk.session.get_one(Match, puzzle.match_id)
    told = puzzle.told_at is not None and puzzle.withdrawn_at is None
    who = club.solvers(desk, puzzle) if told else None
    return {
        "puzzle": puzzle.number,
        "state": "withdrawn" if puzzle.withdrawn_at else "over" if told else "running",
        "match": match.code,
        "game": match.game,
        "entry": puzzle.entry,
        "seat": puzzle.seat,
        "best": puzzle.best,
        "points": puzzle.most,
        "turns": puzzle.turns,
        "hardness": puzzle.hardness,
        "set": puzzle.set_at,
        "until": puzzle.until,
        "found": list(who.found) if who else None,
        "not_found": who.others if who else None,
    }


def _said(values: PuzzleLine) -> Iterator[str]:
    yield f"Puzzle {values['puzzle']} ({values['state']}): {values['game']}, match {values['match']}"
    yield f"entry {values['entry']}, best {values['best']} ({values['points']} points, {values['turns']} turns)"
    yield f"{values['hardness']} bits"
    if values["found"] is not None:
        yield f"found by {', '.join(values['found']) or 'nobody'}, not by {values['not_found']}"


@puzzle.command()
@click.pass_obj
def skip(config_file: Path | None) -> None:
    """Withdraw the puzzle that runs: no answer to it counts, and its position never comes again.

    Who has got it reads so in the next mail about the puzzle of the week; another one comes then."""
    from moderator.cli.session import opened
    from moderator.errors import OperatorError
    from moderator.play import puzzles

    with opened(config_file) as desk:
        withdrawn = puzzles.withdraw(desk)
        if withdrawn is None:
            raise OperatorError("No puzzle runs.", "See `moderator puzzle list`.")
        number = withdrawn.number
    click.echo(f"Puzzle {number} is withdrawn.")
