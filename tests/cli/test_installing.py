"""What stands beside the program for whoever runs it: systemd units, container, tested versions, manual page; and the
wheel, which holds everything that is not Python, too: installed into a clean environment, it plays the demo."""

import email
import email.policy
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from moderator import __version__, schemas
from moderator.cli import outlines
from moderator.cli.command_tree import OLD_NAMES, list_command_names
from tests import man_page
from tests.cli import outlines as made_outlines
from tests.cli.running import type_command

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS = ("moderator.service", "moderator.timer")
BOTS = "moderator-bots.conf"


def test_the_manual_page_is_made_from_the_commands() -> None:
    made = man_page.page()
    assert man_page.FILE.read_text(encoding="utf-8") == made, "python -m tests.man_page"
    for command in list_command_names(""):
        assert re.search(rf"^\.SS {re.escape(man_page.plain(command))} ", made, re.MULTILINE), command


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff here")
def test_the_manual_page_can_be_read() -> None:
    done = ask("groff", "-man", "-Tutf8", "-ww", man_page.FILE)
    assert done.stderr == ""
    assert "player forget" in re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout)


def ask(*command: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    words, env = [str(word) for word in command], {**os.environ, "PYTHONPATH": ""}
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)


def unit(name: str) -> str:
    return (ROOT / "contrib" / name).read_text(encoding="utf-8")


def test_the_service_runs_what_there_is() -> None:
    (started,) = re.findall(r"^ExecStart=(.*)$", unit(UNITS[0]), re.MULTILINE)
    program, command = shlex.split(started)
    assert program.endswith("/bin/moderator")
    assert command in list_command_names("")
    assert re.search(r"^OnCalendar=", unit(UNITS[1]), re.MULTILINE)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
@pytest.mark.parametrize("bots", [False, True])
def test_systemd_takes_the_units(bots: bool, tmp_path: Path) -> None:
    for name in UNITS:
        text = unit(name).replace("/opt/moderator/bin/moderator", f'"{sys.executable}"')  # a folder may have a blank
        text = text.replace("User=moderator", "User=root")
        (tmp_path / name).write_text(text, encoding="utf-8")
    if bots:
        (tmp_path / f"{UNITS[0]}.d").mkdir()
        (tmp_path / f"{UNITS[0]}.d" / "bots.conf").write_text(unit(BOTS), encoding="utf-8")
    done = ask("systemd-analyze", "verify", "--man=no", *(tmp_path / name for name in UNITS))
    assert (done.returncode, done.stderr) == (0, "")
    looked = ask("systemd-analyze", "security", "--offline=true", tmp_path / UNITS[0])
    if found := re.search(r"exposure level for \S+: (\d+\.\d)", looked.stdout):  # an older one has no --offline
        assert float(found[1]) < (4 if bots else 3)


def test_the_container_copies_what_there_is_and_has_no_rights() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [shlex.split(line) for line in text.splitlines() if line and not line.startswith("#")]
    copied = [words[1:-1] for words in lines if words[0] == "COPY" and not words[1].startswith("--from")]
    there = [name for names in copied for name in names]
    assert [name for name in there if not (ROOT / name).exists()] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], *wheel["shared-data"], "hatch_build.py", "LICENSE"}
    assert needed <= {*there}
    words = {line[0]: line[1:] for line in lines}
    assert (words["USER"], words["VOLUME"], words["CMD"]) == (["moderator"], ["/club"], ["[watch]"])
    assert not [line for line in lines if line[0] == "ADD" or "curl" in line or "apt-get" in line]
    (made,) = [line for line in lines if line[0] == "RUN" and "install" in line]
    assert "--require-hashes -r requirements.txt" in " ".join(made)
    order = [line[0] for line in lines]
    assert order.index("USER") > max(n for n, name in enumerate(order) if name == "RUN")


