"""What stands beside the program for whoever runs it: systemd units, container, tested versions, manual page."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from moderator.cli.run import ANYWHERE, COMMANDS
from tests import man_page

ROOT = Path(__file__).resolve().parent.parent.parent
UNITS = ("moderator.service", "moderator.timer")


def test_the_manual_page_is_made_from_the_commands() -> None:
    made = man_page.page()
    assert man_page.FILE.read_text(encoding="utf-8") == made, "python -m tests.man_page"
    for command in COMMANDS:
        assert re.search(rf"^\.SS {re.escape(man_page.plain(command))} ", made, re.MULTILINE), command


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff here")
def test_the_manual_page_can_be_read() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", str(man_page.FILE)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert "player forget" in re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout)


def unit(name: str) -> str:
    return (ROOT / "contrib" / name).read_text(encoding="utf-8")


def test_the_service_runs_what_there_is() -> None:
    (started,) = re.findall(r"^ExecStart=(.*)$", unit(UNITS[0]), re.MULTILINE)
    program, command = shlex.split(started)
    assert program.endswith("/bin/moderator")
    assert command in COMMANDS
    assert re.search(r"^OnCalendar=", unit(UNITS[1]), re.MULTILINE)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    for name in UNITS:
        text = unit(name).replace("/opt/moderator/bin/moderator", sys.executable).replace("User=moderator", "User=root")
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / name) for name in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    looked = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", str(tmp_path / UNITS[0])],
        capture_output=True,
        text=True,
        check=False,
    )
    if found := re.search(r"exposure level for \S+: (\d+\.\d)", looked.stdout):  # an older one has no --offline
        assert float(found[1]) < 3


def instructions() -> list[list[str]]:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    return [shlex.split(line) for line in text.splitlines() if line and not line.startswith("#")]


def test_the_container_copies_what_there_is_and_has_no_rights() -> None:
    lines = instructions()
    copied = [words[1:-1] for words in lines if words[0] == "COPY" and not words[1].startswith("--from")]
    there = [name for names in copied for name in names]
    for name in there:
        assert (ROOT / name).exists(), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for needed in (*wheel["packages"], *wheel["force-include"], *wheel["shared-data"], "hatch_build.py", "LICENSE"):
        assert needed in there, needed
    words = {line[0]: line[1:] for line in lines}
    assert words["USER"] == ["moderator"]
    assert words["VOLUME"] == ["/club"]
    assert words["CMD"] == ["[watch]"]
    assert not [line for line in lines if line[0] == "ADD" or "curl" in line or "apt-get" in line]
    made = next(n for n, line in enumerate(lines) if line[0] == "RUN" and "install" in line)
    assert ["ENV", "PIP_CONSTRAINT=/src/constraints.txt"] in lines[:made]  # the only one that the build heeds, too
    order = [line[0] for line in lines]
    assert order.index("USER") > max(n for n, name in enumerate(order) if name == "RUN")


def test_the_page_names_the_commands_that_run_on_windows() -> None:
    page = (ROOT / "docs" / "practice.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"commands that need a file only\s+\(([^)]*)\)", page)
    assert sorted(re.findall(r"`(\w+)`", named)) == sorted(ANYWHERE)


@pytest.mark.skipif("MODERATOR_CONTAINER" not in os.environ, reason="needs an image from the network")
def test_the_container_is_built_and_says_its_version() -> None:
    tool = shutil.which("podman") or shutil.which("docker")
    assert tool
    subprocess.run([tool, "build", "-q", "-t", "moderator-test", "-f", "Containerfile", "."], cwd=ROOT, check=True)
    done = subprocess.run([tool, "run", "--rm", "moderator-test", "--version"], capture_output=True, check=True)
    assert b"moderator" in done.stdout


def test_the_constraints_name_every_package_and_no_machine() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+", line) for line in pinned), pinned
    names = {line.partition("==")[0].lower().replace("_", "-").replace(".", "-") for line in pinned}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for more in project["optional-dependencies"].values() for one in more)]
    for requirement in wanted:
        name = re.split(r"[\[<>=!~ ;]", requirement)[0].lower().replace("_", "-").replace(".", "-")
        assert name in names, f"{requirement}: pip freeze --exclude-editable"
