"""Hunspell dictionaries (.dic with .aff) as lists of forms: affixes applied, nothing compounded.

A live spell checker would accept any compound (Rosenbeet, Birnensaft), which word games do not; therefore only the
forms that stem and affixes give are listed. Handled: PFX and SFX with cross products, two-level suffixes, prefixes in
continuation classes, NEEDAFFIX, ONLYINCOMPOUND, CIRCUMFIX, FORBIDDENWORD, FLAG char/long/num/UTF-8, AF, SET,
FULLSTRIP. Source: hunspell(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from moderator.common.errors import LexiconError

Flags = frozenset[str]
_NONE: Flags = frozenset()
_GENITIVE: Flags = frozenset("S")
_TAIL = 12
"""Conditions look at no more letters of a stem than this; rules are remembered per such piece."""


@dataclass(frozen=True)
class AffixRule:
    """One affix: cut ``strip`` off, put ``add`` on, where ``condition`` matches."""

    strip: str
    add: str
    condition: re.Pattern[str] | None
    flags: Flags
    cross: bool


@dataclass
class Affixes:
    """The content of an .aff file, as far as forms depend on it."""

    encoding: str = "iso8859-1"
    mode: str = "char"
    aliases: list[Flags] = field(default_factory=list)
    prefixes: dict[str, list[AffixRule]] = field(default_factory=dict)
    suffixes: dict[str, list[AffixRule]] = field(default_factory=dict)
    need_affix: str = ""
    only_compound: str = ""
    circumfix: str = ""
    forbidden: str = ""
    full_strip: bool = False
    crossing: dict[tuple[str, str], bool] = field(default_factory=dict)
    """("PFX" or "SFX", flag) -> whether it goes with an affix at the other end."""
    aliased: bool = False
    _found: dict[tuple[bool, str, str], list[AffixRule]] = field(default_factory=dict)

    def parse_flags(self, text: str) -> Flags:
        """Parse a field of flags to single flags; a number is an alias where the file has an AF table."""
        if self.aliased and text.isdigit():
            number = int(text)
            return self.aliases[number - 1] if 0 < number <= len(self.aliases) else _NONE
        return self.split_flags(text)

    def split_flags(self, text: str) -> Flags:
        """Split flags as the file's FLAG type writes them."""
        if self.mode == "long":
            return frozenset(text[i : i + 2] for i in range(0, len(text), 2))
        return frozenset(text.split(",")) if self.mode == "num" else frozenset(text)

    def iter_suffixed(self, word: str, flags: Flags) -> Iterator[tuple[str, AffixRule]]:
        """Yield each form that one suffix of ``parse_flags`` gives."""
        for flag in flags & self.suffixes.keys():
            for rule in self._list_fitting_rules(word, flag, suffix=True):
                if len(word) > len(rule.strip) or self.full_strip:
                    yield word[: len(word) - len(rule.strip)] + rule.add, rule

    def iter_prefixed(self, word: str, flags: Flags) -> Iterator[tuple[str, AffixRule]]:
        """Yield each form that one prefix of ``parse_flags`` gives."""
        for flag in flags & self.prefixes.keys():
            for rule in self._list_fitting_rules(word, flag, suffix=False):
                if len(word) > len(rule.strip) or self.full_strip:
                    yield rule.add + word[len(rule.strip) :], rule

    def _list_fitting_rules(self, word: str, flag: str, suffix: bool) -> list[AffixRule]:
        piece = word[-_TAIL:] if suffix else word[:_TAIL]
        known = self._found.get((suffix, flag, piece))
        if known is None:
            rules = (self.suffixes if suffix else self.prefixes)[flag]
            known = [rule for rule in rules if _is_fitting(rule, piece, suffix)]
            self._found[suffix, flag, piece] = known
        return known


def _is_fitting(rule: AffixRule, piece: str, suffix: bool) -> bool:
    if suffix:
        return piece.endswith(rule.strip) and (rule.condition is None or rule.condition.search(piece) is not None)
    return piece.startswith(rule.strip) and (rule.condition is None or rule.condition.match(piece) is not None)


