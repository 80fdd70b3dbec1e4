"""`moderator match list` and `player list`, and a match or a player as ``--json`` prints it. Light on purpose: nothing
here loads the tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from moderator.cli.group import print_values, with_json_option
from moderator.cli.texts import render_text, say_lines
from moderator.common.enums import BoardForm, MatchStatus
from moderator.common.typed import build_dataclass
from moderator.rules.time import clock
from moderator.rules.time.calendar import format_local_time, to_local_day
from moderator.rules.time.clock import TimeAccount, TimeRules
from moderator.settings import Config, load_config
from moderator.store import due_work, listings
from moderator.store.due_work import ClockDoubt, ClubTime
from moderator.store.listings import ListedMatchRow

if TYPE_CHECKING:
    from moderator.cli.json_types import MatchLine, PlayerLine

EARLIEST = "Etc/GMT+12"
"""Where it is still yesterday, if it is anywhere."""


class OpenedClub(NamedTuple):
    """The club as a list reads it."""

    config: Config
    time: ClubTime

    @property
    def now(self) -> datetime:
        return self.time.now


@contextmanager
def open_club_for_lists(config_file: Path | None) -> Iterator[OpenedClub]:
    """Open the club for reading, and say if its clock cannot be followed."""
    config = load_config(config_file)
    with due_work.share_connection():
        listings.require_this_version(config.database)
        time = due_work.load_club_time(config.database, config.read_clock())
        if time.doubt is not ClockDoubt.NONE:
            say_lines(f"moderator: {time.format_doubt(config.club.zone)}", err=True)
        yield OpenedClub(config, time)


@click.command("list")
@click.option("--all", "everything", is_flag=True, help="Include finished and cancelled ones.")
@with_json_option("match", lines=True)
@click.pass_obj
def print_matches(config_file: Path | None, everything: bool, as_json: bool) -> None:
    """List the matches that are running or open."""
    with open_club_for_lists(config_file) as club:
        found = list(listings.list_matches(club.config.database, everything))
    headings = ("code", "game", "name", "status", "deadline", "note")
    rows = [(build_match_values(one), _build_match_cells(one, club.config)) for one in found]
    print_values(headings, rows, as_json, render_text("no-matches"))


def read_match(config: Config, code: str) -> MatchLine:
    """Read the match as ``--json`` prints it."""
    (found,) = listings.list_matches(config.database, code=code)
    return build_match_values(found)


def build_match_values(found: ListedMatchRow) -> MatchLine:
    return {
        "match": found.code,
        "game": found.game,
        "name": found.name,
        "status": found.status,
        "players": list(found.players),
        "free_seats": found.free_seats,
        "deadline": found.deadline,
        "waits_for_ruling": found.waits_for_ruling,
        "clock_stands": found.stopped or None,
        "trouble": found.trouble or None,
    }


def _build_match_cells(found: ListedMatchRow, config: Config) -> tuple[str, ...]:
    deadline = format_local_time(found.deadline, config.club.zone) if found.deadline else ""
    status = render_text(f"match-{found.status}")
    return found.code, found.game, found.name, status, deadline, _describe_match_state(found)


def _describe_match_state(found: ListedMatchRow) -> str:
    """Describe what else there is to know of a match: what it waits for, or what is wrong with it."""
    if found.waits_for_ruling:
        return render_text("waits-for-ruling")
    if found.trouble:
        return found.trouble
    if found.free_seats:
        return render_text("seats-free", free=found.free_seats, wanted=found.wanted)
    running = found.status is MatchStatus.RUNNING
    return render_text(f"stopped-{found.stopped}") if running and found.stopped else ""


@click.command("list")
@with_json_option("player", lines=True)
@click.pass_obj
def print_players(config_file: Path | None, as_json: bool) -> None:
    """List the players: addresses, settings, leave, mail that came back."""
    with open_club_for_lists(config_file) as club:
        found = list_player_values(club.config, club.now)
    headings = ("name", "address", "language", "zone", "boards", "settings", "on-time", "note")
    rows = [(one, _build_player_cells(one)) for one in found]
    print_values(headings, rows, as_json, render_text("no-players"))


def read_player(config: Config, now: datetime, name: str) -> PlayerLine:
    """Read the player as ``--json`` prints it."""
    (found,) = list_player_values(config, now, name)
    return found


def list_player_values(config: Config, now: datetime, name: str = "") -> list[PlayerLine]:
    """List all players, or the one of that ``name``, with what the operator should know besides."""
    place = config.database
    prompt = _compute_promptness(config, name)
    lines: list[PlayerLine] = []
    leaves = listings.list_leaves(place, to_local_day(now, EARLIEST))
    for one in listings.list_players(place, name):
        today = to_local_day(now, one.zone)
        bot = config.bots.get(one.name) if one.robot else None
        away = [last for number, first, last in leaves if number == one.number and first <= today <= last]
        lines.append(
            {
                "name": one.name,
                "robot": one.robot,
                "level": one.level if one.robot else None,
                "played_by": shlex.join(bot.command) if bot else None,
                "address": one.address,
                "language": one.language,
                "zone": one.zone,
                "board": BoardForm(one.board),
                "digest": one.digest,
                "auto_single": one.auto_single,
                "same_subject": one.same_subject,
                "on_leave_until": max(away, default=None),
                "on_time_percent": prompt[one.number].promptness if one.number in prompt and not one.robot else None,
                "undeliverable": one.undeliverable or None,
            }
        )
    return lines


def _compute_promptness(config: Config, name: str) -> dict[int, TimeAccount]:
    """Compute how many of their turns people have answered in time, by their ids."""
    found: dict[int, TimeAccount] = {}
    for match in listings.list_timed_matches(config.database, name):
        rules = build_dataclass(TimeRules, asdict(config.deadlines) | dict(match.terms), f"match {match.code} terms")
        accounts = clock.build_accounts(match.seats, rules, match.entries)
        for person, seat in match.seat_of.items():
            before, own = found.get(person, TimeAccount()), accounts.seats[seat]
            found[person] = TimeAccount(
                turns=before.turns + own.turns, on_time=before.on_time + own.on_time, missed=before.missed + own.missed
            )
    return found


def _build_player_cells(values: PlayerLine) -> tuple[str, ...]:
    switches = ("digest", "auto_single", "same_subject")
    settings = ", ".join(render_text(one) for one in switches if values[one])  # type: ignore[literal-required]
    notes = []
    if values["on_leave_until"]:
        notes.append(render_text("on-leave", day=values["on_leave_until"]))
    if values["undeliverable"]:
        notes.append(render_text("undeliverable", why=values["undeliverable"]))
    prompt = f"{values['on_time_percent']} %" if values["on_time_percent"] is not None else ""
    if values["robot"]:
        level = render_text("robot", level=values["level"])
        return values["name"], level, "", "", "", values["played_by"] or "", "", ""
    told = values["language"], values["zone"], values["board"]
    address = values["address"] or render_text("forgotten")
    return values["name"], address, *told, settings, prompt, "; ".join(notes)
