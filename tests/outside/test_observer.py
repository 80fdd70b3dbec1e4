"""The observer: what subject and first line of every mail say is so, and says what its reader must know first."""

from __future__ import annotations

import ast
import email
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.outside import claims
from tests.outside.line import Entry, Letter, Line, Post, Program, Seen
from tests.outside.observer import SETTINGS, TABLES, Cause, Observer, warm
from tests.outside.told import TRUE, Reading, Step, wrong
from tests.helpers import READ

HERE = Path(__file__).parent
ALLOWED = {"pytest", "tests"}


def false(observer: Observer) -> list[str]:
    return [told for _, told in observer.false]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """It has played a little."""
    program = Program()
    try:
        warm(Line(program, "observer"), tmp_path_factory.mktemp("warm") / "club", TABLES[:2])
        yield program
    finally:
        program.close()


def test_every_mail_is_true(program: Program, tmp_path: Path) -> None:
    observer = Observer(Line(program, "observer"), tmp_path / "club", "observer")
    observer.play(3, TABLES[:7])
    assert not observer.false, "\n\n".join(false(observer)[:10])
    mails, checked = observer.figures["mails"], observer.figures["claims"]
    assert mails >= 40
    assert checked >= 4 * mails


@pytest.mark.slow
def test_who_is_silent_is_told_of_the_missed_turn_and_of_the_lost_seat(program: Program, tmp_path: Path) -> None:
    """Anna, Bert and Cora are silent until the first of them is out."""
    line = Line(program, "silence")
    settings = SETTINGS.replace("abandon_after = 3", "abandon_after = 1")
    observer = Observer(line, tmp_path / "club", "silence", settings)
    observer.open("topwords", "Anna Bert Cora", "")
    observer.look({code: Cause("start") for code in observer.matches})
    for _ in range(4):
        line.now += timedelta(days=4)
        observer.look({})
    assert not observer.false, "\n\n".join(false(observer))
    assert observer.said["missed"] == 3
    assert observer.said["out"] == 1


def test_nothing_here_knows_the_code() -> None:
    for file in HERE.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names | ALLOWED, (file.name, name)
                helper = name.startswith(("tests.outside", "tests.helpers"))
                assert helper or not name.startswith("tests"), (file.name, name)


def test_every_claim_has_a_meaning() -> None:
    known = {claim for *_, made in claims.SENTENCES for claim in made.split()}
    assert known | {"round"} == set(TRUE)


ANNA = Letter("Anna", "K7Q2", "{}: Topwords „Arratia“, Runde 1", "{}", "", "", "<1@home>")
ASKED = Seen(1, {"Anna": "missing"}, {}, None, (), running=True)


AFTERWARDS = {
    "dein Zug zählt": Seen(1, {"Bert": "missing"}, {}, None, (Entry(1, "move", "Anna passe +0"),), running=True),
    "dein Zug zählt NICHT": Seen(
        1, {"Anna": "missing"}, {}, None, (Entry(1, "tried", "Anna A1 w HAUS"),), running=True
    ),
    "die Partie ist zu Ende": Seen(1, {}, {}, None, (Entry(1, "move", "Anna passe +0"),), running=False),
}


@pytest.mark.parametrize("right", AFTERWARDS)
def test_each_other_sentence_would_be_false(right: str) -> None:
    """Of an answer to an order: the right sentence passes, and any that claims something else is found."""
    said = [*AFTERWARDS, "du bist am Zug", "Bert am Zug", "dein Zug zählt, du bist wieder am Zug", "so steht es", "los"]
    step = Step("sequential", ASKED, AFTERWARDS[right], "order", "Anna")

    def faults(sentence: str) -> list[str]:
        letter = replace(ANNA, subject=ANNA.subject.format(sentence), first=f"{sentence[0].upper()}{sentence[1:]}.")
        return wrong(Reading(step, letter, answer=True))[0]

    for sentence in (*said, "dein Zug zählt, sobald du dran bist"):
        assert bool(faults(sentence)) == (sentence != right), sentence


VOUCHES = "mx.club.example"
LIST_ID = re.compile(r"<([a-z0-9-]+(?:\.[a-z0-9-]+)+)>")


