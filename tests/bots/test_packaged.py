"""What is asked of a robot in all games: what its seat sees, moves that are legal, and nothing that is hidden. Robots
of other packages, asked in this process: the one of the page plays whole matches; what one does wrong costs its own
turn and nothing else. And a robot that sits elsewhere and speaks mail: the example plays a whole match as a player, by
the attachment alone."""

from __future__ import annotations

import json
import logging
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner

from moderator import bots
from moderator.bots.failures import Failed, Unstarted
from moderator.bots.limit import TooLong, limited
from moderator.bots.order import LISTED, Turn, asked, question
from moderator.bots.packaged import Packaged
from moderator.cli import cli
from moderator.cli.doctor import bots as looked_at
from moderator.config import load
from moderator.errors import ConfigError, OperatorError
from moderator.games import REGISTRY
from moderator.games import load as load_game
from moderator.mail.maildir import deliver
from moderator.match import rng
from moderator.match import table as driver
from moderator.match.contract import Context, view_for
from moderator.match.words import AnyWords
from moderator.states import EntryKind, MatchStatus
from tests.club.club import Club, make_club
from tests.helpers import looks_alike
from tests.match.test_turn_data import SCHEMA, WORDS, positions
from tests.packages import installed, write
from tests.schemas.validators import validator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
BY_MAIL = ROOT / "examples" / "bots" / "by_mail.py"
FOR_MAILS = {
    "entry": 1,
    "deadline": None,
    "zone": "UTC",
    "language": "de",
    "reply": {"address": "a@b.example", "subject": "Dominos [K7Q2-8J3MZP4QXA]"},
}
SETTINGS = 'robot = "bot"\nseconds = 1'


def turns(key: str, every: int = 7) -> list[Turn]:
    return [
        Turn("K7Q2", game, options, state, seat, Context(WORDS, rng.unshuffled))
        for game, options, state, seat, _ in positions(key, 30)[::every]
    ]


def elsewhere(turn: Turn, key: str) -> Turn:
    """The same in another world, that looks alike to the seat."""
    if len(turn.state.hands) < 2:
        return turn
    return replace(turn, state=looks_alike(turn.state, turn.seat, random.Random(key)))


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_the_line_is_a_turn_with_moves_that_can_be_played(key: str) -> None:
    """As the page describes it; each move brings what is said."""
    for turn in turns(key):
        line = question(turn, 5)
        assert b"\n" not in line
        asked = json.loads(line)
        validator("bot").validate(asked)
        SCHEMA.validate(FOR_MAILS | asked["turn"])
        legal = asked["legal"]
        assert len(legal) <= LISTED
        assert asked["all"] == (len(legal) < LISTED)
        now = driver.Table(turn.state, turn.options.pace, turn.seat)
        for one in (*legal[:3], *legal[-1:]):
            (seen,) = driver.preview(turn.game, now, turn.seat, one["move"], turn.context)
            assert (seen.canonical, seen.points, seen.refused) == (one["move"], one["points"], None)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_two_worlds_that_look_alike_are_the_same_turn_and_a_robot_can_change_nothing(key: str) -> None:
    for turn in turns(key, every=15):
        assert question(elsewhere(turn, key), 5) == question(turn, 5)
        one, other = turn.seen(5), elsewhere(turn, key).seen(5)
        assert one.view == other.view == view_for(turn.state, turn.seat)
        assert one.options == other.options
        assert one.legal() == other.legal() == turn.legal()
        assert one.ctx.out == other.ctx.out
        for label in ("round1", "round2", "draw"):
            assert one.ctx.shuffle(label, [*"abcdefgh"]) == other.ctx.shuffle(label, [*"abcdefgh"])
    before = repr(turn.state)
    for value in vars(turn.seen(5).view.public).values():
        if isinstance(value, dict | list):
            value.clear()
    assert repr(turn.state) == before


def test_the_shuffle_of_the_match_is_not_told() -> None:
    """By it the stock and the deals to come could be worked out."""
    turn = turns("dominos")[0]
    told = replace(turn, context=replace(turn.context, shuffle=lambda label, items: pytest.fail("asked")))
    told.seen(5).ctx.shuffle("round1", ["A", "B"])


def test_the_page_shows_a_line_that_is_asked() -> None:
    game = load_game("dominos")
    options, ctx = game.options(), Context(AnyWords(), rng.unshuffled)
    dealt = {"racks": [["64", "61", "00"], ["65", "31"]], "stock": ["22"], "board": ["66"], "starter": 0}
    state = game.setup(2, options, ctx, dealt).state
    assert view_for(state, 0).hand == ("64", "61", "00")
    assert json.loads(shown("the line")) == json.loads(question(Turn("K7Q2", game, options, state, 0, ctx), 5))


