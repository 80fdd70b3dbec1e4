"""Sources become one file: what is kept, what is marked, and that the bytes are always the same."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.errors import LexiconError
from moderator.match.verdict import EVERYDAY, TWICE
from moderator.words.compiled import Lexicon, metadata, pack, unpack, verify
from moderator.words.kinds import ABBREVIATION, COMMON, INFINITIVE, PARTICIPLE, VERB_FORM, Reading
from moderator.words.letters import key
from moderator.words.sources import build


def lexicon(folder: Path, text: str, name: str = "words.txt", **settings: str) -> Lexicon:
    (folder / name).write_text(text, encoding="utf-8")
    return Lexicon(build("t", [str(folder / name)], folder / "lexicons", **settings))  # type: ignore[arg-type]


def spellings(found: Lexicon, word: str, typdom: bool = False) -> list[tuple[str, int]]:
    return [(reading.spelling, reading.kinds) for reading in found.readings(word, typdom)]


def test_a_plain_list_is_cleaned(tmp_path: Path) -> None:
    text = "# remark\nHaus 17\nTee\nTEE\nusw.\nE-Mail\nCafé\nTamilIn\nx\nStraße\nO\u0308l\n" + "sehr" * 4 + "\n"
    found = lexicon(tmp_path, text)
    assert spellings(found, "HAUS") == [("Haus", 0)]
    assert spellings(found, "TEE") == [("TEE", ABBREVIATION), ("Tee", 0)]
    assert spellings(found, "USW") == [("usw", ABBREVIATION)]
    assert spellings(found, "STRASSE") == [("Straße", 0)]
    assert spellings(found, "ÖL") == [("Öl", 0)]
    assert found.facts.keys == 5


def test_a_list_in_capitals_knows_no_abbreviations(tmp_path: Path) -> None:
    found = lexicon(tmp_path, "AARDVARK\nZEBRA\nQUIZ\n")
    assert spellings(found, "QUIZ") == [("QUIZ", 0)]


def test_a_tanglet_list_is_recognised_and_its_spellings_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "de"
    folder.mkdir()
    text = "AALARTIG\nBAEUME Bäume\nMASSE Masse Maße\nTEE TEE Tee\n"
    (folder / "words").write_bytes(gzip.compress(text.encode()))
    found = Lexicon(build("t", [str(folder / "words")], tmp_path))
    assert found.edition == "tanglet de"
    assert found.facts.language == "de"
    assert spellings(found, "AALARTIG") == [("aalartig", 0)]
    assert spellings(found, "BÄUME") == [("Bäume", COMMON)]
    assert spellings(found, "BAEUME") == []
    assert spellings(found, "BAEUME", typdom=True) == [("Bäume", COMMON)]
    assert [name for name, _ in spellings(found, "MASSE")] == ["Masse", "Maße"]
    assert [name for name, _ in found.section(5, typdom=True)] == []
    assert [name for name, _ in found.section(6, typdom=True)] == ["BAEUME"]


def test_a_hunspell_dictionary_tells_verbs_by_their_stems(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX V Y 4\nSFX V en e en\nSFX V en te en\nSFX V 0 d en\nSFX V 0 der en\nSFX A Y 1\nSFX A 0 e .\n"
    (tmp_path / "de_XX.aff").write_text(aff, encoding="utf-8")
    (tmp_path / "de_XX.dic").write_text("4\nspielen/V\noffen/A\nUSB\nz.B.\n", encoding="utf-8")
    found = Lexicon(build("t", [str(tmp_path / "de_XX.dic")], tmp_path))
    assert found.readings("SPIELEN") == [Reading("spielen", INFINITIVE, "spielen", TWICE | EVERYDAY)]
    assert found.readings("SPIELTE") == [Reading("spielte", VERB_FORM, "spielen", TWICE | EVERYDAY)]
    assert found.readings("SPIELENDER") == [Reading("spielender", PARTICIPLE, "spielen", TWICE)]
    assert found.readings("OFFENE") == [Reading("offene", 0, "offen", TWICE | EVERYDAY)]
    assert spellings(found, "USB") == [("USB", ABBREVIATION)]
    assert spellings(found, "ZB") == [("ZB", ABBREVIATION)]


def test_sources_add_up(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Haus\nMaus\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Maus\nLaus\nHAUS\n", encoding="utf-8")
    labels: list[str] = []
    path = build("t", [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")], tmp_path, step=labels.append)
    facts = metadata(path)
    assert [(source.label, source.forms) for source in facts.sources] == [("a", 2), ("b", 3)]
    assert (facts.forms, facts.keys, facts.edition) == (4, 3, "a, b")
    assert [reading.spelling for reading in Lexicon(path).readings("HAUS")] == ["HAUS", "Haus"]
    assert labels == [str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "t.lex"]


def test_the_same_words_give_the_same_bytes(tmp_path: Path) -> None:
    words = ["Haus", "Öl", "Bäume", "Maße", "Masse", "usw."]
    files = []
    for number, order in enumerate((words, words[::-1])):
        (tmp_path / "w.txt").write_text("\n".join(order), encoding="utf-8")
        files.append(build(f"t{number}", [str(tmp_path / "w.txt")], tmp_path).read_bytes())
    assert files[0] == files[1]


def test_an_edition_is_one_line(tmp_path: Path) -> None:
    found = lexicon(tmp_path, "Haus\n", edition="Duden,\n 28.\tAuflage")
    assert found.edition == "Duden, 28. Auflage"


@given(
    st.lists(
        st.builds(
            Reading,
            st.from_regex(r"\A([A-ZÄÖÜ]?[a-zäöüß]{1,7}|[A-ZÄÖÜẞ]{2,8})\Z"),
            st.integers(0, 2047),
            st.none() | st.from_regex(r"\A[A-ZÄÖÜ]?[a-zäöüß]{0,12}\Z"),
            st.integers(0, 3),
        ),
        max_size=4,
    )
)
def test_readings_survive_packing(readings: list[Reading]) -> None:
    for profile in ("topwords", "typdom"):
        for reading in readings:
            word = key(reading.spelling, profile)  # type: ignore[arg-type]
            assert unpack(word, pack(word, reading) * 2) == [reading, reading]


# ---- files that are missing or damaged ----


def test_a_missing_dictionary_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="moderator lexicon build de --folder") as caught:
        Lexicon(tmp_path / "de.lex")
    assert caught.value.exit_code == 78


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    whole = lexicon(tmp_path, "Haus\nÖl\n").path.read_bytes()
    cut = tmp_path / "cut.lex"
    for length in [*range(0, 400, 7), len(whole) // 2, len(whole) - 1]:
        cut.write_bytes(whole[:length])
        with pytest.raises(LexiconError):
            Lexicon(cut)
    cut.write_bytes(whole + b"x")
    with pytest.raises(LexiconError):
        Lexicon(cut)
    cut.write_bytes(whole.replace(b"MODLEX01", b"MODLEX99", 1))
    with pytest.raises(LexiconError, match="another version"):
        Lexicon(cut)


def test_verify_finds_a_changed_byte_anywhere(tmp_path: Path) -> None:
    path = lexicon(tmp_path, "Haus\nÖl\n").path
    verify(path)
    whole = bytearray(path.read_bytes())
    start = len(whole) - metadata(path).words - metadata(path).typdom
    edition = whole.index(b"words")
    for place in (edition, start + 20, len(whole) - 1):
        changed = whole.copy()
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(LexiconError):
            verify(path)


def test_what_nobody_has_looked_up_is_not_spoken_of(tmp_path: Path) -> None:
    """So files of versions that graded no words keep their fingerprints, and a plain list gives the same bytes."""
    facts = lexicon(tmp_path, "Haus\n").facts
    assert (facts.twice, facts.everyday) == (0, 0)
    assert "twice" not in facts.text()
    assert "twice\t1" in facts._replace(twice=1).text()


@pytest.mark.parametrize("name", ["", "a/b", "ä", ".."])
def test_names_that_are_no_file_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(LexiconError, match="no name"):
        build(name, ["simplemma"], tmp_path)


def test_sources_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("# nothing\n", encoding="utf-8")
    (tmp_path / "x.dic").write_text("1\nHaus\n", encoding="utf-8")
    with pytest.raises(LexiconError, match="no usable words"):
        build("t", [str(tmp_path / "empty.txt")], tmp_path)
    with pytest.raises(LexiconError, match="no word list"):
        build("t", [str(tmp_path / "missing.txt")], tmp_path)
    with pytest.raises(LexiconError, match=r"\.aff"):
        build("t", [str(tmp_path / "x.dic")], tmp_path, form="hunspell")
    with pytest.raises(LexiconError, match="no language 'xx'"):
        build("t", ["simplemma:xx"], tmp_path)
    assert not list(tmp_path.glob("*.lex"))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lexicon(tmp_path, "Haus\n").path
    before = path.read_bytes()

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(LexiconError, match=r"the disk (is full|takes no more)"):
        lexicon(tmp_path, "Maus\n")
    assert [file.name for file in path.parent.iterdir()] == ["t.lex"]
    assert path.read_bytes() == before
