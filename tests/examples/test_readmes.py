"""What a README of a game tells to type is done as it stands there: of the example, and of what ``game new`` writes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli import cli
from tests.club.club import make_club
from tests.examples.packages import ROOT, install, own_tests, run


def commands(readme: Path) -> Iterator[list[str]]:
    """The indented lines, without what is remarked behind them."""
    for line in re.findall(r"^    (\S.*)$", readme.read_text(encoding="utf-8"), re.MULTILINE):
        yield shlex.split(line, comments=True)


def done(words: list[str], key: str, site: Path, here: Path, club: Path) -> None:
    """``here``: where one types it. Installed it is already, as pip would (tests/examples/test_fantan.py builds it)."""
    match words:
        case ["pip", "install", *_, folder]:
            assert (here / folder / "pyproject.toml").is_file()
        case ["python", "-m", "moderator.conformance", name]:
            assert "1 checks, 0 failed" in run(site, "-m", "moderator.conformance", name, "--only", "declared")
        case ["python", "-m", "pytest", folder]:
            own_tests(site, here / folder)
        case ["moderator", "match", "new", *more]:
            said = run(site, "-m", "moderator", "--config", str(club), "match", "new", *more)
            assert "is dealt" in said
        case _:
            pytest.fail(f"nobody tried {words} of {key}")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["fantan", "wortkreis"])
def test_what_a_readme_tells_to_type(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, here = ROOT / "examples" / key, ROOT
    if key == "wortkreis":
        monkeypatch.chdir(tmp_path)
        assert CliRunner().invoke(cli, ["game", "new", key]).exit_code == 0
        project = here = tmp_path / key
    (tmp_path / "site").mkdir()
    install(tmp_path / "site", project / key)
    club = make_club(tmp_path / "club")
    club.players("Anna", "Bert")
    typed = list(commands(project / "README.md"))
    assert len(typed) == 4
    for words in typed:
        done(words, key, tmp_path / "site", here, club.config.file)
