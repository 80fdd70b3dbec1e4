"""The rungs of a ladder and the challenges between them, as the tournament's row keeps them."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.store.models import Tournament
from moderator.tournaments import ladder
from moderator.tournaments.ladder import Ladder


def ladder_of(tournament: Tournament) -> Ladder:
    """The rungs and challenges now."""
    return Ladder.from_json(tournament.state)


def save(desk: Desk, tournament: Tournament, now: Ladder) -> None:
    """From now on they are these; the tournament is due for its next step."""
    tournament.state, tournament.next_at = now.to_json(), desk.now
    desk.session.add(tournament)


def climb_on(desk: Desk, tournament: Tournament, number: int) -> None:
    """A newcomer stands on the lowest rung."""
    save(desk, tournament, ladder.join(ladder_of(tournament), number))


def step_off(desk: Desk, tournament: Tournament, number: int) -> None:
    """Whoever leaves gives up the rung and all challenges."""
    save(desk, tournament, ladder.withdraw(ladder_of(tournament), number))


def away(desk: Desk, tournament: Tournament) -> set[int]:
    """Numbers of those who are on leave today."""
    day = desk.today
    return {
        number
        for number, player in rows.numbered(desk.session, tournament, 1).items()
        if any(one.first <= day <= one.last for one in desk.cache.leaves_of(desk.session, player.number))
    }
