"""Affixes as hunspell(5) describes them, each on a dictionary of a few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from moderator.errors import LexiconError
from moderator.words.hunspell import expand


def forms(folder: Path, aff: str, dic: str, encoding: str = "utf-8") -> set[str]:
    (folder / "t.aff").write_bytes(aff.encode(encoding))
    (folder / "t.dic").write_bytes(f"{len(dic.split())}\n{dic}".encode(encoding))
    return {form for form, *_ in expand(folder / "t.dic")}


def test_suffixes_strip_add_and_ask_for_an_ending(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX P Y 3\nSFX P 0 s [^ye]\nSFX P y ies [^aeiou]y\nSFX P 0 n e\n"
    assert forms(tmp_path, aff, "wort/P\nbaby/P\nboy/P\nHase/P\n") == {
        *("wort", "worts", "baby", "babies", "boy", "Hase", "Hasen"),
    }


def test_cross_products_only_where_both_sides_say_yes(tmp_path: Path) -> None:
    aff = "PFX U Y 1\nPFX U 0 un .\nPFX N N 1\nPFX N 0 nix .\nSFX E Y 1\nSFX E 0 e .\nSFX F N 1\nSFX F 0 f .\n"
    assert forms(tmp_path, aff, "schön/UNEF\n", "iso8859-1") == {
        *("schön", "unschön", "nixschön", "schöne", "unschöne", "schönf"),
    }


def test_a_suffix_may_bring_a_second_suffix_and_a_prefix(tmp_path: Path) -> None:
    aff = (
        "SET UTF-8\nPFX U Y 1\nPFX U 0 un .\n"
        "SFX A Y 1\nSFX A 0 bar/BU .\nSFX B Y 2\nSFX B 0 keit .\nSFX B 0 e .\nSFX C Y 1\nSFX C 0 zzz .\n"
    )
    assert forms(tmp_path, aff, "les/A\n") == {
        *("les", "lesbar", "lesbarkeit", "lesbare", "unlesbar", "unlesbarkeit", "unlesbare"),
    } - {"unlesbarkeit", "unlesbare"}  # the prefix comes with the first suffix only


def test_a_prefix_may_bring_a_suffix(tmp_path: Path) -> None:
    aff = "PFX G Y 1\nPFX G 0 ge/T .\nSFX T Y 1\nSFX T 0 t .\n"
    assert forms(tmp_path, aff, "spiel/G\n") == {"spiel", "gespiel", "gespielt"}


def test_need_affix_only_in_compound_and_forbidden_words(tmp_path: Path) -> None:
    aff = "NEEDAFFIX h\nONLYINCOMPOUND o\nFORBIDDENWORD d\nSFX S Y 2\nSFX S 0 s .\nSFX S 0 x/o .\n"
    aff += "SFX H Y 1\nSFX H 0 q/Sh .\n"
    assert forms(tmp_path, aff, "Stamm/hS\nnur/oS\nfalsch/Sd\nfalschs\ngut\nweit/H\n") == {
        *("Stamms", "gut", "weit", "weitqs"),
    }


def test_circumfix_needs_both_ends(tmp_path: Path) -> None:
    aff = "CIRCUMFIX X\nPFX A Y 1\nPFX A 0 leg/X .\nPFX B Y 1\nPFX B 0 legesleg/X .\n"
    aff += "SFX C Y 3\nSFX C 0 obb .\nSFX C 0 obb/AX .\nSFX C 0 obb/BX .\n"
    assert forms(tmp_path, aff, "nagy/C\n") == {"nagy", "nagyobb", "legnagyobb", "legeslegnagyobb"}


@pytest.mark.parametrize(
    ("kind", "flags", "rule"),
    [
        ("", "aB", "B"),
        ("FLAG UTF-8\n", "äß", "ß"),
        ("FLAG long\n", "aaBb", "Bb"),
        ("FLAG num\n", "7,1021", "1021"),
    ],
)
def test_flag_types(tmp_path: Path, kind: str, flags: str, rule: str) -> None:
    assert forms(tmp_path, f"SET UTF-8\n{kind}SFX {rule} Y 1\nSFX {rule} 0 e .\n", f"Tag/{flags}\n") == {"Tag", "Tage"}


@pytest.mark.parametrize("kind", ["", "FLAG num\n"])
def test_aliases_of_flags(tmp_path: Path, kind: str) -> None:
    first, second = ("1", "2") if kind else ("A", "B")
    aff = f"{kind}AF 2\nAF {first}\nAF {first}{',' if kind else ''}{second} # both\n"
    aff += f"SFX {first} Y 1\nSFX {first} 0 e .\nSFX {second} Y 1\nSFX {second} 0 s/1 .\n"
    assert forms(tmp_path, aff, "Tag/1\nHut/2\n") == {"Tag", "Tage", "Hut", "Hute", "Huts", "Hutse"}


@pytest.mark.parametrize(("name", "encoding"), [("ISO8859-1", "latin-1"), ("UTF-8", "utf-8-sig"), ("KOI8-R", "koi8-r")])
def test_encodings(tmp_path: Path, name: str, encoding: str) -> None:
    word = "дом" if encoding == "koi8-r" else "Öl"
    assert forms(tmp_path, f"SET {name}\nSFX E Y 1\nSFX E 0 e .\n", f"{word}/E\n", encoding) == {word, f"{word}e"}


def test_morphology_spaces_and_slashes_in_a_line(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX E Y 1\nSFX E 0 e .\n"
    dic = "Tag/E po:noun\nHut\tpo:noun\nnach Hause\nkm\\/h\n"
    assert forms(tmp_path, aff, dic) == {"Tag", "Tage", "Hut", "nach Hause", "km/h"}


@pytest.mark.parametrize(
    ("aff", "fix"),
    [("SET UTF-8\nSFX A Y 1\nSFX A 0\n", "t.aff:3"), ("SET nonsense\n", "SET"), ("SET ascii\n", "SET"), (None, ".aff")],
)
def test_what_is_wrong_is_said(tmp_path: Path, aff: str | None, fix: str) -> None:
    if aff is not None:
        (tmp_path / "t.aff").write_text(aff, encoding="utf-8")
    (tmp_path / "t.dic").write_text("1\nÖl\n", encoding="utf-8")
    with pytest.raises(LexiconError) as caught:
        list(expand(tmp_path / "t.dic"))
    assert fix in str(caught.value)
