"""The mails of a tournament: invitations, pairings, warnings, reports, and who gets which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moderator.common.enums import EntryState
from moderator.notifications.content import Topic
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader
from moderator.service.tournaments.results import TournamentResults
from moderator.store.players import list_players_to_invite
from moderator.store.tables import PlayerRow, TournamentGame
from moderator.views import tournament_rows
from moderator.views.notification import Recipient, TournamentNews


def _list_seats(rows: Iterable[TournamentGame]) -> set[tuple[int, int]]:
    """Return division and number of everybody who has a seat there."""
    return {(row.division, number) for row in rows for number in row.seats}


class TournamentMails(TournamentResults):
    """A tournament and the mails about it."""

    def notify_invitation(self) -> None:
        """Send the invitation, because the registration is open, to everybody who could play and wants to know."""
        self.notify_about_tournament("invite", list_players_to_invite(self.session))

    def notify_pairings(self) -> None:
        """Tell whoever takes part of the round that begins: how the round before went, and whom they meet. Where the
        rounds follow each other, the mail about the first match of the round says all of it, so that others are sent
        nothing; one who was out before has no news either."""
        self.notify_about_tournament("pairings", self._list_unmatched_players())

    def _list_unmatched_players(self) -> list[PlayerRow]:
        if self.is_played_at_once or not self.format.in_rounds:
            return self.list_tournament_players()
        now, before = self.list_round_pairings(), [r for r in self.list_all_pairings() if r.round == self.row.round - 1]
        playing = _list_seats(row for row in now if row.match_id is not None)
        news = _list_seats(now) | _list_seats(before)
        return [
            player
            for entry, player in self.list_entered()
            if entry.state == EntryState.IN and (entry.division, entry.number) in news - playing
        ]

    def notify_open_games(self) -> None:
        """Warn the players whose games of the round are open, shortly before its latest end."""
        still = _list_seats(tournament_rows.filter_open_games(self.list_round_pairings()))
        late = [p for entry, p in self.list_entered() if (entry.division, entry.number) in still]
        self.notify_about_tournament("warning", late)

    def notify_round_results(self) -> None:
        """Send the results of a round that no other one can follow yet, and the table."""
        self.notify_about_tournament("report", self.list_tournament_players())

    def notify_tournament_end(self) -> None:
        """Send the final report, also to those who left on the way."""
        self.notify_about_tournament("final", [player for entry, player in self.list_entered() if entry.number])

    def notify_corrected_result(self, notes: Sequence[Note]) -> None:
        """Send the corrected result and the table after it, also to those who left on the way."""
        entered = self.list_entered()
        self.notify_about_tournament("table", [player for entry, player in entered if entry.number], notes)

    def list_tournament_players(self) -> list[PlayerRow]:
        """Return the players who take part now."""
        return [player for entry, player in self.list_entered() if entry.state == EntryState.IN]

    def notify_about_tournament(self, topic: Topic, to: Iterable[PlayerRow], notes: Sequence[Note] = ()) -> None:
        """Send one mail to each of them; robots read nothing, and dead addresses get nothing."""
        for player in to:
            notify_reader(self.work, Recipient(player), TournamentNews(self.row, topic, tuple(notes)))

    def answer_tournament_question(self, player: PlayerRow, topic: Topic = "table", notes: Sequence[Note] = ()) -> None:
        """Send the tournament to one player, as the answer to the mail at hand."""
        notify_reader(self.work, Recipient(player), TournamentNews(self.row, topic, tuple(notes)), answers=True)

    def notify_all_entrants(self, note: Note) -> None:
        """Notify everybody who takes part or waits to."""
        to = [player for entry, player in self.list_entered() if entry.state != EntryState.WITHDRAWN]
        self.notify_about_tournament("news", to, [note])
