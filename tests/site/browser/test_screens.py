"""docs/zugbrett/ has a picture of each page to lay tiles on and of each step of a move, and figures that are so."""

from __future__ import annotations

import re

import pytest

from tests.site.browser.screens import DARK, FOLDER, claimed, document, found, rounded, shown
from tests.site.browser.zug_film import CAPTIONS
from tests.site.browser.zug_positions import LAID

SAID = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_page_is_not_old() -> None:
    assert document(claimed(SAID)) == SAID, "python -m tests.site.browser.screens figures"


@pytest.mark.slow
def test_pages_and_links_weigh_at_most_what_is_said() -> None:
    """And not much less."""
    said, most = claimed(SAID), rounded({game: (heavy + 5000, far + 50) for game, (heavy, far) in found().items()})
    for game, figures in found().items():
        for now, told, enough in zip(figures, said[game], most[game], strict=True):
            assert now <= told <= enough, (game, "python -m tests.site.browser.screens figures")


def test_every_picture_is_there_and_small() -> None:
    named = re.findall(r'src="([\w-]+\.png)"', SAID)
    assert len(named) == len(shown()) + len(DARK) + len(CAPTIONS)
    assert {file.name for file in FOLDER.glob("*.png")} == set(named)
    for file in FOLDER.glob("*.png"):
        assert file.read_bytes().startswith(b"\x89PNG")
        assert file.stat().st_size < 60_000, file.name


def test_on_every_picture_a_move_is_laid() -> None:
    assert LAID.keys() == set(shown())