HEAD = "import os, sys, time\nclass Bot:\n    contract = 1\n    games = ()\n    def choose(self, turn):\n        "
HOSTILE = {
    "raises": ("raise ValueError(str(turn.view.hand))", r"it raised ValueError at bot\.py:6$"),
    "exits": ("sys.exit(0)", "it raised SystemExit"),
    "exhausts": ("return self.choose(turn)", "it raised RecursionError"),
    "computes": ("while True: pass", "it took too long"),
    "sleeps": ("time.sleep(99)", "it took too long"),
    "goes_on": (
        "\n        while True:\n            try: time.sleep(9)\n            except BaseException as late:\n"
        "                if self.__dict__.setdefault('seen', []).append(late) or len(self.seen) > 2: raise",
        "it took too long",
    ),
    "late": (
        "\n        try: time.sleep(9)\n        except BaseException: return turn.legal()[0][0]",
        "it took too long",
    ),
    "nothing": ("return None", "its answer is no text but NoneType"),
    "endless": ("return 'x' * 5000", "its answer is longer than 4096 bytes"),
    "illegal": ("return '99@Z'", "is no legal move"),
    "half": ("return '\\ud800'", "is no legal move"),
    "empty": ("return ''", "is no legal move"),
    "cheats": ("turn.view.hand = ('00',)", "it raised FrozenInstanceError"),
}


@contextmanager
def robot(folder: Path, body: str, source: str = "") -> Iterator[None]:
    """A package with the robot ``bot``."""
    code = source or f"{HEAD}{body}\nROBOT = Bot()\n"
    with installed(write(folder, "bot", {"bot.py": code}, {bots.GROUP: {"bot": "bot:ROBOT"}})):
        yield


def table(folder: Path, *names: str, game: str = "dominos", settings: str = SETTINGS) -> tuple[Club, str]:
    """A match in which the package plays for the robots (``R2…``) among them."""
    robots = [name for name in names if name.startswith("R2")]
    club = make_club(folder, "".join(f"\n[bots.{name}]\n{settings}\n" for name in robots))
    club.players(*names)
    return club, club.match(*names, game=game)


def test_it_costs_its_own_turn_and_nothing_else(tmp_path: Path) -> None:
    with robot(tmp_path, HOSTILE["raises"][0]):
        club, code = table(tmp_path / "club", "Anna", "R21")
        for _ in range(3):
            if club.live(code).missing != (0,):
                break
            club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
        log = club.log(code)
    assert {entry.kind for entry in log if entry.seat == 1} == {EntryKind.MISS}
    assert [entry.kind for entry in log if entry.seat == 0].count(EntryKind.MOVE) >= 1
    assert club.row(code).status == MatchStatus.RUNNING
    assert not club.mails("boss")


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_what_it_does_wrong_is_no_answer_and_the_log_says_why(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    body, why = HOSTILE[name]
    turn = turns("dominos")[1]
    caplog.set_level(logging.INFO, "moderator")
    with robot(tmp_path, body):
        one = Packaged("bot", 1)
        one.seconds = 0.1  # type: ignore[assignment]
        with pytest.raises(Failed):
            asked(one, "Ada", turn)
    (line,) = [record.getMessage() for record in caplog.records if record.name.startswith("moderator")]
    assert line.startswith("match K7Q2: the ")
    assert "robot bot that plays for Ada in seat" in line
    assert re.search(why, line), line
    assert not any(tile in line for tile in turn.data()["rack"])


def test_after_three_failures_it_is_left_alone_for_the_run(tmp_path: Path) -> None:
    turn = turns("dominos")[0].seen(1)
    with robot(tmp_path, "raise KeyError"):
        one = Packaged("bot", 1)
        for _ in range(3):
            with pytest.raises(Failed, match="KeyError"):
                one.ask(turn)
        with pytest.raises(Failed, match="not asked again"):
            one.ask(turn)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", "There is no robot 'bot'. No package here brings a robot."),
        ("import nothing_of_that_name\n", r"The robot 'bot' \(bot:ROBOT\) cannot be loaded: ModuleNotFound"),
        (f"{HEAD}return ''\nROBOT = Bot()\nBot.contract = 2\n", "was written for contract 2, and 1 is the newest"),
        (f"{HEAD}return ''\nROBOT = Bot()\ndel Bot.contract\n", "Add `contract = 1` to its class."),
        ("class Bot:\n    contract = 1\nROBOT = Bot()\n", "lacks `games` or `choose`"),
        (f"{HEAD}return ''\nROBOT = Bot()\nBot.games = ('tridom',)\n", ""),
    ],
    ids=["nowhere", "broken", "newer", "silent", "half", "elsewhere"],
)
def test_what_is_missing_is_told_and_the_robot_plays_by_itself(tmp_path: Path, source: str, told: str) -> None:
    club, code = table(tmp_path / "club", "Anna", "R21")
    with robot(tmp_path, "", source) if source else nullcontext():
        found = looked_at(club.config)
        assert re.search(told, found) if told else found == ""
        assert not source or found == "" or found.startswith("[bots.R21]: ")
        club.hand_in("Anna", code, 0, club.moves(code, 0)[0])
    assert EntryKind.MISS not in [entry.kind for entry in club.log(code)]
    assert {entry.seat for entry in club.log(code) if entry.kind == EntryKind.MOVE} == {0, 1}


