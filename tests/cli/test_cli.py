"""The operator's commands, as they are typed."""

import json
import os
import resource
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from moderator.cli import main
from moderator.cli.command_tree import ANYWHERE, TREE, find_command_place, list_command_names
from moderator.common.errors import ExitCode, TransientError
from moderator.games import REGISTRY
from moderator.inbox import pipeline
from moderator.run import tick
from tests.cli.running import refuse_command, run_command, type_command
from tests.club.club import Club, make_club


@pytest.fixture
def empty(tmp_path: Path) -> Club:
    return make_club(tmp_path)


@pytest.fixture
def club(empty: Club) -> Club:
    empty.players("Anna", "Bert")
    return empty


def test_a_robot_has_a_level(empty: Club) -> None:
    assert "at level club" in type_command(empty, "player", "add", "Ada", "--robot")
    assert "at level strong" in type_command(empty, "player", "add", "Eva", "--robot", "--level", "strong")
    assert "beginner" in type_command(empty, "player", "set", "Ada", "--level", "beginner")
    type_command(empty, "player", "add", "Anna", "anna@home.example")
    rows = [json.loads(line) for line in type_command(empty, "player", "list", "--json").splitlines()]
    assert {row["name"]: row["level"] for row in rows} == {"Ada": "beginner", "Eva": "strong", "Anna": None}
    assert "Anna is no robot." in refuse_command(empty, "player", "set", "Anna", "--level", "strong")
    add = ("player", "add", "Bert", "bert@home.example", "--level", "strong")
    assert run_command(empty, *add).exit_code == ExitCode.USAGE


def test_settings_of_a_player(empty: Club) -> None:
    type_command(empty, "player", "add", "Anna", "anna@home.example", "--auto-single")
    assert "auto single" in type_command(empty, "player", "list")
    said = type_command(empty, "player", "set", "anna", "--no-auto-single", "--language", "en", "--board", "text")
    assert said == "Anna: anna@home.example  en  Europe/Berlin  text\n"
    assert "auto single" not in type_command(empty, "player", "list")
    said = type_command(empty, "player", "set", "Anna", "--auto-single", "--zone", "Europe/Vienna")
    assert "auto single" in said
    assert "Europe/Vienna  text    auto single" in type_command(empty, "player", "list")
    for words in (["player", "set", "Ana", "--auto-single"], ["player", "set", "Anna", "--zone", "Mars"]):
        assert run_command(empty, *words).exit_code == ExitCode.OPERATOR


def test_the_known_games_are_named(empty: Club) -> None:
    shown = " ".join(type_command(empty, "match", "add", "--help").split())
    refused = refuse_command(empty, "match", "add", "chess", "A", "B", "--name", "x")
    for key in REGISTRY:
        assert key in shown
        assert key in refused


@pytest.mark.parametrize("game", ["dominos", "tridom"])
def test_the_demo_of_a_tile_game(tmp_path: Path, game: str) -> None:
    said = type_command(None, "demo", "--folder", tmp_path / "demo", "--game", game)
    assert "demo --folder" in said.splitlines()[-1]
    assert not (tmp_path / "demo" / "lexicons").exists()


def test_a_running_match_is_not_exported_and_no_rack_is_shown(club: Club) -> None:
    code = club.match("Anna", "Bert")
    assert "running" in refuse_command(club, "export", code)
    shown = type_command(club, "match", "show", code)
    for hand in club.live(code).table.state.hands:
        assert " ".join(hand) not in shown
        assert "".join(hand) not in shown


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("match add topwords Anna Bert --name x -o rack_sise=8", "rack_size"),
        ("match add topwords Anna Bert --name x -o pace=slow", "sequential"),
        ("match add topwords Anna --name x", "2"),
        ("match add topwords Anna Anna --name x", "twice"),
        ("player add anna other@home.example", "another name"),
        ("player add Dora nonsense", "name@domain"),
        ("player add ../../x\n d@home.example --zone Mars/Phobos", "zone"),
        ("quarantine show 7", "quarantine list"),
    ],
)
def test_a_mistake_is_answered_with_the_fix(club: Club, words: str, hint: str) -> None:
    assert hint in refuse_command(club, *words.split(" "))


