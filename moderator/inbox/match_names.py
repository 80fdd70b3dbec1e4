"""Which match a line of a player's names, in whatever words: by its code, its name, or its game where that is enough.

A line that is nothing but such a name and the words around it (``Zu Partie K7Q2:``, ``*Arratia*``, ``In K7Q2 spiele
ich``), maybe with an order behind it, is a *heading*. One that names a match in any other way is a *mention*: nobody
can say which match the lines from there on mean, so none of them may be played without asking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from moderator.common.message_files import build_spelling_pattern, load_synonyms, normalize_spelling
from moderator.common.tokens import CODE_WORD
from moderator.language.spelling import HERE as SPELLING

Grade = Literal[0, 1, 2]
"""What a text is in a match: no order; meant as one, but not readable; an order."""
How = Literal["code", "foreign", "name", "game"]
LONGEST = 400
"""Characters of a line that are searched."""
_WORD = re.compile(r"[^\W_]+")


_BEFORE = r"(?<![^\W_])(?<![+@/])"
_BEHIND = r"(?![^\W_])(?!@)"
_MARKS = " \t*_~#>)]}\"'“”„‟»«›‹’‘`-–—→=,."
"""What may stand between a heading and the order behind it."""
_ENDS_IN_COLON = re.compile(r":[\W_]*\Z")
HERE = Path(__file__).parent
_NOUNS = load_synonyms(SPELLING, "match")
_PLACING = load_synonyms(HERE, "match-placing")
_LEADING = _NOUNS | load_synonyms(HERE, "match-leading")
"""Words that may stand before the name in a heading."""
_TRAILING = _NOUNS | load_synonyms(HERE, "match-trailing")
"""The same, between the name and the colon or the order."""
_AGAINST, _DENYING = load_synonyms(HERE, "match-against"), load_synonyms(HERE, "match-denying")
_OTHER, _ORDINAL = load_synonyms(HERE, "match-other"), load_synonyms(HERE, "match-ordinal")
_ROUND = load_synonyms(HERE, "round-noun")


@dataclass(frozen=True)
class MatchName:
    """A match of the writer's and the names that it may have. ``over``: it takes no orders any more."""

    code: str
    name: str = ""
    game: tuple[str, ...] = ()
    """The names of its game, in all languages."""
    over: bool = False


@dataclass(frozen=True)
class NameReference:
    """A name of a match in a line. ``codes``: the matches that it may mean."""

    start: int
    end: int
    codes: frozenset[str]
    how: How
    weak: bool = False
    """It might be an ordinary word as well."""
    named: frozenset[str] = frozenset()
    """Those of ``codes`` whose own name it is, not that of their game."""


@dataclass(frozen=True)
class LineReference:
    """The matches that a line names. ``codes``: one for a heading; () = another match than the one before, whichever.
    ``rest``: the order or command behind a heading."""

    codes: tuple[str, ...]
    heading: bool
    rest: str = ""


