"""Figures of a test run: counted by several processes, written into the document, and never claimed too high."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import figures
from tests.every import for_every
from tests.figures import Row, Unfit, claims, complaints, figure, known, main, read, table

ROWS = {"a.b": Row("Things that were done", False), "c": Row("Mails that went out twice", True)}
TEXT = "# Title\n\n<!-- figures -->\n{}\n<!-- /figures -->\n\nMore.\n"


COUNT = "from tests.figures import figure\nfor _ in range(300): figure('a.b', 2)"


def test_counts_of_several_processes_add_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figures"
    monkeypatch.setenv(figures.VARIABLE, str(file))
    root = figures.DOCUMENT.parents[1]
    workers = [subprocess.Popen([sys.executable, "-c", COUNT], cwd=root) for _ in range(3)]
    assert [worker.wait() for worker in workers] == [0, 0, 0]
    figure("c")
    assert read(file) == {"a.b": 1800, "c": 1}


def test_nothing_is_kept_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(figures.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    figure("a.b")
    assert list(tmp_path.iterdir()) == []


@for_every(
    "value, least, most", [(0, 0, 0), (3, 3, 5), (64, 60, 70), (99, 95, 110), (168, 160, 190), (2345, 2200, 2600)]
)
def test_round_numbers_on_the_safe_side(value: int, least: int, most: int) -> None:
    assert (ROWS["a.b"].claim(value), ROWS["c"].claim(value)) == (least, most)


def test_what_is_written_is_what_is_read() -> None:
    text = TEXT.format(table({"a.b": 2345, "c": 12}, ROWS, {"c": 99}))
    assert "| Things that were done | at least 2,200 |" in text
    assert claims(text, ROWS) == {"a.b": 2200, "c": 15}
    assert complaints(text, {"a.b": 2200, "c": 15}, ROWS) == []


def test_a_run_of_some_tests_leaves_the_other_rows_alone() -> None:
    before = claims(TEXT.format(table({"a.b": 2345, "c": 12}, ROWS, {})), ROWS)
    assert claims(TEXT.format(table({"c": 70}, ROWS, before)), ROWS) == {"a.b": 2200, "c": 80}


@for_every(
    "sums, said",
    [
        ({"a.b": 2199, "c": 15}, ["a.b: reliability.md says 2200, the tests did 2199"]),
        ({"a.b": 2200, "c": 16}, ["c: reliability.md says 15, the tests did 16"]),
        ({"c": 0}, ["a.b: the tests did not count it"]),
        ({"a.b": 2200, "c": 0, "d": 1}, ["d: has no row in figures.toml"]),
    ],
)
def test_claims_that_the_run_does_not_bear_out(sums: dict[str, int], said: list[str]) -> None:
    assert complaints(TEXT.format(table({"a.b": 2345, "c": 12}, ROWS, {})), sums, ROWS) == said


def test_a_row_that_is_missing_or_that_nobody_counts() -> None:
    assert complaints(TEXT.format(""), {"a.b": 1, "c": 1}, ROWS) == [
        "a.b: not in reliability.md",
        "c: not in reliability.md",
    ]
    with pytest.raises(Unfit, match="nobody counts this: Miracles"):
        claims(TEXT.format("| Miracles | at least 5 |"), ROWS)
    with pytest.raises(Unfit, match=r"has no row in figures\.toml: d"):
        table({"a.b": 1, "c": 1, "d": 1}, ROWS, {})
    with pytest.raises(Unfit, match="not counted: c"):
        table({"a.b": 1}, ROWS, {})
    with pytest.raises(Unfit, match="there is no"):
        claims("no markers", ROWS)


def test_the_command_writes_and_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document, run = tmp_path / "reliability.md", tmp_path / "run"
    document.write_text(TEXT.format("old"), encoding="utf-8")
    monkeypatch.setattr(figures, "DOCUMENT", document)
    run.write_text("".join(f"{name} 200\n" for name in known()), encoding="utf-8")
    document.write_text(TEXT.format(""), encoding="utf-8")
    assert main([str(run)]) == 0
    assert main(["--check", str(run)]) == 0
    assert document.read_text(encoding="utf-8").count("at least 190") >= 4
    run.write_text("".join(f"{name} 189\n" for name in known()), encoding="utf-8")
    assert main(["--check", str(run)]) == 1
    assert "kill.tick.points: reliability.md says 190, the tests did 189" in capsys.readouterr().err


def test_the_document_claims_nothing_that_nobody_counts() -> None:
    assert claims(figures.DOCUMENT.read_text(encoding="utf-8"), known())
