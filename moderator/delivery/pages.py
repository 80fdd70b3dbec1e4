"""The page of each kind of notification, built at delivery: of what was noted, and of how things stand then; the daily
mail, and what a match's mails say about its tournament."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from moderator.common.enums import GameKind, LogEntryKind, MailKind, MatchStatus, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.notifications.content import AboutTournament, MoveView, StartTerms, TournamentView
from moderator.notifications.pages import DigestNotification, MailPayload, Page, PendingCommand
from moderator.render.mails.tournament import format_decimal
from moderator.rules.events import NEXT_DEAL, RoundEnded
from moderator.rules.game import Note
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry, drop_undone
from moderator.store import matches_log, tournaments
from moderator.store.matches import list_current_seats, list_seats_in_matches
from moderator.store.players import list_watched_matches, list_watchers
from moderator.store.questions import load_matches_with_letters
from moderator.store.tables import EventRow, MatchRow, PlayerRow, SeatRow, Tournament, TournamentGame
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import compute_standings, format_fraction
from moderator.views import links
from moderator.views.history import list_visible_moves
from moderator.views.links import build_player_page
from moderator.views.loaded_match import MatchSuspended, find_match_ending, load_log_entries
from moderator.views.match_state import list_letters_for_digest
from moderator.views.match_view import NOBODY, MatchReader, list_word_scores
from moderator.views.tournament_rows import StoredTournament, find_tournament_game, is_played_again
from moderator.views.tournament_view import TournamentReader
from moderator.views.unit_of_work import DailyMail, MailCopy, MatchNews, Notification, TournamentNews, UnitOfWork

T = TypeVar("T")


class PageBuilder:
    """Builds the pages of one transaction. What several readers have in common is looked up once."""

    def __init__(self, work: UnitOfWork) -> None:
        self.work = work
        self._tournaments: dict[int, TournamentReader] = {}
        self._remarks: dict[int, TournamentRemarks] = {}

    def build_page(self, one: Notification) -> Page | MailCopy | None:
        """Build the page of a notification; None = there is nothing to say."""
        match one.news:
            case MatchNews():
                return self._build_match_page(one, one.news)
            case TournamentNews():
                return self._build_tournament_page(_get_player(one), one.news)
            case DailyMail():
                return DailyMailBuilder(self.work, _get_player(one), one.news.since).build_page()
            case PendingCommand():
                raise TypeError("a command that asks for a mail is carried out after the run")
        return one.news

    def _build_match_page(self, one: Notification, news: MatchNews) -> Page:
        work, match, seat = self.work, one.to.match, one.to.seat
        assert match is not None
        live = work.cache.load_match(work.session, match)
        if seat is None:
            return MatchReader(work, match, live).build_watcher_page(_get_player(one), news.kind, news.payload)
        page = MatchReader(work, match, live).build_seat_page(seat, news.kind, news.payload)
        if not news.with_tournament:
            return page
        known = _get_or_make(self._remarks, match.number, lambda: TournamentRemarks(work, match))
        if isinstance(page.content, StartTerms) and (round := known.find_beginning_round(seat.number)):
            return dataclasses.replace(page, content=dataclasses.replace(page.content, tournament=round))
        return dataclasses.replace(page, remarks=(*page.remarks, *known.list_remarks(seat.number, news.kind)))

    def _build_tournament_page(self, player: PlayerRow, news: TournamentNews) -> Page:
        work, tournament = self.work, news.tournament
        seen = _get_or_make(self._tournaments, tournament.number, lambda: TournamentReader(work, tournament))
        return build_player_page(
            work,
            MailKind.TOURNAMENT,
            player,
            content=AboutTournament(seen.build_view(news.topic, player)),
            notes=news.notes,
            archive=links.link_to_tournament(work.config, work.session, tournament, player.language),
        )


def _get_or_make(known: dict[int, T], number: int, make: Callable[[], T]) -> T:
    if number not in known:
        known[number] = make()
    return known[number]


def _get_player(one: Notification) -> PlayerRow:
    assert one.to.player is not None
    return one.to.player


# ---- the daily mail: every match where it is the player's turn, and a line for what else has happened since then
#
# Who wants it gets no mail for each turn and no reminders; answers, beginnings, ends and corrections come at once all
# the same. A turn begins for such a player when the mail server has accepted the daily mail (see clock.accepted).


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
            kinds = (LogEntryKind.MOVE, LogEntryKind.MISS, LogEntryKind.EVALUATE)
            kept = {number for number, _ in drop_undone(load_log_entries(self.work.session, match))}
            events = matches_log.list_match_events(self.work.session, match.number, kinds, self.since)
            reader, entries = MatchReader(self.work, match, live), [event for event in events if event.n in kept]
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


# ---- what a match's own mails say about its tournament: at the start how the round before went and whom its reader
# meets, at the end what it counts and where that puts them


class TournamentRemarks:
    """The tournament's remarks in one match's mails; nothing is loaded before a reader needs it."""

    def __init__(self, work: UnitOfWork, match: MatchRow) -> None:
        self.work, self.match = work, match

    def list_remarks(self, seat: int, kind: MailKind) -> tuple[Note, ...]:
        """Return the remarks for the player of that seat; () in a match of no tournament and in other mails."""
        game = self._game_row
        if game is None or kind not in (MailKind.START, MailKind.END):
            return ()
        if kind == MailKind.START:
            ends = (Note("cup-match-ends", {"until": game.ends_at}),) if game.ends_at is not None else ()
            return (Note("cup-match", {"cup": self._tournament_row.name}), *ends)
        return (*self._list_point_notes(game, seat), *self._list_place_notes(game, seat))

    def find_beginning_round(self, seat: int) -> TournamentView | None:
        """Return the tournament for whoever learns by the start of this match that its round has begun: it is the first
        one of the player of that seat in this round; None in others, and where rounds do not follow each other."""
        game = self._game_row
        if game is None or game.result is not None or is_played_again(game) or not self._is_own_seat(game, seat):
            return None
        stored = self._stored_tournament
        if not stored.format.in_rounds or stored.is_played_at_once or game.round != stored.row.round:
            return None
        reader = self._tournament_reader
        own = (
            row.match_id
            for row in reader.round_pairings
            if row.kind == GameKind.GAME and row.division == game.division and game.seats[seat] in row.seats
        )
        first = next((number for number in own if number is not None), None)
        player = self.work.list_players(self.match)[seat]
        return reader.build_view("pairings", player) if first == self.match.number else None

    @cached_property
    def _tournament_row(self) -> Tournament:
        return self.work.session.get_one(Tournament, self.match.tournament_id)

    @cached_property
    def _game_row(self) -> TournamentGame | None:
        return find_tournament_game(self.work.session, self.match) if self.match.tournament_id is not None else None

    @cached_property
    def _stored_tournament(self) -> StoredTournament:
        return StoredTournament(self.work.session, self._tournament_row)

    @cached_property
    def _tournament_reader(self) -> TournamentReader:
        return TournamentReader(self.work, self._tournament_row)

    def _is_own_seat(self, game: TournamentGame, seat: int) -> bool:
        """Return whether the seat still is that of the entrant, and nobody has taken it over."""
        return self._player_ids.get(game.seats[seat]) == self.work.list_players(self.match)[seat].id

    def _list_point_notes(self, game: TournamentGame, seat: int) -> tuple[Note, ...]:
        """Return the points of the tournament that the game brought its player."""
        ended = find_match_ending(self.work.session, self.match)
        if ended is None or not ended.counts or not get_format(self._tournament_row).in_rounds:
            return ()
        facts, count = {"cup": self._tournament_row.name}, ended.counts[seat]
        if count in (0, 1):
            return (Note("cup-point-won" if count else "cup-point-lost", facts),)
        language = self.work.list_players(self.match)[seat].language
        return (Note("cup-point-part", facts | {"points": format_decimal(format_fraction(count), language)}),)

    def _list_place_notes(self, game: TournamentGame, seat: int) -> tuple[Note, ...]:
        tournament, number = self._tournament_row, game.seats[seat]
        if not get_format(tournament).table or tournament.status != TournamentStatus.RUNNING:
            return ()
        place = self._places_by_number.get(number)
        if place is None or not self._is_own_seat(game, seat):  # somebody has taken it over, or does not count any more
            return ()
        several = len(tournaments.list_divisions(self.work.session, tournament)) > 1
        facts = {"place": place, "count": len(self._places_by_number), "division": game.division}
        return (Note("cup-now-division" if several else "cup-now", facts),)

    @cached_property
    def _player_ids(self) -> dict[int, int]:
        assert self._game_row is not None
        found = self._stored_tournament.load_numbered_players(self._game_row.division)
        return {number: player.number for number, player in found.items()}

    @cached_property
    def _places_by_number(self) -> dict[int, int]:
        return compute_standings(self._tournament_state).get_places()

    @cached_property
    def _tournament_state(self) -> TournamentState:
        assert self._game_row is not None
        return self._stored_tournament.build_tournament_state(self._game_row.division)
