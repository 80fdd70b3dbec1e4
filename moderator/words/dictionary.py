"""The dictionary of a game: house lists, compiled lexicons and a policy, behind ``contract.Words``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from moderator.errors import Illegal
from moderator.match.verdict import EVERYDAY, TWICE, Verdict
from moderator.words import kinds, letters, separable
from moderator.words.compiled import SUFFIX, Lexicon, Location, unpack, verify
from moderator.words.house import SHIPPED, SPLIT, HouseList, Ruling, open_list
from moderator.words.kinds import INFINITIVE, VERB_FORM, Reading

if TYPE_CHECKING:
    from moderator.match.contract import Words

Unknown = Literal["reject", "ask"]

REMEMBERED = 20_000
"""Verdicts kept: an order's words are judged for the receipt and again when it is played."""


def open_dictionary(
    folder: Location,
    lexicons: Sequence[str],
    *,
    ask_if_in: Sequence[str] = (),
    house: Sequence[Location] = (),
    policy: str = "topwords",
    unknown: Unknown = "reject",
    scopes: Collection[str] = (),
    rulings: Sequence[Ruling] = (),
    reference: str = "",
) -> Dictionary:
    """Open ``folder/NAME.lex`` for each name; the file's own folder is not searched any further.

    ``ask_if_in``: lexicons whose words are put to the moderator. ``house``: lists, the strongest first; a missing file
    is an empty list; the list that ships is German and left out beside dictionaries of another language.
    ``scopes``: which scopes of the house lists apply besides ``all`` and the policy's name (the
    match's code). ``rulings``: what is about to be written at the end of the first of the lists.
    ``reference``: how mails call the dictionary; "" = the lexicons' editions.

    Raises LexiconError (missing or damaged file, bad line in a list) and ConfigError (unknown policy).
    """
    chosen = kinds.policy(policy)
    opened = [Lexicon(os.path.join(folder, name + SUFFIX)) for name in lexicons]
    doubtful = [Lexicon(os.path.join(folder, name + SUFFIX)) for name in ask_if_in]
    foreign = opened and all(lexicon.facts.language not in ("", "de") for lexicon in opened)
    german = [path for path in house if not (foreign and os.fspath(path) == SHIPPED)]
    lists = [
        open_list(path, chosen.profile, (policy, *scopes), () if number else rulings)
        for number, path in enumerate(german)
    ]
    return Dictionary(opened, doubtful, lists, chosen, unknown, reference)


