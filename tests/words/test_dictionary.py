"""Verdicts: order of authority, filters, separable verbs, hints (rulebook §1 "Words" and §10)."""

import re
import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moderator.words
from moderator.common.errors import ConfigError, Illegal, LexiconError
from moderator.rules.verdict import Verdict
from moderator.words import compiled, kinds
from moderator.words.build.sources import build_lexicon
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import SHIPPED
from moderator.words.kinds import ALPHABETS, KINDS, POLICIES, clean_word, to_capitals, to_capitals_fast, to_word_key
from tests.words.conftest import Make


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
    ],
)
def test_verdicts(make: Make, word: str, expected: str) -> None:
    assert said(make("Haus USB Straße Tür"), word) == expected


def test_order_of_authority(make: Make) -> None:
    house = "HAUS\t\t\tdeny\tklar\t2026-01-31\nMAUS\t\t\tallow\nLaus\t\t\tdeny\n"
    dictionary = make("Haus Laus", house=house)
    denied = dictionary.judge("HAUS")
    assert (denied.ruling, denied.reason, denied.source) == ("reject", "denied", "house.tsv")
    assert denied.params["ruling"] == "klar, 2026-01-31"
    assert said(dictionary, "MAUS") == "accept"
    assert said(dictionary, "LAUS") == "reject denied"


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


def test_rulings_may_hold_in_one_match_alone(make: Make) -> None:
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


SEPARABLE = "ausixen ausixte ausixt ausixend auszuixen ausgeixt wiederkäuen wiederkäute wiederkäuend ausgraben gehen"


@pytest.mark.parametrize(
    ("word", "base", "expected"),
    [
        ("IXTE", "ausixen", "accept separable"),
        ("IXTE", "AUSIXEN", "accept separable"),
        ("IXEN", "ausixen", "accept separable"),  # wir ixen aus
        ("KÄUTE", "wiederkäuen", "accept separable"),
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
        ("GEHEN", "ausgehen", "accept"),  # a good word needs none
    ],
)
def test_separable_verbs(make: Make, word: str, base: str | None, expected: str) -> None:
    assert said(make(SEPARABLE), word, base) == expected


def test_the_house_rules_on_base_forms_too(make: Make) -> None:
    words = "ausixte ausixen"
    assert said(make(words, house="ausixen\t\t\tdeny\n"), "IXTE", "ausixen") == "reject base-unknown"
    assert said(make("ausixte"), "IXTE", "ausixen") == "reject base-unknown"
    assert said(make("ausixte", house="ausixen\n"), "IXTE", "ausixen") == "accept separable"
    split = "ixte\tausixen\tsplit\tallow\n"
    assert said(make("Haus", house=split), "IXTE") == "reject needs-base-form"
    assert said(make("Haus", house=split), "IXTE", "ausixen") == "accept"
    assert said(make("Haus", house=split), "IXTE", "ixen") == "reject needs-base-form"


@pytest.mark.slow
def test_where_the_source_knows_the_base_form_it_is_asked_for(tmp_path: Path) -> None:
    aff = "SET UTF-8\nSFX V Y 3\nSFX V en te en\nSFX V en t en\nSFX V 0 d en\n"
    (tmp_path / "de_X.aff").write_text(aff, encoding="utf-8")
    (tmp_path / "de_X.dic").write_text("3\nausixen/V\nausgraben/V\nabgraben\n", encoding="utf-8")
    build_lexicon("de", [str(tmp_path / "de_X.dic")], tmp_path)
    dictionary = open_dictionary(tmp_path, ["de"])
    hint = dictionary.judge("IXTE")
    assert (hint.ruling, hint.reason, hint.params["base"]) == ("reject", "needs-base-form", "ausixen")
    assert said(dictionary, "IXTE", "ausixen") == "accept separable"
    assert said(dictionary, "IXEND", "ausixen") == "reject not-finite"
    assert said(dictionary, "IXEND") == "reject unknown"
    assert said(dictionary, "GRABT", "abgraben") == "reject not-a-part"


def test_typdom_takes_what_the_list_says(make: Make) -> None:
    dictionary = make("Haus Öl", lists=[SHIPPED], policy="typdom")
    assert [said(dictionary, word) for word in ("OEL", "ÖL", "AEH")] == ["accept"] * 3
    assert said(dictionary, "OEH") == "reject unknown"
    assert said(dictionary, "USW") == "reject abbreviation"
    assert dictionary.judge("öl").word == "OEL"


def test_a_policy_refuses_kinds(make: Make) -> None:
    house = "Audi\t\tbrand\tallow\nMüller\t\tfamily,common\tallow\nBonn\t\tplace\tallow\n"
    assert said(make("USB", house=house), "AUDI") == "accept"
    typdom = make("USB", house=house, policy="typdom")
    assert said(typdom, "AUDI") == "reject brand"
    assert said(typdom, "MUELLER") == "accept"  # a trade as well
    assert said(typdom, "BONN") == "accept"
    with pytest.raises(ConfigError, match="scrabble"):
        make("Haus", policy="scrabble")


