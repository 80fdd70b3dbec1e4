"""Games in packages of their own, installed as pip would, for processes of their own; and what the page of such a game
says of a move, beside what Python says."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from moderator.errors import PlayerError
from moderator.match.contract import State, view_for
from moderator.match.turn_data import CONTEXT
from tests.chromium import chromium

ROOT = Path(__file__).parents[2]


def install(folder: Path, package: Path) -> None:
    """Into a folder that is put on a path: the package, and what its entry point is."""
    name = package.name
    (folder / name).symlink_to(package)
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: moderator-{name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[moderator.games]\n{name} = {name}.rules:GAME\n")


def run(folder: Path, *words: str) -> str:
    """A Python that finds what lies in the folder."""
    there = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, env=there, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    return done.stdout


def passes(folder: Path, key: str, *options: str) -> None:
    """What every game must; no check is left out."""
    said = run(folder, "-m", "moderator.conformance", key, *options).splitlines()
    assert said[-1].endswith(" checks, 0 failed")
    assert not [line for line in said if "skipped" in line]


def own_tests(folder: Path, tests: Path) -> None:
    run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tests))


@contextmanager
def rules_of(name: str, folder: Path) -> Iterator[ModuleType]:
    """The game itself, for this process too, though not registered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module(f"{name}.rules")
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


# ---- pages ----


LEGAL, ILLEGAL = 1000, 300
Case = tuple[State[Any], int, str, Any]
"""(position, square, tile that is put there, the move that this is)."""
ASKED = """async ([source, name, cases]) => {
    const family = (await import("data:text/javascript;base64," + source))[name];
    return cases.map(([turn, square, tile]) => {
        const after = family.put(family.start(turn), square, tile);
        return after.why ? after : family.judge(after);
    });
}"""


def turn_of(game: Any, state: State[Any]) -> dict[str, Any]:
    """As much of docs/turn.md as these pages read."""
    tiles = [len(hand) for hand in state.hands]
    return {"game": game.key, "rack": list(state.hands[0]), "tiles": tiles, "board": game.table(state.public)}


def outcome(game: Any, state: State[Any], move: Any) -> dict[str, Any]:
    """What Python says, in the form of the page."""
    read = game.parse(game.format(move), view_for(state, 0))
    try:
        step = game.apply(state, 0, read, CONTEXT)
    except PlayerError as error:
        return {"why": error.code, "params": dict(error.params)}
    notes = [{"code": note.code, "params": dict(note.params)} for note in step.notes if note.only is None]
    return {"text": game.format(read), "words": [], "notes": notes, "points": step.points}


def differing(game: Any, module: Path, name: str, cases: Iterator[Case]) -> list[tuple[Any, ...]]:
    """(what the page says, what Python says) where that is not the same, of a thousand legal moves and 300 others."""
    found: dict[bool, list[tuple[dict[str, Any], int, str, dict[str, Any]]]] = {True: [], False: []}
    for state, square, tile, move in cases:
        told = outcome(game, state, move)
        kept, most = found["text" in told], LEGAL if "text" in told else ILLEGAL
        if len(kept) < most:
            kept.append((turn_of(game, state), square, tile, told))
        if (len(found[True]), len(found[False])) == (LEGAL, ILLEGAL):
            break
    every = found[True] + found[False]
    source = b64encode(module.read_bytes()).decode()
    with chromium() as browser:
        answers = browser.new_page().evaluate(ASKED, [source, name, [case[:3] for case in every]])
    return [(answer, case[3]) for answer, case in zip(answers, every, strict=True) if answer != case[3]]
