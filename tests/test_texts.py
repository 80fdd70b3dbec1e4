"""What the files of a folder say that players write: in every language alike, and what is wrong with one is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from moderator import texts
from moderator.errors import OperatorError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a program with two languages."""
    monkeypatch.setattr(texts, "LANGUAGES", ("de", "en"))
    german = '[heard]\nall = "alle|für alle"\nnone = ""\ncounts = "zwei = 2|acht = 8"\nlast = "x"\n'
    english = '[heard]\nall = "all"\nnone = "nd|th"\ncounts = "two = 2|acht = 9"\n'
    (tmp_path / "some.messages.de.toml").write_text(german, encoding="utf-8")
    (tmp_path / "some.messages.en.toml").write_text(english, encoding="utf-8")
    return tmp_path


def test_what_counts_in_one_language_counts_in_all(folder: Path) -> None:
    assert texts.heard(folder, "all") == {"alle", "fuer alle", "all"}
    assert texts.said_in(folder, "all") == {"de": ("alle", "fuer alle"), "en": ("all",)}
    all_ = re.compile(texts.pattern(folder, "all"))
    for line, found in (("für alle", "für alle"), ("fuer alle", "fuer alle"), ("alles", "alle"), ("allen", "alle")):
        assert all_.match(line)[0] == found  # type: ignore[index]


def test_a_language_may_have_no_word_for_it(folder: Path) -> None:
    assert texts.heard(folder, "none") == {"nd", "th"}
    assert re.fullmatch(texts.pattern(folder, "none"), "") is None


def test_what_is_missing_is_named_with_its_file(folder: Path) -> None:
    with pytest.raises(OperatorError, match=r"/some\.messages\.en\.toml lacks \[heard\] last"):
        texts.heard(folder, "last")
    with pytest.raises(OperatorError, match=r"/messages\.de\.toml lacks \[heard\] nowhere"):
        texts.heard(folder, "nowhere")


def test_a_word_that_stands_for_two_things_is_named(folder: Path) -> None:
    twice = r"»acht« .*/some\.messages\.de\.toml \[heard\] counts = 8 .*/some\.messages\.en\.toml \[heard\] counts = 9"
    with pytest.raises(OperatorError, match=twice):
        texts.meanings(folder, "counts")


def test_the_word_of_one_language_is_not_the_opposite_in_another(folder: Path) -> None:
    (folder / "some.messages.de.toml").write_text('[heard]\non = "an|ein"\noff = "aus"\n', encoding="utf-8")
    english = folder / "some.messages.en.toml"
    english.write_text('[heard]\non = "on"\noff = "off"\n', encoding="utf-8")
    assert texts.apart(folder, "on", "off") == ({"an", "ein", "on"}, {"aus", "off"})
    texts.parsed.cache_clear()
    texts.heard.cache_clear()
    english.write_text('[heard]\non = "on"\noff = "off|an"\n', encoding="utf-8")
    twice = r"»an« .*/some\.messages\.de\.toml \[heard\] on .*/some\.messages\.en\.toml \[heard\] off"
    with pytest.raises(OperatorError, match=twice):
        texts.apart(folder, "on", "off")


def test_a_file_that_is_no_toml_is_named(folder: Path) -> None:
    (folder / "other.messages.de.toml").write_text("[heard\n", encoding="utf-8")
    with pytest.raises(OperatorError, match=r"other\.messages\.de\.toml cannot be read"):
        texts.heard(folder, "all")


def test_letters_are_compared_without_their_accents() -> None:
    for written in ("PROBLÈME", "problème", "Probleme", "proble\u0300me"):
        assert texts.plain(written) == "probleme"
    assert texts.plain("J’ai  reçu\u00a0l’œuvre") == "j'ai recu l'oeuvre"
    assert texts.plain("Grüße") == "gruesse"
    assert texts.plain("¿Señor?") == "¿senor?"


def test_no_line_ends_before_what_belongs_to_a_word() -> None:
    french = "Écris « E5 w HAUS » : c’est tout ! Vraiment ? Oui ; (« non »)."
    assert texts.typeset(french).replace("\u00a0", "~") == (
        "Écris «~E5 w HAUS~»~: c’est tout~! Vraiment~? Oui~; («~non~»)."
    )
    for other in ("»E5 w HAUS« und »C3 s MOND« (2. Zug): los!", "▼ unten), ? = noch keine", "a “b”: c; d?"):
        assert texts.typeset(other) == other


@pytest.mark.parametrize("name", ["Forêt d’été", "Œuvre Grüße", "Straße nach Åbo", "Zürich 2"])
def test_a_name_is_found_as_it_is_written_and_as_it_is_compared(name: str) -> None:
    for part in re.findall(r"[^\W\d_]+", name):
        found = re.compile(texts.spellings(texts.plain(part)), re.IGNORECASE)
        for written in (part, part.upper(), texts.plain(part)):
            assert found.fullmatch(written), (written, found.pattern)
