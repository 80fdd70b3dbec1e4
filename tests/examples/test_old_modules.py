"""A package written for contract 1 imports what was promised to it under the old names of modules, and is played."""

from __future__ import annotations

import importlib
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from moderator.common.old_modules import OLD_MODULES
from tests.examples.packages import ROOT, install, passes, run

PROMISED: Mapping[str, tuple[str, ...]] = {
    "moderator.errors": (
        "Ambiguous", "ConfigError", "Illegal", "OperatorError", "PlayerError", "RecordError", "Undecided", "Unreadable",
    ),
    "moderator.match.conditions": (
        "AFTER_DRAW_TEXT", "AfterDraw", "check", "is_pass", "read_after_draw", "take", "write",
    ),
    "moderator.match.contract": (
        "Adjudicable", "BEFORE", "BySeats", "CONTRACT", "Cell", "Conserving", "Context", "Eliminating", "FENCE",
        "FIRST", "Game", "Grid", "InForce", "Opener", "Opening", "begins_by_lot", "first_mover", "new_options",
        "M", "Note", "NumberedText", "P", "PLAIN", "Pace", "Portable", "Public", "Resumable", "Scene", "Shuffle",
        "State", "Step", "Style", "Valued", "Verdict", "View", "Words", "agreed", "check_turn", "read_options",
        "view_for",
    ),
    "moderator.match.diagram": ("Diagram", "DiagramError", "written"),
    "moderator.match.equity": ("Assessing", "Equities"),
    "moderator.match.outcome": ("lead",),
    "moderator.match.playouts": ("Effort", "Redealable", "Simulated"),
    "moderator.match.record": ("Partly",),
    "moderator.match.robot": ("Exemplary", "Greedy", "Idling", "Levelled"),
    "moderator.match.scenes": (
        "Bone", "Cell", "Grid", "Head", "Layout", "Link", "OpenEnd", "Scene", "Snake", "Triangle", "Triangles",
    ),
    "moderator.match.sequential": ("Sequential", "Simultaneous", "best_seats", "is_evaluated", "read_starter"),
    "moderator.match.survey": ("Scope", "Surveying", "Weighing"),
    "moderator.match.words": ("AnyWords", "WordList", "listed", "unwrapped"),
    "moderator.states": ("Level",),
}  # fmt: skip
"""To games of contract 1: module -> its names."""


def test_whatever_was_promised_has_an_old_name() -> None:
    assert PROMISED.keys() == OLD_MODULES.keys()


@pytest.mark.parametrize("old", OLD_MODULES)
def test_an_old_name_is_a_module_of_today_with_what_was_promised(old: str) -> None:
    sys.modules.pop(old, None)
    with pytest.warns(DeprecationWarning, match=re.escape(OLD_MODULES[old])):
        found = importlib.import_module(old)
    assert found is importlib.import_module(OLD_MODULES[old])
    assert found.__spec__ is not None
    assert found.__spec__.name == found.__name__ == OLD_MODULES[old]
    assert [name for name in PROMISED[old] if not hasattr(found, name)] == []


@pytest.fixture(scope="module")
def linie(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package of tests/tenth lies as it was written for contract 1."""
    folder = tmp_path_factory.mktemp("old")
    package = shutil.copytree(ROOT / "tests" / "tenth" / "linie", folder / "source" / "linie")
    shutil.copy(Path(__file__).with_name("linie_of_contract_1.txt"), package / "rules.py")
    install(folder, package)
    return folder


PLAYED = """
import json
from moderator.common.enums import LogEntryKind
from moderator.games import load_game
from moderator.rules.game import Context
from moderator.rules.records import record
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import build_round_seeds, build_shuffle
from moderator.rules.table import open_match_state, try_order
from moderator.rules.words import AnyWords

game, entries = load_game("linie"), []
ctx = Context(AnyWords(), build_shuffle(build_round_seeds(bytes(32)), (), "K7Q2"))
table, _ = open_match_state(game, 3, game.options(), ctx)
while not table.state.over:
    seat = table.state.to_move[0]
    text = choose_robot_move(game, table.state, seat, ctx)
    table, result = try_order(game, table, seat, text, ctx)
    entries.append(LogEntry(LogEntryKind.MOVE, seat, text, json.loads(json.dumps(result.to_json()))))
written = record.build_record("K7Q2", game, game.options(), ["Anna", "Bert", "Carl"], bytes(32), [], entries)
read = record.parse_record_values(json.loads(json.dumps(written)), load_game)
print(game.contract, len(entries) > 9, len(game.find_winners(table.state)), record.verify_record(read)["ok"])
"""


def test_a_match_of_it_is_played_to_its_end_and_its_record_verifies(linie: Path) -> None:
    assert run(linie, "-c", PLAYED) == "1 True 1 True\n"


@pytest.mark.slow
def test_it_passes_what_every_game_must_and_a_match_by_mail(linie: Path) -> None:
    passes(linie, "linie", "--quick", left_out=["imports"])
