"""The robot of docs/bots.md and the transport of docs/transports.md as the packages that the pages print: what is built
of them registers them, and plays where it is installed. (Other tests write down by hand what pip would.)"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from moderator import bots
from moderator.cli.doctor import bots as looked_at
from moderator.config import TRANSPORTS, load
from moderator.mail.open import open_mailbox
from tests.club.club import make_club
from tests.packages import installed

DOCS = Path(__file__).parents[2] / "docs"


def built(page: str, module: str, source: str, folder: Path) -> Path:
    """A folder for the path, with the package in it, installed as the page says."""
    assert f"`pip install ./{module}`" in (DOCS / page).read_text(encoding="utf-8")
    text = (DOCS / page).read_text(encoding="utf-8")
    project = folder / module
    project.mkdir(parents=True)
    for file, mark in ((f"{module}.py", source), ("pyproject.toml", "its pyproject")):
        found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", text, re.DOTALL)
        assert found
        (project / file).write_text(found[1], encoding="utf-8")
    words = [
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(folder / "site"),
        f"./{module}",
    ]
    done = subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.mark.matrix("examples")
def test_the_robot(tmp_path: Path) -> None:
    with installed(built("bots.md", "varied", "the robot", tmp_path)):
        assert dict(bots.REGISTRY) == {"varied": "varied:ROBOT"}
        club = make_club(tmp_path / "club")
        club.players("R21")
        text = club.config.file.read_text(encoding="utf-8")
        club.config.file.write_text(f'{text}\n[bots.R21]\nrobot = "varied"\n', encoding="utf-8")
        assert looked_at(load(club.config.file)) == ""


@pytest.mark.matrix("examples")
def test_the_transport(tmp_path: Path) -> None:
    with installed(built("transports.md", "emlfiles", "the transport", tmp_path)):
        assert TRANSPORTS.others == {"eml": "emlfiles:TRANSPORT"}
        club = make_club(tmp_path / "club")
        text = club.config.file.read_text(encoding="utf-8").replace('"maildir"', '"eml"')
        club.config.file.write_text(text, encoding="utf-8")
        with open_mailbox(load(club.config.file)) as box:
            assert box.waiting() == 0
        assert (club.folder / "eml" / "in").is_dir()
