"""Every game's page to lay tiles on can be touched: tiles, squares and Back, in either order. So can the one that
``game new`` writes, and that of the example."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser

from moderator.cli import cli
from moderator.club import archive, board_page
from moderator.conformance import turn_files
from moderator.conformance.subject import Subject, played
from moderator.games import REGISTRY
from moderator.match import turn_data
from tests.site.browser.conftest import Archive, looked

ROOT = Path(__file__).parents[3]
FAR = 5
"""Calls before the position that is shown."""
TOUCHED = """() => {
    const tap = (one) => one.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    const held = () => document.querySelectorAll("#rack button");
    const spots = () => [...document.querySelectorAll("#board [data-spot]")];
    const back = document.getElementById("undo"), all = held().length, names = spots().map((one) => one.dataset.spot);
    const square = (name) => spots().find((one) => one.dataset.spot === name) ?? spots()[0];
    const wrong = [];
    let laid = 0;
    const done = (what) => {
        laid += held().length < all;
        for (let times = 0; times < 4; times += 1) tap(back);
        if (held().length !== all) wrong.push(`${what}: ${held().length} of ${all} tiles after Back`);
    };
    for (const name of names.filter((_, at) => at % Math.ceil(names.length / 60) === 0)) {
        for (let at = 0; at < Math.min(all, 7); at += 1) {
            tap(held()[at]);
            tap(square(name));
            done(`tile ${at}, ${name}`);
            tap(square(name));
            tap(held()[at]);
            done(`${name}, tile ${at}`);
        }
    }
    return [laid, wrong.slice(0, 3)];
}"""


@contextmanager
def brought(package: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A game of another package, registered as long as it is looked at."""
    key = package.name
    shutil.copytree(package, folder / "site" / key)
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(folder / "site"))
        patch.setitem(REGISTRY.others, key, f"{key}.rules:GAME")
        yield key
    for name in [name for name in sys.modules if name.partition(".")[0] == key]:
        del sys.modules[name]


def touched(key: str, folder: Path, chromium: Browser) -> list[tuple[str, str]]:
    """Some of its squares with some tiles, after some moves; whatever is laid, Back brings it back to the rack. Returns
    what each tile of the rack is called for who hears the page, and what stands on it."""
    subject, page = Subject(key, quick=True), archive.board_page(key)
    match = played(subject, subject.game.paces[0], 1, FAR)
    state = next(state for state in reversed(match.states) if not state.over)
    turn = turn_data.write(turn_files.of(subject.game, state, state.to_move[0], match.options))
    assert turn is not None
    file = folder / "board.html"
    file.write_text(board_page.written(page, "de", "Postspiele", turn=turn), encoding="utf-8")
    for view in looked(chromium, Archive(folder, {})):
        view.page.goto(file.as_uri())
        view.page.wait_for_selector("#play:not([hidden])", timeout=10_000)
        laid, wrong = view.page.evaluate(TOUCHED)
        assert wrong == []
        assert laid, "nothing was laid"
        said = view.page.inner_text("#play")
        assert not re.findall(r"\bzug-\w+|undefined|NaN|\{\w+", said)
        rack = view.page.locator("#rack button").all()
        named = [(tile.get_attribute("aria-label") or "", tile.text_content() or "") for tile in rack]
    return named


@pytest.mark.matrix("browser")
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_ours_can_be_touched(key: str, tmp_path: Path, chromium: Browser) -> None:
    touched(key, tmp_path, chromium)


@pytest.mark.slow
def test_the_one_that_is_written_anew_can(tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(cli, ["game", "new", "wortkreis"]).exit_code == 0
    with brought(tmp_path / "wortkreis" / "wortkreis", tmp_path, monkeypatch) as key:
        touched(key, tmp_path, chromium)


@pytest.mark.slow
def test_that_of_the_example_can(tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    with brought(ROOT / "examples" / "fantan" / "fantan", tmp_path, monkeypatch) as key:
        touched(key, tmp_path, chromium)


@pytest.mark.slow
def test_a_tile_is_called_as_sentences_call_it_and_one_that_fits_needs_no_number(
    tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with brought(ROOT / "tests" / "tenth" / "linie", tmp_path, monkeypatch) as key:
        named = touched(key, tmp_path, chromium)
    assert {text[1:] for label, text in named if ":" in label} == {"✓"}
    assert [label for label, _ in named] == [
        f"{text[0].lower()}: passt hier" if text.endswith("✓") else text.lower() for _, text in named
    ]
