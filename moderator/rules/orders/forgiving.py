"""What somebody may have meant whose line is no move as it stands: ``E5 w HAUS, liebe Grüße Anna``, ``244@2 😀``,
``E fünf waagerecht Haus``, ``E5wHAUS``.

Friendly words around a move are no part of it, numbers may be dictated, a thumb may miss the blank. Such a line is read
where that gives one move and no other; where it might give two, the writer is asked which.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from moderator.common.errors import Ambiguous, PlayerError, Unreadable
from moderator.common.message_files import build_any_pattern, load_leading_pattern, load_meanings, load_spelling_pattern
from moderator.rules.orders import SHARED_WORDS

LONGEST = 200
"""Characters; nothing is looked for in a longer text."""

# ---- what people say around a move ----

_heard, _leading = partial(load_spelling_pattern, SHARED_WORDS), partial(load_leading_pattern, SHARED_WORDS)
_GREETING = (
    rf"{_leading('greeting-with')}?{_leading('greeting-kind')}{{0,3}}{_heard('greeting')}"
    rf"|{_heard('signing')}|{_leading('until')}{_heard('until-when')}"
)
"""What may be signed: a name may follow."""
_WISH = (
    rf"{_leading('thanks-kind')}?{_heard('thanks')}(?:\s+{_heard('thanks-more')})*|{_heard('wish-well')}"
    rf"|{_leading('wish-a')}?{_leading('wish-good')}{_heard('wish-day')}(?:\s+{_heard('wish-still')})?"
    rf"|{_leading('and')}{_leading('pronoun')}?{_heard('looking-forward')}(?:\s+[^\W\d_]+){{0,4}}"
    rf"|ha(?:ha)+|hi(?:hi)+|{_heard('laughing')}|\*?{_heard('emote')}\*|{_heard('that-is-all')}(?:\s+{_heard('from-me')})?"
)
_NAME = r"(?:[^\W\d_]{2,}|[^\W\d_]\.)"
_WORDS = re.compile(r"[^\W\d_]+")
_SIGNS = r"[\s,.!?;:~*–—-]*"
_BETWEEN = ",.!?;:~*–—-"
_TAIL = re.compile(
    rf"(?:(?P<signed>{_GREETING})(?P<names>(?:[\s,.!]+{_NAME}){{0,3}})"
    rf"|(?:{_WISH})(?:\s*[,.!]+\s*(?P<writer>{_leading('writer')}?{_NAME}))?){_SIGNS}",
    re.IGNORECASE,
)
_BREAK = re.compile(rf"(?:^|(?<=[\s)\]{_BETWEEN}]))(?=[^\W\d_*])|\*", re.MULTILINE)
"""Where friendly words may begin."""
_HEAD = re.compile(
    rf"{_SIGNS}(?:{_heard('hello')}(?:\s+{_heard('hello-all')})?(?:\s+{_NAME}){{0,3}}\s*(?:[{_BETWEEN}]+\s*|\Z)"
    rf"|{_heard('well')}\s*[{_BETWEEN}]+\s*"
    rf"|{_leading('my')}{_leading('next')}?{_heard('move-noun')}\s+{_heard('is')}\s*:?\s+"
    rf"|{_leading('pronoun')}{_heard('find')}\s+{_leading('sadly')}?{_heard('nothing')}(?:\s+{_heard('found')})?"
    rf"\s*(?:,|\.|{_heard('and')}\b|–|-)+\s*{_leading('so')}?|{_heard('intend')}\s+(?={_heard('intended')})|{_leading('please')})",
    re.IGNORECASE,
)
_EMOTICON = re.compile(r"(?<!\w)[:;=8xX][-'o^]?[)(DdPp|/\]3]+(?!\w)|<3|\^\^")
_PICTURES = {"So", "Sk", "Cs", "Cn", "Co"}
_JOINERS = dict.fromkeys((0x200D, 0xFE0E, 0xFE0F, 0x20E3))
_ARROWS = "←↑→↓★☆"
"""Signs that moves are written with."""

_ASKS = re.compile(rf"[\s{_BETWEEN}]+{_heard('asks-if-right')}\s*[?!]*\?[\s?!]*\Z", re.IGNORECASE)
"""Behind a move that its writer is not sure of: ``E5 w HAUS, ok?``."""

_CLAIMED = re.compile(r"\s*\([^()]*\)")
"""Words that a player names besides the laid one; nobody's move hangs on them. In other games a move stands in such."""

# ---- what a telephone writes ----

_TIMES = re.compile(r"(?<!\w)(\d)\s?[x×](?!\w)", re.IGNORECASE)
NUMBER_OF = load_meanings(SHARED_WORDS, "counts")
_SPOKEN = re.compile(rf"(?<![^\W_])({build_any_pattern(NUMBER_OF)})(?![^\W_])", re.IGNORECASE)
_SPOKEN_SQUARE = re.compile(rf"(?<![^\W_])([a-z]{{1,2}})[ -]{_SPOKEN.pattern}", re.IGNORECASE)
_GLUED = re.compile(r"(?<![^\W_])([a-z]{1,2}\d{1,2}|\d{1,2}[a-z])([swhv])([^\W\d_]{2,})", re.IGNORECASE)
"""``E5wHAUS``: of square, direction and word only the direction has one letter."""
_THE_WORD = re.compile(rf"(?<![^\W_]){_heard('the-word')}\b\s*:?", re.IGNORECASE)


