"""What all files of a folder that is moved in have in common: how they are read, and whom they name."""

from __future__ import annotations

import csv
import io
import json
import quopri
import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moderator.common import disk
from moderator.common.errors import OperatorError
from moderator.common.text import suggest
from moderator.games import load_game
from moderator.language import messages
from moderator.rules import shuffling, table
from moderator.rules.game import Game
from moderator.rules.position import PLAYERS
from moderator.rules.position import Path as Place
from moderator.rules.robots import choose
from moderator.rules.state import Context
from moderator.rules.words import WordList
from moderator.store import players
from moderator.store.database import Session
from moderator.store.tables import PlayerRow

# ---- People out of address books: vCards (.vcf) and lists (.csv), as programs write them.


@dataclass(frozen=True)
class AddressBookEntry:
    """A person who is to be entered as a player."""

    name: str
    address: str
    language: str = ""
    zone: str = ""
    line: int = 1
    """Of the file."""


COLUMNS = {
    "name": "name",
    "adresse": "address",
    "address": "address",
    "e-mail": "address",
    "email": "address",
    "mail": "address",
    "sprache": "language",
    "language": "language",
    "zeitzone": "zone",
    "zone": "zone",
}
"""Heads of a list, in small letters."""
_LINE = re.compile(r"(?:[\w-]+\.)?(?P<key>[A-Za-z-]+)(?P<params>(?:;[^:\"]*(?:\"[^\"]*\"[^:\"]*)*)?):(?P<value>.*)")
"""``item1.EMAIL;TYPE=home:anna@home.example``."""


def decode_address_book(raw: bytes, name: str) -> str:
    """Decode a file: UTF-8, as all programs of today write it, or else Latin-1. Raises OperatorError for neither."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    if b"\0" in raw:
        raise OperatorError(f"{name}:1: this is no text.", "Save it as UTF-8.")
    return raw.decode("cp1252", "replace")


def parse_people_csv(text: str, name: str) -> list[AddressBookEntry]:
    """Parse a list with a head: name, address (Name, Adresse, E-Mail), and, if wanted, language and zone; separated by
    commas, semicolons or tabs. Raises OperatorError naming the line."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    head = text.partition("\n")[0]
    mark = max(",;\t", key=head.count)
    rows = csv.reader(io.StringIO(text), delimiter=mark)
    try:
        columns = [COLUMNS.get(cell.strip().casefold(), "") for cell in next(rows, [])]
        if not {"name", "address"} <= set(columns):
            raise OperatorError(
                f"{name}:1: no columns name and address.", "The first line names the columns: name,address"
            )
        people = []
        for row in rows:
            if any(cell.strip() for cell in row):
                values = {key: cell.strip() for key, cell in zip(columns, row, strict=False) if key}
                people.append(AddressBookEntry(**{"name": "", "address": ""} | values, line=rows.line_num))
        return people
    except csv.Error as error:
        raise OperatorError(
            f"{name}:{rows.line_num}: this is no list ({error}).", "Export it as .csv again."
        ) from error


def parse_vcards(text: str, name: str) -> list[AddressBookEntry]:
    """Parse all cards of a file, of vCard 2.1, 3.0 or 4.0: the formatted name (FN, else N) and the preferred, else the
    first address. Raises OperatorError for a file without any."""
    people: list[AddressBookEntry] = []
    card: dict[str, list[tuple[str, dict[str, str]]]] = {}
    began = 1
    for number, line in _iter_unfolded_lines(text):
        if found := _LINE.fullmatch(line):
            key = found["key"].upper()
            if key == "BEGIN":
                card, began = {}, number
            elif key == "END":
                people.append(_build_person(card, began))
            else:
                card.setdefault(key, []).append((found["value"], _parse_params(found["params"])))
    if not people:
        raise OperatorError(f"{name}:1: no vCard.", "Export the address book as .vcf once more.")
    return people


