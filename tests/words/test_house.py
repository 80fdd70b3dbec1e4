"""House lists: what a line rules on, which line wins, and that rulings are never lost."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from threading import Thread

import pytest

from moderator.errors import LexiconError
from moderator.words.house import GENITIVE, HEADER, SHIPPED, SPLIT, HouseList, Ruling, append, as_line, open_list, read
from moderator.words.kinds import KINDS, TAGS


def write(folder: Path, text: str) -> Path:
    path = folder / "house.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_columns_and_bare_words(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "\ufeff# remark\n\nPola\nixte\tausixen\tsplit, verb\tallow\tseed, page 4\t2026-01-31\tK7Q2\n  Tee \t\t\tdeny\n",
    )
    assert read(path) == [
        Ruling("Pola", "allow"),
        Ruling("ixte", "allow", "ausixen", ("split", "verb"), "seed, page 4", "2026-01-31", "K7Q2"),
        Ruling("Tee", "deny"),
    ]
    assert read(tmp_path / "none.tsv") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Café", "'É'"),
        ("E-Mail\t\t\tallow", "'-'"),
        ("Haus\t\t\tperhaps", "allow or deny"),
        ("\t\t\tallow", "no word"),
        ("ixte\t\tsplit\tallow", "not named"),
        ("a\tb\tc\tallow\te\tf\tg\th", "8 columns"),
        ("Haus allow", "' '"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    path = write(tmp_path, f"Gut\n{line}\n")
    for reader in (read, lambda p: open_list(p, "topwords")):
        with pytest.raises(LexiconError) as caught:
            reader(path)
        assert f"{path}:2" in str(caught.value)
        assert said in str(caught.value)


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "house.tsv"
    path.write_bytes("Öl\n".encode("latin-1"))
    with pytest.raises(LexiconError, match="UTF-8"):
        read(path)


def latest(text: str, word: str, *scopes: str) -> list[str]:
    return [f"{r.word} {r.ruling}" for r in HouseList("t", text, "topwords", scopes).latest(word)]


def test_the_newest_ruling_on_a_spelling_wins() -> None:
    text = "Tee\t\t\tallow\nTEE\t\t\tdeny\n=TEE\t\t\tallow\ntee\t\t\tdeny\ntee\t\t\tallow"
    assert latest("Tee\t\t\tdeny\nTee\t\t\tallow", "TEE") == ["Tee allow"]
    assert latest(text, "TEE") == ["=TEE allow", "tee allow", "TEE deny"]
    assert latest(text, "TE") == latest(text, "TEES") == []


def test_scopes() -> None:
    text = "Abc\t\t\tallow\t\t\tall\nAbd\t\t\tallow\t\t\tK7Q2\nAbe\t\t\tallow\t\t\ttopwords"
    assert latest(text, "ABC") == ["Abc allow"]
    assert latest(text, "ABD") == latest(text, "ABE") == latest(text, "ABD", "XXXX") == []
    assert latest(text, "ABD", "K7Q2") == ["Abd allow"]
    assert latest(text, "ABE", "K7Q2", "topwords") == ["Abe allow"]


def test_typdom_keys() -> None:
    listed = HouseList("t", "Öl\t\t\tallow\n=ÄH\t\t\tdeny\nStraße", "typdom")
    assert [r.word for r in listed.latest("OEL")] == ["Öl"]
    assert [r.word for r in listed.latest("AEH")] == ["=ÄH"]
    assert listed.words() == ["OEL", "AEH", "STRASSE"]


def test_a_names_line_may_hold_for_its_genitive() -> None:
    listed = HouseList("t", "Anna\t\tfirst,s\tallow\nBruno\t\tfirst\tallow\nEVA\t\ts\tdeny\nAnnas\t\t\tdeny", "typdom")
    assert [(r.word, r.base, r.ruling) for r in listed.rulings("ANNAS")] == [
        *(("Annas", "Anna", "allow"), ("Annas", "", "deny")),
    ]
    assert [(r.word, r.ruling) for r in listed.latest("ANNAS")] == [("Annas", "deny")]
    assert [(r.spelling, r.ruling) for r in listed.latest("EVAS")] == [(None, "deny")]
    assert listed.latest("BRUNOS") == []
    assert sorted(listed.words()) == ["ANNA", "ANNAS", "ANNAS", "BRUNO", "EVA", "EVAS"]


# ---- appending ----


def test_append_makes_the_file_and_keeps_what_stands_in_it(tmp_path: Path) -> None:
    path = tmp_path / "club" / "house.tsv"
    first = Ruling("HUGO", "deny", "", ("first",), "  Vorname\tund\nso ", "2026-01-31")
    assert append(path, first)
    assert path.read_text(encoding="utf-8").startswith(HEADER)
    assert read(path) == [first._replace(reason="Vorname und so")]
    with path.open("a", encoding="utf-8") as stream:
        stream.write("Pola")  # by hand, without an end of line
    assert append(path, Ruling("O\u0308l", "allow"))
    assert [ruling.word for ruling in read(path)] == ["HUGO", "Pola", "Öl"]


def test_the_same_ruling_is_entered_once(tmp_path: Path) -> None:
    path = tmp_path / "house.tsv"
    assert append(path, Ruling("HUGO", "deny", reason="a"))
    assert not append(path, Ruling("HUGO", "deny", reason="b"))
    assert append(path, Ruling("HUGO", "deny", scope="K7Q2"))
    assert append(path, Ruling("HUGO", "allow"))
    assert append(path, Ruling("HUGO", "deny"))
    assert [ruling.ruling for ruling in read(path)] == ["deny", "deny", "allow", "deny"]


@pytest.mark.parametrize("word", ["", "Café", "a b", "#x"])
def test_no_line_is_written_that_could_not_be_read(tmp_path: Path, word: str) -> None:
    with pytest.raises(LexiconError):
        append(tmp_path / "house.tsv", Ruling(word, "allow"))
    assert not (tmp_path / "house.tsv").exists()


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "house.tsv"
    append(path, Ruling("anfang", "allow"))
    letters = "abcdefghijklmnopqrst"

    def write_all(first: str) -> None:
        for second in letters:
            append(path, Ruling(first + second, "allow"))

    writers = [Thread(target=write_all, args=(first,)) for first in "xy"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(r.word for r in read(path)[1:]) == sorted(a + b for a in "xy" for b in letters)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LexiconError, match="Cannot"):
        append(tmp_path / "file" / "house.tsv", Ruling("Haus", "allow"))


# ---- the list that ships ----


def test_the_shipped_list_is_tidy() -> None:
    text = Path(SHIPPED).read_text(encoding="utf-8")
    assert text == unicodedata.normalize("NFC", text)
    rulings = read(SHIPPED)
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    assert [as_line(ruling).split("\t")[:4] for ruling in rulings] == [
        (line + "\t\t\t").split("\t")[:4] for line in lines
    ]
    spellings = [ruling.word for ruling in rulings]
    assert len(set(spellings)) == len(spellings)
    assert all(ruling.tags and set(ruling.tags) <= {*TAGS, SPLIT, GENITIVE} for ruling in rulings)
    assert {ruling.scope for ruling in rulings} == {"all", "typdom"}
    assert not [ruling.word for ruling in rulings if GENITIVE in ruling.tags and ruling.word[-1] in "sxzß"]


def test_the_shipped_list_is_read_fast_and_slowly_alike() -> None:
    for policy in ("topwords", "typdom"):
        fast = open_list(SHIPPED, policy, [policy])
        for ruling in read(SHIPPED):
            assert (ruling in fast.rulings(ruling.key(policy))) == (ruling.scope in ("all", policy))


def test_the_shipped_list_tags_what_policies_ask_for() -> None:
    kinds = dict.fromkeys(KINDS, 0)
    for ruling in read(SHIPPED):
        for tag in ruling.tags:
            for name, bit in KINDS.items():
                kinds[name] += bool(TAGS.get(tag, 0) & bit)
    assert kinds["first-name"] >= 150
    assert kinds["place"] >= 300
    assert kinds["brand"] >= 20
    assert kinds["abbreviation"] >= 50