class Dictionary:
    """Implements ``contract.Words``. Order of authority: house lists, lexicons under the policy."""

    def __init__(
        self,
        lexicons: Sequence[Lexicon],
        doubtful: Sequence[Lexicon],
        lists: Sequence[HouseList],
        policy: kinds.Policy,
        unknown: Unknown = "reject",
        reference: str = "",
    ) -> None:
        self._lexicons = tuple(lexicons)
        self._doubtful = tuple(doubtful)
        self._lists = tuple(lists)
        self.policy = policy
        self._accents = bool(lexicons) and all(letters.has_accents(one.facts.language) for one in lexicons)
        self.unknown = unknown
        self.names = tuple(lexicon.name for lexicon in (*lexicons, *doubtful))
        self.edition = reference or ", ".join(lexicon.edition for lexicon in lexicons)
        """How mails call the dictionary."""
        self._judged: dict[tuple[str, str | None], Verdict] = {}
        self._playable: dict[tuple[int, int], tuple[str, ...]] = {}
        self._selections: dict[int, Selection] = {}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the lexicon files, as their headers state it; house lists are not part of it."""
        import hashlib

        digests = "\n".join(lexicon.sha256 for lexicon in (*self._lexicons, *self._doubtful))
        return hashlib.sha256(digests.encode()).hexdigest()

    def check(self) -> None:
        """Read every file wholly. Raises LexiconError if one is not as it was built."""
        for lexicon in (*self._lexicons, *self._doubtful):
            verify(lexicon.path)

    # ---- verdicts ----

    def judge(self, word: str, base: str | None = None) -> Verdict:
        """May ``word`` be laid? ``base`` is the base form the player named. Never raises for a player's word."""
        known = self._judged.get((word, base))
        if known is None:
            known = self._judge(word, base)
            if len(self._judged) < REMEMBERED:
                self._judged[word, base] = known
        return known

    def _judge(self, word: str, base: str | None) -> Verdict:
        try:
            key = letters.key(word, self.policy.profile, self._accents)
        except Illegal as error:
            return Verdict(word, "reject", error.code, self.edition, error.params)
        if len(key) < 2:
            return Verdict(key, "reject", "too-short", self.edition, {"word": key})
        verdict, readings = self._by_house(key, base, self._readings(self._lexicons, key))
        return verdict or self._by_lexicon(key, base, readings)

    def _by_house(
        self, key: str, base: str | None, readings: Sequence[tuple[Reading, str]]
    ) -> tuple[Verdict | None, Sequence[tuple[Reading, str]]]:
        """A verdict if the lists give one, else None and the readings they leave standing."""
        struck: dict[str, Verdict] = {}
        for rulings in self._lists:
            for ruling in rulings.latest(key):
                if ruling.spelling in struck:
                    continue
                verdict = self._apply(ruling, key, base, rulings.source)
                if verdict.ruling == "accept" or ruling.spelling is None:
                    return verdict, ()
                struck[ruling.spelling] = verdict
        left = [(reading, source) for reading, source in readings if reading.spelling not in struck]
        if struck and not self._hopeful(left, base):
            return next(iter(struck.values())), ()
        return None, left

    def _hopeful(self, readings: Sequence[tuple[Reading, str]], base: str | None) -> bool:
        """Whether the readings may still make a word good; else the list's reason is the better one."""
        return bool(readings) and (base is not None or any(self.policy.takes(r.kinds) for r, _ in readings))

    def _apply(self, ruling: Ruling, key: str, base: str | None, source: str) -> Verdict:
        """An allowed word of a kind that the policy refuses does not count either; tags say its kind."""
        params = {"word": key, "spelling": ruling.spelling or key, "lemma": ruling.base or None}
        params |= {"ruling": ", ".join(filter(None, (ruling.reason, ruling.date))) or None, "date": ruling.date or None}
        if ruling.ruling == "allow" and self.policy.takes(ruling.kinds):
            if SPLIT in ruling.tags and not self._same(base, ruling.base):
                return Verdict(key, "reject", "needs-base-form", source, params | {"base": ruling.base})
            return Verdict(key, "accept", "", source, params)
        refused = ruling.kinds and not self.policy.takes(ruling.kinds)
        reason = self.policy.objection(ruling.kinds, bool(ruling.base)) if refused else "denied"
        return Verdict(key, "reject", reason, source, params)

    def _same(self, one: str | None, other: str) -> bool:
        """Whether a player's base form is that of the list."""
        try:
            return one is not None and letters.key(one) == letters.key(other)
        except Illegal:
            return False

    def _by_lexicon(self, key: str, base: str | None, readings: Sequence[tuple[Reading, str]]) -> Verdict:
        for reading, source in readings:
            if self.policy.takes(reading.kinds):
                return Verdict(key, "accept", "", source, _facts(key, reading))
        failed = ""
        if base is not None and self.policy.takes(VERB_FORM):
            failed, facts = self._separable(key, base)
            if not failed:
                return Verdict(key, "accept", "separable", self.edition, facts)
        if readings:
            reading, source = min(readings, key=lambda found: self.policy.rank(found[0].kinds))
            reason = self.policy.objection(reading.kinds, reading.lemma is not None)
            ruling = self.unknown if reason == "name" else "reject"  # of what it is the name, nobody says
            return Verdict(key, ruling, reason, source, _facts(key, reading))
        for reading, source in self._readings(self._doubtful, key):
            if self.policy.takes(reading.kinds):
                return Verdict(key, "ask", "doubtful", source, _facts(key, reading))
        return self._missing(key, base, failed)

    def _missing(self, key: str, base: str | None, failed: str) -> Verdict:
        """Why a word that stands nowhere is refused, or that the moderator is to be asked."""
        for suggestion in self._with_umlauts(key):
            return Verdict(key, "reject", "umlaut", self.edition, {"word": key, "suggestion": suggestion})
        facts: dict[str, Any] = {"word": key, "base": base}
        if not failed:
            lemma = self._split_off(key)
            if lemma:
                reason = "needs-base-form" if self.policy.takes(VERB_FORM) else "verb-form"
                return Verdict(key, "reject", reason, self.edition, {"word": key, "base": lemma, "lemma": lemma})
        return Verdict(key, self.unknown, failed or "unknown", self.edition, facts if failed else {"word": key})

    # ---- look-ups ----

    def _readings(self, lexicons: Sequence[Lexicon], key: str) -> list[tuple[Reading, str]]:
        typdom = self.policy.profile == "typdom"
        return [(reading, lexicon.edition) for lexicon in lexicons for reading in lexicon.readings(key, typdom)]

    def _counts(self, key: str) -> bool:
        """Whether a word stands in a list or lexicon and counts; base forms are not looked at."""
        verdict, readings = self._by_house(key, None, self._readings(self._lexicons, key))
        if verdict is not None:
            return verdict.ruling == "accept"
        return any(self.policy.takes(reading.kinds) for reading, _ in readings)

    def _with_umlauts(self, key: str) -> Iterator[str]:
        """Words that would count if some AE, OE, UE in them were Ä, Ö, Ü."""
        if self.policy.profile != "topwords":
            return
        parts = key.replace("AE", "\0Ä\0").replace("OE", "\0Ö\0").replace("UE", "\0Ü\0").split("\0")
        choices = [(part, letters.UMLAUTS[part]) if part in letters.UMLAUTS else (part,) for part in parts]
        if len(parts) > 1 and sum(len(choice) > 1 for choice in choices) <= 4:
            for candidate in map("".join, product(*choices)):
                if candidate != key and self._counts(candidate):
                    yield candidate

    # ---- separable verbs ----

    def _separable(self, key: str, base: str) -> tuple[str, dict[str, Any]]:
        """("", facts) if ``key`` is a finite part of the separable verb ``base``, else (reason, facts)."""
        facts: dict[str, Any] = {"word": key, "base": base, "lemma": base}
        try:
            verb = letters.key(base, self.policy.profile)
        except Illegal:
            return "base-unknown", facts
        spellings = self._infinitives(verb)
        if not spellings:
            return "base-unknown", facts
        prefixes = separable.prefixes(verb)
        if not prefixes:
            return "base-not-separable", facts
        reason = "not-a-part"
        for prefix in prefixes:
            forms = [r for r, _ in self._readings(self._lexicons, prefix + key) if r.spelling.islower()]
            stem = verb.removeprefix(prefix)
            forms = [r for r in forms if (separable.may_belong(key, stem) if r.lemma is None else r.lemma in spellings)]
            if any(_is_finite(form, key, stem) for form in forms):
                return "", facts | {"prefix": prefix, "spelling": key.lower(), "lemma": min(spellings)}
            if forms:
                reason = "not-finite"
        return reason, facts

    def _infinitives(self, verb: str) -> set[str]:
        """Spellings of an infinitive behind a key; the house lists may add one."""
        found = {r.spelling for r, _ in self._readings(self._lexicons, verb) if _is_infinitive(r)}
        verdict, _ = self._by_house(verb, None, ())
        if verdict is not None and verdict.ruling == "reject":
            return found - {verdict.params["spelling"]} if verdict.params["spelling"] != verb else set()
        if verdict is not None and separable.is_infinitive(verb.lower()):
            found.add(verb.lower())
        return found

    def _split_off(self, key: str) -> str:
        """A separable verb that ``key`` is a finite part of, where a lexicon says so clearly; "" if none."""
        for prefix in separable.SEPARABLE:
            whole = letters.key(prefix, self.policy.profile) + key
            for reading, _ in self._readings(self._lexicons, whole):
                if reading.kinds & VERB_FORM and reading.lemma and reading.lemma.startswith(prefix):
                    return reading.lemma
        return ""

    # ---- for move generators ----

    def playable(self, max_length: int) -> Sequence[str]:
        """Every key of 2..max_length letters that counts without a base form, sorted. Kept for the next time."""
        return self.listed(max_length)

    def listed(self, max_length: int, grade: int = 0) -> Sequence[str]:
        """The same, but of what the lexicons have only keys of that grade; what the house lists allow is as good as
        known twice. Two lexicons are two sources."""
        if (max_length, grade) not in self._playable:
            found: set[str] = set()
            once: set[str] = set()
            for lexicon in self._lexicons:
                for length in range(2, max_length + 1):
                    found.update(self._section(lexicon, length, grade))
                    if grade == TWICE and len(self._lexicons) > 1:
                        here = set(self._section(lexicon, length))
                        found |= once & here
                        once |= here
            for rulings in self._lists:
                for key in rulings.words():
                    if 2 <= len(key) <= max_length and (key in found or grade <= TWICE):
                        (found.add if self._counts(key) else found.discard)(key)
            self._playable[max_length, grade] = tuple(sorted(found))
        return self._playable[max_length, grade]

    def among(self, grade: int) -> Words:
        """This dictionary for somebody who lays only words of a grade. Where nobody has looked how well its words are
        known (a file of an earlier version, a list in an unknown language), that is this dictionary; where nobody knows
        which are frequent, those that two sources know."""
        if grade == EVERYDAY and not any(lexicon.facts.everyday for lexicon in self._lexicons):
            grade = TWICE
        if not any(lexicon.facts.twice for lexicon in self._lexicons):
            return self
        return self._selections.setdefault(grade, Selection(self, grade))

    def _section(self, lexicon: Lexicon, length: int, grade: int = 0) -> Iterator[str]:
        """Keys of one length and grade that the policy takes. Many keys share their packed readings' meaning, so that
        is worked out once for each."""
        typdom = self.policy.profile == "typdom"
        known: dict[bytes, bool] = {}
        for derived in (False, True) if typdom else (False,):
            for key, data in lexicon.section(length, derived):
                good = known.get(data)
                if good is None:
                    good = known[data] = any(
                        self.policy.takes(r.kinds) and r.grade & grade == grade for r in unpack(key, data)
                    )
                if good and not (typdom and not key.isascii()):
                    yield key


