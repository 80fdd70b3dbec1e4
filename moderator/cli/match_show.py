"""`moderator match show`, `log`, `check` and `state`: how a match stands, and whether that is so. Nothing changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moderator.cli import names
from moderator.cli.listing import listed, printing
from moderator.states import EntryKind, MatchStatus, Stopped

if TYPE_CHECKING:
    from moderator.cli.printed import EntryLine, MatchLine, MatchPosition, ReplayedLine, SeatLine, StateFound
    from moderator.club.desk import Desk
    from moderator.club.live_match import LiveMatch
    from moderator.store.models import Match, Player


def listed_match(desk: Desk, row: Match) -> tuple[MatchLine, str]:
    from moderator.pages.dates import stamp
    from moderator.play.create import free_seats

    free = free_seats(desk, row)
    due = f"ZAT {stamp(row.deadline, desk.config.club.zone)}" if row.deadline else ""
    due = f"{free} of {row.wanted} seats free" if free else due
    due = "waits until its players have confirmed it" if row.stopped == Stopped.CONFIRM else due
    state = "waits for a ruling" if row.held else row.trouble or due
    values: MatchLine = {
        "match": row.code,
        "game": row.game,
        "name": row.name,
        "status": row.status,
        "players": [player.name for player in desk.players(row)],
        "free_seats": free,
        "deadline": row.deadline,
        "waits_for_ruling": row.held,
        "clock_stands": row.stopped or None,
        "trouble": row.trouble or None,
    }
    return values, f"{row.code:<6} {row.game:<10} {row.name:<24} {row.status:<10} {state}"


@click.command("show")
@click.argument("code", type=names.ANY_MATCH)
@printing("position")
@click.pass_obj
def show(config_file: Path | None, code: str, as_json: bool) -> None:
    """Board, scores and who is awaited. Racks stay hidden."""
    from moderator.cli.session import opened
    from moderator.club.live_match import Suspended
    from moderator.errors import OperatorError
    from moderator.play.create import find_match
    from moderator.printable import json_spelt_out

    with opened(config_file) as desk:
        row = find_match(desk.session, code)
        if not as_json:
            click.echo(f"{row.code} {row.name}: {row.game}, {row.status}, {row.entries} entries in the log")
        try:
            live = desk.cache.live(desk.session, row) if row.status != MatchStatus.OPEN else None
        except Suspended as error:
            raise OperatorError(error.reason, "See `moderator match check`.") from error
        if as_json:
            click.echo(json_spelt_out(_position(desk, row, live)))
            return
        if live is None:
            click.echo("Seats: " + ", ".join(_called(desk, player) for player in desk.players(row)))
            for line in _agreed(row):
                click.echo(line)
            return
        for line in _standing(desk, row, live):
            click.echo(line)


def _standing(desk: Desk, row: Match, live: LiveMatch) -> Iterator[str]:
    from moderator.club import match_rulings
    from moderator.club.endings import ending_of
    from moderator.commands.moderator.looking import order_code
    from moderator.match.contract import Note, view_for
    from moderator.outbox.match_pages import match_info
    from moderator.pages import ending
    from moderator.pages.agreed import agreed_lines
    from moderator.pages.boards import lines
    from moderator.pages.dates import stamp
    from moderator.pages.messages import sentence

    state = live.table.state
    if live.game.seeded_rounds:
        yield f"Round {state.public.round}"
    yield from lines(live.game.scene(view_for(state, None)), "en")
    for seat, player in desk.seated(row):
        mark = "awaited" if seat.number in state.to_move else ""
        code = "" if state.over else order_code(live, seat.number)
        ordered = sentence(Note(code), "en") if code else ""
        yield f"{state.scores[seat.number]:>5}  {_called(desk, player):<24} {mark} {ordered}".rstrip()
    if ended := ending_of(desk.session, row):
        yield from ending.at_length(ended, [player.name for player in desk.players(row)], "en")
    if row.deadline:
        yield f"ZAT {stamp(row.deadline, desk.config.club.zone)}"
    known = match_rulings.told(desk, row, live)
    yield from agreed_lines(match_info(row, live, "en", rulings=known), "en", only_changed=True)


def _agreed(row: Match) -> tuple[str, ...]:
    """What is unlike the usual in a match that has not begun."""
    from dataclasses import asdict

    from moderator.club.live_match import rules_of
    from moderator.pages.agreed import agreed_lines
    from moderator.pages.pages import MatchInfo

    _, options = rules_of(row)
    info = MatchInfo(row.code, row.name, row.game, row.game, options.pace, 0, options=asdict(options))
    return agreed_lines(info, "en", only_changed=True)


def _called(desk: Desk, player: Player) -> str:
    """With how well it plays, if it is a robot."""
    from moderator.club.names import plays_as
    from moderator.pages.messages import label

    how = plays_as(desk.config, player)
    return f"{player.name} ({label('robot', 'en', how=label(f'plays-{how}', 'en'))})" if how else player.name


def _position(desk: Desk, row: Match, live: LiveMatch | None) -> MatchPosition:
    """``live``: None where nothing was dealt."""
    from moderator.club.endings import ending_of
    from moderator.club.names import plays_as
    from moderator.match.contract import agreed, view_for
    from moderator.match.result import plain
    from moderator.match.turn_data import table_of

    state, ended = live.table.state if live else None, ending_of(desk.session, row)
    seats: list[SeatLine] = [
        {
            "seat": seat.number,
            "name": player.name,
            "robot": plays_as(desk.config, player) or None,
            "score": state.scores[seat.number],
            "awaited": seat.number in state.to_move,
            "order": live.order(seat.number),
        }
        for seat, player in desk.seated(row)
        if live and state
    ]
    return {
        **listed_match(desk, row)[0],
        "entries": row.entries,
        "round": state.public.round if state else None,
        "seats": seats,
        "ending": ended.as_json() if ended else None,
        "options": dict(agreed(live.game, live.options, state.seats)) if live and state else None,
        "board": plain(table_of(live.game, view_for(state, None))) if live and state else None,
    }


@click.command("check")
@click.argument("codes", nargs=-1, type=names.ANY_MATCH)
@printing("replayed", lines=True)
@click.pass_obj
def check(config_file: Path | None, codes: tuple[str, ...], as_json: bool) -> None:
    """Replay the logs of CODES (default: all running and suspended matches)."""
    from moderator.cli.session import opened
    from moderator.errors import OperatorError
    from moderator.play.create import find_match
    from moderator.store import matches

    bad = 0
    with opened(config_file) as desk:
        rows = [find_match(desk.session, code) for code in codes] or matches.going(desk.session)
        for row in rows:
            values, line = _replayed(desk, row)
            bad += not values["ok"]
            listed([(values, line)], as_json)
    if bad:
        raise OperatorError(
            f"{bad} of {len(rows)} logs do not replay.", "Keep a copy of the database and ask for help."
        )


def _replayed(desk: Desk, row: Match) -> tuple[ReplayedLine, str]:
    from moderator.club.live_match import Suspended, rebuild

    try:
        live = rebuild(desk.session, row, desk.config.deadlines)
    except Suspended as error:
        reason = str(error.reason)
        return {
            "match": row.code,
            "ok": False,
            "entries": None,
            "scores": None,
            "trouble": reason,
        }, f"{row.code}: {reason}"
    scores = list(live.table.state.scores)
    values: ReplayedLine = {
        "match": row.code,
        "ok": True,
        "entries": live.entries,
        "scores": scores,
        "trouble": None,
    }
    return values, f"{row.code}: {live.entries} entries replay, scores {scores}"


@click.command("state")
@click.argument("words", nargs=-1, required=True, metavar="LINE")
@printing("state")
@click.pass_obj
def state(config_file: Path | None, words: tuple[str, ...], as_json: bool) -> None:
    """Whether LINE, the signed state at the end of a report, is ours, and when it was true."""
    from moderator.cli.session import opened, shown
    from moderator.club.state_line import check

    with opened(config_file) as desk:
        found = check(desk, " ".join(words))
        after = f"entry {found.entry} of the log" if found.entry else "the deal"
        when = f" ({shown(found.at, desk.config)})" if found.at else ""
        since = "it stands so now" if not found.later else f"{found.later} entries came later"
        gone = "; that entry was taken back" if found.undone else ""
        values: StateFound = {
            "match": found.match.code,
            "entry": found.entry,
            "at": found.at,
            "later": found.later,
            "taken_back": found.undone,
        }
        line = f"True: match {found.match.code} stood so after {after}{when}; {since}{gone}."
        listed([(values, line)], as_json)


@click.command("log")
@click.argument("code", type=names.ANY_MATCH)
@printing("entry", lines=True)
@click.pass_obj
def log(config_file: Path | None, code: str, as_json: bool) -> None:
    """The log of a match: number, time on the club's clock, what happened, and who decided it if it was no player.
    Racks and drawn tiles stay hidden."""
    from moderator.backup.timeline import decided_by, entry_in_values, entry_in_words
    from moderator.cli.session import opened, shown
    from moderator.club.live_match import log_of
    from moderator.match.replay import effective
    from moderator.play.create import find_match
    from moderator.store import events

    with opened(config_file) as desk:
        row = find_match(desk.session, code)
        called = [player.name for player in desk.players(row)]
        times = events.times(desk.session, row.number).values()
        entries = log_of(desk.session, row)
        holds = {number for number, _ in effective(entries)}
        deciders = decided_by(desk.session, row)
        rows = []
        for number, (at, entry) in enumerate(zip(times, entries, strict=True), start=1):
            counts = number in holds or entry.kind == EntryKind.UNDO
            words = entry_in_words(entry, called, desk.config.club.zone)
            by = deciders.get(number)
            line = f"{' ' if counts else '-'}{number:>4}  {shown(at, desk.config)}  {words}".rstrip()
            values: EntryLine = {
                "entry": number,
                "at": at,
                "what": words,
                "kind": entry.kind,
                "who": called[entry.seat] if entry.seat is not None else None,
                "values": entry_in_values(entry, called),
                "by": by,
                "taken_back": not counts,
            }
            rows.append((values, f"{line} (by {by})" if by else line))
    listed(rows, as_json)


COMMANDS = (show, check, state, log)
