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
from moderator.views.notification import Recipient, TournamentNews
from moderator.views.tournament_rows import list_round_pairings
from moderator.views.unit_of_work import UnitOfWork


def notify_invitation(work: UnitOfWork, tournament: Tournament) -> None:
    """Send the invitation, because the registration is open, to everybody who could play and wants to know."""
    notify_about_tournament(work, tournament, "invite", list_players_to_invite(work.session))


def notify_pairings(work: UnitOfWork, tournament: Tournament) -> None:
    """Send the pairings of the round that begins to everybody who takes part."""
    notify_about_tournament(work, tournament, "pairings", list_tournament_players(work.session, tournament))


def notify_open_games(work: UnitOfWork, tournament: Tournament) -> None:
    """Warn the players whose games of the round are open, shortly before its latest end."""
    still = {
        (row.division, number)
        for row in tournament_rows.filter_open_games(list_round_pairings(work.session, tournament))
        for number in row.seats
    }
    late = [
        p
        for entry, p in tournaments.list_entries_with_players(work.session, tournament)
        if (entry.division, entry.number) in still
    ]
    notify_about_tournament(work, tournament, "warning", late)


def notify_round_results(work: UnitOfWork, tournament: Tournament) -> None:
    """Send the results of the round and the table."""
    notify_about_tournament(work, tournament, "report", list_tournament_players(work.session, tournament))


def notify_tournament_end(work: UnitOfWork, tournament: Tournament) -> None:
    """Send the final report, also to those who left on the way."""
    notify_about_tournament(
        work,
        tournament,
        "final",
        [player for entry, player in tournaments.list_entries_with_players(work.session, tournament) if entry.number],
    )


def notify_corrected_result(work: UnitOfWork, tournament: Tournament, notes: Sequence[Note]) -> None:
    """Send the corrected result and the table after it, also to those who left on the way."""
    entered = tournaments.list_entries_with_players(work.session, tournament)
    notify_about_tournament(work, tournament, "table", [player for entry, player in entered if entry.number], notes)


def list_tournament_players(session: Session, tournament: Tournament) -> list[PlayerRow]:
    """Return the players who take part now."""
    return [
        player
        for entry, player in tournaments.list_entries_with_players(session, tournament)
        if entry.state == EntryState.IN
    ]


def notify_about_tournament(
    work: UnitOfWork, tournament: Tournament, topic: Topic, to: Iterable[PlayerRow], notes: Sequence[Note] = ()
) -> None:
    """Send one mail to each of them; robots read nothing, and dead addresses get nothing."""
    for player in to:
        notify_reader(work, Recipient(player), TournamentNews(tournament, topic, tuple(notes)))


def answer_tournament_question(
    work: UnitOfWork, tournament: Tournament, player: PlayerRow, topic: Topic = "table", notes: Sequence[Note] = ()
) -> None:
    """Send the tournament to one player, as the answer to the mail at hand."""
    notify_reader(work, Recipient(player), TournamentNews(tournament, topic, tuple(notes)), answers=True)
