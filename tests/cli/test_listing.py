"""Every listing has ``--json``: an object on each line, as many as a person reads lines, with the times of ISO 8601."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import click
import pytest
from click.testing import CliRunner

from moderator.cli import cli
from moderator.cli.listing import listed
from moderator.printable import json_spelt_out
from tests.attack.post import started
from tests.club.club import Club, make_club, plain_boards

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
    ("cup", "formats"),  # a help text
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