def test_an_unknown_setting_is_guessed(empty: Club) -> None:
    file = empty.config.file
    file.write_text(file.read_text() + '\n[stor]\npath = "x"\n')
    assert "store" in refuse_command(empty, "tick")


def test_init_writes_an_example_and_then_the_database(tmp_path: Path) -> None:
    file = tmp_path / "new" / "moderator.toml"
    type_command(file, "init")
    assert file.stat().st_mode & 0o077 == 0
    second = run_command(file, "init")
    assert second.exit_code == 0, second.output
    assert "Still as in the example: [club] moderator = you@example.org, [mail] address = games@" in second.stderr
    assert (file.parent / "moderator.sqlite").exists()
    file.write_text(file.read_text(encoding="utf-8").replace("example.org", "club.example"), encoding="utf-8")
    assert run_command(file, "init").stderr == ""
    assert "up to date" in type_command(file, "upgrade")


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
    code = club.match("Anna", "Bert")
    club.order("Anna", code, 0, "passe")
    said = type_command(club, "tick", "--dry-run")
    assert "new mails 1" in said
    assert "bert@home.example" in said
    assert club.row(code).entries == 0
    assert not club.mails()
    type_command(club, "tick")
    assert club.row(code).entries == 1


def test_quarantine_shows_retries_and_drops(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    code = club.match("Anna", "Bert")

    def broken(data: bytes, **how: bool) -> object:
        raise RuntimeError("our bug")

    monkeypatch.setattr(pipeline, "parse_mail_bytes", broken)
    club.order("Anna", code, 0, "passe")
    assert run_command(club, "tick").exit_code == ExitCode.BUG
    assert "our bug" in type_command(club, "quarantine", "list")
    shown = type_command(club, "quarantine", "show", "1")
    assert "Traceback" in shown
    assert "passe" in shown
    monkeypatch.undo()
    type_command(club, "quarantine", "retry", "1")
    type_command(club, "tick")
    assert club.row(code).entries == 1
    assert type_command(club, "quarantine", "list") == "No mail waits for you.\n"
    club.write("stranger@else.example", "Darf ich mitspielen?", subject="Hallo")
    type_command(club, "tick")
    assert "stranger@else.example" in type_command(club, "quarantine", "list", "--all")
    assert "Darf ich mitspielen?" in type_command(club, "quarantine", "show", "2")
    assert "Message-ID" not in type_command(club, "quarantine", "show", "2")
    club.write("stranger@else.example", "Grüße", subject="Ähm")
    type_command(club, "tick")
    assert "Subject: Ähm\n\nGrüße" in type_command(club, "quarantine", "show", "3")
    assert "Subject: =?utf-8?" in type_command(club, "quarantine", "show", "3", "--raw")
    type_command(club, "quarantine", "drop", "3")
    type_command(club, "quarantine", "drop", "2")
    assert type_command(club, "quarantine", "list", "--all") == "No mail waits for you.\n"


def lay_old_mails(club: Club, count: int, *, by_date: bool = False) -> None:
    """Mails of years ago: by when they came, or by what they say themselves, as where somebody has copied them."""
    now, date = club.now, (club.now - timedelta(days=1500)).strftime("%a, %d %b %Y %H:%M:%S +0000")
    for number in range(count):
        sender, own_date = ("Anna", "someone@far.example")[number % 2], {"Date": date} if by_date else {}
        club.now = now if by_date else now - timedelta(days=1500)
        club.write(sender, "Ich möchte mitspielen.\nStand", subject=f"Brief {number}", **own_date)
    club.now = now


def lying(club: Club) -> list[str]:
    box = club.config.resolve_path(club.config.maildir.inbox)
    return sorted(path.name for part in ("new", "cur") for path in (box / part).iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("by_date", [False, True])
@pytest.mark.parametrize("way", ["--from-now", "--all"])
def test_the_mails_of_an_old_mailbox_stay_until_somebody_decides(club: Club, way: str, by_date: bool) -> None:
    lay_old_mails(club, 60, by_date=by_date)
    before = lying(club)
    for words in (["tick"], ["tick", "--dry-run"], ["doctor"], ["watch", "--seconds", "1"]):
        said = run_command(club, *words).output if words[0] == "watch" else refuse_command(club, *words)
        assert "more than 50 are older than this club" in said
        assert "--from-now" in said
        assert "--all" in said
    assert lying(club) == before
    assert club.mails() == []
    club.write("Bert", "Stand", Authentication_Results="mx.club.example; dmarc=pass header.from=home.example")
    run_command(club, "tick", way)
    assert len(club.mails("Bert")) == 1, "what is new is read, whatever becomes of the old"
    assert lying(club) == (before if way == "--from-now" else [])
    for _ in range(2):  # for ever, also where the server has numbered its mails anew
        club.wait(days=3)
        assert run_command(club, "tick").exit_code == 0
        with club.work() as work:
            work.session.execute(sql("DELETE FROM seen"))
    assert "older than" not in type_command(club, "doctor")
    assert club.mails("Anna") + club.mails("someone") == [], "nobody is asked about a letter of years ago"
    assert "0 faults" in type_command(club, "doctor", "--deep")
    type_command(club, "tick", "--all")
    assert lying(club) == [], "and there is a way back"


def test_old_mails_are_told_by_the_time_of_the_club_where_the_machine_is_behind(club: Club) -> None:
    club.say("Anna", "Stand")
    type_command(club, "tick")
    lay_old_mails(club, 60)
    club.now -= timedelta(days=1500)
    for command in ("tick", "doctor"):
        assert "more than 50 are older than this club" in refuse_command(club, command)
    assert len(lying(club)) == 60


def test_few_old_mails_are_read_and_nobody_is_asked_about_them(club: Club) -> None:
    lay_old_mails(club, 40)
    type_command(club, "tick")
    assert lying(club) == []
    assert club.mails() == []
    assert type_command(club, "today") == "Nothing waits for you.\n"
    assert type_command(club, "quarantine", "list", "--all").count("it is older than") == 40


def test_many_mails_of_one_kind_are_one_line_and_go_by_one(club: Club) -> None:
    club.say("Anna", "Stand", subject="einzeln")
    for number in range(8):
        club.write(f"p{number}@far.example", "Ich möchte mitspielen.", subject=f"Grüße {number}")
        club.write("Bert", f"Stand bitte {number}")
    type_command(club, "tick")
    lines = [line for line in type_command(club, "today").splitlines() if not line.startswith("    ")]
    assert len(lines) == 2
    assert "8 mails of one kind" in lines[0]
    assert "(p7@far.example) asks to join" in lines[0]
    assert "Stand bitte" not in lines[1], "what a player writes may be a move"
    drops = [line.split()[1:] for line in type_command(club, "today").splitlines() if " drop " in line]
    type_command(club, *drops[0])
    assert "p7@" not in type_command(club, "today")
    assert type_command(club, "quarantine", "drop", "1-99") == "9 dropped.\n"
    assert "Nothing waits" in type_command(club, "today")
    assert "17 will be read" in type_command(club, "quarantine", "retry", "1-99")
    for typed in ("x", "3-", "0-0", "400-500"):
        refuse_command(club, "quarantine", "drop", typed)


def test_doctor_says_what_is_wrong_and_how_to_mend_it(empty: Club) -> None:
    assert "FAIL" not in type_command(empty, "doctor")
    (empty.folder / "lexicons" / "de.lex").unlink()
    file = empty.config.file
    file.write_text(file.read_text() + '\n[imap]\npassword = "secret"\n')
    file.chmod(0o644)
    said = refuse_command(empty, "doctor")
    assert "chmod 600" in said
    assert "lexicon build" in said
    assert "secret" not in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_one_line(empty: Club) -> None:
    empty.folder.chmod(0o500)
    done = run_command(empty, "tick")
    empty.folder.chmod(0o700)
    assert done.exit_code == ExitCode.OPERATOR
    assert "permissions" in str(done.exception)


def test_a_short_outage_is_not_worth_a_mail_from_cron(empty: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(config: object) -> object:
        raise TransientError("the mailbox is away")

    monkeypatch.setattr(tick, "open_mailbox", away)
    assert type_command(empty, "tick") == ""
    mark = empty.folder / "moderator.sqlite.away"
    an_hour_ago = empty.now.timestamp() - 3600
    mark.write_text("")  # as a former version left it
    os.utime(mark, (an_hour_ago, an_hour_ago))
    lasting = run_command(empty, "tick")
    assert lasting.exit_code == ExitCode.AWAY
    assert "the mailbox is away" in lasting.output
    again = run_command(empty, "tick")
    assert (again.exit_code, again.output) == (ExitCode.AWAY, "")
    monkeypatch.undo()
    assert "Over: the mailbox is away" in type_command(empty, "tick")
    assert type_command(empty, "tick") == ""
    assert not mark.exists()


ROOT = Path(__file__).resolve().parent.parent.parent
FALLS_OVER = """
import sys
from moderator.run import handle
def broken(work): raise RuntimeError("of our own")
handle.dispatch_mail = broken
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
def test_each_exit_code_is_given_for_what_it_says(club: Club, tmp_path: Path) -> None:
    seen = {}
    seen[ExitCode.FINE] = run_process(tmp_path, "tick")
    seen[ExitCode.OPERATOR] = run_process(tmp_path, "player", "add", "Dora", "nonsense")
    seen[ExitCode.USAGE] = run_process(tmp_path, "tick", "--dry")
    club.write("Anna", "passe")
    seen[ExitCode.BUG] = run_process(tmp_path, "tick", script=FALLS_OVER)
    mail = b"From: anna@home.example\r\nMessage-ID: <1@x>\r\n\r\nHILFE\r\n"
    (tmp_path / "moderator.sqlite").rename(tmp_path / "away.sqlite")
    seen[ExitCode.AWAY] = run_process(tmp_path, "receive", stdin=mail)
    (tmp_path / "moderator.toml").unlink()
    seen[ExitCode.CONFIG] = run_process(tmp_path, "tick")
    assert {code: seen[code][0] for code in ExitCode} == {code: code for code in ExitCode}, seen
    for code in (ExitCode.OPERATOR, ExitCode.AWAY, ExitCode.CONFIG):
        assert seen[code][1].startswith("moderator: ")
        assert seen[code][1].count("\n") == 1
    assert seen[ExitCode.FINE][1] == ""


def test_exit_codes_stand_in_the_help() -> None:
    done = subprocess.run([sys.executable, "-m", "moderator", "--help"], capture_output=True, text=True, check=True)
    for code in ExitCode:
        assert f"{code.value:>4}  {code.meaning}\n" in done.stdout


def test_windows_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    for command in list_command_names(""):
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


def test_what_runs_on_windows_needs_no_module_of_unix() -> None:
    places = [find_command_place("", name) or "" for name in ANYWHERE if name not in TREE]
    places += [place for section in TREE["game"].values() for place in section.values()]
    needed = ", ".join(f"moderator.cli.{place.partition(':')[0]}" for place in places)
    code = f"import sys; sys.modules['fcntl'] = None; import {needed}"
    subprocess.run([sys.executable, "-c", code], check=True)
