"""Small dictionaries of our own; those that installed packages give are built once for each state of the program."""

import hashlib
import shutil
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

import moderator.words
from moderator.words.build.sources import build_lexicon, build_quick_lexicon
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import SHIPPED

Make = Callable[..., Dictionary]


def built(request: pytest.FixtureRequest, language: str) -> Path:
    """A folder with the dictionary of `moderator lexicon build LANGUAGE`, out of pytest's cache if it is there."""
    sources = sorted(
        path for path in Path(moderator.words.__file__).parent.rglob("*") if path.suffix in (".py", ".txt", ".xz")
    )
    state = hashlib.sha256(b"".join(path.read_bytes() for path in sources))
    state.update(f"{version('simplemma')} {version('marisa-trie')} {language}".encode())
    kept = getattr(request.config, "cache", None)  # None with -p no:cacheprovider
    cache = Path(kept.mkdir("lexicons") if kept else request.getfixturevalue("tmp_path_factory").mktemp("lexicons"))
    folder = cache / state.hexdigest()[:16]
    if not folder.exists():
        fresh = Path(mkdtemp(dir=cache))
        build_quick_lexicon(fresh, language)
        try:
            fresh.rename(folder)
        except OSError:  # another worker was faster
            shutil.rmtree(fresh)
    return folder


@pytest.fixture(scope="session")
def simplemma_folder(request: pytest.FixtureRequest) -> Path:
    """A folder with ``de.lex`` out of the simplemma package."""
    return built(request, "de")


@pytest.fixture(scope="session")
def quick(simplemma_folder: Path) -> Dictionary:
    return open_dictionary(simplemma_folder, ["de"], house=[SHIPPED])


@pytest.fixture(scope="session")
def typdom(simplemma_folder: Path) -> Dictionary:
    return open_dictionary(simplemma_folder, ["de"], house=[SHIPPED], policy="typdom")


@pytest.fixture(scope="session")
def english(request: pytest.FixtureRequest) -> Dictionary:
    return open_dictionary(built(request, "en"), ["en"], house=[SHIPPED])


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """make("Haus Öl", house="lines", …) -> a dictionary of just these words; keywords as for open_dictionary."""

    def made(words: str, house: str = "", doubtful: str = "", **settings: Any) -> Dictionary:
        (tmp_path / "de.txt").write_text("\n".join(words.split()), encoding="utf-8")
        build_lexicon("de", [str(tmp_path / "de.txt")], tmp_path, edition="Testduden")
        if doubtful:
            (tmp_path / "maybe.txt").write_text("\n".join(doubtful.split()), encoding="utf-8")
            build_lexicon("maybe", [str(tmp_path / "maybe.txt")], tmp_path)
            settings["ask_if_in"] = ["maybe"]
        lists = settings.pop("lists", [])
        if house:
            lists = [tmp_path / "house.tsv", *lists]
            lists[0].write_text(house, encoding="utf-8")
        return open_dictionary(tmp_path, ["de"], house=lists, **settings)

    return made
