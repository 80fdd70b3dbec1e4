"""The operator's commands, as they are typed."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moderator.cli import cli, main
from moderator.cli.run import ANYWHERE, COMMANDS
from moderator.errors import ExitCode
from moderator.store.installation import only_one
from tests.club.club import Club, make_club, text
from tests.servers.process import free_ports


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return make_club(tmp_path)


def moderator(club: Club, *words: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, ["--config", str(club.folder / "moderator.toml"), *words], input=stdin)


def ok(club: Club, *words: str, stdin: bytes = b"") -> str:
    done = moderator(club, *words, stdin=stdin)
    assert done.exit_code == 0, (words, done.output, done.exception)
    return done.output


def test_a_robot_has_a_level(club: Club) -> None:
    assert "at level club" in ok(club, "player", "add", "Ada", "--robot")
    assert "at level strong" in ok(club, "player", "add", "Eva", "--robot", "--level", "strong")
    assert "beginner" in ok(club, "player", "set", "Ada", "--level", "beginner")
    ok(club, "player", "add", "Anna", "anna@home.example")
    rows = {row["name"]: row["level"] for row in map(json.loads, ok(club, "player", "list", "--json").splitlines())}
    assert rows == {"Ada": "beginner", "Eva": "strong", "Anna": None}
    refused = moderator(club, "player", "set", "Anna", "--level", "strong")
    assert refused.exit_code == 1
    assert "Anna is no robot." in str(refused.exception)
    assert moderator(club, "player", "add", "Bert", "bert@home.example", "--level", "strong").exit_code == 2


@pytest.mark.slow
def test_from_players_to_a_verified_record(club: Club) -> None:
    ok(club, "player", "add", "Anna", "Anna@Home.example")
    ok(club, "player", "add", "Bert", "bert@home.example", "--language", "en", "--board", "text")
    ok(club, "player", "add", "Ada", "--robot")
    assert "anna@home.example" in ok(club, "player", "list")
    said = ok(club, "match", "new", "topwords", "Anna", "Bert", "Ada", "--name", "Arratia", "-o", "rounds=2")
    code = said.split()[1]
    assert "Anna" in ok(club, "match", "show", code)
    assert "is dealt" in ok(club, "match", "start", code, "--salt", "anna:herbst")
    assert re.search(r" ZAT \d{4}-\d\d-\d\d 20:00 (CET|CEST)\n", ok(club, "match", "list"))
    assert ok(club, "tick") == ""
    for _ in range(40):
        seat = club.live(code).table.state.to_move
        if not seat:
            break
        club.order(("Anna", "Bert")[seat[0]], code, seat[0], "passe")
        club.now += timedelta(minutes=11)  # the same order within ten minutes would be asked about
        ok(club, "tick")
    else:
        pytest.fail("two rounds and no end")
    assert "finished" in ok(club, "match", "list", "--all")
    record = ok(club, "export", code)
    file = club.folder / "record.json"
    file.write_text(record, encoding="utf-8")
    assert json.loads(record)["setup"]["salts"] == ["anna:herbst"]
    assert "ok" in ok(club, "verify", str(file)).lower()
    played = json.loads(ok(club, "replay", str(file), "--json"))
    assert played["over"]
    assert played["scores"] == list(club.live(code).table.state.scores)


def test_settings_of_a_player(club: Club) -> None:
    ok(club, "player", "add", "Anna", "anna@home.example", "--auto-single")
    assert "auto single" in ok(club, "player", "list")
    said = ok(club, "player", "set", "anna", "--no-auto-single", "--language", "en", "--board", "text")
    assert said == "Anna: anna@home.example  en  Europe/Berlin  text\n"
    assert "auto single" not in ok(club, "player", "list")
    assert "auto single" in ok(club, "player", "set", "Anna", "--auto-single", "--zone", "Europe/Vienna")
    assert "Europe/Vienna  text  auto single" in ok(club, "player", "list")
    for words in (["player", "set", "Ana", "--auto-single"], ["player", "set", "Anna", "--zone", "Mars"]):
        assert moderator(club, *words).exit_code == 1


def test_the_known_games_are_named(club: Club) -> None:
    from moderator.games import REGISTRY

    shown = " ".join(ok(club, "match", "new", "--help").split())
    refused = str(moderator(club, "match", "new", "chess", "A", "B", "--name", "x").exception)
    for key in REGISTRY:
        assert key in shown
        assert key in refused


@pytest.mark.parametrize("game", ["dominos", "tridom"])
def test_the_demo_of_a_tile_game(tmp_path: Path, game: str) -> None:
    done = CliRunner().invoke(cli, ["demo", "--folder", str(tmp_path / "demo"), "--game", game])
    assert done.exit_code == 0, done.exception
    assert "demo --folder" in done.output.splitlines()[-1]
    assert not (tmp_path / "demo" / "lexicons").exists()


def test_a_changed_record_does_not_verify(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert", pass_rounds=1)
    for seat, name in enumerate(("Anna", "Bert")):
        club.order(name, code, seat, "passe")
        club.tick()
    record = json.loads(ok(club, "export", code))
    record["setup"]["seed"] = "ff" * 32
    file = club.folder / "record.json"
    file.write_text(json.dumps(record), encoding="utf-8")
    assert moderator(club, "verify", str(file)).exit_code != 0


def test_a_running_match_is_not_exported(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    done = moderator(club, "export", code)
    assert done.exit_code == 1
    assert "running" in str(done.exception)


def test_racks_are_not_shown_to_the_operator_by_accident(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    hands = club.live(code).table.state.hands
    shown = ok(club, "match", "show", code)
    for hand in hands:
        assert " ".join(hand) not in shown
        assert "".join(hand) not in shown


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["match", "new", "topword", "Anna", "Bert", "--name", "x"], "topwords"),
        (["match", "new", "topwords", "Anna", "Bertt", "--name", "x"], "Bert"),
        (["match", "new", "topwords", "Anna", "Bert", "--name", "x", "-o", "rack_sise=8"], "rack_size"),
        (["match", "new", "topwords", "Anna", "Bert", "--name", "x", "-o", "pace=slow"], "sequential"),
        (["match", "new", "topwords", "Anna", "--name", "x"], "2"),
        (["match", "new", "topwords", "Anna", "Anna", "--name", "x"], "twice"),
        (["match", "start", "Z9Z9"], "match list"),
        (["player", "add", "anna", "other@home.example"], "another name"),
        (["player", "add", "Dora", "anna@home.example"], "Anna"),
        (["player", "add", "Dora", "nonsense"], "name@domain"),
        (["player", "add", "../../x\n", "d@home.example", "--zone", "Mars/Phobos"], "zone"),
        (["quarantine", "show", "7"], "quarantine list"),
    ],
)
def test_a_mistake_is_answered_with_the_fix(club: Club, words: list[str], hint: str) -> None:
    club.players("Anna", "Bert")
    done = moderator(club, *words)
    assert done.exit_code != 0
    assert hint in str(done.exception) + done.output


def test_an_unknown_command_is_guessed(club: Club) -> None:
    done = moderator(club, "tik")
    assert done.exit_code == 2
    assert "tick" in done.output


def test_an_unknown_setting_is_guessed(club: Club) -> None:
    file = club.folder / "moderator.toml"
    file.write_text(file.read_text() + '\n[stor]\npath = "x"\n')
    done = moderator(club, "tick")
    assert done.exit_code == 1
    assert "store" in str(done.exception)


def test_init_writes_an_example_and_then_the_database(tmp_path: Path) -> None:
    file = tmp_path / "new" / "moderator.toml"
    first = CliRunner().invoke(cli, ["--config", str(file), "init"])
    assert first.exit_code == 0, first.output
    assert file.stat().st_mode & 0o077 == 0
    second = CliRunner().invoke(cli, ["--config", str(file), "init"])
    assert second.exit_code == 0, second.output
    assert "Still as in the example: [club] moderator = you@example.org, [mail] address = games@" in second.stderr
    assert (file.parent / "moderator.sqlite").exists()
    file.write_text(file.read_text(encoding="utf-8").replace("example.org", "club.example"), encoding="utf-8")
    assert CliRunner().invoke(cli, ["--config", str(file), "init"]).stderr == ""
    third = CliRunner().invoke(cli, ["--config", str(file), "upgrade"])
    assert "up to date" in third.output


def test_settings_that_could_not_be_written_whole_are_not_there(tmp_path: Path) -> None:
    """Half of them might be taken for all that somebody wrote: `init` leaves a file alone that is there."""
    file = tmp_path / "moderator.toml"
    command = [sys.executable, "-B", "-m", "moderator", "--config", str(file), "init", "--address", "games@gmx.de"]
    no_room = subprocess.run(  # as on a disk with a quota: the first thousand bytes can be written
        command,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY)),
    )
    assert no_room.returncode != 0
    assert list(tmp_path.iterdir()) == []
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert len(file.read_bytes()) > 1000
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_dry_run_shows_and_changes_nothing(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    said = ok(club, "tick", "--dry-run")
    assert "1 new mails" in said
    assert "bert@home.example" in said
    assert club.row(code).entries == 0
    assert not club.mails()
    ok(club, "tick")
    assert club.row(code).entries == 1


def test_receive_takes_a_mail_from_a_pipe_once(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    data = club.order("Anna", code, 0, "passe")
    for path in (club.folder / "mail" / "in" / "new").iterdir():
        path.unlink()
    ok(club, "receive", stdin=data)
    ok(club, "receive", stdin=data)
    assert club.row(code).entries == 1
    assert "passe" in text(club.mails("anna")[-1]) or club.mails("bert")


@pytest.mark.sqlite
def test_a_second_tick_leaves_at_once(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    with only_one(club.config) as alone:
        assert alone
        assert ok(club, "tick") == ""
    assert club.row(code).entries == 0
    ok(club, "tick")
    assert club.row(code).entries == 1


def test_quarantine_shows_retries_and_drops(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    from moderator.inbox import handle

    def broken(data: bytes, **how: bool) -> object:
        raise RuntimeError("our bug")

    monkeypatch.setattr(handle, "read_mail", broken)
    club.order("Anna", code, 0, "passe")
    done = moderator(club, "tick")
    assert done.exit_code == 70
    assert "our bug" in ok(club, "quarantine", "list")
    assert "Traceback" in ok(club, "quarantine", "show", "1")
    assert "passe" in ok(club, "quarantine", "show", "1")
    monkeypatch.undo()
    ok(club, "quarantine", "retry", "1")
    ok(club, "tick")
    assert club.row(code).entries == 1
    assert ok(club, "quarantine", "list") == ""


def test_an_unknown_writer_is_kept_and_can_be_dropped(club: Club) -> None:
    club.players("Anna")
    club.write("stranger@else.example", "Darf ich mitspielen?", subject="Hallo")
    ok(club, "tick")
    assert "stranger@else.example" in ok(club, "quarantine", "list", "--all")
    assert "Darf ich mitspielen?" in ok(club, "quarantine", "show", "1")
    ok(club, "quarantine", "drop", "1")
    assert ok(club, "quarantine", "list", "--all") == ""


def test_doctor_says_what_is_wrong_and_how_to_mend_it(club: Club) -> None:
    assert "FAIL" not in ok(club, "doctor")
    (club.folder / "lexicons" / "de.lex").unlink()
    file = club.folder / "moderator.toml"
    file.write_text(file.read_text() + '\n[imap]\npassword = "secret"\n')
    file.chmod(0o644)
    done = moderator(club, "doctor")
    assert done.exit_code == 1
    assert "chmod 600" in done.output
    assert "lexicon build" in done.output
    assert "secret" not in done.output


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_line(club: Club) -> None:
    club.folder.chmod(0o500)
    done = moderator(club, "tick")
    club.folder.chmod(0o700)
    assert done.exit_code == 1
    assert "permissions" in str(done.exception)


def test_a_missing_dictionary_loses_nothing(club: Club) -> None:
    club.players("Anna", "Bert")
    code = club.match("Anna", "Bert")
    lexicon = club.folder / "lexicons" / "de.lex"
    kept = lexicon.read_bytes()
    lexicon.unlink()
    club.order("Anna", code, 0, "passe")
    done = moderator(club, "tick")
    assert done.exit_code != 0
    assert "lexicon build" in str(done.exception) + done.output
    lexicon.write_bytes(kept)
    ok(club, "tick")
    assert club.row(code).entries == 1


def test_a_short_outage_is_not_worth_a_mail_from_cron(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    from moderator.errors import TransientError
    from moderator.run import tick

    def away(config: object) -> object:
        raise TransientError("the mailbox is away")

    monkeypatch.setattr(tick, "open_mailbox", away)
    assert ok(club, "tick") == ""
    mark = club.folder / "moderator.sqlite.away"
    an_hour_ago = club.now.timestamp() - 3600
    mark.write_text("")  # as a former version left it
    os.utime(mark, (an_hour_ago, an_hour_ago))
    lasting = moderator(club, "tick")
    assert lasting.exit_code == 75
    assert "the mailbox is away" in lasting.output
    again = moderator(club, "tick")
    assert (again.exit_code, again.output) == (75, "")
    monkeypatch.undo()
    assert "Over: the mailbox is away" in ok(club, "tick")
    assert ok(club, "tick") == ""
    assert not mark.exists()


ROOT = Path(__file__).resolve().parent.parent.parent
FALLS_OVER = """
import sys
from moderator.run import handling
def broken(desk): raise RuntimeError("of our own")
handling.handle = broken
from moderator.cli import main
main()
"""


def run_process(folder: Path, *words: str, stdin: bytes = b"", script: str = "") -> tuple[int, str]:
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
    seen[ExitCode.FINE] = run_process(tmp_path, "tick")
    seen[ExitCode.OPERATOR] = run_process(tmp_path, "match", "show", "K7Q2")
    seen[ExitCode.USAGE] = run_process(tmp_path, "tick", "--dry")
    club.write("Anna", "passe")
    seen[ExitCode.BUG] = run_process(tmp_path, "tick", script=FALLS_OVER)
    mail = b"From: anna@home.example\r\nMessage-ID: <1@x>\r\n\r\nHILFE\r\n"
    (tmp_path / "moderator.sqlite").rename(tmp_path / "away.sqlite")
    seen[ExitCode.AWAY] = run_process(tmp_path, "receive", stdin=mail)
    (tmp_path / "moderator.toml").unlink()
    seen[ExitCode.CONFIG] = run_process(tmp_path, "tick")
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
