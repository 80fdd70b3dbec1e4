"""The words that the original rules name, under the dictionary that pip alone gives; the mails' sentences."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import moderator.words
from moderator.match.verdict import Verdict
from moderator.words import compiled, german, kinds
from moderator.words.dictionary import Dictionary, open_dictionary
from moderator.words.house import SHIPPED
from moderator.words.kinds import INFINITIVE, KINDS, PARTICIPLE, VERB_FORM
from tests.words.noise import TOPWORDS, TYPDOM

FOLDER = Path(moderator.words.__file__).parent
SHORT = "AB AH AM AN ÄH AS DA DU EH EI ER ES HA HE HM HO IN JA MY NY OB OH ÖL PI XI ZU"
NOT = "ANTI NASIG USW BZW CA CDU USB KAEFIG AEH HUAS XQZ RW"
NOT_TYPDOM = "RW AUDI OPEL ALDI GOOGLE GING GEHST USW GELAUFEN"


@pytest.fixture(scope="module")
def topwords(simplemma_folder: Path) -> Dictionary:
    return open_dictionary(simplemma_folder, ["de"], house=[SHIPPED])


@pytest.mark.parametrize("word", TOPWORDS.split())
def test_words_of_the_original_count(topwords: Dictionary, word: str) -> None:
    assert topwords.judge(word).ruling == "accept"


def test_the_part_of_a_separable_verb_needs_its_base_form(topwords: Dictionary) -> None:
    assert topwords.judge("IXTE").reason == "needs-base-form"
    assert topwords.judge("IXTE", "ausixen").ruling == "accept"
    assert "IXTE" not in topwords.playable(10)


@pytest.mark.parametrize("word", NOT.split())
def test_what_the_original_excludes_does_not(topwords: Dictionary, word: str) -> None:
    assert topwords.judge(word).ruling == "reject"


def test_typdom_follows_its_own_rules(simplemma_folder: Path) -> None:
    typdom = open_dictionary(simplemma_folder, ["de"], house=[SHIPPED], policy="typdom")
    assert [word for word in TYPDOM.split() if typdom.judge(word).ruling != "accept"] == []
    assert [word for word in NOT_TYPDOM.split() if typdom.judge(word).ruling != "reject"] == []


def test_words_of_two_letters_come_from_the_list_alone(topwords: Dictionary, simplemma_folder: Path) -> None:
    assert list(compiled.Lexicon(simplemma_folder / "de.lex").section(2)) == []
    short = [word for word in topwords.playable(2) if len(word) == 2]
    assert set(SHORT.split()) <= set(short)
    assert len(short) < 100


def test_playable_is_sorted_and_admissible(topwords: Dictionary) -> None:
    words = topwords.playable(10)
    assert len(words) > 200_000
    assert list(words) == sorted(set(words))
    assert all(2 <= len(word) <= 10 for word in words)
    assert [word for word in words[:: len(words) // 500] if topwords.judge(word).ruling != "accept"] == []


def test_the_quick_build_says_where_it_comes_from(simplemma_folder: Path) -> None:
    facts = compiled.metadata(simplemma_folder / "de.lex")
    assert facts.language == "de"
    assert facts.longest == 10
    assert re.fullmatch(r"german-wordlist, simplemma [\d.]+ \(de\)", facts.edition)
    compiled.verify(simplemma_folder / "de.lex")


@pytest.mark.parametrize(
    ("spelling", "lemma", "kind"),
    [
        *(("gehen", "gehen", INFINITIVE), ("ging", "gehen", VERB_FORM), ("gehst", "gehen", VERB_FORM)),
        *(("gegangen", "gehen", PARTICIPLE), ("gehend", "gehen", PARTICIPLE), ("gehende", "gehen", PARTICIPLE)),
        *(("ausgegangen", "ausgehen", PARTICIPLE), ("auszugehen", "ausgehen", INFINITIVE)),
        *(
            ("offene", "offen", 1),
            ("schöne", "schön", 1),
            ("Gehen", "gehen", 0),
            ("verkaufter", "verkaufen", PARTICIPLE),
        ),
    ],
)
def test_kinds_of_german_forms(spelling: str, lemma: str, kind: int) -> None:
    assert german.classify(spelling, lemma) == kind


# ---- sentences ----


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
