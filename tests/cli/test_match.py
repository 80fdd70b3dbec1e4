"""The moderator's commands on the command line: one line of outcome, or an error that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderator.cli.match import match, offered
from moderator.cli.tick import complain
from moderator.commands.declaration import moderators
from moderator.run.intake import Summary
from tests.attack.post import started
from tests.cli.running import club_of, refuse_command, run_command, type_command
from tests.club.club import Club


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path, "Anna", "Bert", "Cici", "Dora")


@pytest.fixture
def code(club: Club) -> str:
    return started(club, "Anna", "Bert", "Cici")


def test_every_command_of_the_mail_is_on_the_command_line_too() -> None:
    for one in moderators().values():
        assert bool(one.shell) != bool(one.elsewhere), one.name
        words = ["match", one.shell.name] if one.shell else one.elsewhere.removesuffix("--help").split()
        assert type_command(None, *words, "--help"), one.name
        for argument in one.arguments:
            assert argument.parameter is not None or one.shell is None, (one.name, argument.name)
    listed = match.list_commands(None)  # type: ignore[arg-type]
    assert offered().keys() <= set(listed)
    assert len(listed) == len(set(listed))
    assert all(command.help for command in offered().values())


def test_looking_changes_nothing(club: Club, code: str) -> None:
    assert "Anna: MISSING." in type_command(club, "match", "missing")
    assert "Anna: no move, 0 points." in type_command(club, "match", "preview", code)
    assert club.live(code).entries == 0


def test_turns_are_ended_moved_and_taken_back(club: Club, code: str) -> None:
    assert "--help" in refuse_command(club, "match", "evaluate", code)
    assert "Anna" in refuse_command(club, "match", "evaluate", code, "--round", "1")
    assert "round 1" in refuse_command(club, "match", "evaluate", code, "--round", "4", "--force")
    assert "The turn" in type_command(club, "match", "evaluate", code, "--round", "1", "--force")
    assert type_command(club, "match", "move", code, "bert", "passe").startswith("Played for Bert")
    back = ("match", "rollback", code)
    assert "Taken back: Bert with “pass”" in type_command(club, *back, "--entry", "2", "--why", "a test")
    assert "round 1 again" in type_command(club, *back, "--round", "1")
    log = type_command(club, "match", "log", code).splitlines()
    assert [line[1:].split()[3] for line in log if line.startswith("-")] == ["miss", "move"]
    assert [line[1:].split()[3] for line in log if line.startswith(" ")] == ["notice", "undo", "undo"]
    assert "no way back" in refuse_command(club, *back, "--entry", "77")


def test_the_clock_is_put_on_stopped_and_started(club: Club, code: str) -> None:
    assert "3 days more" in type_command(club, "match", "extend", code, "3")
    refuse_command(club, "match", "extend", code, "300")
    assert "stands" in type_command(club, "match", "pause", code, "--why", "fair")
    assert "already" in refuse_command(club, "match", "pause", code)
    assert "runs again" in type_command(club, "match", "go-on", code)
    refuse_command(club, "match", "go-on", code)
    type_command(club, "match", "pause", code)
    assert "runs again" in type_command(club, "match", "resume", code)
    assert club.row(code).stopped == ""


def test_players_are_excused_replaced_ejected_and_told(club: Club, code: str) -> None:
    assert "excused" in type_command(club, "match", "excuse", code, "Anna")
    assert "Dora plays for Bert" in type_command(club, "match", "replace", code, "Bert", "Dora")
    assert "already" in refuse_command(club, "match", "replace", code, "Cici", "Dora")
    assert "Cici is out" in type_command(club, "match", "eject", code, "Cici")
    refuse_command(club, "match", "eject", code, "Cici")
    assert "Sent to Anna, Dora and Cici" in type_command(club, "match", "notice", code, "Hello\nall")
    assert "every running match" in type_command(club, "match", "notice", "all", "Hello all")
    assert "There is no match" in refuse_command(club, "match", "pause", "Z9ZZ")


def test_the_token_stays_until_a_new_one_is_asked_for(club: Club) -> None:
    first = type_command(club, "token")
    assert "games+BOSS-" in first
    assert type_command(club, "token") == first
    assert type_command(club, "token", "--new") != first


@pytest.mark.parametrize(
    "option",
    ["-o rounds=viele", "-o pace=round", "-o divison=8", "--term days=0", "--term dais=3", "--term bank=x"],
)
def test_an_option_that_is_written_wrongly_is_no_fault_of_the_settings(tmp_path: Path, option: str) -> None:
    club = club_of(tmp_path, "Anna", "Bert")
    for game in ("topwords", "dominos"):
        done = run_command(club, "match", "new", game, "Anna", "Bert", "--name", "X", *option.split())
        assert done.exit_code == 2, done.output
        assert "NoneType" not in done.output
        assert "match " not in done.output.partition("Error:")[2], "there is none yet"


def test_what_the_moderator_reads_in_a_mail_is_not_printed_by_tick(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = club_of(tmp_path).config
    assert complain(config, Summary(troubles=["one"], mailed={"one"})) == 0
    assert complain(config, Summary(troubles=["one", "two"], mailed={"one"})) == 1
    assert capsys.readouterr().err == "moderator: two\n"
