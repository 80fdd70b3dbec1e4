"""What is asked of a robot in all games: what its seat sees, moves that are legal, and nothing that is hidden. And a
robot that sits elsewhere and speaks mail: the example plays a whole match as a player, by the attachment alone."""

import json
import os
import random
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from moderator.bots.program import LISTED, BotTurn, build_bot_question
from moderator.common.enums import LogEntryKind, MatchStatus
from moderator.games import REGISTRY
from moderator.games import load_game as load_game
from moderator.mail.maildir import deliver_to_maildir
from moderator.rules import shuffling
from moderator.rules import table as driver
from moderator.rules.game import Context, view_for
from moderator.rules.words import AnyWords
from tests.club.club import Club, club_of, make_club
from tests.helpers import looks_alike
from tests.match.test_turn_data import SCHEMA, WORDS, positions
from tests.schemas.validators import validator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "build" / "bots.md").read_text(encoding="utf-8")
BY_MAIL = ROOT / "examples" / "bots" / "by_mail.py"
FOR_MAILS = {
    "entry": 1,
    "deadline": None,
    "zone": "UTC",
    "language": "de",
    "reply": {"address": "a@b.example", "subject": "Dominos [K7Q2-8J3MZP4QXA]"},
}


def turns(key: str, every: int = 7) -> list[BotTurn]:
    return [
        BotTurn("K7Q2", game, options, state, seat, Context(WORDS, shuffling.keep_order))
        for game, options, state, seat, _ in positions(key, 30)[::every]
    ]


def elsewhere(turn: BotTurn, key: str) -> BotTurn:
    """The same in another world, that looks alike to the seat."""
    if len(turn.state.hands) < 2:
        return turn
    return replace(turn, state=looks_alike(turn.state, turn.seat, random.Random(key)))


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_the_line_is_a_turn_with_moves_that_can_be_played(key: str) -> None:
    """As the page describes it; each move brings what is said."""
    for turn in turns(key):
        line = build_bot_question(turn, 5)
        assert b"\n" not in line
        asked = json.loads(line)
        validator("bot").validate(asked)
        SCHEMA.validate(FOR_MAILS | asked["turn"])
        legal = asked["legal"]
        assert len(legal) <= LISTED
        assert asked["all"] == (len(legal) < LISTED)
        now = driver.MatchState(turn.state, turn.options.pace, turn.seat)
        for one in (*legal[:3], *legal[-1:]):
            (seen,) = driver.preview_order(turn.game, now, turn.seat, one["move"], turn.context)
            assert (seen.canonical, seen.points, seen.refused) == (one["move"], one["points"], None)


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(REGISTRY))
def test_two_worlds_that_look_alike_are_the_same_turn(key: str) -> None:
    for turn in turns(key, every=15):
        assert build_bot_question(elsewhere(turn, key), 5) == build_bot_question(turn, 5)


def test_the_page_shows_a_line_that_is_asked() -> None:
    game = load_game("dominos")
    options, ctx = game.options(), Context(AnyWords(), shuffling.keep_order)
    dealt = {"racks": [["64", "61", "00"], ["65", "31"]], "stock": ["22"], "board": ["66"], "starter": 0}
    state = game.setup(2, options, ctx, dealt).state
    assert view_for(state, 0).hand == ("64", "61", "00")
    assert json.loads(shown("the line")) == json.loads(
        build_bot_question(BotTurn("K7Q2", game, options, state, 0, ctx), 5)
    )


def shown(name: str) -> str:
    """What the page shows behind the mark of that name."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n```\w*\n(.*?)\n```\n", PAGE, re.DOTALL)
    assert found
    return f"{found[1]}\n"


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
        deliver_to_maildir(
            self.folder, b"From: friend@home.example\nTo: ada@home.example\nSubject: Hi\n\nNo turn in here.\n"
        )

    def run(self) -> int:
        """Its new mails come, it is started as the page says; how many mails it has sent."""
        for mail in self.club.mails("ada"):
            deliver_to_maildir(self.folder, bytes(mail))
        inbox = self.club.config.resolve_path(self.club.config.maildir.inbox)
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
    club = club_of(tmp_path / "club", "Ada", "R21", Ada="en")
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
    moves = [entry for entry in log if entry.seat == 0 and entry.kind == LogEntryKind.MOVE]
    assert len(moves) >= 5
    assert not [entry for entry in log if entry.seat == 0 and entry.kind in (LogEntryKind.MISS, LogEntryKind.TRIED)]


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
    deliver_to_maildir(ada.folder, bytes(mail))
