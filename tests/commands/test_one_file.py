"""A new command is one new file: it stands in the help, is read in both languages, done and answered for, and the
command line has it, without an entry anywhere else."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlmodel import select

from moderator.commands import declaration
from moderator.language import messages
from moderator.store.audit import Audit
from moderator.store.key_values import ensure_moderator_token
from tests.cli.running import run_command
from tests.club.club import Club, club_of, text

VOUCHED = "mx.club.example; dmarc=pass header.from=home.example"
TINY = Path(__file__).parent / "tiny"


@pytest.fixture
def club(tmp_path: Path) -> Club:
    return club_of(tmp_path / "club", "Anna", "Bert", "Cora", Cora="en")


@pytest.fixture(autouse=True)
def two_more_files() -> Iterator[None]:
    """The files are there while a test runs, as if they lay in commands/player and commands/moderator."""
    declaration.get_player_commands(), declaration.get_staff_commands()
    with pytest.MonkeyPatch.context() as patch:
        before = {who: dict(table) for who, table in declaration._declared.items()}
        patch.setattr(declaration, "_declared", before)
        patch.setattr(messages, "FOLDERS", (*messages.FOLDERS, str(TINY)))
        _forget()
        for file in TINY.glob("*.py"):
            spec = importlib.util.spec_from_file_location(file.stem, file)
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
        yield
    _forget()


def _forget() -> None:
    declaration._sort_commands.cache_clear()
    messages._load_sentences.cache_clear()


def answer(club: Club, name: str, body: str) -> str:
    club.say(name, body, Authentication_Results=VOUCHED)
    return " ".join(text(club.mail(name)).split())


def boss(club: Club, body: str) -> str:
    with club.work() as work:
        to = f"games+BOSS-{ensure_moderator_token(work.session)}@club.example"
    club.say("boss@club.example", body, to=to)
    return " ".join(text(club.mail("boss@club.example")).split())


def logged(club: Club) -> list[tuple[str, str, str]]:
    return [(row.by, row.action, row.outcome) for row in club.stored(select(Audit).order_by(Audit.id))]


def test_a_players_command(club: Club) -> None:
    assert "»JUBELN« · du jubelst, so oft" in answer(club, "Anna", "Hilfe alles")
    assert "“CHEER” you cheer, as often" in answer(club, "Cora", "help all")
    for line in ("Jubeln 3", "HURRA RUFEN: 3", "cheer 3!", "jubeln  3."):
        assert "Anna jubelt: 3 Hurras." in answer(club, "Anna", line), line
    assert "Anna jubelt: 1 Hurra." in answer(club, "Anna", "jub")
    assert "Cora cheers: 2 hurrahs." in answer(club, "Cora", "cheer 2")
    refused = answer(club, "Anna", "Jubeln 10")
    assert "Das ist zu viel Jubel." in refused
    assert "Jubeln 3" in refused
    assert logged(club)[-2:] == [("player", "cheer", ""), ("player", "cheer", "cheer-too-often")]


def test_a_moderators_command(club: Club) -> None:
    code = club.start("Anna", "Bert")
    club.mails()
    assert "»Grüßen K7Q2 Anna: Text« grüßt Anna." in boss(club, "Hilfe")
    assert "»Hilfe«" in boss(club, "wer fehlt\nso ein Tag, so wunderschön wie heute")
    for line in (f"Gruessen {code} Anna: Moin", f"GREET {code} anna: Moin", f"grüß {code} Ann: Moin"):
        assert f"Anna aus der Partie {code} ist gegrüßt mit »Moin«." in boss(club, line), line
    refused = boss(club, f"hail {code} Anna")
    assert "Wie soll der Gruß lauten?" in refused
    assert "Grüßen K7Q2 Anna: Moin" in refused
    assert logged(club)[-2:] == [("moderator", "greet", ""), ("moderator", "greet", "greet-how")]


def test_the_same_on_the_command_line(club: Club) -> None:
    code = club.start("Anna", "Bert")

    def run(*words: str) -> str:
        done = run_command(club, "match", *words)
        return done.output if done.exit_code == 0 else str(done.exception)

    assert "Say hello to PLAYER." in run("greet", "--help")
    assert f"Anna of match {code} is greeted with “hello”." in run("greet", code, "Anna", "--why", "hello")
    assert run("greet", code, "Anna") == "What shall the greeting say? See `moderator match greet --help`."
    assert "There is no match" in run("greet", "Z9ZZ", "Anna")
