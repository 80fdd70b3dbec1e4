"""`moderator cup …` for a tournament that runs: withdrawals, pairings, latest ends, rulings, the end of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli import names
from moderator.common.enums import GameKind
from moderator.common.errors import OperatorError, PlayerError
from moderator.tournaments.formats import get_format

if TYPE_CHECKING:
    from moderator.service.desk import Desk
    from moderator.service.tournaments.decisions import EntrantWithdrawal
    from moderator.store.tables import Tournament
    from moderator.tournaments.field import Game, TournamentState

CODE = click.argument("code", type=names.TOURNAMENT)
YES = click.option("--yes", is_flag=True, help="Don't ask.")


@contextmanager
def open_named_tournament(config_file: Path | None, code: str) -> Iterator[tuple[Desk, Tournament]]:
    """Open a desk and the tournament, in one transaction. Raises OperatorError where a match is suspended."""
    from moderator.cli.session import open_club
    from moderator.views.loaded_match import MatchSuspended
    from moderator.views.tournament_rows import get_tournament

    with open_club(config_file) as desk:
        try:
            yield desk, get_tournament(desk.session, code)
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error


@click.command("withdraw")
@CODE
@click.argument("player", type=names.PLAYER)
@YES
@click.pass_obj
def withdraw_named_player(config_file: Path | None, code: str, player: str, yes: bool) -> None:
    """Take PLAYER out of a tournament; open games of theirs in it are given up."""
    from moderator.service.notify import build_notifications
    from moderator.service.tournaments import decisions

    # Asked between two transactions, so that nobody waits for the answer but us.
    with open_named_tournament(config_file, code) as (desk, row):
        coming = decisions.preview_withdrawal(desk, row, player)
    if not yes:
        click.confirm(_describe_withdrawal(coming), abort=True)
    with open_named_tournament(config_file, code) as (desk, row):
        done = decisions.take_out_entrant(desk, row, player)
        build_notifications(desk)
    click.echo(f"{done.name} is out of {row.code}{f'; games given up: {done.open}' if done.open else ''}.")


def _describe_withdrawal(coming: EntrantWithdrawal) -> str:
    if coming.open:
        more = " Fewer than half of the games are finished, so that none of them will count." if coming.void else ""
        return f"{coming.name} gives up {coming.open} open games.{more} Go on?"
    return f"{coming.name} has no open game in it. Go on?"


@click.command("pair")
@CODE
@click.option("--dry-run", is_flag=True, help="Print the pairings of the next round; nothing changes.")
@click.option("--rematches", is_flag=True, help="Two may meet again in this round.")
@click.option("--bye", "byes", multiple=True, help="This player has a bye, worth a point. Repeatable.")
@click.option("--end", is_flag=True, help="The tournament ends with the round that was paired last.")
@click.pass_obj
def pair_named_round(
    config_file: Path | None, code: str, dry_run: bool, rematches: bool, byes: tuple[str, ...], end: bool
) -> None:
    """What shall become of a round that cannot be paired; without options tick tries once more."""
    from moderator.service.tournaments import decisions

    if dry_run + end + (rematches or bool(byes)) > 1:
        raise click.UsageError("--dry-run, --end and --rematches or --bye go each by themselves.")
    with open_named_tournament(config_file, code) as (desk, row):
        if dry_run:
            lines = [
                line
                for division, (t, games) in decisions.preview_next_round(desk, row).items()
                for line in _iter_pairing_lines(row, division, t, games)
            ]
        elif end:
            decisions.end_after_round(desk, row)
            lines = [f"{row.code} ends with round {row.round}; tick sends the final report."]
        elif rematches or byes:
            number = decisions.pair_round_by_hand(desk, row, rematches=rematches, byes=byes)
            lines = [f"Round {number} of {row.code} is paired; the next tick deals and mails."]
        else:
            decisions.retry_troubled_step(desk, row)
            lines = [f"The next tick tries {row.code} again."]
    click.echo("\n".join(lines))


def _iter_pairing_lines(row: Tournament, division: int, t: TournamentState, games: Sequence[Game]) -> Iterator[str]:
    names = {one.number: one.name for one in t.entrants}
    if get_format(row).divisions:
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
    """Put the latest end of the open games off by DAYS: `3`, `2 weeks` or `until 2026-12-12`; everybody gets a mail."""
    from moderator.cli.session import format_club_time
    from moderator.service.tournaments import decisions

    with open_named_tournament(config_file, code) as (desk, row):
        ends = decisions.extend_open_games(desk, row, _parse_days(" ".join(days), desk.today))
        click.echo(f"Latest end of {row.code}: {format_club_time(ends, desk.config)}.")


def _parse_days(text: str, today: date) -> int | date:
    """Return so many days, or the last day. Raises OperatorError."""
    from moderator.commands.player.leave import parse_extension

    try:
        return parse_extension(text, today)
    except PlayerError:
        raise OperatorError(
            f"“{text}” is no number of days.", "Possible: `3`, `2 weeks`, `until 2026-12-12`."
        ) from None


@click.command("adjudicate", context_settings={"ignore_unknown_options": True})
@CODE
@click.argument("match", type=names.ANY_MATCH)
@click.argument("result", nargs=-1, required=True)
@click.option("--reopen", is_flag=True, help="Also where the tournament has gone on with the result, or is over.")
@click.option("--why", default="", help="A reason, for the players.")
@click.pass_obj
def adjudicate_named_game(
    config_file: Path | None, code: str, match: str, result: tuple[str, ...], reopen: bool, why: str
) -> None:
    """Say how a game of the tournament counts, running or over: 1-0, ½-½, 0-1, +-- (without play, so that no rating
    moves), 310:250 in seat order. A running match ends by it. Of one that is over everybody reads the old and the new
    result; the first one, given again, takes the correction back."""
    from moderator.service.notify import build_notifications
    from moderator.service.tournaments import decisions

    with open_named_tournament(config_file, code) as (desk, row):
        names, rated = decisions.adjudicate_game(desk, row, match, " ".join(result), reopen, why)
        build_notifications(desk)
    if rated:
        hint = "`+--`, `--+` or `---` is a result without play, which moves none"
        click.echo(f"moderator: Nobody has moved in this game, and the ratings move all the same; {hint}.", err=True)
    click.echo(f"{' - '.join(names)}: {' '.join(result)}. The table of {row.code} has it.")


@click.command("cancel")
@CODE
@YES
@click.pass_obj
def cancel_named_tournament(config_file: Path | None, code: str, yes: bool) -> None:
    """End a tournament without a result. Its running matches go on as ordinary ones; everybody gets a mail. One that
    was imported leaves the archive."""
    from moderator.service.tournaments import decisions

    with open_named_tournament(config_file, code) as (desk, row):
        decisions.require_cancellable(desk, row)
        name = f"{row.code} ({row.name})"
    if not yes:
        click.confirm(f"Cancel {name} for good?", abort=True)
    with open_named_tournament(config_file, code) as (desk, row):
        codes = decisions.cancel_tournament(desk, row)
    click.echo(f"{row.code} is cancelled.{_format_released_matches(codes)}")


@click.command("finish")
@CODE
@click.option("--anyway", is_flag=True, help="Also while games run; they go on as ordinary ones.")
@click.pass_obj
def finish_named_ladder(config_file: Path | None, code: str, anyway: bool) -> None:
    """End a ladder as it stands; everybody gets the final report."""
    from moderator.service.tournaments import decisions

    with open_named_tournament(config_file, code) as (desk, row):
        codes = decisions.finish_endless_tournament(desk, row, anyway)
    click.echo(f"{row.code} is finished.{_format_released_matches(codes)}")


def _format_released_matches(codes: list[str]) -> str:
    return f" These matches go on as ordinary ones: {', '.join(codes)}." if codes else ""


COMMANDS = (
    withdraw_named_player,
    pair_named_round,
    extend_latest_ends,
    adjudicate_named_game,
    cancel_named_tournament,
    finish_named_ladder,
)
