"""Matches at hand: each rebuilt from its log, or brought up to date with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from moderator import games
from moderator.common.enums import ClockStop, GameKind, LogEntryKind, TournamentRuling
from moderator.common.errors import ReplayMismatch
from moderator.common.typed import build_dataclass
from moderator.rules import replay, shuffling, words
from moderator.rules.ending import EndCause, Ending, MatchOutcome, build_ending
from moderator.rules.game import Context, Game, Words, read_options
from moderator.rules.log import EngineResult
from moderator.rules.orders.parse import has_legal_alternative, list_alternatives
from moderator.rules.records import record
from moderator.rules.replay import LogEntry
from moderator.rules.silence import SeatStatus, Silence, foresee_silence
from moderator.rules.table import AlternativePreview, MatchState, preview_order
from moderator.rules.time import clock
from moderator.rules.time.clock import TimeAccounts, TimeRules
from moderator.store import database, matches, tournaments
from moderator.store.database import Session
from moderator.store.tables import MatchRow, TournamentGame
from moderator.tournaments.field import Result, build_result

Order = Literal["none", "possible", "impossible"]


class MatchSuspended(Exception):
    """The error that a match cannot go on until the operator has looked; ``reason`` is one line."""

    def __init__(self, match: MatchRow, reason: str) -> None:
        super().__init__(reason)
        self.match_id = match.number
        self.reason = reason

    @property
    def logged_reason(self) -> str:
        """The reason without the moves that the match's log and its replay differ in."""
        return self.reason.removesuffix(f": {self.__cause__}")


