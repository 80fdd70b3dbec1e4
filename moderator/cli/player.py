"""`moderator player …` and `moderator ratings`: who plays, and how strong everybody is."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import click

from moderator.cli import club_names
from moderator.cli.group import print_rows, print_values, with_json_option
from moderator.cli.json_types import RatingLine
from moderator.cli.lists import read_player
from moderator.cli.session import open_club, write_mailed_rulings
from moderator.cli.texts import MisuseError, render_text, say_lines, translate_text
from moderator.common import disk
from moderator.common.disk import LANGUAGES
from moderator.common.enums import BoardForm, Level
from moderator.common.errors import ModeratorError, OperatorError
from moderator.common.text import count_noun
from moderator.games import REGISTRY
from moderator.inbox import forget
from moderator.service.create import add_player, get_player, parse_mail_address, set_player
from moderator.service.match.match import Match
from moderator.service.players import wanted_mails
from moderator.service.players.address_change import AddressAsker
from moderator.service.players.reachability import PlayerReachability
from moderator.settings import Config, load_config
from moderator.site.build import update_site
from moderator.store import matches, players, privacy
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.tournaments.csv_file import format_ratings_csv, format_results_csv
from moderator.tournaments.ratings import RankedPlayer, build_rating_list, compute_ratings_by_family
from moderator.views.loaded_match import MatchSuspended
from moderator.views.ratings import list_exportable_games, load_rating_ledger
from moderator.views.unit_of_work import UnitOfWork
from moderator.words import house_rulings

BOARDS = [form.value for form in BoardForm]
LEVELS = [level.value for level in Level]


@click.command("forget")
@click.argument("name", type=club_names.PLAYER)
@click.option("--resign", is_flag=True, help="Give up the matches and tournaments in which they still play.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_context
def forget_named_player(ctx: click.Context, name: str, resign: bool, yes: bool) -> None:
    """Remove a player's name, addresses and mails for good. A number replaces the name; what was played stays. This
    cannot be undone. Backups made before still have the name."""
    config = load_config(ctx.obj)
    with open_club(ctx.obj) as work:
        found = get_player(work.session, name)
        name, before = found.name, forget.is_forgotten(found)
        bound = "" if before else str(forget.list_ties(work.session, work.cache, found))
    if before:
        _clean_traces(config)
        say_lines(f"{name} is forgotten already; the file of the database and the site were cleaned again.")
        return
    if not yes:
        more = f" Still plays, and gives it up: {bound}." if resign and bound else ""
        click.confirm(translate_text(f"Forget {name} for good?{more}"), abort=True)
    write_mailed_rulings(config)
    with open_club(ctx.obj) as work:
        new, change = forget.forget_player(work, name, resign)
        ctx.params["name"] = new  # this is what the list of commands will say
        house_rulings.rewrite_remarks(
            config.resolve_path(config.words.house), change
        )  # before the commit: who fails after it has no name left
    say_lines(f"{new} has taken the name's place. Backups that were made before, and copies of the site, keep it.")
    try:
        _clean_traces(config)
    except ModeratorError as error:
        raise OperatorError(
            f"The file of the database, or the site, may still have the name: {error}",
            f'Then once more: `moderator player forget "{new}"`.',
        ) from error


def _clean_traces(config: Config) -> None:
    """Clean the file of the database and the site. It can be done again: nothing of it needs the name."""
    privacy.vacuum_database(config.database)
    if config.site_folder:
        update_site(config, config.read_clock(), config.site_folder, anew=True)


@click.command("export")
@click.argument("name", type=club_names.PLAYER)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.pass_obj
def export_player_data(config_file: Path | None, name: str, file: Path) -> None:
    """Write all that is stored about a player into a new ZIP file. It holds their data as JSON and the mails they
    wrote, and nothing about anybody else: send it to a player who asks what you store."""
    with open_club(config_file) as work:
        found = get_player(work.session, name)
        facts = privacy.load_player_facts(work.session, found)
        content, count = io.BytesIO(), 0
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("data.json", json.dumps(facts, indent=1, ensure_ascii=False, default=str) + "\n")
            for mail in forget.iter_own_mails(work.session, found):
                made.writestr(f"mails/{mail.id}.eml", mail.raw)
                count += 1
        try:
            with open(file, "xb", opener=disk.open_private_file) as stream:
                stream.write(content.getvalue())
        except FileExistsError:
            raise OperatorError(f"{file} is there already.", "Name a new file.") from None
        except OSError as error:
            raise OperatorError(*disk.describe_os_error(error, "write", file, "Name another file.")) from error
        say_lines(f"{file}: {count_noun(len(facts['matches']), 'match')}, {count_noun(count, 'mail')} of {found.name}.")


@click.command("add")
@click.argument("name")
@click.argument("address", required=False)
@click.option("--robot", is_flag=True, help="A machine player; needs no address.")
@click.option(
    "--level", type=click.Choice(LEVELS), default=None, help=f"How well a robot plays [default: {Level.CLUB}]."
)
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Language of the mails to this player.")
@click.option("--zone", default=None, help="Time zone for deadlines, e.g. Europe/Berlin.")
@click.option("--board", type=click.Choice(BOARDS), default="png", help="How boards are shown.")
@click.option("--auto-single", is_flag=True, help="Play a move without a choice at once (opponents are told).")
@with_json_option("player")
@click.pass_obj
def add_named_player(
    config_file: Path | None,
    name: str,
    address: str | None,
    robot: bool,
    level: str | None,
    language: str | None,
    zone: str | None,
    board: str,
    auto_single: bool,
    as_json: bool,
) -> None:
    """Add a player with a mail address, or a robot."""
    if robot == (address is not None):
        raise MisuseError("Give an address, or --robot for a machine player.")
    if level and not robot:
        raise MisuseError("Only a robot has a level: --robot --level strong.")
    with open_club(config_file) as work:
        club = work.config.club
        added = add_player(
            work.session,
            name,
            address,
            work.now,
            language=language or club.language,
            zone=zone or club.zone,
            board=BoardForm(board),
            auto_single=auto_single,
            level=Level(level) if level else Level.CLUB,
            shared=True,
        )
        as_what = f"as a robot that plays at level {added.level.value}" if robot else f"with {added.address}"
        entered = (
            added.name,
            f"{added.name} is entered {as_what}.{_format_address_sharing(work.session, added)}",
        )
    _print_player(work, *entered, as_json)


@click.command("set")
@click.argument("name", type=club_names.PLAYER)
@click.option("--name", "called", default=None, help="Another name, in all mails and pages made from now on.")
@click.option("--language", type=click.Choice(LANGUAGES), default=None, help="Language of the mails to this player.")
@click.option("--zone", default=None, help="Time zone for deadlines, e.g. Europe/Berlin.")
@click.option("--board", type=click.Choice(BOARDS), default=None, help="How boards are shown.")
@click.option("--address", default=None, help="A new mail address, at once: nobody is asked.")
@click.option("--digest/--no-digest", default=None, help="One mail a day instead of one for each turn.")
@click.option(
    "--auto-single/--no-auto-single",
    default=None,
    help="Play a move without a choice at once, from the player's next turn on (opponents are told).",
)
@click.option(
    "--same-subject/--no-same-subject",
    default=None,
    help="All mails of a match under one subject, without the news: Gmail then keeps them together.",
)
@click.option("--level", type=click.Choice(LEVELS), default=None, help="How well a robot plays, from its next move on.")
@with_json_option("player")
@click.pass_obj
def set_player_settings(
    config_file: Path | None,
    name: str,
    called: str | None,
    language: str | None,
    zone: str | None,
    board: str | None,
    address: str | None,
    digest: bool | None,
    auto_single: bool | None,
    same_subject: bool | None,
    level: str | None,
    as_json: bool,
) -> None:
    """Change the settings of a player. NAME may be an address."""
    with open_club(config_file) as work:
        found = get_player(work.session, name)
        _check_robot_settings(found, reads=address is not None or bool(digest), level=level)
        form = BoardForm(board) if board else None
        set_player(
            work.session,
            found,
            name=called,
            language=language,
            zone=zone,
            board=form,
            auto_single=auto_single,
            same_subject=same_subject,
            level=Level(level) if level else None,
        )
        _set_mail_settings(work, found, digest, zone, address)
        changed = found.name, f"{found.name}: {_format_settings(found)}"
    _print_player(work, *changed, as_json)


def _print_player(work: UnitOfWork, name: str, line: str, as_json: bool) -> None:
    print_rows([(read_player(work.config, work.now, name), line)], as_json)


def _check_robot_settings(found: PlayerRow, reads: bool, level: str | None) -> None:
    """Check that what is set fits the player. Raises OperatorError where it is a robot's and the player is none, or the
    other way round."""
    if found.robot and reads:
        raise OperatorError(f"{found.name} is a robot and reads no mail.", "Name a person.")
    if level and not found.robot:
        raise OperatorError(f"{found.name} is no robot.", "Only robots have a level.")


def _format_address_sharing(session: Session, found: PlayerRow) -> str:
    """Return who else has the player's address, as a sentence; "" = nobody."""
    there = players.list_players_at_addresses(session, [found.address] if found.address else [])
    others = ", ".join(one.name for one in there if one.number != found.number)
    return f" {others} has that address, too: a new mail of theirs should say who wrote it." if others else ""


