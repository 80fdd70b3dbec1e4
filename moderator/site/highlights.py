"""What was remarkable in matches that have ended: each player's best move, the longest word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlmodel import Session, col, select

from moderator.match.replay import Entry, effective
from moderator.match.result import Played, Result
from moderator.site.site import Listed, Site
from moderator.states import EntryKind
from moderator.store.models import Event

AT_ONCE = 400
"""Matches that are read by one question."""


@dataclass(frozen=True)
class Feat:
    """A move, or a word of it."""

    player: int
    """Primary key of who had the seat then."""
    points: int
    text: str
    """The move as the list of moves has it, or the word."""
    moment: int
    """Of the match's page."""


@dataclass(frozen=True)
class Highlights:
    best: tuple[Feat, ...] = ()
    """The best move of each player who scored with one."""
    words: tuple[Feat, ...] = ()
    """The longest word of each player; of words of one length the one with more points."""


def highlights(site: Site, matches: Sequence[Listed]) -> Mapping[int, Highlights]:
    """Of finished ``matches`` by primary key; only those that have changed since the last run are read."""
    keys = {match.id: f"{match.entries} {[seat.player for seat in match.seats]}" for match in matches}
    by_id = {match.id: match for match in matches}
    missing = [number for number, key in keys.items() if not site.values.has("feats", number, key)]
    for first in range(0, len(missing), AT_ONCE):
        for number, entries in _logs(site.desk.session, missing[first : first + AT_ONCE]):
            made = of_log(entries, [seat.player for seat in by_id[number].seats])
            site.values.put(
                "feats", number, keys[number], [[vars(f) for f in made.best], [vars(f) for f in made.words]]
            )
    return {number: _read(site.values.get("feats", number, key)) for number, key in keys.items()}


def _read(value: Any) -> Highlights:
    best, words = value or ((), ())
    return Highlights(tuple(Feat(**one) for one in best), tuple(Feat(**one) for one in words))


def _logs(session: Session, matches: Sequence[int]) -> Iterator[tuple[int, list[Entry]]]:
    query = select(Event.match_id, Event.kind, Event.seat, Event.text, Event.outcome)  # type: ignore[call-overload]
    query = query.where(col(Event.match_id).in_(matches)).order_by(col(Event.match_id), col(Event.n))
    for number, rows in groupby(session.exec(query), key=lambda row: row[0]):
        yield number, [Entry(kind, seat, text, outcome) for _, kind, seat, text, outcome in rows]


def of_log(entries: Sequence[Entry], players: Sequence[int]) -> Highlights:
    """``players``: who has each seat at the end. What was undone does not count, nor do moves of players who have left
    the seat and of whom the log does not say who they were."""
    log = [entry for _, entry in effective(entries)]
    here: list[int | None] = list(players)
    for entry in log:
        if entry.kind == EntryKind.HAND_OVER and entry.seat is not None:
            here[entry.seat] = None
    best: dict[int, Feat] = {}
    words: dict[int, Feat] = {}
    moment = 0
    for entry in log:
        turns = _turns(entry)
        if entry.kind == EntryKind.HAND_OVER and entry.seat is not None and entry.text.isdecimal():
            here[entry.seat] = int(entry.text)
        elif not turns and entry.kind not in (EntryKind.RETIRE, EntryKind.STOP):
            continue
        moment += 1
        for turn in turns:
            player = here[turn.seat]
            if player is not None and turn.alternative:
                _note(best, words, player, turn, moment)
    return Highlights(tuple(best.values()), tuple(words.values()))


def _turns(entry: Entry) -> tuple[Played, ...]:
    """Those that the list of moves shows (outbox/match_history.py)."""
    moves: Iterable[Played] = Result.from_json(entry.outcome).moves if entry.outcome.get("moves") else ()
    return tuple(move for move in moves if entry.kind != EntryKind.MOVE or move.alternative)


def _note(best: dict[int, Feat], words: dict[int, Feat], player: int, turn: Played, moment: int) -> None:
    if turn.points > (best[player].points if player in best else 0):
        best[player] = Feat(player, turn.points, turn.told, moment)
    for word in turn.detail.get("words", ()):
        feat = Feat(player, word["points"], word["word"], moment)
        if player not in words or _length(feat) > _length(words[player]):
            words[player] = feat


def _length(feat: Feat) -> tuple[int, int]:
    return len(feat.text), feat.points
