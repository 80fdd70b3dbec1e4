"""Whatever kind of value stands in a match's file, a fault names its line, or it is moved in: nothing else happens."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import pytest

from moderator.games import OWN
from moderator.play import moving_in
from moderator.run import move_in, move_in_template
from moderator.run.move_in_files import People
from tests.club.club import Club, make_club

KINDS: tuple[Any, ...] = (
    True, 0, 1, -1, 10**30, 1.5, "", "x", [], [1], ["x"], [[]], [{}], {}, {"x": 1}, {"square": 5, "direction": "w"},
    date(2026, 12, 24), date(1, 1, 1), datetime(9999, 12, 31, tzinfo=UTC), time(12),
)  # fmt: skip
"""One value of each kind that TOML has, and some at its ends."""
KEYS = (
    "board", "bought", "completing", "deadline", "drew", "early", "empty", "exchanges", "finished", "game", "gave_up",
    "gone", "last", "leader", "name", "options", "out", "passes", "player", "rack", "round", "running", "stake",
    "starter", "stock", "stock_order", "terms", "turn",
)  # fmt: skip
OF_PLAYER = ("gains", "layout", "name", "order", "out", "penalties", "rack", "score")
INSIDE = {
    "running": ("square", "direction", "word", "author", "places"),
    "finished": ("square", "direction"),
    "terms": ("days", "bank", "vacation", "misses"),
    "options": ("pace", "rounds", "games", "target", "policy", "unknown_words"),
}
WORD = {"square": "T20", "direction": "w", "word": "NAHT", "author": "Anna"}


def changed(values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, the values with one of another kind there)."""
    places: list[tuple[str | int, ...]] = [(key,) for key in KEYS]
    places += [("player", seat, key) for seat in (0, 1) for key in OF_PLAYER]
    places += [("board", 0)] if isinstance(values.get("board"), list) else []
    places += [(key, part) for key, parts in INSIDE.items() for part in parts]
    for number, place in enumerate(places):
        for kind, value in enumerate(KINDS):
            if (kind + number) % 5 == 0:
                other = deepcopy(values) | {"name": f"{number} {kind}"}  # else they are the same match
                _inside(other, place[:-1])[place[-1]] = value
                yield f"{place} = {value!r}", other


def _inside(values: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        empty = WORD if step == "running" else {}
        values = values.setdefault(step, dict(empty)) if step in INSIDE else values[step]
    return values


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("game", sorted(OWN))
def test_a_value_of_any_kind_is_a_fault_with_its_line_or_is_moved_in(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(move_in_template, "_SEEDS", 2)
    text = move_in_template.template(game, "en")
    cases = changed(tomllib.loads(text))
    path = tmp_path / "match.toml"
    path.write_text(text, encoding="utf-8")
    with club.desk() as desk:

        def check(case: tuple[str, dict[str, Any]]) -> None:
            monkeypatch.setattr(tomllib, "loads", lambda _: deepcopy(case[1]))
            faults: list[str] = []
            ready = move_in._match(desk, path, People(desk.session), faults)
            if ready is not None:
                moving_in.take_up(desk, *ready[:3])
            assert (ready is None) == bool(faults)
            assert all(re.match(r"match\.toml:\d+: ", fault) for fault in faults), faults

        for case in cases:
            check(case)
