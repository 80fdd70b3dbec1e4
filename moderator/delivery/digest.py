"""The daily mail: every match where it is the player's turn, and a line for what else has happened since the last one.

Who wants it gets no mail for each turn and no reminders; answers, beginnings, ends and corrections come at once all the
same. A turn begins for such a player when the mail server has accepted the daily mail (see clock.accepted).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from moderator.common.enums import LogEntryKind, MailKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.notifications.content import MoveView, TournamentView
from moderator.notifications.pages import DigestNotification, MailPayload, Page
from moderator.rules.events import NEXT_DEAL, RoundEnded
from moderator.rules.game import Note
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry, drop_undone
from moderator.store import matches_log, tournaments
from moderator.store.matches import list_current_seats, list_seats_in_matches
from moderator.store.players import list_watched_matches, list_watchers
from moderator.store.questions import load_matches_with_letters
from moderator.store.tables import EventRow, MatchRow, PlayerRow, SeatRow
from moderator.views.history import list_visible_moves
from moderator.views.letters import list_letters_for_digest
from moderator.views.links import build_player_page
from moderator.views.loaded_match import MatchSuspended, load_log_entries
from moderator.views.match_view import NOBODY, MatchReader, list_word_scores
from moderator.views.tournament_view import TournamentReader
from moderator.views.unit_of_work import UnitOfWork

TOLD = frozenset(
    {
        LogEntryKind.MOVE,
        LogEntryKind.MISS,
        LogEntryKind.EVALUATE,
        LogEntryKind.RETIRE,
        LogEntryKind.HAND_OVER,
        LogEntryKind.STOP,
        LogEntryKind.UNDO,
    }
)
"""Entries of a match's log that are news."""


@dataclass(frozen=True)
class DailyMailBuilder:
    """Builds the daily mail of one player."""

    work: UnitOfWork
    player: PlayerRow
    since: datetime

    def build_page(self) -> Page | None:
        """Build one player's daily mail. None = there is nothing to say."""
        parts = self._collect_match_pages()
        session, number = self.work.session, self.player.number
        lettered = list_seats_in_matches(session, number, load_matches_with_letters(session, number, self.since))
        letters = list_letters_for_digest(
            self.work, self.player, [*lettered, *self._list_watched_matches()], self.since
        )
        tournaments = self._list_moved_tournaments()
        if not parts and not letters and not tournaments:
            return None
        content = DigestNotification(parts, tournaments)
        return build_player_page(self.work, MailKind.DIGEST, self.player, content=content, press=letters)

    def _collect_match_pages(self) -> tuple[Page, ...]:
        """Return the pages of the matches that wait for the player, or in which something is new."""
        found = []
        for match, seat in [*list_current_seats(self.work.session, self.player.number), *self._list_watched_matches()]:
            if match.status != MatchStatus.RUNNING:
                continue
            try:
                live = self.work.cache.load_match(self.work.session, match)
            except (MatchSuspended, OperatorError):  # the operator knows; the other matches are not kept waiting
                continue
            reader, entries = MatchReader(self.work, match, live), self._list_new_entries(match)
            if seat is not None and seat.number in live.seats_awaited:
                moves, watchers = self._list_new_moves(match, seat.number, entries), self._build_watcher_notes(match)
                said = MailPayload(moves, watchers, happened=_list_ended_rounds(entries))
                found.append(reader.build_seat_page(seat, MailKind.TURN, said))
            elif self._has_moved(match, seat):
                said = MailPayload(
                    self._list_new_moves(match, seat.number if seat else NOBODY, entries),
                    happened=_list_ended_rounds(entries),
                )
                found.append(
                    reader.build_seat_page(seat, MailKind.TURN, said)
                    if seat
                    else reader.build_watcher_page(self.player, MailKind.TURN, said)
                )
        return tuple(found)

    def _list_moved_tournaments(self) -> tuple[TournamentView, ...]:
        """Return the tables of the player's tournaments in which a game has ended since then."""
        found = tournaments.list_tournaments_moved_since(self.work.session, self.player.number, self.since)
        return tuple(TournamentReader(self.work, tournament).build_view("table", self.player) for tournament in found)

    def _list_watched_matches(self) -> list[tuple[MatchRow, None]]:
        return [(match, None) for match in list_watched_matches(self.work.session, self.player.number)]

    def _list_new_entries(self, match: MatchRow) -> list[EventRow]:
        """Return the log entries that have moved the match since then, without those that were undone."""
        kinds = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE)
        kept = {number for number, _ in drop_undone(load_log_entries(self.work.session, match))}
        events = matches_log.list_match_events(self.work.session, match.number, kinds, self.since)
        return [event for event in events if event.n in kept]

    def _list_new_moves(self, match: MatchRow, you: int, entries: Sequence[EventRow]) -> tuple[MoveView, ...]:
        """Return the moves of others as everybody may know them: the reader's own were answered at once."""
        players = self.work.list_players(match)
        return tuple(
            MoveView(
                seat=move.seat,
                name=players[move.seat].name,
                played=move.played,
                points=move.points,
                words=list_word_scores(move.detail),
            )
            for event in entries
            for move in list_visible_moves(
                LogEntry(event.kind, event.seat, outcome=event.outcome), EngineResult.from_json(event.outcome)
            )
            if event.kind != LogEntryKind.MISS and move.played and move.seat != you
        )

    def _build_watcher_notes(self, match: MatchRow) -> tuple[Note, ...]:
        watching = list_watchers(self.work.session, match.number)
        names = [player.name for row, player in watching if row.since > self.since]
        return (Note("watched-by", {"names": names}),) if names else ()

    def _has_moved(self, match: MatchRow, seat: SeatRow | None) -> bool:
        """Return whether something is new in a match that does not wait for the player."""
        last = matches_log.find_last_event(self.work.session, match.number, TOLD, self.since)
        return last is not None and (seat is None or last.kind != LogEntryKind.MOVE or last.seat != seat.number)


def _list_ended_rounds(entries: Sequence[EventRow]) -> tuple[RoundEnded, ...]:
    """Return the ends of rounds after which another round was dealt."""
    return tuple(
        RoundEnded(note["params"]["round"] - 1)
        for event in entries
        for note in event.outcome.get("notes", ())
        if note["code"].startswith(NEXT_DEAL)
    )
