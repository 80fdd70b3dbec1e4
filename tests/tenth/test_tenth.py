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
from collections import Counter
from pathlib import Path

import pytest

from moderator.common.errors import OperatorError
from moderator.games import OWN, REGISTRY, folder
from moderator.tournaments import formats

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def run(*words: str) -> subprocess.CompletedProcess[str]:
    there = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, env=there)


def count_passed(chosen: str, *paths: str) -> Counter[str]:
    """Run what the tests have about a newcomer, all of which passes; how many passed, by file."""
    done = run("-m", "pytest", "-rA", "-p", "no:cacheprovider", "-p", "no:xdist", "--soak", "-k", chosen, *paths)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    return Counter(re.findall(r"^PASSED (\S+?\.py)", done.stdout, re.MULTILINE))


@pytest.mark.matrix("foreign packages", seconds=32)
def test_every_suite_about_all_games_plays_it() -> None:
    passed = count_passed("linie and not every_pattern", "tests")  # patterns are those of our own documents
    assert len(passed) >= 10, passed


@pytest.mark.matrix("foreign packages", seconds=7)
def test_every_suite_about_all_formats_plays_it() -> None:
    assert count_passed("kette or thron or halbe", "tests/tournaments").total() >= 9  # three each


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


def test_the_program_offers_them_and_speaks_of_them() -> None:
    code = (
        "from moderator.games import REGISTRY, load_game; from moderator.language.messages import render_label, "
        "render_code, load_rules_text;"
        "from moderator.language import traits;"
        "from moderator.tournaments import formats; words = formats.load_format('kette').words;"
        "print(list(REGISTRY)[-1], len(REGISTRY), load_game('linie').key, render_code('name', 'de', 'linie'),"
        "load_rules_text('linie', 'en').title, traits.has_seeded_rounds('linie'), repr(traits.get_rack_colour('linie', "
        "'A')),"
        "'kette' in formats.REGISTRY, bool(render_label(f'cup-format-{words}', 'de', rounds=3)))"
    )
    assert run("-c", code).stdout.split() == ["linie", "10", "linie", "Linie", "Linie", "True", "''", "True", "True"]


def test_here_there_are_our_own_games_only() -> None:
    assert list(REGISTRY) == list(OWN)
    assert "linie" not in REGISTRY
    assert None not in REGISTRY
    assert list(formats.REGISTRY) == list(formats.OWN)


def test_what_is_registered_and_gone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY.others, "weg", "weg.rules:GAME")
    with pytest.raises(OperatorError, match=r"weg\.rules:GAME and is not there"):
        folder("weg")
    monkeypatch.setitem(formats.REGISTRY.others, "weg", "weg.chain:CHAIN")
    with pytest.raises(OperatorError, match=r"The format 'weg' is registered as weg\.chain:CHAIN and is not there"):
        formats.load_format("weg")
