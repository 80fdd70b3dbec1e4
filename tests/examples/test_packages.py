"""Packages that somebody writes as we tell: ``moderator game new NAME`` writes a game that plays; what a README of a
game tells to type is done as it stands there; the transport of docs/build/transports.md is
built as the page prints it, and registered. (Other tests write down by hand what pip would.)"""

import importlib
import json
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from moderator import __version__, games
from moderator.language.messages import render_label
from moderator.mail.settings import TRANSPORTS
from moderator.mail.transports import open_mailbox
from moderator.rules.game import State
from moderator.rules.records.record import parse_record_text, verify_record
from moderator.settings import load_config
from moderator.views.loaded_match import build_match_record
from tests.chromium import chromium
from tests.cli.running import refuse_command, type_command
from tests.club.club import club_of, make_club, text
from tests.examples.packages import ROOT, install, own_tests, passes, run
from tests.packages import installed
from tests.site.browser.test_zug_vectors import Call, Drawn, Family, compare


def written(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> Path:
    """What the command writes, and where it is installed."""
    monkeypatch.chdir(folder)
    assert f"{name}/ is written" in type_command(None, "game", "new", name, *options)
    (folder / "site").mkdir()
    install(folder / "site", folder / name / name)
    return folder / "site"


LOOKED_AT = ("wortkreis", "abcdefghijklmnopqrst")
"""What depends on the name is how long it is."""
NAMES = ["wortkreis", "q7", "new", "start", "abcdefghijklmnopqrst"]


@pytest.mark.matrix("packages of others", seconds=5)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_passes_and_names_nothing_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = written(name, tmp_path, monkeypatch)
    own_tests(site, tmp_path / name / "tests")
    if name in LOOKED_AT:
        passes(site, name, "--quick")
    for file in (tmp_path / name).rglob("*.*"):
        if file.is_file() and file.suffix != ".pyc":
            assert "newgame" not in f"{file} {file.read_text(encoding='utf-8')}".lower().replace(" ", "")
    (line,) = [json.loads(line) for line in run(site, "-m", "moderator", "game", "list", "--json").splitlines()[9:]]
    assert (line["game"], line["package"], line["version"]) == (name, f"moderator-{name}", "1.0")
    assert (line["seats"], line["trouble"]) == ([2, 4], None)


@pytest.mark.matrix("packages of others", seconds=20)
def test_a_game_in_which_all_act_at_once_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = written("auktion", tmp_path, monkeypatch, "--at-once")
    own_tests(site, tmp_path / "auktion" / "tests")
    passes(site, "auktion", "--quick", left_out=["page"])


def test_a_match_in_which_all_act_at_once_is_played_by_mail_and_its_record_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As somebody who has typed nothing but the game's name: three rounds, one of them without a mail of Bert's."""
    with installed(written("auktion", tmp_path, monkeypatch, "--at-once")):
        club = club_of(tmp_path / "club", "Anna", "Bert", Anna="en")
        code = club.start("Anna", "Bert", game="auktion", cards=3)
        assert render_label("pace-at-once", "en") in text(club.mail("anna"))
        for number, bids in enumerate((("bid 1", "biete 3"), ("bid 2", ""), ("bid 3", "biete 2")), start=1):
            state = club.live(code).table.state
            assert (state.to_move, state.public.round) == ((0, 1), number)
            for seat, bid in enumerate(filter(None, bids)):
                club.hand_in(("Anna", "Bert")[seat], code, seat, bid)
            final = club.row(code).final
            assert final is not None
            club.let_pass(seconds=(final - club.now).total_seconds() + 7200)
        assert club.row(code).status == "finished"
        assert club.live(code).table.state.public.bids == (("1", "2", "3"), ("3", "1", "2"))
        with club.at(code) as (work, match):
            record = json.loads(json.dumps(build_match_record(work.session, match, ["Anna", "Bert"])))
        assert verify_record(parse_record_text(json.dumps(record), games.load_game))["ok"]
    assert [move["text"] for move in record["moves"] if "text" in move] == [
        "biete 1", "biete 3", "biete 2", "biete 3", "biete 2",
    ]  # fmt: skip


def draw_letter(key: str, dice: random.Random) -> Drawn:
    rules = importlib.import_module(f"{key}.rules")
    board = "".join(dice.choice("ABCDE..") for _ in rules.SQUARES)
    hand = tuple(dice.choices("ABCDE", k=3))
    state = State(rules.Public(board), (hand, ("A",)), ("B",), (0, 0), (0,))
    return state, [("put", dice.randrange(len(rules.SQUARES)), dice.choice(hand))], "w"


def lay_letter(_: object, calls: list[Call], way: str) -> object:
    rules, (_, square, letter) = importlib.import_module("wortkreis.rules"), calls[0]
    return rules.Lay(letter, rules.SQUARES[square])


@pytest.mark.slow
def test_its_page_allows_forbids_and_counts_what_python_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    family = Family("wortkreisBoard", draw_letter, lay_letter, "taken", "", "taken")
    with installed(written("wortkreis", tmp_path, monkeypatch)), chromium() as browser:
        compare(browser, family, "wortkreis")


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["../wo", "/tmp/wo", "", "w", "Wortkreis", "wort kreis", "wörter", "class", "a" * 21, "x\ny"],
         "cannot be the name"),
        (["topwords"], "There is a game"),
        (["json", "moderator", "pytest"], "There is a Python module"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused_in_one_line(names: list[str], why: str) -> None:
    for name in names:
        assert why in refuse_command(None, "game", "new", name)


def test_what_is_there_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wortkreis").mkdir()
    assert "there is a folder or file of that name" in refuse_command(None, "game", "new", "wortkreis")
    assert list((tmp_path / "wortkreis").iterdir()) == []


def test_our_own_are_listed_and_one_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(games.REGISTRY.others, "weg", "weg.rules:GAME")
    lines = [json.loads(line) for line in type_command(None, "game", "list", "--json").splitlines()]
    assert [line["game"] for line in lines] == [*games.OWN, "weg"]
    assert {(line["package"], line["version"], line["trouble"]) for line in lines[:-1]} == {
        ("moderator", __version__, None)
    }
    assert lines[-1]["seats"] is None
    assert "weg" in lines[-1]["trouble"]
    assert "  2–99  " in type_command(None, "game", "list")


def commands(readme: Path) -> Iterator[list[str]]:
    """The indented lines, without what is remarked behind them."""
    for line in re.findall(r"^    (\S.*)$", readme.read_text(encoding="utf-8"), re.MULTILINE):
        yield shlex.split(line, comments=True)


def done(words: list[str], key: str, site: Path, here: Path, club: Path) -> None:
    """``here``: where one types it. Installed it is already, as pip would (tests/examples/test_fantan.py builds it)."""
    match words:
        case ["pip", "install", *_, folder]:
            assert (here / folder / "pyproject.toml").is_file()
        case ["python", "-m", "moderator.conformance", name]:
            assert "1 checks, 0 failed" in run(site, "-m", "moderator.conformance", name, "--only", "declared")
        case ["python", "-m", "pytest", folder]:
            own_tests(site, here / folder)
        case ["moderator", "match", "add", *more]:
            said = run(site, "-m", "moderator", "--config", str(club), "match", "add", *more)
            assert "is dealt" in said
        case _:
            pytest.fail(f"nobody tried {words} of {key}")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["fantan", "wortkreis"])
def test_what_a_readme_tells_to_type(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, here = ROOT / "examples" / key, ROOT
    if key == "wortkreis":
        written(key, tmp_path, monkeypatch)
        project = here = tmp_path / key
    else:
        (tmp_path / "site").mkdir()
        install(tmp_path / "site", project / key)
    club = club_of(tmp_path / "club", "Anna", "Bert")
    typed = list(commands(project / "README.md"))
    assert len(typed) == 4
    for words in typed:
        done(words, key, tmp_path / "site", here, club.config.file)


def built(page: str, module: str, source: str, folder: Path) -> Path:
    """A folder for the path, with the package in it, installed as the page says."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert f"`pip install ./{module}`" in text
    project = folder / module
    project.mkdir(parents=True)
    for file, mark in ((f"{module}.py", source), ("pyproject.toml", "its pyproject")):
        found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", text, re.DOTALL)
        assert found
        (project / file).write_text(found[1], encoding="utf-8")
    words = ["pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(folder / "site")]
    done = subprocess.run(
        [sys.executable, "-m", *words, f"./{module}"], cwd=folder, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.mark.matrix("packages of others", seconds=3)
def test_the_transport(tmp_path: Path) -> None:
    with installed(built("build/transports.md", "emlfiles", "the transport", tmp_path)):
        assert TRANSPORTS.others == {"eml": "emlfiles:TRANSPORT"}
        club = make_club(tmp_path / "club")
        text = club.config.file.read_text(encoding="utf-8").replace('"maildir"', '"eml"')
        club.config.file.write_text(text, encoding="utf-8")
        with open_mailbox(load_config(club.config.file)) as box:
            assert box.waiting() == 0
        assert (club.folder / "eml" / "in").is_dir()
