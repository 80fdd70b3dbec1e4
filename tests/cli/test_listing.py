"""Codes and names are completed, columns aligned, and times are those of the club. (What a listing is as JSON:
tests/schemas/test_schemas.py.)"""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import click
import pytest
from click.shell_completion import ShellComplete
from sqlmodel import SQLModel, select

from moderator.cli import cli
from moderator.cli.club_names import ClubNameType
from moderator.cli.group import print_rows
from moderator.cli.table import print_table
from moderator.common.errors import ExitCode
from moderator.common.text import to_escaped_json
from moderator.settings import load_config
from tests.attack.post import started
from tests.cli.running import commands, refuse_command, run_command, type_command
from tests.club.club import Club, club_of, text


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert")


def test_a_mark_that_would_steer_a_terminal_is_spelt_out(capsys: pytest.CaptureFixture[str]) -> None:
    for mark in ("\x1b[2J", "\x9b2J", "\u202e"):
        for as_json in (False, True):
            print_rows([({"a": mark}, mark)], as_json=as_json)
        assert mark[0] not in capsys.readouterr().out


def test_a_record_is_json_whatever_a_name_or_an_order_holds() -> None:
    every = "".join(chr(code) for code in (*range(0x800), *range(0x2000, 0x2070), 0xFEFF, 0xE0001, 0x1F600))
    text = to_escaped_json({"seats": [every]})
    assert json.loads(text) == {"seats": [every]}
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "Ä" in text


def completed(club: Club, *words: str) -> list[str]:
    """What the shell offers for the last of these words."""
    shell = ShellComplete(cli, {}, "moderator", "_MODERATOR_COMPLETE")
    before = ["--config", str(club.config.file), *words[:-1]]
    return [item.value for item in shell.get_completions(before, words[-1])]


def test_codes_and_names_are_completed(club: Club) -> None:
    code = started(club)
    type_command(club, "cup", "add", "Pokal", "--game", "topwords", "--format", "robin")
    for words, offered in (
        (("match", "show", code[:2].lower()), [code]),
        (("match", "excuse", code, "A"), ["Anna"]),
        (("match", "replace", code, "Anna", ""), ["Anna", "Bert"]),
        (("match", "add", "topwords", "Anna", "be"), ["Bert"]),
        (("player", "set", "B"), ["Bert"]),
        (("cup", "show", ""), ["T1"]),
        (("cup", "join", "T1", "Anna", "B"), ["Bert"]),
    ):
        assert completed(club, *words) == offered


def test_each_argument_for_a_code_or_a_player_is_completed() -> None:
    """Of whichever command, also one that is declared with the mails."""
    new = {("player", "add"), ("cup", "add"), ("lexicon", "build"), ("referee", "add")}
    wanted = {"code", "codes", "player", "players", "successor", "name", "match"}
    arguments = [(path, one) for path, command in commands() for one in command.params]
    lacking = [
        (path, one.name)
        for path, one in arguments
        if isinstance(one, click.Argument) and one.name in wanted and not isinstance(one.type, ClubNameType)
        if (one.name, path) not in {("name", each) for each in new}
    ]
    assert not lacking


def test_without_a_club_nothing_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MODERATOR_CONFIG", raising=False)
    shell = ShellComplete(cli, {}, "moderator", "_MODERATOR_COMPLETE")
    assert shell.get_completions(["match", "show"], "") == []


def test_a_player_may_have_another_name(club: Club) -> None:
    """In all that is told from now on; nobody else may have it, nor one that looks like it."""
    code = started(club)
    type_command(club, "player", "set", "Anna", "--name", "Nana")
    assert "Nana" in type_command(club, "match", "show", code)
    club.hand_in("anna@home.example", code, 0, "passe")
    assert "Nana" in text(club.mail("bert"))
    type_command(club, "player", "set", "Nana", "--name", "NANA")
    assert "already" in refuse_command(club, "player", "set", "Bert", "--name", "nana")


ELSEWHERE = ZoneInfo("Asia/Kathmandu")
"""A quarter of an hour off every other clock: no time of another zone can be taken for one of ours."""
TIMED = (
    ("match", "list"), ("match", "protests"), ("player", "list"), ("cup", "list"), ("quarantine", "list"),
    ("words", "list"), ("lexicon", "list"), ("ratings",), ("audit",), ("today",),
    ("match", "show", "CODE"), ("match", "missing"), ("match", "extend", "CODE", "2"), ("match", "pause", "CODE"),
    ("match", "pause", "CODE"), ("match", "resume", "CODE"), ("match", "evaluate", "CODE", "--round", "1"),
    ("match", "rollback", "CODE", "--round", "1"), ("match", "log", "CODE"), ("match", "list", "--all"),
    ("audit", "--match", "CODE"), ("cup", "show", "T1"), ("quarantine", "show", "1"), ("backup", "."), ("tick",),
)  # fmt: skip


