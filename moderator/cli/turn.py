"""`moderator turn` and `compose`: a turn as a mail carries it, read and answered offline; nothing is needed but the
mail. See docs/build/turn.md."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid
from pathlib import Path
from typing import Any

import click

from moderator import games
from moderator.cli.group import with_json_option
from moderator.common import clock
from moderator.common.enums import MailKind
from moderator.common.errors import ExitCode, OperatorError, PlayerError, RecordError
from moderator.common.mails import Line
from moderator.common.text import escape_unprintable
from moderator.language.messages import render_note, translate_move, write_move
from moderator.language.spelling import get_game_name
from moderator.mail.clean import get_raw_field, parse_addresses, parse_message_ids
from moderator.mail.mime import decode_part_bytes, iter_leaves, parse_mime
from moderator.notifications.content import ReplyAddress
from moderator.notifications.pages import MatchView, Page, Reader, SeatView
from moderator.render.boards import render_board_lines
from moderator.render.mails.position import build_rack_groups, render_situation, show_seats
from moderator.render.mails.sections import write_label
from moderator.render.mails.subject import build_mail_head
from moderator.render.text import build_mailto
from moderator.render.turn_picture import add_moves
from moderator.rules import turn_data
from moderator.rules.game import Game
from moderator.rules.orders.parse import ParsedOrders, list_alternatives, parse_order_lines
from moderator.rules.silence import SeatStatus
from moderator.rules.state import Note, View
from moderator.rules.table import MatchState, preview_order
from moderator.rules.turn_data import MOST_IN_A_LINK, TurnData, build_turn_view, encode_turn_link

MOST_MAIL = 30 << 20
"""Bytes that are read of a file."""
FILE = click.argument("file", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE")
MATCH = click.option("--match", "code", help="The match, if the mail asks for moves in several.")


@dataclass(frozen=True)
class GivenTurn:
    """A turn as it was given."""

    data: TurnData
    text: bytes
    """The file itself."""
    reader: str = ""
    """Address that the mail went to."""
    message_id: str = ""


@click.command()
@FILE
@MATCH
@with_json_option("turn")
@click.option("--fragment", is_flag=True, help="Print it packed, as it stands behind the # of an address.")
def turn(file: Path, code: str | None, as_json: bool, fragment: bool) -> None:
    """Show the position that a mail carries, and where to answer. FILE is a mail (.eml) or its attachment (.json), or -
    for standard input."""
    given = _load_given_turn(file, code)
    if as_json:
        click.echo(given.text.decode("utf-8", "replace"), nl=False)
        return
    if fragment:
        click.echo(_pack_fragment(add_moves(given.data)))
        return
    game = _load_game(given.data)
    click.echo(escape_unprintable("\n".join(_build_position_lines(given.data, game))))


@click.command()
@FILE
@click.argument("order", nargs=-1, required=True)
@MATCH
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File for the mail. [default: stdout]")
@click.option("--mailto", "as_mailto", is_flag=True, help="Print a mailto: link instead of a mail.")
@click.option("--from", "sender", help="Your address. [default: the one that the mail went to]")
@click.option("--anyway", is_flag=True, help="Write it even if no move of it is possible on the board.")
@click.pass_context
def compose(
    ctx: click.Context,
    file: Path,
    order: tuple[str, ...],
    code: str | None,
    output: Path | None,
    as_mailto: bool,
    sender: str | None,
    anyway: bool,
) -> None:
    """Write the answer to a turn as a mail. Each ORDER is a line: the move, then fallbacks. If one cannot be read or
    played, nothing is written, and the exit code is 2."""
    given = _load_given_turn(file, code)
    game = _load_game(given.data)
    lines, faults = _build_answer_lines(given.data, game, order, anyway)
    for fault in faults:
        click.echo(escape_unprintable(fault), err=True)
    if not lines:
        ctx.exit(ExitCode.USAGE)
    reply = given.data.reply
    if as_mailto:
        click.echo(build_mailto(ReplyAddress(reply.address, reply.subject, "\n".join(lines)), ""))
        return
    mail = _build_answer_mail(given, lines, sender or given.reader)
    if output is None or str(output) == "-":
        with click.open_file("-", "wb") as stream:
            stream.write(mail)
        return
    try:
        output.write_bytes(mail)
    except OSError as error:
        raise OperatorError(f"{output} cannot be written: {error.strerror}.", "Name another file.") from error


# ---- what was given ----


def _load_given_turn(file: Path, code: str | None) -> GivenTurn:
    """Load the turn in a file. Raises RecordError."""
    name, data = _read_turn_file(file)
    alone = data.lstrip()[:1] == b"{"
    found = [GivenTurn(turn_data.decode_turn(data), data)] if alone else list(_iter_turns_in_mail(data))
    chosen = [given for given in found if code is None or given.data.match.upper() == code.upper()]
    codes = ", ".join(given.data.match for given in found)
    if not found:
        raise RecordError(f"{name} holds no turn.", "Give a mail that asks for a move, or its attachment turn-….json.")
    if not chosen:
        raise RecordError(f"{name} holds no turn of match {code}.", f"It holds: {codes}.")
    if len(chosen) > 1:
        raise RecordError(f"{name} holds {len(chosen)} turns: {codes}.", f"Name one: --match {chosen[0].data.match}.")
    return chosen[0]


def _pack_fragment(data: TurnData) -> str:
    if found := encode_turn_link(data):
        return found
    raise RecordError(
        f"Packed, this turn has more than {MOST_IN_A_LINK} characters.", "Give the page the attachment itself."
    )


def _read_turn_file(file: Path) -> tuple[str, bytes]:
    name = "Standard input" if str(file) == "-" else str(file)
    try:
        with click.open_file(str(file), "rb") as stream:
            data = stream.read(MOST_MAIL + 1)
    except OSError as error:
        raise RecordError(f"{name} cannot be read: {error.strerror}.", "Name a mail or its attachment.") from error
    if len(data) > MOST_MAIL:
        raise RecordError(f"{name} is larger than any mail.", "Name a mail or its attachment.")
    return name, data


def _iter_turns_in_mail(data: bytes) -> Iterator[GivenTurn]:
    """Yield the turns that a mail carries. Raises RecordError for a damaged one."""
    message, _ = parse_mime(data)
    readers = [address for _, address in parse_addresses(get_raw_field(message, "To")) if address]
    ids = parse_message_ids(get_raw_field(message, "Message-ID"))
    for part in iter_leaves(message):
        if part.get_content_type() == turn_data.KIND:
            text = decode_part_bytes(part)
            yield GivenTurn(turn_data.decode_turn(text), text, (readers or [""])[0], (ids or [""])[0])


def _load_game(data: TurnData) -> Game[Any, Any]:
    if data.game not in games.REGISTRY:
        raise RecordError(f"The game {data.game[:40]!r} is not known here.", "Install the package that brings it.")
    return games.load_game(data.game)


# ---- the position ----


def _build_position_lines(data: TurnData, game: Game[Any, Any]) -> list[str]:
    """Return the position for people, in the words of the mails."""
    view = build_turn_view(data, game)
    page = _build_turn_page(data, game, view)
    head = build_mail_head(page)
    shown = [f"{head.headline} [{data.match}, {data.entry}]", *head.lines, ""]
    shown += render_situation(page)
    if view is None:
        shown.append(json.dumps(data.board, ensure_ascii=False))
    else:
        shown += render_board_lines(game.build_scene(view), data.language)
    shown.append("")
    for colour, tiles in build_rack_groups(page):
        name = colour or write_label(page, "section-tiles-common" if data.common else "section-tiles")
        shown.append(f"{name}: {' '.join(tiles)}")
    shown += [line for block in show_seats(page) for line in ("", *block.format_lines())]
    shown.append(f"mailto:{data.reply.address}  {data.reply.subject}")
    return shown


def _build_turn_page(data: TurnData, game: Game[Any, Any], view: View[Any] | None) -> Page:
    """Return the turn as a page, so that everything is said in the words that the mails have."""
    options = dict(data.options)
    names = data.names or tuple(str(seat + 1) for seat in range(len(data.scores)))
    tiles = data.tiles or (None,) * len(data.scores)
    return Page(
        MailKind.TURN,
        Reader(names[data.seat], "", data.language, data.zone),
        "",
        clock.get_wall_time(),
        match=MatchView(
            code=data.match,
            name=data.name,
            game=data.game,
            game_name=get_game_name(data.game, data.language),
            pace=str(options.get("pace", "")),
            round=data.round,
            options=options,
        ),
        reply=ReplyAddress(data.reply.address, data.reply.subject),
        deadline=_parse_deadline(data),
        rack=data.rack,
        rack_common=data.common,
        stock=data.stock,
        stock_kinds=view.stock_kinds if view else {},
        situation=game.describe_situation(view) if view else (),
        seats=tuple(
            SeatView(
                seat,
                names[seat],
                score,
                you=seat == data.seat,
                status=SeatStatus.TO_MOVE if seat == data.seat else SeatStatus.IDLE,
                tiles=tiles[seat],
            )
            for seat, score in enumerate(data.scores)
        ),
        names=names,
        club_zone=data.zone,
    )


def _parse_deadline(data: TurnData) -> Any:
    try:
        return datetime.fromisoformat(data.deadline) if data.deadline else None
    except ValueError as error:
        raise RecordError(
            "This turn is damaged: its deadline is no time.", "Give the attachment as it came."
        ) from error


# ---- the answer ----


def _build_answer_lines(
    data: TurnData, game: Game[Any, Any], order: tuple[str, ...], anyway: bool
) -> tuple[list[str], list[str]]:
    """Return the lines of the answer, [] if there is to be none, and what is wrong, in the sentences of the mails."""
    view = turn_data.build_turn_view(data, game)
    if view is None:
        return list(order), [f"moderator: {data.game} is judged by the referee alone; the order was not checked."]
    sheet, faults = _parse_order(data, game, view, order)
    if faults:
        return [], faults
    options = turn_data.parse_turn_options(data, game)
    state = turn_data.build_possible_state(game, view, options)
    looked = preview_order(game, MatchState(state, options.pace, 0), data.seat, sheet.text, turn_data.CONTEXT)
    faults = [
        _format_fault(
            write_move(one.canonical or one.text, data.language, data.game), one.refused.code, one.refused.params, data
        )
        for one in looked
        if one.refused is not None
    ]
    if faults and len(faults) == len(looked) and not anyway:
        return [], faults
    alternatives = [piece.text for piece in list_alternatives(sheet.text, game.style)]
    lines = [f"sonst {text}" if number else text for number, text in enumerate(alternatives)]
    return [translate_move(line, data.language, data.game) for line in lines], faults


def _parse_order(
    data: TurnData, game: Game[Any, Any], view: View[Any], order: tuple[str, ...]
) -> tuple[ParsedOrders, list[str]]:
    """Return the order, read as the referee reads a mail, and what of it is no move."""
    written = [line for one in order for line in one.splitlines() if line.strip()]
    numbered = [Line(number, line) for number, line in enumerate(written, start=1)]
    sheet = parse_order_lines(numbered, lambda text: game.parse_move(text, view), game.format_move, game.style)
    faults = []
    for line in sheet.lines:
        error = line.error
        if line.status == "text":
            try:
                game.parse_move(line.text, view)
            except PlayerError as wrong:
                error = wrong
        if error is not None:
            faults.append(_format_fault(line.text, error.code, error.params, data))
    if not sheet.orders and not faults:
        raise OperatorError("The order is empty.", 'Write the move behind the file, as in "E5 w HAUS".')
    return sheet, faults


def _format_fault(text: str, code: str, params: Any, data: TurnData) -> str:
    said = render_note(Note(code, params), data.language, data.game, data.names)
    return said if text.strip() in said else f"{text.strip()}: {said}"


def _build_answer_mail(given: GivenTurn, lines: list[str], sender: str) -> bytes:
    """Return the answer, to be sent by any mail program; X-Unsent opens it as a draft where that is known."""
    reply, mail = given.data.reply, EmailMessage(policy=SMTP)
    try:
        if sender:
            mail["From"] = sender
        mail["To"], mail["Subject"] = reply.address, f"Re: {reply.subject}"
    except ValueError as error:
        raise OperatorError("There is a sign in an address that no mail may have.", "Look at --from.") from error
    mail["Date"] = format_datetime(clock.get_wall_time())
    mail["Message-ID"] = make_msgid(domain=reply.address.rpartition("@")[2] or None)
    if given.message_id:
        mail["In-Reply-To"] = mail["References"] = given.message_id
    mail["X-Unsent"] = "1"
    mail.set_content("\n".join(lines) + "\n", cte="quoted-printable")
    return mail.as_bytes()
