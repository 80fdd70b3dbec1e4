"""How a turn is written: ``1: T3+E, T2; 3: N, DR``, and the many ways people vary it."""

from __future__ import annotations

import re
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final, Literal

from moderator.common.errors import Ambiguous, Unreadable
from moderator.common.message_files import build_respeller, load_distinct_words, load_spelling_pattern, load_spellings
from moderator.games.domijongg.state import RANK, DomiJonggPublic, HeadExtension, Item, JonggTurn
from moderator.rules.game import Style
from moderator.rules.orders import SHARED_WORDS, conditions
from moderator.rules.state import View
from moderator.words.kinds import UMLAUTS, clean_word, to_capitals

# ---- words ----
# The words and signs of a turn: ``B3``, ``Bambus 3``, ``roter Drache``, ``east``, ``+``, ``links``, ``Ende 2``.


HERE = Path(__file__).parent
_heard, _shared = partial(load_spelling_pattern, HERE), partial(load_spelling_pattern, SHARED_WORDS)
_respell = build_respeller((SHARED_WORDS, ("lays-nothing",)), (HERE, ()))


def _load_tokens(folder: Path, *keys: str) -> frozenset[str]:
    """Load what is written for these keys as ``tokenize_jongg_turn`` has it."""
    return frozenset(_write_plain(word) for word in load_spellings(folder, *keys))


def _write_plain(text: str) -> str:
    """Return the text in capitals, with umlauts as AE OE UE, as ``ß`` is SS; known words without their accents."""
    return "".join(UMLAUTS.get(c, c) for c in _respell(to_capitals(clean_word(text))))


_SUIT_KEYS = {"B": "bamboo", "K": "circle", "T": "character", "F": "flower", "J": "season"}
_WIND_KEYS = {"E": "east", "S": "south", "W": "west", "N": "north"}
_DRAGON_KEYS = {"DR": "red-dragon", "DG": "green-dragon", "DW": "white-dragon"}
load_distinct_words(HERE, *_SUIT_KEYS.values(), *_WIND_KEYS.values(), *_DRAGON_KEYS.values())
SUIT_WORDS, WIND_WORDS, DRAGON_WORDS = (
    {word: tile for tile, key in tiles.items() for word in _load_tokens(HERE, key)}
    for tiles in (_SUIT_KEYS, _WIND_KEYS, _DRAGON_KEYS)
)
WIND, DRAGON = _load_tokens(HERE, "wind"), _load_tokens(HERE, "dragon")
load_distinct_words(HERE, "left", "left-too", "right", "right-too", "head", "head-too")
LEFT, RIGHT = _load_tokens(HERE, "left", "left-too"), _load_tokens(HERE, "right", "right-too")
HEAD = _load_tokens(HERE, "head", "head-too")
AT: Final = frozenset("@") | _load_tokens(HERE, "at")
NEXT: Final = frozenset(",>→-–") | _load_tokens(SHARED_WORDS, "then", "afterwards")
FORK: Final = frozenset("+&")
EITHER: Final = frozenset("/") | _load_tokens(SHARED_WORDS, "and")
"""Might mean a chain as well as a fork."""
FILLERS: Final = _load_tokens(HERE, "fillers")
PASSES: Final = _load_tokens(SHARED_WORDS, "lays-nothing")

_TOKEN = re.compile(r"\d+|[A-Z]+|[@:=,+&>/()→-]|\S")


def tokenize_jongg_turn(text: str) -> list[str]:
    """Return the words in capitals, the numbers and the signs."""
    return _TOKEN.findall(_write_plain(text))


