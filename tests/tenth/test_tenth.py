"""A game and a format of tournaments that nobody here wrote, installed beside moderator as packages of their own: every
suite that is about all games, or all formats, plays them, and no table anywhere names them.

``linie`` and ``kette`` with their ``dist-info`` in this folder are what pip would put into site-packages. The suites
run in a process that finds them, so that everything else here sees our own games and formats only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from moderator.errors import OperatorError
from moderator.games import OWN, REGISTRY, folder
from moderator.tournaments import formats

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SUITES = {
    "conformance/test_games.py": 2,
    "games/test_every_game.py": 8,
    "match/test_outcome.py": 1,
    "match/test_turn_data.py": 1,
    "match/test_moved_in.py": 1,
    "club/test_robots.py": 1,
    "club/test_who_is_in.py": 1,
    "club/test_orders.py": 1,
    "club/test_asking.py": 1,
    "club/test_tile_matches.py": 1,
    "review/test_review.py": 4,
    "pages/test_examples.py": 1,
    "pages/test_harmless.py": 2,
    "test_architecture.py": 2,
}
"""Suite -> how many of its tests play the game at least."""


FORMAT_SUITES = {"tournaments/test_every_format.py": 10}
"""The same of the formats: three of each, and one of the challenges."""


def run(*words: str, only: str = "linie") -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    there = {**os.environ, "PYTHONPATH": paths, "MODERATOR_ONLY": only}
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, env=there)


def played(suites: Mapping[str, int], only: str, chosen: str) -> None:
    """Run what the suites have about the newcomer: so many tests at least, and none fails."""
    files = [f"tests/{suite}" for suite in suites]
    done = run("-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen, *files, only=only)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    passed = re.findall(r"^(?:PASSED|SKIPPED.*?) tests/(\S+?\.py)", done.stdout, re.MULTILINE)
    assert {suite: passed.count(suite) for suite in suites if passed.count(suite) < suites[suite]} == {}


@pytest.mark.matrix("tenth")
def test_every_suite_about_all_games_plays_it() -> None:
    played(SUITES, "linie", "linie and not every_pattern")  # those of our own documents


@pytest.mark.matrix("tenth")
def test_every_suite_about_all_formats_plays_it() -> None:
    played(FORMAT_SUITES, "kette", "kette or thron or halbe")


@pytest.mark.slow
def test_its_turn_is_shown_and_answered_without_being_looked_at(tmp_path: Path) -> None:
    """Its ``board`` is what it exports, and no program here reads that back."""
    turn = {
        "turn": 1, "match": "K7Q2", "game": "linie", "entry": 1, "round": 1, "deadline": None, "zone": "UTC",
        "language": "en", "reply": {"address": "games@example.org", "subject": "Linie [K7Q2-8J3MZP4QXA]"}, "seat": 0,
        "scores": [0, 2], "rack": ["A", "C"], "stock": 26, "options": {"pace": "sequential", "tiles": 5},
        "board": {"round": 1, "row": ["B"]},
    }  # fmt: skip
    (tmp_path / "turn.json").write_text(json.dumps(turn), encoding="utf-8")
    shown = run("-m", "moderator", "turn", str(tmp_path / "turn.json")).stdout
    assert '"row": ["B"]' in shown
    assert "A C" in shown
    made = run("-m", "moderator", "compose", str(tmp_path / "turn.json"), "C@R", "--from", "anna@home.example")
    assert made.returncode == 0
    assert made.stdout.endswith("\nC@R\n")
    assert "judged by the referee alone" in made.stderr


def test_the_program_offers_it_and_speaks_of_it() -> None:
    code = (
        "from moderator.games import REGISTRY, load; from moderator.pages.messages import say;"
        "from moderator.games.rules_text import rules_text; from moderator.pages import traits;"
        "print(list(REGISTRY)[-1], len(REGISTRY), load('linie').key, say('name', 'de', 'linie'),"
        "rules_text('linie', 'en').title, traits.dealt_anew('linie'), repr(traits.colour('linie', 'A')))"
    )
    assert run("-c", code).stdout.split() == ["linie", "10", "linie", "Linie", "Linie", "True", "''"]


def test_so_it_does_with_the_formats() -> None:
    code = (
        "from moderator.tournaments import formats; from moderator.pages.messages import label;"
        "found = formats.load('kette');"
        "print(found.key in formats.REGISTRY, found.key, label(f'cup-format-{found.words}', 'de', rounds=3))"
    )
    done = run("-c", code)
    assert done.stdout.split()[:2] == ["True", "kette"], done.stderr


def test_here_there_are_our_own_games_only() -> None:
    assert list(REGISTRY) == list(OWN)
    assert "linie" not in REGISTRY
    assert None not in REGISTRY
    assert list(formats.REGISTRY) == list(formats.OWN)


def test_a_game_that_is_registered_and_gone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY.others, "weg", "weg.rules:GAME")
    with pytest.raises(OperatorError, match=r"weg\.rules:GAME and is not there"):
        folder("weg")


def test_so_does_a_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(formats.REGISTRY.others, "weg", "weg.chain:CHAIN")
    with pytest.raises(OperatorError, match=r"The format 'weg' is registered as weg\.chain:CHAIN and is not there"):
        formats.load("weg")
