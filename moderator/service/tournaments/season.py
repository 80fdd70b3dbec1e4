"""The end of a tournament: final places, ratings, and the next season of a league."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from moderator.common.enums import EntryState, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.service.desk import Desk
from moderator.service.tournaments import notify, registration
from moderator.service.tournaments.registration import LONGEST_NAME
from moderator.store import tournaments
from moderator.store.tables import PlayerRow, Tournament
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Bracket, Rungs
from moderator.tournaments.standings import compute_standings, count_finished_games
from moderator.views import tournament_rows
from moderator.views.ratings import compute_club_ratings
from moderator.views.tournament_rows import drop_foreign_settings, get_game_options, get_tournament_settings


def mark_tournament_finished(desk: Desk, tournament: Tournament) -> None:
    """Give everybody a final place, and mark the tournament as finished; who did not count has none."""
    save_final_places(desk, tournament)
    tournament.status, tournament.finished_at, tournament.next_at = TournamentStatus.FINISHED, desk.now, desk.now
    desk.session.add(tournament)


def save_final_places(desk: Desk, tournament: Tournament) -> None:
    """Save the final places."""
    for division in tournaments.list_divisions(desk.session, tournament):
        places = compute_final_places(
            tournament, tournament_rows.build_tournament_state(desk.session, tournament, division)
        )
        for entry, _ in tournaments.list_entries_with_players(desk.session, tournament, division):
            entry.place = places.get(entry.number)
            desk.session.add(entry)


def compute_final_places(tournament: Tournament, t: TournamentState) -> dict[int, int]:
    """Compute the place in the end by number."""
    match get_format(t).build_standing(t, tournament.state, tournament.round, over=True):
        case Rungs(order):
            return {number: rung for rung, number in enumerate(order, 1)}
        case Bracket(_, places):
            return {number: place for place, number in places}
        case _:
            return compute_standings(t).get_places()


def save_final_ratings(desk: Desk, tournament: Tournament) -> None:
    """Save the ratings after it, beside those from before: what ended since then does not count, but for a game of its
    own that was played again."""
    own = {row.match_id for row in tournaments.list_pairings(desk.session, tournament)}
    found = compute_club_ratings(desk.session, tournament.game, tournament.finished_at, own)
    for entry in tournaments.list_tournament_entries(desk.session, tournament):
        rating = found.get(entry.player_id)
        entry.rated = None if rating is None else float(rating.rounded)
        desk.session.add(entry)


def open_next_season(desk: Desk, tournament: Tournament) -> None:
    """Open the next season: its registration is open at once, and whoever played to the end is in unless they leave.
    Not where the moderator has set one up already."""
    if tournaments.list_next_seasons(desk.session, tournament):
        return
    settings = get_tournament_settings(tournament)
    following = create_next_season(
        desk,
        tournament,
        build_season_name(tournament.name),
        {},
        closes_at=desk.now + timedelta(days=settings.own.again_days),
    )
    following.status, following.next_at = TournamentStatus.OPEN, following.closes_at
    desk.session.add(following)
    if settings.invite:
        notify.notify_invitation(desk, following)


def create_next_season(
    desk: Desk,
    tournament: Tournament,
    name: str,
    changes: Mapping[str, Mapping[str, Any]],
    *,
    game: str | None = None,
    format_key: str | None = None,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> Tournament:
    """Create a season after ``tournament``, with whoever played to its end. ``changes``: options, terms and settings
    that are unlike it; ``game`` and ``format_key`` may be given, but not others. Raises OperatorError."""
    if not get_format(tournament).divisions or tournament.status != TournamentStatus.FINISHED:
        raise OperatorError(
            f"{tournament.code} is no league that is over.", "Only a league's season is followed by another."
        )
    if (game or tournament.game, format_key or tournament.format) != (tournament.game, tournament.format):
        raise OperatorError(f"{tournament.code} is a league of {tournament.game}.", "Leave out --game and --format.")
    if found := tournaments.list_next_seasons(desk.session, tournament):
        raise OperatorError(
            f"{found[0].code} follows {tournament.code} already.", f"See `moderator cup show {found[0].code}`."
        )
    following = registration.create_tournament(
        desk,
        name,
        tournament.game,
        tournament.format,
        options={**get_game_options(tournament), **changes.get("options", {})},
        terms={**tournament.terms, **changes.get("terms", {})},
        settings={**drop_foreign_settings(tournament.settings, tournament.format), **changes.get("settings", {})},
        opens_at=opens_at,
        closes_at=closes_at,
        previous=tournament,
    )
    following.referee_id, following.deputy_id = tournament.referee_id, tournament.deputy_id
    for player in list_staying_players(desk, tournament):
        registration.enter_player(desk, following, player)
    return following


def list_staying_players(desk: Desk, tournament: Tournament) -> list[PlayerRow]:
    """List those who played to the end, the highest division first: nobody who has left, or lost most games by
    forfeit."""
    shares = {
        (division, one.number): count_finished_games(t, one.number)
        for division in tournaments.list_divisions(desk.session, tournament)
        for t in [tournament_rows.build_tournament_state(desk.session, tournament, division)]
        for one in t.entrants
    }
    return [
        player
        for entry, player in tournaments.list_entries_with_players(desk.session, tournament)
        if entry.state == EntryState.IN and entry.number
        for finished, every in [shares[entry.division, entry.number]]
        if 2 * finished >= every
    ]


def build_season_name(name: str) -> str:
    """Build ``Liga 3`` after ``Liga 2``; ``Liga 2`` after ``Liga``; a year goes on, too."""
    head, _, last = name.rpartition(" ")
    if not (head and last.isascii() and last.isdigit()):
        head, last = name, "1"
    number = str(int(last) + 1)
    return f"{head[: LONGEST_NAME - len(number) - 1]} {number}"
