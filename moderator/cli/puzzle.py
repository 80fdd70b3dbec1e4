"""`moderator puzzle …`: the puzzles of the week and the table of a year; withdrawing the one that runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from moderator.cli import club_names
from moderator.cli.group import with_json_option
from moderator.cli.json_types import PuzzleLine, Puzzles, SolverLine
from moderator.cli.session import open_club
from moderator.cli.texts import say_lines
from moderator.common.disk import LANGUAGES
from moderator.common.errors import OperatorError
from moderator.common.text import escape_unprintable, to_escaped_json
from moderator.render.mails.shown import iter_review_lines
from moderator.service.create import get_match
from moderator.service.puzzles import PuzzleWeek, ReviewSender
from moderator.store.club_tables import PuzzleRow
from moderator.store.database import Session
from moderator.store.reviews import list_all_puzzles
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import MatchSuspended
from moderator.views.puzzles import build_puzzle_table, complete_match_review, load_puzzle_solvers


@click.command("list")
@with_json_option("puzzles")
@click.option("--year", type=int, help="Year of the table. [default: this one]")
@click.pass_obj
def print_weekly_puzzles(config_file: Path | None, as_json: bool, year: int | None) -> None:
    """List all puzzles, newest first, and the table of a year.

    The solution of one that still takes answers is shown, too: think before you look, if you solve it yourself."""
    with open_club(config_file) as work:
        table = build_puzzle_table(work.session, work.config, year or work.today.year)
        every = [_build_puzzle_line(work.session, one) for one in list_all_puzzles(work.session)]
    if as_json:
        lines: list[SolverLine] = [
            {"place": one.place, "name": one.name, "found": one.found, "answered": one.answered} for one in table
        ]
        found: Puzzles = {"puzzles": every, "year": year or work.today.year, "table": lines}
        click.echo(to_escaped_json(found))
        return
    if not every:
        say_lines("No puzzle was set yet.")
    for values in every:
        say_lines(escape_unprintable("; ".join(_iter_puzzle_facts(values))))
    for one in table:
        say_lines(escape_unprintable(f"{one.place:3}. {one.name}: {one.found} of {one.answered} answered"))


def _build_puzzle_line(session: Session, puzzle: PuzzleRow) -> PuzzleLine:
    match = session.get_one(MatchRow, puzzle.match_id)
    told = puzzle.told_at is not None and puzzle.withdrawn_at is None
    who = load_puzzle_solvers(session, puzzle) if told else None
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


def _iter_puzzle_facts(values: PuzzleLine) -> Iterator[str]:
    yield f"Puzzle {values['puzzle']} ({values['state']}): {values['game']}, match {values['match']}"
    yield f"entry {values['entry']}, best {values['best']} ({values['points']} points, {values['turns']} turns)"
    yield f"{values['hardness']} bits"
    if values["found"] is not None:
        yield f"found by {', '.join(values['found']) or 'nobody'}, not by {values['not_found']}"


@click.command("skip")
@click.pass_obj
def withdraw_puzzle(config_file: Path | None) -> None:
    """Withdraw the current puzzle. Answers to it do not count, and its position never comes again.

    Whoever has it is told so in the next mail about the puzzle of the week, which brings another one."""
    with open_club(config_file) as work:
        withdrawn = PuzzleWeek(work).withdraw_puzzle()
        if withdrawn is None:
            raise OperatorError("No puzzle runs.", "See `moderator puzzle list`.")
        number = withdrawn.number
    say_lines(f"Puzzle {number} is withdrawn.")


# ---- `moderator review`: a finished match turn by turn, beside the best there was.


@click.command()
@click.argument("code", type=club_names.ANY_MATCH)
@with_json_option("review")
@click.option("--language", type=click.Choice(LANGUAGES), help="Language of the text. [default: the club's]")
@click.option("--anew", is_flag=True, help="Make it again, by today's dictionary.")
@click.pass_obj
def review(config_file: Path | None, code: str, as_json: bool, language: str | None, anew: bool) -> None:
    """Review a finished match: best moves, turning point, luck and skill."""
    with open_club(config_file) as work:
        match = get_match(work.session, code)
        try:
            found, new = complete_match_review(work.session, work.cache, match, work.now, anew)
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "See `moderator match log`.") from error
        if new:
            ReviewSender(work, match).notify_requesters(found)
        called = [player.name for player in work.list_players(match)]
        if as_json:
            click.echo(to_escaped_json({"match": match.code, "names": called} | found.to_json()))
        else:
            lines = iter_review_lines(found, match.code, match.name, called, language or work.config.club.language)
            click.echo(escape_unprintable("\n".join(lines)))
