"""`moderator referee …` and `moderator cup referee`: who is in charge of matches besides the chief."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli import names
from moderator.cli.listing import Row, listed, printing
from moderator.paths import LANGUAGES

if TYPE_CHECKING:
    from moderator.cli.printed import RefereeLine
    from moderator.cli.printed_tournaments import InCharge
    from moderator.club.desk import Desk
    from moderator.store.models import Referee, Tournament

CHIEF = "chief"
"""In place of a name: nobody, so that the chief is in charge."""


@click.group()
def referee() -> None:
    """Referees: who is in charge of single matches or tournaments in your place."""


@referee.command("add")
@click.argument("name")
@click.argument("address")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Of the mails to this referee.")
@printing("referee")
@click.pass_obj
def add(config_file: Path | None, name: str, address: str, language: str | None, as_json: bool) -> None:
    """Enter NAME with mail ADDRESS. The next tick mails them how to command."""
    from moderator.cli.session import opened
    from moderator.play import refereeing

    _check_is_name(name)
    with opened(config_file) as desk:
        row = refereeing.add(desk, name, address, language or desk.config.club.language)
        said = f"{row.name} is a referee, with {row.address}; `moderator match referee CODE NAME` gives a match."
        added = _listed(desk, row)[0], said
    listed([added], as_json)


def _check_is_name(name: str) -> None:
    """Raises OperatorError for a word that stands for the chief where a referee is named."""
    from moderator.commands.moderator_call import HERE
    from moderator.errors import OperatorError
    from moderator.texts import heard, plain

    if plain(name) in heard(HERE, "boss-chief"):
        raise OperatorError(f"{name!r} means you, where a referee is named.", "Choose another name.")


@referee.command("list")
@printing("referee", lines=True)
@click.pass_obj
def list_referees(config_file: Path | None, as_json: bool) -> None:
    """All referees, with what they are named for."""
    from moderator.cli.session import opened
    from moderator.store import referees

    with opened(config_file) as desk:
        rows = [_listed(desk, row) for row in referees.every(desk.session)]
    listed(rows, as_json, otherwise="There is no referee besides you.")


def _listed(desk: Desk, row: Referee) -> Row:
    from moderator.store import referees

    matches, tournaments = referees.led(desk.session, row.number)
    on_leave = row.away_until is not None and row.away_until >= desk.today
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
@click.argument("name", type=names.REFEREE)
@click.option("--name", "called", default=None, help="Another name.")
@click.option("--address", default=None, help="A new mail address, at once; it is told how to command.")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Of the mails to this referee.")
@click.option(
    "--renew", is_flag=True, help="Other addresses to command and to answer; the old ones open nothing any more."
)
@printing("referee")
@click.pass_obj
def set_settings(
    config_file: Path | None,
    name: str,
    called: str | None,
    address: str | None,
    language: str | None,
    renew: bool,
    as_json: bool,
) -> None:
    """Change what is set for NAME (a name or an address)."""
    from moderator.cli.session import opened
    from moderator.play import refereeing

    if not any((called, address, language, renew)):
        raise click.UsageError("Name what to change; see --help.")
    _check_is_name(called or "")
    with opened(config_file) as desk:
        row = refereeing.find_referee(desk, name)
        refereeing.change(desk, row, name=called, address=address, language=language, renew=renew)
        changed = _listed(desk, row)[0], f"{row.name}: {row.address}, {row.language}."
    listed([changed], as_json)


@referee.command("remove")
@click.argument("name", type=names.REFEREE)
@click.pass_obj
def remove(config_file: Path | None, name: str) -> None:
    """NAME is no referee any more; the matches go to who else is named, or back to you."""
    from moderator.cli.session import opened
    from moderator.play import refereeing

    with opened(config_file) as desk:
        row = refereeing.find_referee(desk, name)
        called = row.name
        matches, tournaments = refereeing.remove(desk, row)
    led = " ".join((*tournaments, *matches))
    click.echo(f"{called} is no referee any more{f' (was named for {led})' if led else ''}.")


@referee.command("leave")
@click.argument("name", type=names.REFEREE)
@click.argument("first", required=False)
@click.argument("last", required=False)
@click.option("--cancel", is_flag=True, help="There is no leave.")
@click.pass_obj
def leave(config_file: Path | None, name: str, first: str | None, last: str | None, cancel: bool) -> None:
    """NAME is away from the day FIRST to the day LAST, e.g. 2026-12-24: the deputies are in charge, else you."""
    from moderator.cli.session import opened
    from moderator.play import refereeing

    if cancel == (first is not None):
        raise click.UsageError("Name the first and the last day, or --cancel.")
    from moderator.match.time.calendar import read_day

    days = (read_day(first), read_day(last or first)) if first is not None else (None, None)
    with opened(config_file) as desk:
        row = refereeing.find_referee(desk, name)
        refereeing.go_on_leave(desk, row, *days)
        click.echo(f"{row.name} is away from {days[0]} to {days[1]}." if days[0] else f"{row.name} is not away.")


@click.command("referee")
@click.argument("code", type=names.TOURNAMENT)
@click.argument("name", type=names.REFEREE, required=False)
@click.option("--deputy", type=names.REFEREE, default="", help="Who is in charge while the referee is away or plays.")
@printing("charge")
@click.pass_obj
def of_tournament(config_file: Path | None, code: str, name: str | None, deputy: str, as_json: bool) -> None:
    """Put NAME in charge of all matches of a tournament that have no referee of their own; `chief` takes it back.
    Without a name: who is. What only the command line can decide in a tournament stays with you."""
    from moderator.cli.session import opened
    from moderator.club.tournaments.rows import find_tournament

    with opened(config_file) as desk:
        row = find_tournament(desk.session, code)
        _name(desk, row, name or "", deputy=False)
        _name(desk, row, deputy, deputy=True)
        first, second = (_called(desk, number) for number in (row.referee_id, row.deputy_id))
        values: InCharge = {"tournament": row.code, "referee": first, "deputy": second}
        said = f"Tournament {row.code}: referee {first or CHIEF}, deputy {second or CHIEF}."
    listed([(values, said)], as_json)


def _name(desk: Desk, row: Tournament, name: str, deputy: bool) -> None:
    from moderator.play import refereeing

    if name:
        found = None if name.casefold() == CHIEF else refereeing.find_referee(desk, name)
        refereeing.name_for(desk, row, found, deputy)


def _called(desk: Desk, number: int | None) -> str | None:
    """None = the chief."""
    from moderator.store.models import Referee

    return None if number is None else desk.session.get_one(Referee, number).name
