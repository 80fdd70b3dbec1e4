"""`moderator ratings`: how strong everybody is, by the results of all finished matches."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.games import REGISTRY

if TYPE_CHECKING:
    from moderator.tournaments.rating import Ranked, Rating

BATCH = 50
"""Matches worked out in one transaction."""
COLUMNS = ("game", "place", "player", "rating", "games", "mu", "sigma")


@click.command()
@click.option("--game", type=click.Choice(list(REGISTRY)), default=None, help="Of this game only.")
@click.option("--csv", "as_csv", is_flag=True, help="As a table for a spreadsheet.")
@click.option("--rebuild", is_flag=True, help="First work out all results anew from the logs of the matches.")
@click.pass_obj
def ratings(config_file: Path | None, game: str | None, as_csv: bool, rebuild: bool) -> None:
    """The rating list of each game. Everybody begins with 1000; a place is given when the rating has settled."""
    from moderator.cli.session import opened
    from moderator.club.ratings import ledger
    from moderator.store import players
    from moderator.tournaments.rating import by_family, ranking

    if rebuild:
        refill(config_file, lacking=False)
    with opened(config_file) as desk:
        found = by_family(ledger(desk.session, game or ""))
        names = {str(player.number): player.name for player in players.every(desk.session)}
    lists = {key: ranking(_by_name(rated, names)) for key, rated in sorted(found.items()) if rated}
    if as_csv:
        click.echo(_csv(lists), nl=False)
    elif not lists:
        click.echo("No finished match counts yet.")
    else:
        click.echo("\n".join(_lines(lists)))


def _by_name(rated: Mapping[str, Rating], names: Mapping[str, str]) -> dict[str, Rating]:
    return {names[player]: rating for player, rating in rated.items()}


def _lines(lists: Mapping[str, list[Ranked]]) -> Iterator[str]:
    for game, lines in lists.items():
        yield f"{game}: {len(lines)} players"
        for line in lines:
            place = "-" if line.place is None else str(line.place)
            yield f"{place:>4}  {line.player:<24} {line.rating.shown:>5}  {line.rating.games} games"


def _csv(lists: Mapping[str, list[Ranked]]) -> str:
    from moderator.tournaments.csvfile import safe

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for game, lines in lists.items():
        for line in lines:
            one = line.rating
            place = "" if line.place is None else line.place
            writer.writerow((game, place, safe(line.player), one.shown, one.games, f"{one.mu:.4f}", f"{one.sigma:.4f}"))
    return out.getvalue()


def refill(config_file: Path | None, *, lacking: bool) -> None:
    """Work out the results of finished matches, of all or those ``lacking`` one, and say what came of it."""
    from moderator.cli.session import opened
    from moderator.club import outcomes
    from moderator.club.live_match import Suspended
    from moderator.store import matches

    with opened(config_file) as desk:
        waiting = matches.finished(desk.session, lacking)
    changed = 0
    for first in range(0, len(waiting), BATCH):
        with opened(config_file) as desk:
            for number in waiting[first : first + BATCH]:
                try:
                    changed += outcomes.refill(desk, number)
                except Suspended as error:
                    click.echo(f"{error.reason}; it stays without a result.", err=True)
    if waiting:
        click.echo(f"Results of {len(waiting)} finished matches worked out, {changed} of them new.", err=not lacking)
