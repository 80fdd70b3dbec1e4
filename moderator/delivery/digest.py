"""The daily mail: every match where it is the player's turn, and a line for what else has happened since the last one.

Who wants it gets no mail for each turn and no reminders; answers, beginnings, ends and corrections come at once all the
same. A turn begins for such a player when the mail server has accepted the daily mail (see clock.accepted).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderator.common.enums import LogEntryKind, MailKind, MatchStatus
from moderator.common.errors import OperatorError
from moderator.language.messages import render_label, render_note
from moderator.notifications.content import MoveView, ReplyAddress, TournamentView
from moderator.notifications.pages import DigestNotification, MailPayload, Page
from moderator.rules.events import NEXT_DEAL, RoundEnded
from moderator.rules.game import Note
from moderator.rules.replay import LogEntry, drop_undone
from moderator.rules.result import EngineResult
from moderator.service import round_letters
from moderator.settings import Config
from moderator.store import matches_log, tournaments
from moderator.store.matches import list_current_seats, list_seats_in_matches
from moderator.store.players import list_watched_matches, list_watchers
from moderator.store.questions import load_matches_with_letters
from moderator.store.tables import EventRow, MatchRow, PlayerRow, SeatRow
from moderator.views.history import list_visible_moves
from moderator.views.links import build_player_page
from moderator.views.loaded_match import LiveMatch, MatchSuspended, load_log_entries
from moderator.views.match_view import MatchReader
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
        parts, news = self._collect_match_pages()
        session, number = self.work.session, self.player.number
        lettered = list_seats_in_matches(session, number, load_matches_with_letters(session, number, self.since))
        letters = round_letters.list_letters_for_digest(
            self.work, self.player, [*lettered, *self._list_watched_matches()], self.since
        )
        tournaments = self._list_moved_tournaments()
        if not parts and not news and not letters and not tournaments:
            return None
        return build_player_page(
            self.work,
            MailKind.DIGEST,
            self.player,
            reply=build_digest_reply(self.work.config, self.player, parts),
            content=DigestNotification(parts, tournaments),
            notes=news,
            press=letters,
        )

    def _collect_match_pages(self) -> tuple[tuple[Page, ...], tuple[Note, ...]]:
        """Return the pages of the matches that wait for the player, the nearest deadline first, and notes about what is
        new in the others."""
        parts: list[tuple[datetime, Page]] = []
        news: list[Note] = []
        for match, seat in [*list_current_seats(self.work.session, self.player.number), *self._list_watched_matches()]:
            if match.status != MatchStatus.RUNNING:
                continue
            try:
                live = self.work.cache.load_match(self.work.session, match)
            except (MatchSuspended, OperatorError):  # the operator knows; the other matches are not kept waiting
                continue
            if seat is not None and seat.number in live.seats_awaited:
                entries = self._list_new_entries(match)
                moves, watchers = self._list_new_moves(match, seat.number, entries), self._build_watcher_notes(match)
                said = MailPayload(moves, watchers, happened=_list_ended_rounds(entries))
                page = MatchReader(self.work, match, live).build_seat_page(seat, MailKind.TURN, said)
                parts.append((page.deadline or self.work.now, page))
            elif note := self._find_match_news(match, live, seat):
                news.append(note)
        return tuple(page for _, page in sorted(parts, key=lambda pair: pair[0])), tuple(news)

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
            MoveView(seat=move.seat, name=players[move.seat].name, played=move.played, points=move.points)
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

    def _find_match_news(self, match: MatchRow, live: LiveMatch, seat: SeatRow | None) -> Note | None:
        """Return a note about the last event of a match that does not wait for the player; None if that is not new."""
        last = matches_log.find_last_event(self.work.session, match.number, TOLD, self.since)
        if last is None or (seat is not None and last.kind == LogEntryKind.MOVE and last.seat == seat.number):
            return None
        players = self.work.list_players(match)
        facts: dict[str, Any] = {
            "match": match.code,
            "title": match.name,
            "awaited": [players[seat].name for seat in live.seats_awaited],
            "deadline": match.deadline or "",
        }
        code = "digest-news" if facts["awaited"] else "digest-news-waits"
        if (
            last.kind == LogEntryKind.MOVE
            and last.seat is not None
            and live.last.get(last.seat, ("", None))[0]
            and live.table.pace == "sequential"
        ):
            move, points = live.last[last.seat]
            facts |= {"who": players[last.seat].name, "move": move, "points": points}
            code = "digest-news-move" if facts["awaited"] else "digest-news-waits"
        return Note(code, facts)


def _list_ended_rounds(entries: Sequence[EventRow]) -> tuple[RoundEnded, ...]:
    """Return the ends of rounds after which another round was dealt."""
    return tuple(
        RoundEnded(note["params"]["round"] - 1)
        for event in entries
        for note in event.outcome.get("notes", ())
        if note["code"].startswith(NEXT_DEAL)
    )


def build_digest_reply(config: Config, player: PlayerRow, parts: tuple[Page, ...]) -> ReplyAddress:
    """Return a reply to the club's own address, with a line for each match to write the moves under."""
    language = player.language
    name = render_note(Note("digest-heading"), language)
    room = "".join(f"{name} {part.match.code}:\n\n\n" for part in parts if part.match)
    marker = render_label("marker", language)
    return ReplyAddress(
        config.mail.address, "", f"\n{room}{marker}\n{render_label('reply-hint', language)}\n" if room else ""
    )
