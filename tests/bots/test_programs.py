"""Programs that play for robots, as a club has them: those of the examples play whole matches; hostile ones cost their
own turn and nothing else."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import pytest

from moderator.bots.program import BotProgram
from moderator.bots.walls import PROCESSES, SANDBOX, BotFailure, BotNotStarted
from moderator.cli.doctor import find_bot_trouble
from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.common.errors import ConfigError
from moderator.inbox.agenda.daily_notice import Agenda
from moderator.notifications.task import Task, TaskKind
from moderator.run.log import log_run
from moderator.settings import BotSettings, load_config
from tests.club.club import Club, make_club
from tests.servers import eventually

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "bots"
PAGE = (ROOT / "docs" / "build" / "bots.md").read_text(encoding="utf-8")
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


def program(folder: Path, code: str, seconds: int = 1, mebibytes: int = 256) -> BotProgram:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(HEAD + code, encoding="utf-8")
    return BotProgram(("python3", "bot.py"), folder, seconds, mebibytes)


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
            answer = one.ask_line(b"{}")
        except BotFailure:
            continue
        assert name in ("illegal", "no_text", "chatter"), answer
    one.end_process()


@pytest.mark.matrix("hostile programs", seconds=2)
@pytest.mark.parametrize("name", HOSTILE)
def test_it_costs_its_own_turn_and_nothing_else(name: str, tmp_path: Path) -> None:
    club, code = table(tmp_path, HOSTILE[name])
    for _ in range(3):
        live = club.live(code)
        if live.seats_awaited != (0,):
            break
        club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    log = club.log(code)
    assert LogEntryKind.MISS in [entry.kind for entry in log if entry.seat == 1]
    assert not [entry for entry in log if entry.seat == 1 and entry.kind != LogEntryKind.MISS]
    assert club.row(code).status == MatchStatus.RUNNING
    assert [entry.kind for entry in log if entry.seat == 0].count(LogEntryKind.MOVE) >= 1
    assert not [mail["Subject"] for mail in club.mails("boss")]
    (waits,) = in_the_morning(club)
    assert waits.since == club.now
    assert (waits.facts["match"], waits.facts["player"]) == (code, "R20")
    assert not in_the_morning(club, days=7)


def in_the_morning(club: Club, days: int = 0) -> list[Task]:
    """What waits after so many days of a robot's program."""
    with club.work() as work:
        work.now = work.now + timedelta(days=days)
        return [one for one in Agenda(work).list_tasks() if one.kind is TaskKind.ROBOT]


STAYS = "os.close(0)\nos.fork()\ntime.sleep(600)"
KILLED = """import os, signal, sys, time
from pathlib import Path
from moderator.bots.program import BotProgram
one = BotProgram(("python3", "bot.py", sys.argv[2]), Path(sys.argv[1]), 30, 256)
process = one._launch_process() if sys.argv[3] == "walls" else one._start_process()
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
    assert eventually(lambda: of_club(mark) == []), of_club(mark)


@pytest.mark.parametrize(("what", "expected"), [("network", "OSError"), ("writing", "OSError"), ("secret", "none")])
def test_what_a_program_can_reach(what: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "moderator.sqlite").write_text("secret", encoding="utf-8")
    monkeypatch.setenv("MODERATOR_PASSWORD", "secret")
    found = program(tmp_path / "bots", ANSWER.format(TOLD[what]), seconds=20).ask_line(b"{}").decode()
    assert found in (expected, f"['{expected}']"), found


LOOKS = """import json
gone = [path for path in json.loads(sys.stdin.readline()) if not os.path.exists(path)]
def written(place):
    try:
        open(place + "/mine", "wb").write(bytes(1 << 20))
        return True
    except OSError:
        return False
wrote = []
for place, below, _ in os.walk("/"):
    wrote += [place] if written(place) else []
    below[:] = [name for name in below if not name.startswith(("usr", "nix", "proc", "bin", "sbin", "lib"))]
