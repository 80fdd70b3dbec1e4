"""Run a share of each long list of cases.

A test whose cases are a long list (points at which a run dies, browsers × games × widths, whole seasons) is marked
``@pytest.mark.matrix("kill points")``. The file budgets.toml says how many seconds the gate has for each list. Which
cases run is chosen by the hash of the commit, so that other cases run with the next one; `make soak` runs them all.
"""

import hashlib
import os
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARES = pytest.StashKey[dict[str, tuple[int, int]]]()
"""How many cases of each matrix run, and how many there are."""
BUDGETS = Path(__file__).with_name("budgets.toml")
SEED = "MODERATOR_SAMPLE"
"""The environment variable with the seed of the sample; xdist's workers inherit it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("moderator")
    group.addoption("--soak", action="store_true", help="run every case of every matrix")
    group.addoption("--matrix-share", type=float, default=1.0, help="share of the budgets in tests/budgets.toml")


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault(SEED, read_commit())
    config.pluginmanager.register(ReadWorkers())


def read_commit() -> str:
    """The hash of the commit; "0" outside a repository."""
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip()[:12] or "0"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases that are not in the sample. Whoever names a test on the command line gets all its cases."""
    budgets = tomllib.loads(BUDGETS.read_text(encoding="utf-8"))
    share, always = config.getoption("matrix_share"), set(budgets["always"])
    costs: dict[str, dict[str, float]] = defaultdict(dict)
    for item in items:
        if marker := item.get_closest_marker("matrix"):
            if marker.args[0] not in budgets["seconds"]:
                raise pytest.UsageError(f"{BUDGETS.name} has no row for {marker.args[0]!r}, which {item.nodeid} names")
            costs[marker.args[0]][item.nodeid] = float(marker.kwargs.get("seconds", 1))
            item.user_properties.append(("matrix", marker.args[0]))
    if config.getoption("soak") or any("::" in argument for argument in config.args):
        return
    left_out = set()
    for name, cases in costs.items():
        chosen = choose_cases(cases, budgets["seconds"][name] * share, os.environ[SEED])
        left_out |= cases.keys() - chosen - always
        config.stash.setdefault(SHARES, {})[name] = len(cases.keys() - left_out), len(cases)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["shares"] = session.config.stash.get(SHARES, {})


class ReadWorkers:
    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        node.config.stash[SHARES] = getattr(node, "workeroutput", {}).get("shares", {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if shares := config.stash.get(SHARES, {}):
        listed = ", ".join(f"{name} {ran}/{all_cases}" for name, (ran, all_cases) in sorted(shares.items()))
        terminalreporter.write_line(f"matrices sampled with {SEED}={os.environ[SEED]}: {listed}")


def choose_cases(cases: Mapping[str, float], seconds: float, seed: str) -> set[str]:
    """The cases of a list that fit into so many seconds, in an order that the seed gives.

    Args:
        cases: seconds by node id.
    """
    chosen, left = set(), seconds
    for case in order_cases(cases, seed):
        if cases[case] <= left:
            chosen.add(case)
            left -= cases[case]
    return chosen


def order_cases(cases: Iterable[str], seed: str) -> list[str]:
    """Shuffle the cases by the seed: the same order on each machine."""
    return sorted(cases, key=lambda case: hashlib.sha256(f"{seed} {case}".encode()).digest())
