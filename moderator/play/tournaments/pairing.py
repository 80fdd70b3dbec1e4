"""The pairings of a round: who plays whom, and the matches for it, ready to be dealt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from moderator.club.desk import Desk
from moderator.club.tournaments import phases, rows
from moderator.club.tournaments.settings import Settings, settings_of
from moderator.errors import OperatorError
from moderator.play.create import new_match
from moderator.states import GameKind
from moderator.store.models import Cup, CupGame, Match, Player
from moderator.tournaments.field import Game, Tournament
from moderator.tournaments.formats import of


def plan(
    cup: Cup,
    settings: Settings,
    t: Tournament,
    round: int,
    division: int = 1,
    *,
    rematches: bool = False,
    byes: Collection[int] = (),
) -> Sequence[Game]:
    """The games of ``round``, in formats where all start at once of the whole tournament.

    ``rematches``, ``byes``: the moderator's word for a Swiss round. Raises ``swiss.Impossible`` with what can be done,
    OperatorError for a round that cannot be paired yet."""
    if of(t).challenges:
        raise OperatorError(f"Tournament {cup.code} is a ladder: there are no rounds.", "Players challenge each other.")
    return of(t).pair(t, round, settings, division=division, rematches=rematches, byes=byes)


def pair(desk: Desk, cup: Cup, *, rematches: bool = False, byes: Collection[int] = ()) -> None:
    """Pair the next round, write it down with its latest end, and get its matches ready. As ``plan``."""
    settings = settings_of(cup)
    ends_at = phases.latest_end(desk.config, cup, desk.now)
    if of(cup).laid_out and cup.round:  # all was laid out with the first round
        cup.round += 1
        for row in rows.open_games(phases.of_round(desk.session, cup)):
            row.ends_at = ends_at
            desk.session.add(row)
        desk.session.add(cup)
        return
    plans = {
        division: plan(cup, settings, t, cup.round + 1, division, rematches=rematches, byes=byes)
        for division in rows.divisions(desk.session, cup)
        for t in [rows.tournament(desk.session, cup, division)]
    }
    for division, games in plans.items():
        lay_out(desk, cup, division, games, ends_at)
    cup.round += 1
    desk.session.add(cup)


def lay_out(desk: Desk, cup: Cup, division: int, games: Sequence[Game], ends_at: datetime) -> list[CupGame]:
    """Write games down, each with an open match if it has to be played."""
    who = rows.numbered(desk.session, cup, division)
    made = rows.store(desk.session, cup, division, games, ends_at)
    for row in made:
        if row.kind == GameKind.GAME:
            row.match_id = _match(desk, cup, row, who).id
            desk.session.add(row)
    desk.session.flush()
    return made


def _match(desk: Desk, cup: Cup, row: CupGame, who: Mapping[int, Player]) -> Match:
    several = f" {row.division}," if of(cup).divisions else ""
    match = new_match(
        desk.session,
        cup.game,
        f"{cup.name}{several} {row.round}.{row.board}",
        [who[number] for number in row.seats],
        cup.options,
        desk.now,
        early=settings_of(cup).early,
        terms=cup.terms,
    )
    match.cup_id = cup.id
    desk.session.add(match)
    return match
