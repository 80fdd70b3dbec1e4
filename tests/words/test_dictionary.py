"""Verdicts: order of authority, filters, separable verbs, hints (rulebook §1 "Words" and §10); which words count in
Typ-Dom, and why others do not (seeds: Typ-Dom, end of section 1)."""

import re
import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moderator.words
from moderator.common.errors import ConfigError, Illegal, LexiconError
from moderator.language.messages import render_code
from moderator.rules.verdict import Verdict
from moderator.words import compiled, kinds
from moderator.words.build.german import iter_verb_forms
from moderator.words.build.sources import build_lexicon
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import SHIPPED
from moderator.words.kinds import (
    ALPHABETS,
    INFINITIVE,
    KINDS,
    PARTICIPLE,
    POLICIES,
    VERB_FORM,
    clean_word,
    to_capitals,
    to_capitals_fast,
    to_word_key,
)
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


def test_the_club_stands_above_the_dictionary_and_above_the_list_that_ships(make: Make) -> None:
    house = "HAUS\t\t\tdeny\tklar\t2026-01-31\nMAUS\t\t\tallow\nLaus\t\t\tdeny\n"
    dictionary = make("Haus Laus", house=house)
    denied = dictionary.judge("HAUS")
    assert (denied.ruling, denied.reason, denied.source) == ("reject", "denied", "house.tsv")
    assert denied.params["ruling"] == "klar, 2026-01-31"
    assert said(dictionary, "MAUS") == "accept"
    assert said(dictionary, "LAUS") == "reject denied"
    house = "My\t\t\tdeny\nUSW\t\t\tallow\n"
    dictionary = make("Haus", house=house, lists=[SHIPPED])
    assert said(dictionary, "MY") == "reject denied"
    assert said(dictionary, "USW") == "accept"
    assert said(dictionary, "NY") == "accept"
    assert said(dictionary, "BZW") == "reject abbreviation"


def test_a_ruling_may_hold_for_one_spelling_or_one_match_alone(make: Make) -> None:
    assert said(make("Masse Maße", house="Maße\t\t\tdeny\n"), "MASSE") == "accept"
    assert said(make("Masse Maße", house="Maße\t\t\tdeny\nMasse\t\t\tdeny\n"), "MASSE") == "reject denied"
    assert said(make("Masse Maße", house="MASSE\t\t\tdeny\n"), "MASSE") == "reject denied"
    assert said(make("Masse Maße", house="=MASSE\t\t\tdeny\n"), "MASSE") == "accept"
    assert said(make("Haus", house="=USB\t\t\tdeny\n"), "USB") == "reject denied"
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
def test_a_separable_verb_is_ruled_on_by_its_base(make: Make, word: str, base: str | None, expected: str) -> None:
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


def test_several_dictionaries_have_no_doubles_and_a_fingerprint_of_their_words(tmp_path: Path, make: Make) -> None:
    make("Haus Maus", doubtful="Maus Laus")
    both = open_dictionary(tmp_path, ["de", "maybe"])
    assert both.playable(10) == ("HAUS", "LAUS", "MAUS")
    assert both.names == ("de", "maybe")
    assert both.edition == "Testduden, maybe"
    assert open_dictionary(tmp_path, ["de"], reference="Duden, 28. Auflage").edition == "Duden, 28. Auflage"
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


def test_keys_are_capitals_without_umlauts_in_typdom_and_other_letters_are_refused_by_name() -> None:
    assert {to_word_key(word) for word in ("Öfen", "O\u0308fen")} == {"ÖFEN"}, "a Mac's decomposed umlaut is one"
    assert {to_word_key(word, "typdom") for word in ("Öfen", "O\u0308fen")} == {"OEFEN"}
    for profile in ("topwords", "typdom"):
        assert {to_word_key(word, profile) for word in ("Straße", "STRAẞE")} == {"STRASSE"}
        assert {to_word_key(word, profile) for word in ("Schi\u00adff", "Schi\ufb00", "schiff")} == {"SCHIFF"}
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


PRINTED = (
    "EXAMEN STERN NAHT EIS REISE WORT WORTE SPIEL MEXICO TEXAS SARAJEVO POLA PHON WIND MOND RUF RUDOLF GELB "
    "AUTO MUSEUM KEGEL UHR"
)
"""The words of the printed games and four everyday ones."""
HOMOGRAPHS = "SUCHE LIEBE FRAGE LAUF FALL BAND STAND SPRUNG DICHTE PFLEGE LEITER WEISE TAT BOTEN WAREN LAGEN MIETE"
PARTICLES = "LAUT WEIT FEST GUT MATT SEIT FAST SEHR MEHR WEIL SCHON HEUTE EINST TROTZ STATT QUER ACHT EINE MEINE LEISE"
ADJECTIVES = "GROSSER KLEINSTE ROTES BESSER BEKANNT BEKANNTES VERLIEBT GELUNGEN ANWESEND VERLOREN GELADEN"
INFINITIVES = "GEHEN SEIN TUN WERDEN WANDERN SAMMELN ANRUFEN AUSZUGEHEN VERKAUFEN MUESSEN KNIEN"
PLACES = "WIEN MUENCHEN KOELN ZUERICH BIELEFELD BREGENZ CUBA OESTERREICH ISRAEL DONAU WIENS BERLINS"
FIRST_NAMES = "ANNA ANNAS SEPP JUERGEN GRETE GUENTHER"
LETTERS = "MUELLER POESIE MUSEUM FEUER BAEUERIN GROESSE STRASSE"

