"""What players ask to see, looked up: all their matches and tournaments at one glance and what could be joined; the
story of a match, read off its log, every turn with its points, and what was taken back; how promptly all is
answered, which rules/time/clock.py counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from moderator.common.enums import LogEntryKind, SeatLeftReason
from moderator.notifications.content import (
    HistoryRound,
    HistoryTurn,
    MatchHistory,
    OpenMatch,
    Overview,
    OverviewMatch,
    Promptness,
    PromptnessFigures,
    UndoneTurns,
)
from moderator.rules import replay
from moderator.rules.events import Happened, PlayStopped, SeatLost, event_message
from moderator.rules.game import Note
from moderator.rules.log import EngineResult, PlayedMove
from moderator.rules.replay import LogEntry
from moderator.rules.table import MatchState
from moderator.store import matches
from moderator.store.database import Session
from moderator.store.matches import GOING, list_current_seats
from moderator.store.tables import MatchRow, PlayerRow, SeatRow
from moderator.views import tournament_view
from moderator.views.links import build_reply_address
from moderator.views.loaded_match import (
    LiveMatch,
    MatchSuspended,
    build_match_context,
    get_status_in_match,
    load_log_entries,
)
from moderator.views.match_view import build_move_view
from moderator.views.unit_of_work import UnitOfWork

# ---- all matches of a player ----


def build_player_overview(work: UnitOfWork, player: PlayerRow) -> Overview:
    """Return the player's running matches and tournaments, those that may be joined, and leave that is not over."""
    mine = list_current_seats(work.session, player.number)
    today = work.today
    leaves = work.cache.list_player_leaves(work.session, player.number)
    return Overview(
        matches=tuple(_build_overview_match(work, match, seat) for match, seat in mine if match.status in GOING),
        open=tuple(_iter_open_matches(work.session, {match.number for match, _ in mine})),
        leaves=tuple(sorted((leave.first, leave.last) for leave in leaves if leave.last >= today)),
        tournaments=tournament_view.list_own_tournaments(work.session, work.now, player),
        open_tournaments=tournament_view.list_joinable_lines(work.session, player),
    )


def _build_overview_match(work: UnitOfWork, match: MatchRow, seat: SeatRow) -> OverviewMatch:
    reply = build_reply_address(work.config, match.code, seat.token)
    try:
        live = work.cache.load_match(work.session, match)
    except MatchSuspended:
        return OverviewMatch(match.code, match.name, match.game, reply, state="suspended")
    players = work.list_players(match)
    return OverviewMatch(
        code=match.code,
        name=match.name,
        game=match.game,
        reply=reply,
        status=get_status_in_match(match, live, seat.number),
        awaited=tuple(players[number].name for number in live.seats_awaited if number != seat.number),
        deadline=match.deadline,
        state="held" if match.held else match.stopped.value,
    )


def _iter_open_matches(session: Session, mine: set[int]) -> Iterator[OpenMatch]:
    for match, names in matches.list_matches_with_free_seats(session):
        if match.number not in mine:
            yield OpenMatch(match.code, match.name, match.game, tuple(names), match.wanted - len(names))


# ---- the story of a match ----


Line = HistoryTurn | UndoneTurns | Note
Numbered = tuple[int, int, Line]
"""Number of the log entry, round, and what it tells."""


@dataclass(frozen=True)
class HistoryReader:
    """Reads the story of one match off its log."""

    work: UnitOfWork
    match: MatchRow
    live: LiveMatch

    def build_history(self, you: int) -> MatchHistory:
        """Return all turns so far as seat ``you`` may read them. Raises ReplayMismatch for a log that does not fit."""
        live, session, players = self.live, self.work.session, self.work.list_players(self.match)
        entries = load_log_entries(session, self.match)
        tables, results, _ = replay.walk_log(
            live.game, live.table.state.seats, live.options, build_match_context(self.match), None, entries, check=False
        )
        told: list[Numbered] = []
        for number, (entry, result) in enumerate(zip(entries, results, strict=True), start=1):
            before, after = tables[number - 1], tables[number]
            if entry.kind == LogEntryKind.UNDO:
                last = int(entry.text)
                gone = [one for one in told if one[0] > last and isinstance(one[2], HistoryTurn)]
                kept = [one for one in told if one[0] <= last or isinstance(one[2], UndoneTurns)]
                told = [*kept, (number, after.state.public.round, UndoneTurns(len(gone)))] if gone else kept
            else:
                round = before.state.public.round
                told += [
                    (number, round, line) for line in iter_entry_lines(session, entry, result, after, you, players)
                ]
        return MatchHistory(tuple(_iter_history_rounds(told, tables, players)), self.build_promptness())

    def build_promptness(self) -> Promptness:
        """Return the figures of all persons of a match; none before anybody has answered or missed a turn."""
        players = self.work.list_players(self.match)
        seats = [pair for pair in zip(players, self.live.ledger.seats, strict=True) if not pair[0].robot]
        if not any(account.turns or account.missed for _, account in seats):
            return Promptness(())
        return Promptness(
            tuple(
                PromptnessFigures(player.name, one.promptness, one.turns, one.days, one.missed, one.bank)
                for player, one in seats
            )
        )


def list_visible_moves(entry: LogEntry, result: EngineResult) -> list[PlayedMove]:
    """Return the moves of an entry that everybody may see: not an order that was only tried."""
    moves = result.counted if entry.kind == LogEntryKind.EVALUATE else result.moves
    return [move for move in moves if move.alternative or entry.kind != LogEntryKind.MOVE]


def iter_entry_lines(
    session: Session, entry: LogEntry, result: EngineResult, after: MatchState[Any], you: int, players: list[PlayerRow]
) -> Iterator[HistoryTurn | Note]:
    """Yield the lines that one entry of the log gives seat ``you``; -1 = a reader without a seat."""
    for move in list_visible_moves(entry, result):
        if not move.alternative and move.seat in after.out:
            continue  # it plays no more, and has missed nothing
        yield HistoryTurn(build_move_view(move, you, players), after.state.scores[move.seat])
    yield from iter_entry_notes(session, entry, players)


def iter_entry_notes(session: Session, entry: LogEntry, players: list[PlayerRow]) -> Iterator[Note]:
    """Yield the notes about an entry that is no move: a seat left or taken over, the match stopped."""
    if entry.kind == LogEntryKind.HAND_OVER and entry.text.isdecimal():
        # Who had the seat before stands in no entry, so the history says less than the report did.
        player = session.get(PlayerRow, int(entry.text))
        yield Note("history-taken-over", {"name": player.name if player else "–"})
        return
    happened: Happened | None = PlayStopped() if entry.kind == LogEntryKind.STOP else None
    if entry.kind == LogEntryKind.RETIRE and entry.seat is not None:
        happened = SeatLost(entry.seat, players[entry.seat].name, SeatLeftReason(entry.text))
    if happened is not None and (said := event_message(happened)) is not None:
        yield said


def _iter_history_rounds(
    lines: Sequence[Numbered], tables: Sequence[MatchState[Any]], players: Sequence[PlayerRow]
) -> Iterator[HistoryRound]:
    for number, run in groupby(lines, key=lambda one: one[1]):
        ones = list(run)
        scores = tables[ones[-1][0]].state.scores
        totals = tuple((player.name, score) for player, score in zip(players, scores, strict=True))
        yield HistoryRound(number, tuple(line for _, _, line in ones), totals)
