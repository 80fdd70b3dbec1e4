"""The record file: one JSON object that holds a whole match. docs/build/record.md describes every key."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from moderator.common.errors import ConfigError, RecordError
from moderator.common.text import suggest
from moderator.rules.game import Game, Shuffle, read_options
from moderator.rules.shuffling import build_fixed_seeds, build_shuffle, keep_order


def parse_json(text: str) -> Any:
    """Return the values of a JSON text. A number without a fraction is a whole one, however it is written (``1.0``), as
    in JSON Schema.

    Raises ValueError for what is no JSON (``json.JSONDecodeError`` where a place can be told), RecursionError for what
    is nested too deeply."""
    return json.loads(text, parse_float=_parse_number, parse_constant=_refuse_constant)


def _parse_number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is no number")


# ---- reading and writing it ----


VERSION = 1
SEE = "docs/build/record.md shows a whole record."
KEYS = (
    "record",
    "game",
    "options",
    "seats",
    "setup",
    "lexicon",
    "moves",
    "match",
    "commitment",
    "commitments",
    "result",
)
SETUP_KEYS = ("seed", "seeds", "salts", "racks", "stock", "single", "starter", "board", "position")
MOVE_KEYS = ("seat", "text", "miss", "evaluate", "rejected", "out", "stop")
Games = Callable[[str], Game[Any, Any]]
"""Finds a game by its key (``games.load_game``); handed in because the engine knows no game."""


@dataclass(frozen=True)
class RecordMove:
    """One entry of ``moves``."""

    kind: Literal["text", "miss", "evaluate", "out", "in", "stop"]
    """out and in: the seat plays no more, or again; stop: the game ended as it stood."""
    seat: int = 0
    """Without meaning for "evaluate" and "stop"."""
    text: str = ""
    rejected: tuple[str, ...] = ()
    """Words that did not count yet when this was played, although ``lexicon`` has them."""


@dataclass(frozen=True)
class MatchRecord:
    """A record file, checked."""

    game: Game[Any, Any]
    options: Any
    seats: tuple[str, ...]
    """Names in seat order."""
    moves: tuple[RecordMove, ...]
    seeds: tuple[bytes, ...] = ()
    """Of the rounds 1, 2, …; the last one serves all further rounds. () = the deal is fixed."""
    salts: tuple[str, ...] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """racks, stock, single, starter, board, position: what is not dealt from the seed."""
    lexicon: tuple[str, ...] | Literal["any"] | None = None
    """None = the configured dictionary."""
    match: str = ""
    """Match code, the prefix of the shuffles' labels."""
    commitments: tuple[str, ...] = ()
    """What was published before each round, or before the match."""
    result: Mapping[str, Any] = field(default_factory=dict)
    """What whoever wrote the record got; ``verify`` compares."""

    @property
    def shuffle(self) -> Shuffle:
        """The shuffle of ``seeds``, or none where the deal is fixed."""
        if not self.seeds:
            return keep_order
        seed = build_fixed_seeds(self.seeds) if self.game.seeded_rounds else self.seeds[0]
        return build_shuffle(seed, self.salts, self.match)


def read_record_file(path: Path, games: Games) -> MatchRecord:
    """Read a record file. Raises RecordError."""
    try:
        return parse_record_text(path.read_text(encoding="utf-8"), games, str(path))
    except OSError as error:
        raise RecordError(f"Cannot read {path}: {error.strerror}.", "Check the path.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path} is not UTF-8.", "Save it as UTF-8.") from error