def _iter_unfolded_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number of its first line, line). A line that goes on in the next one is joined: that begins with a blank,
    or, in quoted-printable, the first ends with an equals sign."""
    whole, first = "", 1
    for number, line in enumerate(text.splitlines(), start=1):
        if line[:1] in (" ", "\t"):
            whole += line[1:]
        elif whole.endswith("=") and "QUOTED-PRINTABLE" in whole.upper():
            whole = whole[:-1] + line
        else:
            yield first, whole
            whole, first = line, number
    yield first, whole


def _parse_params(text: str) -> dict[str, str]:
    """Parse ``;TYPE=home;PREF=1``; in vCard 2.1 ``;HOME;PREF``."""
    found: dict[str, str] = {}
    for part in text.split(";")[1:]:
        key, _, value = part.partition("=")
        key = key.strip().upper()
        found[key] = f"{found[key]},{value}" if key in found else value.strip('"')
    return found


def _build_person(card: dict[str, list[tuple[str, dict[str, str]]]], line: int) -> AddressBookEntry:
    called = next((_decode_value(*one) for one in card.get("FN", []) if one[0].strip()), "")
    if not called and "N" in card:
        last, first = [*_decode_value(*card["N"][0]).split(";"), ""][:2]
        called = f"{first} {last}"
    found = card.get("EMAIL", [("", {})])
    best = next((one for one in found if "PREF" in {*one[1], *one[1].get("TYPE", "").upper().split(",")}), found[0])
    return AddressBookEntry(" ".join(called.split()), _decode_value(*best).strip(), line=line)


def _decode_value(value: str, params: dict[str, str]) -> str:
    if "QUOTED-PRINTABLE" in (params.get("ENCODING", "").upper(), *params):
        raw = quopri.decodestring(value.encode())
        try:
            value = raw.decode(params.get("CHARSET", "utf-8"), "replace")
        except (LookupError, ValueError):  # a name that only its program knows, as WINDOWS-ANSI
            value = raw.decode("cp1252", "replace")
    return value.replace("\\,", ",").replace("\\;", ";")


def read_text_file(path: Path) -> str:
    """Read a file as text. Raises OperatorError for a file that cannot be read."""
    try:
        return decode_address_book(path.read_bytes(), path.name)
    except OSError as error:
        what, fix = disk.describe_os_error(error, "read", path.name, "Check the file's permissions.")
        raise OperatorError(f"{path.name}:1: {what}", fix) from error


class PlayerDirectory:
    """The players here and, once they are entered, those in the folder, by what they are called. Each name is looked up
    once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[str, PlayerRow | None] = {}

    def find_player(self, name: str) -> PlayerRow | None:
        """Find a player by name or address, whatever its case; None = there is none."""
        if name not in self._known:
            there = players.list_players_at_addresses(self._session, [name.lower()])
            alone = there[0] if len(there) == 1 else None
            self._known[name] = players.find_player_by_name(self._session, name) or alone
        return self._known[name]

    def describe_unknown(self, name: object) -> str:
        """Describe what is wrong with a name that no player has."""
        hint = suggest(str(name), players.list_player_names(self._session), "")
        return f"nobody is called {name!r}, here or in the folder. {hint}".rstrip()


# ---- The file of a match, ready to be filled in: an example that can be moved in as it is, with what each line
# means.


NAMES = ("Anna", "Bert", "Carla", "Dirk", "Eva", "Franz")
_KNOWN = "ARM ART AST BAND HAND LAND LOS MAST MOND NAME NEST ORT RAT REST ROSE RUND SAND TAG TEE TEST TON WIND"
WORDS = WordList(_KNOWN.split())
MOVES = 4
WIDTH = 100
_SEEDS = 60


def format_match_template(key: str, language: str) -> str:
    """Format the file of a match with remarks in a language. Raises OperatorError for a game that cannot be moved
    in."""
    game = load_game(key)
    values = build_example_position(game)
    seats = values.pop(PLAYERS)
    lines = [
        *_iter_remark_lines(key, language, "head"),
        f'game = "{key}"',
        *_iter_remark_lines(key, language, "name"),
        'name = "Arratia"',
    ]
    lines += [*_iter_remark_lines(key, language, "deadline"), "# deadline = 2026-12-24"]
    for name, value in values.items():
        lines += [*_iter_remark_lines(key, language, name), f"{name} = {_format_value(value)}"]
    lines += [
        *_iter_remark_lines(key, language, "options"),
        "# [options]",
        "",
        *_iter_remark_lines(key, language, "player"),
    ]
    for n, seat in enumerate(seats):
        lines += ["[[player]]", f'name = "{NAMES[n]}"']
        for name, value in seat.items():
            lines += [*(_iter_remark_lines(key, language, name) if not n else ()), f"{name} = {_format_value(value)}"]
        lines += [*(_iter_remark_lines(key, language, "player-more") if not n else ()), ""]
    return "\n".join(lines)


