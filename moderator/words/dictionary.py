"""The dictionary of a game: house lists, compiled lexicons and a policy, behind ``state.Words``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any, Literal

from moderator.common.errors import Illegal
from moderator.rules.verdict import EVERYDAY, TWICE, Verdict, Words
from moderator.words import kinds
from moderator.words.compiled import SUFFIX, Lexicon, Location, unpack_readings, verify_lexicon
from moderator.words.house_rulings import SHIPPED, SPLIT, HouseList, HouseRuling, open_house_list
from moderator.words.kinds import INFINITIVE, VERB_FORM, Reading

SEPARABLE = (
    *("ab", "an", "auf", "aus", "bei", "da", "dar", "ein", "empor", "entgegen", "entlang", "entzwei", "fehl", "fern"),
    *("fest", "fort", "frei", "gegenüber", "gleich", "heim", "her", "herab", "heran", "herauf", "heraus", "herbei"),
    *("herein", "herum", "herunter", "hervor", "hierher", "hin", "hinab", "hinan", "hinauf", "hinaus", "hinein"),
    *("hinterher", "hinüber", "hinunter", "hinweg", "hinzu", "hoch", "los", "mit", "nach", "nieder", "preis", "quer"),
    *("rein", "rück", "statt", "stand", "teil", "tot", "um", "vor", "voran", "voraus", "vorbei", "vorüber", "weg"),
    *("weiter", "wider", "wieder", "zu", "zurecht", "zurück", "zusammen", "zwischen", "über", "unter", "durch", "voll"),
    *("auseinander", "beisammen", "dahin", "davon", "dazu", "daran", "drauf", "dran", "raus", "ran", "rauf", "rum"),
)
_INFINITIVE = ("en", "ln", "rn", "ein", "tun")
_PARTICIPLE = ("END", "ENDE", "ENDER", "ENDEM", "ENDEN", "ENDES", "TEM", "TER", "TES")
_VOWELS = frozenset("AEIOUYÄÖÜ")


def is_infinitive(spelling: str) -> bool:
    """Return whether a form looks like an infinitive: small letters, ending in -en, -eln, -ern, -ein or -tun."""
    return spelling.islower() and len(spelling) > 2 and spelling.endswith(_INFINITIVE)


def is_finite_part(part: str, stem: str) -> bool:
    """Return whether a part can be a finite form, by its letters alone: IXTE of (AUS)IXEN, not IXEND, GEIXT or
    ZUIXEN."""
    if part.endswith(_PARTICIPLE):
        return False
    return not any(part.startswith(start) and not stem.startswith(start) for start in ("GE", "ZU"))


def may_belong_to_stem(part: str, stem: str) -> bool:
    """Return whether a part begins like a verb's stem, so that GRABEN is not taken for a form of (AUS)IXEN. Vowels
    change in strong verbs; the forms of SEIN are all different."""
    if stem == "SEIN" or part.startswith(("GE", "ZU")):
        return True
    return part[0] == stem[0] or (part[0] in _VOWELS and stem[0] in _VOWELS)


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
    rulings: Sequence[HouseRuling] = (),
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
    chosen = kinds.build_word_policy(policy)
    opened = [Lexicon(os.path.join(folder, name + SUFFIX)) for name in lexicons]
    doubtful = [Lexicon(os.path.join(folder, name + SUFFIX)) for name in ask_if_in]
    foreign = opened and all(lexicon.facts.language not in ("", "de") for lexicon in opened)
    german = [path for path in house if not (foreign and os.fspath(path) == SHIPPED)]
    lists = [
        open_house_list(path, chosen.profile, (policy, *scopes), () if number else rulings)
        for number, path in enumerate(german)
    ]
    return Dictionary(opened, doubtful, lists, chosen, unknown, reference)


class Dictionary(Words):
    """Order of authority: house lists, lexicons under the policy."""

    def __init__(
        self,
        lexicons: Sequence[Lexicon],
        doubtful: Sequence[Lexicon],
        lists: Sequence[HouseList],
        policy: kinds.WordPolicy,
        unknown: Unknown = "reject",
        reference: str = "",
    ) -> None:
        self._lexicons = tuple(lexicons)
        self._doubtful = tuple(doubtful)
        self._lists = tuple(lists)
        self.policy = policy
        self._accents = bool(lexicons) and all(kinds.has_accents(one.facts.language) for one in lexicons)
        self.unknown = unknown
        self.names = tuple(lexicon.name for lexicon in (*lexicons, *doubtful))
        self.edition = reference or ", ".join(lexicon.edition for lexicon in lexicons)
        """How mails call the dictionary."""
        self._judged: dict[tuple[str, str | None], Verdict] = {}
        self._playable: dict[tuple[int, int], tuple[str, ...]] = {}
        self._selections: dict[int, GradedDictionary] = {}

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the lexicon files, as their headers state it; house lists are not part of it."""
        import hashlib

        digests = "\n".join(lexicon.sha256 for lexicon in (*self._lexicons, *self._doubtful))
        return hashlib.sha256(digests.encode()).hexdigest()

    def verify_files(self) -> None:
        """Read every file wholly. Raises LexiconError if one is not as it was built."""
        for lexicon in (*self._lexicons, *self._doubtful):
            verify_lexicon(lexicon.path)

    # ---- verdicts ----

    def judge(self, word: str, base: str | None = None) -> Verdict:
        """Judge whether ``word`` may be laid. ``base`` is the base form the player named. Never raises for a player's
        word."""
        known = self._judged.get((word, base))
        if known is None:
            known = self._judge_word(word, base)
            if len(self._judged) < REMEMBERED:
                self._judged[word, base] = known
        return known

    def _judge_word(self, word: str, base: str | None) -> Verdict:
        try:
            key = kinds.to_word_key(word, self.policy.profile, self._accents)
        except Illegal as error:
            return Verdict(word, "reject", error.code, self.edition, error.params)
        if len(key) < 2:
            return Verdict(key, "reject", "too-short", self.edition, {"word": key})
        verdict, readings = self._judge_by_house(key, base, self._list_readings(self._lexicons, key))
        return verdict or self._judge_by_lexicon(key, base, readings)

    def _judge_by_house(
        self, key: str, base: str | None, readings: Sequence[tuple[Reading, str]]
    ) -> tuple[Verdict | None, Sequence[tuple[Reading, str]]]:
        """Judge by the lists: return a verdict if they give one, else None and the readings that they leave."""
        struck: dict[str, Verdict] = {}
        for rulings in self._lists:
            for ruling in rulings.list_latest(key):
                if ruling.spelling in struck:
                    continue
                verdict = self._apply_ruling(ruling, key, base, rulings.source)
                if verdict.ruling == "accept" or ruling.spelling is None:
                    return verdict, ()
                struck[ruling.spelling] = verdict
        left = [(reading, source) for reading, source in readings if reading.spelling not in struck]
        if struck and not self._may_count(left, base):
            return next(iter(struck.values())), ()
        return None, left

    def _may_count(self, readings: Sequence[tuple[Reading, str]], base: str | None) -> bool:
        """Return whether the readings may still make a word good; else the list's reason is the better one."""
        return bool(readings) and (base is not None or any(self.policy.may_count(r.kinds) for r, _ in readings))

    def _apply_ruling(self, ruling: HouseRuling, key: str, base: str | None, source: str) -> Verdict:
        """Apply a ruling to a key. An allowed word of a kind that the policy refuses does not count either; tags say
        its kind."""
        params = {"word": key, "spelling": ruling.spelling or key, "lemma": ruling.base or None}
        params |= {"ruling": ", ".join(filter(None, (ruling.reason, ruling.date))) or None, "date": ruling.date or None}
        if ruling.ruling == "allow" and self.policy.may_count(ruling.kinds):
            if SPLIT in ruling.tags and not self._is_same_base(base, ruling.base):
                return Verdict(key, "reject", "needs-base-form", source, params | {"base": ruling.base})
            return Verdict(key, "accept", "", source, params)
        refused = ruling.kinds and not self.policy.may_count(ruling.kinds)
        reason = self.policy.get_objection(ruling.kinds, bool(ruling.base)) if refused else "denied"
        return Verdict(key, "reject", reason, source, params)

    def _is_same_base(self, one: str | None, other: str) -> bool:
        """Return whether a player's base form is that of the list."""
        try:
            return one is not None and kinds.to_word_key(one) == kinds.to_word_key(other)
        except Illegal:
            return False

    def _judge_by_lexicon(self, key: str, base: str | None, readings: Sequence[tuple[Reading, str]]) -> Verdict:
        for reading, source in readings:
            if self.policy.may_count(reading.kinds):
                return Verdict(key, "accept", "", source, _build_facts(key, reading))
        failed = ""
        if base is not None and self.policy.may_count(VERB_FORM):
            failed, facts = self._judge_separable(key, base)
            if not failed:
                return Verdict(key, "accept", "separable", self.edition, facts)
        if readings:
            reading, source = min(readings, key=lambda found: self.policy.rank_objection(found[0].kinds))
            reason = self.policy.get_objection(reading.kinds, reading.lemma is not None)
            ruling = self.unknown if reason == "name" else "reject"  # of what it is the name, nobody says
            return Verdict(key, ruling, reason, source, _build_facts(key, reading))
        for reading, source in self._list_readings(self._doubtful, key):
            if self.policy.may_count(reading.kinds):
                return Verdict(key, "ask", "doubtful", source, _build_facts(key, reading))
        return self._judge_unknown(key, base, failed)

    def _judge_unknown(self, key: str, base: str | None, failed: str) -> Verdict:
        """Judge a word that stands nowhere: why it is refused, or that the moderator is to be asked."""
        for suggestion in self._iter_umlaut_words(key):
            return Verdict(key, "reject", "umlaut", self.edition, {"word": key, "suggestion": suggestion})
        facts: dict[str, Any] = {"word": key, "base": base}
        if not failed:
            lemma = self._find_separable_verb(key)
            if lemma:
                reason = "needs-base-form" if self.policy.may_count(VERB_FORM) else "verb-form"
                return Verdict(key, "reject", reason, self.edition, {"word": key, "base": lemma, "lemma": lemma})
        return Verdict(key, self.unknown, failed or "unknown", self.edition, facts if failed else {"word": key})

    # ---- look-ups ----

    def _list_readings(self, lexicons: Sequence[Lexicon], key: str) -> list[tuple[Reading, str]]:
        typdom = self.policy.profile == "typdom"
        return [(reading, lexicon.edition) for lexicon in lexicons for reading in lexicon.list_readings(key, typdom)]

    def _is_admissible(self, key: str) -> bool:
        """Return whether a word stands in a list or lexicon and counts; base forms are not looked at."""
        verdict, readings = self._judge_by_house(key, None, self._list_readings(self._lexicons, key))
        if verdict is not None:
            return verdict.ruling == "accept"
        return any(self.policy.may_count(reading.kinds) for reading, _ in readings)

    def _iter_umlaut_words(self, key: str) -> Iterator[str]:
        """Yield the words that would count if some AE, OE, UE in them were Ä, Ö, Ü."""
        if self.policy.profile != "topwords":
            return
        parts = key.replace("AE", "\0Ä\0").replace("OE", "\0Ö\0").replace("UE", "\0Ü\0").split("\0")
        choices = [(part, kinds.UMLAUTS[part]) if part in kinds.UMLAUTS else (part,) for part in parts]
        if len(parts) > 1 and sum(len(choice) > 1 for choice in choices) <= 4:
            for candidate in map("".join, product(*choices)):
                if candidate != key and self._is_admissible(candidate):
                    yield candidate

    # ---- separable verbs ----

    def _judge_separable(self, key: str, base: str) -> tuple[str, dict[str, Any]]:
        """Return ("", facts) if ``key`` is a finite part of the separable verb ``base``, else (reason, facts)."""
        facts: dict[str, Any] = {"word": key, "base": base, "lemma": base}
        try:
            verb = kinds.to_word_key(base, self.policy.profile)
        except Illegal:
            return "base-unknown", facts
        spellings = self._list_infinitives(verb)
        if not spellings:
            return "base-unknown", facts
        found = [p.upper() for p in SEPARABLE if verb.startswith(p.upper()) and len(verb) > len(p) + 2]
        prefixes = sorted(found, key=len, reverse=True)
        if not prefixes:
            return "base-not-separable", facts
        reason = "not-a-part"
        for prefix in prefixes:
            forms = [r for r, _ in self._list_readings(self._lexicons, prefix + key) if r.spelling.islower()]
            stem = verb.removeprefix(prefix)
            forms = [r for r in forms if (may_belong_to_stem(key, stem) if r.lemma is None else r.lemma in spellings)]
            if any(_is_finite_form(form, key, stem) for form in forms):
                return "", facts | {"prefix": prefix, "spelling": key.lower(), "lemma": min(spellings)}
            if forms:
                reason = "not-finite"
        return reason, facts

    def _list_infinitives(self, verb: str) -> set[str]:
        """List the spellings of an infinitive behind a key; the house lists may add one."""
        found = {r.spelling for r, _ in self._list_readings(self._lexicons, verb) if _is_infinitive(r)}
        verdict, _ = self._judge_by_house(verb, None, ())
        if verdict is not None and verdict.ruling == "reject":
            return found - {verdict.params["spelling"]} if verdict.params["spelling"] != verb else set()
        if verdict is not None and is_infinitive(verb.lower()):
            found.add(verb.lower())
        return found

    def _find_separable_verb(self, key: str) -> str:
        """Return a separable verb that ``key`` is a finite part of, where a lexicon says so clearly; "" if none."""
        for prefix in SEPARABLE:
            whole = kinds.to_word_key(prefix, self.policy.profile) + key
            for reading, _ in self._list_readings(self._lexicons, whole):
                if reading.kinds & VERB_FORM and reading.lemma and reading.lemma.startswith(prefix):
                    return reading.lemma
        return ""

    # ---- for move generators ----

    def playable(self, max_length: int) -> Sequence[str]:
        """Return every key of 2..max_length letters that counts without a base form, sorted. Kept for the next time."""
        return self.list_keys(max_length)

    def list_keys(self, max_length: int, grade: int = 0) -> Sequence[str]:
        """List the keys as ``playable``, but of what the lexicons have only keys of that grade; what the house lists
        allow is as good as known twice. Two lexicons are two sources."""
        if (max_length, grade) not in self._playable:
            found: set[str] = set()
            once: set[str] = set()
            for lexicon in self._lexicons:
                for length in range(2, max_length + 1):
                    found.update(self._iter_keys(lexicon, length, grade))
                    if grade == TWICE and len(self._lexicons) > 1:
                        here = set(self._iter_keys(lexicon, length))
                        found |= once & here
                        once |= here
            for rulings in self._lists:
                for key in rulings.list_keys():
                    if 2 <= len(key) <= max_length and (key in found or grade <= TWICE):
                        (found.add if self._is_admissible(key) else found.discard)(key)
            self._playable[max_length, grade] = tuple(sorted(found))
        return self._playable[max_length, grade]

    def among(self, grade: int) -> Words:
        """Return this dictionary for somebody who lays only words of a grade. Where nobody has looked how well its
        words are known (a file of an earlier version, a list in an unknown language), that is this dictionary; where
        nobody knows which are frequent, those that two sources know."""
        if grade == EVERYDAY and not any(lexicon.facts.everyday for lexicon in self._lexicons):
            grade = TWICE
        if not any(lexicon.facts.twice for lexicon in self._lexicons):
            return self
        return self._selections.setdefault(grade, GradedDictionary(self, grade))

    def _iter_keys(self, lexicon: Lexicon, length: int, grade: int = 0) -> Iterator[str]:
        """Yield the keys of one length and grade that the policy takes. Many keys share their packed readings' meaning,
        so that is worked out once for each."""
        typdom = self.policy.profile == "typdom"
        known: dict[bytes, bool] = {}
        for derived in (False, True) if typdom else (False,):
            for key, data in lexicon.iter_packed_keys(length, derived):
                good = known.get(data)
                if good is None:
                    good = known[data] = any(
                        self.policy.may_count(r.kinds) and r.grade & grade == grade for r in unpack_readings(key, data)
                    )
                if good and not (typdom and not key.isascii()):
                    yield key