def _set_mail_settings(
    work: UnitOfWork, found: PlayerRow, digest: bool | None, zone: str | None, address: str | None
) -> None:
    """Set when mail goes to a player, and where to."""
    if digest is not None:
        wanted_mails.switch_digest(work, found, digest)
    elif zone is not None and found.digest:
        found.digest_at = wanted_mails.compute_next_digest_time(work.config, work.now, found)
    if address is not None and address.strip().lower() != found.address:
        AddressAsker(work, found).set_address(parse_mail_address(address))
        if others := _format_address_sharing(work.session, found):
            say_lines(others.strip(), err=True)


@click.command("reachable")
@click.argument("name", type=club_names.PLAYER)
@click.pass_obj
def mark_named_reachable(config_file: Path | None, name: str) -> None:
    """Mark a player's address as working again. Clocks that were stopped for it start again, with a new turn."""
    with open_club(config_file) as work:
        found = get_player(work.session, name)
        if not found.undeliverable:
            raise OperatorError(f"No mail to {found.name} came back.", "See `moderator player list`.")
        PlayerReachability(work, found).restore_reachability()
        say_lines(f"{found.name} counts as reachable at {found.address}.")


def _format_settings(row: PlayerRow) -> str:
    switched = {"digest": row.digest, "auto single": row.auto_single, "same subject": row.same_subject}
    more = "".join(f"  {name}" for name, on in switched.items() if on)
    if row.robot:
        return f"robot  {row.level.value}"
    return f"{row.address or '(forgotten)'}  {row.language}  {row.zone}  {row.board}{more}"


