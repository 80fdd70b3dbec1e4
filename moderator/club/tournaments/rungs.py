"""The rungs of a ladder and the challenges between them, as the tournament's row keeps them."""

from __future__ import annotations

from datetime import date

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.match.time.calendar import local_day
from moderator.store.models import Cup
from moderator.tournaments import ladder
from moderator.tournaments.ladder import Ladder


def ladder_of(cup: Cup) -> Ladder:
    """The rungs and challenges now."""
    return Ladder.from_json(cup.state)


def keep(desk: Desk, cup: Cup, now: Ladder) -> None:
    """From now on they are these; the tournament is due for its next step."""
    cup.state, cup.next_at = now.to_json(), desk.now
    desk.session.add(cup)


def climb_on(desk: Desk, cup: Cup, number: int) -> None:
    """A newcomer stands on the lowest rung."""
    keep(desk, cup, ladder.join(ladder_of(cup), number))


def step_off(desk: Desk, cup: Cup, number: int) -> None:
    """Whoever leaves gives up the rung and all challenges."""
    keep(desk, cup, ladder.leave(ladder_of(cup), number))


def today(desk: Desk) -> date:
    """The club's day."""
    return local_day(desk.now, desk.config.club.zone)


def away(desk: Desk, cup: Cup) -> set[int]:
    """Numbers of those who are on leave today."""
    day = today(desk)
    return {
        number
        for number, player in rows.numbered(desk.session, cup, 1).items()
        if any(one.first <= day <= one.last for one in desk.shelf.leaves_of(desk.session, player.number))
    }
