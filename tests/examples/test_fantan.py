"""The tenth game, in examples/: a package that knows moderator, and of which nothing here knows.

The conformance run, its page, and docs/build/your-game.md, which shows it, are looked at where it lies, its own tests
are run as its README tells (test_packages.py); its wheel is installed beside moderator's into an environment of its
own, and a match is played there on the real servers, from the deal to the archive.
"""

import importlib
import json
import random
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from moderator.language.messages import translate_move
from moderator.rules.game import State
from tests.chromium import chromium
from tests.e2e.server_club import ServerClub, make_server_club
from tests.examples.packages import ROOT, install, passes
from tests.packages import installed as there
from tests.servers import eventually
from tests.servers.dovecot import Box, Dovecot
from tests.servers.postfix import Postfix
from tests.site.browser.test_zug_vectors import Call, Drawn, Family, compare

FANTAN = ROOT / "examples" / "fantan"
AT_ONCE = ROOT / "templates" / "at-once" / "newgame"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install(folder, FANTAN / "fantan")
    return folder


@pytest.mark.slow
def test_it_passes_what_every_game_must(installed: Path) -> None:
    passes(installed, "fantan", "--quick")


@pytest.mark.matrix("packages of others", seconds=5)
def test_it_passes_all_of_it(installed: Path) -> None:
    passes(installed, "fantan")


def draw_card(_: str, dice: random.Random) -> Drawn:
    """A random table, and a card of a rack that fits or does not; where it is put does not matter."""
    lying = importlib.import_module("fantan.table")
    table = lying.Table(tuple(dice.choice([None, (dice.randint(1, 7), dice.randint(7, 13))]) for _ in "ABCD"))
    free = [card for card in lying.CARDS if card not in table.cards()]
    dice.shuffle(free)
    hands = tuple(tuple(free[n : n + dice.choice([1, 2, 5])]) for n in range(0, 15, 5))
    put = [("put", dice.randrange(52), dice.choice(hands[0]))] if all(hands) else []
    return State(table, hands, (), (0, 0, 0), (0,)), put, "w"


def lay_card(_: object, calls: list[Call], way: str) -> object:
    return importlib.import_module("fantan.rules").Lay(calls[0][2])


@pytest.mark.slow
def test_its_page_allows_forbids_and_counts_what_python_does(installed: Path) -> None:
    with there(installed), chromium() as browser:
        compare(browser, Family("fantan", draw_card, lay_card, "does-not-fit", "out", "does-not-fit"), "fantan")


PAGE = (ROOT / "docs" / "build" / "your-game.md").read_text(encoding="utf-8")
ENDINGS = {"python": ".py", "toml": ".toml", "js": ".js"}


def test_what_is_printed_stands_in_the_example() -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 7
    for kind, block in blocks:
        examples = [*FANTAN.rglob(f"*{ENDINGS[kind]}"), *AT_ONCE.glob("rules.py")]
        files = [file for file in examples if "tests" not in file.relative_to(ROOT).parts]
        assert any(block in file.read_text(encoding="utf-8") for file in files), block


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Of moderator and of the game, each built in its own folder."""
    folder = tmp_path_factory.mktemp("wheels")
    for project in (ROOT, FANTAN):
        words = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(project)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.glob("*.whl"))


@pytest.fixture
def python(wheels: list[Path], tmp_path: Path) -> Path:
    """Of a fresh environment with both wheels. The libraries come from here; this checkout is not on that path."""
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    words = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", *map(str, wheels)]
    subprocess.run(words, check=True, capture_output=True, timeout=600)
    (site,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


class Installed:
    """The program of that environment on the settings of a club with real servers."""

    def __init__(self, python: Path, club: ServerClub) -> None:
        self.python, self.club = python, club

    def __call__(self, *words: str) -> str:
        command = [str(self.python), "-m", "moderator", "--config", str(self.club.file), *words]
        done = subprocess.run(command, cwd=self.club.file.parent, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, ""), f"{words}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def asked(self) -> tuple[str, list[str]] | None:
        """Whose newest mail asks for a move, and the rack that it brings as data; None = nobody's."""
        for name in ("Anna", "Bert"):
            for part in self.club.inbox(name)[-1].walk():
                if part.get_content_type() == "application/vnd.moderator.turn+json":
                    return name, json.loads(part.get_payload(decode=True))["rack"]  # type: ignore[arg-type]
        return None

    def answer(self, name: str, rack: list[str]) -> bool:
        """All cards of the rack, the lowest first: the first that fits is laid."""
        before = {one: len(self.club.inbox(one)) for one in ("Anna", "Bert")}
        cards = sorted(rack, key=lambda card: (int(card[1:]), card))
        words = [translate_move(f"lege {card}", "de", None) for card in cards]
        self.club.reply(name, "\nsonst ".join(words))
        assert eventually(lambda: len(self.club.box.folder("INBOX")) == 1)
        self("tick")
        return eventually(lambda: all(len(self.club.inbox(one)) > count for one, count in before.items()))


@pytest.mark.matrix("packages of others", seconds=5)
@pytest.mark.servers
def test_its_wheel_is_played_by_mail_from_the_deal_to_the_archive(
    python: Path, tmp_path: Path, dovecot: Dovecot, postfix: Postfix, new_box: Callable[[str], Box]
) -> None:
    moderator = Installed(python, make_server_club(tmp_path, dovecot, postfix, new_box))
    where = "import moderator, fantan; print(moderator.__file__, fantan.__file__)"
    assert str(ROOT) not in subprocess.check_output([python, "-c", where], text=True, cwd=tmp_path)
    words = ("match", "add", "fantan", "Anna", "Bert", "--name", "Arratia", "-o", "cards=2", "--start", "--json")
    code = json.loads(moderator(*words))["match"]
    moderator("tick")
    assert eventually(lambda: all(len(moderator.club.inbox(name)) == 1 for name in ("Anna", "Bert")))
    turns = 0
    while (asked := moderator.asked()) is not None:
        assert moderator.answer(*asked)
        turns += 1
        assert turns < 60
    assert turns > 1
    assert json.loads(moderator("match", "show", code, "--json"))["status"] == "finished"
    last = moderator.club.inbox("Anna")[-1].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert any(word in last for word in ("Gewonnen", "Verloren", "Unentschieden")), last
    record = tmp_path / "record.json"
    record.write_text(moderator("export", code), encoding="utf-8")
    moderator("verify", str(record))
    moderator("publish", str(tmp_path / "archive"))
    page = (tmp_path / "archive" / "matches" / f"{code}.html").read_text(encoding="utf-8")
    assert "Fan Tan" in page
    assert (tmp_path / "archive" / "zug" / "fantan.html").exists()