class GradedDictionary(Words):
    """A dictionary of which only words of a grade are listed; judges like the whole one."""

    def __init__(self, dictionary: Dictionary, grade: int) -> None:
        self._dictionary = dictionary
        self._grade = grade

    def judge(self, word: str, base: str | None = None) -> Verdict:
        """Judge as the whole dictionary."""
        return self._dictionary.judge(word, base)

    def playable(self, max_length: int) -> Sequence[str]:
        """Return the keys of 2..max_length letters that count and are of the grade, sorted."""
        return self._dictionary.list_keys(max_length, self._grade)


def _build_facts(key: str, reading: Reading) -> dict[str, Any]:
    return {"word": key, "spelling": reading.spelling, "lemma": reading.lemma}


def _is_infinitive(reading: Reading) -> bool:
    """Return whether a reading is an infinitive: by its kind, or by its letters where the source does not tell
    kinds."""
    if reading.kinds:
        return bool(reading.kinds & INFINITIVE)
    return is_infinitive(reading.spelling)


def _is_finite_form(form: Reading, part: str, stem: str) -> bool:
    """Return whether a form is finite, by its kind in the source or by its letters. The infinitive is a finite form,
    too: wir ixen aus."""
    if form.kinds & VERB_FORM:
        return True
    if form.kinds and not form.kinds & INFINITIVE:
        return False
    return part == stem or is_finite_part(part, stem)
