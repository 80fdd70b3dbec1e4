"""The moderator's commands on the command line: one line of outcome, or an error that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator.cli.match import match, offered
from moderator.cli.run import cli
from moderator.commands.declaration import moderators
from moderator.errors import OperatorError
from tests.club.club import Club, make_club, plain_boards
from tests.schemas.validators import also_as_json


@pytest.fixture
def club(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert", "Cici", "Dora")
    plain_boards(made)
    return made


def run(club: Club, *arguments: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    also_as_json(club.config.file, *arguments)
    return done.output


def refused(club: Club, *arguments: str) -> OperatorError:
    with pytest.raises(OperatorError) as caught:
        run(club, *arguments)
    return caught.value


def begun(club: Club, *names: str) -> str:
    code = club.match(*(names or ("Anna", "Bert", "Cici")))
    club.tick()
    club.mails()
    return code


def test_every_command_of_the_mail_is_on_the_command_line_too() -> None:
    for one in moderators().values():
        assert bool(one.shell) != bool(one.elsewhere), one.name
        words = ["match", one.shell.name] if one.shell else one.elsewhere.split()
        assert run_help(*words), one.name
        for argument in one.arguments:
            assert argument.parameter is not None or one.shell is None, (one.name, argument.name)
    listed = match.list_commands(None)  # type: ignore[arg-type]
    assert offered().keys() <= set(listed)
    assert len(listed) == len(set(listed))
    assert all(command.help for command in offered().values())


def run_help(*words: str) -> str:
    done = CliRunner().invoke(cli, [*(word for word in words if word != "--help"), "--help"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_looking(club: Club) -> None:
    code = begun(club)
    assert "Anna: MISSING." in run(club, "match", "missing")
    assert "Anna: no move, 0 points." in run(club, "match", "preview", code)
    assert club.live(code).entries == 0


def test_judging(club: Club) -> None:
    code = begun(club)
    assert "--help" in refused(club, "match", "evaluate", code).hint
    assert "Anna" in refused(club, "match", "evaluate", code, "--round", "1").message
    assert "round 1" in refused(club, "match", "evaluate", code, "--round", "4", "--force").message
    assert "The turn" in run(club, "match", "evaluate", code, "--round", "1", "--force")
    assert run(club, "match", "move", code, "bert", "passe").startswith("Played for Bert")
    assert "Taken back: Bert with “pass”" in run(club, "match", "rollback", code, "--entry", "2", "--why", "a test")
    assert "round 1 again" in run(club, "match", "rollback", code, "--round", "1")
    log = run(club, "match", "log", code).splitlines()
    assert [line[1:].split()[3] for line in log if line.startswith("-")] == ["miss", "move"]
    assert [line[1:].split()[3] for line in log if line.startswith(" ")] == ["notice", "undo", "undo"]
    assert "no way back" in refused(club, "match", "rollback", code, "--entry", "77").message


def test_the_clock(club: Club) -> None:
    code = begun(club)
    assert "3 days more" in run(club, "match", "extend", code, "3")
    refused(club, "match", "extend", code, "300")
    assert "stands" in run(club, "match", "pause", code, "--why", "fair")
    assert "already" in refused(club, "match", "pause", code).message
    assert "runs again" in run(club, "match", "go-on", code)
    refused(club, "match", "go-on", code)
    run(club, "match", "pause", code)
    assert "runs again" in run(club, "match", "resume", code)
    assert club.row(code).stopped == ""


def test_people(club: Club) -> None:
    code = begun(club)
    assert "excused" in run(club, "match", "excuse", code, "Anna")
    assert "Dora plays for Bert" in run(club, "match", "replace", code, "Bert", "Dora")
    assert "already" in refused(club, "match", "replace", code, "Cici", "Dora").message
    assert "Cici is out" in run(club, "match", "eject", code, "Cici")
    refused(club, "match", "eject", code, "Cici")
    assert "Sent to Anna, Dora and Cici" in run(club, "match", "notice", code, "Hello\nall")
    assert "every running match" in run(club, "match", "notice", "all", "Hello all")
    assert "There is no match" in refused(club, "match", "pause", "Z9ZZ").message


def test_the_token(club: Club) -> None:
    first = run(club, "token")
    assert "games+BOSS-" in first
    assert run(club, "token") == first
    assert run(club, "token", "--new") != first