@dataclass(frozen=True)
class BareText:
    """A text without friendly words at its ends."""

    text: str
    end: int
    """Where these begin."""
    names: str = ""
    """What stood among these and might be more than a name."""
    apart: bool = True
    """A sign stood before them."""


def is_greeting_line(text: str) -> bool:
    """Return whether a line says nothing but friendly words: ``Hallo zusammen,``, ``Viele Grüße, Anna``, ``:-)``."""
    return len(text) <= LONGEST and not any(character.isalnum() for character in _list_bare_texts(text)[-1].text)


def strip_asking(text: str) -> str:
    """Return the text without the question at its end whether it is right."""
    return _ASKS.sub("", text)


def parse_loosely(text: str, parse: Callable[[str], Any], write: Callable[[Any], str]) -> tuple[Any, str]:
    """Return the move that a text means, and how ``write`` writes it.

    Raises the PlayerError of the text as it stands where nothing else can be meant, Ambiguous("one-of-two") where
    that might be one move or another, and Unreadable("asks-if-right") where its writer asks."""
    if (asked := strip_asking(text)) != text and asked.strip():
        parse_loosely(asked, parse, write)
        raise Unreadable("asks-if-right", line=text)
    found, wrong = _collect_moves([text], parse, write)
    if len(text) <= LONGEST:
        shorter = _list_bare_texts(text)
        for one in shorter:
            if not one.text or one.text == text.strip() or (found and not one.apart):
                continue
            # A name might be one more tile of the move.
            found |= _collect_moves([one.text, f"{one.text} {one.names}"] if one.names else [one.text], parse, write)[0]
            if found:
                break
        found = found or _collect_moves(_iter_respellings(shorter[-1].text), parse, write)[0]
    if not found:
        raise wrong[0]
    without_claims = {_strip_claims(notation, parse, write): notation for notation in found}
    if len(without_claims) > 1:
        raise Ambiguous("one-of-two", line=text, readings=list(without_claims))
    (notation,) = without_claims.values()
    return found[notation], notation


def _strip_claims(notation: str, parse: Callable[[str], Any], write: Callable[[Any], str]) -> str:
    """Strip what stands in brackets off a notation, if the rest is the move as well."""
    bare = _CLAIMED.sub("", notation)
    return bare if bare in _collect_moves([bare], parse, write)[0] else notation


def _collect_moves(
    texts: Iterable[str], parse: Callable[[str], Any], write: Callable[[Any], str]
) -> tuple[dict[str, Any], list[PlayerError]]:
    """Collect every move that one of the texts is, by its notation; and why the others are none."""
    found: dict[str, Any] = {}
    wrong: list[PlayerError] = []
    for text in texts:
        try:
            move = parse(text)
            found.setdefault(write(move), move)
        except PlayerError as error:
            wrong.append(error)
    return found, wrong


def _list_bare_texts(text: str) -> list[BareText]:
    """List the text without friendly words at its ends, as much of it as may be a move first: a word that is laid may
    be one of these (``E5 w GRUSS LG Anna``)."""
    text = _strip_pictures(text).strip()
    head = _HEAD.match(text)
    text = text[head.end() :] if head else text
    found = [BareText(text, len(text))]
    ends = [len(text)]
    for at in reversed([place.start() for place in _BREAK.finditer(text)]):
        tails = (_TAIL.fullmatch(text, at, end) for end in ends)
        if (tail := next((one for one in tails if one), None)) is not None:
            ends.append(at)
            phrase = min(
                (start for start in (tail.start("names"), tail.start("writer")) if start >= 0), default=tail.end()
            )
            found = [one for one in found if not at < one.end < phrase]  # the second half of »vielen Dank«
            before = text[:at].rstrip()
            names = _WORDS.findall(tail["names"] or tail["writer"] or "")
            found.append(BareText(before.rstrip(_BETWEEN + " "), at, " ".join(names), before[-1:] in _BETWEEN))
    return found


def _strip_pictures(text: str) -> str:
    text = _EMOTICON.sub(lambda found: found[0] if _may_be_tile(found) else " ", text)
    if text.isascii():
        return text
    return "".join(
        " " if unicodedata.category(character) in _PICTURES and character not in _ARROWS else character
        for character in text.translate(_JOINERS)
    )


def _may_be_tile(smiley: re.Match[str]) -> bool:
    """Return whether a smiley begins with a letter or digit and a bracket is open there: ``Gitter (AB / X)``."""
    before = smiley.string[: smiley.start()]
    open_there = any(before.count(opens) > before.count(closes) for opens, closes in ("()", "[]"))
    return open_there and smiley[0][0].isalnum()


def _iter_respellings(text: str) -> Iterator[str]:
    """Yield the text with blanks where a thumb missed them, with digits for what was dictated: all numbers, or only
    those of the square, for ``EINS`` may be a word that is laid."""
    for otherwise in (
        _GLUED.sub(r"\1 \2 \3", text),
        _THE_WORD.sub("", text),
        _TIMES.sub(r"\1", text),
        _SPOKEN_SQUARE.sub(_write_digits, text),
        _SPOKEN.sub(_write_digits, text),
    ):
        if otherwise != text:
            yield otherwise


def _write_digits(found: re.Match[str]) -> str:
    *before, number = found.groups()
    return f"{before[0] if before else ''}{NUMBER_OF[number.lower()]}"
