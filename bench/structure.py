"""How far a stranger must walk: size, import cycles, and the files that one order by mail passes through.

An order in a match of Topwords against a robot is handled by one tick in a demo club; every function of ours that is
called is noted. Nothing here depends on how busy the machine is.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType
from typing import Any

import networkx

import moderator
from bench.target import at_most
from moderator.cli import trial_clubs
from moderator.run.tick import run_tick
from moderator.settings import load_config
from moderator.views.match_cache import MatchCache

PACKAGE = Path(moderator.__file__).parent
FILES, LINES, PASSED, RETURNS = 320, 46_000, 70, 120


def run() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    at_most("files of moderator/", len(files), FILES)
    at_most("lines of moderator/", sum(len(file.read_text("utf-8").splitlines()) for file in files), LINES)
    knots = cycles(files)
    at_most("import cycles between modules", len(knots), 0)
    for knot in knots:
        print(f"    {' <-> '.join(knot)}")
    way = one_order()
    at_most("files that one order passes through", len(set(way.order)), PASSED)
    at_most("returns to a file left before", len(way.order) - len(set(way.order)), RETURNS)


# ---- imports ----


def cycles(files: list[Path]) -> list[list[str]]:
    """Modules that import each other in a ring, also within functions; each ring once, in order of size."""
    known = {_name(file): file for file in files}
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for name, file in known.items():
        tree = ast.parse(file.read_text("utf-8"))
        graph.add_edges_from((name, other) for other in _imported(tree, name, file) if other in known and other != name)
    return sorted((sorted(ring) for ring in networkx.strongly_connected_components(graph) if len(ring) > 1), key=len)


def _name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.Module, name: str, file: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            here = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
            base = ".".join([*here[: len(here) - node.level + 1], *([node.module] if node.module else [])])
            start = base if node.level else node.module or ""
            # `from package import module` runs the package, too
            yield start
            yield from (sub for alias in node.names if _is_module(sub := f"{start}.{alias.name}"))


def _is_module(name: str) -> bool:
    place = PACKAGE.parent.joinpath(*name.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


# ---- the way of an order ----


@dataclass
class Way:
    """The files in which our functions were called. One call after another in the same file is one stay there; only
    the first call of each function counts, or a loop would be a long way."""

    order: list[str] = field(default_factory=list)
    known: set[Any] = field(default_factory=set)

    def profile(self, frame: FrameType, kind: str, _argument: Any) -> None:
        code = frame.f_code
        if kind != "call" or code in self.known or not code.co_filename.startswith(str(PACKAGE)):
            return
        if not code.co_flags & CO_OPTIMIZED:  # a module or a class that is read, not a function
            return
        self.known.add(code)
        if not self.order or self.order[-1] != code.co_filename:
            self.order.append(code.co_filename)


def one_order() -> Way:
    """One tick of a fresh demo club, with one order by mail and the answers of the robots."""
    way = Way()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "club"
        made = [sys.executable, "-m", "moderator", "demo", "--folder", str(folder), "--language", "en"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        config = load_config(folder / "moderator.toml")
        trial_clubs._deliver_answer_mail(
            config, trial_clubs._read_newest_mail(config), trial_clubs._list_demo_orders(config, MatchCache(config))[0]
        )
        sys.setprofile(way.profile)
        try:
            run_tick(config)
        finally:
            sys.setprofile(None)
    return way
