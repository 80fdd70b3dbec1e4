"""The mails of a tournament: invitations, pairings, warnings, reports, and who gets which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from moderator.common.enums import EntryState
from moderator.notifications.content import Topic
from moderator.rules.game import Note
from moderator.service.notifications import notify_reader
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.players import list_players_to_invite
from moderator.store.tables import PlayerRow, Tournament
from moderator.views import tournament_rows
from moderator.views.desk import Desk
from moderator.views.notification import Recipient, TournamentNews
from moderator.views.tournament_rows import list_round_pairings


def notify_invitation(desk: Desk, tournament: Tournament) -> None:
    """Send the invitation, because the registration is open, to everybody who could play and wants to know."""
    notify_about_tournament(desk, tournament, "invite", list_players_to_invite(desk.session))


def notify_pairings(desk: Desk, tournament: Tournament) -> None:
    """Send the pairings of the round that begins to everybody who takes part."""
    notify_about_tournament(desk, tournament, "pairings", list_tournament_players(desk.session, tournament))


def notify_open_games(desk: Desk, tournament: Tournament) -> None:
    """Warn the players whose games of the round are open, shortly before its latest end."""
    still = {
        (row.division, number)
        for row in tournament_rows.filter_open_games(list_round_pairings(desk.session, tournament))
        for number in row.seats
    }
    late = [
        p
        for entry, p in tournaments.list_entries_with_players(desk.session, tournament)
        if (entry.division, entry.number) in still
    ]
    notify_about_tournament(desk, tournament, "warning", late)


def notify_round_results(desk: Desk, tournament: Tournament) -> None:
    """Send the results of the round and the table."""
    notify_about_tournament(desk, tournament, "report", list_tournament_players(desk.session, tournament))


def notify_tournament_end(desk: Desk, tournament: Tournament) -> None:
    """Send the final report, also to those who left on the way."""
    notify_about_tournament(
        desk,
        tournament,
        "final",
        [player for entry, player in tournaments.list_entries_with_players(desk.session, tournament) if entry.number],
    )


def notify_corrected_result(desk: Desk, tournament: Tournament, notes: Sequence[Note]) -> None:
    """Send the corrected result and the table after it, also to those who left on the way."""
    entered = tournaments.list_entries_with_players(desk.session, tournament)
    notify_about_tournament(desk, tournament, "table", [player for entry, player in entered if entry.number], notes)


def list_tournament_players(session: Session, tournament: Tournament) -> list[PlayerRow]:
    """Return the players who take part now."""
    return [
        player
        for entry, player in tournaments.list_entries_with_players(session, tournament)
        if entry.state == EntryState.IN
    ]


def notify_about_tournament(
    desk: Desk, tournament: Tournament, topic: Topic, to: Iterable[PlayerRow], notes: Sequence[Note] = ()
) -> None:
    """Send one mail to each of them; robots read nothing, and dead addresses get nothing."""
    for player in to:
        notify_reader(desk, Recipient(player), TournamentNews(tournament, topic, tuple(notes)))


def answer_tournament_question(
    desk: Desk, tournament: Tournament, player: PlayerRow, topic: Topic = "table", notes: Sequence[Note] = ()
) -> None:
    """Send the tournament to one player, as the answer to the mail at hand."""
    notify_reader(desk, Recipient(player), TournamentNews(tournament, topic, tuple(notes)), answers=True)
