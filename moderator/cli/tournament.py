"""`moderator cup …`: tournaments: set one up, who takes part, begin, files. Once it runs, see tournament_run.py."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moderator.cli import names, referee, tournament_run, tournament_show
from moderator.cli.listing import listed, printing
from moderator.cli.session import read_option, read_setting, typed_values
from moderator.cli.tournament_show import listed_tournament
from moderator.games import REGISTRY
from moderator.states import EntryState, TournamentStatus
from moderator.tournaments.formats import REGISTRY as FORMATS
from moderator.tournaments.formats import of

if TYPE_CHECKING:
    from moderator.club.desk import Desk
    from moderator.store.models import Tournament, TournamentEntry

CODE = click.argument("code", type=names.TOURNAMENT)


@click.group("cup")
def tournament() -> None:
    """Tournaments: set one up, run it, look at it. Everything between is done by tick."""


for command in (*tournament_run.COMMANDS, *tournament_show.COMMANDS, referee.of_tournament):
    tournament.add_command(command)


@tournament.command("new", epilog="Settings and formats: docs/tournaments.md. Options of a game: its RULES.md.")
@click.argument("name")
@click.option("--game", type=click.Choice(list(REGISTRY)), help="What is played.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="How it is played.")
@click.option("--set", "settings", multiple=True, help="A setting, e.g. --set rounds=5. Repeatable.")
@click.option("-o", "--option", "options", multiple=True, help="A game option, e.g. -o target=200. Repeatable.")
@click.option("--term", "terms", multiple=True, help="A time rule of its matches, e.g. --term days=5. Repeatable.")
@click.option("--opens", default="", help="The day on which the registration opens. [default: with `cup open`]")
@click.option("--closes", default="", help="The day on which it ends, at the hour of the ZAT. [default: `cup start`]")
@click.option("--seed", type=int, default=None, help="A whole number, from which all lots come. [default: drawn]")
@click.option("--after", "previous", default="", help="The season of a league that this one follows, e.g. T2.")
@printing("tournament")
@click.pass_obj
def new(
    config_file: Path | None,
    name: str,
    game: str | None,
    form: str | None,
    settings: tuple[str, ...],
    options: tuple[str, ...],
    terms: tuple[str, ...],
    opens: str,
    closes: str,
    seed: int | None,
    previous: str,
    as_json: bool,
) -> None:
    """Set up a tournament. With --after everything is as in the season before but for what you say, and whoever played
    to its end is in."""
    from moderator.cli.session import end_of, opened, start_of
    from moderator.club.tournaments.rows import find_tournament
    from moderator.play.tournaments import registration, season

    own: dict[str, Any] = {
        "options": dict(map(read_option, options)),
        "terms": dict(map(read_option, terms)),
        "settings": dict(map(read_setting, settings)),
    }
    with opened(config_file) as desk:
        times: dict[str, Any] = {
            "opens_at": start_of(opens, desk.config) if opens else None,
            "closes_at": end_of(closes, desk.config, desk.now) if closes else None,
        }
        if previous:
            before = find_tournament(desk.session, previous)
            with typed_values():
                made = season.follow(desk, before, name, own, game=game, format=form, **times)
        elif game is None or form is None:
            raise click.UsageError("Name a --game and a --format (or a season that it follows: --after T2).")
        else:
            with typed_values():
                made = registration.new_tournament(desk, name, game, form, **own, **times, seed=seed)
        row = listed_tournament(desk, made)[0], f"Tournament {made.code} ({made.name}) is set up. {_next(desk, made)}"
    listed([row], as_json)


def _next(desk: Desk, made: Tournament) -> str:
    from moderator.cli.session import shown

    ends = f" It ends {shown(made.closes_at, desk.config)}." if made.closes_at else ""
    if made.opens_at is None:
        return f"`moderator cup open {made.code} --until DATE` opens the registration."
    return f"The registration opens {shown(made.opens_at, desk.config)}.{ends}"


@tournament.command("open")
@CODE
@click.option("--until", default="", help="The day on which the registration ends, at the hour of the ZAT.")
@printing("tournament")
@click.pass_obj
def open_(config_file: Path | None, code: str, until: str, as_json: bool) -> None:
    """Open the registration now, or prolong it. The next tick mails all players of the club."""
    from moderator.cli.session import end_of, opened, shown
    from moderator.club.tournaments.rows import find_tournament
    from moderator.play.tournaments import decisions

    with opened(config_file) as desk:
        row = find_tournament(desk.session, code)
        decisions.open_now(desk, row, end_of(until, desk.config, desk.now) if until else None)
        ends = shown(row.closes_at, desk.config) or f"`moderator cup start {row.code}`"
        said = f"The registration of {row.code} is open until {ends}; the next tick sends the mails."
        opening = listed_tournament(desk, row)[0], said
    listed([opening], as_json)


@tournament.command("join")
@CODE
@click.argument("players", nargs=-1, required=True, type=names.PLAYER)
@click.pass_obj
def join(config_file: Path | None, code: str, players: tuple[str, ...]) -> None:
    """Enter PLAYERS (names or addresses), also into a running tournament: a Swiss one from its next round on, a round
    robin with a game against everybody, a ladder on the lowest rung."""
    from moderator.cli.session import opened
    from moderator.club.tournaments.rows import find_tournament
    from moderator.play.create import find_player
    from moderator.play.tournaments import registration

    with opened(config_file) as desk:
        row = find_tournament(desk.session, code)
        lines = []
        for player in [find_player(desk.session, name) for name in players]:
            if row.status == TournamentStatus.RUNNING and of(row).round_robin:
                games = registration.join_robin(desk, row, player)
                lines.append(f"{player.name} plays {len(games)} games, which the next tick deals.")
            else:
                lines.append(f"{player.name} {_joined(desk, row, registration.enter(desk, row, player))}.")
    click.echo("\n".join(lines))


def _joined(desk: Desk, row: Tournament, entry: TournamentEntry) -> str:
    if entry.state == EntryState.STANDBY:
        from moderator.club.tournaments import rows

        waiting = rows.standby(desk.session, row)
        return f"is on the standby list, number {1 + [one.number for _, one in waiting].index(entry.player_id)}"
    if row.status == TournamentStatus.RUNNING:
        return f"plays from round {entry.joined} on" if of(row).in_rounds else "is on the lowest rung"
    return "is in"


@tournament.command("start")
@CODE
@click.option("--anyway", is_flag=True, help="Also with fewer entrants than least.")
@printing("tournament")
@click.pass_obj
def start(config_file: Path | None, code: str, anyway: bool, as_json: bool) -> None:
    """End the registration now; the next tick numbers the entrants, pairs, deals and mails."""
    from moderator.cli.session import opened
    from moderator.club.tournaments.rows import find_tournament
    from moderator.play.tournaments import decisions

    with opened(config_file) as desk:
        row = find_tournament(desk.session, code)
        count = decisions.start_now(desk, row, anyway)
        begins = listed_tournament(desk, row)[0], f"{row.code} begins with {count} entrants at the next tick."
    listed([begins], as_json)


@tournament.command("list")
@click.option("--all", "everything", is_flag=True, help="Finished and cancelled ones, too.")
@printing("tournament", lines=True)
@click.pass_obj
def list_tournaments(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """Tournaments: code, format, game, name, how far they are, what they wait for."""
    from moderator.cli.session import opened
    from moderator.store import tournaments

    with opened(config_file) as desk:
        session = desk.session
        found = tournaments.every(session) if everything else tournaments.in_states(session, tournaments.GOING)
        listed((listed_tournament(desk, row) for row in found), as_json)


# ---- tournaments as TRF and CSV files ----


@tournament.command("export")
@click.argument("code", type=names.TOURNAMENT)
@click.option("--trf", type=click.Path(path_type=Path, dir_okay=False), help="A tournament report (two seats only).")
@click.option("--csv", "folder", type=click.Path(path_type=Path, file_okay=False), help="Entrants and games as tables.")
@click.option("--division", type=int, default=None, help="Of a league: which one goes into the TRF.")
@click.pass_obj
def export(config_file: Path | None, code: str, trf: Path | None, folder: Path | None, division: int | None) -> None:
    """Write a tournament as it stands into files."""
    from moderator.cli.session import opened
    from moderator.club.tournaments.rows import find_tournament
    from moderator.play.tournaments import exchange

    if trf is None and folder is None:
        raise click.UsageError("Name --trf FILE or --csv FOLDER.")
    files: dict[Path, str] = {}
    with opened(config_file) as desk:
        row = find_tournament(desk.session, code)
        if trf is not None:
            files[trf] = exchange.as_trf(desk.session, row, division)
        if folder is not None:
            files |= {folder / name: text for name, text in exchange.as_csv(desk.session, row).items()}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"Wrote {path}.")


@tournament.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="Of the tournament.")
@click.option("--game", type=click.Choice(list(REGISTRY)), required=True, help="What was played.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="Where the file does not say it.")
@click.option("--set", "settings", multiple=True, help="A setting that the file does not say, e.g. --set legs=1.")
@click.option("--ended", default="", help="The day it ended. [default: today]")
@printing("tournament")
@click.pass_obj
def import_(
    config_file: Path | None,
    path: Path,
    name: str,
    game: str,
    form: str | None,
    settings: tuple[str, ...],
    ended: str,
    as_json: bool,
) -> None:
    """Take a finished tournament into the archive: a TRF, or a folder with entrants.csv and games.csv. Everybody in it
    must be a player. Ratings stay as they are."""
    from moderator.cli.session import end_of, opened
    from moderator.play.tournaments import exchange

    found = exchange.read(path, form)
    with opened(config_file) as desk:
        when = end_of(ended, desk.config) if ended else desk.now
        with typed_values():
            made = exchange.store(desk, name, game, found, when, dict(map(read_setting, settings)))
        count = sum(len(t.entrants) for t in found)
        said = f"Tournament {made.code} ({made.name}) is in the archive: {count} entrants."
        row = listed_tournament(desk, made)[0], said
    listed([row], as_json)
