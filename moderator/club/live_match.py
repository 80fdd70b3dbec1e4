"""Matches at hand: each rebuilt from its log, or brought up to date with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from moderator import games
from moderator.club.endings import ending_of
from moderator.errors import ReplayMismatch
from moderator.match import record, replay, rng, words
from moderator.match.alternatives import possible
from moderator.match.contract import Context, Game, Words, read_options
from moderator.match.replay import Entry
from moderator.match.table import Result, Table
from moderator.match.time import ledger
from moderator.match.time.clock import Terms
from moderator.match.time.ledger import Ledger
from moderator.states import EntryKind
from moderator.store import db, matches
from moderator.store.db import Session
from moderator.store.models import Match
from moderator.typed import build

if TYPE_CHECKING:
    pass

Order = Literal["none", "possible", "impossible"]


class Suspended(Exception):
    """This match cannot go on until the operator has looked; ``reason`` is one line."""

    def __init__(self, match: Match, reason: str) -> None:
        super().__init__(reason)
        self.match_id = match.number
        self.reason = reason


@dataclass
class LiveMatch:
    """A running match: its rules, its table and what was played last."""

    match_id: int
    code: str
    game: Game[Any, Any]
    options: Any
    context: Context
    table: Table[Any]
    terms: Terms
    ledger: Ledger
    """Each seat's account of time, as the log has it."""
    entries: int = 0
    first: int = 1
    """The round that it began with here."""
    last: dict[int, tuple[str, int]] = field(default_factory=dict)
    """seat -> (last move, its points)."""
    words: Callable[[], Words] | None = None
    """Opens the dictionary, when it is asked whether an order is possible; None = it cannot
    be, and orders in games of words count as they were sent."""
    _looked: dict[int, tuple[Any, str, Any, bool]] = field(default_factory=dict, repr=False)
    """Seat -> state, order, dictionary, and whether it was possible then."""

    @property
    def awaited(self) -> tuple[int, ...]:
        """Seats whose turn it is, without those that play no more."""
        return tuple(seat for seat in self.table.state.to_move if seat not in self.table.out)

    @property
    def missing(self) -> tuple[int, ...]:
        """Those of them of which nothing is here that can be played: nobody is in by something that is not possible."""
        return tuple(seat for seat in self.awaited if not self.is_in(seat))

    @property
    def silent(self) -> tuple[int, ...]:
        """Those that are missing and have not sent anything since their last turn, not even in vain."""
        return tuple(seat for seat in self.missing if seat not in self.ledger.sent)

    def is_in(self, seat: int) -> bool:
        """Whether nothing more is wanted of an awaited seat. Where one seat acts at a time that is so once it has
        played; in a race only what is right is kept."""
        if self.table.pace in ("sequential", "race"):
            return self.table.pace == "race" and seat in self.table.orders
        return self.order(seat) == "possible"

    def order(self, seat: int) -> Order:
        """What a seat has stored, as things stand now."""
        text = self.table.orders.get(seat, "")
        if not text:
            return "none"
        return "possible" if self.table.pace == "race" or self.possible(seat, text) else "impossible"

    def came_to_nothing(self, seat: int) -> bool:
        """Whether something is here of a seat, but nothing that can be played now."""
        return self.order(seat) == "impossible" or seat in self.table.tried

    def possible(self, seat: int, text: str) -> bool:
        """Whether something of an order can be played now, or waits for a ruling. Raises what opening the dictionary
        raises."""
        if self.words is None and self.game.uses_words:
            return True
        words = self.words() if self.words is not None and self.game.uses_words else self.context.words
        before = self._looked.get(seat)
        if before is not None and before[0] is self.table.state and before[1] == text and before[2] is words:
            return before[3]
        context = replace(self.context, words=words, out=self.table.out)
        found = possible(self.game, self.table.state, seat, text, context)
        self._looked[seat] = self.table.state, text, words, found
        return found

    def note(self, result: Result) -> None:
        """Remember what each seat did last, for the score table."""
        for move in result.moves:
            if move.alternative or self.table.pace != "sequential":
                more = result.at_end(move.seat) if self.table.together else 0
                self.last[move.seat] = (move.told, move.points + more)


def lock(session: Session, match: Match) -> None:
    """No other worker changes the match until this transaction ends; the row is as the last one has left it."""
    # A lock that was taken after a savepoint is given up with it.
    locked = db.notes(session).setdefault("locked", set())
    if session.info.get("shared") and match.number not in locked:
        session.flush()
        session.refresh(match, with_for_update=True)
        locked.add(match.number)


def terms_of(match: Match, defaults: Terms) -> Terms:
    """The match's time rules: the club's, with what it says otherwise. Raises ConfigError for values that cannot be."""
    where = f"match {match.code} terms" if match.id else "terms"
    terms = build(Terms, dataclasses.asdict(defaults) | match.terms, where)
    terms.check(where)
    return terms


def rules_of(match: Match) -> tuple[Game[Any, Any], Any]:
    """The game and its options."""
    game = games.load(match.game)
    return game, read_options(game, match.options, f"match {match.code}")