@dataclass(frozen=True)
class MatchNameReader:
    """A reader of names of matches. ``matches``: the writer's, all that are not over, and of the others those that are
    named. ``here``: the one that a line without any name means; "" = none does. ``people`` asks who plays in them.
    ``grade`` says what a text is in a match (of no match: in all), ``command`` whether it is a command."""

    matches: Sequence[MatchName] = ()
    here: str = ""
    people: Callable[[], Collection[str]] = tuple
    grade: Callable[[str, str], Grade] = lambda code, text: 2
    command: Callable[[str], bool] = lambda text: False

    @cached_property
    def matches_by_code(self) -> dict[str, MatchName]:
        return {match.code: match for match in self.matches}

    @cached_property
    def _name_patterns(self) -> list[tuple[re.Pattern[str], frozenset[str], How, bool]]:
        """The pattern, the matches, the kind, and whether it may be an ordinary word, of each name of a match or
        game."""
        by_name: dict[tuple[How, str], set[str]] = {}
        for match in self.matches:
            if not match.over:
                by_name.setdefault(("name", normalize_spelling(match.name)), set()).add(match.code)
                for game in match.game:
                    by_name.setdefault(("game", normalize_spelling(game)), set()).add(match.code)
        found = []
        for (how, name), codes in by_name.items():
            if pattern := _build_name_pattern(name):
                found.append((pattern, frozenset(codes), how, how == "game" or not _is_distinctive(name)))
        return found

    @cached_property
    def _people_words(self) -> frozenset[str]:
        return frozenset(word for name in self.people() for word in normalize_spelling(name).split())

    @cached_property
    def _game_words(self) -> frozenset[str]:
        return frozenset(
            word for match in self.matches for game in match.game for word in _WORD.findall(normalize_spelling(game))
        )

    def find_references(self, text: str) -> list[NameReference]:
        """Return all names in a line, from left to right, none within another."""
        found: list[NameReference] = []
        for hit in CODE_WORD.finditer(text):
            code = hit[1].upper()
            how: How = "code" if code in self.matches_by_code else "foreign"
            found.append(NameReference(*hit.span(), frozenset({code}), how, named=frozenset({code})))
        spans: dict[tuple[int, int], list[tuple[frozenset[str], How, bool]]] = {}
        for pattern, codes, kind, weak in self._name_patterns:
            for hit in pattern.finditer(text):
                spans.setdefault(hit.span(), []).append((codes, kind, weak))
        for span, meant in spans.items():  # a match may be called like a game, or like another match
            codes = frozenset().union(*(codes for codes, _, _ in meant))
            named = frozenset().union(*(codes for codes, how, _ in meant if how == "name"))
            found.append(
                NameReference(*span, codes, "name" if named else "game", all(weak for _, _, weak in meant), named)
            )
        order = ("code", "name", "game", "foreign")
        kept: list[NameReference] = []
        for ref in sorted(found, key=lambda ref: (order.index(ref.how), ref.start - ref.end)):
            if all(ref.end <= other.start or ref.start >= other.end for other in kept):
                kept.append(ref)
        return sorted(kept, key=lambda ref: ref.start)

    def parse_line(self, line: str, current: str) -> LineReference | None:
        """Return what a line names; None = no match, or only the one that its section is about anyway. ``current``: the
        code of that."""
        text = line[:LONGEST]
        refs = self.find_references(text)
        if not refs:
            return LineReference((), heading=False) if self._is_unnamed_heading(text) else None
        at = current or self.here
        if (heading := self._parse_heading(text, refs, at)) is not None:
            rest = heading.rest + line[LONGEST:]
            others = self._list_mentioned_codes(rest, self.find_references(rest[:LONGEST]), heading.codes[0])
            if others:
                return LineReference((*heading.codes, *others), heading=False)
            return LineReference(heading.codes, True, rest)
        others = self._list_mentioned_codes(text, refs, at) or self._list_codes_of_game(text, refs, at)
        return LineReference(others, heading=False) if others else None

    # ---- headings ----

    def _parse_heading(self, text: str, refs: Sequence[NameReference], at: str) -> LineReference | None:
        first = refs[0]
        common = frozenset.intersection(*(ref.codes for ref in refs)) or first.codes
        if len(common) > 1:
            return None
        (code,) = common
        ref = next((ref for ref in refs if ref.codes == common), first)
        before, (rest, colon) = _split_plain_words(text[: first.start]), self._parse_after_name(text, refs, code)
        if rest is None or (ref.how == "game" and code == at):
            return None
        if not self._may_lead_heading(text[: first.start], before):
            called = ref.how == "code" or (ref.how == "name" and (not ref.weak or before[-1] in _NOUNS | _PLACING))
            if (
                not (called and colon and not rest)
                or _DENYING & set(before)
                or self._get_grade(at, text[: first.start])
            ):
                return None
        if self._is_person_name(text, ref):
            sure = bool(before) and (before[-1] in _NOUNS or (before[-1] in _PLACING and (colon or not rest)))
        else:
            marked = colon or bool(_NOUNS & set(before)) or _is_bracketed(text, ref)
            sure = marked or self._is_sure_heading(text, ref, before, rest, at)
        return LineReference((code,), True, rest) if sure else None

    def _is_person_name(self, text: str, ref: NameReference) -> bool:
        """Return whether a match has the name of somebody who may be greeted."""
        return (
            ref.how == "name" and ref.weak and set(_split_plain_words(text[ref.start : ref.end])) <= self._people_words
        )

    def _is_sure_heading(self, text: str, ref: NameReference, before: Sequence[str], rest: str, at: str) -> bool:
        """Return whether a heading that nothing marks as one is one all the same."""
        if ref.how == "code":
            return True
        if self._get_grade(at, text) == 2:
            return False
        if ref.how == "foreign":
            return (not rest and not self._get_grade(at, text)) or (bool(rest) and self._get_grade(at, rest) > 0)
        return not ref.weak or ref.how == "game" or ((bool(before) or not rest) and at not in ref.codes)

    def _may_lead_heading(self, before: str, words: Sequence[str]) -> bool:
        """Return whether the words before a name may begin a heading; a number is one that lists."""
        numbered = re.match(r"\W*\d{1,2}\s?[.)]", before)
        allowed = _LEADING | self._game_words
        return len(words) <= 10 and all(
            word in allowed or (word.isdigit() and numbered and n == 0) for n, word in enumerate(words)
        )

    def _parse_after_name(self, text: str, refs: Sequence[NameReference], code: str) -> tuple[str | None, bool]:
        """Return (the order behind a heading, "" for nothing, None if it is no heading; whether a colon stands before
        that)."""
        at, before, tried = refs[0].end, "", []
        while True:
            while at < len(text) and not (text[at].isalnum() or text[at] == ":"):
                at += 1  # brackets, quotation marks, dashes, emoji
            if at >= len(text):
                return "", False
            if text[at] == ":":
                return text[at + 1 :].strip().lstrip(_MARKS).strip(), True
            tried.append(text[at:].strip())
            again = next((ref for ref in refs[1:] if ref.start <= at < ref.end and code in ref.codes), None)
            word = _WORD.match(text, at)
            if again is not None:
                at = again.end
            elif word and self._may_trail_name(normalize_spelling(word[0]), before, text[at - 1]):
                at, before = word.end(), normalize_spelling(word[0])
            else:
                return self._choose_order(code, tried), False

    def _may_trail_name(self, word: str, before: str, sign: str) -> bool:
        """Return whether a word may stand between a name and the order; ``before``: the word, ``sign``: the character
        before it."""
        numbered = word.isdigit() and before in _ROUND
        # »Zug K7Q2 Anna: passe« is somebody's word on Anna's move; »K7Q2 gegen Anna: passe« names a match.
        against = word in self._people_words and (before in _AGAINST | self._people_words or sign == "(")
        return numbered or against or word in _TRAILING | _AGAINST or word in self._game_words

    def _choose_order(self, code: str, tried: Sequence[str]) -> str | None:
        """Return the order or command among the texts that may follow a heading."""
        for text in tried:
            if self.command(text):
                return text
        grades = [(self._get_grade(code, text), text) for text in tried]
        return next((text for wanted in (2, 1) for grade, text in grades if grade == wanted), None)

    def _get_grade(self, code: str, text: str) -> Grade:
        return self.grade(code, text) if text.strip() else 0

    # ---- mentions ----

    def _list_mentioned_codes(self, text: str, refs: Sequence[NameReference], at: str) -> tuple[str, ...]:
        """Return the other matches of the writer's that a line names."""
        found: dict[str, None] = {}
        for ref in refs:
            if at in ref.named or ref.how in ("foreign", "game") or not self._is_real_name(text, ref, at):
                continue
            over = all(self.matches_by_code[code].over for code in ref.codes)
            if not over or self._get_grade(at, text):
                found |= dict.fromkeys(sorted(ref.codes))
        return tuple(found)

    def _is_real_name(self, text: str, ref: NameReference, at: str) -> bool:
        """Return whether a name in a line is no ordinary word."""
        if ref.how == "code":
            return True
        before = _split_plain_words(text[: ref.start])
        noun = bool(before) and before[-1] in _NOUNS
        if noun:
            return True
        if self._get_grade(at, text) == 2:
            return False
        if not ref.weak:
            return True
        placed = bool(before) and before[-1] in _PLACING
        closed = _ENDS_IN_COLON.search(text) is not None
        if self._is_person_name(text, ref):
            return closed and (placed or not before)
        if set(_split_plain_words(text[ref.start : ref.end])) <= self._game_words:
            return closed or (
                self._may_lead_heading(text[: ref.start], before)
                and set(_split_plain_words(text[ref.end :])) <= _TRAILING
            )
        return placed or _is_bracketed(text, ref) or (not before and self._get_grade(at, text) > 0)

    def _list_codes_of_game(self, text: str, refs: Sequence[NameReference], at: str) -> tuple[str, ...]:
        """Return the matches of which a heading means one by their game alone: ``Dominos:``, ``Zweites Topwords:``."""
        words = set(_split_plain_words(text)) - self._game_words
        if any(ref.how != "game" for ref in refs) or words - _LEADING - _TRAILING - _ORDINAL - _OTHER:
            return ()
        if at in refs[0].codes and not (words & (_ORDINAL | _OTHER) and _ENDS_IN_COLON.search(text)):
            return ()
        return tuple(sorted(refs[0].codes - {at}))

    def _is_unnamed_heading(self, text: str) -> bool:
        """Return whether a line says that another match comes, but not which: ``Andere Partie:``, ``2. Spiel:``."""
        if sum(not match.over for match in self.matches) < 2 or not _ENDS_IN_COLON.search(text):
            return False
        words = _split_plain_words(text)
        rest = set(words) - _LEADING - _TRAILING
        return bool(_NOUNS & set(words)) and bool((_OTHER | _ORDINAL) & set(words)) and rest <= _ORDINAL | _OTHER


