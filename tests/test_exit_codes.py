"""Every exit code, as a process gives it, and where they are printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from moderator.cli import main
from moderator.cli.run import ANYWHERE, COMMANDS
from moderator.errors import ExitCode
from tests.club.club import make_club
from tests.servers.process import free_ports

ROOT = Path(__file__).resolve().parent.parent
FALLS_OVER = """
import sys
from moderator.run import handling
def broken(desk): raise RuntimeError("of our own")
handling.handle = broken
from moderator.cli import main
main()
"""


def moderator(folder: Path, *words: str, stdin: bytes = b"", script: str = "") -> tuple[int, str]:
    """(exit code, standard error)."""
    start = ["-c", script] if script else ["-m", "moderator"]
    command = [sys.executable, *start, "--config", str(folder / "moderator.toml"), *words]
    done = subprocess.run(command, input=stdin, capture_output=True, check=False)
    return done.returncode, done.stderr.decode()


@pytest.mark.slow
def test_each_is_given_for_what_it_says(tmp_path: Path) -> None:
    club = make_club(tmp_path)
    club.players("Anna", "Bert")
    seen = {}
    seen[ExitCode.FINE] = moderator(tmp_path, "tick")
    seen[ExitCode.OPERATOR] = moderator(tmp_path, "match", "show", "K7Q2")
    seen[ExitCode.USAGE] = moderator(tmp_path, "tick", "--dry")
    club.write("Anna", "passe")
    seen[ExitCode.BUG] = moderator(tmp_path, "tick", script=FALLS_OVER)
    mail = b"From: anna@home.example\r\nMessage-ID: <1@x>\r\n\r\nHILFE\r\n"
    (tmp_path / "moderator.sqlite").rename(tmp_path / "away.sqlite")
    seen[ExitCode.AWAY] = moderator(tmp_path, "receive", stdin=mail)
    (tmp_path / "moderator.toml").unlink()
    seen[ExitCode.CONFIG] = moderator(tmp_path, "tick")
    for code in ExitCode:
        assert seen[code][0] == code, (code, seen[code])
    for code in (ExitCode.OPERATOR, ExitCode.AWAY, ExitCode.CONFIG):
        assert seen[code][1].startswith("moderator: ")
        assert seen[code][1].count("\n") == 1
    assert seen[ExitCode.FINE][1] == ""


def test_a_server_that_stays_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import timedelta

    from click.testing import CliRunner

    from moderator.cli import cli, tick

    port = free_ports(1)[0]
    server = f'host = "127.0.0.1"\nport = {port}\nsecurity = "plain"\nuser = "x"\npassword = "y"\n'
    file = tmp_path / "moderator.toml"
    make_club(tmp_path)
    file.write_text(
        file.read_text(encoding="utf-8").replace('"maildir"', '"imap"') + f"[imap]\n{server}[smtp]\n{server}",
        encoding="utf-8",
    )
    monkeypatch.setattr(tick, "PATIENCE", timedelta())
    done = CliRunner().invoke(cli, ["--config", str(file), "tick"])
    assert done.exit_code == ExitCode.AWAY


def test_they_are_printed_as_they_are() -> None:
    done = subprocess.run([sys.executable, "-m", "moderator", "--help"], capture_output=True, text=True, check=True)
    page = (ROOT / "docs" / "practice.md").read_text(encoding="utf-8")
    for code in ExitCode:
        assert f"{code.value:>4}  {code.meaning}\n" in done.stdout
        assert f"| {code.value} | {code.meaning} |\n" in page
    assert page.count("\n| ") == len(ExitCode) + 1


def test_windows_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    for command in COMMANDS:
        monkeypatch.setattr(sys, "argv", ["moderator", command, "--help"])
        with pytest.raises(SystemExit) as left:
            main()
        said = capsys.readouterr().err
        if command in ANYWHERE:
            assert left.value.code == ExitCode.FINE
        else:
            assert left.value.code == ExitCode.CONFIG
            assert said.startswith("moderator: moderator does not run on Windows. Use WSL")
            assert said.count("\n") == 1
