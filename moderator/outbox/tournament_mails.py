"""The mails of a tournament: invitations, pairings, warnings, reports, and who gets which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, partial

from moderator.club import archive
from moderator.club.desk import Desk
from moderator.club.endings import ending_of
from moderator.club.tournaments import results, rows
from moderator.club.tournaments.rows import at_once, of_round
from moderator.club.tournaments.view import Seen
from moderator.match.contract import Note
from moderator.outbox.post import new_page, personal_reply, reader
from moderator.outbox.tell import To, made, tell
from moderator.pages import ending
from moderator.pages.content import AboutTournament
from moderator.pages.pages import Page
from moderator.pages.tournament_view import Topic
from moderator.states import EntryState, MailKind, TournamentStatus
from moderator.store import tournaments
from moderator.store.models import Match, Player, Tournament, TournamentGame
from moderator.store.players import to_invite
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import of
from moderator.tournaments.standings import final_places, standings


def invite(desk: Desk, tournament: Tournament) -> None:
    """The registration is open: a mail to everybody who could play and wants to know."""
    send(desk, tournament, "invite", to_invite(desk.session))


def pairings(desk: Desk, tournament: Tournament) -> None:
    """The pairings of the round that begins, to everybody who takes part."""
    send(desk, tournament, "pairings", players(desk, tournament))


def warning(desk: Desk, tournament: Tournament) -> None:
    """To those whose games of the round are open, shortly before its latest end."""
    still = {
        (row.division, number) for row in rows.open_games(of_round(desk.session, tournament)) for number in row.seats
    }
    late = [p for entry, p in tournaments.entries(desk.session, tournament) if (entry.division, entry.number) in still]
    send(desk, tournament, "warning", late)


def report(desk: Desk, tournament: Tournament) -> None:
    """The results of the round and the table."""
    send(desk, tournament, "report", players(desk, tournament))


def final(desk: Desk, tournament: Tournament) -> None:
    """The end of it, also to those who left on the way."""
    send(
        desk,
        tournament,
        "final",
        [player for entry, player in tournaments.entries(desk.session, tournament) if entry.number],
    )


def corrected(desk: Desk, tournament: Tournament, notes: Sequence[Note]) -> None:
    """A result is another one now, with how it stands after that; also to those who left on the way."""
    entered = tournaments.entries(desk.session, tournament)
    send(desk, tournament, "table", [player for entry, player in entered if entry.number], notes)


def players(desk: Desk, tournament: Tournament) -> list[Player]:
    """Those who take part now."""
    return [player for entry, player in tournaments.entries(desk.session, tournament) if entry.state == EntryState.IN]


def send(desk: Desk, tournament: Tournament, topic: Topic, to: Iterable[Player], notes: Sequence[Note] = ()) -> None:
    """One mail to each of them; robots read nothing, and dead addresses get nothing."""
    seen = Seen(desk, tournament)
    for player in to:
        tell(desk, To(player), made(MailKind.TOURNAMENT, partial(_page, desk, seen, topic, player, notes)))


def answer(
    desk: Desk, tournament: Tournament, player: Player, topic: Topic = "table", notes: Sequence[Note] = ()
) -> None:
    """The same to one player, as the answer to the mail at hand."""
    tell(desk, To(player), _page(desk, Seen(desk, tournament), topic, player, notes), answers=True)


def _page(desk: Desk, seen: Seen, topic: Topic, player: Player, notes: Sequence[Note]) -> Page:
    shown = AboutTournament(seen.view(topic, player))
    return new_page(
        desk,
        MailKind.TOURNAMENT,
        reader(player),
        reply=personal_reply(desk, player),
        content=shown,
        notes=tuple(notes),
        archive=archive.link_to_tournament(desk.config, desk.session, seen.tournament, player.language),
    )


# ---- in the mails of a match ----
#
# What a match's own mails say about its tournament: at the start which round it is of, at the end how it stands.


class TournamentRemarks:
    """For the readers of one match's mails; nothing is read before one of them needs it."""

    def __init__(self, desk: Desk, match: Match) -> None:
        self.desk, self.match = desk, match

    def remarks(self, seat: int, kind: MailKind) -> tuple[Note, ...]:
        """For the player of that seat; () in a match of no tournament and in other mails."""
        if self.match.tournament_id is None or kind not in (MailKind.START, MailKind.END) or self._game is None:
            return ()
        if kind == MailKind.START:
            return self._start
        return (*self._counts(seat), *self._end(self._game, seat))

    @cached_property
    def _tournament(self) -> Tournament:
        return self.desk.session.get_one(Tournament, self.match.tournament_id)

    @cached_property
    def _game(self) -> TournamentGame | None:
        return results.game_of(self.desk, self.match)

    @cached_property
    def _start(self) -> tuple[Note, ...]:
        assert self._game is not None
        tournament, ends_at = self._tournament, self._game.ends_at
        rounds = of(tournament).in_rounds and not at_once(tournament)
        facts = {"cup": tournament.name, "round": self._game.round}
        found = [Note("cup-match-round" if rounds else "cup-match", facts)]
        if ends_at is not None:
            found.append(Note("cup-match-ends", {"until": ends_at}))
        return tuple(found)

    def _counts(self, seat: int) -> tuple[Note, ...]:
        """What a game is worth that was not played to its end."""
        ended, players = ending_of(self.desk.session, self.match), self.desk.players(self.match)
        return ending.counts(ended, [one.name for one in players], players[seat].language) if ended else ()

    def _end(self, game: TournamentGame, seat: int) -> tuple[Note, ...]:
        tournament, number = self._tournament, game.seats[seat]
        if not of(tournament).table or tournament.status != TournamentStatus.RUNNING:
            return ()
        mine = self._entrants.get(number) == self.desk.players(self.match)[seat].id
        place = self._places.get(number)
        if not mine or place is None:  # somebody has taken over the seat, or does not count any more
            return ()
        first, last = self._possible[number]
        code = "cup-now-division" if len(tournaments.divisions(self.desk.session, tournament)) > 1 else "cup-now"
        code += "-possible" if first != last else "-sure"
        facts = {"cup": tournament.name, "place": place, "count": len(self._places), "division": game.division}
        return (Note(code, facts | {"first": first, "last": last}), Note("cup-now-table", {"code": tournament.code}))

    @cached_property
    def _entrants(self) -> dict[int, int]:
        """Player ids by number."""
        assert self._game is not None
        found = rows.numbered(self.desk.session, self._tournament, self._game.division)
        return {number: player.number for number, player in found.items()}

    @cached_property
    def _places(self) -> dict[int, int]:
        return standings(self._state).places()

    @cached_property
    def _possible(self) -> dict[int, tuple[int, int]]:
        return final_places(self._state)

    @cached_property
    def _state(self) -> TournamentState:
        assert self._game is not None
        return rows.state_of(self.desk.session, self._tournament, self._game.division)
