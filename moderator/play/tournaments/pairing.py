"""The pairings of a round: who plays whom, and the matches for it, ready to be dealt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import Settings, game_options, settings_of
from moderator.play.create import new_match
from moderator.states import GameKind
from moderator.store import tournaments
from moderator.store.models import Match, Player, Tournament, TournamentGame
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import of


def plan(
    tournament: Tournament,
    settings: Settings,
    t: TournamentState,
    round: int,
    division: int = 1,
    *,
    rematches: bool = False,
    byes: Collection[int] = (),
) -> Sequence[Game]:
    """The games of ``round``, in formats where all start at once of the whole tournament.

    ``rematches``, ``byes``: the moderator's word for a Swiss round. Raises ``swiss.NoPairing`` with what can be done,
    OperatorError for a round that cannot be paired yet."""
    return of(t).pair(t, round, settings, division=division, rematches=rematches, byes=byes)


def pair(desk: Desk, tournament: Tournament, *, rematches: bool = False, byes: Collection[int] = ()) -> None:
    """Pair the next round, write it down with its latest end, and get its matches ready. As ``plan``."""
    settings = settings_of(tournament)
    ends_at = rows.latest_end(desk.config, tournament, desk.now)
    if of(tournament).laid_out and tournament.round:  # all was laid out with the first round
        tournament.round += 1
        for row in rows.open_games(rows.of_round(desk.session, tournament)):
            row.ends_at = ends_at
            desk.session.add(row)
        desk.session.add(tournament)
        return
    plans = {
        division: plan(tournament, settings, t, tournament.round + 1, division, rematches=rematches, byes=byes)
        for division in tournaments.divisions(desk.session, tournament)
        for t in [rows.state_of(desk.session, tournament, division)]
    }
    for division, games in plans.items():
        lay_out(desk, tournament, division, games, ends_at)
    tournament.round += 1
    desk.session.add(tournament)


def lay_out(
    desk: Desk, tournament: Tournament, division: int, games: Sequence[Game], ends_at: datetime
) -> list[TournamentGame]:
    """Write games down, each with an open match if it has to be played."""
    who = rows.numbered(desk.session, tournament, division)
    made = rows.store(desk.session, tournament, division, games, ends_at)
    for row in made:
        if row.kind == GameKind.GAME:
            row.match_id = _match(desk, tournament, row, who).id
            desk.session.add(row)
    desk.session.flush()
    return made


def _match(desk: Desk, tournament: Tournament, row: TournamentGame, who: Mapping[int, Player]) -> Match:
    several = f" {row.division}," if of(tournament).divisions else ""
    match = new_match(
        desk,
        tournament.game,
        f"{tournament.name}{several} {row.round}.{row.board}",
        [who[number] for number in row.seats],
        game_options(tournament),
        early=settings_of(tournament).early,
        terms=tournament.terms,
        tried=True,
    )
    match.tournament_id = tournament.id
    desk.session.add(match)
    return match