def build_example_position(game: Game[Any, Any]) -> dict[str, Any]:
    """Build a position of a match that has just begun, as a person would write it down. Raises OperatorError for a game
    that cannot be moved in."""
    found = max(
        (_play_example(game, seed) for seed in range(_SEEDS if game.uses_words else 1)), key=lambda one: one[0]
    )[1]
    values = table.to_diagram(game, found)
    count = len(values.pop("stock_order").split())
    names = {seat: NAMES[seat] for seat in range(found.state.seats)}
    for name in ("turn", "starter", "leader", "last"):
        if name in values:
            values[name] = names[values[name]]
    return values | {"stock": count}


def _play_example(game: Game[Any, Any], seed: int) -> tuple[int, table.MatchState[Any]]:
    """Play an example; returns (how many moves were found, the match after them)."""
    ctx = Context(WORDS, shuffling.build_shuffle(bytes([seed]) * 32, (), "K7Q2"))
    now, _ = table.open_match_state(game, max(2, game.min_seats), game.options(), ctx)
    if now.pace == "race":
        return 0, now
    for number in range(MOVES):
        text = choose.choose_robot_move(game, now.state, now.state.to_move[0], ctx)
        after, result = table.try_order(game, now, now.state.to_move[0], text, ctx)
        nothing = not (result.moves and result.moves[0].played) or text == game.pass_text
        if nothing or after.state.over:
            return number, now
        now = after
    return MOVES, now


def _iter_remark_lines(key: str, language: str, name: str) -> Iterator[str]:
    """Yield what a line means, where anything is to be said of it."""
    code = f"form-{name}"
    if code in messages.load_sentences(language, key):
        said = messages.render_code(code, language, key)
        yield from textwrap.wrap(said, WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def _format_value(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value) and len(value) > 2:
        return "[\n" + "".join(f"  {json.dumps(one, ensure_ascii=False)},\n" for one in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_format_value(one)}" for key, one in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


# ---- On which line of a TOML file a value stands: the parser of the standard library does not say.


_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=\s*")
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|[\[\]{},#]|[^\s\[\]{},#"\']+')


def locate_toml_lines(text: str) -> dict[Place, int]:
    """Return a mapping, path -> line from 1, of every table, key and item of a list in a file that parses. Items of
    lists in lists are not told apart."""
    found: dict[Place, int] = {}
    counted: Counter[str] = Counter()
    here: Place = ()
    rows = iter(enumerate(text.splitlines(), start=1))
    for number, row in rows:
        if header := _HEADER.fullmatch(row):
            here = (header[2],)
            if header[1] == "[[":
                here = (header[2], counted[header[2]])
                counted[header[2]] += 1
            found[here] = number
        elif key := _KEY.match(row):
            path = (*here, key[1].strip("\"'"))
            found[path] = number
            found |= {(*path, n): line for n, line in _iter_item_lines(row[key.end() :], number, rows)}
    return found


def _iter_item_lines(rest: str, number: int, rows: Iterator[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Yield (number of an item, its line) of the list that begins there, if it is one; the rows that it takes are used
    up."""
    depth, item, fresh = 0, 0, True
    while True:
        for token in _TOKEN.findall(rest):
            if token == "#":
                break
            if fresh and depth == 1 and token not in "],":
                yield item, number
                fresh = False
            if token in "[{":
                depth += 1
                fresh = depth == 1
            elif token in "]}":
                depth -= 1
            elif token == "," and depth == 1:
                item, fresh = item + 1, True
        if depth <= 0:
            return
        number, rest = next(rows, (number, "]" * depth))


def get_toml_line(lines: Mapping[Place, int], path: Place) -> int:
    """Return the line of the value itself, or of what it stands in; 1 for what is nowhere."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
