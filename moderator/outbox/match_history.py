"""The story of a match, read off its log: every turn with its points, and what was taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, context_of, log_of
from moderator.club.promptness import of_match
from moderator.match import replay
from moderator.match.contract import Note
from moderator.match.happened import Happened, PlayStopped, SeatLost, note
from moderator.match.replay import Entry
from moderator.match.result import Played, Result
from moderator.match.table import Table
from moderator.outbox.match_pages import move_report
from moderator.pages.asked import History, Round, Turn, Undone
from moderator.states import EntryKind, SeatLoss
from moderator.store.models import Match, Player

Line = Turn | Undone | Note
Numbered = tuple[int, int, Line]
"""Number of the log entry, round, and what it tells."""


def history(desk: Desk, match: Match, live: LiveMatch, you: int) -> History:
    """All turns so far as seat ``you`` may read them. Raises ReplayMismatch for a log that does not fit."""
    players = desk.players(match)
    entries = log_of(desk.session, match)
    tables, results, _ = replay.walk(
        live.game, live.table.state.seats, live.options, context_of(match), None, entries, check=False
    )
    told: list[Numbered] = []
    for number, (entry, result) in enumerate(zip(entries, results, strict=True), start=1):
        before, after = tables[number - 1], tables[number]
        if entry.kind == EntryKind.UNDO:
            told = _taken_back(told, number, entry, after)
        else:
            round = before.state.public.round
            told += [(number, round, line) for line in lines(desk, entry, result, after, you, players)]
    return History(tuple(_rounds(told, tables, players)), of_match(desk, match, live))


def _taken_back(told: list[Numbered], number: int, entry: Entry, after: Table[Any]) -> list[Numbered]:
    """Without the turns after the entry that is gone back to, but with a word about them."""
    last = int(entry.text)
    gone = [one for one in told if one[0] > last and isinstance(one[2], Turn)]
    kept = [one for one in told if one[0] <= last or isinstance(one[2], Undone)]
    return [*kept, (number, after.state.public.round, Undone(len(gone)))] if gone else kept


def shown(entry: Entry, result: Result) -> list[Played]:
    """The moves of an entry that are for all to see: not an order that was only tried."""
    return [move for move in result.moves if move.alternative or entry.kind != EntryKind.MOVE]


def lines(
    desk: Desk, entry: Entry, result: Result, after: Table[Any], you: int, players: list[Player]
) -> Iterator[Turn | Note]:
    """What one entry of the log tells seat ``you``; -1 = who has no seat."""
    for move in shown(entry, result):
        yield Turn(move_report(move, you, players), after.state.scores[move.seat])
    yield from news(desk, entry, players)


def news(desk: Desk, entry: Entry, players: list[Player]) -> Iterator[Note]:
    """What an entry tells that is no move: who left, who came, that it was stopped."""
    if entry.kind == EntryKind.HAND_OVER and entry.text.isdecimal():
        # Who had the seat before stands in no entry, so the history says less than the report did.
        player = desk.session.get(Player, int(entry.text))
        yield Note("history-taken-over", {"name": player.name if player else "–"})
    elif (happened := _happened(entry, players)) is not None and (said := note(happened)) is not None:
        yield said


def _happened(entry: Entry, players: list[Player]) -> Happened | None:
    if entry.kind == EntryKind.RETIRE and entry.seat is not None:
        return SeatLost(entry.seat, players[entry.seat].name, SeatLoss(entry.text))
    return PlayStopped() if entry.kind == EntryKind.STOP else None


def _rounds(told: Sequence[Numbered], tables: Sequence[Table[Any]], players: Sequence[Player]) -> Iterator[Round]:
    for number, run in groupby(told, key=lambda one: one[1]):
        ones = list(run)
        scores = tables[ones[-1][0]].state.scores
        totals = tuple((player.name, score) for player, score in zip(players, scores, strict=True))
        yield Round(number, tuple(line for _, _, line in ones), totals)
