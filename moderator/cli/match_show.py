"""`moderator match show`, `log`, `check` and `state`: how a match stands, and whether that is so. Nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from moderator.cli import club_names
from moderator.cli.group import print_rows, with_json_option
from moderator.cli.json_types import EntryLine, MatchPosition, ReplayedLine, SeatLine, StateFound
from moderator.cli.lists import read_match
from moderator.cli.session import format_club_time, open_club
from moderator.cli.texts import SPOKEN, say_lines
from moderator.commands.moderator.show import find_order_code
from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.common.text import count_noun, to_escaped_json
from moderator.language.dates import format_timestamp
from moderator.language.messages import render_label, render_note
from moderator.notifications.pages import MatchView
from moderator.render.boards import render_board_lines
from moderator.render.mails import task
from moderator.render.mails.match_sections import render_agreed_options
from moderator.rules.game import resolve_option_values
from moderator.rules.log import to_plain_value
from moderator.rules.replay import drop_undone
from moderator.rules.state import Note, view_for
from moderator.rules.turn_data import build_table_values
from moderator.run.timeline import encode_log_entry, format_log_entry, load_deciders
from moderator.service.create import get_match
from moderator.settings import Config
from moderator.store import matches, matches_log
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views import match_state
from moderator.views.loaded_match import (
    LiveMatch,
    MatchSuspended,
    find_match_ending,
    load_log_entries,
    load_match_rules,
    rebuild_match,
)
from moderator.views.match_state import verify_state_line
from moderator.views.match_view import build_public_match_view
from moderator.views.people import get_play_style
from moderator.views.unit_of_work import UnitOfWork


@click.command("show")
@click.argument("code", type=club_names.ANY_MATCH)
@with_json_option("position")
@click.pass_obj
def show_match_position(config_file: Path | None, code: str, as_json: bool) -> None:
    """Show the board, the scores and whose move it is. Racks stay hidden."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        if not as_json:
            say_lines(f"{row.code} {row.name}: {row.game}, {row.status}, {count_noun(row.entries, 'entry')} in the log")
        try:
            live = work.cache.load_match(work.session, row) if row.status != MatchStatus.OPEN else None
        except MatchSuspended as error:
            raise OperatorError(error.reason, "See `moderator match check`.") from error
        if as_json:
            click.echo(to_escaped_json(_build_position(work, row, live)))
            return
        if live is None:
            say_lines("Seats: " + ", ".join(_format_player(work.config, player) for player in work.list_players(row)))
            for line in _render_unusual_options(row):
                say_lines(line)
            return
        for line in _iter_position_lines(work, row, live):
            say_lines(line)


def _iter_position_lines(work: UnitOfWork, row: MatchRow, live: LiveMatch) -> Iterator[str]:
    state = live.table.state
    if live.game.seeded_rounds:
        yield f"Round {state.public.round}"
    yield from render_board_lines(live.game.build_scene(view_for(state, None)), SPOKEN.get())
    for seat, player in work.list_seated(row):
        code = "" if state.over else find_order_code(live, seat.number)
        ordered = render_note(Note(code), SPOKEN.get()) if code else ""
        yield f"{state.scores[seat.number]:>5}  {_format_player(work.config, player):<24} {ordered}".rstrip()
    if ended := find_match_ending(work.session, row):
        yield from task.render_full_ending(ended, [player.name for player in work.list_players(row)], SPOKEN.get())
    if row.deadline:
        yield f"Deadline {format_timestamp(row.deadline, work.config.club.zone)}"
    known = match_state.build_ruling_notes(work.session, work.cache, row, live)
    yield from render_agreed_options(
        build_public_match_view(row, live, SPOKEN.get(), rulings=known), SPOKEN.get(), only_changed=True
    )


def _render_unusual_options(row: MatchRow) -> tuple[str, ...]:
    """Return sentences on what is unlike the usual in a match that has not begun."""
    _, options = load_match_rules(row)
    info = MatchView(row.code, row.name, row.game, row.game, options.pace, 0, options=asdict(options))
    return render_agreed_options(info, SPOKEN.get(), only_changed=True)


def _format_player(config: Config, player: PlayerRow) -> str:
    """Return the player's name, with how well it plays if it is a robot."""
    how = get_play_style(config, player)
    return (
        f"{player.name} ({render_label('robot', 'en', how=render_label(f'plays-{how}', 'en'))})" if how else player.name
    )


