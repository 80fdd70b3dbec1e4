"""Which words count in Typ-Dom, and why others do not (rulebook §10; seeds: Typ-Dom, end of section 1)."""

from pathlib import Path

import pytest

from moderator.language.messages import render_code
from moderator.words.build.german import iter_verb_forms
from moderator.words.build.sources import build_lexicon
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house_rulings import SHIPPED
from moderator.words.kinds import INFINITIVE, PARTICIPLE, VERB_FORM
from tests.words.conftest import Make

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


def test_forms_are_told_from_a_plain_list(make: Make) -> None:
    words = "laufen laufend lief gelaufen gelaufenes laut lautes lauten lautend geht gut gutes Einlaufen einlief"
    dictionary = make(words, policy="typdom")
    assert refused(dictionary, "LAUFEN LAUT LAUTES LAUTEN GUT EINLAUFEN") == []
    assert refused(dictionary, "GEHT") == []  # no gehen, so that nothing is known
    assert refused(dictionary, "LIEF EINLIEF") == [("LIEF", "verb-form"), ("EINLIEF", "verb-form")]
    assert refused(dictionary, "GELAUFEN GELAUFENES") == [("GELAUFEN", "participle"), ("GELAUFENES", "participle")]
    assert refused(make(words), words.upper()) == []


def test_one_good_reading_is_enough_also_of_a_name(make: Make) -> None:
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
def test_conjugation(verb: str, finite: str, participles: str, infinitives: str) -> None:
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


def test_rulings_for_typdom_leave_topwords_alone(make: Make) -> None:
    words = "Milka Merkel Merkels Haus"
    assert refused(make(words, lists=[SHIPPED]), "MILKA MERKEL MERKELS") == []
    assert refused(make("Haus", lists=[SHIPPED]), "MILKA MERKEL") == [("MILKA", "unknown"), ("MERKEL", "unknown")]
    assert refused(make(words, lists=[SHIPPED], policy="typdom"), "MILKA MERKEL MERKELS") == [
        *(("MILKA", "brand"), ("MERKEL", "family-name"), ("MERKELS", "family-name"))
    ]


def test_the_scope_of_a_ruling_may_be_a_policy(make: Make) -> None:
    house = "HAUS\t\t\tdeny\t\t\ttypdom\nMAUS\t\t\tallow\t\t\ttopwords\n"
    assert refused(make("Haus", house=house), "HAUS MAUS") == []
    assert refused(make("Haus", house=house, policy="typdom"), "HAUS MAUS") == [("HAUS", "denied"), ("MAUS", "unknown")]


def test_the_shipped_list_denies_no_printed_word(make: Make) -> None:
    dictionary = make("Haus", lists=[SHIPPED], policy="typdom")
    assert {reason for _, reason in refused(dictionary, " ".join(GOOD))} <= {"unknown"}
    assert refused(dictionary, "MEXICO POLA TEXAS SARAJEVO RUDOLF") == []
