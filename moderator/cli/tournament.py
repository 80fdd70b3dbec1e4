"""`moderator cup …`: tournaments: set one up, who takes part, begin, files. How they stand: tournament_show.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import click

from moderator.cli import club_names
from moderator.cli.group import print_rows, print_values, with_json_option
from moderator.cli.session import (
    format_club_time,
    open_club,
    parse_end_day,
    parse_start_day,
    parse_typed_option,
    parse_typed_setting,
    with_usage_errors,
)
from moderator.cli.texts import MisuseError, render_text, say_lines, translate_text
from moderator.cli.tournament_show import PrintedTournament
from moderator.commands.player.leave import parse_extension
from moderator.common.enums import EntryState, GameKind, TournamentStatus
from moderator.common.errors import OperatorError, PlayerError
from moderator.common.text import count_noun
from moderator.games import REGISTRY
from moderator.service.create import get_player
from moderator.service.notify import notify_match_events
from moderator.service.tournaments import exchange, registration
from moderator.service.tournaments.club_tournament import ClubTournament, EntrantWithdrawal
from moderator.settings import Config
from moderator.store import tournaments
from moderator.store.tables import Tournament, TournamentEntry
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import REGISTRY as FORMATS
from moderator.views.loaded_match import MatchSuspended
from moderator.views.tournament_rows import get_tournament

CODE = click.argument("code", type=club_names.TOURNAMENT)
YES = click.option("--yes", is_flag=True, help="Don't ask.")


@contextmanager
def open_named_tournament(config_file: Path | None, code: str) -> Iterator[ClubTournament]:
    """Open the club and the tournament, in one transaction. Raises OperatorError where a match is suspended."""
    with open_club(config_file) as work:
        try:
            yield ClubTournament(work, get_tournament(work.session, code))
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error


@click.command("withdraw")
@CODE
@click.argument("player", type=club_names.PLAYER)
@YES
@click.pass_obj
def withdraw_named_player(config_file: Path | None, code: str, player: str, yes: bool) -> None:
    """Take a player out; their open games are given up."""
    # Asked between two transactions, so that nobody waits for the answer but us.
    with open_named_tournament(config_file, code) as stored:
        coming = stored.preview_withdrawal(player)
    if not yes:
        click.confirm(translate_text(_describe_withdrawal(coming)), abort=True)
    with open_named_tournament(config_file, code) as stored:
        done = stored.take_out_entrant(player)
        notify_match_events(stored.work)
    say_lines(f"{done.name} is out of {stored.row.code}{f'; games given up: {done.open}' if done.open else ''}.")


def _describe_withdrawal(coming: EntrantWithdrawal) -> str:
    if coming.open:
        more = " Fewer than half of the games are finished, so that none of them will count." if coming.void else ""
        return f"{coming.name} gives up {count_noun(coming.open, 'open game')}.{more} Go on?"
    return f"{coming.name} has no open game in it. Go on?"


@click.command("pair")
@CODE
@click.option("--dry-run", is_flag=True, help="Show the next round's pairings; nothing changes.")
@click.option("--rematches", is_flag=True, help="Allow two players to meet again in this round.")
@click.option("--bye", "byes", multiple=True, help="Give this player a bye, worth a point; repeatable.")
@click.option("--end", is_flag=True, help="End the tournament with the last round that was paired.")
@click.pass_obj
def pair_named_round(
    config_file: Path | None, code: str, dry_run: bool, rematches: bool, byes: tuple[str, ...], end: bool
) -> None:
    """Decide about a round that cannot be paired. Without options, the next tick tries again."""
    if dry_run + end + (rematches or bool(byes)) > 1:
        raise MisuseError("--dry-run, --end and --rematches or --bye go each by themselves.")
    with open_named_tournament(config_file, code) as stored:
        if dry_run:
            lines = [
                line
                for division, (t, games) in stored.preview_next_round().items()
                for line in _iter_pairing_lines(stored, division, t, games)
            ]
        elif end:
            stored.end_after_round()
            lines = [f"{stored.row.code} ends with round {stored.row.round}; tick sends the final report."]
        elif rematches or byes:
            number = stored.pair_round_by_hand(rematches=rematches, byes=byes)
            lines = [f"Round {number} of {stored.row.code} is paired; the next tick deals and mails."]
        else:
            stored.retry_troubled_step()
            lines = [f"The next tick tries {stored.row.code} again."]
    say_lines("\n".join(lines))


def _iter_pairing_lines(
    stored: ClubTournament, division: int, t: TournamentState, games: Sequence[Game]
) -> Iterator[str]:
    names = {one.number: one.name for one in t.entrants}
    if stored.format.divisions:
        yield f"Division {division}"
    for game in games:
        who = " - ".join(names[number] for number in game.seats)
        end = {GameKind.BYE: "  bye", GameKind.FORFEIT: "  decided without play"}.get(game.kind, "")
        yield f"{game.round:>3}.{game.table:<3} {who}{end}"


@click.command("extend")
@CODE
@click.argument("days", nargs=-1, required=True)
@click.pass_obj
def extend_latest_ends(config_file: Path | None, code: str, days: tuple[str, ...]) -> None:
    """Move the latest end of the open games. DAYS is `3`, `2 weeks` or `until 2026-12-12`. All players are told."""
    with open_named_tournament(config_file, code) as stored:
        ends = stored.extend_open_games(_parse_days(" ".join(days), stored.work.today))
        say_lines(f"Latest end of {stored.row.code}: {format_club_time(ends, stored.work.config)}.")


def _parse_days(text: str, today: date) -> int | date:
    """Return so many days, or the last day. Raises OperatorError."""
    try:
        return parse_extension(text, today)
    except PlayerError:
        raise OperatorError(
            f"“{text}” is no number of days.", "Possible: `3`, `2 weeks`, `until 2026-12-12`."
        ) from None


@click.command("adjudicate", context_settings={"ignore_unknown_options": True})
@CODE
@click.argument("match", type=club_names.ANY_MATCH)
@click.argument("result", nargs=-1, required=True)
@click.option("--reopen", is_flag=True, help="Also if the tournament has gone on with the old result, or is over.")
@click.option("--why", default="", help="The reason; the players read it.")
@click.pass_obj
def adjudicate_named_game(
    config_file: Path | None, code: str, match: str, result: tuple[str, ...], reopen: bool, why: str
) -> None:
    """Set the result of a game, running or over. RESULT is 1-0, ½-½ or 0-1, a score such as 310:250 in seat order, or
    +-- (decided without play: ratings do not change). A running match ends with it. If the match was over, everybody
    is told the old and the new result; setting the first result again takes the correction back."""
    with open_named_tournament(config_file, code) as stored:
        names, rated = stored.adjudicate_game(match, " ".join(result), reopen, why)
        notify_match_events(stored.work)
    if rated:
        hint = "`+--`, `--+` or `---` is a result without play, which moves none"
        say_lines(f"moderator: Nobody has moved in this game, and the ratings move all the same; {hint}.", err=True)
    say_lines(f"{' - '.join(names)}: {' '.join(result)}. The table of {stored.row.code} has it.")


@click.command("cancel")
@CODE
@YES
@click.pass_obj
def cancel_named_tournament(config_file: Path | None, code: str, yes: bool) -> None:
    """End a tournament without a result. Its running matches go on as ordinary ones, and everybody gets a mail. An
    imported tournament leaves the archive."""
    with open_named_tournament(config_file, code) as stored:
        stored.require_cancellable()
        name = f"{stored.row.code} ({stored.row.name})"
    if not yes:
        click.confirm(translate_text(f"Cancel {name} for good?"), abort=True)
    with open_named_tournament(config_file, code) as stored:
        codes = stored.cancel_tournament()
    say_lines(f"{stored.row.code} is cancelled.{_format_released_matches(codes)}")


@click.command("finish")
@CODE
@click.option("--anyway", is_flag=True, help="Also while games are running; they go on as ordinary ones.")
@click.pass_obj
def finish_named_ladder(config_file: Path | None, code: str, anyway: bool) -> None:
    """End a ladder as it stands. Everybody gets the final report."""
    with open_named_tournament(config_file, code) as stored:
        codes = stored.finish_endless_tournament(anyway)
    say_lines(f"{stored.row.code} is finished.{_format_released_matches(codes)}")


def _format_released_matches(codes: list[str]) -> str:
    return f" These matches go on as ordinary ones: {', '.join(codes)}." if codes else ""


@click.command("add", epilog="Settings and formats: docs/run/tournaments.md. Options of a game: its RULES.md.")
@click.argument("name")
@click.option("--game", type=click.Choice(list(REGISTRY)), help="The game that is played.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="The format, see `cup formats`.")
@click.option("--set", "settings", multiple=True, help="A setting, e.g. --set rounds=5. Repeatable.")
@click.option("-o", "--option", "options", multiple=True, help="A game option, e.g. -o target=200. Repeatable.")
@click.option("--term", "terms", multiple=True, help="A time rule of its matches, e.g. --term days=5. Repeatable.")
@click.option("--opens", default="", help="The day on which the registration opens. [default: with `cup open`]")
@click.option(
    "--closes", default="", help="The day on which it closes, at the hour of the deadlines. [default: `cup start`]"
)
@click.option(
    "--seed", type=int, default=None, help="A whole number that all lots are drawn from. [default: a random one]"
)
@click.option("--after", "previous", default="", help="The season of a league that this one follows, e.g. T2.")
@with_json_option("tournament")
@click.pass_obj
def set_up_tournament(
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
    """Set up a tournament. With --after it is like the season before except for what you set, and everybody who
    finished that season is entered."""
    own: dict[str, Any] = {
        "options": dict(map(parse_typed_option, options)),
        "terms": dict(map(parse_typed_option, terms)),
        "settings": dict(map(parse_typed_setting, settings)),
    }
    with open_club(config_file) as work:
        times: dict[str, Any] = {
            "opens_at": parse_start_day(opens, work.config) if opens else None,
            "closes_at": parse_end_day(closes, work.config, work.now) if closes else None,
        }
        if previous:
            before = get_tournament(work.session, previous)
            with with_usage_errors():
                made = ClubTournament(work, before).create_next_season(name, own, game=game, format_key=form, **times)
        elif game is None or form is None:
            raise MisuseError("Name a --game and a --format (or a season that it follows: --after T2).")
        else:
            with with_usage_errors():
                made = registration.create_tournament(work, name, game, form, **own, **times, seed=seed)
        row = (
            PrintedTournament(work, made).build_values(),
            f"Tournament {made.code} ({made.name}) is set up. {_describe_opening(work.config, made)}",
        )
    print_rows([row], as_json)


def _describe_opening(config: Config, made: Tournament) -> str:
    ends = f" It ends {format_club_time(made.closes_at, config)}." if made.closes_at else ""
    if made.opens_at is None:
        return f"`moderator cup open {made.code} --until DATE` opens the registration."
    return f"The registration opens {format_club_time(made.opens_at, config)}.{ends}"


@click.command("open")
@CODE
@click.option("--until", default="", help="The day on which it closes, at the hour of the deadlines.")
@with_json_option("tournament")
@click.pass_obj
def open_named_registration(config_file: Path | None, code: str, until: str, as_json: bool) -> None:
    """Open the registration, or keep it open longer. The next tick mails all players of the club."""
    with open_named_tournament(config_file, code) as stored:
        stored.open_registration_now(parse_end_day(until, stored.work.config, stored.work.now) if until else None)
        ends = format_club_time(stored.row.closes_at, stored.work.config) or f"`moderator cup start {stored.row.code}`"
        said = f"The registration of {stored.row.code} is open until {ends}; the next tick sends the mails."
        opening = PrintedTournament(stored.work, stored.row).build_values(), said
    print_rows([opening], as_json)


@click.command("join")
@CODE
@click.argument("players", nargs=-1, required=True, type=club_names.PLAYER)
@click.pass_obj
def enter_named_players(config_file: Path | None, code: str, players: tuple[str, ...]) -> None:
    """Enter PLAYERS (names or addresses). In a tournament that is running they play from the next round (Swiss), get a
    game against everybody (round robin), or start on the lowest rung (ladder)."""
    with open_named_tournament(config_file, code) as stored:
        lines = []
        for player in [get_player(stored.work.session, name) for name in players]:
            if stored.row.status == TournamentStatus.RUNNING and stored.format.round_robin:
                games = stored.join_round_robin(player)
                lines.append(f"{player.name} plays {count_noun(len(games), 'game')}, which the next tick deals.")
            else:
                lines.append(f"{_describe_entry(stored, player.name, stored.enter_player(player))}.")
    say_lines("\n".join(lines))


def _describe_entry(stored: ClubTournament, name: str, entry: TournamentEntry) -> str:
    if entry.state == EntryState.STANDBY:
        return f"{name} is on the standby list, number {stored.compute_standby_place(entry)}"
    if stored.row.status == TournamentStatus.RUNNING:
        return (
            f"{name} plays from round {entry.joined} on" if stored.format.in_rounds else f"{name} is on the lowest rung"
        )
    return f"{name} is in"


@click.command("start")
@CODE
@click.option("--anyway", is_flag=True, help="Also with fewer entrants than least.")
@with_json_option("tournament")
@click.pass_obj
def start_named_tournament(config_file: Path | None, code: str, anyway: bool, as_json: bool) -> None:
    """Close the registration and start; the next tick pairs, deals and mails."""
    with open_named_tournament(config_file, code) as stored:
        count = stored.start_tournament_now(anyway)
        begins = (
            PrintedTournament(stored.work, stored.row).build_values(),
            f"{stored.row.code} begins with {count_noun(count, 'entrant')} at the next tick.",
        )
    print_rows([begins], as_json)


@click.command("list")
@click.option("--all", "everything", is_flag=True, help="Include finished and cancelled ones.")
@with_json_option("tournament", lines=True)
@click.pass_obj
def print_tournaments(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """List the tournaments that are planned, open or running."""
    with open_club(config_file) as work:
        session = work.session
        found = (
            tournaments.list_all_tournaments(session)
            if everything
            else tournaments.list_tournaments_in_states(session, tournaments.GOING)
        )
        printed = [PrintedTournament(work, row) for row in found]
        rows = [(one.build_values(), one.build_cells()) for one in printed]
    headings = ("code", "format", "game", "name", "status", "entrants", "now")
    print_values(headings, rows, as_json, render_text("no-tournaments"))


# ---- tournaments as TRF and CSV files ----


@click.command("export")
@CODE
@click.option("--trf", type=click.Path(path_type=Path, dir_okay=False), help="A tournament report (two seats only).")
@click.option("--csv", "folder", type=click.Path(path_type=Path, file_okay=False), help="Entrants and games as tables.")
@click.option("--division", type=int, default=None, help="League only: the division to put into the TRF.")
@click.pass_obj
def export_tournament_files(
    config_file: Path | None, code: str, trf: Path | None, folder: Path | None, division: int | None
) -> None:
    """Write a tournament into files, as it stands."""
    if trf is None and folder is None:
        raise MisuseError("Name --trf FILE or --csv FOLDER.")
    files: dict[Path, str] = {}
    with open_named_tournament(config_file, code) as stored:
        if trf is not None:
            files[trf] = exchange.format_tournament_trf(stored, division)
        if folder is not None:
            files |= {folder / name: text for name, text in exchange.format_tournament_csv(stored).items()}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        say_lines(f"Wrote {path}.")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--name", required=True, help="Name of the tournament.")
@click.option("--game", type=click.Choice(list(REGISTRY)), required=True, help="The game that was played.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="Format, if the file does not say it.")
@click.option("--set", "settings", multiple=True, help="A setting that the file does not have, e.g. --set legs=1.")
@click.option("--ended", default="", help="The day it ended. [default: today]")
@with_json_option("tournament")
@click.pass_obj
def import_tournament_files(
    config_file: Path | None,
    path: Path,
    name: str,
    game: str,
    form: str | None,
    settings: tuple[str, ...],
    ended: str,
    as_json: bool,
) -> None:
    """Import a finished tournament into the archive. PATH is a TRF file, or a folder with entrants.csv and games.csv.
    All entrants must be players here. Ratings do not change."""
    found = exchange.read_tournament_files(path, form)
    with open_club(config_file) as work:
        when = parse_end_day(ended, work.config) if ended else work.now
        with with_usage_errors():
            made = exchange.store_finished_tournament(
                work, name, game, found, when, dict(map(parse_typed_setting, settings))
            )
        count = sum(len(t.entrants) for t in found)
        said = f"Tournament {made.code} ({made.name}) is in the archive: {count_noun(count, 'entrant')}."
        row = PrintedTournament(work, made).build_values(), said
    print_rows([row], as_json)
