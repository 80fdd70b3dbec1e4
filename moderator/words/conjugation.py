"""The forms of a German verb, from its infinitive: regular endings, and strong stems where ``strong`` has them.

Made for telling what a listed word is, not for making words: some forms come out that nobody uses. What a list does
not have does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator

from moderator.words.kinds import INFINITIVE, PARTICIPLE, VERB_FORM
from moderator.words.separable import SEPARABLE
from moderator.words.strong import BEING, STRONG, Stems

_EITHER = ("durch", "hinter", "miss", "über", "um", "unter", "voll", "wider", "wieder")
"""Prefixes that may or may not come off: unterstellen has unterstellt and untergestellt."""
_FIRM = ("be", "emp", "ent", "er", "ge", "ver", "zer", *_EITHER)
"""Prefixes that stay on; their participles have no ge-."""
_WORDS = (
    *("acht", "bereit", "blank", "breit", "dafür", "dagegen", "daher", "daneben", "drein", "drin", "einher", "fertig"),
    *("flach", "gegen", "glatt", "groß", "gut", "hier", "hops", "kahl", "kalt", "kaputt", "kehrt", "kennen", "klar"),
    *("klein", "krank", "kund", "kurz", "lahm", "lang", "leer", "lieb", "lob", "locker", "maß", "nahe", "näher"),
    *("not", "offen", "sauber", "scharf", "schief", "schön", "schwarz", "schwer", "sicher", "spazieren", "stecken"),
    *(
        "stehen",
        "still",
        "stramm",
        "tief",
        "treu",
        "trocken",
        "umher",
        "wach",
        "wahr",
        "warm",
        "weich",
        "wett",
        "übrig",
    ),
)
"""Words that verbs are put together with as if they were prefixes."""
_LOOSE = frozenset((*SEPARABLE, *_EITHER, *_WORDS))
_PREFIXES = _LOOSE | frozenset(_FIRM)
_LONGEST = max(map(len, _PREFIXES))
_PRESENT = ("e", "st", "est", "t", "et")
_WEAK = ("te", "test", "ten", "tet", "ete", "etest", "eten", "etet")
_PRETERITE = ("", "st", "est", "en", "n", "t", "et")
_SUBJUNCTIVE = ("e", "st", "est", "en", "n", "t", "et")
_AFTER_E = ("", "st", "n", "t")


def forms(infinitive: str) -> Iterator[tuple[str, int]]:
    """(form, kind) for every form, participles not declined. Some come twice: verkauft is finite and a participle."""
    yield infinitive, INFINITIVE
    for whole in _with_zu(infinitive):
        yield whole, INFINITIVE
    yield "seiend" if infinitive == "sein" else f"{infinitive}d", PARTICIPLE
    for form in _finite(infinitive):
        yield form, VERB_FORM
    for participle in _participles(infinitive):
        yield participle, PARTICIPLE


def stems(infinitive: str) -> Stems | None:
    """Strong stems of a verb, prefixes included; None for a weak one."""
    found = STRONG.get(infinitive)
    if found is not None:
        return found
    for prefix in _splits(infinitive, _PREFIXES):
        base = stems(infinitive[len(prefix) :])
        if base is not None:
            return _prefixed(prefix, base)
    return None


def bases(infinitive: str) -> set[str]:
    """What is left of a verb without a prefix: machen of einmachen. Not of ge-, which begins participles."""
    return {infinitive[len(prefix) :] for prefix in _splits(infinitive, _PREFIXES) if prefix != "ge"}


def _prefixed(prefix: str, base: Stems) -> Stems:
    participles = []
    if prefix in _LOOSE:
        participles += [prefix + whole for whole in base.participles]
    if prefix in _FIRM:
        participles += [prefix + whole.removeprefix("ge") for whole in base.participles]
    present, preterite, subjunctive = (tuple(prefix + stem for stem in part) for part in base[:3])
    return Stems(present, preterite, subjunctive, tuple(participles))


def _stem(infinitive: str) -> str:
    """mach of machen, sammel of sammeln, tu of tun."""
    return infinitive[:-2] if infinitive.endswith("en") else infinitive[:-1]


def _finite(infinitive: str) -> Iterator[str]:
    if infinitive == "sein":
        yield from BEING
        return
    stem = _stem(infinitive)
    for ending in (*_PRESENT, *_WEAK):
        yield stem + ending
    yield stem
    if stem.endswith(("el", "er")) and infinitive.endswith(("ln", "rn")):
        for ending in ("e", "est", "et", "en"):  # sammle, wandre
            yield stem[:-2] + stem[-1] + ending
    strong = stems(infinitive)
    if strong is not None:
        for form in _strong(strong):
            yield form
            if "ss" in form:  # the spelling before 1996: mußte, floß
                yield form.replace("ss", "ß")


def _strong(strong: Stems) -> Iterator[str]:
    for stem in strong.present:
        yield from (stem, stem + "st", stem + "t")
    for stem in strong.preterite:
        yield from (stem + ending for ending in (_AFTER_E if stem.endswith("e") else _PRETERITE))
    for stem in strong.subjunctive:
        yield from (stem + ending for ending in (_AFTER_E if stem.endswith("e") else _SUBJUNCTIVE))


def _participles(infinitive: str) -> Iterator[str]:
    """Past participles, not declined."""
    strong = stems(infinitive)
    if strong is not None:
        yield from strong.participles
    stem = _stem(infinitive)
    loose = _splits(stem)
    firm = any(stem.startswith(_FIRM, len(prefix)) for prefix in ("", *loose))  # verkauft, anvertraut
    for ending in ("t", "et"):
        if firm or infinitive.endswith("ieren"):
            yield stem + ending
        for prefix in ("", *loose):
            yield f"{prefix}ge{stem[len(prefix) :]}{ending}"


def _with_zu(infinitive: str) -> Iterator[str]:
    for prefix in _splits(infinitive):
        yield f"{prefix}zu{infinitive[len(prefix) :]}"


def _splits(text: str, prefixes: frozenset[str] = _LOOSE) -> list[str]:
    """Prefixes that the text begins with, the longest first."""
    longest = min(_LONGEST, len(text) - 2)
    return [text[:end] for end in range(longest, 1, -1) if text[:end] in prefixes]
