"""Programs that play for robots, as a club has them: those of the examples play whole matches; hostile ones cost their
own turn and nothing else."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from moderator.bots.failures import Failed, Unstarted
from moderator.bots.program import PROCESSES, SANDBOX, Program
from moderator.cli.doctor import bots
from moderator.config import load
from moderator.errors import ConfigError
from moderator.run.log import kept
from moderator.states import EntryKind, MatchStatus
from moderator.today import daily_notice
from moderator.today.task import Task, TaskKind
from tests.club.club import Club, make_club

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "bots"
PAGE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
ANSWER = "for line in sys.stdin: print({}, flush=True)"
HOSTILE = {
    "silent": "time.sleep(99)",
    "deaf": "os.close(0); time.sleep(99)",
    "dies": "sys.exit(3)",
    "illegal": ANSWER.format("'99@Z'"),
    "no_text": "sys.stdin.readline(); os.write(1, b'\\xff\\x00\\xfe\\n'); time.sleep(99)",
    "endless": "sys.stdin.readline()\nwhile True: os.write(1, b'x' * 4096)",
    "chatter": "while True: os.write(1, b'99@Z\\n' * 900)",
    "gigabyte": ANSWER.format("len(bytearray(1 << 30))"),
    "forks": "while True: os.fork()",
    "leaves": f"[os.fork() or (os.setsid(), time.sleep(99)) for _ in range({PROCESSES + 8})]; time.sleep(99)",
}
TOLD = {
    "network": "[type(error).__name__ for error in [trying(lambda: socket.create_connection(('192.0.2.1', 9), 1))]]",
    "writing": "[type(error).__name__ for error in [trying(lambda: open('mine', 'w'))]]",
    "folder": "os.listdir(CLUB)",
    "secret": "os.environ.get('MODERATOR_PASSWORD', 'none')",
}
HEAD = """import os, socket, sys, time
def trying(what):
    try:
        return what()
    except Exception as error:
        return error
"""


@pytest.fixture(autouse=True, scope="module")
def sandbox() -> None:
    """A machine without it cannot run these; where nothing may be left out, it must be there."""
    if shutil.which(SANDBOX) is None:
        assert os.environ.get("REQUIRE_SERVERS") != "1", "bubblewrap is not installed (apt-get install bubblewrap)"
        pytest.skip("bubblewrap is not installed")
    walls = [SANDBOX, "--ro-bind", "/", "/", "--unshare-all", "true"]
    if subprocess.run(walls, capture_output=True).returncode:
        pytest.skip("this machine's kernel lets nobody make namespaces")


def program(folder: Path, code: str, seconds: int = 1, mebibytes: int = 256) -> Program:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(HEAD + code, encoding="utf-8")
    return Program(("python3", "bot.py"), folder, seconds, mebibytes)


def table(folder: Path, *codes: str, game: str = "dominos", persons: int = 1, seconds: int = 1) -> tuple[Club, str]:
    """A match of persons and robots that are these programs."""
    place = folder / "club" / "bots"
    place.mkdir(parents=True)
    settings = ""
    for number, code in enumerate(codes):
        source = EXAMPLES / code
        if source.is_file():
            shutil.copy(source, place / code)
            command = ["python3", code] if code.endswith(".py") else [f"./{code}"]
        else:
            (place / f"bot{number}.py").write_text(HEAD + code, encoding="utf-8")
            command = ["python3", f"bot{number}.py"]
        settings += f"\n[bots.R2{number}]\ncommand = {command}\nseconds = {seconds}\nmebibytes = 256\n"
    club = make_club(folder / "club", settings)
    names = [*(("Anna", "Berta")[:persons]), *(f"R2{number}" for number in range(len(codes)))]
    club.players(*names)
    return club, club.match(*names, game=game)


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_has_no_answer_and_leaves_nothing_behind(name: str, tmp_path: Path) -> None:
    one = program(tmp_path / "bots", HOSTILE[name])
    for _ in range(2):  # it is begun anew
        try:
            answer = one.ask(b"{}")
        except Failed:
            continue
        assert name in ("illegal", "no_text", "chatter"), answer
    one.end()


@pytest.mark.matrix("hostile programs", seconds=2)
@pytest.mark.parametrize("name", HOSTILE)
def test_it_costs_its_own_turn_and_nothing_else(name: str, tmp_path: Path) -> None:
    club, code = table(tmp_path, HOSTILE[name])
    for _ in range(3):
        live = club.live(code)
        if live.missing != (0,):
            break
        club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    log = club.log(code)
    assert EntryKind.MISS in [entry.kind for entry in log if entry.seat == 1]
    assert not [entry for entry in log if entry.seat == 1 and entry.kind != EntryKind.MISS]
    assert club.row(code).status == MatchStatus.RUNNING
    assert [entry.kind for entry in log if entry.seat == 0].count(EntryKind.MOVE) >= 1
    assert not [mail["Subject"] for mail in club.mails("boss")]
    (waits,) = in_the_morning(club)
    assert waits.since == club.now
    assert (waits.facts["match"], waits.facts["player"]) == (code, "R20")
    assert not in_the_morning(club, days=7)


def in_the_morning(club: Club, days: int = 0) -> list[Task]:
    """What waits after so many days of a robot's program."""
    with club.desk() as desk:
        desk.now = desk.now + timedelta(days=days)
        return [one for one in daily_notice.tasks(desk) if one.kind is TaskKind.ROBOT]


