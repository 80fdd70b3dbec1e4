"""`moderator replay`, `analyse` and `verify`: a record file, offline; nothing is needed but the file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import click

from moderator import games
from moderator.cli.group import with_json_option
from moderator.common.errors import ConfigError, ExitCode, RecordError
from moderator.common.text import escape_unprintable, to_escaped_json
from moderator.rules.game import Words
from moderator.rules.records.file import MatchRecord, parse_record_text, read_record_file
from moderator.rules.records.record import Verification, build_record_analysis, build_replay_report, verify_record
from moderator.settings import load_config

RECORD = click.argument("record", type=click.Path(path_type=Path, allow_dash=True), metavar="RECORD")


@click.command()
@RECORD
@with_json_option("report")
@click.option("--trace", is_flag=True, help="Add the state and all legal moves after every move.")
@click.option("--strict", is_flag=True, help="Exit with 2 if a move was illegal or unreadable.")
@click.pass_context
def replay(ctx: click.Context, record: Path, as_json: bool, trace: bool, strict: bool) -> None:
    """Play a record and report each move. RECORD may be - for standard input."""
    found = _load_record_file(record)
    report = build_replay_report(found, _open_words(found, ctx.obj), trace=trace)
    click.echo(to_escaped_json(report) if as_json else escape_unprintable(_format_replay(report, found.seats)))
    if strict and any(move["played"] is None and move["refused"] for move in report["moves"]):
        ctx.exit(ExitCode.USAGE)


@click.command()
@RECORD
@with_json_option("analysis")
@click.option("--all", "everything", is_flag=True, help="List all legal moves, not only the best 20.")
@click.pass_context
def analyse(ctx: click.Context, record: Path, as_json: bool, everything: bool) -> None:
    """List the legal moves at the end of a record, best first."""
    found = _load_record_file(record)
    report = build_record_analysis(found, _open_words(found, ctx.obj), limit=None if everything else 20)
    if as_json:
        click.echo(to_escaped_json(report))
    elif report["seat"] is None:
        click.echo("The match is over.")
    else:
        click.echo(escape_unprintable(f"{found.seats[report['seat']]} to move: {len(report['moves']) or 'no'} moves"))
        for move in report["moves"]:
            click.echo(escape_unprintable(f"{move['points']:>5}  {move['move']}"))


@click.command()
@RECORD
@with_json_option("verification")
@click.pass_context
def verify(ctx: click.Context, record: Path, as_json: bool) -> None:
    """Check a record: the deal, the commitments and the result. Every round is dealt again from its seed."""
    found = _load_record_file(record)
    report = verify_record(found, _open_words(found, ctx.obj))
    click.echo(
        to_escaped_json(report) if as_json else escape_unprintable("\n".join(_iter_verification_lines(report, found)))
    )
    if not report["ok"]:
        ctx.exit(ExitCode.OPERATOR)


def _iter_verification_lines(report: Verification, record: MatchRecord) -> Iterator[str]:
    """Yield the deal and the checks for people."""
    for seat, hand in enumerate(report["deal"]["hands"]):
        shared = len(report["deal"]["hands"]) == 1
        yield f"Dealt to {'all' if shared else record.seats[seat]}: {' '.join(hand)}"
    yield f"Stock: {' '.join(report['deal']['stock'])}"
    if record.game.seeded_rounds:
        for deal in report["deals"]:
            yield f"{deal['label']}, as shuffled, next first: {' '.join(deal['tiles'])}"
    for check in report["checks"]:
        yield f"{'ok ' if check['ok'] else 'NOT'} {check['check']}: {check['detail']}"
    if not report["checks"]:
        yield 'Nothing to check: the record has neither "commitment(s)" nor "result".'


def _load_record_file(path: Path) -> MatchRecord:
    if str(path) != "-":
        return read_record_file(path, games.load_game)
    try:
        with click.open_file("-", "rb") as stream:
            return parse_record_text(stream.read().decode("utf-8"), games.load_game, "standard input")
    except UnicodeDecodeError as error:
        raise RecordError("Standard input is not UTF-8.", "Save the record as UTF-8.") from error


def _open_words(record: MatchRecord, config_file: Path | None) -> Words | None:
    """Return the configured dictionary, opened only for a record without its own lexicon."""
    if record.lexicon is not None or not record.game.uses_words:
        return None
    try:
        config = load_config(config_file)
    except ConfigError as error:
        hint = 'Add "lexicon": ["WORD", …] or "any" to it.'
        raise RecordError(f"The record has no lexicon, and: {error.message} {error.hint}", hint) from error
    from moderator.words.dictionary import open_dictionary  # it locks files: not on Windows

    dictionary: Words = open_dictionary(
        config.resolve_path(config.words.folder),
        config.words.lexicons,
        ask_if_in=config.words.ask_if_in,
        house=[config.resolve_path(config.words.house), Path(str(resources.files("moderator.words") / "house.tsv"))],
        policy=getattr(record.options, "policy", "topwords"),
        unknown="reject",
        reference=config.words.reference,
    )
    return dictionary


def _format_replay(report: Mapping[str, Any], seats: tuple[str, ...]) -> str:
    """Return the report for people: moves in order with what they led to, then the table as it stands."""
    lines = [_format_event(event, seats) for event in report["events"] if event["n"] == 0]
    numbers = dict.fromkeys([*(m["n"] for m in report["moves"]), *(e["n"] for e in report["events"] if e["n"])])
    traced = {moment["after"]: moment for moment in report.get("trace", ())}
    lines += _format_trace(traced, 0)
    for n in sorted(numbers):
        for move in (move for move in report["moves"] if move["n"] == n):
            lines += _format_move(move, seats)
        lines += [_format_event(event, seats) for event in report["events"] if event["n"] == n]
        lines += _format_trace(traced, n)
    lines += ["", *(f"{name}: {score}" for name, score in zip(seats, report["scores"], strict=True))]
    if len(report["hands"]) == 1:
        lines.append(f"Common hand: {' '.join(report['hands'][0])}")
    else:
        lines += [f"Hand of {name}: {' '.join(hand)}" for name, hand in zip(seats, report["hands"], strict=True)]
    lines.append(f"Stock: {report['stock']}")
    lines += _format_public_state(report["public"])
    if report["over"]:
        lines.append(f"Over. Won by: {_join_seat_names(report['winners'], seats) or 'nobody'}")
    else:
        lines.append(f"To move: {_join_seat_names(report['to_move'], seats)}")
    return "\n".join(lines)


def _format_move(move: dict[str, Any], seats: tuple[str, ...]) -> list[str]:
    lines = [
        f"{' ':5}   refused {refused['text']!r}: {refused['code']}{_format_params(refused['params'])}"
        for refused in move["refused"]
    ]
    words = ", ".join(f"{word['word']} {word['points']}" for word in move["words"])
    which = f" (alternative {move['alternative']})" if move["alternative"] > 1 else ""
    played = move["played"] if move["played"] is not None else "nothing played"
    head = f"{move['n']:>4}. {seats[move['seat']]}: {played}{which}: {move['points']}"
    return [head + (f" = {words}" if words else ""), *lines]


def _format_event(event: dict[str, Any], seats: tuple[str, ...]) -> str:
    who = f"{seats[event['seat']]}: " if event["seat"] is not None else ""
    points = f" {event['points']:+}" if event["points"] else ""
    return f"{' ':5}   {who}{event['code']}{_format_params(event['params'])}{points}"


def _format_trace(traced: dict[int, dict[str, Any]], n: int) -> list[str]:
    if n not in traced:
        return []
    moment = traced[n]
    legal = moment["legal"]
    found = "; ".join(f"{move['move']} {move['points']}" for move in legal or ()) or "none"
    return [f"{' ':5}   scores {moment['scores']}", f"{' ':5}   legal: {'not listed' if legal is None else found}"]


def _format_public_state(public: dict[str, Any]) -> list[str]:
    """Return one line per key; a grid of texts is printed row by row."""
    lines = []
    for key, value in public.items():
        if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            width = max((len(str(cell)) for row in value for cell in row), default=0) or 1
            lines += [f"{key}:", *("  " + " ".join(str(cell or ".").ljust(width) for cell in row) for row in value)]
        else:
            lines.append(f"{key}: {value if isinstance(value, str | int) else json.dumps(value, ensure_ascii=False)}")
    return lines


def _format_params(params: dict[str, Any]) -> str:
    shown = (
        f"{key} {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for key, value in params.items()
        if value
    )
    text = ", ".join(shown)
    return f" ({text})" if text else ""


def _join_seat_names(numbers: list[int], seats: tuple[str, ...]) -> str:
    return ", ".join(seats[seat] for seat in numbers)