print(json.dumps([gone, os.listdir("/"), os.listdir("/etc"), wrote]), flush=True)
"""


def test_of_the_machine_it_sees_what_is_named_and_writes_into_memory_alone(tmp_path: Path) -> None:
    """Whatever the club keeps outside its folder, and wherever, is not there."""
    away = [tmp_path, tmp_path / "bots" / "bot.py", Path.home(), Path(__file__), *map(Path, ("/home", "/root", "/srv"))]
    away += map(Path, ("/var/mail", "/var/lib", "/var/spool", "/run", "/sys", "/etc/passwd", "/etc/shadow", "/mnt"))
    looks = program(tmp_path / "bots", LOOKS, seconds=20)
    gone, top, etc, writes = json.loads(looks.ask_line(json.dumps([*map(str, away)]).encode()))
    assert gone == [*map(str, away)]
    own = {Path(sys.executable).parts[1], Path(sys.executable).resolve().parts[1], "nix", "usr", "var", "dev", "proc"}
    assert {*top} <= own | {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "tmp"}
    harmless = ("alternatives", "ld.so", "localtime", "java", "perl", "php", "python3", "ruby")
    assert [name for name in etc if not name.startswith(harmless)] == []
    assert [place for place in writes if not place.startswith(("/tmp", "/dev/shm"))] == []


MIB = "1 << 20"
HOLDS = {
    "one": "held = bytearray(120 * MIB)",
    "children": "[os.fork() or [bytearray(30 * MIB), time.sleep(99)] for _ in range(4)]; time.sleep(99)",
    "shared": "held = mmap.mmap(-1, 120 * MIB); held.write(bytes(120 * MIB))",
    "shared by children": "held = mmap.mmap(-1, 120 * MIB); os.fork() or held.write(bytes(120 * MIB)); time.sleep(99)",
    "memfd": "os.write(os.memfd_create('held'), bytes(120 * MIB))",
    "secret": "secret = libc.syscall(447, 0); refuse(secret < 0); os.ftruncate(secret, 120 * MIB)",
    "system v": "refuse(libc.shmget(0, 120 * MIB, 0o1600) < 0)",
    "files": "[open(place, 'wb').write(bytes(120 * MIB)) for place in ('/tmp/a', '/dev/shm/a')]",
    "a file system": "refuse(libc.unshare(0x10020000)); refuse(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))",
}
"""Ways to hold 120 MiB: either the kernel refuses, or it is seen."""
HOLDING = f"""import ctypes, mmap
MIB, libc = {MIB}, ctypes.CDLL(None)
def refuse(failed):
    if failed: raise OSError
for line in sys.stdin:
    try:
        exec({{!r}})
        print("held", flush=True)
    except (OSError, MemoryError) as error:
        print("refused", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", HOLDS)
def test_no_way_to_hold_memory_passes_its_limit(way: str, tmp_path: Path) -> None:
    one = program(tmp_path / "bots", HOLDING.format(HOLDS[way]), seconds=20, mebibytes=64)
    try:
        told = one.ask_line(b"{}").decode()
    except BotFailure as failed:
        told = str(failed)
    assert told in ("refused", "it took more than 64 MiB of memory")


def test_what_it_takes_between_two_questions_counts_and_what_it_only_reserves_does_not(tmp_path: Path) -> None:
    code = "import mmap, threading\nroom = mmap.mmap(-1, 64 << 30, mmap.MAP_PRIVATE | 0x4000)  # not reserved\n"
    code += "def late():\n    time.sleep(0.5)\n    held.append(bytearray(120 << 20))\nheld = []\n"
    code += "for line in sys.stdin:\n    print(1, flush=True)\n    threading.Thread(target=late).start()"
    one = program(tmp_path / "bots", code, seconds=20, mebibytes=64)
    assert one.ask_line(b"{}") == b"1"
    assert eventually(lambda: not one.is_running())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "source"),
    [
        ("node", "require('readline').createInterface({input: process.stdin}).on('line', () => console.log('99@Z'))"),
        ("java", "class B { public static void main(String[] a) throws Exception { System.in.read(); "
                 'System.out.println("99@Z"); Thread.sleep(9999); } }'),
    ],
)  # fmt: skip
def test_a_usual_runtime_plays_within_the_default(tool: str, source: str, tmp_path: Path) -> None:
    """They reserve much more room than they ever take."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    place = tmp_path / "bots"
    place.mkdir()
    (place / "B.java").write_text(source, encoding="utf-8")
    assert BotProgram((tool, "B.java"), place, 60, BotSettings().mebibytes).ask_line(b"{}") == b"99@Z"


def test_a_program_is_asked_again_and_again_and_begun_anew_when_it_has_ended(tmp_path: Path) -> None:
    code = "count = 0\nfor line in sys.stdin:\n    count += 1; print(count, flush=True)\n    if count == 2: sys.exit()"
    one = program(tmp_path / "bots", code, seconds=20)
    assert [one.ask_line(b"{}") for _ in range(2)] == [b"1", b"2"]
    assert eventually(lambda: not one.is_running())
    assert one.ask_line(b"{}") == b"1"


LOUD = """sys.stderr.write("x\\n" * 200_000)
for line in sys.stdin:
    print("99@Z", file=sys.stderr, flush=True)
    os.write(1, line.strip().encode() + b"\\nmore\\n")