STAYS = "os.close(0)\nos.fork()\ntime.sleep(600)"
KILLED = """import os, signal, sys, time
from pathlib import Path
from moderator.bots.program import Program
one = Program(("python3", "bot.py", sys.argv[2]), Path(sys.argv[1]), 30, 256)
process = one._begun() if sys.argv[3] == "walls" else one._started()
time.sleep(float(sys.argv[4]))
os.kill(os.getpid(), signal.SIGKILL)
"""


def of_club(mark: str) -> list[str]:
    """What runs on this machine that has the mark in its command."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (process / "cmdline").read_bytes()
            if mark.encode() in command and KILLED.encode() not in command:
                found.append(command.replace(b"\0", b" ").decode()[:80])
    return found


@pytest.mark.parametrize("moment", [("walls", 0), ("program", 0), ("walls", 0.001), ("walls", 0.008)], ids=str)
def test_who_is_killed_outright_leaves_no_program_behind(moment: tuple[str, float], tmp_path: Path) -> None:
    """Right after the sandbox was begun, when nothing in it has begun to look after us, and later."""
    folder = tmp_path / "bots"
    program(folder, STAYS)
    mark = f"left-by-{os.getpid()}-{time.monotonic_ns()}"
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), mark, *map(str, moment)])
    assert done.returncode == -signal.SIGKILL
    until = time.monotonic() + 20
    while (left := of_club(mark)) and time.monotonic() < until:
        time.sleep(0.01)
    assert left == []


@pytest.mark.parametrize(
    ("what", "expected"), [("network", "OSError"), ("writing", "OSError"), ("folder", "[]"), ("secret", "none")]
)
def test_what_a_program_can_reach(what: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "moderator.sqlite").write_text("secret", encoding="utf-8")
    monkeypatch.setenv("MODERATOR_PASSWORD", "secret")
    found = (
        program(tmp_path / "bots", f"CLUB = {str(tmp_path)!r}\n" + ANSWER.format(TOLD[what]), seconds=20)
        .ask(b"{}")
        .decode()
    )
    assert found in (expected, f"['{expected}']"), found


def test_a_program_is_asked_again_and_again_and_begun_anew_when_it_has_ended(tmp_path: Path) -> None:
    code = "count = 0\nfor line in sys.stdin:\n    count += 1; print(count, flush=True)\n    if count == 2: sys.exit()"
    one = program(tmp_path / "bots", code, seconds=20)
    assert [one.ask(b"{}") for _ in range(2)] == [b"1", b"2"]
    until = time.monotonic() + 20
    while one.running() and time.monotonic() < until:
        time.sleep(0.01)
    assert one.ask(b"{}") == b"1"


LOUD = """sys.stderr.write("x\\n" * 200_000)
for line in sys.stdin:
    print("99@Z", file=sys.stderr, flush=True)
    os.write(1, line.strip().encode() + b"\\nmore\\n")