# ---- how strong everybody is, by the results of all finished matches ----


BATCH = 50
"""Matches worked out in one transaction."""


@click.command()
@click.option("--game", type=click.Choice(list(REGISTRY)), default=None, help="Of this game only.")
@click.option("--csv", "as_csv", is_flag=True, help="As a table for a spreadsheet.")
@click.option("--results", is_flag=True, help="Print all games that count instead, as a file for another club.")
@click.option("--rebuild", is_flag=True, help="First work out all results anew from the logs of the matches.")
@with_json_option("rating", lines=True)
@click.pass_obj
def ratings(
    config_file: Path | None, game: str | None, as_csv: bool, as_json: bool, results: bool, rebuild: bool
) -> None:
    """Show the rating list of each game. Everybody starts with 1000, or with the rating that `move-in` brought. A
    player has a place once the rating has settled."""
    if results and (as_csv or as_json):
        raise MisuseError("Either the ratings (--csv, --json), or the games that they come from (--results).")
    if rebuild:
        recompute_results(config_file, lacking=False)
    if results:
        _print_rated_games(config_file, game or "")
        return
    with open_club(config_file) as work:
        found = compute_ratings_by_family(load_rating_ledger(work.session, game or ""))
        names = {str(player.number): player.name for player in players.list_all_players(work.session)}
    lists = {
        key: build_rating_list({names[number]: rating for number, rating in rated.items()})
        for key, rated in sorted(found.items())
        if rated
    }
    if as_csv:
        click.echo(format_ratings_csv(lists), nl=False)
        return
    headings = ("game", "place", "player", "rating", "games")
    rows = [(_build_rating_line(game, line), _build_rating_cells(game, line)) for game in lists for line in lists[game]]
    print_values(headings, rows, as_json, render_text("no-ratings"))


def _build_rating_cells(game: str, line: RankedPlayer) -> tuple[str, ...]:
    place = "-" if line.place is None else str(line.place)
    return game, place, line.player, str(line.rating.rounded), str(line.rating.games)


def _build_rating_line(game: str, line: RankedPlayer) -> RatingLine:
    one = line.rating
    return {
        "game": game,
        "place": line.place,
        "player": line.player,
        "rating": one.rounded,
        "games": one.games,
        "mu": one.mu,
        "sigma": one.sigma,
    }


def _print_rated_games(config_file: Path | None, game: str) -> None:
    with open_club(config_file) as work:
        found, without = list_exportable_games(work.session, game)
    click.echo(format_results_csv(found), nl=False)
    for key in without:
        say_lines(f"{key}: ratings were brought along; take `moderator ratings --game {key} --csv`.", err=True)


def recompute_results(config_file: Path | None, *, lacking: bool) -> None:
    """Compute the results of finished matches, of all or those ``lacking`` one, and print what came of it."""
    with open_club(config_file) as work:
        waiting = matches.list_finished_match_ids(work.session, lacking)
    changed = 0
    for first in range(0, len(waiting), BATCH):
        with open_club(config_file) as work:
            for number in waiting[first : first + BATCH]:
                try:
                    row = work.session.get_one(MatchRow, number)
                    changed += Match(work, row, work.cache.load_readonly(work.session, row)).recompute_result()
                except MatchSuspended as error:
                    say_lines(f"{error.reason}; it stays without a result.", err=True)
    if waiting:
        say_lines(f"Results worked out: {len(waiting)}, new ones: {changed}.", err=not lacking)