# ---- reading the .aff file ----


def read_affixes(path: Path) -> Affixes:
    """Parse an .aff file. Raises LexiconError naming file and line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LexiconError(f"Cannot read {path}: {error.strerror}.", "A .dic file needs its .aff beside it.") from error
    affixes = Affixes()
    found = re.search(rb"^(?:\xef\xbb\xbf)?[ \t]*SET[ \t]+(\S+)", data, re.MULTILINE)
    if found:
        affixes.encoding = found.group(1).decode("ascii", "replace").replace("microsoft-", "").lower()
    found = re.search(rb"^[ \t]*FLAG[ \t]+(\S+)", data, re.MULTILINE)
    if found:
        affixes.mode = found.group(1).decode("ascii", "replace").lower()
    for number, line in enumerate(_decode_text(data, affixes.encoding, path).splitlines(), 1):
        try:
            _parse_affix_line(affixes, line.split())
        except (IndexError, ValueError, re.error) as error:
            raise LexiconError(f"{path}:{number}: cannot read {line.strip()!r}.", "Is this a hunspell file?") from error
    return affixes


def _decode_text(data: bytes, encoding: str, path: Path) -> str:
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except (LookupError, UnicodeDecodeError) as error:
        raise LexiconError(f"{path} is not in {encoding}.", "Correct SET in the .aff file.") from error


def _parse_affix_line(affixes: Affixes, words: list[str]) -> None:
    """Parse one line. A table's header line (PFX U Y 1, AF 12) has the same first word as its rows."""
    affixes.full_strip |= words == ["FULLSTRIP"]
    if len(words) < 2 or words[0].startswith("#"):
        return
    single = {"NEEDAFFIX": "need_affix", "PSEUDOROOT": "need_affix", "ONLYINCOMPOUND": "only_compound"}
    single |= {"CIRCUMFIX": "circumfix", "FORBIDDENWORD": "forbidden"}
    if words[0] in single:
        setattr(affixes, single[words[0]], words[1])
    elif words[0] == "AF":
        if affixes.aliased:
            affixes.aliases.append(affixes.split_flags(words[1]))
        affixes.aliased = True
    elif words[0] in ("PFX", "SFX"):
        _parse_affix_rule(affixes, words)


def _parse_affix_rule(affixes: Affixes, words: list[str]) -> None:
    table = affixes.prefixes if words[0] == "PFX" else affixes.suffixes
    affix = (words[0], words[1])
    if affix not in affixes.crossing:  # the header: PFX flag Y|N count
        affixes.crossing[affix] = words[2] == "Y"
        return
    add, _, flags = words[3].partition("/")
    condition = words[4] if len(words) > 4 else "."
    table.setdefault(words[1], []).append(
        AffixRule(
            strip="" if words[2] == "0" else words[2],
            add="" if add == "0" else add,
            condition=_compile_condition(condition, words[0] == "SFX"),
            flags=affixes.parse_flags(flags),
            cross=affixes.crossing[affix],
        )
    )


def _compile_condition(text: str, suffix: bool) -> re.Pattern[str] | None:
    """Compile the condition of an affix. Hunspell knows letters, a dot, [abc] and [^abc] only; everything else stands
    for itself."""
    if text == ".":
        return None
    pattern = ""
    for group, letter in re.findall(r"(\[[^\]]*\])|(.)", text):
        if group:
            negated = group.startswith("[^")
            inner = re.escape(group[2 if negated else 1 : -1])
            pattern += f"[{'^' if negated else ''}{inner}]"
        else:
            pattern += "." if letter == "." else re.escape(letter)
    return re.compile(f"(?:{pattern})$" if suffix else pattern)


# ---- the forms ----


