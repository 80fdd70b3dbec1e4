"""The wheel holds everything that is not Python, too: installed into a clean environment, it plays the demo."""

import email
import email.policy
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from moderator import __version__, schemas

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str | Path, folder: Path) -> str:
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.slow
def test_the_wheel_holds_templates_fonts_words_and_the_example(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for file in (
        "moderator/config.example.toml",
        "moderator/templates/mail/turn.html.j2",
        "moderator/templates/mail/turn.txt.j2",
        "moderator/templates/shared/mail.css",
        "moderator/templates/game/newgame/rules.py",
        "moderator/pages/fonts/OFL.txt",
        "moderator/pages/fonts/NotoSans-Bold-subset.ttf",
        "moderator/words/house.tsv",
        "moderator/words/shipped/de.words.xz",
        "moderator/words/shipped/en.words.xz",
        "moderator/words/shipped/SCOWL.txt",
        "moderator/games/topwords/messages.de.toml",
        "moderator/games/topwords/RULES.md",
        "moderator/store/migrations/versions/v0010_base.py",
    ):
        assert file in names
    assert {f"moderator/schemas/{name}{schemas.ENDING}" for name in schemas.names()} <= names
    assert [name for name in names if name.endswith(".data/data/share/man/man1/moderator.1")]
    assert not [name for name in names if name.startswith(("tests/", "bench/"))]


def test_what_is_said_about_it_leads_nowhere_wrong(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        said = email.message_from_bytes(archive.read(name), policy=email.policy.default)
    assert said["Version"] == __version__
    text = said.get_content()
    assert "Nine games" in text
    assert not re.findall(r"\]\((?!https?:)[^)]*\)", text)
    assert "| `topwords` | letters, which may be stacked; 2 or more players | Topwords |" in text


def test_the_newest_release_of_the_changelog_is_this_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1].split()[0] == __version__


def play(python: Path, folder: Path) -> None:
    said = run(python, "-m", "moderator", "demo", "--folder", folder / "demo", folder=folder)
    assert "##-" in said
    assert (folder / "demo" / "mail.html").exists()
    assert list((folder / "demo").glob("board-*.png"))
    looked = run(python, "-m", "moderator.conformance", "dominos", "--quick", "--set", "target=60", folder=folder)
    assert re.search(r"\b[1-9]\d* checks, 0 failed\b", looked.splitlines()[-1])
    where = run(python, "-c", "import moderator; print(moderator.__file__)", folder=folder)
    assert str(ROOT) not in where


@pytest.mark.matrix("commands")
def test_the_wheel_brings_all_libraries_it_needs_and_plays_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", wheel, folder=tmp_path)
    play(python, tmp_path)