def _build_position(work: UnitOfWork, row: MatchRow, live: LiveMatch | None) -> MatchPosition:
    """Return the position as values. ``live``: None where nothing was dealt."""
    state, ended = live.table.state if live else None, find_match_ending(work.session, row)
    seats: list[SeatLine] = [
        {
            "seat": seat.number,
            "name": player.name,
            "robot": get_play_style(work.config, player) or None,
            "score": state.scores[seat.number],
            "awaited": seat.number in state.to_move,
            "order": live.get_stored_order_state(seat.number),
        }
        for seat, player in work.list_seated(row)
        if live and state
    ]
    return {
        **read_match(work.config, row.code),
        "entries": row.entries,
        "round": state.public.round if state else None,
        "seats": seats,
        "ending": ended.to_json() if ended else None,
        "options": dict(resolve_option_values(live.game, live.options, state.seats)) if live and state else None,
        "board": to_plain_value(build_table_values(live.game, view_for(state, None))) if live and state else None,
    }


@click.command("check")
@click.argument("codes", nargs=-1, type=club_names.ANY_MATCH)
@with_json_option("replayed", lines=True)
@click.pass_obj
def check_match_logs(config_file: Path | None, codes: tuple[str, ...], as_json: bool) -> None:
    """Replay the logs of matches; without CODES, of all that have begun and are not over."""
    bad = 0
    with open_club(config_file) as work:
        rows = [get_match(work.session, code) for code in codes] or matches.list_running(work.session)
        for row in rows:
            values, line = _build_replayed_row(work.session, work.config, row)
            bad += not values["ok"]
            print_rows([(values, line)], as_json)
    if bad:
        raise OperatorError(
            f"Logs that do not replay: {bad} of {len(rows)}.", "Keep a copy of the database and ask for help."
        )


def _build_replayed_row(session: Session, config: Config, row: MatchRow) -> tuple[ReplayedLine, str]:
    values: ReplayedLine = {"match": row.code, "ok": True, "entries": None, "scores": None, "trouble": None}
    try:
        live = rebuild_match(session, row, config.deadlines)
    except MatchSuspended as error:
        values["ok"], values["trouble"] = False, error.reason
        return values, f"{row.code}: {error.reason}"
    values["entries"], values["scores"] = live.entries, list(live.table.state.scores)
    return values, f"{row.code}: {count_noun(live.entries, 'entry')} replayed, scores {values['scores']}"


@click.command("state")
@click.argument("words", nargs=-1, required=True, metavar="LINE")
@with_json_option("state")
@click.pass_obj
def verify_signed_state(config_file: Path | None, words: tuple[str, ...], as_json: bool) -> None:
    """Check the signed line at the end of a report: is it ours, and when was it true?"""
    with open_club(config_file) as work:
        found = verify_state_line(work.session, " ".join(words))
        after = f"entry {found.entry} of the log" if found.entry else "the deal"
        when = f" ({format_club_time(found.at, work.config)})" if found.at else ""
        since = "it stands so now" if not found.later else f"{count_noun(found.later, 'entry')} came later"
        gone = "; that entry was taken back" if found.undone else ""
        values: StateFound = {
            "match": found.match.code,
            "entry": found.entry,
            "at": found.at,
            "later": found.later,
            "taken_back": found.undone,
        }
        line = f"True: match {found.match.code} stood so after {after}{when}; {since}{gone}."
        print_rows([(values, line)], as_json)


@click.command("log")
@click.argument("code", type=club_names.ANY_MATCH)
@with_json_option("entry", lines=True)
@click.pass_obj
def show_match_log(config_file: Path | None, code: str, as_json: bool) -> None:
    """Show the log of a match: what happened, when, and who decided it. Racks and drawn tiles stay hidden."""
    with open_club(config_file) as work:
        row = get_match(work.session, code)
        called = [player.name for player in work.list_players(row)]
        times = matches_log.load_event_times(work.session, row.number).values()
        entries = load_log_entries(work.session, row)
        holds = {number for number, _ in drop_undone(entries)}
        deciders = load_deciders(work.session, row)
        rows = []
        for number, (at, entry) in enumerate(zip(times, entries, strict=True), start=1):
            counts = number in holds or entry.kind == LogEntryKind.UNDO
            words = format_log_entry(entry, called, work.config.club.zone)
            by = deciders.get(number)
            line = f"{' ' if counts else '-'}{number:>4}  {format_club_time(at, work.config)}  {words}".rstrip()
            values: EntryLine = {
                "entry": number,
                "at": at,
                "what": " ".join(words.split()),
                "kind": entry.kind,
                "who": called[entry.seat] if entry.seat is not None else None,
                "values": encode_log_entry(entry, called),
                "by": by,
                "taken_back": not counts,
            }
            rows.append((values, f"{line} (by {by})" if by else line))
    print_rows(rows, as_json)
