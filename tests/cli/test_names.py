"""What the shell completes, the clock that the command line prints by, and another name for a player."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from moderator.cli import cli
from moderator.cli.names import Named
from tests.attack.post import started
from tests.club.club import Club, make_club, plain_boards, text


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def completed(club: Club, *words: str) -> list[str]:
    """What the shell offers for the last of these words."""
    shell = ShellComplete(cli, {}, "moderator", "_MODERATOR_COMPLETE")
    return [item.value for item in shell.get_completions(["--config", str(club.config.file), *words[:-1]], words[-1])]


def run(club: Club, *words: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    assert done.exit_code == 0, done.output
    return done.output


def arguments(group: click.Command, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Argument]]:
    """Each argument of each command."""
    if isinstance(group, click.Group):
        ctx = click.Context(group)
        return [
            found
            for name in group.list_commands(ctx)
            if (command := group.get_command(ctx, name)) is not None
            for found in arguments(command, (*path, name))
        ]
    return [(path, param) for param in group.params if isinstance(param, click.Argument)]


def test_codes_and_names_are_completed(club: Club) -> None:
    code = started(club)
    run(club, "cup", "new", "Pokal", "--game", "topwords", "--format", "robin")
    assert completed(club, "match", "show", code[:2].lower()) == [code]
    assert completed(club, "match", "excuse", code, "A") == ["Anna"]
    assert completed(club, "match", "replace", code, "Anna", "") == ["Anna", "Bert"]
    assert completed(club, "match", "new", "topwords", "Anna", "be") == ["Bert"]
    assert completed(club, "player", "set", "B") == ["Bert"]
    assert completed(club, "cup", "show", "") == ["T1"]
    assert completed(club, "cup", "join", "T1", "Anna", "B") == ["Bert"]


def test_each_argument_for_a_code_or_a_player_is_completed() -> None:
    """Of whichever command, also one that is declared with the mails."""
    free = {
        (("player", "add"), "name"),
        (("cup", "new"), "name"),
        (("lexicon", "build"), "name"),
        (("referee", "add"), "name"),
    }
    wanted = {"code", "codes", "player", "players", "successor", "name", "match"}
    lacking = [
        (path, one.name)
        for path, one in arguments(cli)
        if one.name in wanted and not isinstance(one.type, Named) and (path, one.name) not in free
    ]
    assert not lacking


def test_without_a_club_nothing_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MODERATOR_CONFIG", raising=False)
    shell = ShellComplete(cli, {}, "moderator", "_MODERATOR_COMPLETE")
    assert shell.get_completions(["match", "show"], "") == []


def test_times_are_those_of_the_clubs_clock(club: Club) -> None:
    """The club's noon in UTC is one o'clock in Berlin."""
    code = started(club)
    club.order("Anna", code, 0, "passe")
    club.tick()
    moment = f"{club.now:%Y-%m-%d} 13:"
    assert f"{club.now:%H:%M}" == "12:00"
    assert moment in run(club, "match", "log", code)
    assert moment in run(club, "audit", "--since", "2026-01-01")
    club.order("Bert", code, 1, "passe", Precedence="bulk")
    club.tick()
    assert moment in run(club, "quarantine", "list")


def test_no_time_is_printed_in_utc() -> None:
    folder = Path(__file__).parents[2] / "moderator"
    files = [*folder.glob("cli/*.py"), *folder.glob("run/*.py"), *folder.glob("backup/*.py")]
    said = [line for file in files for line in file.read_text().splitlines()]
    assert not [line for line in said if "} UTC" in line or " (UTC)" in line]


def test_a_player_may_have_another_name(club: Club) -> None:
    """In all that is told from now on; nobody else may have it, nor one that looks like it."""
    code = started(club)
    run(club, "player", "set", "Anna", "--name", "Nana")
    assert "Nana" in run(club, "match", "show", code)
    club.order("anna@home.example", code, 0, "passe")
    club.tick()
    assert "Nana" in text(club.mail("bert"))
    run(club, "player", "set", "Nana", "--name", "NANA")
    refused = CliRunner().invoke(cli, ["--config", str(club.config.file), "player", "set", "Bert", "--name", "nana"])
    assert refused.exit_code == 1
    assert "already" in str(refused.exception)
