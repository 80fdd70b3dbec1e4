"""The mails of a tournament: invitations, pairings, warnings, reports, and who gets which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moderator.common.enums import EntryState
from moderator.notifications.content import Topic
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader
from moderator.service.tournaments.results import TournamentResults
from moderator.store.players import list_players_to_invite
from moderator.store.tables import PlayerRow
from moderator.views import tournament_rows
from moderator.views.notification import Recipient, TournamentNews


class TournamentMails(TournamentResults):
    """A tournament and the mails about it."""

    def notify_invitation(self) -> None:
        """Send the invitation, because the registration is open, to everybody who could play and wants to know."""
        self.notify_about_tournament("invite", list_players_to_invite(self.session))

    def notify_pairings(self) -> None:
        """Send the pairings of the round that begins to everybody who takes part."""
        self.notify_about_tournament("pairings", self.list_tournament_players())

    def notify_open_games(self) -> None:
        """Warn the players whose games of the round are open, shortly before its latest end."""
        still = {
            (row.division, number)
            for row in tournament_rows.filter_open_games(self.list_round_pairings())
            for number in row.seats
        }
        late = [p for entry, p in self.list_entered() if (entry.division, entry.number) in still]
        self.notify_about_tournament("warning", late)

    def notify_round_results(self) -> None:
        """Send the results of the round and the table."""
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
