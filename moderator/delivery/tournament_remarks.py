"""What a match's own mails say about its tournament: at the start which round it is of, at the end how it stands."""

from __future__ import annotations

from functools import cached_property

from moderator.common.enums import MailKind, TournamentStatus
from moderator.render.mails import headline
from moderator.rules.game import Note
from moderator.store import tournaments
from moderator.store.tables import MatchRow, Tournament, TournamentGame
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import compute_place_ranges, compute_standings
from moderator.views.loaded_match import find_match_ending
from moderator.views.tournament_rows import StoredTournament, find_tournament_game
from moderator.views.unit_of_work import UnitOfWork


class TournamentRemarks:
    """The tournament's remarks in one match's mails; nothing is loaded before a reader needs it."""

    def __init__(self, work: UnitOfWork, match: MatchRow) -> None:
        self.work, self.match = work, match

    def list_remarks(self, seat: int, kind: MailKind) -> tuple[Note, ...]:
        """Return the remarks for the player of that seat; () in a match of no tournament and in other mails."""
        if self.match.tournament_id is None or kind not in (MailKind.START, MailKind.END) or self._game_row is None:
            return ()
        if kind == MailKind.START:
            return self._start_notes
        return (*self._list_result_notes(seat), *self._list_end_notes(self._game_row, seat))

    @cached_property
    def _tournament_row(self) -> Tournament:
        return self.work.session.get_one(Tournament, self.match.tournament_id)

    @cached_property
    def _game_row(self) -> TournamentGame | None:
        return find_tournament_game(self.work.session, self.match)

    @cached_property
    def _start_notes(self) -> tuple[Note, ...]:
        assert self._game_row is not None
        tournament, ends_at = self._tournament_row, self._game_row.ends_at
        rounds = (
            get_format(tournament).in_rounds and not StoredTournament(self.work.session, tournament).is_played_at_once
        )
        facts = {"cup": tournament.name, "round": self._game_row.round}
        found = [Note("cup-match-round" if rounds else "cup-match", facts)]
        if ends_at is not None:
            found.append(Note("cup-match-ends", {"until": ends_at}))
        return tuple(found)

    def _list_result_notes(self, seat: int) -> tuple[Note, ...]:
        """Return notes on what a game counts that was not played to its end."""
        ended, players = find_match_ending(self.work.session, self.match), self.work.list_players(self.match)
        return (
            headline.build_counted_result_notes(ended, [one.name for one in players], players[seat].language)
            if ended
            else ()
        )

    def _list_end_notes(self, game: TournamentGame, seat: int) -> tuple[Note, ...]:
        tournament, number = self._tournament_row, game.seats[seat]
        if not get_format(tournament).table or tournament.status != TournamentStatus.RUNNING:
            return ()
        mine = self._player_ids.get(number) == self.work.list_players(self.match)[seat].id
        place = self._places_by_number.get(number)
        if not mine or place is None:  # somebody has taken over the seat, or does not count any more
            return ()
        first, last = self._possible_places[number]
        code = "cup-now-division" if len(tournaments.list_divisions(self.work.session, tournament)) > 1 else "cup-now"
        code += "-possible" if first != last else "-sure"
        facts = {
            "cup": tournament.name,
            "place": place,
            "count": len(self._places_by_number),
            "division": game.division,
        }
        return (Note(code, facts | {"first": first, "last": last}), Note("cup-now-table", {"code": tournament.code}))

    @cached_property
    def _player_ids(self) -> dict[int, int]:
        """The player ids by number."""
        assert self._game_row is not None
        found = StoredTournament(self.work.session, self._tournament_row).load_numbered_players(self._game_row.division)
        return {number: player.number for number, player in found.items()}

    @cached_property
    def _places_by_number(self) -> dict[int, int]:
        return compute_standings(self._tournament_state).get_places()

    @cached_property
    def _possible_places(self) -> dict[int, tuple[int, int]]:
        return compute_place_ranges(self._tournament_state)

    @cached_property
    def _tournament_state(self) -> TournamentState:
        assert self._game_row is not None
        return StoredTournament(self.work.session, self._tournament_row).build_tournament_state(self._game_row.division)