VERB_FORMS = {
    "GING": "gehen", "AUSGING": "ausgehen", "KAEME": "kommen", "SPRICHST": "sprechen", "WURDE": "werden",
    "HATTEST": "haben", "MACHTE": "machen", "SAMMLE": "sammeln", "NIMMT": "nehmen", "LIES": "lesen",
    "BEWIES": "beweisen", "GEHST": "gehen", "RANNTE": "rennen", "MUSSTE": "müssen", "VERKAUFT": "verkaufen",
}  # fmt: skip
PARTICIPLES = {"GEGANGEN": "gehen", "GELAUFEN": "laufen", "SPIELEND": "spielen", "GEKAUFTES": "kaufen"}
BRANDS = "AUDI OPEL ALDI GOOGLE MILKA FERRARI LUFTHANSA TCHIBO AUDIS FERRARIS"
FAMILIES = "GOETHE MERKEL SCHMIDT MOZART KAFKA MERKELS HUBER"
NOT_DENIED = "TEMPO PUMA JAGUAR WAGNER KAISER BAYER KOHL FISCHER SIEMENS TESLA"


def refused(dictionary: Dictionary, words: str) -> list[tuple[str, str]]:
    """(word, reason) of those that do not count."""
    verdicts = [dictionary.judge(word) for word in words.split()]
    return [(verdict.word, verdict.reason) for verdict in verdicts if verdict.ruling != "accept"]


def reasons(dictionary: Dictionary, words: str) -> set[str]:
    return {f"{verdict.ruling} {verdict.reason}" for verdict in map(dictionary.judge, words.split())}


GOOD = [PRINTED, HOMOGRAPHS, PARTICLES, ADJECTIVES, INFINITIVES, PLACES, FIRST_NAMES, LETTERS, NOT_DENIED]


@pytest.mark.slow
def test_good_words_count(typdom: Dictionary) -> None:
    assert refused(typdom, " ".join(GOOD)) == []


@pytest.mark.slow
def test_bad_words_are_refused_with_their_reason_and_infinitive(typdom: Dictionary) -> None:
    for words, reason in ((BRANDS, "brand"), (FAMILIES, "family-name"), ("RW XQZ", "unknown")):
        assert reasons(typdom, words) == {f"reject {reason}"}
    for table, reason in ((VERB_FORMS, "verb-form"), (PARTICIPLES, "participle")):
        for word, infinitive in table.items():
            verdict = typdom.judge(word)
            assert (word, verdict.ruling, verdict.reason) == (word, "reject", reason)
            assert verdict.params["lemma"] == infinitive
            assert all(
                infinitive in render_code(f"word.{reason}", language, **verdict.params) for language in ("de", "en")
            )