class Selection:
    """A dictionary of which only words of a grade are listed; judges like the whole one. Implements
    ``contract.Words``."""

    def __init__(self, dictionary: Dictionary, grade: int) -> None:
        self._dictionary = dictionary
        self._grade = grade

    def judge(self, word: str, base: str | None = None) -> Verdict:
        """As the whole dictionary."""
        return self._dictionary.judge(word, base)

    def playable(self, max_length: int) -> Sequence[str]:
        """Keys of 2..max_length letters that count and are of the grade, sorted."""
        return self._dictionary.listed(max_length, self._grade)


def _facts(key: str, reading: Reading) -> dict[str, Any]:
    return {"word": key, "spelling": reading.spelling, "lemma": reading.lemma}


def _is_infinitive(reading: Reading) -> bool:
    """By its kind, or by its letters where the source does not tell kinds."""
    if reading.kinds:
        return bool(reading.kinds & INFINITIVE)
    return separable.is_infinitive(reading.spelling)


def _is_finite(form: Reading, part: str, stem: str) -> bool:
    """The source's word for it, or the letters'. The infinitive is a finite form, too: wir ixen aus."""
    if form.kinds & VERB_FORM:
        return True
    if form.kinds and not form.kinds & INFINITIVE:
        return False
    return part == stem or separable.is_finite_part(part, stem)
