"""`moderator lexicon …` and `moderator words …`, as an operator types them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from moderator.cli.run import cli
from moderator.errors import ConfigError, LexiconError
from moderator.words.house import SHIPPED, read

CONFIG = """\
[club]
moderator = "boss@club.example"
language = "{language}"
[mail]
address = "games@club.example"
transport = "maildir"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MODERATOR_CONFIG", raising=False)
    (tmp_path / "words.txt").write_text("Haus\nwiederkäuen\nwiederkäute\nKäfig\nUSB\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def configure(folder: Path, language: str = "de") -> None:
    (folder / "moderator.toml").write_text(CONFIG.format(language=language), encoding="utf-8")


def test_build_list_and_check_without_a_configuration(folder: Path) -> None:
    built = run("lexicon", "build", "de", "--from", "words.txt", "--folder", "lex", "--edition", "Testduden")
    assert built.exit_code == 0
    assert "5 words" in built.output
    listed = run("lexicon", "list", "--folder", "lex", "--verify").output.split()
    assert listed[:3] == ["de", "5", "words"]
    assert listed[-1] == "Testduden"
    checked = run("lexicon", "check", "--folder", "lex", "haus", "HUAS", "USB", "KAEFIG", "Café", "MY")
    assert checked.exit_code == 0
    rows = [line.split(maxsplit=2) for line in checked.output.splitlines()]
    assert [(row[0], row[1]) for row in rows] == [
        *(("HAUS", "yes"), ("HUAS", "no"), ("USB", "no"), ("KAEFIG", "no"), ("Café", "no"), ("MY", "yes")),
    ]
    assert "not in the dictionary; Testduden" in rows[1][2]
    assert "KÄFIG" in rows[3][2]


def test_check_speaks_the_clubs_language_and_follows_its_list(folder: Path) -> None:
    configure(folder)
    assert run("lexicon", "build", "--from", "words.txt").exit_code == 0
    assert (folder / "lexicons" / "de.lex").exists()
    assert "nein    steht nicht im Wörterbuch" in run("lexicon", "check", "KÄUTE").output
    assert "Teil des trennbaren Verbs" in run("lexicon", "check", "KÄUTE", "--base", "wiederkäuen").output
    run("words", "rule", "Haus", "deny", "--reason", "nur zur Probe")
    assert "nur zur Probe" in run("lexicon", "check", "HAUS").output
    assert "ja" in run("lexicon", "check", "--policy", "typdom", "KAEFIG").output
    configure(folder, "en")
    assert "no      ruled out by the house list" in run("lexicon", "check", "HAUS").output


def test_check_says_why_a_word_does_not_count_in_typdom(folder: Path) -> None:
    (folder / "verbs.txt").write_text("laufen\nlaufend\nlief\ngelaufen\n", encoding="utf-8")
    assert run("lexicon", "build", "de", "--from", "verbs.txt", "--folder", "lex").exit_code == 0
    checked = run(
        "lexicon", "check", "--folder", "lex", "--policy", "typdom", "LIEF", "GELAUFEN", "AUDI", "GOETHE", "HUAS"
    )
    rows = [line.split(maxsplit=2) for line in checked.output.splitlines()]
    assert [row[1] for row in rows] == ["no"] * 5
    said = ("a form of laufen", "a participle of laufen", "brand names", "family names", "not in the dictionary")
    assert [sentence for sentence, row in zip(said, rows, strict=True) if sentence not in row[2]] == []


def test_rulings_are_entered_and_listed(folder: Path) -> None:
    configure(folder)
    assert "No rulings" in run("words", "list").output
    assert (
        run("words", "rule", "Pola", "allow", "--reason", "Atlas", "--tag", "place", "--scope", "K7Q2").exit_code == 0
    )
    assert "already" in run("words", "rule", "Pola", "allow", "--tag", "place", "--scope", "K7Q2").output
    (ruling,) = read(folder / "house.tsv")
    assert (ruling.word, ruling.ruling, ruling.reason, ruling.scope) == ("Pola", "allow", "Atlas", "K7Q2")
    assert ruling.tags == ("place",)
    assert len(ruling.date) == len("2026-01-31")
    assert run("words", "list").output.split() == ["allow", "Pola", "place;", "Atlas;", f"{ruling.date};", "K7Q2"]
    assert len(run("words", "list", "--shipped").output.splitlines()) == len(read(SHIPPED))


def test_what_is_missing_is_said(folder: Path) -> None:
    assert "Make one" in run("lexicon", "list", "--folder", "lex").output
    with pytest.raises(ConfigError, match="--folder"):
        run("lexicon", "list")
    with pytest.raises(ConfigError, match="init"):
        run("words", "rule", "Haus", "allow")
    with pytest.raises(LexiconError, match="lexicon build de"):
        run("lexicon", "check", "HAUS", "--folder", "lex")
    assert run("words", "rule", "Haus", "perhaps").exit_code == 2