def find_leading_tile(words: list[str]) -> tuple[str, int] | None:
    """Return (tile, number of words it takes) at the beginning of ``words``; None if no tile stands there."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first.isdecimal() and second == "." and len(words) > 2:
        named = _find_numbered_tile(words[2], first)
        return (named, 3) if named else None
    if first.isdecimal() and second in SUIT_WORDS:
        named = _find_numbered_tile(second, first)
        following = words[2] if len(words) > 2 else ""
        return (named, 2) if named and not following.isdecimal() else None
    if first in SUIT_WORDS:
        skip = 1 if second == "-" else 0
        number = words[1 + skip] if len(words) > 1 + skip else ""
        named = _find_numbered_tile(first, number)
        return (named, 2 + skip) if named else None
    # A wind or a dragon, with or without that word, before or after.
    if first in WIND_WORDS:
        return WIND_WORDS[first], 2 if second in WIND else 1
    if first in DRAGON_WORDS:
        return DRAGON_WORDS[first], 2 if second in DRAGON else 1
    if first in DRAGON and second in DRAGON_WORDS:
        return DRAGON_WORDS[second], 2
    if first in WIND and second in WIND_WORDS:
        return WIND_WORDS[second], 2
    return None


def _find_numbered_tile(suit: str, number: str) -> str | None:
    """Return ``B3`` of BAMBUS and 3, if there is such a tile."""
    named = SUIT_WORDS.get(suit, "?") + number
    return named if number.isdecimal() and named in RANK else None


# ---- notation ----


MAX_LINE = 1000
"""Characters; a longer line is no turn."""
FENCES = "\u01c0·•…»«›‹|[]"
"""Signs of our own lines, which are never a turn."""
_SIDE = rf"{_heard('left', 'right')}\b"
_HEAD = rf"(?:{_heard('head', 'head-too')}\s*)?\d{{1,2}}\s*[:=]"
_NAMED_HEAD = rf"{_heard('head')}\s*\d"
_THEN = rf"(?:{_shared('and')}\s+)?{_shared('then', 'afterwards')}"
_TILE = r"(?:[bktfj]\s?\d|[eoswn]\b|d[rgw]\b)"
_AT = rf"{_TILE}[\s,+&\w]{{0,80}}@"
_BEGINS = (
    rf"(?:{_HEAD}\s*[^\d\s.,;:!?()/-]|{_NAMED_HEAD}|{_SIDE}[\s:=]+[a-zäöü]|{_AT}"
    rf"|{_TILE}[\s,+\w]{{0,40}}\s{_SIDE})"
)
STYLE = Style(
    attempt=re.compile(rf"{_BEGINS}|{_shared('after-draw')}", re.IGNORECASE),
    joined=re.compile(rf"{_HEAD}|{_NAMED_HEAD}|{_SIDE}|{_AT}", re.IGNORECASE),
    chain=re.compile(rf"(?:[,&→]|\+(?=\s*\w))|{_THEN}(?!\w)(?!\s*:)", re.IGNORECASE),
    dangling=re.compile(rf"(?:[,+&>→]|(?<!\w){_shared('then', 'afterwards')}[.…]*)\s*$", re.IGNORECASE),
    colon_numbers=False,
)
"""In a mail ``2:`` is a head, and ``; 3: N`` belongs to the turn before it, as does what follows ``dann``."""
_NEXT_HEAD = re.compile(rf"[\s,]*(?<!\w){_THEN}\s+(?={_HEAD}|{_NAMED_HEAD}|{_SIDE}\s*[\s:=])", re.IGNORECASE)
"""``dann 3: …`` goes on at another head, as a semicolon does."""


Sign = Literal["next", "fork", "either"] | None
SIGNS: tuple[tuple[Sign, frozenset[str]], ...] = (("next", NEXT), ("fork", FORK), ("either", EITHER))


def format_jongg_turn(move: JonggTurn) -> str:
    """Return the turn in canonical notation; reading it gives the same turn."""
    parts = (f"{part.head}: {', '.join('+'.join(item) for item in part.items)}" for part in move.parts)
    return "; ".join(parts) + conditions.write(move.at_least)


def parse_jongg_turn(line: str, view: View[DomiJonggPublic]) -> JonggTurn:
    """Parse one turn.

    Raises Unreadable (empty-line, line-too-long, no-standing-order, no-pass, our-line, no-head, no-tile, unknown-tile,
    unfinished, fork-of-three, head-too-large) or Ambiguous (chain-or-fork), each with ``line``."""
    if len(line) > MAX_LINE:
        raise Unreadable("line-too-long", line=line[:80] + "…", limit=MAX_LINE)
    if conditions.read_after_draw(line) is not None:
        raise Unreadable("no-standing-order", line=line)
    if any(sign in line for sign in FENCES):
        raise Unreadable("our-line", line=line)
    text, at_least = conditions.take(line.strip().rstrip(".!").rstrip())
    parts: list[HeadExtension] = []
    # The text cut where another head begins.
    found = ["", *_NEXT_HEAD.sub(";", text).split(";")]
    for at in range(len(found) - 1, 0, -1):
        if found[at - 1].strip() and STYLE.chain is not None and STYLE.chain.match(found[at].strip()):
            found[at - 1] += found.pop(at)
    for piece in found[1:]:
        words = [word for word in tokenize_jongg_turn(piece) if word not in FILLERS]
        if not words:
            if not parts:
                raise Unreadable("empty-line", line=line)
            continue
        if words[0] in PASSES:
            raise Unreadable("no-pass", line=line)
        if words[-1] in AT and words[-1] != "@":
            words = words[:-1]  # the particle of «ich lege B3 links an»
        parts.append(_parse_extension(words, line))
    # Join to one chain what stands at the same head twice running.
    runs = groupby(parts, key=lambda part: part.head)
    return JonggTurn(
        tuple(HeadExtension(head, tuple(item for part in run for item in part.items)) for head, run in runs), at_least
    )


def _parse_extension(words: list[str], line: str) -> HeadExtension:
    head, chain = _take_head(words, line)
    if head > 99:
        raise Unreadable("head-too-large", line=line, head=str(head)[:6])
    if not chain:
        raise Unreadable("no-tile", line=line, head=head)
    return HeadExtension(head, _parse_chain(chain, head, line))


def _take_head(words: list[str], line: str) -> tuple[int, list[str]]:
    """Return the head, named before a colon, behind ``@``, ``an``, ``at``, at the beginning or at the end; and the
    rest."""
    colon = next((n for n, word in enumerate(words) if word in (":", "=")), None)
    if colon is not None:
        head = _find_head_number([word for word in words[:colon] if word not in AT])
        if head is not None:
            return head, words[colon + 1 :]
        raise Unreadable("no-head", line=line)
    at = next((n for n, word in enumerate(words) if word in AT), None)
    if at is not None:
        behind = words[at + 1 :]
        for length in (2, 1):
            head = _find_head_number([word for word in behind[:length] if word not in AT])
            if head is not None and (at == 0 or len(behind) == length):
                return head, [*words[:at], *behind[length:]]
        raise Unreadable("no-head", line=line)
    if len(words) > 1 and words[0].isdecimal() and words[1] in WIND_WORDS | DRAGON_WORDS:
        return _find_head_number(words[:1]) or 0, words[1:]  # ``1 DW``; ``2 B3`` may be the second line of a list
    for begin, end in ((0, 1), (0, 2), (-1, None), (-2, None)):
        found = words[begin:end]
        head = _find_head_number(found)
        if head is not None and not found[0].isdecimal():
            return head, words[end:] if begin == 0 else words[:begin]
    raise Unreadable("no-head", line=line)


def _find_head_number(words: list[str]) -> int | None:
    """Return the number of ``2``, ``Ende 2``, ``links``; None if these words name no head."""
    if len(words) == 2 and words[0] in HEAD:
        words = words[1:]
    elif len(words) == 2 and words[1] in HEAD:
        words = words[:1]
    if len(words) != 1:
        return None
    word = words[0]
    if word.isdecimal():
        return int(word) if len(word) < 7 else 10**6
    return 1 if word in LEFT else 2 if word in RIGHT else None


def _parse_chain(words: list[str], head: int, line: str) -> tuple[Item, ...]:
    """Parse the chain: tiles parted by commas, words or nothing at all; two with a plus are a fork."""
    items: list[Item] = []
    sign: Sign = "next"
    while words:
        name, words, new = _take_next_item(words, line)
        if new is not None:
            if not items or (sign is not None and new != "next") or sign == "fork":
                raise Unreadable("unfinished", line=line)
            sign = new
        elif sign == "either":
            readings = ([*items, (name,)], [*items[:-1], (*items[-1], name)])
            moves = (JonggTurn((HeadExtension(head, tuple(reading)),)) for reading in readings)
            raise Ambiguous("chain-or-fork", line=line, readings=[format_jongg_turn(move) for move in moves])
        elif sign == "fork" and len(items[-1]) > 1:
            raise Unreadable("fork-of-three", line=line)
        else:
            items = [*items[:-1], (*items[-1], name)] if sign == "fork" else [*items, (name,)]
            sign = None
    if sign is not None:
        raise Unreadable("unfinished", line=line)
    return tuple(items)


def _take_next_item(words: list[str], line: str) -> tuple[str, list[str], Sign]:
    """Return (tile or "", the words behind it, what a sign instead of a tile says)."""
    word = words[0]
    for meaning, signs in SIGNS:
        if word in signs:
            return "", words[1:], meaning
    found = find_leading_tile(words)
    if found is None:
        raise Unreadable("unknown-tile", line=line, word=" ".join(words[:2]) if word in SUIT_WORDS else word)
    return found[0], words[found[1] :], None
