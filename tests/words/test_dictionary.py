"""Verdicts: order of authority, filters, separable verbs, hints (rulebook §1 "Words" and §10)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from moderator.errors import ConfigError, LexiconError
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house import SHIPPED
from moderator.words.kinds import KINDS
from moderator.words.sources import build

Make = Callable[..., Dictionary]


def said(dictionary: Dictionary, word: str, base: str | None = None) -> str:
    verdict = dictionary.judge(word, base)
    return f"{verdict.ruling} {verdict.reason}".strip()


def test_a_word_of_the_dictionary(make: Make) -> None:
    verdict = make("Haus Tee TEE").judge("HAUS")
    assert (verdict.word, verdict.ruling, verdict.reason, verdict.source) == ("HAUS", "accept", "", "Testduden")
    assert verdict.params["spelling"] == "Haus"
    assert said(make("Haus Tee TEE"), "TEE") == "accept"  # one good spelling is enough


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("HUAS", "reject unknown"),
        ("USB", "reject abbreviation"),
        ("Q", "reject too-short"),
        ("", "reject too-short"),
        ("CAFÉ", "reject foreign-letter"),
        ("HAUS-TÜR", "reject foreign-letter"),
        ("straße", "accept"),
        ("STRAẞE", "accept"),
    ],
)
def test_verdicts(make: Make, word: str, expected: str) -> None:
    assert said(make("Haus USB Straße Tür"), word) == expected


def test_order_of_authority(make: Make) -> None:
    house = "HAUS\t\t\tdeny\tklar\t2026-01-31\nMAUS\t\t\tallow\nLaus\t\t\tdeny\n"
    dictionary = make("Haus Laus", house=house, agreements={"MAUS": False, "Laus": True})
    denied = dictionary.judge("HAUS")
    assert (denied.ruling, denied.reason, denied.source) == ("reject", "denied", "house.tsv")
    assert denied.params["ruling"] == "klar, 2026-01-31"
    assert said(dictionary, "MAUS") == "reject denied"
    assert said(dictionary, "LAUS") == "accept"
    assert dictionary.judge("LAUS").source == "agreement"


def test_the_club_stands_above_the_list_that_ships(make: Make) -> None:
    house = "My\t\t\tdeny\nUSW\t\t\tallow\n"
    dictionary = make("Haus", house=house, lists=[SHIPPED])
    assert said(dictionary, "MY") == "reject denied"
    assert said(dictionary, "USW") == "accept"
    assert said(dictionary, "NY") == "accept"
    assert said(dictionary, "BZW") == "reject abbreviation"


def test_a_ruling_on_one_spelling_leaves_the_others(make: Make) -> None:
    assert said(make("Masse Maße", house="Maße\t\t\tdeny\n"), "MASSE") == "accept"
    assert said(make("Masse Maße", house="Maße\t\t\tdeny\nMasse\t\t\tdeny\n"), "MASSE") == "reject denied"
    assert said(make("Masse Maße", house="MASSE\t\t\tdeny\n"), "MASSE") == "reject denied"
    assert said(make("Masse Maße", house="=MASSE\t\t\tdeny\n"), "MASSE") == "accept"
    assert said(make("Haus", house="=USB\t\t\tdeny\n"), "USB") == "reject denied"


def test_scopes_of_rulings(make: Make) -> None:
    house = "HUAS\t\t\tallow\t\t\tK7Q2\n"
    assert said(make("Haus", house=house), "HUAS") == "reject unknown"
    assert said(make("Haus", house=house, scopes=["K7Q2"]), "HUAS") == "accept"


def test_unknown_words_may_be_asked(make: Make) -> None:
    dictionary = make("Haus", doubtful="Isd CDU", unknown="ask")
    assert said(dictionary, "HUAS") == "ask unknown"
    assert said(dictionary, "ISD") == "ask doubtful"
    assert said(make("Haus", doubtful="Isd CDU"), "ISD") == "ask doubtful"
    assert said(make("Haus", doubtful="Isd CDU"), "CDU") == "reject unknown"
    assert said(dictionary, "Q") == "reject too-short"


def test_umlauts_are_never_ae(make: Make) -> None:
    dictionary = make("Käfig Bäume Öl Bauer Ölgemälde Mühe", unknown="ask")
    assert said(dictionary, "KAEFIG") == "reject umlaut"
    assert dictionary.judge("KAEFIG").params["suggestion"] == "KÄFIG"
    assert dictionary.judge("OELGEMAELDE").params["suggestion"] == "ÖLGEMÄLDE"
    assert said(dictionary, "BAUER") == "accept"
    assert said(dictionary, "BAEUER") == "ask unknown"
    assert said(make("Haus", house="Äh\n"), "AEH") == "reject umlaut"


# ---- separable verbs: seeds/topwords.txt, "ixte von er ixte aus" ----

SEPARABLE = "ausixen ausixte ausixt ausixend auszuixen ausgeixt wiederkäuen wiederkäute wiederkäuend ausgraben gehen"


@pytest.mark.parametrize(
    ("word", "base", "expected"),
    [
        ("IXTE", "ausixen", "accept separable"),
        ("IXTE", "AUSIXEN", "accept separable"),
        ("IXT", "ausixen", "accept separable"),
        ("IXEN", "ausixen", "accept separable"),  # wir ixen aus
        ("KÄUTE", "wiederkäuen", "accept separable"),
        ("KÄUEND", "wiederkäuen", "reject not-finite"),
        ("IXEND", "ausixen", "reject not-finite"),
        ("GEIXT", "ausixen", "reject not-finite"),
        ("ZUIXEN", "ausixen", "reject not-finite"),
        ("IXTEN", "ausixen", "reject not-a-part"),
        ("GRABEN", "ausixen", "reject not-a-part"),
        ("IXTE", "gehen", "reject base-not-separable"),
        ("IXTE", "ausixten", "reject base-unknown"),
        ("IXTE", "aus ixen", "reject base-unknown"),
        ("IXTE", "ausixte", "reject base-unknown"),
        ("IXTE", None, "reject needs-base-form"),
        ("IXTE", "", "reject base-unknown"),
    ],
)
def test_separable_verbs(make: Make, word: str, base: str | None, expected: str) -> None:
    assert said(make(SEPARABLE), word, base) == expected


def test_a_base_form_changes_nothing_for_a_good_word(make: Make) -> None:
    verdict = make(SEPARABLE).judge("GEHEN", "ausgehen")
    assert (verdict.ruling, verdict.reason) == ("accept", "")


def test_the_house_rules_on_base_forms_too(make: Make) -> None:
    words = "ausixte ausixen"
    assert said(make(words, house="ausixen\t\t\tdeny\n"), "IXTE", "ausixen") == "reject base-unknown"
    assert said(make("ausixte"), "IXTE", "ausixen") == "reject base-unknown"
    assert said(make("ausixte", house="ausixen\n"), "IXTE", "ausixen") == "accept separable"
    split = "ixte\tausixen\tsplit\tallow\n"
    assert said(make("Haus", house=split), "IXTE") == "reject needs-base-form"
    assert said(make("Haus", house=split), "IXTE", "ausixen") == "accept"
    assert said(make("Haus", house=split), "IXTE", "ixen") == "reject needs-base-form"


def test_where_the_source_knows_the_base_form_it_is_asked_for(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX V Y 3\nSFX V en te en\nSFX V en t en\nSFX V 0 d en\n"
    (tmp_path / "de_X.aff").write_text(aff, encoding="utf-8")
    (tmp_path / "de_X.dic").write_text("3\nausixen/V\nausgraben/V\nabgraben\n", encoding="utf-8")
    build("de", [str(tmp_path / "de_X.dic")], tmp_path)
    dictionary = open_dictionary(tmp_path, ["de"])
    hint = dictionary.judge("IXTE")
    assert (hint.ruling, hint.reason, hint.params["base"]) == ("reject", "needs-base-form", "ausixen")
    assert said(dictionary, "IXTE", "ausixen") == "accept separable"
    assert said(dictionary, "IXEND", "ausixen") == "reject not-finite"
    assert said(dictionary, "IXEND") == "reject unknown"
    assert said(dictionary, "GRABT", "abgraben") == "reject not-a-part"


# ---- policies ----


def test_typdom_takes_what_the_list_says(make: Make) -> None:
    dictionary = make("Haus Öl", lists=[SHIPPED], policy="typdom")
    assert [said(dictionary, word) for word in ("AUDI", "OPEL", "ALDI", "GOOGLE")] == ["reject brand"] * 4
    assert [said(dictionary, word) for word in ("MEXICO", "POLA", "TEXAS", "SARAJEVO", "RUDOLF")] == ["accept"] * 5
    assert [said(dictionary, word) for word in ("OEL", "ÖL", "AEH")] == ["accept"] * 3
    assert said(dictionary, "OEH") == "reject unknown"
    assert said(dictionary, "USW") == "reject abbreviation"
    assert dictionary.judge("öl").word == "OEL"


def test_filters_switch_kinds(make: Make) -> None:
    house = "Audi\t\tbrand\tallow\nMüller\t\tfamily,common\tallow\nBonn\t\tplace\tallow\n"
    assert said(make("USB", filters={"abbreviation": True}), "USB") == "accept"
    assert said(make("USB", house=house), "AUDI") == "accept"
    assert said(make("USB", house=house, filters={"brand": False}), "AUDI") == "reject brand"
    assert said(make("USB", house=house, filters={"family-name": False}), "MÜLLER") == "accept"  # a trade as well
    assert said(make("USB", house=house, policy="typdom", filters={"place": False}), "BONN") == "reject place"
    with pytest.raises(ConfigError, match="brnd"):
        make("Haus", filters={"brnd": True})
    with pytest.raises(ConfigError, match="scrabble"):
        make("Haus", policy="scrabble")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_refused(make: Make, kind: str) -> None:
    house = f"Wort\t\t{kind}\tallow\nForm\tformen\t{kind}\tallow\n"
    assert said(make("Haus", house=house, filters={kind: True}), "WORT") == "accept"
    refused = make("Haus", house=house, filters={kind: False})
    assert said(refused, "FORM") == f"reject {kind}"
    assert said(refused, "WORT") == f"reject {'some-' if kind in ('verb-form', 'participle') else ''}{kind}"


# ---- playable, names, fingerprints ----


@pytest.mark.parametrize("policy", ["topwords", "typdom"])
def test_playable_is_what_judge_accepts(make: Make, policy: str) -> None:
    house = (
        "Maus\nHAUS\t\t\tdeny\nTee\t\t\tdeny\nixte\tausixen\tsplit\tallow\nBonn\t\tplace\tallow\nxy\t\tbrand\tallow\n"
    )
    words = "Haus Hausbau TEE Tee USB Öl Öle Oel Maße Masse usw. Bauer Bäuerin"
    dictionary = make(words, house=house, policy=policy)
    known = "HAUS HAUSBAU TEE USB ÖL OEL OELE ÖLE MASSE USW BAUER MAUS IXTE BONN XY BÄUERIN BAEUERIN"
    keys = set(known.split())
    if policy == "typdom":
        keys = {word for word in keys if word.isascii()}
    good = {word for word in keys if dictionary.judge(word).ruling == "accept"}
    assert list(dictionary.playable(15)) == sorted(good)
    assert list(dictionary.playable(4)) == sorted(word for word in good if len(word) <= 4)
    assert dictionary.playable(4) is dictionary.playable(4)


def test_playable_of_several_dictionaries_has_no_doubles(tmp_path: Path, make: Make) -> None:
    make("Haus Maus", doubtful="Maus Laus")
    both = open_dictionary(tmp_path, ["de", "maybe"])
    assert both.playable(10) == ("HAUS", "LAUS", "MAUS")
    assert both.names == ("de", "maybe")
    assert both.edition == "Testduden, maybe"
    assert open_dictionary(tmp_path, ["de"], reference="Duden, 28. Auflage").edition == "Duden, 28. Auflage"


def test_fingerprints(tmp_path: Path, make: Make) -> None:
    one, same, other = make("Haus Maus"), make("Maus Haus"), make("Haus Laus")
    assert one.fingerprint == same.fingerprint != other.fingerprint
    assert len(one.fingerprint) == 64
    assert make("Haus Laus", house="Maus\n").fingerprint == other.fingerprint
    assert make("Haus Laus", doubtful="Maus").fingerprint != other.fingerprint


def test_check_reads_every_file(make: Make) -> None:
    dictionary = make("Haus")
    dictionary.check()
    path = next(Path(lexicon.path) for lexicon in dictionary._lexicons)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(LexiconError, match="damaged"):
        dictionary.check()


def test_a_missing_dictionary_is_an_operator_error(tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="no dictionary"):
        open_dictionary(tmp_path, ["de"])


@pytest.mark.slow
def test_the_list_that_ships_is_for_german_only(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("house\n", encoding="utf-8")
    for language, expected in (("en", "reject unknown"), ("de", "accept"), ("", "accept")):
        build("x", [str(tmp_path / "w.txt")], tmp_path, language=language)
        assert said(open_dictionary(tmp_path, ["x"], house=[SHIPPED]), "ABI") == expected


def test_looking_up_loads_nothing_heavy(tmp_path: Path, make: Make) -> None:
    make("Haus")
    code = f"""
import sys
from pathlib import Path
from moderator.words.dictionary import open_dictionary
from moderator.words.house import SHIPPED
dictionary = open_dictionary(Path({str(tmp_path)!r}), ["de"], house=[SHIPPED])
assert [dictionary.judge(w).ruling for w in ("HAUS", "ABI", "KAEFIG")] == ["accept", "accept", "reject"]
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "marisa_trie" in loaded
    assert not loaded & {"simplemma", "click", "dataclasses", "hashlib", "json", "sqlite3", "moderator.words.sources"}