@pytest.mark.slow
def test_no_command_prints_a_time_of_another_zone_than_the_clubs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = club_of(tmp_path / "club", "Anna", "Bert")
    settings = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(
        re.sub("(?m)^zone = .*\n", "", settings).replace("[club]", f'[club]\nzone = "{ELSEWHERE}"')
    )
    club.config = load_config(club.config.file)
    club.now += timedelta(minutes=7)
    code = started(club)
    club.order("Anna", code, 0, "passe")
    club.order("Bert", code, 1, "Einspruch: so nicht")
    club.hand_in("Bert", code, 1, "passe", Precedence="bulk")
    type_command(club, "cup", "add", "Pokal", "--game", "topwords", "--format", "robin")
    monkeypatch.chdir(tmp_path)
    printed = 0
    for words in TIMED:
        club.wait(minutes=11)
        done = run_command(club, *(code if word == "CODE" else word for word in words))
        told = f"{done.output} {done.exception}"
        found = re.findall(r"(?<![\d:])(\d\d):(\d\d)(?![\w-])|-(\d\d)(\d\d)\d\d\.zip", told)
        times = {":".join(filter(None, parts)) for parts in found}
        assert times <= clock_times(club), (words, told, times - clock_times(club))
        printed += len(times)
    assert printed > 20


def clock_times(club: Club) -> set[str]:
    """The times of day, on the club's clock, of all moments that there are."""
    found = {club.now}
    with club.work() as work:
        for table in SQLModel.metadata.sorted_tables:
            for row in work.session.connection().execute(select(table)):
                found |= {value for value in row if isinstance(value, datetime)}
                for text in re.findall(r"20\d\d-\d\d-\d\dT[\d:.]+\+00:00", " ".join(map(str, row))):
                    found.add(datetime.fromisoformat(text))
    return {f"{moment.astimezone(ELSEWHERE):%H:%M}" for moment in found}


def test_columns_are_aligned_and_empty_ones_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("A", "B", "C"), [("日本", "", ""), ("x", "", "y")])
    assert capsys.readouterr().out == "A     C\n日本\nx     y\n"


@pytest.mark.parametrize(
    ("terminal", "said"),
    [("", "Es wartet nichts"), ("C.UTF-8", "Es wartet nichts"), ("fr_FR.UTF-8", "Rien ne"), ("en_US", "Nothing waits")],
)
def test_the_terminals_language_goes_before_the_clubs(
    club: Club, monkeypatch: pytest.MonkeyPatch, terminal: str, said: str
) -> None:
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", terminal)
    club.tick()
    assert said in run_command(club, "today").output


NEARLY = {"player": "Annna", "referee": "Karll", "tournament": "Winterpkal", "match": "Herbststrum"}
RIGHTLY = {"player": "Anna", "referee": "Karl", "tournament": "winter", "match": "herbst"}
TYPED = {
    "result": "1-0",
    "days": "3",
    "order": "passe",
    "text": "x",
    "game": "dominos",
    "first": "2026-12-24",
    "last": "2026-12-25",
}
OTHERS = {
    ("referee", "set"): ("--language", "de"),
    ("cup", "export"): ("--trf", "x.trf"),
}


@pytest.mark.slow
def test_a_name_that_was_nearly_typed_is_offered_by_every_command(club: Club, tmp_path: Path) -> None:
    type_command(club, "match", "add", "dominos", "Anna", "Bert", "--name", "Herbststurm")
    type_command(club, "cup", "add", "Winterpokal", "--game", "dominos", "--format", "robin")
    type_command(club, "referee", "add", "Karl", "karl@home.example")
    for path, command in commands():
        arguments = [one for one in command.params if isinstance(one, click.Argument)]
        for wrong in (one for one in arguments if isinstance(one.type, ClubNameType)):
            words = [*path, *OTHERS.get(path, ())]
            for one in arguments:
                kind = getattr(one.type, "kind", "").removeprefix("any-")
                known = {**TYPED, "file": str(tmp_path / "x.zip")}.get(one.name or "", "")
                words.append((NEARLY if one is wrong else RIGHTLY)[kind] if kind else known)
            if path == ("cup", "adjudicate") and wrong.name == "match":
                continue  # it needs a tournament that runs
            done = run_command(club, *filter(None, words))
            assert getattr(done.exception, "exit_code", done.exit_code) == ExitCode.USAGE, (words, done.output)
            kind = getattr(wrong.type, "kind", "").removeprefix("any-")
            meant = {"player": "Anna", "referee": "Karl", "tournament": "Winterpokal", "match": "Herbststurm"}[kind]
            assert f"'{meant}'?" in str(done.exception) or "There are: Karl" in str(done.exception), words
    for words, meant in (
        (("match", "lst"), "Did you mean 'list'?"),
        (("player", "set", "Anna", "--zone", "Europe/Berln"), "Did you mean 'Europe/Berlin'?"),
        (("game", "shw"), "Did you mean 'show'?"),
        (("cup", "formats", "swss"), "Did you mean 'swiss'?"),
        (("match", "add", "domino", "Anna", "Bert"), "Did you mean 'dominos'?"),
        (("schema", "tsk"), "Did you mean 'task'?"),
    ):
        done = run_command(club, *words)
        assert meant in f"{done.exception} {done.output}", words
        assert getattr(done.exception, "exit_code", done.exit_code) == ExitCode.USAGE, words
    for path, command in commands():
        done = run_command(club, *path, "--nonsense")
        assert done.exit_code == ExitCode.USAGE, path
        assert "No such option" in done.output or "Missing argument" in done.output, path
        options = (one for one in command.params if isinstance(one, click.Option))
        for one in (one for one in options if isinstance(one.type, click.Choice)):
            done = run_command(club, *path, one.opts[0], "nonsense")
            assert done.exit_code == ExitCode.USAGE, (path, one.opts)
            assert "is not one of" in done.output or "Missing argument" in done.output, (path, one.opts)
    assert "Europe/Vienna" in type_command(club, "player", "set", "Anna", "--zone", "vienna")
