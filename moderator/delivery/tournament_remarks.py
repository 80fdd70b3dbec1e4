"""What a match's own mails say about its tournament: at the start how the round before went and whom its reader meets,
at the end what it counts and where that puts them."""

from __future__ import annotations

from functools import cached_property

from moderator.common.enums import GameKind, MailKind, TournamentStatus
from moderator.notifications.content import TournamentView
from moderator.render.mails.tournament import format_decimal
from moderator.rules.game import Note
from moderator.store import tournaments
from moderator.store.tables import MatchRow, Tournament, TournamentGame
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import compute_standings, format_fraction
from moderator.views.loaded_match import find_match_ending
from moderator.views.tournament_rows import StoredTournament, find_tournament_game, is_played_again
from moderator.views.tournament_view import TournamentReader
from moderator.views.unit_of_work import UnitOfWork


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
        """The player ids by number."""
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
