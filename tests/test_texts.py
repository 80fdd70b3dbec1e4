"""What the files of a folder say that players write: in every language alike, and what is wrong with one is told."""

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

import moderator
from moderator.common import message_files
from moderator.common.errors import OperatorError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a program with two languages."""
    monkeypatch.setattr(message_files, "LANGUAGES", ("de", "en"))
    german = '[heard]\nall = "alle|für alle"\nnone = ""\ncounts = "zwei = 2|acht = 8"\nlast = "x"\n'
    english = '[heard]\nall = "all"\nnone = "nd|th"\ncounts = "two = 2|acht = 9"\n'
    (tmp_path / "some.messages.de.toml").write_text(german, encoding="utf-8")
    (tmp_path / "some.messages.en.toml").write_text(english, encoding="utf-8")
    return tmp_path


def test_what_counts_in_one_language_counts_in_all(folder: Path) -> None:
    assert message_files.load_synonyms(folder, "all") == {"alle", "fuer alle", "all"}
    assert message_files.load_words_by_language(folder, "all") == {"de": ("alle", "fuer alle"), "en": ("all",)}
    all_ = re.compile(message_files.load_word_pattern(folder, "all"))
    for line, found in (("für alle", "für alle"), ("fuer alle", "fuer alle"), ("alles", "alle"), ("allen", "alle")):
        assert all_.match(line)[0] == found  # type: ignore[index]
    # A language may have no word for it.
    assert message_files.load_synonyms(folder, "none") == {"nd", "th"}
    assert re.fullmatch(message_files.load_word_pattern(folder, "none"), "") is None


def test_what_is_missing_or_no_toml_is_named_with_its_file(folder: Path) -> None:
    with pytest.raises(OperatorError, match=r"/some\.messages\.en\.toml lacks \[heard\] last"):
        message_files.load_synonyms(folder, "last")
    with pytest.raises(OperatorError, match=r"/messages\.de\.toml lacks \[heard\] nowhere"):
        message_files.load_synonyms(folder, "nowhere")
    (folder / "other.messages.de.toml").write_text("[heard\n", encoding="utf-8")
    message_files.load_message_files.cache_clear()
    with pytest.raises(OperatorError, match=r"other\.messages\.de\.toml cannot be read"):
        message_files.load_synonyms(folder, "all")


def test_a_word_that_stands_for_two_things_is_named(folder: Path) -> None:
    twice = r"»acht« .*/some\.messages\.de\.toml \[heard\] counts = 8 .*/some\.messages\.en\.toml \[heard\] counts = 9"
    with pytest.raises(OperatorError, match=twice):
        message_files.load_meanings(folder, "counts")


def test_the_word_of_one_language_is_not_the_opposite_in_another(folder: Path) -> None:
    (folder / "some.messages.de.toml").write_text('[heard]\non = "an|ein"\noff = "aus"\n', encoding="utf-8")
    english = folder / "some.messages.en.toml"
    english.write_text('[heard]\non = "on"\noff = "off"\n', encoding="utf-8")
    assert message_files.load_distinct_words(folder, "on", "off") == ({"an", "ein", "on"}, {"aus", "off"})
    message_files.load_message_files.cache_clear()
    message_files.load_synonyms.cache_clear()
    english.write_text('[heard]\non = "on"\noff = "off|an"\n', encoding="utf-8")
    twice = r"»an« .*/some\.messages\.de\.toml \[heard\] on .*/some\.messages\.en\.toml \[heard\] off"
    with pytest.raises(OperatorError, match=twice):
        message_files.load_distinct_words(folder, "on", "off")


def test_letters_are_compared_without_their_accents() -> None:
    for written in ("PROBLÈME", "problème", "Probleme", "proble\u0300me"):
        assert message_files.normalize_spelling(written) == "probleme"
    assert message_files.normalize_spelling("J’ai  reçu\u00a0l’œuvre") == "j'ai recu l'oeuvre"
    assert message_files.normalize_spelling("Grüße") == "gruesse"
    assert message_files.normalize_spelling("¿Señor?") == "¿senor?"


def test_no_line_ends_before_what_belongs_to_a_word() -> None:
    french = "Écris « E5 w HAUS » : c’est tout ! Vraiment ? Oui ; (« non »)."
    assert message_files.typeset_sentence(french).replace("\u00a0", "~") == (
        "Écris «~E5 w HAUS~»~: c’est tout~! Vraiment~? Oui~; («~non~»)."
    )
    for other in ("»E5 w HAUS« und »C3 s MOND« (2. Zug): los!", "▼ unten), ? = noch keine", "a “b”: c; d?"):
        assert message_files.typeset_sentence(other) == other


def test_a_name_is_found_as_it_is_written_and_as_it_is_compared() -> None:
    for part in re.findall(r"[^\W\d_]+", "Forêt d’été Œuvre Grüße Straße nach Åbo Zürich"):
        found = re.compile(message_files.build_spelling_pattern(message_files.normalize_spelling(part)), re.IGNORECASE)
        for written in (part, part.upper(), message_files.normalize_spelling(part)):
            assert found.fullmatch(written), (written, found.pattern)


def test_no_german_sentence_guesses_whether_a_player_is_a_man() -> None:
    guess = re.compile(r"\bals (?:Einzige|Erste|Zweite|Nächste|Letzte)r\b", re.IGNORECASE)
    files = sorted(Path(moderator.__file__).parent.rglob("*messages.de.toml"))
    assert len(files) > 10
    assert [(file.name, hit[0]) for file in files if (hit := guess.search(file.read_text(encoding="utf-8")))] == []


def test_english_says_deadline_and_not_what_germans_call_it() -> None:
    files = sorted(Path(moderator.__file__).parent.rglob("*messages.en.toml"))
    said = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if "ZAT" in line]
    assert said == []


def test_what_is_kept_of_a_file_is_read_until_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    file = tmp_path / "messages.en.toml"
    for number, said in enumerate(("one", "other", "third")):
        file.write_text(f'a = "{said}"', encoding="utf-8")
        os.utime(file, ns=(number, number))
        for _ in range(2):
            message_files.load_message_files.cache_clear()
            assert message_files.load_message_files(tmp_path, "en") == {file: {"a": said}}
    (kept,) = (tmp_path / "__pycache__").iterdir()
    for damaged in (b"", kept.read_bytes()[:-3], b"\0"):
        kept.write_bytes(damaged)
        message_files.load_message_files.cache_clear()
        assert message_files.load_message_files(tmp_path, "en") == {file: {"a": "third"}}
    monkeypatch.setattr(tomllib, "loads", pytest.fail)
    message_files.load_message_files.cache_clear()
    assert message_files.load_message_files(tmp_path, "en") == {file: {"a": "third"}}