def parse_record_text(text: str, games: Games, name: str = "record") -> MatchRecord:
    """Return a record from JSON text. Raises RecordError."""
    try:
        values = parse_json(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise RecordError(f"{name} is not valid JSON: {error.msg} in {where}.", SEE) from error
    except ValueError as error:
        raise RecordError(f"{name} is not valid JSON: a number in it is none, or too long.", SEE) from error
    except RecursionError:
        raise RecordError(f"{name} is nested too deeply.", SEE) from None
    return parse_record_values(values, games)


def parse_record_values(values: Any, games: Games) -> MatchRecord:
    """Return a record from JSON values. Raises RecordError naming the key and the fix."""
    _check_keys(_require_mapping(values, "the record"), KEYS, "the record")
    if values.get("record") != VERSION or isinstance(values["record"], bool):
        raise RecordError(f'"record" is {values.get("record")!r}.', f"This program reads version {VERSION}. {SEE}")
    for key in ("game", "seats", "setup", "moves"):
        if key not in values:
            raise RecordError(f"{key!r} is missing.", SEE)
    game = games(_require_text(values["game"], "game"))
    try:
        options = read_options(game, _require_mapping(values.get("options", {}), "options"))
    except ConfigError as error:
        raise RecordError(error.message, error.hint) from error
    seats = _require_texts(values["seats"], "seats")
    if not game.min_seats <= len(seats) <= game.max_seats:
        raise RecordError(f"{game.key} is not played by {len(seats)}.", f"{game.min_seats} to {game.max_seats} can.")
    seeds, salts, fixed = _parse_setup(values["setup"], len(seats))
    return MatchRecord(
        game=game,
        options=options,
        seats=seats,
        moves=tuple(
            _parse_move(move, n, len(seats)) for n, move in enumerate(_require_list(values["moves"], "moves"), start=1)
        ),
        seeds=seeds,
        salts=salts,
        fixed=fixed,
        lexicon=_parse_lexicon(values.get("lexicon")),
        match=_require_text(values.get("match", ""), "match"),
        commitments=_parse_commitments(values),
        result=_require_mapping(values.get("result", {}), "result"),
    )


def _parse_setup(values: Any, seats: int) -> tuple[tuple[bytes, ...], tuple[str, ...], dict[str, Any]]:
    _check_keys(_require_mapping(values, "setup"), SETUP_KEYS, "setup")
    fixed = {key: value for key, value in values.items() if key not in ("seed", "seeds", "salts")}
    # Check that a fixed deal has its form; which tiles there are is asked of the game.
    for rack in _require_list(fixed.get("racks", []), "setup: racks"):
        _require_texts(rack, "setup: racks")
    _require_texts(fixed.get("stock", []), "setup: stock")
    if fixed.get("single") is not None:
        _require_text(fixed["single"], "setup: single")
    _require_mapping(fixed.get("position", {}), "setup: position")
    starter = fixed.get("starter", 0)
    if not _is_whole_number(starter) or not 0 <= starter < seats:
        raise RecordError(f"setup: starter = {starter!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    salts = _require_texts(values.get("salts", []), "setup: salts")
    if "seed" in values and "seeds" in values:
        raise RecordError("setup has both seed and seeds.", "Write one of them: seeds where each round has its own.")
    listed = [values["seed"]] if "seed" in values else _require_list(values.get("seeds", []), "setup: seeds")
    seeds = tuple(_parse_seed(seed, "seeds" if "seeds" in values else "seed") for seed in listed)
    if not seeds and fixed.keys().isdisjoint({"racks", "stock", "position"}):
        raise RecordError("setup deals nothing.", 'It needs "seed" or "seeds", or "racks" and "stock".')
    return seeds, salts, fixed


def _parse_seed(value: Any, key: str) -> bytes:
    try:
        seed = bytes.fromhex(_require_text(value, f"setup: {key}"))
    except ValueError:
        raise RecordError(
            f"setup: {key} is no hexadecimal number.", "Copy it from the mail that revealed it."
        ) from None
    if not seed:
        raise RecordError(f"setup: {key} is empty.", "Copy it from the mail that revealed it.")
    return seed


def _parse_commitments(values: Mapping[str, Any]) -> tuple[str, ...]:
    if "commitment" in values and "commitments" in values:
        raise RecordError("The record has both commitment and commitments.", "Write one of them, as in setup.")
    if text := _require_text(values.get("commitment", ""), "commitment"):
        return (text,)
    return _require_texts(values.get("commitments", []), "commitments")


def _parse_move(values: Any, number: int, seats: int) -> RecordMove:
    where = f"moves, entry {number}"
    _check_keys(_require_mapping(values, where), MOVE_KEYS, where)
    flags = {key: values.get(key, False) for key in ("evaluate", "miss", "out", "stop")}
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise RecordError(f"{where}: evaluate, miss, out and stop are true or false.", SEE)
    rejected = _require_texts(values.get("rejected", []), f"{where}: rejected")
    text = _require_text(values.get("text", ""), f"{where}: text")
    if flags["evaluate"]:
        if "seat" in values or "text" in values or flags["miss"]:
            raise RecordError(f"{where}: an evaluation is of all seats.", 'Write {"evaluate": true} alone.')
        return RecordMove("evaluate", rejected=rejected)
    if flags["stop"]:
        if len(values) > 1:
            raise RecordError(f"{where}: the game stops for all seats.", 'Write {"stop": true} alone.')
        return RecordMove("stop")
    seat = values.get("seat")
    if not _is_whole_number(seat) or not 0 <= seat < seats:
        raise RecordError(f"{where}: seat = {seat!r} is no seat.", f"Seats are 0 to {seats - 1}.")
    if flags["miss"]:
        return RecordMove("miss", seat)
    if "out" in values:
        return RecordMove("out" if flags["out"] else "in", seat)
    if "text" not in values:
        raise RecordError(f"{where}: text is missing.", 'Write the move, or "miss": true for a missed deadline.')
    return RecordMove("text", seat, text, rejected)


def _parse_lexicon(value: Any) -> tuple[str, ...] | Literal["any"] | None:
    if value is None:
        return None
    if value == "any":
        return "any"
    words = _require_texts(value, 'lexicon (or write "any")')
    return tuple(unicodedata.normalize("NFC", word).upper() for word in words)


def _check_keys(values: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in values:
        if key not in known:
            raise RecordError(f"There is no key {key!r} in {where}.", suggest(key, known))


def _require_mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RecordError(f"{where} = {_shorten_value(value)} is wrong.", "Expected: an object in { }.")
    return value


def _require_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise RecordError(f"{where} = {_shorten_value(value)} is wrong.", "Expected: a list in [ ].")
    return list(value)


def _require_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise RecordError(f"{where}: {_shorten_value(value)} is wrong.", "Expected: a text in quotes.")
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise RecordError(f"{where}: {_shorten_value(value)} holds half a character.", "Write both halves, or none.")
    return value


def _require_texts(value: Any, where: str) -> tuple[str, ...]:
    return tuple(_require_text(one, where) for one in _require_list(value, where))


def _shorten_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
