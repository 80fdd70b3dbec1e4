"""Every code that the engine raises has a sentence in both languages, with the parameters it is raised with."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moderator.match
from moderator import errors
from moderator.match.contract import Verdict
from moderator.match.words import AnyWords, Assuming, Recorded, Recording, Without, WordList, verdict_from_json
from moderator.texts import READ

FOLDER = Path(moderator.match.__file__).parent
SOURCES = [*FOLDER.rglob("*.py"), Path(errors.__file__)]
RAISED = re.compile(r'(?:Illegal|Unreadable|Ambiguous|PlayerError|super\(\)\.__init__)\(\s*"([a-z-]+)"((?:, \w+=)?)')
NOTED = re.compile(r'return Note\("([a-z-]+)"')
"""What leave.py says instead of raising it."""
REASONS = re.compile(r'Verdict\(word, "reject", "([a-z-]+)"')


def sentences(language: str) -> dict[str, str]:
    found = tomllib.loads((FOLDER / f"messages.{language}.toml").read_text(encoding="utf-8"))
    return {code: text for code, text in found.items() if code not in READ}


def codes() -> set[str]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    noted = NOTED.findall((FOLDER / "time" / "calendar.py").read_text(encoding="utf-8"))
    reasons = {f"word.{reason}" for reason in REASONS.findall(text)}
    return {code for code, _ in RAISED.findall(text)} | set(noted) | reasons


@pytest.mark.parametrize("language", ["de", "en"])
def test_codes_and_sentences_are_the_same_set(language: str) -> None:
    assert codes() == set(sentences(language))
    assert codes() > {"game-over", "not-your-turn", "words-undecided", "word.unknown"}


def test_both_languages_fill_in_the_same_parameters() -> None:
    english = sentences("en")
    for code, sentence in sentences("de").items():
        assert re.findall(r"\{(\w+)", sentence) == re.findall(r"\{(\w+)", english[code])


class Asking:
    """Asks about words with Q, accepts with a base form, rejects the rest."""

    def judge(self, word: str, base: str | None = None) -> Verdict:
        if "Q" in word:
            return Verdict(word, "ask", "rare", "test", {"near": ("QUARK",)})
        return Verdict(word, "accept" if base else "reject", "" if base else "unknown", "test")

    def playable(self, max_length: int) -> list[str]:
        return []


def test_any_words_needs_two_letters_and_lists_nothing() -> None:
    assert AnyWords().judge("XQ").ruling == "accept"
    assert AnyWords().judge("X").ruling == "reject"
    assert AnyWords().playable(10) == ()


def test_word_list() -> None:
    words = WordList(["HAUS", "A", "IXTE (AUSIXEN)", "AH"])
    assert words.judge("HAUS").ruling == "accept"
    assert words.judge("HUAS") == Verdict("HUAS", "reject", "unknown", "list")
    assert words.judge("IXTE").ruling == "reject"
    assert words.judge("IXTE", "AUSIXEN").ruling == "accept"
    assert words.judge("IXTE", "EINIXEN").ruling == "reject"
    assert words.playable(4) == ["AH", "HAUS"]
    assert words.playable(3) == ["AH"]


@given(st.lists(st.tuples(st.sampled_from(["QUARK", "IXTE", "HAUS"]), st.sampled_from([None, "AUSIXEN"]))))
def test_a_recording_answers_like_the_original(questions: list[tuple[str, str | None]]) -> None:
    recording = Recording(Asking())
    given_then = [recording.judge(*question) for question in questions]
    recorded = Recorded(json.loads(json.dumps(recording.verdicts)))
    for question, verdict in zip(questions, given_then, strict=True):
        again = recorded.judge(*question)
        assert (again.ruling, again.reason, again.source) == (verdict.ruling, verdict.reason, verdict.source)


def test_what_is_not_recorded_is_rejected_or_asked_elsewhere() -> None:
    assert Recorded({}).judge("HAUS").reason == "not-recorded"
    assert Recorded({}, AnyWords()).judge("HAUS").ruling == "accept"
    assert Recorded({"HAUS": {"ruling": "reject"}}, AnyWords()).judge("HAUS").ruling == "reject"
    assert list(Recorded({}, WordList(["AH"])).playable(2)) == ["AH"]
    assert verdict_from_json("AH", {"ruling": "perhaps"}).ruling == "reject"


def test_without_and_assuming() -> None:
    words = Without(WordList(["AH", "OH"]), ["AH"])
    assert [words.judge(w).ruling for w in ("AH", "OH")] == ["reject", "accept"]
    assert list(words.playable(2)) == ["OH"]
    assert [Assuming(Asking()).judge(w).ruling for w in ("QUARK", "HAUS")] == ["accept", "reject"]