@pytest.mark.slow
def test_a_name_of_no_sort_is_refused_or_put_to_the_moderator(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("BAEUME Bäume\nHAUS Haus\nKARMA Karma\n", encoding="utf-8")
    (tmp_path / "de_X.aff").write_text("SET UTF-8\nSFX S Y 1\nSFX S 0 s .\n", encoding="utf-8")
    names = "Foucault/S\nBensheim/S\nHaus/Sm\nKarma/S\nKälte/m\nEigenheit"
    (tmp_path / "de_X.dic").write_text(f"6\n{names}\n", encoding="utf-8")
    words = "FOUCAULT FOUCAULTS BENSHEIM HAUS KARMA KAELTE EIGENHEIT"
    build_lexicon("both", [str(tmp_path / "words"), str(tmp_path / "de_X.dic")], tmp_path)
    for unknown in ("reject", "ask"):
        dictionary = open_dictionary(tmp_path, ["both"], policy="typdom", unknown=unknown)
        assert refused(dictionary, words) == [("FOUCAULT", "name"), ("FOUCAULTS", "name")]
        assert reasons(dictionary, "FOUCAULT") == {f"{unknown} name"}
    assert refused(open_dictionary(tmp_path, ["both"]), "FOUCAULT HAUS") == []
    build_lexicon("alone", [str(tmp_path / "de_X.dic")], tmp_path)  # without a list that has no names nobody can tell
    assert refused(open_dictionary(tmp_path, ["alone"], policy="typdom"), words) == []


def test_forms_are_told_from_a_plain_list_and_one_good_reading_is_enough(make: Make) -> None:
    words = "laufen laufend lief gelaufen gelaufenes laut lautes lauten lautend geht gut gutes Einlaufen einlief"
    dictionary = make(words, policy="typdom")
    assert refused(dictionary, "LAUFEN LAUT LAUTES LAUTEN GUT EINLAUFEN") == []
    assert refused(dictionary, "GEHT") == []  # no gehen, so that nothing is known
    assert refused(dictionary, "LIEF EINLIEF") == [("LIEF", "verb-form"), ("EINLIEF", "verb-form")]
    assert refused(dictionary, "GELAUFEN GELAUFENES") == [("GELAUFEN", "participle"), ("GELAUFENES", "participle")]
    assert refused(make(words), words.upper()) == []
    house = "Kant\t\tfamily\tallow\n"
    assert refused(make("Kant kanten kantend kant", house=house, policy="typdom"), "KANT") == [("KANT", "family-name")]
    assert refused(make("Kant KANT kant", house=house, policy="typdom"), "KANT") == []
    assert refused(make("rufen rufend ruf Ruf", policy="typdom"), "RUF") == []
    assert refused(make("rufen rufend ruf", policy="typdom"), "RUF") == [("RUF", "verb-form")]


CONJUGATED = [
    ("machen", "mache machst macht machte machtest", "gemacht machend", "machen"),
    ("sammeln", "sammle sammelst sammelte", "gesammelt sammelnd", "sammeln"),
    ("ausgehen", "ausging ausgingst ausginge ausgeht", "ausgegangen ausgehend", "auszugehen"),
    ("verstehen", "verstand verstünde verstehst", "verstanden", "verstehen"),
    ("anvertrauen", "anvertraue anvertraute", "anvertraut", "anzuvertrauen"),
    ("studieren", "studierst studierte", "studiert", "studieren"),
    ("essen", "isst ißt aß äße", "gegessen", "essen"),
    ("werden", "wirst wird wurde würdest ward", "geworden worden", "werden"),
    ("tun", "tue tust tat täten", "getan", "tun"),
    ("sein", "bin war wäret seien", "seiend", "sein"),
    ("missverstehen", "missverstand mißverstand", "missverstanden", "missverstehen"),
]


@pytest.mark.parametrize(("verb", "finite", "participles", "infinitives"), CONJUGATED)
def test_a_verb_is_conjugated(verb: str, finite: str, participles: str, infinitives: str) -> None:
    found: dict[str, int] = {}
    for form, kind in iter_verb_forms(verb):
        found[form] = found.get(form, 0) | kind
    for kind, listed in ((VERB_FORM, finite), (PARTICIPLE, participles), (INFINITIVE, infinitives)):
        assert [form for form in listed.split() if not found.get(form, 0) & kind] == []
    assert found[verb] & INFINITIVE


def test_parts_of_separable_verbs_are_verb_forms(make: Make) -> None:
    words = "ausixen ausixend ausixte ausixt Haus"
    for base in (None, "ausixen"):
        verdict = make(words, policy="typdom").judge("IXTE", base)
        assert (verdict.ruling, verdict.reason, verdict.params["lemma"]) == ("reject", "verb-form", "ausixen")
    assert make(words).judge("IXTE", "ausixen").ruling == "accept"
    assert make("Haus", policy="typdom", lists=[SHIPPED]).judge("IXTE", "ausixen").reason == "verb-form"


def test_a_ruling_may_hold_for_typdom_alone(make: Make) -> None:
    words = "Milka Merkel Merkels Haus"
    assert refused(make(words, lists=[SHIPPED]), "MILKA MERKEL MERKELS") == []
    assert refused(make("Haus", lists=[SHIPPED]), "MILKA MERKEL") == [("MILKA", "unknown"), ("MERKEL", "unknown")]
    assert refused(make(words, lists=[SHIPPED], policy="typdom"), "MILKA MERKEL MERKELS") == [
        *(("MILKA", "brand"), ("MERKEL", "family-name"), ("MERKELS", "family-name"))
    ]
    house = "HAUS\t\t\tdeny\t\t\ttypdom\nMAUS\t\t\tallow\t\t\ttopwords\n"
    assert refused(make("Haus", house=house), "HAUS MAUS") == []
    assert refused(make("Haus", house=house, policy="typdom"), "HAUS MAUS") == [("HAUS", "denied"), ("MAUS", "unknown")]


def test_the_shipped_list_denies_no_printed_word(make: Make) -> None:
    dictionary = make("Haus", lists=[SHIPPED], policy="typdom")
    assert {reason for _, reason in refused(dictionary, " ".join(GOOD))} <= {"unknown"}
    assert refused(dictionary, "MEXICO POLA TEXAS SARAJEVO RUDOLF") == []
