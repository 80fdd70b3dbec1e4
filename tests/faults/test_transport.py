"""The transport of another package fails at each of its calls, before and after it has done its work: every mail of a
busy evening is handled once, and every answer leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from moderator.config import TRANSPORTS, load
from moderator.errors import OperatorError
from tests.club.club import Club
from tests.faults import failing
from tests.faults.evening import copied, lost_or_doubled, recover, sqlite_only
from tests.faults.failing import ERRORS, Plan

pytestmark = sqlite_only


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TRANSPORTS.others, "failing", "tests.faults.failing:TRANSPORT")


def with_plan(evening: Path, folder: Path, plan: Plan, patched: pytest.MonkeyPatch) -> Club:
    club = copied(evening, folder)
    text = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(text.replace('"maildir"', '"failing"'), encoding="utf-8")
    club.config = load(club.config.file)
    patched.setattr(failing, "PLAN", plan)
    return club


@pytest.mark.slow
def test_at_each_of_its_calls(
    evening: Path, expected: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calm = Plan()
    club = with_plan(evening, tmp_path / "calm", calm, monkeypatch)
    club.tick()
    made = len(calm.calls)
    recover(club)
    assert lost_or_doubled(club, expected) == []
    assert {name.partition(" ")[2] for name in calm.calls} >= {
        "mailbox", "sender", "waiting", "fetch", "file_away", "marks", "mark", "deliver",
    }  # fmt: skip
    wrong = []
    for number in range(1, made + 1):
        for error in [[*ERRORS][number % len(ERRORS)]] if number % 4 == 1 else ():
            plan = Plan(number, error)
            club = with_plan(evening, tmp_path / f"{number}-{error}", plan, monkeypatch)
            told = ""
            try:
                summary = club.tick()
                told = "\n".join([*summary.troubles, *summary.away])
                assert summary.quarantined == []
            except OperatorError as failed:
                told = str(failed)
            where = f"{error} at {number}, {plan.calls[number - 1]}"
            if not told and "close" not in where and "ways" not in where:
                wrong.append(f"{where}: nothing is told")
            if "\n" in told.strip() or "Traceback" in told:
                wrong.append(f"{where}: {told}")
            recover(club)
            recover(club)
            wrong += [f"{where}: {line}" for line in lost_or_doubled(club, expected)]
    assert wrong == []
