"""`moderator referee …` and `moderator cup referee`: who is in charge of matches besides the chief."""

from __future__ import annotations

from pathlib import Path

import click

from moderator.cli import session
from moderator.cli.group import Row, print_rows, with_json_option
from moderator.cli.json_types import RefereeLine
from moderator.cli.printed_tournaments import InCharge
from moderator.cli.session import open_club
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


@click.group()
def referee() -> None:
    """Referees: who is in charge of single matches or tournaments in your place."""


@referee.command("add")
@click.argument("name")
@click.argument("address")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Of the mails to this referee.")
@with_json_option("referee")
@click.pass_obj
def add_named_referee(config_file: Path | None, name: str, address: str, language: str | None, as_json: bool) -> None:
    """Enter NAME with mail ADDRESS. The next tick mails them how to command."""
    _check_referee_name(name)
    with open_club(config_file) as work:
        row = RefereeRoster(work).add_referee(name, address, language or work.config.club.language)
        said = f"{row.name} is a referee, with {row.address}; `moderator match referee CODE NAME` gives a match."
        added = _build_referee_row(work, row)[0], said
    print_rows([added], as_json)


def _check_referee_name(name: str) -> None:
    """Check that a word does not stand for the chief where a referee is named. Raises OperatorError."""
    if normalize_spelling(name) in load_synonyms(HERE, "boss-chief"):
        raise OperatorError(f"{name!r} means you, where a referee is named.", "Choose another name.")


@referee.command("list")
@with_json_option("referee", lines=True)
@click.pass_obj
def print_referees(config_file: Path | None, as_json: bool) -> None:
    """All referees, with what they are named for."""
    with open_club(config_file) as work:
        rows = [_build_referee_row(work, row) for row in players.list_all_referees(work.session)]
    print_rows(rows, as_json, otherwise="There is no referee besides you.")


def _build_referee_row(work: UnitOfWork, row: Referee) -> Row:
    matches, tournaments = players.list_assigned_codes(work.session, row.number)
    on_leave = row.away_until is not None and row.away_until >= work.today
    values: RefereeLine = {
        "name": row.name,
        "address": row.address,
        "language": row.language,
        "matches": matches,
        "tournaments": tournaments,
        "away_from": row.away_from if on_leave else None,
        "away_until": row.away_until if on_leave else None,
    }
    away = f"away {row.away_from} to {row.away_until}" if on_leave else ""
    return values, f"{row.name:<24} {row.address:<32} {' '.join((*tournaments, *matches)):<24} {away}".rstrip()


@referee.command("set")
@click.argument("name", type=session.REFEREE)
@click.option("--name", "called", default=None, help="Another name.")
@click.option("--address", default=None, help="A new mail address, at once; it is told how to command.")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Of the mails to this referee.")
@click.option(
    "--renew", is_flag=True, help="Other addresses to command and to answer; the old ones open nothing any more."
)
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
    """Change what is set for NAME (a name or an address)."""
    if not any((called, address, language, renew)):
        raise click.UsageError("Name what to change; see --help.")
    _check_referee_name(called or "")
    with open_club(config_file) as work:
        row = staff.get_referee(work.session, name)
        RefereeRoster(work).change_referee(row, name=called, address=address, language=language, renew=renew)
        changed = _build_referee_row(work, row)[0], f"{row.name}: {row.address}, {row.language}."
    print_rows([changed], as_json)


@referee.command("remove")
@click.argument("name", type=session.REFEREE)
@click.pass_obj
def remove_named_referee(config_file: Path | None, name: str) -> None:
    """NAME is no referee any more; the matches go to who else is named, or back to you."""
    with open_club(config_file) as work:
        row = staff.get_referee(work.session, name)
        called = row.name
        matches, tournaments = RefereeRoster(work).remove_referee(row)
    led = " ".join((*tournaments, *matches))
    click.echo(f"{called} is no referee any more{f' (was named for {led})' if led else ''}.")


@referee.command("leave")
@click.argument("name", type=session.REFEREE)
@click.argument("first", required=False)
@click.argument("last", required=False)
@click.option("--cancel", is_flag=True, help="There is no leave.")
@click.pass_obj
def set_leave_of_referee(
    config_file: Path | None, name: str, first: str | None, last: str | None, cancel: bool
) -> None:
    """NAME is away from the day FIRST to the day LAST, e.g. 2026-12-24: the deputies are in charge, else you."""
    if cancel == (first is not None):
        raise click.UsageError("Name the first and the last day, or --cancel.")
    days = (parse_day(first), parse_day(last or first)) if first is not None else (None, None)
    with open_club(config_file) as work:
        row = staff.get_referee(work.session, name)
        RefereeRoster(work).set_leave(row, *days)
        click.echo(f"{row.name} is away from {days[0]} to {days[1]}." if days[0] else f"{row.name} is not away.")


@click.command("referee")
@click.argument("code", type=session.TOURNAMENT)
@click.argument("name", type=session.REFEREE, required=False)
@click.option("--deputy", type=session.REFEREE, default="", help="Who is in charge while the referee is away or plays.")
@with_json_option("charge")
@click.pass_obj
def name_tournament_referee(config_file: Path | None, code: str, name: str | None, deputy: str, as_json: bool) -> None:
    """Put NAME in charge of all matches of a tournament that have no referee of their own; `chief` takes it back.
    Without a name: who is. What only the command line can decide in a tournament stays with you."""
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
