"""`moderator match …`, `export` and `token`; what the moderator decides by mail is a command here, too."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal

import click

from moderator.cli import match_show, session
from moderator.cli.group import Row, print_rows, with_json_option
from moderator.cli.json_types import CommandAddress, ProtestLine, Sentence
from moderator.cli.match_show import build_match_row
from moderator.cli.session import format_club_time, open_club, parse_typed_option, with_usage_errors
from moderator.commands.declaration import Command, ShellParameter, get_staff_commands
from moderator.commands.moderator.clock import resume_match_by_staff
from moderator.commands.moderator_call import render_sentences
from moderator.common import tokens
from moderator.common.enums import ClockStop, MatchStatus
from moderator.common.errors import Misused, OperatorError
from moderator.common.text import to_escaped_json
from moderator.games import REGISTRY, load_game
from moderator.rules.game import Note
from moderator.service.create import create_match, find_free_match_name, get_match, get_player
from moderator.service.match.halt import resume_suspended_match
from moderator.service.match.start import start_match
from moderator.service.word_rulings import ProtestCase
from moderator.settings import Config
from moderator.store import matches
from moderator.store.database import Session
from moderator.store.key_values import ensure_moderator_token
from moderator.store.questions import list_protests
from moderator.store.tables import MatchRow, PlayerRow, Protest
from moderator.views.loaded_match import MatchSuspended, build_match_record


class StaffCommandGroup(click.Group):
    """A group that has the moderator's commands, too, as commands/declaration.py has them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), *build_shell_commands()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        return own if own is not None else build_shell_commands().get(cmd_name)


@click.group(cls=StaffCommandGroup)
def match() -> None:
    """Matches: set one up, start it, look at it."""


for command in match_show.COMMANDS:
    match.add_command(command)


def build_shell_commands() -> dict[str, click.Command]:
    """Return the moderator's commands by the names that they have on the command line."""
    return {one.shell.name: _build_click_command(one) for one in get_staff_commands().values() if one.shell is not None}


def _build_click_command(command: Command) -> click.Command:
    assert command.shell is not None
    asked = [_build_click_parameter(one.parameter) for one in command.arguments if one.parameter is not None]
    done = click.pass_obj(partial(_run_shell_command, command))
    made = click.Command(command.shell.name, callback=done, params=asked, help=command.shell.help)
    return with_json_option("sentence", lines=True)(made)


_KNOWN = {"code": session.MATCH, "player": session.PLAYER, "successor": session.PLAYER, "referee": session.REFEREE}
"""Arguments that the shell completes."""


def _build_click_parameter(one: ShellParameter) -> click.Parameter:
    if not one.name.startswith("--"):
        kind, count = _KNOWN.get(one.name, one.kind), -1 if one.many else 1
        return click.Argument([one.name], type=kind, required=one.required, nargs=count)
    if one.kind is bool:
        return click.Option([one.name], is_flag=True, help=one.help)
    return click.Option([one.name, _get_click_name(one)], type=one.kind, default=one.default, help=one.help)


def _get_click_name(one: ShellParameter) -> str:
    """Return the name under which click gives the value, and by which the log of commands calls it."""
    name = one.name.lstrip("-")
    return "round_" if name == "round" else name


def _run_shell_command(command: Command, config_file: Path | None, as_json: bool, **typed: Any) -> None:
    """Run a command in a transaction of its own, and print its outcome; a refusal becomes an OperatorError with the
    sentence that the mail would have."""
    asked = [(one.name, one.parameter) for one in command.arguments if one.parameter is not None]
    with open_club(config_file) as work:
        try:
            given = {name: (one, typed[_get_click_name(one)]) for name, one in asked}
            values = {
                name: one.take(work, " ".join(value) if isinstance(value, tuple) else value)
                for name, (one, value) in given.items()
            }
            notes = command.act(work, **values)
            lines = render_sentences(work.config, work.now, notes, "en")
        except Misused as error:
            why = render_sentences(work.config, work.now, [Note(error.code, error.params)], "en")[0]
            name = command.shell.name if command.shell else command.name
            raise OperatorError(why, f"See `moderator match {name} --help`.") from error
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    print_rows((build_sentence_row(note, line) for note, line in zip(notes, lines, strict=True)), as_json)


