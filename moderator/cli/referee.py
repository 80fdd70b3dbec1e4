"""`moderator referee …` and `moderator cup referee`: who is in charge of matches besides the chief."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.cli.club_names import REFEREE, TOURNAMENT
from moderator.cli.group import print_rows, print_values, with_json_option
from moderator.cli.json_types import RefereeLine
from moderator.cli.printed_tournaments import InCharge
from moderator.cli.session import open_club
from moderator.cli.texts import MisuseError, render_text, say_lines
from moderator.commands.moderator_call import HERE
from moderator.common.disk import LANGUAGES
from moderator.common.errors import OperatorError
from moderator.common.message_files import load_synonyms, normalize_spelling
from moderator.rules.time.calendar import parse_day
from moderator.service import staff
from moderator.service.staff import RefereeRoster
from moderator.store import players
from moderator.store.club_tables import Referee
from moderator.store.tables import Tournament
from moderator.views.tournament_rows import get_tournament
from moderator.views.unit_of_work import UnitOfWork

CHIEF = "chief"
"""In place of a name: nobody, so that the chief is in charge."""


@click.command("add")
@click.argument("name")
@click.argument("address")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Language of the mails to this referee.")
@with_json_option("referee")
@click.pass_obj
def add_named_referee(config_file: Path | None, name: str, address: str, language: str | None, as_json: bool) -> None:
    """Add a referee. The next tick mails them how to give commands."""
    _check_referee_name(name)
    with open_club(config_file) as work:
        row = RefereeRoster(work).add_referee(name, address, language or work.config.club.language)
        said = f"{row.name} is a referee, with {row.address}; `moderator match referee CODE NAME` gives a match."
        added = _build_referee_values(work, row), said
    print_rows([added], as_json)


def _check_referee_name(name: str) -> None:
    """Check that a word does not stand for the chief where a referee is named. Raises OperatorError."""
    if normalize_spelling(name) in load_synonyms(HERE, "boss-chief"):
        raise OperatorError(f"{name!r} means you, where a referee is named.", "Choose another name.")


@click.command("list")
@with_json_option("referee", lines=True)
@click.pass_obj
def print_referees(config_file: Path | None, as_json: bool) -> None:
    """List the referees and what they are in charge of."""
    with open_club(config_file) as work:
        found = [_build_referee_values(work, row) for row in players.list_all_referees(work.session)]
    rows = [(one, _build_referee_cells(one)) for one in found]
    headings = ("name", "address", "in-charge-of", "away")
    print_values(headings, rows, as_json, render_text("no-referees"))


def _build_referee_values(work: UnitOfWork, row: Referee) -> RefereeLine:
    matches, tournaments = players.list_assigned_codes(work.session, row.number)
    on_leave = row.away_until is not None and row.away_until >= work.today
    return {
        "name": row.name,
        "address": row.address,
        "language": row.language,
        "matches": matches,
        "tournaments": tournaments,
        "away_from": row.away_from if on_leave else None,
        "away_until": row.away_until if on_leave else None,
    }


def _build_referee_cells(values: RefereeLine) -> tuple[str, ...]:
    away = f"{values['away_from']} to {values['away_until']}" if values["away_until"] else ""
    return values["name"], values["address"], " ".join((*values["tournaments"], *values["matches"])), away


@click.command("set")
@click.argument("name", type=REFEREE)
@click.option("--name", "called", default=None, help="Another name.")
@click.option("--address", default=None, help="A new mail address, at once; it is told how to command.")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Language of the mails to this referee.")
@click.option("--renew", is_flag=True, help="Replace the secret addresses; the old ones stop working.")
@with_json_option("referee")
@click.pass_obj
def set_referee_settings(
    config_file: Path | None,
    name: str,
    called: str | None,
    address: str | None,
    language: str | None,
    renew: bool,
    as_json: bool,
) -> None:
    """Change the settings of a referee. NAME may be an address."""
    if not any((called, address, language, renew)):
        raise MisuseError("Name what to change; see --help.")
    _check_referee_name(called or "")
    with open_club(config_file) as work:
        row = staff.get_referee(work.session, name)
        RefereeRoster(work).change_referee(row, name=called, address=address, language=language, renew=renew)
        changed = _build_referee_values(work, row), f"{row.name}: {row.address}, {row.language}."
    print_rows([changed], as_json)


@click.command("remove")
@click.argument("name", type=REFEREE)
@click.pass_obj
def remove_named_referee(config_file: Path | None, name: str) -> None:
    """Remove a referee. Their matches go to the other referees named for them, or back to you."""
    with open_club(config_file) as work:
        row = staff.get_referee(work.session, name)
        called = row.name
        matches, tournaments = RefereeRoster(work).remove_referee(row)
    led = " ".join((*tournaments, *matches))
    say_lines(f"{called} is no referee any more{f' (was named for {led})' if led else ''}.")


@click.command("leave")
@click.argument("name", type=REFEREE)
@click.argument("first", required=False)
@click.argument("last", required=False)
@click.option("--cancel", is_flag=True, help="Delete the leave.")
@click.pass_obj
def set_leave_of_referee(
    config_file: Path | None, name: str, first: str | None, last: str | None, cancel: bool
) -> None:
    """Enter a referee's leave, from the day FIRST to the day LAST, e.g. 2026-12-24. Meanwhile the deputies decide, or
    else you."""
    if cancel == (first is not None):
        raise MisuseError("Name the first and the last day, or --cancel.")
    days = (parse_day(first), parse_day(last or first)) if first is not None else (None, None)
    with open_club(config_file) as work:
        row = staff.get_referee(work.session, name)
        RefereeRoster(work).set_leave(row, *days)
        say_lines(f"{row.name} is away from {days[0]} to {days[1]}." if days[0] else f"{row.name} is not away.")


@click.command("referee")
@click.argument("code", type=TOURNAMENT)
@click.argument("name", type=REFEREE, required=False)
@click.option("--deputy", type=REFEREE, default="", help="Who decides while the referee is away or plays.")
@with_json_option("charge")
@click.pass_obj
def name_tournament_referee(config_file: Path | None, code: str, name: str | None, deputy: str, as_json: bool) -> None:
    """Name the referee of a tournament. NAME decides in all its matches that have no referee of their own; `chief`
    takes that back. Without NAME: show who it is. What only the command line can decide stays with you."""
    with open_club(config_file) as work:
        row = get_tournament(work.session, code)
        _name_for_tournament(work, row, name or "", deputy=False)
        _name_for_tournament(work, row, deputy, deputy=True)
        first, second = (_get_referee_name(work, number) for number in (row.referee_id, row.deputy_id))
        values: InCharge = {"tournament": row.code, "referee": first, "deputy": second}
        said = f"Tournament {row.code}: referee {first or CHIEF}, deputy {second or CHIEF}."
    print_rows([(values, said)], as_json)


def _name_for_tournament(work: UnitOfWork, row: Tournament, name: str, deputy: bool) -> None:
    if name:
        found = None if name.casefold() == CHIEF else staff.get_referee(work.session, name)
        RefereeRoster(work).assign_referee(row, found, deputy)


def _get_referee_name(work: UnitOfWork, number: int | None) -> str | None:
    """Return the referee's name; None = the chief."""
    return None if number is None else work.session.get_one(Referee, number).name
