"""`moderator move-in`: a club joins in mid-season, with its people, words and matches."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from pathlib import Path

import click

from moderator.cli.club_names import MATCH
from moderator.cli.session import open_club
from moderator.cli.texts import MisuseError, say_lines
from moderator.common.errors import OperatorError
from moderator.common.text import count_noun
from moderator.delivery.deliver import deliver_notifications
from moderator.games import REGISTRY
from moderator.importers import results
from moderator.importers.files import format_match_template
from moderator.importers.matches import MoveIn, MoveInResult
from moderator.mail.build import extract_plain_text
from moderator.service.create import get_match
from moderator.service.moving_in import take_back_import
from moderator.settings import load_config

OLD = re.compile(r"R\d+", re.IGNORECASE)
"""How old results and ratings are called that were taken in at once; codes of matches have more letters."""


class _DryRunEnded(Exception):
    """The exception that ends a transaction whose work is not wanted."""


@click.command("move-in")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option("--dry-run", is_flag=True, help="Change nothing; print the mails that would be sent.")
@click.option("--template", "game", type=click.Choice(sorted(REGISTRY)), help="Print a template for a match.")
@click.option(
    "--undo",
    "codes",
    multiple=True,
    type=MATCH,
    help="Take back a match in which nothing was played, or old results (R1).",
)
@click.pass_obj
def move_in_club(
    config_file: Path | None, folder: Path | None, dry_run: bool, game: str | None, codes: tuple[str, ...]
) -> None:
    """Move a running club in: its players, results and matches. FOLDER may hold players (players.csv, .vcf), rulings
    on words (house.tsv), old results or ratings (results.csv, ratings.csv) and running matches (one .toml file each).
    Each player gets the board and their rack by mail and confirms them with one word; the match waits until all have.
    If anything is wrong, every error is listed with file and line, and nothing is moved in."""
    if sum(map(bool, (folder, game, codes))) != 1:
        raise MisuseError("Name a FOLDER, or --template with a game, or --undo with a match.")
    if game is not None:
        _print_template(config_file, game)
    elif codes:
        _undo_move_in(config_file, codes)
    elif folder is not None:
        _move_in_folder(config_file, folder, dry_run)


def _move_in_folder(config_file: Path | None, folder: Path, dry_run: bool) -> None:
    try:
        with open_club(config_file) as work:
            moved = MoveIn(work, folder).move_in()
            if dry_run:
                for one in deliver_notifications(work):
                    click.echo(_format_mail(one.data))
                raise _DryRunEnded
    except _DryRunEnded:
        say_lines("Nothing was changed; without --dry-run such mails leave with the next tick.")
        say_lines("Codes of matches are given anew then.")
    say_lines(_format_summary(moved, dry_run))


def _format_mail(raw: bytes) -> str:
    head = email.message_from_bytes(raw, policy=email.policy.default)
    return f"----- to {head['To']}: {head['Subject']}\n{extract_plain_text(raw)}"


def _format_summary(moved: MoveInResult, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    found = [f"{count_noun(len(moved.entered), 'player')} {would}entered, {len(moved.known)} known already"]
    found += [f"{count_noun(moved.words, 'ruling')} on words {would}taken over"] if moved.words else []
    found += list(_iter_old_result_lines(moved, would))
    found += [f"{file}: would be a match" if dry_run else f"{file}: match {code}" for code, file in moved.codes.items()]
    if moved.codes and not dry_run:
        found += ["The next tick mails the players; each match waits until all of its players have confirmed it."]
    return "\n".join(found)


def _iter_old_result_lines(moved: MoveInResult, would: str) -> Iterator[str]:
    old = moved.old
    for rows, what in (
        (old.results, count_noun(len(old.results), "old result")),
        (old.ratings, count_noun(len(old.ratings), "old rating")),
    ):
        if rows:
            yield f"{what} {would}taken in, as {moved.old_code}; they count for `moderator ratings`"
    if old.known:
        yield f"Here already: {count_noun(old.known, 'old result')} or ratings"


def _undo_move_in(config_file: Path | None, codes: tuple[str, ...]) -> None:
    old = [code for code in codes if OLD.fullmatch(code)]
    with open_club(config_file) as work:
        rows = [get_match(work.session, code) for code in codes if code not in old]
        gone = [*map(str.upper, old), *(row.code for row in rows)]
        for code in old:
            results.take_back_old_records(work.session, code)
        told = [take_back_import(work, row) for row in rows]
    said = "the next tick tells the players" if any(told) else "nobody had been mailed of it"
    say_lines(f"Taken back: {', '.join(gone)}; {said}.")


def _print_template(config_file: Path | None, game: str) -> None:
    try:
        language = load_config(config_file).club.language
    except OperatorError:
        language = "en"  # a template needs no club
    click.echo(format_match_template(game, language), nl=False)