def build_sentence_row(note: Note, line: str) -> Row:
    """Return a sentence with what it is made of."""
    values: Sentence = {"code": note.code, "text": line, "values": note.params}
    if "match" in note.params:
        values["match"] = note.params["match"]
    if "seat" in note.params:
        values["seat"], values["player"] = note.params["seat"], note.params["name"]
    if note.params.get("deadline"):
        values["deadline"] = note.params["deadline"]
    return values, line


@click.command("token")
@click.option("--new", is_flag=True, help="Make another one; mails with the old one count no more.")
@with_json_option("address")
@click.pass_obj
def print_staff_address(config_file: Path | None, new: bool, as_json: bool) -> None:
    """The address to which the moderator mails commands. Keep it to yourself."""
    with open_club(config_file) as work:
        secret = ensure_moderator_token(work.session, new)
        mail = work.config.mail
        place = tokens.build_token_address(mail.address, mail.subaddress, tokens.BOSS, secret)
    subject = f"[{tokens.BOSS}-{secret}]"
    values: CommandAddress = {"address": place, "subject": subject}
    line = f"Mail commands to {place}, or with {subject} in the subject. The command HILFE lists them."
    print_rows([(values, line)], as_json)


@match.command("protests")
@click.option("--all", "everything", is_flag=True, help="Those that were ruled on, too.")
@with_json_option("protest", lines=True)
@click.pass_obj
def print_protests(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """Protests that wait for a ruling, with their numbers."""
    with open_club(config_file) as work:
        print_rows(
            (_build_protest_row(work.config, *found) for found in list_protests(work.session, everything)), as_json
        )


def _build_protest_row(config: Config, row: Protest, match: MatchRow, player: PlayerRow) -> Row:
    ruling: Literal["upheld", "denied"] | None = None
    if row.answered_at is not None:
        ruling = "upheld" if row.upheld else "denied"
    assert row.id is not None
    values: ProtestLine = {
        "number": row.id,
        "match": match.code,
        "round": row.round,
        "player": player.name,
        "at": row.at,
        "text": row.text,
        "ruling": ruling,
        "reason": row.answer or None,
    }
    ruled = f" - {ruling}: {row.answer}" if ruling else ""
    text = " / ".join(row.text.splitlines())
    return (
        values,
        f"{row.id:>4} {match.code:<6} {format_club_time(row.at, config)[:10]} {player.name}: {text}{ruled}",
    )


@match.command("rule-protest")
@click.argument("number", type=int)
@click.argument("ruling", type=click.Choice(["uphold", "deny"]))
@click.option("--reason", default="", help="Told to all players.")
@click.pass_obj
def rule_protest(config_file: Path | None, number: int, ruling: str, reason: str) -> None:
    """Rule on protest NUMBER and tell all players (with the next tick). Nothing is taken back by it."""
    with open_club(config_file) as work:
        row = work.session.get(Protest, number)
        if row is None:
            raise OperatorError(f"There is no protest {number}.", "See `moderator match protests`.")
        ProtestCase(work, row).rule_on_protest(ruling == "uphold", reason)
    click.echo(f"Protest {number} is {'upheld' if ruling == 'uphold' else 'denied'}; the next tick tells everybody.")


@match.command("new", epilog=f"Games: {', '.join(REGISTRY)}. `moderator game list GAME` has the options of one.")
@click.argument("game")
@click.argument("players", nargs=-1, type=session.PLAYER)
@click.option("--seats", type=int, default=0, help="So many seats in all; the free ones are for who writes JOIN.")
@click.option("--name", default="", help="Name of the match, e.g. Arratia. [default: the game and a number]")
@click.option("-o", "--option", "options", multiple=True, help="A game option, e.g. -o pace=rounds. Repeatable.")
@click.option("--term", "terms", multiple=True, help="A time rule unlike the club's, e.g. --term days=3. Repeatable.")
@click.option("--early", is_flag=True, help="Evaluate a round as soon as every order is in.")
@click.option("--start", "start_now", is_flag=True, help="Deal and mail at once.")
@with_json_option("match")
@click.pass_obj
def set_up_match(
    config_file: Path | None,
    game: str,
    players: tuple[str, ...],
    seats: int,
    name: str,
    options: tuple[str, ...],
    terms: tuple[str, ...],
    early: bool,
    start_now: bool,
    as_json: bool,
) -> None:
    """Set up a match of GAME between PLAYERS, in seat order. With --seats others may join by mail, and it starts when
    all seats are taken."""
    load_game(game)
    if not players and not seats:
        raise click.UsageError("Name players, or --seats for players who join.")
    if start_now and seats > len(players):
        raise click.UsageError("With free --seats it starts by itself when they are taken; leave out --start.")
    chosen, rules = (dict(parse_typed_option(text) for text in given) for given in (options, terms))
    with open_club(config_file) as work:
        known = [get_player(work.session, player) for player in players]
        name = name or find_free_match_name(work.session, game, work.config.club.language)
        _warn_about_namesakes(work.session, name)
        with with_usage_errors():
            row = create_match(work, game, name, known, chosen, early=early, terms=rules, wanted=seats)
        free = row.wanted and row.wanted - len(known)
        if start_now:
            start_match(work, row)
        made = (
            build_match_row(work, row)[0],
            f"Match {row.code} ({name}) {_describe_new_match(row.code, start_now, free)}.",
        )
    print_rows([made], as_json)


def _warn_about_namesakes(session: Session, name: str) -> None:
    codes = [other.code for other in matches.list_matches_by_name(session, name) if other.status not in matches.OVER]
    if codes:
        hint = f"`moderator match cancel {codes[-1]}` takes one back that is a mistake"
        click.echo(f"moderator: There is a match {name!r} already ({', '.join(codes)}); {hint}.", err=True)


def _describe_new_match(code: str, start_now: bool, free: int) -> str:
    """Return what becomes of a match that was set up; ``free``: seats that nobody has yet."""
    if free:
        return f"waits for {free} more; who writes MITSPIELEN {code} or JOIN {code} is in, and the last one starts it"
    if start_now:
        return "is dealt; the next tick sends the mails"
    return f"is set up; `moderator match start {code}` deals"


@match.command("start")
@click.argument("code", type=session.MATCH)
@click.option("--salt", "salts", multiple=True, help="A player's word that goes into the shuffle, as name:word.")
@with_json_option("match")
@click.pass_obj
def deal_named_match(config_file: Path | None, code: str, salts: tuple[str, ...], as_json: bool) -> None:
    """Deal and mail everybody (with the next tick)."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        start_match(work, row, salts)
        dealt = build_match_row(work, row)[0], f"Match {row.code} is dealt; the next tick sends the mails."
    print_rows([dealt], as_json)


@match.command("list")
@click.option("--all", "everything", is_flag=True, help="Finished and cancelled ones, too.")
@with_json_option("match", lines=True)
@click.pass_obj
def print_matches(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """Running and open matches."""
    with open_club(config_file) as work:
        print_rows(
            (build_match_row(work, row) for row in matches.list_all_matches(work.session, finished=everything)), as_json
        )


@match.command("resume")
@click.argument("code", type=session.MATCH)
@click.option("--accept-lexicon", is_flag=True, help="Go on with the dictionary that is installed now.")
@with_json_option("match")
@click.pass_obj
def resume_stopped_match(config_file: Path | None, code: str, accept_lexicon: bool, as_json: bool) -> None:
    """Let a match go on, whatever stopped it: a fault (it was suspended) or the moderator's pause."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        if row.status == MatchStatus.RUNNING and row.stopped in (ClockStop.PAUSE, ClockStop.CONFIRM):
            resume_match_by_staff(work, row)
        else:
            resume_suspended_match(work, row, accept_lexicon)
        goes_on = build_match_row(work, row)[0], f"Match {row.code} runs again."
    print_rows([goes_on], as_json)


@click.command("export")
@click.argument("code", type=session.ANY_MATCH)
@click.pass_obj
def print_match_record(config_file: Path | None, code: str) -> None:
    """Write the record of a finished match to standard output."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        if row.status != MatchStatus.FINISHED:
            raise OperatorError(
                f"Match {row.code} is {row.status}.", "A record holds the deal, so it waits for the end."
            )
        found = build_match_record(work.session, row, [player.name for player in work.list_players(row)])
    click.echo(to_escaped_json(found))