class Club:
    """Anna plays with Bert and wants a daily mail; Cora watches them, and hears of tournaments."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.line, self.folder, self.turns = Line(program, "lists"), folder, 0
        folder.mkdir()
        settings = SETTINGS.replace('transport = "maildir"', f'transport = "maildir"\nauthserv_id = "{VOUCHES}"')
        (folder / "moderator.toml").write_text(settings, encoding="utf-8")
        self.post = Post(folder)
        self.type("init")
        (folder / "words.txt").write_text("\n".join(f"{a}{b}" for a in "AEIOU" for b in "NRST"), encoding="utf-8")
        self.type("lexicon", "build", "de", "--from", str(folder / "words.txt"), "--language", "de")
        for name in ("Anna", "Bert", "Cora"):
            self.type("player", "add", name, f"{name.lower()}@home.example", "--board", "text")
        new = ["match", "new", "topwords", "Anna", "Bert", "--name", "Arratia", "-o", "pass_rounds=9", "--start"]
        self.code = self.type(*new).split()[1]
        self.tick()
        self.write("Anna", "games@club.example", "SAMMELMAIL AN")
        self.write("Cora", "games@club.example", f"ZUSCHAUEN {self.code}")
        self.tick()

    def type(self, *words: str) -> str:
        return self.line(self.folder, *words)

    def write(self, sender: str, to: str, text: str, subject: str = "") -> None:
        """As a mail program would, with the mark of the club's own server that it is from there."""
        self.post.write(sender, to, text, self.line.now)
        file = self.post.into / "new" / f"{self.post.written:06}.eml"
        data = file.read_bytes().replace(b"Subject: Re: moderator", f"Subject: {subject}".encode())
        file.write_bytes(f"Authentication-Results: {VOUCHES}; dkim=pass header.d=home.example\r\n".encode() + data)
        os.utime(file, (self.line.now.timestamp(), self.line.now.timestamp()))

    def tick(self, **span: float) -> list[EmailMessage]:
        """What is sent then."""
        self.line.now += timedelta(**span)
        self.type("tick")
        fresh = sorted(file for file in self.post.out.iterdir() if file.name not in self.post.known)
        self.post.known.update(file.name for file in fresh)
        return [_parsed(file.read_bytes()) for file in fresh]

    def invited(self) -> list[EmailMessage]:
        code = re.findall(r"\bT\d+", self.type("cup", "new", "Pokal", "--game", "topwords", "--format", "swiss"))[0]
        self.type("cup", "open", code)
        return self.tick()

    def moved(self) -> list[EmailMessage]:
        """Whoever is to move passes."""
        self.turns += 1
        self.type("match", "move", self.code, ("Bert", "Anna")[self.turns % 2], "passe")
        return self.tick()

    def next_day(self) -> list[EmailMessage]:
        return [*self.moved(), *self.moved(), *self.tick(days=1)]

    def follow(self, mail: EmailMessage) -> str:
        """Write to the address in the header as it stands there; what is answered."""
        url = urlsplit(str(mail["List-Unsubscribe"]).strip("<>"))
        assert url.scheme == "mailto"
        assert mail["List-Unsubscribe-Post"] is None, "that needs a web server"
        reader = str(mail["To"]).split()[0]
        self.write(reader, unquote(url.path), "", parse_qs(url.query)["subject"][0])
        (answer,) = (one for one in self.tick() if one["Auto-Submitted"] == "auto-replied")
        assert str(answer["To"]).startswith(reader)
        assert answer["List-Id"] is None
        assert answer["List-Unsubscribe"] is None
        part = answer.get_body(("plain",))
        assert part is not None
        return " ".join(str(part.get_content()).split())


def _parsed(data: bytes) -> EmailMessage:
    mail = email.message_from_bytes(data, policy=READ)
    assert isinstance(mail, EmailMessage)
    return mail


def of_list(mails: list[EmailMessage], reader: str, ending: str) -> list[EmailMessage]:
    """Those to that reader with a ``List-Id`` that ends so."""
    mine = [mail for mail in mails if str(mail["To"]).startswith(reader)]
    return [mail for mail in mine if (found := LIST_ID.fullmatch(str(mail["List-Id"]))) and found[1].endswith(ending)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "reader", "happens", "stopped", "again"),
    [
        ("invitations.games.club.example", "Cora", Club.invited, "Einladungen zu Turnieren bekommst du", "EINLADUNGEN"),
        ("daily.games.club.example", "Anna", Club.next_day, "Die Sammelmail kommt nicht mehr.", "SAMMELMAIL AN"),
        (".matches.games.club.example", "Cora", Club.moved, "Du schaust nicht mehr zu bei:", "ZUSCHAUEN"),
    ],
)
def test_what_the_header_says_is_so(
    program: Program,
    tmp_path: Path,
    ending: str,
    reader: str,
    happens: Callable[[Club], list[EmailMessage]],
    stopped: str,
    again: str,
) -> None:
    club = Club(program, tmp_path / "club")
    (mail,) = of_list(happens(club), reader, ending)
    said = club.follow(mail)
    assert stopped in said
    assert not of_list(happens(club), reader, ending)
    assert not of_list(happens(club), reader, ending)
    (command,) = (line for line in re.findall(r"»([^«]+)«", said) if line.startswith(again))
    club.write(reader, "games@club.example", command)
    club.tick()
    assert of_list(happens(club), reader, ending), "taken back"


@pytest.mark.slow
def test_who_plays_reads_each_turn_when_the_daily_mail_has_ended(program: Program, tmp_path: Path) -> None:
    club = Club(program, tmp_path / "club")
    (mail,) = of_list(club.next_day(), "Anna", "daily.games.club.example")
    said = club.follow(mail)
    assert "bekommst du stattdessen wieder für jeden Zug eine Mail" in said
    assert f"»AUFGEBEN {club.code}«" in said
    turns = [mail for mail in (*club.moved(), *club.moved()) if str(mail["To"]).startswith("Anna")]
    assert str(turns[-1]["Subject"]).startswith("Du bist am Zug:")
    assert turns[-1]["List-Id"] is None
    assert turns[-1]["List-Unsubscribe"] is None, "the others wait for her"