@dataclass
class LiveMatch:
    """A running match: its rules, its table and what was played last."""

    match_id: int
    code: str
    game: Game[Any, Any]
    options: Any
    context: Context
    table: MatchState[Any]
    terms: TimeRules
    ledger: TimeAccounts
    """Each seat's account of time, as the log has it."""
    entries: int = 0
    first: int = 1
    """Number of the first round played here; later than 1 if it was moved in."""
    last: dict[int, tuple[str, int | None]] = field(default_factory=dict)
    """Seat -> its move in its last turn ("" = none), and what that turn brought it (None = it did nothing)."""
    last_round: int = 0
    """The round that ``last`` is about, where rounds are dealt anew."""
    words: Callable[[], Words] | None = None
    """Opens the dictionary, when it is asked whether an order is possible; None = it cannot
    be, and orders in games of words count as they were sent."""
    _looked: dict[int, tuple[Any, str, Any, bool]] = field(default_factory=dict, repr=False)
    """Seat -> state, order, dictionary, and whether it was possible then."""

    @property
    def seats_to_act(self) -> tuple[int, ...]:
        """The seats whose turn it is, without those that play no more."""
        return tuple(seat for seat in self.table.state.to_move if seat not in self.table.out)

    @property
    def seats_awaited(self) -> tuple[int, ...]:
        """The seats that the match waits for."""
        return tuple(seat for seat in self.seats_to_act if self.get_seat_status(seat).is_awaited)

    @property
    def seats_unresponsive(self) -> tuple[int, ...]:
        """The awaited seats that have not sent anything since their last turn, not even an order that is not
        possible."""
        return tuple(seat for seat in self.seats_awaited if seat not in self.ledger.sent)

    def get_seat_status(self, seat: int) -> SeatStatus:
        """Return the status of a seat by its table alone; ``get_status_in_match`` knows whether the match is halted."""
        state, table = self.table.state, self.table
        if seat in table.out:
            return SeatStatus.LEFT
        if state.over:
            return SeatStatus.OVER
        if seat in self.game.list_eliminated(state.public):
            return SeatStatus.ELIMINATED
        if seat not in state.to_move:
            return SeatStatus.IDLE
        order = self.get_stored_order_state(seat)
        if order == "possible" and table.pace == "race":
            passed = self.game.pass_text and table.orders[seat] == self.game.pass_text
            return SeatStatus.PASSED_ROUND if passed else SeatStatus.SUBMITTED
        if order == "possible":
            return SeatStatus.DEFERRED if table.pace == "sequential" else SeatStatus.SUBMITTED
        return SeatStatus.ILLEGAL if order == "impossible" or seat in table.tried else SeatStatus.TO_MOVE

    def has_submitted(self, seat: int) -> bool:
        """Return whether it is the seat's turn and nothing more is wanted of it."""
        return self.get_seat_status(seat) in (SeatStatus.SUBMITTED, SeatStatus.PASSED_ROUND)

    def get_stored_order_state(self, seat: int) -> Order:
        """Return whether a seat has stored an order, and whether it is possible as things stand now."""
        text = self.table.orders.get(seat, "")
        if not text:
            return "none"
        return "possible" if self.table.pace == "race" or self.has_legal_alternative(seat, text) else "impossible"

    def has_legal_alternative(self, seat: int, text: str) -> bool:
        """Return whether something of an order can be played now, or waits for a ruling. Raises what opening the
        dictionary raises."""
        context = self._build_judging_context()
        if context is None:
            return True
        before = self._looked.get(seat)
        if before is not None and before[0] is self.table.state and before[1] == text and before[2] is context.words:
            return before[3]
        found = has_legal_alternative(self.game, self.table.state, seat, text, context)
        self._looked[seat] = self.table.state, text, context.words, found
        return found

    def preview_stored_order(self, seat: int) -> tuple[AlternativePreview, ...]:
        """Return what each alternative of a seat's stored order would bring now; of one that counts as it was sent only
        its text. Raises what opening the dictionary raises."""
        text = self.table.orders.get(seat, "")
        if not text or self.table.state.over:
            return ()
        context = None if self.table.pace == "race" else self._build_judging_context()
        if context is not None:
            return preview_order(self.game, self.table, seat, text, context)
        alternatives = list_alternatives(text, self.game.style)
        return tuple(AlternativePreview(number, one.text) for number, one in enumerate(alternatives, start=1))

    def foresee_silence(self, seat: int) -> Silence | None:
        """Return what happens if the seat sends nothing more; None where nothing is wanted of it, or no dictionary is
        there to ask."""
        context = self._build_judging_context() if self.get_seat_status(seat).is_wanted else None
        return None if context is None else foresee_silence(self.game, self.table, seat, context)

    def _build_judging_context(self) -> Context | None:
        """Return the context in which orders are judged; None where there is no dictionary to ask."""
        if self.words is None and self.game.uses_words:
            return None
        words = self.words() if self.words is not None and self.game.uses_words else self.context.words
        return replace(self.context, words=words, out=self.table.out)

    def record_last_moves(self, before: MatchState[Any], after: MatchState[Any], result: EngineResult) -> None:
        """Record what the last turn of each seat was, for the score table; with the first turn after a new deal
        nothing is left of the round before. A turn that passed by itself counts as one if it cost points; what is taken
        off when a round ends, when the next turn begins or from who is out was not that turn."""
        old, new = before.state, after.state
        if new is old:
            return
        if self.game.seeded_rounds and self.last_round != old.public.round:
            self.last.clear()
        self.last_round = old.public.round
        moved = {move.seat: move for move in result.moves}
        out = self.game.list_eliminated(new.public)
        ended = new.over or new.public.round != old.public.round
        for seat, points in enumerate(new.scores):
            move = moved.get(seat)
            made = move.points if move is not None else 0
            more = points - old.scores[seat] - made
            is_of_turn = not ended and seat not in new.to_move
            if move is not None:
                gained = made + more if more > 0 or is_of_turn else made
                self.last[seat] = move.public_text, gained if move.alternative or gained else None
            elif more < 0 and is_of_turn and seat not in out:
                self.last[seat] = "", more


def get_status_in_match(match: MatchRow, live: LiveMatch, seat: int) -> SeatStatus:
    """Return the status of a seat as people are told of it."""
    status = live.get_seat_status(seat)
    if not status.is_to_act:
        return status
    if match.stopped == ClockStop.CONFIRM:
        return SeatStatus.UNCONFIRMED
    if match.held and status not in (SeatStatus.SUBMITTED, SeatStatus.PASSED_ROUND):
        return SeatStatus.ON_HOLD
    return status


