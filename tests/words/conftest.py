"""Small dictionaries of our own; the one of simplemma is built once for the whole run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.sources import build, build_quick

Make = Callable[..., Dictionary]


@pytest.fixture(scope="session")
def simplemma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``de.lex`` out of the simplemma package."""

    folder = tmp_path_factory.mktemp("simplemma")
    build_quick(folder)
    return folder


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """make("Haus Öl", house="lines", …) -> a dictionary of just these words; keywords as for open_dictionary."""

    def made(words: str, house: str = "", doubtful: str = "", **settings: Any) -> Dictionary:
        (tmp_path / "de.txt").write_text("\n".join(words.split()), encoding="utf-8")
        build("de", [str(tmp_path / "de.txt")], tmp_path, edition="Testduden")
        if doubtful:
            (tmp_path / "maybe.txt").write_text("\n".join(doubtful.split()), encoding="utf-8")
            build("maybe", [str(tmp_path / "maybe.txt")], tmp_path)
            settings["ask_if_in"] = ["maybe"]
        lists = settings.pop("lists", [])
        if house:
            lists = [tmp_path / "house.tsv", *lists]
            lists[0].write_text(house, encoding="utf-8")
        return open_dictionary(tmp_path, ["de"], house=lists, **settings)

    return made