def expand_dictionary(dictionary: Path) -> Iterator[tuple[str, str, bool]]:
    """Give (form, stem, whether the stem is bare) for every form of a .dic file, its .aff beside it; forbidden words
    are left out. A bare stem has no flags but S (a genitive in -s).

    Forms come as the file gives them, hyphens and full stops included. Raises LexiconError."""
    affixes = read_affixes(dictionary.with_suffix(".aff"))
    stems = list(_iter_stems(dictionary, affixes))
    forbidden: set[str] = set()
    if affixes.forbidden:
        for stem, flags in stems:
            if affixes.forbidden in flags:
                forbidden |= set(iter_stem_forms(stem, flags, affixes))
    for stem, flags in stems:
        if affixes.forbidden and affixes.forbidden in flags:
            continue
        bare = flags <= _GENITIVE
        for form in iter_stem_forms(stem, flags, affixes):
            if form not in forbidden:
                yield form, stem, bare


def _iter_stems(dictionary: Path, affixes: Affixes) -> Iterator[tuple[str, Flags]]:
    """Lines are ``word/flags morphology``; a slash in the word is written \\/. What the morphology calls a prefix or a
    suffix is no word."""
    try:
        data = dictionary.read_bytes()
    except OSError as error:
        raise LexiconError(f"Cannot read {dictionary}: {error.strerror}.", "Check the path.") from error
    shape = re.compile(r"((?:\\/|[^/\t])+?)(?:/(\S*))?(?:\s+[a-z]{2}:.*|\t.*)?\s*$")
    cache: dict[str, Flags] = {}
    lines = _decode_text(data, affixes.encoding, dictionary).lstrip("\ufeff").splitlines()
    counted = bool(lines) and re.match(r"\s*\d+(?:\s|$)", lines[0]) is not None  # some files lack the number of entries
    for line in lines[1:] if counted else lines:
        found = shape.match(line)
        if found is None or line.startswith("#") or "po:pfx" in line or "po:sfx" in line:
            continue
        text = found.group(2) or ""
        if text not in cache:
            cache[text] = affixes.parse_flags(text)
        yield found.group(1).replace("\\/", "/"), cache[text]


def iter_stem_forms(stem: str, flags: Flags, affixes: Affixes) -> Iterator[str]:
    """Yield every form of one stem, the stem included where it may stand alone. May give a form twice."""
    if affixes.only_compound and affixes.only_compound in flags:
        return
    if not (affixes.need_affix and affixes.need_affix in flags):
        yield stem
    for form, used in _iter_suffix_chains(stem, flags, affixes):
        if _is_whole_word(used, affixes):
            yield form
        if all(rule.cross for rule in used):
            for longer, prefix in affixes.iter_prefixed(form, flags | used[-1].flags):
                if prefix.cross and _is_whole_word((*used, prefix), affixes, prefix):
                    yield longer
    for form, prefix in affixes.iter_prefixed(stem, flags):
        if _is_whole_word((prefix,), affixes, prefix):
            yield form
        for longer, suffix in affixes.iter_suffixed(form, prefix.flags):
            if _is_whole_word((prefix, suffix), affixes, prefix):
                yield longer


def _iter_suffix_chains(stem: str, flags: Flags, affixes: Affixes) -> Iterator[tuple[str, tuple[AffixRule, ...]]]:
    """Yield the forms with one and with two suffixes, and the rules that were used."""
    for form, first in affixes.iter_suffixed(stem, flags):
        yield form, (first,)
        if first.flags:
            for longer, second in affixes.iter_suffixed(form, first.flags):
                yield longer, (first, second)


def _is_whole_word(used: tuple[AffixRule, ...], affixes: Affixes, prefix: AffixRule | None = None) -> bool:
    """Return whether the affixes used make a word that stands alone."""
    given = _NONE.union(*(rule.flags for rule in used))
    if not given:
        return True
    if affixes.only_compound and affixes.only_compound in given:
        return False
    if affixes.forbidden and affixes.forbidden in given:
        return False
    if affixes.need_affix and all(affixes.need_affix in rule.flags for rule in used):
        return False
    if affixes.circumfix:
        around = any(affixes.circumfix in rule.flags for rule in used if rule is not prefix)
        return around == (prefix is not None and affixes.circumfix in prefix.flags)
    return True
