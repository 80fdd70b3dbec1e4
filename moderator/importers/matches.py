"""A folder of what a club brings along: its people, its rulings on words, its matches as they stand, old results and
ratings. Everything is looked at first; if anything is wrong, all of it is told, with file and line, and nothing is
moved in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from moderator import games
from moderator.common.disk import LANGUAGES
from moderator.common.enums import MatchStatus
from moderator.common.errors import ConfigError, LexiconError, OperatorError
from moderator.importers import results
from moderator.importers.files import (
    AddressBookEntry,
    PlayerDirectory,
    get_toml_line,
    locate_toml_lines,
    parse_people_csv,
    parse_vcards,
    read_text_file,
)
from moderator.rules import shuffling, table
from moderator.rules.game import Context, Game, read_options
from moderator.rules.position import PLAYERS, Diagram, DiagramError
from moderator.rules.position import Path as Place
from moderator.rules.time.calendar import resolve_local_hour
from moderator.rules.words import AnyWords
from moderator.service import create, moving_in, word_rulings
from moderator.service.notify import notify_match_events
from moderator.store import matches, players
from moderator.store.tables import MatchRow, PlayerRow
from moderator.views.unit_of_work import UnitOfWork
from moderator.words import house_rulings

HOUSE = "house.tsv"
OWN = ("game", "name", "options", "terms", "early", "deadline")
"""Keys of a match's file that are not about its position."""
KINDS: dict[str, tuple[type, str]] = {
    "name": (str, "a text in quotes"),
    "options": (dict, "a table of its own, [options]"),
    "terms": (dict, "a table of its own, [terms]"),
    "early": (bool, "true or false"),
}
FAR = timedelta(days=3650)
"""No deadline is so far away."""
NOTHING = (
    "It holds players.csv or .vcf files, house.tsv, results.csv or ratings.csv, and a .toml file for each match; "
    "see docs/run/moving-in.md."
)


@dataclass
class MoveInResult:
    """The result of moving in a folder."""

    entered: list[str] = field(default_factory=list)
    """Players who were not known."""
    known: list[str] = field(default_factory=list)
    words: int = 0
    codes: dict[str, str] = field(default_factory=dict)
    """Match code -> its file."""
    old: results.OldRecords = field(default_factory=results.OldRecords)
    old_code: str = ""
    """By which old results and ratings are taken back; "" = none are new."""


@dataclass
class _File:
    """A match's file while it is read."""

    path: Path
    values: dict[str, Any]
    lines: Mapping[Place, int]
    faults: list[str]

    def add_fault(self, place: Place, what: str) -> None:
        self.faults.append(f"{self.path.name}:{get_toml_line(self.lines, place)}: {what}")


Ready = tuple[MatchRow, dict[str, Any], datetime | None, Path]


