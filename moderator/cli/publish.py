"""`moderator publish`: the archive as pages for any web space, and the round letter."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import click

from moderator.cli.group import print_rows, with_json_option
from moderator.cli.json_types import Written
from moderator.cli.progress import show_working
from moderator.cli.session import parse_start_day
from moderator.common import disk
from moderator.common.disk import LANGUAGES
from moderator.common.errors import OperatorError
from moderator.settings import Config, load_config
from moderator.site import letter
from moderator.site.build import open_site, update_site

FOLDER = "site"
"""Where neither the command nor the settings name another one."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False, metavar="[DIR]")
@click.option("--all", "anew", is_flag=True, help="Write every page again, not only what has changed.")
@click.option(
    "--letter",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Instead of the pages write one round letter, FILE.html or FILE.pdf (needs the extra [print]).",
)
@click.option("--since", default="", help="First day of the letter, e.g. 2026-11-01. [default: this month's first]")
@click.option("--language", type=click.Choice(LANGUAGES), help="Language of the letter. [default: the club's]")
@with_json_option("written")
@click.pass_obj
def publish(
    config_file: Path | None,
    folder: Path | None,
    anew: bool,
    letter: Path | None,
    since: str,
    language: str | None,
    as_json: bool,
) -> None:
    """Write the archive as web pages, or a round letter. There is a page for each match, player and tournament, with
    feeds and calendars. Pages go to DIR, or else to `folder` in [site], or else to site/. Only changed files are
    written."""
    config = load_config(config_file)
    now = config.read_clock()
    if letter is None:
        if since or language:
            raise OperatorError("--since and --language are for a letter.", "Add --letter FILE.pdf.")
        place = folder or config.resolve_path(Path(config.site.folder or FOLDER))
        with show_working("Writing the archive"):
            done = update_site(config, now, place, anew)
        said = f"{place}: {done.written} of {done.files} files written, {done.removed} removed."
        print_rows([(_build_written_line(place, done.written, done.files, done.removed), said)], as_json)
        return
    if folder or anew:
        raise OperatorError("--letter writes that letter and nothing else.", "Leave out DIR and --all.")
    with show_working("Writing the letter"):
        size = _write_round_letter(config, letter, since, language, now)
    print_rows([(_build_written_line(letter, 1, 1, 0), f"{letter}: {size / 1000:.0f} kB.")], as_json)


def _build_written_line(place: Path, written: int, files: int, removed: int) -> Written:
    return {"place": str(place), "written": written, "files": files, "removed": removed}


def _write_round_letter(config: Config, file: Path, since: str, language: str | None, now: datetime) -> int:
    """Write the letter; returns its size."""
    form = file.suffix.lower()
    if form not in (".html", ".pdf"):
        raise OperatorError(f"{file} says no form.", "Name it FILE.html or FILE.pdf.")
    first = now.astimezone(ZoneInfo(config.club.zone)).date().replace(day=1)
    spoken = language or config.club.language
    with open_site(config, now) as site:
        made = letter.build_letter_since(
            site, parse_start_day(since or first.isoformat(), config), spoken, scenes=form == ".pdf"
        )
        data = (
            letter.render_letter_pdf(made, spoken, now, config)
            if form == ".pdf"
            else letter.render_standalone_letter(site, made, spoken)
        )
    try:
        file.write_bytes(data)
    except OSError as error:
        raise OperatorError(*disk.describe_os_error(error, "write", file, "Name another place.")) from error
    return len(data)