"""


def test_what_it_says_unasked_is_no_answer_and_its_standard_error_holds_nothing_up(tmp_path: Path) -> None:
    one = program(tmp_path / "bots", LOUD, seconds=20)
    assert [one.ask_line(b"a"), one.ask_line(b"b"), one.ask_line(b"c")] == [b"a", b"b", b"c"]


def test_after_three_failures_it_is_left_alone_for_the_run(tmp_path: Path) -> None:
    one = program(tmp_path / "bots", "sys.exit()", seconds=20)
    for _ in range(3):
        with pytest.raises(BotFailure, match="it has ended"):
            one.ask_line(b"{}")
    with pytest.raises(BotFailure, match="it has ended; it is not asked again"):
        one.ask_line(b"{}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["asked", "begun"])
def test_the_log_names_the_robot_and_the_last_that_its_program_said(name: str, tmp_path: Path) -> None:
    code = {"asked": "sys.stdin.readline()\nhand[0]", "begun": "hand[0]"}[name]
    club, match = table(tmp_path, code, persons=1, seconds=20)
    file = tmp_path / "log"
    club.config.file.write_text(f'{club.config.file.read_text("utf-8")}\n[log]\nfile = "{file}"\n', encoding="utf-8")
    club.config = load_config(club.config.file)
    with log_run(club.config):
        for _ in range(3):
            if club.live(match).seats_awaited != (0,):
                break
            club.hand_in("Anna", match, 0, club.moves(match, 0)[0])
    (shown,) = re.findall(r"<!-- the log -->\n    (.*)", PAGE)
    assert shown.replace("K7Q2", match).replace("Ada", "R20") in file.read_text(encoding="utf-8")
    (waits,) = in_the_morning(club)
    assert str(waits.note.params["text"]) == "it has ended", "the last line is for the log alone"


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "why"), [("", "is empty"), ("99@Z", "is no legal move")])
def test_the_log_says_why_a_program_has_answered_in_vain(
    answer: str, why: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    code = (
        f'for line in sys.stdin:\n    print("nothing fits", file=sys.stderr, flush=True); print("{answer}", flush=True)'
    )
    club, match = table(tmp_path, code, persons=1, seconds=20)
    for _ in range(3):
        if club.live(match).seats_awaited != (0,):
            break
        club.hand_in("Anna", match, 0, club.moves(match, 0)[0])
    assert f"has answered, but that {why}; its last line on standard error: nothing fits" in caplog.text
    (waits,) = in_the_morning(club)
    assert str(waits.note.params["text"]) == f"its answer {why}"


@pytest.mark.slow
@pytest.mark.parametrize("game", ["dominos", "tridom", "domijongg", "topwords", "kreuzwort", "recht"])
def test_the_examples_play_by_themselves(game: str, tmp_path: Path) -> None:
    club, code = table(tmp_path, "heavy.py", "first.sh", game=game, persons=0, seconds=60)
    club.tick()
    made = [entry for entry in club.log(code) if entry.kind == LogEntryKind.MOVE]
    assert len(made) >= (2 if game == "recht" else 4)  # which may be over soon
    assert {entry.seat for entry in made} == {0, 1}


def test_the_example_plays_the_heaviest_of_the_best(tmp_path: Path) -> None:
    place = tmp_path / "bots"
    place.mkdir()
    shutil.copy(EXAMPLES / "heavy.py", place / "bot.py")
    legal = [{"move": move, "points": points} for move, points in (("11@L", 5), ("64@R", 5), ("66@L", 0))]
    asked = json.dumps({"turn": {"game": "dominos"}, "legal": legal}).encode()
    assert BotProgram(("python3", "bot.py"), place, 20, 256).ask_line(asked) == b"64@R"


def test_without_the_folder_the_robot_plays_by_itself_and_doctor_says_why(tmp_path: Path) -> None:
    club, code = table(tmp_path, HOSTILE["dies"])
    assert find_bot_trouble(club.config) == ""
    if os.geteuid() == 0:
        (club.folder / "bots").chmod(0o700)
        assert "chmod 755" in find_bot_trouble(club.config)
    shutil.rmtree(club.folder / "bots")
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    assert LogEntryKind.MISS not in [entry.kind for entry in club.log(code)]
    assert "there is no folder" in find_bot_trouble(club.config)
    with pytest.raises(BotNotStarted):
        BotProgram(("true",), club.folder / "bots", 1, 64).ask_line(b"")
    with pytest.raises(BotNotStarted, match="there is no program no-such-tool"):
        BotProgram(("no-such-tool",), program(tmp_path / "bots", "").folder, 1, 64).ask_line(b"")


NO_WALLS = {
    "bwrap": "echo bwrap: Creating new namespace failed: Operation not permitted >&2; exit 1",
    "env": "echo no env >&2; exit 127",
    "nice": "echo -20 >&2; exit 0",
}
"""What fails on the way to the walls, and what it says."""


@pytest.mark.parametrize("tool", NO_WALLS)
def test_where_the_walls_cannot_stand_the_robot_plays_by_itself_and_doctor_says_what_was_said(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever between us and the program it fails: no turn is lost, and the program is left alone for the run."""
    fakes = Path(tempfile.mkdtemp(dir="/tmp"))  # where any user can go
    fakes.chmod(0o755)
    (fakes / tool).write_text(f"#!{shutil.which('sh')}\n{NO_WALLS[tool]}\n")
    (fakes / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f"{fakes}:{os.environ['PATH']}")
    club, code = table(tmp_path, ANSWER.format("'99@Z'"))
    said = NO_WALLS[tool].partition("echo ")[2].partition(" >&2")[0]
    assert re.fullmatch(
        rf"\[bots.R20\]: its walls cannot be raised here: .*{said}.*bots.md says.*", find_bot_trouble(club.config)
    )
    club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    assert LogEntryKind.MISS not in [entry.kind for entry in club.log(code)]
    assert {entry.seat for entry in club.log(code) if entry.kind == LogEntryKind.MOVE} == {0, 1}
    shutil.rmtree(fakes)


def test_settings_that_cannot_be_are_refused_and_doctor_names_a_program_without_its_robot(tmp_path: Path) -> None:
    club, _ = table(tmp_path, HOSTILE["dies"])
    text = club.config.file.read_text(encoding="utf-8")
    club.config.file.write_text(text.replace("[bots.R20]", "[bots.Anna]"), encoding="utf-8")
    assert find_bot_trouble(load_config(club.config.file)).startswith("[bots.Anna]: there is no robot Anna.")
    for wrong in ("command = []", 'command = ["x"]\nseconds = 0', 'command = ["x"]\nmebibytes = 1', "seconds = 5"):
        club.config.file.write_text(f"{text}\n[bots.Ada]\n{wrong}\n", encoding="utf-8")
        with pytest.raises(ConfigError):
            load_config(club.config.file)
    club.config.file.write_text(f'{text}\n[bots.Ada]\nrobot = "varied"\n', encoding="utf-8")
    told = r"\[bots.Ada\] robot = 'varied': a package can bring no robot any more. Put a command in its place"
    with pytest.raises(ConfigError, match=told):
        load_config(club.config.file)