def _split_plain_words(text: str) -> list[str]:
    return [word for found in _WORD.findall(text) for word in normalize_spelling(found).split()]


def _is_bracketed(text: str, ref: NameReference) -> bool:
    """Return whether a name stands in brackets or quotes: ``[K7Q2]``, ``»Arratia«``, ``*Arratia*``."""
    before, behind = text[: ref.start].rstrip(" "), text[ref.end :].lstrip(" ")
    return before[-1:] in tuple("[({*_\"'“„»«›‹‚‘`|") and behind[:1] in tuple("])}*_\"'“”«»›‹‘’`|")


def _build_name_pattern(name: str) -> re.Pattern[str] | None:
    """Return a pattern that finds a name, spelt plain, with any signs or none between its words and numbers; None for a
    name without any."""
    parts = re.findall(r"[^\W\d_]+|\d+", name)
    spelt = r"[\W_]{0,3}".join(map(build_spelling_pattern, parts))
    return re.compile(f"{_BEFORE}{spelt}{_BEHIND}", re.IGNORECASE) if parts else None


def _is_distinctive(name: str) -> bool:
    """Return whether a name can be nothing else: of several parts, and long enough to be no square or tile."""
    parts = re.findall(r"[^\W\d_]+|\d+", name)
    letters = sum(character.isalpha() for character in name)
    return len(parts) > 1 and letters >= 3 and letters + sum(map(str.isdigit, name)) >= 4


def iter_heading_pieces(line: str, naming: MatchNameReader, current: str) -> Iterator[str]:
    """Yield the parts of a line, cut at semicolons before a heading: ``K7Q2: passe; M4X9: E5 w HAUS`` are orders for
    two matches."""
    start, at = 0, current
    for cut in re.finditer(r"\s*[;|]\s*|\s+/\s+", line[:LONGEST]):
        named = naming.parse_line(line[cut.end() :].partition(";")[0], at)
        if named is not None and named.heading and named.rest:
            if line[start : cut.start()].strip():
                yield line[start : cut.start()]
            start, at = cut.end(), named.codes[0]
    yield line[start:]