def context_of(match: Match) -> Context:
    """Shuffles from the match's seed, or from those of its rounds; words only from the record."""
    master = bytes.fromhex(match.seed)
    seed = rng.round_seeds(master) if games.load(match.game).seeded_rounds else master
    return Context(words.Recorded({}, None), rng.shuffler(seed, match.salts, match.code))


def log_of(session: Session, match: Match) -> list[Entry]:
    """The match's log, oldest first."""
    return [Entry(*line) for line in matches.log(session, match)]


def record_of(session: Session, match: Match, names: Sequence[str]) -> dict[str, Any]:
    """The match's record as JSON values, see match/record.py; ``names`` by seat."""
    game, options = rules_of(match)
    log, ended = log_of(session, match), ending_of(session, match)
    return record.export(match.code, game, options, names, match.seed, match.salts, log, ending=ended)


def caught_up(session: Session, match: Match, live: LiveMatch, defaults: Terms) -> LiveMatch | None:
    """``live`` with what another worker has entered since; None where the past is needed for that (an undo). Raises
    Suspended."""
    return _went_on(match, live, log_of(session, match), defaults)


def _went_on(match: Match, live: LiveMatch, entries: Sequence[Entry], defaults: Terms) -> LiveMatch | None:
    """``live`` with what its log has more than it; None where the past is needed for that."""
    new = entries[live.entries :]
    if any(entry.kind == EntryKind.UNDO for entry in new):
        return None
    table, results = live.table, []
    try:
        for entry in new:
            table, result = replay.step(live.game, table, entry, live.context)
            results.append(result)
    except ReplayMismatch as error:
        raise Suspended(match, f"the log of match {match.code} does not replay: {error}") from error
    terms = terms_of(match, defaults)
    account = ledger.read(table.state.seats, terms, entries)
    after = _copy(live, table=table, terms=terms, ledger=account, entries=len(entries))
    for result in results:
        after.note(result)
    return after


def _copy(live: LiveMatch, **changes: Any) -> LiveMatch:
    """Another one that goes its own way."""
    return replace(live, last=dict(live.last), _looked={}, **changes)


_Origin = tuple[Any, ...]
"""All that a match is dealt from."""
_PLAYED: dict[int, tuple[_Origin, list[Entry], LiveMatch]] = {}
"""Match id -> the match as an earlier run of this process has played it from its log, and that log. The log alone
says what a match is: it is played again from the deal unless it begins with these very entries."""
MOST_PLAYED = 100


def _origin(match: Match, seats: int) -> _Origin:
    return deepcopy((match.code, match.game, match.options, match.seed, match.salts, seats))


def _since_known(match: Match, seats: int, entries: list[Entry], defaults: Terms) -> LiveMatch | None:
    """The match with only that played again which has come to its log; None where all of it must be."""
    origin, before, live = _PLAYED.get(match.number, (None, [], None))
    if live is None or origin != _origin(match, seats) or before != entries[: len(before)]:
        return None
    return _went_on(match, live, entries, defaults)


def _remember(match: Match, seats: int, entries: list[Entry], live: LiveMatch) -> None:
    _PLAYED.pop(match.number, None)
    _PLAYED[match.number] = _origin(match, seats), entries, _copy(live)
    while len(_PLAYED) > MOST_PLAYED:
        del _PLAYED[next(iter(_PLAYED))]


@dataclass(frozen=True)
class Walked:
    """A match that was played again, with all that led to it."""

    live: LiveMatch
    entries: list[Entry]
    past: list[Table[Any]]
    """After the deal and after each entry."""
    results: list[Result]
    """What each entry led to."""


def rebuild(session: Session, match: Match, defaults: Terms) -> LiveMatch:
    """Play the log again; ``defaults`` are the club's time rules. Raises Suspended when it gives another outcome than
    the recorded one."""
    entries, seats = log_of(session, match), matches.seat_count(session, match)
    found = _since_known(match, seats, entries, defaults) or _walked(match, seats, entries, defaults).live
    _remember(match, seats, entries, found)
    return found


def walk(session: Session, match: Match, defaults: Terms) -> Walked:
    """The same from the deal on, with every moment of the match. Raises Suspended."""
    return _walked(match, matches.seat_count(session, match), log_of(session, match), defaults)


def _walked(match: Match, seats: int, entries: list[Entry], defaults: Terms) -> Walked:
    game, options = rules_of(match)
    terms = terms_of(match, defaults)
    context = context_of(match)
    try:
        past, results, _ = replay.walk(game, seats, options, context, None, entries)
    except ReplayMismatch as error:
        raise Suspended(match, f"the log of match {match.code} does not replay: {error}") from error
    account = ledger.read(seats, terms, entries)
    first = past[0].state.public.round
    live = LiveMatch(match.number, match.code, game, options, context, past[-1], terms, account, len(entries), first)
    for number, _ in replay.effective(entries):
        live.note(results[number - 1])
    return Walked(live, entries, past, results)