"""


def test_what_it_says_unasked_is_no_answer_and_its_standard_error_holds_nothing_up(tmp_path: Path) -> None:
    one = program(tmp_path / "bots", LOUD, seconds=20)
    assert [one.ask(b"a"), one.ask(b"b"), one.ask(b"c")] == [b"a", b"b", b"c"]


def test_after_three_failures_it_is_left_alone_for_the_run(tmp_path: Path) -> None:
    one = program(tmp_path / "bots", "sys.exit()", seconds=20)
    for _ in range(3):
        with pytest.raises(Failed, match="it has ended"):
            one.ask(b"{}")
    with pytest.raises(Failed, match="not asked again"):
        one.ask(b"{}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["asked", "begun"])
def test_the_log_names_the_robot_and_the_last_that_its_program_said(name: str, tmp_path: Path) -> None:
    code = {"asked": "sys.stdin.readline()\nhand[0]", "begun": "hand[0]"}[name]
    club, match = table(tmp_path, code, persons=1, seconds=20)
    file = tmp_path / "log"
    club.config.file.write_text(f'{club.config.file.read_text("utf-8")}\n[log]\nfile = "{file}"\n', encoding="utf-8")
    club.config = load(club.config.file)
    with kept(club.config):
        for _ in range(3):
            if club.live(match).missing != (0,):
                break
            club.hand_in("Anna", match, 0, club.moves(match, 0)[0])
    (shown,) = re.findall(r"<!-- the log -->\n    (.*)", PAGE)
    assert shown.replace("K7Q2", match).replace("Ada", "R20") in file.read_text(encoding="utf-8")
    (waits,) = in_the_morning(club)
    assert str(waits.note.params["text"]) == "it has ended", "the last line is for the log alone"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["dominos", "tridom", "domijongg", "topwords", "kreuzwort", "recht"])
def test_the_examples_play_by_themselves(game: str, tmp_path: Path) -> None:
    club, code = table(tmp_path, "heavy.py", "first.sh", game=game, persons=0, seconds=60)
    club.tick()
    made = [entry for entry in club.log(code) if entry.kind == EntryKind.MOVE]
    assert len(made) >= (2 if game == "recht" else 4)  # which may be over soon
    assert {entry.seat for entry in made} == {0, 1}


def test_the_example_plays_the_heaviest_of_the_best(tmp_path: Path) -> None:
    place = tmp_path / "bots"
    place.mkdir()
    shutil.copy(EXAMPLES / "heavy.py", place / "bot.py")
    legal = [{"move": move, "points": points} for move, points in (("11@L", 5), ("64@R", 5), ("66@L", 0))]
    asked = json.dumps({"turn": {"game": "dominos"}, "legal": legal}).encode()
    assert Program(("python3", "bot.py"), place, 20, 256).ask(asked) == b"64@R"


def test_without_the_folder_the_robot_plays_by_itself_and_doctor_says_why(tmp_path: Path) -> None:
    club, code = table(tmp_path, HOSTILE["dies"])
    assert bots(club.config) == ""
    if os.geteuid() == 0:
        (club.folder / "bots").chmod(0o700)
        assert "chmod 755" in bots(club.config)
    shutil.rmtree(club.folder / "bots")
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    assert EntryKind.MISS not in [entry.kind for entry in club.log(code)]
    assert "there is no folder" in bots(club.config)
    with pytest.raises(Unstarted):
        Program(("true",), club.folder / "bots", 1, 64).ask(b"")


def test_settings_that_cannot_be_are_refused_and_doctor_names_a_program_without_its_robot(tmp_path: Path) -> None:
    club, _ = table(tmp_path, HOSTILE["dies"])
    text = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(text.replace("[bots.R20]", "[bots.Anna]"), encoding="utf-8")
    assert bots(load(club.config.file)).startswith("[bots.Anna]: there is no robot Anna.")
    for wrong in ("command = []", 'command = ["x"]\nseconds = 0', 'command = ["x"]\nmebibytes = 1', "seconds = 5"):
        club.config.file.write_text(f"{text}\n[bots.Ada]\n{wrong}\n", encoding="utf-8")
        with pytest.raises(ConfigError):
            load(club.config.file)
