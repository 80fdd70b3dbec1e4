"""What somebody wants who writes a sentence instead of a move or a command, and the line that would do it.

A sentence is never carried out. Its writer is asked once, with the exact line; the answer ``ja`` is enough where there
is one. A question to the moderator is passed on, and whatever else is prose is offered to be passed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from moderator.commands.declaration import get_player_commands
from moderator.commands.player.leave import find_day_span
from moderator.common.errors import PlayerError
from moderator.common.message_files import load_meanings, load_synonyms, normalize_spelling
from moderator.language.messages import fill_pattern, render_code, render_label, write_move
from moderator.notifications.pages import LineOffer
from moderator.rules.orders.forgiving import parse_loosely, strip_asking
from moderator.rules.state import Note, view_for
from moderator.rules.table import preview_order
from moderator.store.tables import PlayerRow
from moderator.views.loaded_match import LiveMatch
from moderator.views.unit_of_work import UnitOfWork

HERE = Path(__file__).parent
MOST = 3
"""Offers of one mail."""
LONGEST = 600
"""Characters of prose that are looked at."""
_WORD = re.compile(r"\w+")
_LAID = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")
"""A word of a move, and no square."""
_AT_END = re.compile(r"\d@\w")
"""A whole move in one word."""
_MAIL_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LATEST = 12
"""Words of one notation."""
_TRIES = 60
_FEW_MOVES = 400
"""Moves of a position that are compared with a sentence."""


@dataclass(frozen=True)
class WishScene:
    """The place where a sentence was written."""

    work: UnitOfWork
    player: PlayerRow
    code: str = ""
    """Of the match; "" = nobody knows which."""
    live: LiveMatch | None = None
    seat: int = 0
    tried: str = ""
    """What the seat has ordered last, in notation."""


def is_question_to_referee(text: str) -> bool:
    """Return whether prose calls the referee and asks something."""
    if not _has_phrase(text, "wish-referee-words"):
        return False
    return "?" in text or re.search(r"\b(?:frage|question)\b", text, re.IGNORECASE) is not None


def is_sentence(text: str) -> bool:
    """Return whether a line that could not be read is words rather than notation."""
    if text.lstrip().startswith("::"):  # a line of ours for programs
        return False
    if strip_asking(text) != text:
        return True
    words = [word for word in _WORD.findall(text) if len(word) > 1 and not word.isupper() and word.isalpha()]
    few = text.rstrip().endswith("?") or any(_has_phrase(text, key) for key in ("wish-not-words", "wish-own-words"))
    return len(words) >= (2 if few else 3)


def is_wish_to_join(text: str) -> bool:
    """Return whether a sentence agrees to take part."""
    return _has_phrase(text, "wish-join-words") or _has_phrase(text, "wish-agree-words")


def is_denial(text: str) -> bool:
    """Return whether a sentence says no, but, or perhaps: it is no plain yes."""
    return _has_phrase(text, "wish-deny-words")


def is_wish_to_resign(text: str) -> bool:
    return _has_phrase(text, "wish-resign-words")


def is_recall(text: str) -> bool:
    """Return whether the words beside a move say that it shall not count."""
    return _has_phrase(text, "wish-recall-words") or _has_phrase(text, "wish-withdraw-words")


def list_offers(scene: WishScene, text: str, *, beside: bool = False) -> tuple[LineOffer, ...]:
    """Return the lines that a sentence may stand for, the likeliest first; () = nothing comes to mind. ``beside``: it
    stands beside a move or a command that was understood, so that only what matters is asked about."""
    text = " ".join(text.split())[:LONGEST]
    if _has_phrase(text, "wish-disclaimer-words"):
        return ()
    found: list[LineOffer] = []
    for readers in (URGENT,) if beside else (MOVES, URGENT, QUESTIONS):
        if not found:
            found = [offer for read in readers if (offer := read(scene, text)) is not None]
    if not found and (not beside or "?" in text) and len(_WORD.findall(text)) > 2:
        found = [LineOffer(Note("wish-question"), f"{_get_command_word(scene, 'question')}: {text}")]
    return tuple(found[:MOST])


def _offer_move(scene: WishScene, text: str) -> LineOffer | None:
    """Return the only move that the sentence can mean and that is possible now."""
    live = scene.live
    if live is None:
        return None
    meant = list_meant_moves(scene, text)
    offers = [(move, offer) for move in meant if (offer := offer_possible_move(scene, live, move))]
    if len(offers) != 1:
        return None
    ((move, offer),) = offers
    bought = _count_purchase(text)
    if bought and move == _parse_purchase(scene, live, text):
        kind = next(iter(bought)) if len(bought) == 1 else "both"
        return LineOffer(Note(f"wish-buy-{kind}", bought), offer.line)
    return offer


def offer_possible_move(scene: WishScene, live: LiveMatch, move: str) -> LineOffer | None:
    """Return the question whether this move is meant, with what it would bring now; None where it is not possible."""
    (found,) = preview_order(live.game, live.table, scene.seat, move, scene.work.cache.build_context(live))[:1]
    if found.points is None:
        return None
    return LineOffer(Note("wish-move"), write_move(move, scene.player.language, live.game.key), points=found.points)


def list_meant_moves(scene: WishScene, text: str) -> list[str]:
    """Return the moves, in notation, that a sentence could mean, possible or not."""
    live = scene.live
    if live is None or live.table.state.over or live.table.pace == "race":
        return []
    return list(dict.fromkeys(_iter_meant_moves(scene, live, text)))


def _iter_meant_moves(scene: WishScene, live: LiveMatch, text: str) -> Iterator[str]:
    """Yield the moves, in notation, that parts of the sentence could mean."""
    if bought := _parse_purchase(scene, live, text):
        yield bought
        return
    mentioned, words = _split_bare_words(text), _split_bare_words(_drop_denied_words(text))
    yield from _choose_likely_moves(_collect_parts(scene, live, text, words), words)
    yield from _iter_corrected_orders(scene, live, mentioned, words)
    if not live.game.uses_words:
        yield from iter_moves_with_tile(scene, live, words)


def _collect_parts(scene: WishScene, live: LiveMatch, text: str, words: Sequence[str]) -> dict[str, str]:
    """Collect the parts of the sentence that are moves: notation -> the longest of these parts. Of a sentence that is
    a move but for the question whether it is right there is one."""
    if (asked := strip_asking(text)) != text and (read := parse_move(live, scene.seat, asked, loosely=True)):
        return {read: asked}
    found: dict[str, str] = {}
    tries = 0
    for length in range(min(_LATEST, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            part = " ".join(words[at : at + length])
            if any(one.isdigit() for one in part) and (length > 1 or _AT_END.search(part)) and tries < _TRIES:
                tries += 1
                if read := parse_move(live, scene.seat, part):
                    found.setdefault(read, part)
    return found


def _choose_likely_moves(parts: Mapping[str, str], words: Sequence[str]) -> list[str]:
    """Choose the moves whose words stand in capitals, else those that begin with their square, else all: in »Darf ich
    E5 w HAUS legen?« nobody lays DARF."""
    capitals = {word for word in words if word.isupper()}
    for likely in (
        [move for move in parts if capitals.issuperset(word for word in _LAID.findall(move))],
        [move for move, part in parts.items() if any(one.isdigit() for one in part.split()[0])],
    ):
        if likely:
            return likely
    return list(parts)


def _split_bare_words(text: str) -> list[str]:
    return [word.strip(".,;!?»«„“”\"'()" if word[0].isdigit() else ".,;:!?»«„“”\"'()") for word in text.split()]


def _drop_denied_words(text: str) -> str:
    """Return the sentence without what it says is not meant: »MUSE, nicht MUSEEN« means MUSE."""
    words = "|".join(re.escape(word) for word in load_synonyms(HERE, "wish-not-words"))
    return re.sub(rf"\b(?:{words})\s+[^,.;!?]*", "", text, flags=re.IGNORECASE)


def _iter_corrected_orders(
    scene: WishScene, live: LiveMatch, mentioned: Sequence[str], affirmed: Sequence[str]
) -> Iterator[str]:
    """Yield the last order with one of its words replaced by another that the sentence says is meant."""
    last = scene.tried.partition(";")[0]
    others = dict.fromkeys(word for word in affirmed if len(word) > 1 and word.isupper() and word.isalpha())
    for old in {word for word in _WORD.findall(last) if len(word) > 1} & {word.upper() for word in mentioned}:
        for new in others:
            if new != old and (read := parse_move(live, scene.seat, last.replace(old, new))):
                yield read


def iter_moves_with_tile(scene: WishScene, live: LiveMatch, words: Sequence[str]) -> Iterator[str]:
    """Yield the moves with a tile of the hand that the sentence names."""
    named = {word.upper() for word in words} & set(live.table.state.hand(scene.seat))
    if len(named) != 1:
        return
    (tile,) = named
    for number, (one, _) in enumerate(live.game.list_moves(view_for(live.table.state, scene.seat), live.context)):
        if number == _FEW_MOVES:
            return
        text = live.game.format_move(one)
        if re.match(rf"{re.escape(tile)}(?!\w)", text):
            yield text


def _parse_purchase(scene: WishScene, live: LiveMatch, text: str) -> str:
    """Return the order to buy what the sentence counts, in notation; "" where it names no colour or the game sells
    none."""
    bought = _count_purchase(text)
    if not bought:
        return ""
    return parse_move(live, scene.seat, "buy " + ", ".join(f"{count} {colour}" for colour, count in bought.items()))


def _count_purchase(text: str) -> dict[str, int]:
    """Return how many tiles of each colour the sentence wants to buy."""
    if not _has_phrase(text, "wish-buy-words"):
        return {}
    bought: dict[str, int] = {}
    before = ""
    for word in map(normalize_spelling, _WORD.findall(text)):
        colour = (
            "red"
            if word in load_synonyms(HERE, "wish-red")
            else "black"
            if word in load_synonyms(HERE, "wish-black")
            else ""
        )
        if colour:
            count = load_meanings(HERE, "wish-counts").get(before, before)
            bought[colour] = int(count) if count.isdigit() and 0 < int(count) < 10 else 1
        before = word
    return bought


def parse_move(live: LiveMatch, seat: int, text: str, *, loosely: bool = False) -> str:
    """Return the move in notation; "" if the text is none. ``loosely``: as the lines of a mail are read."""
    view = view_for(live.table.state, seat)
    try:
        if loosely:
            return parse_loosely(text, lambda part: live.game.parse_move(part, view), live.game.format_move)[1]
        return live.game.format_move(live.game.parse_move(text, view))
    except PlayerError:
        return ""


def _offer_leave(scene: WishScene, text: str) -> LineOffer | None:
    span, away = find_day_span(text, scene.work.today), _has_phrase(text, "wish-leave-words")
    personal = _has_phrase(text, "wish-own-words") and not _has_phrase(text, "wish-status-words")
    if span is not None and (away or personal):
        first, last = (f"{day.day}.{day.month}.{day.year}" for day in span)
        until = render_label("wish-until", scene.player.language)
        days = {"first": span[0], "last": span[1]}
        return LineOffer(Note("wish-leave", days), f"{_get_command_word(scene, 'leave')} {first} {until} {last}")
    if not away:
        return None
    example = get_player_commands()["leave"].get_text(scene.player.language).example
    line = fill_pattern(example, scene.player.language)
    return LineOffer(Note("wish-leave-days", {"line": line}), line, whole=False)


def _build_command_reader(name: str, words: str, note: str) -> Callable[[WishScene, str], LineOffer | None]:
    """Return a reader of sentences that one command alone answers."""

    def offer_command(scene: WishScene, text: str) -> LineOffer | None:
        return LineOffer(Note(note), _get_command_word(scene, name)) if _has_phrase(text, words) else None

    return offer_command


def _offer_resignation(scene: WishScene, text: str) -> LineOffer | None:
    if not scene.code or not is_wish_to_resign(text):
        return None
    return LineOffer(Note("wish-resign"), render_code("resign-line", scene.player.language, match=scene.code))


def _offer_withdrawal(scene: WishScene, text: str) -> LineOffer | None:
    """Offer to take back what was sent last: a stored order, or, if the others agree, a move that has been played."""
    if not _has_phrase(text, "wish-withdraw-words"):
        return None
    live = scene.live
    played = (
        live is not None
        and live.get_stored_order_state(scene.seat) == "none"
        and bool(live.last.get(scene.seat, ("", 0))[0])
    )
    return LineOffer(Note("wish-undo" if played else "wish-withdraw"), _get_command_word(scene, "undo"))


def _offer_address_change(scene: WishScene, text: str) -> LineOffer | None:
    named = _MAIL_ADDRESS.search(text)
    if named is None or not _has_phrase(text, "wish-address-words"):
        return None
    return LineOffer(Note("wish-address"), f"{_get_command_word(scene, 'address')} {named[0]}")


def _offer_protest(scene: WishScene, text: str) -> LineOffer | None:
    if not scene.code or not _has_phrase(text, "wish-protest-words"):
        return None
    return LineOffer(Note("wish-protest"), f"{_get_command_word(scene, 'protest')}: {text}")


Reader = Callable[[WishScene, str], LineOffer | None]
MOVES: tuple[Reader, ...] = (_offer_move,)
URGENT: tuple[Reader, ...] = (
    _offer_resignation,
    _offer_withdrawal,
    _offer_leave,
    _build_command_reader("unsubscribe", "wish-unsubscribe-words", "wish-unsubscribe"),
    _offer_address_change,
)
"""Who means one of these needs an answer, whatever else stands in the mail."""
QUESTIONS: tuple[Reader, ...] = (
    _offer_protest,
    _build_command_reader("status", "wish-status-words", "wish-status"),
    _build_command_reader("help", "wish-help-words", "wish-help"),
    _build_command_reader("rules", "wish-rules-words", "wish-rules"),
    _build_command_reader("status", "wish-join-words", "wish-join"),
)


def _get_command_word(scene: WishScene, name: str) -> str:
    return get_player_commands()[name].get_text(scene.player.language).first_word.upper()


def _has_phrase(text: str, key: str) -> bool:
    """Return whether one of these words, or words in a row, stands in the text, in whatever language; words that say
    nothing may stand between them."""
    words = _WORD.findall(normalize_spelling(text))
    whole, short = (f" {' '.join(some)} " for some in (words, [word for word in words if word not in _load_fillers()]))
    return any(phrase.search(whole) or phrase.search(short) for phrase in _load_phrases(key))


@cache
def _load_phrases(key: str) -> tuple[re.Pattern[str], ...]:
    """Load the words for ``key``, each as a pattern; ``…`` in them stands for up to five others."""
    parts = ([" ".join(_WORD.findall(part)) for part in word.split("…")] for word in load_synonyms(HERE, key))
    return tuple(re.compile(rf" {' (?:[^ ]+ ){0,5}'.join(map(re.escape, words))} ") for words in parts)


@cache
def _load_fillers() -> frozenset[str]:
    return frozenset(word for phrase in load_synonyms(HERE, "wish-fillers") for word in _WORD.findall(phrase))
