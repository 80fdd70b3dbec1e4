"""How a move is written: ``hinten T = NAHT``, ``E an T20 = REISE``, ``weiter T``, ``kaufe rot``, ``passe``.

Before the "=" stand the tiles and where they go, behind it the announced word; without a "=" the last word of two
letters or more is it. Reading is one pass over a bounded line; no expression here can backtrack for long.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from moderator.common.errors import Unreadable
from moderator.common.message_files import (
    build_any_pattern,
    load_leading_pattern,
    load_meanings,
    load_spelling_pattern,
    load_spellings,
)
from moderator.games.placement import EXCHANGE_WORDS, PRONOUNS, is_pass_words, load_capitals, tokenize_placement
from moderator.games.typdom.notation import (
    ALPHABET,
    BUY_WORDS,
    CHAIN,
    GERMAN,
    HERE,
    SQUARE,
    TAKE_WORDS,
    is_purchase,
    parse_jolly_exchange,
    parse_purchase,
    prepare_move_line,
    to_plain_letters,
)
from moderator.games.typdom.notation import STYLE as COMMON
from moderator.games.typdom.recht_reading import (
    COMPLETE,
    FILLERS,
    drop_pronouns,
    format_recht_tile,
    parse_recht_laying,
    remove_brackets,
    take_recht_square,
)
from moderator.games.typdom.recht_state import SIDES, Move, RechtCompletion, RechtPass, RechtPublic, RechtPurchase
from moderator.games.typdom.state import JollyExchange
from moderator.rules.game import Style
from moderator.rules.orders import SHARED_WORDS
from moderator.rules.orders.markers import PRONOUN

# ---- how moves stand in a mail ----

_heard, _leading = partial(load_spelling_pattern, HERE), partial(load_leading_pattern, HERE)
_LETTER = r"[*★☆]?[a-z](?!\w)"
_SIDE, _END = rf"{_heard('front', 'back')}(?!\w)", rf"{_heard('front-end', 'back-end')}(?!\w)"
_FIRST = rf"(?:{_leading('starting')}|{PRONOUN}){_leading('lay')}?"
_SAYS = r"\s*(?:[=:,+(]|[-=]>|→|$|(?-i:[A-ZÄÖÜ]{2,}))"
_ON_SQUARE = rf"{_LETTER}\s*{_heard('at-square')}\s+{SQUARE}"
_GO_ON = rf"{_leading('go-on')}(?:(?:{_SIDE}\s*[:,]?\s*)?{_LETTER}|{_SIDE}\s+(?:\d|[^\w\s.,;:!?()–—-]))"
"""Behind the side also what is no letter: »weiter vorn §« was meant as a move, »weiter unten mehr« was not."""
_ONE = build_any_pattern([*(word for word, number in load_meanings(HERE, "counts").items() if number == "1"), "1"])
_BUY = rf"{PRONOUN}{_leading('buy', 'buy-too')}(?:{_ONE}\s+)?\w+"

STYLE = Style(
    attempt=re.compile(
        rf"{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}{_SAYS}|{_LETTER}\s+{_SIDE}{_SAYS}|{_ON_SQUARE}"
        rf"|{_LETTER}\s*=|{_GO_ON}|{_heard('complete')}(?!\w)|{_BUY}\s*$)"
        rf"|{COMMON.attempt.pattern if COMMON.attempt else ''}",
        re.IGNORECASE,
    ),
    unfinished=re.compile(
        rf"{COMMON.unfinished.pattern if COMMON.unfinished else ''}|{_BUY}|{_FIRST}(?:{_SIDE}\s*[:,]?\s*{_LETTER}"
        rf"|{_LETTER}\s+{_leading('at-end')}?{_leading('the')}?(?:{_SIDE}|{_END})|{_ON_SQUARE})",
        re.IGNORECASE,
    ),
    chain=re.compile(rf"{CHAIN}(?={_SIDE}\s*[:,]?\s*{_LETTER}|{_ON_SQUARE})", re.IGNORECASE),
    dangling=re.compile(r"[+&]\s*$"),
)
"""Behind an exchange of jollies and behind a tile without its word the move goes on, behind a purchase »passe« may
stand."""


# ---- writing and reading ----

_REPORTS = {frozenset(phrase.upper().split()) for phrase in load_spellings(HERE, "report-on")}
_JOINTS = re.compile(rf"[;,+&]|(?<!\w){build_any_pattern(load_capitals(SHARED_WORDS, 'and', 'then', 'plus'))}(?!\w)")
_GLUED = re.compile(r"(?<!\w)(?:[A-Z]{1,2}[0-9]{1,2}|[0-9]{1,2}[A-Z]{1,2})(?!\w)")


# ---- writing ----


def format_recht_move(move: Move) -> str:
    """Return the move in canonical notation; reading it gives the same move."""
    swaps = ", ".join(f"{exchange.letter} an {exchange.square}" for exchange in move.exchanges)
    head = f"tausche {swaps}; " if swaps else ""
    if isinstance(move, RechtPass):
        return f"{head}passe"
    if isinstance(move, RechtPurchase):
        return f"{head}kaufe {GERMAN[move.colour]}{', passe' if move.then_pass else ''}"
    if isinstance(move, RechtCompletion):
        return f"{head}vollende ab {move.square}"
    tiles = [format_recht_tile(tile) for tile in move.tiles]
    if move.direction:
        named = next((n for n, tile in enumerate(move.tiles) if tile.at not in ("", *SIDES)), 0)
        tiles[named] += f" {move.direction}"
    text = " + ".join(tiles)
    return f"{head}{'weiter ' if move.goes_on else ''}{text}{f' = {move.word}' if move.word else ''}"


# ---- reading ----


def parse_recht_move(line: str, public: RechtPublic) -> Move:
    """Parse one move.

    Raises all that ``parse_recht_laying`` does, and Unreadable (empty-line, line-too-long, buy-colour, buy-one,
    buy-first, unclear-turn, exchange-unclear, exchange-then, complete-where), each with ``line``."""
    swaps, text = _parse_exchanges(drop_pronouns(prepare_move_line(line)), line, public)
    texts = [token.text for token in tokenize_placement(remove_brackets(text), line, ALPHABET)]
    if not texts:
        raise Unreadable("exchange-then" if swaps else "empty-line", line=line)
    move: Move | None = _find_pass_or_purchase(text, texts, line)
    if move is None:
        move = (
            _parse_completion(text, texts, line, public)
            if texts[0] in COMPLETE
            else parse_recht_laying(text, line, public)
        )
    return replace(move, exchanges=swaps)


def _parse_exchanges(text: str, line: str, public: RechtPublic) -> tuple[tuple[JollyExchange, ...], str]:
    """Return the exchanges of jollies that a line begins with, and the rest of it."""
    found: list[JollyExchange] = []
    start = 0
    for joint in [*_JOINTS.finditer(text), None]:
        part = text[start : joint.start() if joint else len(text)]
        words = re.findall(r"[^\W\d_]+", part)
        while words and words[0] in PRONOUNS:
            words = words[1:]
        if not words and joint:
            start = joint.end()
            continue
        swaps = bool(words) and words[0] in TAKE_WORDS
        more = (
            bool(found and words) and len(words) <= 4 and len(words[0]) == 1 and not _is_announcement_next(text, start)
        )
        if "=" in part or not (swaps or more) or _GLUED.search(part) is None:
            if swaps and words[0] in EXCHANGE_WORDS:
                raise Unreadable("exchange-unclear", line=line)
            break
        found.append(
            parse_jolly_exchange(tokenize_placement(remove_brackets(part), line, ALPHABET), line, public.table)
        )
        start = joint.end() if joint else len(text)
    return tuple(found), text[start:] if found else text


def _is_announcement_next(text: str, start: int) -> bool:
    """Return whether a semicolon stands before ``start``, and an announcement behind it: »tausche A an H7; T an H9 + B
    = WT« exchanges one jolly and lays two tiles."""
    return text[:start].endswith(";") and "=" in text[start:].partition(";")[0]


def _find_pass_or_purchase(text: str, texts: list[str], line: str) -> Move | None:
    """Return a pass or a purchase; None for neither."""
    words = [word for word in texts if word not in PRONOUNS]
    if "=" not in text and (is_pass_words(texts) or set(words) in _REPORTS):
        return RechtPass()
    joint = next((joint for joint in _JOINTS.finditer(text) if _is_pass_part(text[joint.end() :])), None)
    bought = text[: joint.start()] if joint else text
    words = re.findall(r"[^\W_]+", bought)
    while words and words[0] in PRONOUNS:
        words = words[1:]
    if words and words[0] in BUY_WORDS and ("=" in bought or _GLUED.search(bought)):
        raise Unreadable("buy-first", line=line)
    if "=" in bought or not is_purchase(bought, words):
        if joint:
            raise Unreadable("unclear-turn", line=line)
        return None
    colours = parse_purchase(words, line)
    if len(colours) != 1:
        raise Unreadable("buy-one", line=line)
    return RechtPurchase(colours[0], joint is not None)


def _is_pass_part(text: str) -> bool:
    words = re.findall(r"\w+", text)
    return bool(words) and "=" not in text and is_pass_words(words)


def _parse_completion(text: str, texts: list[str], line: str, public: RechtPublic) -> RechtCompletion:
    """Parse ``vollende ab T19``; the square may be left out where only one is possible."""
    square, rest = take_recht_square(tokenize_placement(remove_brackets(text), line, ALPHABET), line, public)
    running = public.running
    known = FILLERS | COMPLETE | {running.word if running is not None else ""}
    loose = [token.text for token in rest if token.text and to_plain_letters(token.text) not in known]
    if loose:
        raise Unreadable("extra-words", line=line, words=loose)
    if square is None:
        raise Unreadable("complete-where", line=line)
    return RechtCompletion(square)
