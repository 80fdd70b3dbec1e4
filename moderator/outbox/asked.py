"""What players ask to see, looked up: all their matches and tournaments at one glance and what could be joined; the
story of a match, read off its log, every turn with its points, and what was taken back; how promptly all is
answered, which match/time/ledger.py counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended, context_of, log_of, terms_of
from moderator.club.tournaments import view
from moderator.match import replay
from moderator.match.contract import Note
from moderator.match.happened import Happened, PlayStopped, SeatLost, note
from moderator.match.replay import Entry
from moderator.match.result import Played, Result
from moderator.match.table import Table
from moderator.match.time import ledger
from moderator.match.time.ledger import SeatClock
from moderator.outbox.match_pages import move_report
from moderator.outbox.post import reply_to
from moderator.pages.content import (
    Figures,
    History,
    MatchLine,
    OpenMatch,
    Overview,
    Promptness,
    Round,
    Turn,
    Undone,
)
from moderator.states import EntryKind, MatchStatus, SeatLoss
from moderator.store import matches
from moderator.store.matches import every_seat_of, seat_count, seats_of
from moderator.store.models import Match, Player, Seat

# ---- all matches of a player ----


def overview(desk: Desk, player: Player) -> Overview:
    """The player's running matches and tournaments, those that may be joined, and leave that is not over."""
    mine = seats_of(desk.session, player.number)
    today = desk.today
    leaves = desk.cache.leaves_of(desk.session, player.number)
    return Overview(
        matches=tuple(
            _match_line(desk, match, seat)
            for match, seat in mine
            if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
        ),
        open=tuple(_open_matches(desk, {match.number for match, _ in mine})),
        leaves=tuple(sorted((leave.first, leave.last) for leave in leaves if leave.last >= today)),
        tournaments=view.mine(desk, player),
        open_tournaments=view.open_lines(desk, player),
    )


def _match_line(desk: Desk, match: Match, seat: Seat) -> MatchLine:
    reply = reply_to(desk, match.code, seat.token)
    try:
        live = desk.cache.live(desk.session, match)
    except Suspended:
        return MatchLine(match.code, match.name, match.game, reply, state="suspended")
    scores = live.table.state.scores
    players = desk.players(match)
    return MatchLine(
        code=match.code,
        name=match.name,
        game=match.game,
        reply=reply,
        round=live.table.state.public.round,
        your_turn=seat.number in live.awaited,
        awaited=tuple(players[number].name for number in live.missing),
        score=scores[seat.number],
        rank=1 + sum(score > scores[seat.number] for score in scores),
        seats=len(scores),
        deadline=match.deadline,
        stored=live.order(seat.number),
        state=_state(match, live, seat),
    )


def _state(match: Match, live: LiveMatch, seat: Seat) -> str:
    if seat.number in live.table.out:
        return "out"
    return "held" if match.held else match.stopped.value


def _open_matches(desk: Desk, mine: set[int]) -> Iterator[OpenMatch]:
    for match, names in matches.with_free_seats(desk.session):
        if match.number not in mine:
            yield OpenMatch(match.code, match.name, match.game, tuple(names), match.wanted - len(names))


# ---- the story of a match ----


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
    return History(tuple(_rounds(told, tables, players)), promptness_in(desk, match, live))


def _taken_back(told: list[Numbered], number: int, entry: Entry, after: Table[Any]) -> list[Numbered]:
    """Without the turns after the entry that is gone back to, but with a word about them."""
    last = int(entry.text)
    gone = [one for one in told if one[0] > last and isinstance(one[2], Turn)]
    kept = [one for one in told if one[0] <= last or isinstance(one[2], Undone)]
    return [*kept, (number, after.state.public.round, Undone(len(gone)))] if gone else kept


def shown(entry: Entry, result: Result) -> list[Played]:
    """The moves of an entry that are for all to see: not an order that was only tried."""
    moves = result.counted if entry.kind == EntryKind.EVALUATE else result.moves
    return [move for move in moves if move.alternative or entry.kind != EntryKind.MOVE]


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


# ---- how promptly it is answered ----


def promptness_in(desk: Desk, match: Match, live: LiveMatch) -> Promptness:
    """All persons of a match; nothing before anybody has answered or missed a turn."""
    seats = [pair for pair in zip(desk.players(match), live.ledger.seats, strict=True) if not pair[0].robot]
    if not any(account.turns or account.missed for _, account in seats):
        return Promptness(())
    return Promptness(tuple(_figures(player, account) for player, account in seats))


def _figures(player: Player, account: SeatClock) -> Figures:
    return Figures(player.name, account.promptness, account.turns, account.days, account.missed, account.bank)


def promptness_of(desk: Desk, player: Player) -> int | None:
    """Per cent of all turns that were answered before the ZAT; None before the first. Read from the logs of all matches
    that have begun but those for training, where nobody waits, without playing them again."""
    turns = on_time = missed = 0
    for match, seat in every_seat_of(desk.session, player.number):
        if match.status in (MatchStatus.OPEN, MatchStatus.CANCELLED) or match.training:
            continue
        seats = seat_count(desk.session, match)
        account = ledger.read(seats, terms_of(match, desk.config.deadlines), log_of(desk.session, match))
        own = account.seats[seat.number]
        turns, on_time, missed = turns + own.turns, on_time + own.on_time, missed + own.missed
    return SeatClock(turns=turns, on_time=on_time, missed=missed).promptness
