"""The pairings of a round: who plays whom, and the matches for it, ready to be dealt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from moderator.common.enums import GameKind
from moderator.service.create import create_match
from moderator.store import tournaments
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentGame
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import get_format
from moderator.views import tournament_rows
from moderator.views.tournament_rows import TournamentSettings, get_game_options, get_tournament_settings
from moderator.views.unit_of_work import UnitOfWork


def plan_round(
    tournament: Tournament,
    settings: TournamentSettings,
    t: TournamentState,
    round_number: int,
    division: int = 1,
    *,
    rematches: bool = False,
    byes: Collection[int] = (),
) -> Sequence[Game]:
    """Plan the games of ``round_number``, in formats where all start at once of the whole tournament.

    ``rematches``, ``byes``: the moderator's word for a Swiss round. Raises ``swiss.NoPairing`` with what can be done,
    OperatorError for a round that cannot be paired yet."""
    return get_format(t).pair(t, round_number, settings, division=division, rematches=rematches, byes=byes)


def pair_next_round(
    work: UnitOfWork, tournament: Tournament, *, rematches: bool = False, byes: Collection[int] = ()
) -> None:
    """Pair the next round, write it down with its latest end, and get its matches ready. As ``plan_round``."""
    settings = get_tournament_settings(tournament)
    ends_at = tournament_rows.compute_latest_end(work.config, tournament, work.now)
    if get_format(tournament).laid_out and tournament.round:  # all was laid out with the first round
        tournament.round += 1
        for row in tournament_rows.filter_open_games(tournament_rows.list_round_pairings(work.session, tournament)):
            row.ends_at = ends_at
            work.session.add(row)
        work.session.add(tournament)
        return
    plans = {
        division: plan_round(tournament, settings, t, tournament.round + 1, division, rematches=rematches, byes=byes)
        for division in tournaments.list_divisions(work.session, tournament)
        for t in [tournament_rows.build_tournament_state(work.session, tournament, division)]
    }
    for division, games in plans.items():
        create_tournament_games(work, tournament, division, games, ends_at)
    tournament.round += 1
    work.session.add(tournament)


def create_tournament_games(
    work: UnitOfWork, tournament: Tournament, division: int, games: Sequence[Game], ends_at: datetime
) -> list[TournamentGame]:
    """Write games down, each with an open match if it has to be played."""
    who = tournament_rows.load_numbered_players(work.session, tournament, division)
    made = tournament_rows.save_pairings(work.session, tournament, division, games, ends_at)
    for row in made:
        if row.kind == GameKind.GAME:
            row.match_id = _create_game_match(work, tournament, row, who).id
            work.session.add(row)
    work.session.flush()
    return made


def _create_game_match(
    work: UnitOfWork, tournament: Tournament, row: TournamentGame, who: Mapping[int, PlayerRow]
) -> MatchRow:
    several = f" {row.division}," if get_format(tournament).divisions else ""
    return create_match(
        work,
        tournament.game,
        f"{tournament.name}{several} {row.round}.{row.board}",
        [who[number] for number in row.seats],
        get_game_options(tournament),
        early=get_tournament_settings(tournament).early,
        terms=tournament.terms,
        tried=True,
        tournament=tournament.id,
    )
