"""Every listing has ``--json``: an object on each line, as many as a person reads lines, with the times of ISO 8601."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from moderator.cli import cli
from moderator.cli.listing import listed
from moderator.cli.names import Named
from moderator.printable import json_spelt_out
from tests.attack.post import started
from tests.club.club import Club, make_club, plain_boards, text

LISTINGS = {
    ("match", "list"): "match",
    ("match", "protests"): "number",
    ("match", "log", "CODE"): "entry",
    ("player", "list"): "name",
    ("cup", "list"): "tournament",
    ("quarantine", "list"): "mail",
    ("words", "list"): "word",
    ("lexicon", "list"): "name",
    ("ratings",): "player",
    ("audit",): "what",
    ("doctor",): "check",
    ("today",): "kind",
}
OTHERWISE = {
    ("cup", "formats")  # a help text
}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, str]:
    made = make_club(tmp_path_factory.mktemp("listed") / "club", kept=True)
    made.players("Anna", "Bert")
    plain_boards(made)
    done = made.match("Anna", "Bert")
    made.tick()
    for seat, name in ((0, "Anna"), (1, "Bert"), (0, "Anna"), (1, "Bert")):
        made.order(name, done, seat, "passe")
        made.tick()
        made.wait(minutes=11)
    code = started(made)
    made.order("Anna", code, 0, "passe")
    made.order("Bert", code, 1, "Einspruch: so nicht")
    made.order("Bert", code, 1, "passe", Precedence="bulk")
    made.tick()
    for words in (
        ("cup", "new", "Pokal", "--game", "topwords", "--format", "robin"),
        ("words", "rule", "HUGO", "deny", "--reason", "ein Name"),
    ):
        run(made, *words)
    return made, code


def run(club: Club, *words: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(club.config.file), *words])
    assert done.exit_code == 0 or words[0] == "doctor", done.output
    return done.output


@pytest.mark.parametrize("words", LISTINGS, ids=" ".join)
def test_it_is_an_object_a_line(club: tuple[Club, str], words: tuple[str, ...]) -> None:
    made, code = club
    typed = [code if word == "CODE" else word for word in words]
    read = [line for line in run(made, *typed).splitlines() if not line.startswith("    moderator ")]
    rows: list[dict[str, Any]] = [json.loads(line) for line in run(made, *typed, "--json").splitlines()]
    assert rows
    assert len(rows) == len(read) or words == ("ratings",)
    assert all(row[LISTINGS[words]] not in (None, "") for row in rows)
    assert len({frozenset(row) for row in rows}) == 1 or words == ("today",), "each has the same names"
    for row in rows:
        for name in ("at", "since", "received", "deadline"):
            assert not row.get(name) or datetime.fromisoformat(row[name]).tzinfo is not None


def test_no_listing_is_without() -> None:
    """A command called list, or one of those above."""
    found = {path for path, command in commands(cli) if path[-1] == "list"} | {
        tuple(word for word in words if word != "CODE") for words in LISTINGS
    }
    every = dict(commands(cli))
    lacking = {path for path in found - OTHERWISE if "as_json" not in {param.name for param in every[path].params}}
    assert not lacking


def commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found: list[tuple[tuple[str, ...], click.Command]] = []
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        assert command is not None
        inner = isinstance(command, click.Group)
        found += commands(command, (*path, name)) if inner else [((*path, name), command)]  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("mark", ["\x1b[2J", "\x9b2J", "\u202e"])
def test_a_mark_that_would_steer_a_terminal_is_spelt_out(mark: str, capsys: pytest.CaptureFixture[str]) -> None:
    listed([({"a": mark}, mark)], as_json=False)
    listed([({"a": mark}, mark)], as_json=True)
    assert mark[0] not in capsys.readouterr().out


def test_a_record_is_json_whatever_a_name_or_an_order_holds() -> None:
    every = "".join(chr(code) for code in (*range(0x800), *range(0x2000, 0x2070), 0xFEFF, 0xE0001, 0x1F600))
    text = json_spelt_out({"seats": [every]})
    assert json.loads(text) == {"seats": [every]}
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "Ä" in text


@pytest.fixture
def two_players(tmp_path: Path) -> Club:
    made = make_club(tmp_path / "club")
    made.players("Anna", "Bert")
    plain_boards(made)
    return made


def completed(two_players: Club, *words: str) -> list[str]:
    """What the shell offers for the last of these words."""
    shell = ShellComplete(cli, {}, "moderator", "_MODERATOR_COMPLETE")
    return [
        item.value for item in shell.get_completions(["--config", str(two_players.config.file), *words[:-1]], words[-1])
    ]


def printed_by(two_players: Club, *words: str) -> str:
    done = CliRunner().invoke(cli, ["--config", str(two_players.config.file), *words])
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


def test_codes_and_names_are_completed(two_players: Club) -> None:
    code = started(two_players)
    printed_by(two_players, "cup", "new", "Pokal", "--game", "topwords", "--format", "robin")
    assert completed(two_players, "match", "show", code[:2].lower()) == [code]
    assert completed(two_players, "match", "excuse", code, "A") == ["Anna"]
    assert completed(two_players, "match", "replace", code, "Anna", "") == ["Anna", "Bert"]
    assert completed(two_players, "match", "new", "topwords", "Anna", "be") == ["Bert"]
    assert completed(two_players, "player", "set", "B") == ["Bert"]
    assert completed(two_players, "cup", "show", "") == ["T1"]
    assert completed(two_players, "cup", "join", "T1", "Anna", "B") == ["Bert"]


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


def test_times_are_those_of_the_clubs_clock(two_players: Club) -> None:
    """The club's noon in UTC is one o'clock in Berlin."""
    code = started(two_players)
    two_players.order("Anna", code, 0, "passe")
    two_players.tick()
    moment = f"{two_players.now:%Y-%m-%d} 13:"
    assert f"{two_players.now:%H:%M}" == "12:00"
    assert moment in printed_by(two_players, "match", "log", code)
    assert moment in printed_by(two_players, "audit", "--since", "2026-01-01")
    two_players.order("Bert", code, 1, "passe", Precedence="bulk")
    two_players.tick()
    assert moment in printed_by(two_players, "quarantine", "list")


def test_no_time_is_printed_in_utc() -> None:
    folder = Path(__file__).parents[2] / "moderator"
    files = [*folder.glob("cli/*.py"), *folder.glob("run/*.py"), *folder.glob("backup/*.py")]
    said = [line for file in files for line in file.read_text().splitlines()]
    assert not [line for line in said if "} UTC" in line or " (UTC)" in line]


def test_a_player_may_have_another_name(two_players: Club) -> None:
    """In all that is told from now on; nobody else may have it, nor one that looks like it."""
    code = started(two_players)
    printed_by(two_players, "player", "set", "Anna", "--name", "Nana")
    assert "Nana" in printed_by(two_players, "match", "show", code)
    two_players.order("anna@home.example", code, 0, "passe")
    two_players.tick()
    assert "Nana" in text(two_players.mail("bert"))
    printed_by(two_players, "player", "set", "Nana", "--name", "NANA")
    refused = CliRunner().invoke(
        cli, ["--config", str(two_players.config.file), "player", "set", "Bert", "--name", "nana"]
    )
    assert refused.exit_code == 1
    assert "already" in str(refused.exception)