def test_another_thread_has_no_alarm_and_what_comes_late_does_not_count(tmp_path: Path) -> None:
    found: list[str] = []

    def late() -> None:
        try:
            limited(0.01, lambda: time.sleep(0.05))
        except TooLong:
            found.append("too long")

    thread = threading.Thread(target=late)
    thread.start()
    thread.join()
    assert found == ["too long"]


def test_an_alarm_that_was_set_before_comes_in_its_time() -> None:
    rung: list[float] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(time.monotonic()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        assert limited(5, lambda: 7) == 7
        with pytest.raises(TooLong):
            limited(0.02, lambda: time.sleep(5))
        assert rung == []
        time.sleep(0.3)
        assert len(rung) == 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_settings_that_cannot_be_are_refused(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    text = club.config.file.read_text(encoding="utf-8")
    for wrong, why in (
        ("seconds = 5", "either a command or a robot"),
        ('robot = "bot"\ncommand = ["x"]', "either a command or a robot"),
        ('robot = "bot"\nseconds = 61', "seconds from 1 to 60"),
        ('robot = "bot"\nmebibytes = 512', "mebibytes, which only a command"),
        ('robot = "bot"\nlevel = "strong"', "there is no setting 'level'"),
    ):
        club.config.file.write_text(f"{text}\n[bots.Ada]\n{wrong}\n", encoding="utf-8")
        with pytest.raises(ConfigError, match=why):
            load(club.config.file)


def test_lists_name_it(tmp_path: Path) -> None:
    with robot(tmp_path, "", f"{HEAD}return ''\nROBOT = Bot()\nBot.games = ('tridom', 'dominos')\n"):
        club, _ = table(tmp_path / "club", "Anna", "R21")
        said = [CliRunner().invoke(cli, words).output.splitlines() for words in (
            ["game", "list", "--json"], ["game", "list"],
            ["--config", str(club.config.file), "player", "list", "--json"],
            ["--config", str(club.config.file), "player", "list"],
        )]  # fmt: skip
    games, players = [json.loads(line) for line in said[0]], [json.loads(line) for line in said[2]]
    for name, lines in (("game", games), ("player", players)):
        for line in lines:
            validator(name).validate(line)
    assert {line["game"]: line["robots"] for line in games if line["robots"]} == {"dominos": ["bot"], "tridom": ["bot"]}
    assert [line.endswith("robots: bot") for line in said[1]] == [bool(line["robots"]) for line in games]
    assert {line["name"]: line["played_by"] for line in players} == {"Anna": None, "R21": "bot"}
    assert next(line for line in said[3] if "played by bot" in line).startswith("R21 ")


def test_an_unknown_one_is_named_with_the_known_ones(tmp_path: Path) -> None:
    with robot(tmp_path, "return ''"), pytest.raises(OperatorError, match=r"no robot 'ada'\. Known robots: bot"):
        bots.load("ada")
    with pytest.raises(Unstarted, match="No package here"):
        Packaged("bot", 1).ask(turns("dominos")[0].seen(1))


def shown(name: str) -> str:
    """What the page shows behind the mark of that name."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)\n```\n", PAGE, re.DOTALL)
    assert found
    return f"{found[1]}\n"


@pytest.mark.slow
def test_the_robot_of_the_page_plays_whole_matches(tmp_path: Path) -> None:
    """In a process of its own, as cron would start it; what pip makes of its pyproject is written by hand."""
    project = shown("its pyproject")
    (key, place), *more = re.findall(r'^(\w+) = "(\w+:\w+)"$', project.partition(f'"{bots.GROUP}"]')[2], re.MULTILINE)
    assert not more
    site = tmp_path / "site"
    write(site, "varied", {"varied.py": shown("the robot")}, {bots.GROUP: {key: place}})
    settings = shown("the settings")
    assert settings.startswith("[bots.Ada]\n")
    club, code = table(tmp_path / "club", "R21", "R22", settings=settings.partition("\n")[2])
    there = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *sys.path])}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "moderator", "--config", str(club.config.file), *words]
        done = subprocess.run(command, env=there, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for _ in range(9):
        run("tick")
        if club.row(code).status == MatchStatus.FINISHED:
            break
    made = club.log(code)
    assert club.row(code).status == MatchStatus.FINISHED
    assert EntryKind.MISS not in [entry.kind for entry in made]
    assert {entry.seat for entry in made if entry.kind == EntryKind.MOVE} == {0, 1}
    assert f"played by {key}" in run("player", "list")


SENDMAIL = """#!/bin/sh
# What the robot's own server would do: the mail goes to the club's mailbox, once.
cat > "$CLUB/new/$$.mail"
"""


class Elsewhere:
    """Ada's mailbox, and the program beside it."""

    def __init__(self, folder: Path, club: Club) -> None:
        self.folder, self.club = folder / "Maildir", club
        self.programs = folder / "bin"
        self.programs.mkdir(parents=True)
        (self.programs / "sendmail").write_text(SENDMAIL)
        (self.programs / "sendmail").chmod(0o755)
        deliver(self.folder, b"From: friend@home.example\nTo: ada@home.example\nSubject: Hi\n\nNo turn in here.\n")

    def run(self) -> int:
        """Its new mails come, it is started as the page says; how many mails it has sent."""
        for mail in self.club.mails("ada"):
            deliver(self.folder, bytes(mail))
        inbox = self.club.config.path(self.club.config.maildir.inbox)
        before = len(list((inbox / "new").iterdir()))
        (command,) = re.findall(r"^    (python3 by_mail\.py .*)$", PAGE, re.MULTILINE)
        words = shlex.split(command.replace("games@example.org", "games@club.example"))
        assert words[2:] == ["games@club.example", "ada@home.example", "~/Maildir"]
        there = {**os.environ, "PATH": f"{self.programs}:{os.environ['PATH']}", "CLUB": str(inbox)}
        done = subprocess.run(
            [sys.executable, "-I", str(BY_MAIL), *words[2:4], str(self.folder)],
            env=there,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        sent = [file for file in (inbox / "new").iterdir() if file.suffix == ".mail"]
        for file in sent:
            os.utime(file, (self.club.now.timestamp(), self.club.now.timestamp()))
        return len(list((inbox / "new").iterdir())) - before


@pytest.mark.slow
def test_it_plays_a_whole_match_as_a_player(tmp_path: Path) -> None:
    club = make_club(tmp_path / "club")
    club.players("Ada", "R21", Ada="en")
    code = club.match("Ada", "R21", game="dominos", target=60)
    ada = Elsewhere(tmp_path / "ada", club)
    for _ in range(60):
        summary = club.let_pass(minutes=2)
        assert (summary.quarantined, summary.troubles) == ([], [])
        if club.row(code).status == MatchStatus.FINISHED:
            break
        assert ada.run() == 1
        assert ada.run() == 0, "it answers a position once"
    assert club.row(code).status == MatchStatus.FINISHED
    log = club.log(code)
    moves = [entry for entry in log if entry.seat == 0 and entry.kind == EntryKind.MOVE]
    assert len(moves) >= 5
    assert not [entry for entry in log if entry.seat == 0 and entry.kind in (EntryKind.MISS, EntryKind.TRIED)]


def test_it_leaves_alone_what_is_not_for_it(tmp_path: Path) -> None:
    """A turn of another club, of another game, of a version that it does not know."""
    club = make_club(tmp_path / "club")
    club.tick()
    ada = Elsewhere(tmp_path / "ada", club)
    turn = {
        "turn": 1, "match": "K7Q2", "game": "dominos", "entry": 3, "rack": ["64"], "board": {"ends": {}},
        "reply": {"address": "games+K7Q2-8J3MZP4QXA@club.example", "subject": "Dominos [K7Q2-8J3MZP4QXA]"},
    }  # fmt: skip
    elsewhere = {"address": "games+K7Q2-8J3MZP4QXA@evil.example", "subject": "Dominos"}
    for change in ({"turn": 2}, {"game": "tridom"}, {"reply": elsewhere}):
        sent(ada, {**turn, **change})
    assert ada.run() == 0
    sent(ada, turn)
    assert ada.run() == 1


def sent(ada: Elsewhere, turn: dict[str, object]) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "games@club.example", "ada@home.example"
    mail.set_content("Your turn")
    data = json.dumps(turn).encode()
    mail.add_attachment(data, "application", "vnd.moderator.turn+json", filename="turn-K7Q2-3.json")
    deliver(ada.folder, bytes(mail))
