"""How a written word becomes tiles (rulebook §10; Unicode Technical Report 15 for NFKC)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderator.errors import Illegal
from moderator.words.letters import ALPHABETS, capitals, clean, key, upper


@pytest.mark.parametrize(
    ("word", "topwords", "typdom"),
    [
        ("Haus", "HAUS", "HAUS"),
        ("Öfen", "ÖFEN", "OEFEN"),
        ("O\u0308fen", "ÖFEN", "OEFEN"),  # a Mac's decomposed umlaut
        ("Straße", "STRASSE", "STRASSE"),
        ("STRAẞE", "STRASSE", "STRASSE"),
        ("Schi\u00adff", "SCHIFF", "SCHIFF"),
        ("Schi\ufb00", "SCHIFF", "SCHIFF"),
        ("bauer", "BAUER", "BAUER"),
    ],
)
def test_keys(word: str, topwords: str, typdom: str) -> None:
    assert key(word) == topwords
    assert key(word, "typdom") == typdom


@pytest.mark.parametrize(
    ("word", "letter"), [("Café", "É"), ("E-Mail", "-"), ("geht's", "'"), ("a b", " "), ("2CV", "2"), ("ŉ", "ʼ")]
)
def test_other_letters_are_refused_by_name(word: str, letter: str) -> None:
    with pytest.raises(Illegal) as caught:
        key(word)
    assert caught.value.code == "foreign-letter"
    assert caught.value.params == {"word": word, "letter": letter}


@given(st.text(max_size=12))
def test_a_key_has_only_letters_of_its_alphabet_and_is_its_own_key(word: str) -> None:
    for profile in ("topwords", "typdom"):
        try:
            found = key(word, profile)  # type: ignore[arg-type]
        except Illegal:
            continue
        assert set(found) <= ALPHABETS[profile]
        assert key(found, profile) == found  # type: ignore[arg-type]


@given(st.text(alphabet="abzäöüßẞABZÄÖÜ\n", max_size=30))
def test_capitals_of_a_text_are_those_of_its_words(text: str) -> None:
    assert capitals(text) == upper(text)
    assert clean(text) == text
