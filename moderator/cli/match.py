"""`moderator match …`, `export` and `token`; what the moderator decides by mail is a command here, too."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal

import click

from moderator.cli.club_names import ANY_MATCH, MATCH, PLAYER, REFEREE
from moderator.cli.group import Row, print_rows, print_values, with_json_option
from moderator.cli.json_types import CommandAddress, ProtestLine, Sentence
from moderator.cli.lists import read_match
from moderator.cli.session import format_club_time, open_club, parse_typed_option, with_usage_errors
from moderator.cli.texts import SPOKEN, MisuseError, render_text, say_lines
from moderator.commands.declaration import Command, ShellParameter, get_staff_commands
from moderator.commands.moderator_call import render_sentences
from moderator.common import tokens
from moderator.common.enums import MatchStatus
from moderator.common.errors import Impossible, MistypedError, Misused, OperatorError
from moderator.common.text import to_escaped_json
from moderator.games import REGISTRY, load_game
from moderator.rules.game import Note
from moderator.service.create import create_match, find_free_match_name, get_match, get_player
from moderator.service.match.start import start_match
from moderator.service.word_rulings import ProtestCase
from moderator.settings import Config
from moderator.store import matches
from moderator.store.database import Session
from moderator.store.key_values import ensure_moderator_token
from moderator.store.questions import list_protests
from moderator.store.tables import MatchRow, PlayerRow, Protest
from moderator.views.loaded_match import MatchSuspended, build_match_record
from moderator.views.unit_of_work import UnitOfWork


def build_staff_command(name: str) -> click.Command | None:
    """Build the command of the command line that does what a line of a mail to the moderator does, too; None where
    there is none of that name."""
    command = next((one for one in get_staff_commands().values() if one.shell and one.shell.name == name), None)
    if command is None or command.shell is None:
        return None
    asked = [_build_click_parameter(one.parameter) for one in command.arguments if one.parameter is not None]
    done = click.pass_obj(partial(_run_shell_command, command))
    made = click.Command(command.shell.name, callback=done, params=asked, help=command.shell.help)
    return with_json_option("sentence", lines=True)(made)


_KNOWN = {"code": MATCH, "player": PLAYER, "successor": PLAYER, "referee": REFEREE}
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
    name = one.name.lstrip("-").replace("-", "_")
    return "round_" if name == "round" else name


def _run_shell_command(command: Command, config_file: Path | None, as_json: bool, **typed: Any) -> None:
    """Run a command in a transaction of its own, and print its outcome; a refusal becomes an OperatorError with the
    sentence that the mail would have."""
    asked = [(one.name, one.parameter) for one in command.arguments if one.parameter is not None]
    with open_club(config_file) as work:
        language = SPOKEN.get()
        try:
            given = {name: (one, typed[_get_click_name(one)]) for name, one in asked}
            values = {
                name: one.take(work, _resolve_typed_name(work, one, value)) for name, (one, value) in given.items()
            }
            notes = command.act(work, **values)
            lines = render_sentences(work.config, work.now, notes, language)
        except Misused as error:
            why = render_sentences(work.config, work.now, [Note(error.code, error.params)], language)[0]
            name = command.shell.name if command.shell else command.name
            refuse = OperatorError if isinstance(error, Impossible) else MistypedError
            raise refuse(why, f"See `moderator match {name} --help`.") from error
        except MatchSuspended as error:
            raise OperatorError(f"{error.reason}.", "`moderator match resume` tries again.") from error
    print_rows((build_sentence_row(note, line) for note, line in zip(notes, lines, strict=True)), as_json)


def _resolve_typed_name(work: UnitOfWork, one: ShellParameter, value: Any) -> Any:
    """Return a value as the command takes it: of a player the whole name. Raises MistypedError."""
    if _KNOWN.get(one.name) is PLAYER and value:
        return get_player(work.session, value).name
    return " ".join(value) if isinstance(value, tuple) else value


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
@click.option("--new", is_flag=True, help="Replace it by a new one; the old one stops working.")
@with_json_option("address")
@click.pass_obj
def print_staff_address(config_file: Path | None, new: bool, as_json: bool) -> None:
    """Show the secret address for your own commands by mail."""
    with open_club(config_file) as work:
        secret = ensure_moderator_token(work.session, new)
        mail = work.config.mail
        place = tokens.build_token_address(mail.address, mail.subaddress, tokens.BOSS, secret)
    subject = f"[{tokens.BOSS}-{secret}]"
    values: CommandAddress = {"address": place, "subject": subject}
    line = f"Mail commands to {place}, or with {subject} in the subject. The command HILFE lists them."
    print_rows([(values, line)], as_json)


@click.command("protests")
@click.option("--all", "everything", is_flag=True, help="Include those that you have ruled on.")
@with_json_option("protest", lines=True)
@click.pass_obj
def print_protests(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """List the protests that wait for your ruling."""
    with open_club(config_file) as work:
        rows = [_build_protest_row(work.config, *found) for found in list_protests(work.session, everything)]
    headings = ("number", "match", "date", "player", "protest", "ruling")
    print_values(headings, rows, as_json, render_text("no-protests"))


def _build_protest_row(
    config: Config, row: Protest, match: MatchRow, player: PlayerRow
) -> tuple[ProtestLine, tuple[str, ...]]:
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
    ruled = ": ".join(filter(None, (ruling, row.answer)))
    text, date = " / ".join(row.text.splitlines()), format_club_time(row.at, config)[:10]
    return values, (str(row.id), match.code, date, player.name, text, ruled)


@click.command("rule-protest")
@click.argument("number", type=int)
@click.argument("ruling", type=click.Choice(["uphold", "deny"]))
@click.option("--reason", default="", help="The reason; all players read it.")
@click.pass_obj
def rule_protest(config_file: Path | None, number: int, ruling: str, reason: str) -> None:
    """Rule on a protest; the next tick tells all players. The ruling takes nothing back."""
    with open_club(config_file) as work:
        row = work.session.get(Protest, number)
        if row is None:
            raise MistypedError(f"There is no protest {number}.", "See `moderator match protests`.")
        ProtestCase(work, row).rule_on_protest(ruling == "uphold", reason)
    say_lines(f"Protest {number} is {'upheld' if ruling == 'uphold' else 'denied'}; the next tick tells everybody.")


@click.command("add", epilog=f"Games: {', '.join(REGISTRY)}. `moderator game show GAME` lists the options of one.")
@click.argument("game")
@click.argument("players", nargs=-1, type=PLAYER)
@click.option("--seats", type=int, default=0, help="Number of seats; free ones go to players who write JOIN.")
@click.option("--name", default="", help="Name of the match, e.g. Arratia. [default: the game and a number]")
@click.option("-o", "--option", "options", multiple=True, help="A game option, e.g. -o pace=rounds; repeatable.")
@click.option("--term", "terms", multiple=True, help="A time rule of its own, e.g. --term days=3; repeatable.")
@click.option("--early", is_flag=True, help="End a round as soon as all moves are in.")
@click.option("--start", "start_now", is_flag=True, help="Deal at once; the next tick sends the mails.")
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
    """Set up a match. PLAYERS take their seats in this order. With --seats others may join by mail, and the match
    starts when all seats are taken."""
    load_game(game)
    if not players and not seats:
        raise MisuseError("Name players, or --seats for players who join.")
    if start_now and seats > len(players):
        raise MisuseError("With free --seats it starts by itself when they are taken; leave out --start.")
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
            row.code,
            f"Match {row.code} ({name}) {_describe_new_match(row.code, start_now, free)}.",
        )
    _print_match(work.config, *made, as_json)


def _print_match(config: Config, code: str, line: str, as_json: bool) -> None:
    print_rows([(read_match(config, code), line)], as_json)


def _warn_about_namesakes(session: Session, name: str) -> None:
    codes = [other.code for other in matches.list_matches_by_name(session, name) if other.status not in matches.OVER]
    if codes:
        hint = f"`moderator match cancel {codes[-1]}` takes one back that is a mistake"
        say_lines(f"moderator: There is a match {name!r} already ({', '.join(codes)}); {hint}.", err=True)


def _describe_new_match(code: str, start_now: bool, free: int) -> str:
    """Return what becomes of a match that was set up; ``free``: seats that nobody has yet."""
    if free:
        return f"waits for {free} more; who writes MITSPIELEN {code} or JOIN {code} is in, and the last one starts it"
    if start_now:
        return "is dealt; the next tick sends the mails"
    return f"is set up; `moderator match start {code}` deals"


@click.command("start")
@click.argument("code", type=MATCH)
@click.option("--salt", "salts", multiple=True, help="A word from a player for the shuffle, as NAME:WORD; repeatable.")
@with_json_option("match")
@click.pass_obj
def deal_named_match(config_file: Path | None, code: str, salts: tuple[str, ...], as_json: bool) -> None:
    """Deal a match that was set up; the next tick sends the mails."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        start_match(work, row, salts)
        code = row.code
    _print_match(work.config, code, f"Match {code} is dealt; the next tick sends the mails.", as_json)


@click.command("export")
@click.argument("code", type=ANY_MATCH)
@click.pass_obj
def print_match_record(config_file: Path | None, code: str) -> None:
    """Print the record of a finished match, for programs and archives."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        if row.status != MatchStatus.FINISHED:
            raise OperatorError(
                f"Match {row.code} is {row.status}.", "A record holds the deal, so it waits for the end."
            )
        found = build_match_record(work.session, row, [player.name for player in work.list_players(row)])
    click.echo(to_escaped_json(found))
