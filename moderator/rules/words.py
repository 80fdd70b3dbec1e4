"""Dictionaries that need no file: any word, a list of words, and verdicts out of a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from moderator.rules.log import to_plain_value
from moderator.rules.state import Words
from moderator.rules.verdict import TWICE, Verdict


def format_word_entry(word: str, base: str | None = None) -> str:
    """Return a word as it stands in a list or a record: ``IXTE``, with its base form ``IXTE (AUSIXEN)``."""
    return f"{word} ({base})" if base else word


class AnyWords(Words):
    """Accepts everything of two letters or more. Lists nothing, so move generators find no words."""

    def judge(self, word: str, base: str | None = None) -> Verdict:
        if len(word) < 2:
            return Verdict(word, "reject", "too-short", "any")
        return Verdict(word, "accept", source="any")

    def playable(self, max_length: int) -> Sequence[str]:
        return ()


class WordList(Words):
    """Accepts what is listed and rejects the rest with reason ``unknown``. An entry ``IXTE (AUSIXEN)`` counts
    only where that base form is named."""

    def __init__(self, words: Iterable[str], source: str = "list") -> None:
        self.words = frozenset(words)
        self.source = source

    def judge(self, word: str, base: str | None = None) -> Verdict:
        if word in self.words or format_word_entry(word, base) in self.words:
            return Verdict(word, "accept", source=self.source)
        return Verdict(word, "reject", "unknown", self.source)

    def playable(self, max_length: int) -> Sequence[str]:
        return sorted(w for w in self.words if 2 <= len(w) <= max_length and " " not in w)


class WordsWithout(Words):
    """``inner`` but for some entries that did not count (yet) when a move was judged."""

    def __init__(self, inner: Words, rejected: Iterable[str]) -> None:
        self.inner = inner
        self.rejected = frozenset(rejected)

    def judge(self, word: str, base: str | None = None) -> Verdict:
        if format_word_entry(word, base) in self.rejected:
            return Verdict(word, "reject", "unknown", "record")
        return self.inner.judge(word, base)

    def playable(self, max_length: int) -> Sequence[str]:
        return [word for word in self.inner.playable(max_length) if word not in self.rejected]


class RecordedWords(Words):
    """Answers from the record, so that a new dictionary never rewrites history. A word that is not in it goes to
    ``otherwise``; without one it is rejected as ``not-recorded``, and the replay shows up as different."""

    def __init__(self, verdicts: Mapping[str, Mapping[str, Any]], otherwise: Words | None = None) -> None:
        self.verdicts = verdicts
        self.otherwise = otherwise

    def judge(self, word: str, base: str | None = None) -> Verdict:
        found = self.verdicts.get(format_word_entry(word, base))
        if found is not None:
            return decode_verdict(word, found)
        if self.otherwise is not None:
            return self.otherwise.judge(word, base)
        return Verdict(word, "reject", "not-recorded", "record")

    def playable(self, max_length: int) -> Sequence[str]:
        """Return, without another dictionary, the words that the record accepts: what was found among all words when
        the record was written is found again."""
        if self.otherwise is not None:
            return self.otherwise.playable(max_length)
        accepted = (w for w, verdict in self.verdicts.items() if verdict.get("ruling") == "accept")
        return sorted(w for w in accepted if 2 <= len(w) <= max_length and " " not in w)


class RecordingWords(Words):
    """Passes every question on and keeps the answers in ``verdicts``: {entry: verdict as plain JSON}."""

    def __init__(self, inner: Words) -> None:
        self.inner = inner
        self.verdicts: dict[str, dict[str, Any]] = {}

    def judge(self, word: str, base: str | None = None) -> Verdict:
        verdict = self.inner.judge(word, base)
        self.verdicts[format_word_entry(word, base)] = encode_verdict(verdict)
        return verdict

    def playable(self, max_length: int) -> Sequence[str]:
        return self.inner.playable(max_length)


class AssumingWords(Words):
    """``inner``, but a word that the moderator must rule on counts: for looking ahead while he is asked."""

    def __init__(self, inner: Words) -> None:
        self.inner = inner

    def judge(self, word: str, base: str | None = None) -> Verdict:
        verdict = self.inner.judge(word, base)
        return Verdict(word, "accept", "assumed") if verdict.ruling == "ask" else verdict

    def playable(self, max_length: int) -> Sequence[str]:
        return self.inner.playable(max_length)


def unwrapped(words: Words) -> Words:
    """Return the dictionary behind those that only watch its verdicts; it lists the same words."""
    while isinstance(words, RecordingWords | AssumingWords):
        words = words.inner
    return words


def filter_robot_words(words: Words, grade: int = TWICE) -> Words:
    """Return the words that a robot may lay: of ``grade``, however many more count. A word that others have laid is
    judged as ever. Where nobody has looked how well words are known, all of them; the same object each time."""
    if isinstance(words, WordsWithout):
        return WordsWithout(filter_robot_words(words.inner, grade), words.rejected)
    whole = unwrapped(words)
    graded = whole.among(grade)
    return words if graded is None else graded


def listed(words: Words) -> bool:
    """Return whether a dictionary can list its words: not where any word counts."""
    while isinstance(words, RecordingWords | AssumingWords | WordsWithout):
        words = words.inner
    return not isinstance(words, AnyWords)


def encode_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as JSON values: {"ruling": …} and, where they say something, "reason", "source" and "params"."""
    values: dict[str, Any] = {"ruling": verdict.ruling}
    if verdict.reason:
        values["reason"] = verdict.reason
    if verdict.source:
        values["source"] = verdict.source
    if verdict.params:
        values["params"] = to_plain_value(verdict.params)
    return values


def decode_verdict(word: str, values: Mapping[str, Any]) -> Verdict:
    """Return a verdict from JSON values, the opposite of ``encode_verdict``. An unknown ruling counts as "reject"."""
    ruling = values.get("ruling")
    known = ruling if ruling in ("accept", "reject", "ask") else "reject"
    return Verdict(
        word=word,
        ruling=cast(Literal["accept", "reject", "ask"], known),
        reason=values.get("reason", ""),
        source=values.get("source", ""),
        params=values.get("params", {}),
    )