def lock_match(session: Session, match: MatchRow) -> None:
    """Keep other workers from changing the match until this transaction ends; the row is read as the last one has left
    it."""
    # A lock that was taken after a savepoint is given up with it.
    locked = database.transaction_notes(session).setdefault("locked", set())
    if session.info.get("shared") and match.number not in locked:
        session.flush()
        session.refresh(match, with_for_update=True)
        locked.add(match.number)


def build_match_terms(match: MatchRow, defaults: TimeRules) -> TimeRules:
    """Build the match's time rules: the club's, with what it says otherwise. Raises ConfigError for values that cannot
    be."""
    where = f"match {match.code} terms" if match.id else "terms"
    terms = build_dataclass(TimeRules, dataclasses.asdict(defaults) | match.terms, where)
    terms.check_values(where)
    return terms


def load_match_rules(match: MatchRow) -> tuple[Game[Any, Any], Any]:
    """Load the game and its options."""
    game = games.load_game(match.game)
    return game, read_options(game, match.options, f"match {match.code}")


def build_match_context(match: MatchRow) -> Context:
    """Build the context of the match: shuffles from its seed, or from those of its rounds; words only from the
    record."""
    master = bytes.fromhex(match.seed)
    seed = shuffling.build_round_seeds(master) if games.load_game(match.game).seeded_rounds else master
    return Context(words.RecordedWords({}, None), shuffling.build_shuffle(seed, match.salts, match.code))


def load_log_entries(session: Session, match: MatchRow) -> list[LogEntry]:
    """Load the match's log, oldest entry first."""
    return [LogEntry(*line) for line in matches.load_match_log(session, match)]


def build_match_record(session: Session, match: MatchRow, names: Sequence[str]) -> dict[str, Any]:
    """Build the match's record as JSON values, see rules/records/record.py; ``names`` by seat."""
    game, options = load_match_rules(match)
    log, ended = load_log_entries(session, match), find_match_ending(session, match)
    return record.build_record(match.code, game, options, names, match.seed, match.salts, log, ending=ended)


def refresh_match(
    match: MatchRow, live: LiveMatch, entries: Sequence[LogEntry], defaults: TimeRules
) -> LiveMatch | None:
    """Return ``live`` with what its log has more than it; None where the past is needed for that (an undo). Raises
    MatchSuspended."""
    new = entries[live.entries :]
    if any(entry.kind == LogEntryKind.UNDO for entry in new):
        return None
    table, turns = live.table, []
    try:
        for entry in new:
            before = table
            table, result = replay.apply_log_entry(live.game, table, entry, live.context)
            turns.append((before, table, result))
    except ReplayMismatch as error:
        raise MatchSuspended(match, f"the log of match {match.code} does not replay: {error}") from error
    terms = build_match_terms(match, defaults)
    account = clock.build_accounts(table.state.seats, terms, entries)
    after = _copy_match(live, table=table, terms=terms, ledger=account, entries=len(entries))
    for turn in turns:
        after.record_last_moves(*turn)
    return after


def _copy_match(live: LiveMatch, **changes: Any) -> LiveMatch:
    """Copy the match, so that the copy can change alone."""
    return replace(live, last=dict(live.last), _looked={}, **changes)


_Origin = tuple[Any, ...]
"""All that a match is dealt from."""
_PLAYED: dict[int, tuple[_Origin, list[LogEntry], LiveMatch]] = {}
"""Match id -> the match as an earlier run of this process has played it from its log, and that log. The log alone
says what a match is: it is played again from the deal unless it begins with these very entries."""
MOST_PLAYED = 100


@dataclass(frozen=True)
class ReplayedMatch:
    """A match that was played again, with all that led to it."""

    live: LiveMatch
    entries: list[LogEntry]
    past: list[MatchState[Any]]
    """After the deal and after each entry."""
    results: list[EngineResult]
    """What each entry led to."""