@pytest.mark.parametrize(
    ("file", "groups"),
    [("requirements.txt", ("postgres", "print")), ("requirements-dev.txt", ("postgres", "print", "dev"))],
)
def test_the_requirements_name_every_package_with_its_hashes(file: str, groups: tuple[str, ...]) -> None:
    """Each entry has one version and hashes, no source beside it; the project's own lists name nothing else."""
    text = re.sub(r"\\\n", " ", (ROOT / file).read_text(encoding="utf-8"))
    entries = [line for line in text.splitlines() if not line.startswith("#")]
    shape = r"(?P<name>[\w.-]+)==[\w.+!-]+( ; [^\\]*?)?(\s+--hash=sha256:[0-9a-f]{64})+"
    found = [re.fullmatch(shape, line) for line in entries]
    assert [line for line, match in zip(entries, found, strict=True) if match is None] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for group in groups for one in project["optional-dependencies"][group])]
    names = {to_package_name(requirement) for requirement in wanted} | {"hatchling"}
    assert names <= {to_package_name(match["name"]) for match in found if match}


def test_both_lists_of_requirements_name_the_same_versions() -> None:
    versions = [
        dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE))
        for file in ("requirements.txt", "requirements-dev.txt")
    ]
    both = versions[0].keys() & versions[1].keys()
    assert len(both) > 30
    assert {name: versions[0][name] for name in both} == {name: versions[1][name] for name in both}


def to_package_name(requirement: str) -> str:
    return re.split(r"[\[<>=!~ ;]", requirement)[0].lower().replace("_", "-").replace(".", "-")


def run(*command: str | Path, folder: Path) -> str:
    done = ask(*command, folder=folder)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
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
        *("config.example.toml", "games/topwords/messages.de.toml", "games/topwords/RULES.md"),
        *("templates/shared/mail.html.j2", "templates/shared/mail.css"),
        *("templates/game/newgame/rules.py", "render/fonts/OFL.txt", "render/fonts/NotoSans-Bold-subset.ttf"),
        *("words/house.tsv", "words/build/own.de.txt", "words/build/own.en.txt"),
        *("words/shipped/de.words.xz", "words/shipped/en.words.xz", "words/shipped/SCOWL.txt"),
        "store/migrations/versions/v0010_base.py",
    ):
        assert f"moderator/{file}" in names
    assert {f"moderator/schemas/{name}{schemas.ENDING}" for name in schemas.list_schemas()} <= names
    assert [name for name in names if name.endswith(".data/data/share/man/man1/moderator.1")]
    assert not [name for name in names if name.startswith(("tests/", "bench/"))]


@pytest.mark.slow
def test_what_is_said_about_it_leads_nowhere_wrong(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        said = email.message_from_bytes(archive.read(name), policy=email.policy.default)
    assert said["Version"] == __version__
    text = said.get_content()
    assert "Nine games" in text
    assert not re.findall(r"\]\((?!https?:)[^)]*\)", text)
    assert "| Topwords | letters, which may be stacked; 2 or more players |" in text
    assert "<img" not in text


def test_the_newest_release_of_the_changelog_is_this_version() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1].split()[0] == __version__


@pytest.mark.matrix("installed wheel", seconds=30)
def test_the_wheel_brings_all_libraries_it_needs_and_plays_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python, demo = tmp_path / "env" / "bin" / "python", tmp_path / "demo"
    run(python, "-m", "pip", "install", "-q", wheel, folder=tmp_path)
    assert "##-" in run(python, "-m", "moderator", "demo", "--folder", demo, folder=tmp_path)
    assert (demo / "mail.html").exists()
    assert list(demo.glob("board-*.png"))
    words = ("-m", "moderator.conformance", "dominos", "--quick", "--set", "target=60")
    assert re.search(r"\b[1-9]\d* checks, 0 failed\b", run(python, *words, folder=tmp_path).splitlines()[-1])
    where = run(python, "-c", "import moderator; print(moderator.__file__)", folder=tmp_path)
    assert str(ROOT) not in where


def test_lists_and_completion_say_what_the_commands_say() -> None:
    assert outlines.FILE.read_text(encoding="utf-8") == made_outlines.format_outlines(), "python -m tests.cli.outlines"


def test_an_old_name_of_a_command_is_another_one_now() -> None:
    for old, new in OLD_NAMES.items():
        group, name = new.split()
        assert old.split()[1] not in list_command_names(group)
        assert name in list_command_names(group)
        assert type_command(None, *old.split(), "--help") == type_command(None, *new.split(), "--help")