def test_every_kind_is_taken_or_named_as_the_reason(make: Make) -> None:
    for name, policy in POLICIES.items():
        for kind, bit in KINDS.items():
            house = f"Wort\t\t{kind}\tallow\nForm\tformen\t{kind}\tallow\n"
            dictionary, some = make("Haus", house=house, policy=name), kind in ("verb-form", "participle")
            expected = ["accept"] * 2 if policy.may_count(bit) else [f"reject {kind}", f"reject {'some-' * some}{kind}"]
            assert [said(dictionary, word) for word in ("FORM", "WORT")] == expected


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


def test_check_reads_every_file_and_a_missing_one_is_told(make: Make, tmp_path: Path) -> None:
    with pytest.raises(LexiconError, match="no dictionary"):
        open_dictionary(tmp_path, ["de"])
    dictionary = make("Haus")
    dictionary.verify_files()
    path = next(Path(lexicon.path) for lexicon in dictionary._lexicons)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(LexiconError, match="damaged"):
        dictionary.verify_files()


@pytest.mark.slow
def test_the_list_that_ships_is_for_german_only(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("house\n", encoding="utf-8")
    for language, expected in (("en", "reject unknown"), ("de", "accept"), ("", "accept")):
        build_lexicon("x", [str(tmp_path / "w.txt")], tmp_path, language=language)
        assert said(open_dictionary(tmp_path, ["x"], house=[SHIPPED]), "ABI") == expected


def test_keys_are_capitals_and_in_typdom_without_umlauts() -> None:
    assert {to_word_key(word) for word in ("Öfen", "O\u0308fen")} == {"ÖFEN"}, "a Mac's decomposed umlaut is one"
    assert {to_word_key(word, "typdom") for word in ("Öfen", "O\u0308fen")} == {"OEFEN"}
    for profile in ("topwords", "typdom"):
        assert {to_word_key(word, profile) for word in ("Straße", "STRAẞE")} == {"STRASSE"}
        assert {to_word_key(word, profile) for word in ("Schi\u00adff", "Schi\ufb00", "schiff")} == {"SCHIFF"}


def test_other_letters_are_refused_by_name() -> None:
    for word, letter in {"Café": "É", "E-Mail": "-", "geht's": "'", "a b": " ", "2CV": "2", "ŉ": "ʼ"}.items():
        with pytest.raises(Illegal) as caught:
            to_word_key(word)
        assert caught.value.code == "foreign-letter"
        assert caught.value.params == {"word": word, "letter": letter}


@given(st.text(max_size=12))
def test_a_key_has_only_letters_of_its_alphabet_and_is_its_own_key(word: str) -> None:
    for profile in ("topwords", "typdom"):
        try:
            found = to_word_key(word, profile)  # type: ignore[arg-type]
        except Illegal:
            continue
        assert set(found) <= ALPHABETS[profile]
        assert to_word_key(found, profile) == found  # type: ignore[arg-type]


@given(st.text(alphabet="abzäöüßẞABZÄÖÜ\n", max_size=30))
def test_capitals_of_a_text_are_those_of_its_words(text: str) -> None:
    assert (to_capitals_fast(text), clean_word(text)) == (to_capitals(text), text)


FOLDER = Path(moderator.words.__file__).parent
SHORT = "AB AH AM AN ÄH AS DA DU EH EI ER ES HA HE HM HO IN JA MY NY OB OH ÖL PI XI ZU"


@pytest.mark.slow
def test_the_quick_build_says_where_it_comes_from_and_has_words_of_two_letters_from_the_list_alone(
    quick: Dictionary, simplemma_folder: Path
) -> None:
    facts = compiled.read_lexicon_facts(simplemma_folder / "de.lex")
    assert (facts.language, facts.longest) == ("de", 10)
    assert re.fullmatch(r"german-wordlist, simplemma [\d.]+ \(de\)", facts.edition)
    compiled.verify_lexicon(simplemma_folder / "de.lex")
    assert list(compiled.Lexicon(simplemma_folder / "de.lex").iter_packed_keys(2)) == []
    short = [word for word in quick.playable(2) if len(word) == 2]
    assert set(SHORT.split()) <= set(short)
    assert len(short) < 100


def codes() -> set[str]:
    """Every reason that a verdict can have, out of the code itself."""
    text = (FOLDER / "dictionary.py").read_text(encoding="utf-8")
    direct = set(re.findall(r'Verdict\(\s*\w+, (?:"\w+"|self\.unknown), "([a-z-]+)"', text))
    separable = set(re.findall(r'(?:return|reason =) "([a-z-]+)"', text))
    return direct | separable | KINDS.keys() | {"foreign-letter", "unknown", "denied", *kinds.WITHOUT_BASE.values()}


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_reason_has_a_sentence_and_every_sentence_a_reason(language: str) -> None:
    sentences = tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))
    rulings = {f"verdict-{ruling}" for ruling in get_args(get_type_hints(Verdict)["ruling"])}
    assert {f"word.{code}" for code in codes()} | rulings == sentences.keys()
    assert len(codes()) > 20
    assert not [code for code, text in sentences.items() if text.endswith(".") or text[:1] == "{" == text[-1:]]
