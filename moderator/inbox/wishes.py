"""What somebody wants who writes a sentence instead of a move or a command, and the line that would do it.

A sentence is never carried out. Its writer is asked once, with the exact line; the answer ``ja`` is enough where there
is one. A question to the moderator is passed on, and whatever else is prose is offered to be passed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch
from moderator.commands.declaration import players
from moderator.commands.player.leave import mentioned_span
from moderator.errors import PlayerError
from moderator.match.contract import Note, view_for
from moderator.match.table import preview
from moderator.pages.messages import filled, label, move
from moderator.pages.pages import Offer
from moderator.store.models import Player
from moderator.texts import heard, meanings, plain

HERE = Path(__file__).parent
MOST = 3
"""Offers of one mail."""
LONGEST = 600
"""Characters of prose that are looked at."""
_WORD = re.compile(r"\w+")
_MAIL_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LATEST = 12
"""Words of one notation."""
_TRIES = 60
_FEW_MOVES = 400
"""Moves of a position that are compared with a sentence."""


@dataclass(frozen=True)
class Scene:
    """Where the sentence was written."""

    desk: Desk
    player: Player
    code: str = ""
    """Of the match; "" = nobody knows which."""
    live: LiveMatch | None = None
    seat: int = 0
    tried: str = ""
    """What the seat has ordered last, in notation."""


def is_question_to_referee(text: str) -> bool:
    """Whether prose calls the referee and asks something."""
    if not _has(text, "wish-referee-words"):
        return False
    return "?" in text or re.search(r"\b(?:frage|question)\b", text, re.IGNORECASE) is not None


def is_sentence(text: str) -> bool:
    """Whether a line that could not be read is rather words than notation."""
    if text.lstrip().startswith("::"):  # a line of ours for programs
        return False
    words = [word for word in _WORD.findall(text) if len(word) > 1 and not word.isupper() and word.isalpha()]
    return len(words) >= (2 if _has(text, "wish-not-words") or _has(text, "wish-own-words") else 3)


def wants_to_join(text: str) -> bool:
    """Whether a sentence agrees to take part."""
    return _has(text, "wish-join-words") or _has(text, "wish-agree-words")


def denies(text: str) -> bool:
    """Whether a sentence says no, but, or perhaps: it is no plain yes."""
    return _has(text, "wish-deny-words")


def is_recalled(text: str) -> bool:
    """Whether the words beside a move say that it shall not count."""
    return _has(text, "wish-recall-words") or _has(text, "wish-withdraw-words")


def offers(scene: Scene, text: str, *, beside: bool = False) -> tuple[Offer, ...]:
    """The lines that a sentence may stand for, the likeliest first; () = nothing comes to mind. ``beside``: it stands
    beside a move or a command that was understood, so that only what matters is asked about."""
    text = " ".join(text.split())[:LONGEST]
    if _has(text, "wish-disclaimer-words"):
        return ()
    found: list[Offer] = []
    for readers in (URGENT,) if beside else (MOVES, URGENT, QUESTIONS):
        if not found:
            found = [offer for read in readers if (offer := read(scene, text)) is not None]
    if not found and (not beside or "?" in text) and len(_WORD.findall(text)) > 2:
        found = [Offer(Note("wish-question"), f"{_word(scene, 'question')}: {text}")]
    return tuple(found[:MOST])


def _moves(scene: Scene, text: str) -> Offer | None:
    """The only move that the sentence can mean and that is possible now."""
    live = scene.live
    legal = [one for one in meant_moves(scene, text) if live and _is_possible(scene, live, one)]
    if live is None or len(legal) != 1:
        return None
    buys = _has(text, "wish-buy-words") and legal[0] == _bought(scene, live, text)
    return Offer(Note("wish-buy" if buys else "wish-move"), move(legal[0], scene.player.language, live.game.key))


def meant_moves(scene: Scene, text: str) -> list[str]:
    """Moves, in notation, that a sentence could mean, possible or not."""
    live = scene.live
    if live is None or live.table.state.over or live.table.pace == "race":
        return []
    return list(dict.fromkeys(_readings(scene, live, text)))


def _readings(scene: Scene, live: LiveMatch, text: str) -> Iterator[str]:
    """Moves, in notation, that parts of the sentence could mean."""
    if bought := _bought(scene, live, text):
        yield bought
        return
    mentioned, words = _bare_words(text), _bare_words(_affirmed(text))
    tries = 0
    for length in range(min(_LATEST, len(words)), 1, -1):
        for at in range(len(words) - length + 1):
            part = " ".join(words[at : at + length])
            if any(one.isdigit() for one in part) and tries < _TRIES:
                tries += 1
                if read := _parsed(live, scene.seat, part):
                    yield read
    yield from _corrected(scene, live, mentioned, words)
    if not live.game.uses_words:
        yield from _named(scene, live, words)


def _bare_words(text: str) -> list[str]:
    return [word.strip(".,;:!?»«„“”\"'()") for word in text.split()]


def _affirmed(text: str) -> str:
    """The sentence without what it says is not meant: »MUSE, nicht MUSEEN« means MUSE."""
    words = "|".join(re.escape(word) for word in heard(HERE, "wish-not-words"))
    return re.sub(rf"\b(?:{words})\s+[^,.;!?]*", "", text, flags=re.IGNORECASE)


def _corrected(scene: Scene, live: LiveMatch, mentioned: Sequence[str], affirmed: Sequence[str]) -> Iterator[str]:
    """The last order with one of its words replaced by another that the sentence says is meant."""
    last = scene.tried.partition(";")[0]
    others = dict.fromkeys(word for word in affirmed if len(word) > 1 and word.isupper())
    for old in {word for word in _WORD.findall(last) if len(word) > 1} & {word.upper() for word in mentioned}:
        for new in others:
            if new != old and (read := _parsed(live, scene.seat, last.replace(old, new))):
                yield read


def _named(scene: Scene, live: LiveMatch, words: Sequence[str]) -> Iterator[str]:
    """Moves with a tile of the hand that the sentence names."""
    named = {word.upper() for word in words} & set(live.table.state.hand(scene.seat))
    if len(named) != 1:
        return
    (tile,) = named
    for number, (one, _) in enumerate(live.game.moves(view_for(live.table.state, scene.seat), live.context)):
        if number == _FEW_MOVES:
            return
        text = live.game.format(one)
        if re.match(rf"{re.escape(tile)}(?!\w)", text):
            yield text


def _bought(scene: Scene, live: LiveMatch, text: str) -> str:
    """The order to buy what the sentence counts, in notation; "" where it names no colour or the game sells none."""
    if not _has(text, "wish-buy-words"):
        return ""
    bought: dict[str, int] = {}
    before = ""
    for word in map(plain, _WORD.findall(text)):
        colour = "red" if word in heard(HERE, "wish-red") else "black" if word in heard(HERE, "wish-black") else ""
        if colour:
            count = meanings(HERE, "wish-counts").get(before, before)
            bought[colour] = int(count) if count.isdigit() and 0 < int(count) < 10 else 1
        before = word
    if not bought:
        return ""
    return _parsed(live, scene.seat, "buy " + ", ".join(f"{count} {colour}" for colour, count in bought.items()))


def _parsed(live: LiveMatch, seat: int, text: str) -> str:
    try:
        return live.game.format(live.game.parse(text, view_for(live.table.state, seat)))
    except PlayerError:
        return ""


def _is_possible(scene: Scene, live: LiveMatch, text: str) -> bool:
    (found,) = preview(live.game, live.table, scene.seat, text, scene.desk.cache.context(live))[:1]
    return found.points is not None


def _leave(scene: Scene, text: str) -> Offer | None:
    span, away = mentioned_span(text, scene.desk.today), _has(text, "wish-leave-words")
    personal = _has(text, "wish-own-words") and not _has(text, "wish-status-words")
    if span is not None and (away or personal):
        first, last = (f"{day.day}.{day.month}.{day.year}" for day in span)
        until = label("wish-until", scene.player.language)
        return Offer(Note("wish-leave"), f"{_word(scene, 'leave')} {first} {until} {last}")
    if not away:
        return None
    example = players()["leave"].text(scene.player.language).example
    return Offer(Note("wish-leave-days"), filled(example, scene.player.language), whole=False)


def _command(name: str, words: str, note: str, *, in_match: bool = False) -> Callable[[Scene, str], Offer | None]:
    """A reader of sentences that one command alone answers."""

    def read(scene: Scene, text: str) -> Offer | None:
        if not _has(text, words) or (in_match and not scene.code):
            return None
        code = f" {scene.code}" if in_match and scene.code else ""
        return Offer(Note(note), f"{_word(scene, name)}{code}")

    return read


def _withdraw(scene: Scene, text: str) -> Offer | None:
    """A stored order is withdrawn; of a move that has been played the others are asked."""
    if not _has(text, "wish-withdraw-words"):
        return None
    live = scene.live
    played = live is not None and live.order(scene.seat) == "none" and bool(live.last.get(scene.seat, ("", 0))[0])
    name = "undo" if played else "withdraw"
    return Offer(Note(f"wish-{name}"), _word(scene, name))


def _address(scene: Scene, text: str) -> Offer | None:
    named = _MAIL_ADDRESS.search(text)
    if named is None or not _has(text, "wish-address-words"):
        return None
    return Offer(Note("wish-address"), f"{_word(scene, 'address')} {named[0]}")


def _protest(scene: Scene, text: str) -> Offer | None:
    if not scene.code or not _has(text, "wish-protest-words"):
        return None
    return Offer(Note("wish-protest"), f"{_word(scene, 'protest')}: {text}")


Reader = Callable[[Scene, str], Offer | None]
MOVES: tuple[Reader, ...] = (_moves,)
URGENT: tuple[Reader, ...] = (
    _command("resign", "wish-resign-words", "wish-resign", in_match=True),
    _withdraw,
    _leave,
    _command("unsubscribe", "wish-unsubscribe-words", "wish-unsubscribe"),
    _address,
)
"""Who means one of these needs an answer, whatever else stands in the mail."""
QUESTIONS: tuple[Reader, ...] = (
    _protest,
    _command("status", "wish-status-words", "wish-status"),
    _command("help", "wish-help-words", "wish-help"),
    _command("rules", "wish-rules-words", "wish-rules"),
    _command("status", "wish-join-words", "wish-join"),
)


def _word(scene: Scene, name: str) -> str:
    """What a command is called in the player's language."""
    return players()[name].text(scene.player.language).first.upper()


def _has(text: str, key: str) -> bool:
    """Whether one of these words, or words in a row, stands in it, in whatever language; words that say nothing may
    stand between them."""
    words = _WORD.findall(plain(text))
    whole, short = (f" {' '.join(some)} " for some in (words, [word for word in words if word not in _fillers()]))
    looked_for = [f" {' '.join(_WORD.findall(word))} " for word in heard(HERE, key)]
    return any(phrase in whole or phrase in short for phrase in looked_for)


@cache
def _fillers() -> frozenset[str]:
    return frozenset(word for phrase in heard(HERE, "wish-fillers") for word in _WORD.findall(phrase))
