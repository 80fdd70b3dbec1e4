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
from moderator.views.desk import Desk
from moderator.views.tournament_rows import TournamentSettings, get_game_options, get_tournament_settings


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


def pair_next_round(desk: Desk, tournament: Tournament, *, rematches: bool = False, byes: Collection[int] = ()) -> None:
    """Pair the next round, write it down with its latest end, and get its matches ready. As ``plan_round``."""
    settings = get_tournament_settings(tournament)
    ends_at = tournament_rows.compute_latest_end(desk.config, tournament, desk.now)
    if get_format(tournament).laid_out and tournament.round:  # all was laid out with the first round
        tournament.round += 1
        for row in tournament_rows.filter_open_games(tournament_rows.list_round_pairings(desk.session, tournament)):
            row.ends_at = ends_at
            desk.session.add(row)
        desk.session.add(tournament)
        return
    plans = {
        division: plan_round(tournament, settings, t, tournament.round + 1, division, rematches=rematches, byes=byes)
        for division in tournaments.list_divisions(desk.session, tournament)
        for t in [tournament_rows.build_tournament_state(desk.session, tournament, division)]
    }
    for division, games in plans.items():
        create_tournament_games(desk, tournament, division, games, ends_at)
    tournament.round += 1
    desk.session.add(tournament)


def create_tournament_games(
    desk: Desk, tournament: Tournament, division: int, games: Sequence[Game], ends_at: datetime
) -> list[TournamentGame]:
    """Write games down, each with an open match if it has to be played."""
    who = tournament_rows.load_numbered_players(desk.session, tournament, division)
    made = tournament_rows.save_pairings(desk.session, tournament, division, games, ends_at)
    for row in made:
        if row.kind == GameKind.GAME:
            row.match_id = _create_game_match(desk, tournament, row, who).id
            desk.session.add(row)
    desk.session.flush()
    return made


def _create_game_match(
    desk: Desk, tournament: Tournament, row: TournamentGame, who: Mapping[int, PlayerRow]
) -> MatchRow:
    several = f" {row.division}," if get_format(tournament).divisions else ""
    return create_match(
        desk,
        tournament.game,
        f"{tournament.name}{several} {row.round}.{row.board}",
        [who[number] for number in row.seats],
        get_game_options(tournament),
        early=get_tournament_settings(tournament).early,
        terms=tournament.terms,
        tried=True,
        tournament=tournament.id,
    )
