"""Records that several tests read, and how they are read."""

import copy
import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from moderator import games
from moderator.cli.group import cli
from moderator.common.enums import LogEntryKind
from moderator.rules.game import Context
from moderator.rules.records import record as records
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import build_shuffle
from moderator.rules.table import open_match_state, try_order
from moderator.rules.words import WordList

ENGLISH = ["MOOD", "WOOD", "DEAR", "NET", "ON", "HAUS", "AUS", "SO"]
PLAIN: dict[str, Any] = {
    "record": 1,
    "game": "topwords",
    "options": {},
    "seats": ["Anna", "Bert"],
    "setup": {"racks": [list("MOODNTE"), list("EARWXYZ")], "stock": list("ABCDEFGHIJKLMNOP")},
    "lexicon": ENGLISH,
    "moves": [
        {"seat": 0, "text": "D5 w MODO; sonst D5 w MOOD 9"},
        {"seat": 0, "text": "D5 w MOOD"},
        {"seat": 1, "text": "blah"},
        {"seat": 1, "text": "G5 s DEAR"},
        {"seat": 0, "miss": True},
    ],
}


def changed(**values: Any) -> dict[str, Any]:
    return {**copy.deepcopy(PLAIN), **values}


def replay(values: Any, trace: bool = False) -> dict[str, Any]:
    return records.build_replay_report(records.parse_record_values(values, games.load_game), trace=trace)


def command(*arguments: str, record: Any = None, config: Path | None = None) -> Result:
    text = None if record is None else json.dumps(record)
    prefix = [] if config is None else ["--config", str(config)]
    return CliRunner().invoke(cli, [*prefix, *arguments], input=text)


def game_of_robots() -> dict[str, Any]:
    """Six moves of robots, of which two are refused first; the log goes through JSON."""
    seed, salts, game = bytes(range(32)), ["anna:herbst"], games.load_game("topwords")
    listed = WordList(["EIS", "REIS", "NEST", "TEE", "SEE", "ES", "IN", "EN", "RE", "ER", "UM", "AM", "HUT", "RUM"])
    ctx = Context(listed, build_shuffle(seed, salts, "K7Q2"))
    table, _ = open_match_state(game, 2, game.options(), ctx)
    entries: list[LogEntry] = []
    for seat in (0, 1) * 3:
        text = f"A1 w XX; sonst {choose_robot_move(game, table.state, seat, ctx) or 'passe'}; sonst passe"
        table, result = try_order(game, table, seat, text, ctx)
        entries.append(LogEntry(LogEntryKind.MOVE, seat, text, json.loads(json.dumps(result.to_json()))))
    return records.build_record("K7Q2", game, game.options(), ["Anna", "Bert"], seed.hex(), salts, entries)
