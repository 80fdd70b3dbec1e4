"""German forms by rule, our own words, and which listed forms they confirm."""

import pytest

from moderator.words.build.grammar import FOLDER, GermanGrammar, iter_conjugated_forms, iter_own_readings
from moderator.words.kinds import COMMON, INFINITIVE, PARTICIPLE, VERB_FORM, Reading, to_word_key

USED = {
    "abschotten": "abschottet abschottete abschottest abzuschotten abgeschottet abgeschottetem",
    "fechten": "ficht fichtst fichst focht föchte gefochten",
    "schreien": "schrie schriee schrieet schrieen geschrien geschrieen",
    "wandeln": "wandle wandele wandelst wandelt wandelte gewandelt wandelnd",
    "rechnen": "rechne rechnest rechnet rechnete gerechnet",
    "mitwachsen": "mitwächst mitwuchs mitgewachsen mitzuwachsen",
    "tindern": "tindere tindre tinderst tindert getindert tindernder",
    "sein": "bin ist war wäre seiend",
}
NEVER = {
    "helfen": "helf helfte gehelft",
    "gehen": "gehte gegeht",
    "rechnen": "rechn rechnt rechnst",
    "reden": "red redt redte redst",
    "atmen": "atm atmt",
    "wandeln": "wandel",
    "fassen": "fassst",
}


@pytest.mark.parametrize("verb", USED)
def test_a_verb_has_the_forms_that_people_use(verb: str) -> None:
    assert set(USED[verb].split()) <= {form for form, _ in iter_conjugated_forms(verb)}


@pytest.mark.parametrize("verb", NEVER)
def test_a_verb_has_no_others(verb: str) -> None:
    assert not set(NEVER[verb].split()) & {form for form, _ in iter_conjugated_forms(verb)}


def test_a_form_of_a_word_that_counts_is_confirmed_and_nothing_else() -> None:
    counted = "fromm frommes heiter heitere müde versunken wachsen wachsend redlich redliche vorwachsen"
    forms = ["frömmste", "frömmerem", "heitrem", "heiterm", "müdste", "versunkner", "mitwachsen", "mitwächst"]
    forms += ["vorwuchs", "unredlich", "unredlicher", "Mausens", "Delegatin", "Delegatinnen", "Wachsens", "umherwuchs"]
    others = ["Hausmaus", "frommelig", "mitgehst", "Mäusin", "wachste"]
    grammar = GermanGrammar([*counted.split(), "Maus", "Mäuse", "Delegat"], [*forms, *others])
    assert [form for form in forms if not grammar.is_known_form(form)] == []
    assert [form for form in others if grammar.is_known_form(form)] == []
    assert grammar.is_declined("Mäusen", "Maus"), "of a list that says base forms, more is believed of nouns"
    assert not grammar.is_declined("frommerem", "fromm"), "and less of adjectives"


def test_our_own_words_are_written_once_and_inflected_by_their_heading() -> None:
    german = {reading.spelling: reading for reading in iter_own_readings("de")}
    assert len(german) > 7000
    assert all(to_word_key(spelling).isalpha() for spelling in german), "German words have no accents"
    assert german["Influencern"] == Reading("Influencern", COMMON, "Influencer")
    assert [german[word].kinds for word in ("tindern", "tindert", "getinderte")] == [INFINITIVE, VERB_FORM, PARTICIPLE]
    assert {german[form].lemma for form in ("woke", "wokes", "wokem")} == {"woke"}
    assert {"apps", "qi", "cafes"} <= {reading.spelling for reading in iter_own_readings("en")}
    assert list(iter_own_readings("fr")) == []
    for language in ("de", "en"):
        lines = (FOLDER / f"own.{language}.txt").read_text(encoding="utf-8").splitlines()
        words = [word for line in lines if line[:1] not in ("#", "[") for word in line.split()]
        assert sorted({word for word in words if words.count(word) > 1}) == []