class MoveIn:
    """Moves in all that is in one folder."""

    def __init__(self, work: UnitOfWork, folder: Path) -> None:
        self.work, self.folder = work, folder
        self.faults: list[str] = []
        """All that is wrong, a line for each thing."""

    @cached_property
    def people(self) -> PlayerDirectory:
        """The club's players, those of the folder among them: read when its people are entered."""
        return PlayerDirectory(self.work.session)

    def move_in(self) -> MoveInResult:
        """Move in all that is in a folder, in one transaction; the mails are made. Raises OperatorError with all that
        is wrong, a line for each thing."""
        if not self.folder.is_dir():
            raise OperatorError(f"There is no folder {self.folder}.", NOTHING)
        moved = MoveInResult()
        self._enter_people(moved)
        rulings = self._read_rulings()
        moved.old = results.read_old_records(self.work, self.folder, self.people, self.faults)
        read = (self._read_match(path) for path in sorted(self.folder.glob("*.toml")))
        ready = [one for one in read if one is not None]
        if not self.faults and not (moved.entered or moved.known or rulings or ready or moved.old):
            raise OperatorError(f"There is nothing to move in in {self.folder}.", NOTHING)
        if self.faults:
            raise OperatorError("\n".join([*self.faults, "Nothing was moved in."]))
        for ruling in rulings:
            word_rulings.record_house_ruling(self.work.session, self.work.cache, ruling)
        moved.words = len(rulings)
        moved.old_code = results.store_old_records(self.work.session, self.work.now, moved.old)
        for match, position, deadline, path in ready:
            moving_in.import_match(self.work, match, position, deadline)
            moved.codes[match.code] = path.name
        notify_match_events(self.work)
        return moved

    def _enter_people(self, moved: MoveInResult) -> None:
        taken, now_here = create.load_taken_names(self.work.session), set[str]()
        lists = (one for one in self.folder.glob("*") if one.suffix.lower() in (".csv", ".vcf"))
        for path in sorted(one for one in lists if not results.is_old_records_file(one)):
            try:
                text = read_text_file(path)
                parse = parse_people_csv if path.suffix.lower() == ".csv" else parse_vcards
                people = parse(text, path.name)
            except OperatorError as error:
                self.faults.append(str(error))
                continue
            for person in people:
                try:
                    address = person.address.strip().lower()
                    there = players.list_players_at_addresses(self.work.session, [address])
                    known = there[0] if there and address not in now_here else None
                    (moved.known if known else moved.entered).append((known or self._enter_person(person, taken)).name)
                    now_here |= {address} if known is None else set()
                except OperatorError as error:
                    self.faults.append(f"{path.name}:{person.line}: {error}")

    def _enter_person(self, person: AddressBookEntry, taken: create.Taken) -> PlayerRow:
        club = self.work.config.club
        language = person.language.lower() or club.language
        if language not in LANGUAGES:
            raise OperatorError(f"{person.language!r} is no language.", f"Known: {', '.join(LANGUAGES)}.")
        zone = person.zone or club.zone
        return create.add_player(
            self.work.session,
            person.name,
            person.address,
            self.work.now,
            language=language,
            zone=zone,
            shared=True,  # by two people of one list: a couple
            taken=taken,
        )

    def _read_rulings(self) -> list[house_rulings.HouseRuling]:
        try:
            return house_rulings.read_house_list(str(self.folder / HOUSE))
        except LexiconError as error:
            self.faults.append(str(error).removeprefix(f"{self.folder}/"))
            return []

    def _read_match(self, path: Path) -> Ready | None:
        """Read the match of a file, set up, with its position; None where something is wrong with it."""
        before = len(self.faults)
        try:
            text = read_text_file(path)
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            self.faults.append(f"{path.name}: {error}")
            return None
        except OperatorError as error:
            self.faults.append(str(error))
            return None
        file = _File(path, values, locate_toml_lines(text), self.faults)
        _drop_wrong_kinds(file)
        game, options = _find_game(file)
        seated = self._find_players(file)
        if game is None:
            return None
        diagram = self._build_position(file, game, options, [one.name if one else "" for one in seated])
        deadline = self._parse_deadline(file)
        if len(self.faults) > before:
            return None
        match = self._set_up_match(file, game, [one for one in seated if one is not None])
        return None if match is None else (match, diagram, deadline, path)

    def _find_players(self, file: _File) -> list[PlayerRow | None]:
        """Find the players by seat; None for one that is not known."""
        found: list[PlayerRow | None] = []
        blocks = file.values.get(PLAYERS)
        for n, block in enumerate(blocks if isinstance(blocks, list) else []):
            name = block.pop("name", None) if isinstance(block, dict) else None
            player = self.people.find_player(str(name)) if name else None
            if player is None:
                file.add_fault((PLAYERS, n, "name"), self.people.describe_unknown(name))
            elif player in found:
                file.add_fault((PLAYERS, n, "name"), f"{player.name} sits here twice.")
            found.append(player)
        return found

    def _build_position(self, file: _File, game: Game[Any, Any], options: Any, names: Sequence[str]) -> dict[str, Any]:
        """Build the position that the match will begin with, checked as it will be read from its log again and
        again."""
        seats = len(names)
        if not game.min_seats <= seats <= game.max_seats:
            file.add_fault((PLAYERS,), f"{game.key} is for {game.min_seats} to {game.max_seats}, not {seats}.")
            return {}
        diagram = Diagram({key: value for key, value in file.values.items() if key not in OWN}, seats, names)
        try:
            words = self.work.cache.get_dictionary(options) if game.uses_words else AnyWords()
            context = Context(words, shuffling.keep_order)
            table.open_match_state(game, seats, options, context, {table.POSITION: diagram})
        except DiagramError as error:
            for fault in error.faults:
                file.add_fault(fault.path, fault.message)
        except OperatorError as error:
            file.add_fault(("game",), str(error))
        return diagram.values

    def _parse_deadline(self, file: _File) -> datetime | None:
        """Parse the deadline, on the club's clock; a day without an hour means the usual hour of the deadline."""
        given, zone = file.values.get("deadline"), ZoneInfo(self.work.config.club.zone)
        if given is None:
            return None
        if not isinstance(given, date):
            file.add_fault(("deadline",), f"{given!r} is no day; expected for example 2026-12-24, without quotes.")
            return None
        if abs(date(given.year, given.month, given.day) - self.work.now.date()) > FAR:
            file.add_fault(("deadline",), f"{given} is more than ten years away.")
            return None
        if isinstance(given, datetime):
            return given if given.tzinfo else given.replace(tzinfo=zone)
        return resolve_local_hour(given, self.work.config.deadlines.hour, zone)

    def _set_up_match(self, file: _File, game: Game[Any, Any], seated: Sequence[PlayerRow]) -> MatchRow | None:
        name = str(file.values.get("name") or file.path.stem)
        for other in matches.list_matches_by_name(self.work.session, name):
            same = other.game == game.key and self.work.list_players(other) == list(seated)
            if same and other.status != MatchStatus.FINISHED:
                known = f"{other.code} is a match of that name between these players; is it this one?"
                file.add_fault(("name",), known)
                return None
        try:
            return create.create_match(
                self.work,
                game.key,
                name,
                seated,
                file.values.get("options", {}),
                early=file.values.get("early") is True,
                terms=file.values.get("terms", {}),
            )
        except OperatorError as error:
            file.add_fault(("terms" if isinstance(error, ConfigError) else "options",), str(error))
            return None


def _drop_wrong_kinds(file: _File) -> None:
    """Report each value that is of another kind than it has to be, and drop it."""
    for key, (kind, expected) in KINDS.items():
        if key in file.values and not isinstance(file.values[key], kind):
            file.add_fault((key,), f"{key} is {file.values[key]!r}; expected {expected}.")
            del file.values[key]


def _find_game(file: _File) -> tuple[Game[Any, Any] | None, Any]:
    key = file.values.get("game")
    if not isinstance(key, str) or key not in games.REGISTRY:
        file.add_fault(("game",), f"there is no game {key!r}; known: {', '.join(sorted(games.REGISTRY))}.")
        return None, None
    game = games.load_game(key)
    try:
        return game, read_options(game, file.values.get("options", {}), "options")
    except ConfigError as error:
        file.add_fault(("options",), str(error))
        return None, None