def rebuild_match(session: Session, match: MatchRow, defaults: TimeRules) -> LiveMatch:
    """Rebuild the match from its log; ``defaults`` are the club's time rules. Raises MatchSuspended when it gives
    another outcome than the recorded one."""
    entries, seats = load_log_entries(session, match), matches.count_seats(session, match)
    origin = deepcopy((match.code, match.game, match.options, match.seed, match.salts, seats))
    dealt, before, known = _PLAYED.get(match.number, (None, [], None))
    found = None
    if known is not None and dealt == origin and before == entries[: len(before)]:
        found = refresh_match(match, known, entries, defaults)
    found = found or _rebuild_from_deal(match, seats, entries, defaults).live
    _PLAYED.pop(match.number, None)
    _PLAYED[match.number] = origin, entries, _copy_match(found)
    while len(_PLAYED) > MOST_PLAYED:
        del _PLAYED[next(iter(_PLAYED))]
    return found


def rebuild_with_history(session: Session, match: MatchRow, defaults: TimeRules) -> ReplayedMatch:
    """Rebuild the match from the deal on, with every moment of it. Raises MatchSuspended."""
    return _rebuild_from_deal(match, matches.count_seats(session, match), load_log_entries(session, match), defaults)


def _rebuild_from_deal(match: MatchRow, seats: int, entries: list[LogEntry], defaults: TimeRules) -> ReplayedMatch:
    game, options = load_match_rules(match)
    terms = build_match_terms(match, defaults)
    context = build_match_context(match)
    try:
        past, results, _ = replay.walk_log(game, seats, options, context, None, entries)
    except ReplayMismatch as error:
        raise MatchSuspended(match, f"the log of match {match.code} does not replay: {error}") from error
    account = clock.build_accounts(seats, terms, entries)
    first = past[0].state.public.round
    live = LiveMatch(match.number, match.code, game, options, context, past[-1], terms, account, len(entries), first)
    for number, _ in replay.drop_undone(entries):
        live.record_last_moves(past[number - 1], past[number], results[number - 1])
    return ReplayedMatch(live, entries, past, results)


# ---- how matches ended: what is kept with each, and what a tournament said about it ----


Decided = tuple[TournamentRuling, Mapping[str, Any]]
"""What a tournament said about a match: how it was settled, and the result as it is stored."""


def find_match_ending(session: Session, match: MatchRow) -> Ending | None:
    """Find the ending of a match; None while it runs."""
    row = tournaments.find_pairing_of_match(session, match.number) if match.tournament_id is not None else None
    said = None if row is None or row.result is None else (row.ruling, row.result)
    return build_stored_ending(match.result, said)


def build_stored_ending(result: Mapping[str, Any] | None, decided: Decided | None) -> Ending | None:
    """Build the ending from what ``Match.result`` holds; None where it holds nothing. A tournament's result of an
    earlier end of a match that was played again says nothing of this one, unless it was the moderator's word."""
    if result is None:
        return None
    found = MatchOutcome.from_json(result)
    if decided is None:
        return build_ending(found)
    ruling, kept = decided[0], Result.from_json(decided[1])
    if ruling != TournamentRuling.MODERATOR and kept != to_tournament_result(found):
        return build_ending(found)
    if ruling == TournamentRuling.MODERATOR:
        out = tuple(sorted(kept.forfeits))
        found = replace(found, points=kept.scores, places=kept.places, out=out)
    return build_ending(found, ruling).with_counts(kept.points)


def build_pairing_ending(row: TournamentGame) -> Ending | None:
    """Build the ending of a pairing as its tournament counts it; None while it is open."""
    if row.result is None:
        return None
    kept = Result.from_json(row.result)
    bare = MatchOutcome(kept.scores, kept.scores, kept.places, tuple(sorted(kept.forfeits)))
    found = build_ending(bare, row.ruling).with_counts(kept.points)
    left = row.kind == GameKind.FORFEIT and found.how == EndCause.LEFT
    return replace(found, how=EndCause.FORFEIT) if left else found


def to_tournament_result(found: MatchOutcome) -> Result:
    """Convert the outcome of an ended match to its result in a tournament."""
    return build_result(found.scores if found.points is None else found.points, found.out)
