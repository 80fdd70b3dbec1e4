"""A tournament carried forward by tick, one small step per transaction.

A step looks at what is there, does one thing and stamps it done, all in its own transaction: a run that dies between
two steps is continued by the next one, and nothing is done twice. ``next_step`` decides by the rows alone::

    planned --open--> open --close--> running: pair:1, deal:N …, (warn:1), (judge:N …), report:1, pair:2, …, finish
    finished: ratings, (again: the next season of a league)

A step that needs the moderator sets ``Cup.trouble`` and tells them; ``settle`` lets it go on.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import update
from sqlmodel import col, select

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.phases import begun, last_round
from moderator.club.tournaments.settings import settings_of
from moderator.errors import OperatorError
from moderator.match.contract import Note
from moderator.outbox import tournament_mails
from moderator.play.announce import announce
from moderator.play.tournaments import challenges, pairing, registration, season
from moderator.play.tournaments.step import Step, deal_next, judge_now, trouble
from moderator.states import CupStatus
from moderator.store.models import Cup, CupGame
from moderator.tournaments.formats import of


def due(desk: Desk) -> list[int]:
    """Ids of tournaments for which there may be something to do."""
    query = select(Cup.id).where(col(Cup.next_at) <= desk.now).order_by(col(Cup.next_at), col(Cup.id))
    return [number for number in desk.session.exec(query) if number is not None]


def advance(desk: Desk, cup_id: int) -> bool:
    """Do the next step of a tournament. False = there is none now; it is asked again at ``next_at``."""
    cup = desk.session.get_one(Cup, cup_id)
    step = None if cup.trouble else next_step(desk, cup)
    if step is None:
        _sleep(desk, cup, None if cup.trouble else next_moment(desk, cup))
        return False
    step.run(desk, cup)
    announce(desk)
    if not cup.trouble:
        rows.stamp(desk.session, cup, step.name, desk.now)
    return True


def _sleep(desk: Desk, cup: Cup, until: datetime | None) -> None:
    """Nothing to do before ``until``; unless another worker has ended a match since we looked, and woken it."""
    as_seen = update(Cup).where(col(Cup.id) == cup.id, col(Cup.next_at) == cup.next_at)
    desk.session.execute(as_seen.values(next_at=until))


def next_step(desk: Desk, cup: Cup) -> Step | None:
    """What is to be done now, if anything."""
    now = desk.now
    if cup.status == CupStatus.PLANNED and cup.opens_at is not None and cup.opens_at <= now:
        return Step("open", open_registration)
    if cup.status == CupStatus.OPEN and cup.closes_at is not None and cup.closes_at <= now:
        return Step("close", close)
    if cup.status == CupStatus.RUNNING:
        return challenges.next_step(desk, cup) if of(cup).challenges else _of_round(desk, cup)
    if cup.status == CupStatus.FINISHED:
        return _afterwards(desk, cup)
    return None


def _of_round(desk: Desk, cup: Cup) -> Step | None:
    if cup.round == 0:
        return Step("pair:1", pair)
    games = begun(desk.session, cup)
    step = deal_next(desk, cup, games)
    if step is not None:
        return step
    open_, done = rows.open_games(games), rows.done(desk.session, cup)
    if open_:
        return _of_open_games(desk, cup, open_, done)
    if last_round(desk.session, cup):
        return Step("finish", finish)
    if f"report:{cup.round}" not in done:
        return Step(f"report:{cup.round}", tournament_mails.report)
    return Step(f"pair:{cup.round + 1}", pair)


def _of_open_games(desk: Desk, cup: Cup, open_: list[CupGame], done: set[str]) -> Step | None:
    for row in open_:
        if step := judge_now(desk, row, done):
            return step
    warned = warns_at(cup, open_)
    if warned is not None and warned <= desk.now < min(rows.latest_ends(open_)) and f"warn:{cup.round}" not in done:
        return Step(f"warn:{cup.round}", tournament_mails.warning)
    return None


def _afterwards(desk: Desk, cup: Cup) -> Step | None:
    done = rows.done(desk.session, cup)
    if "ratings" not in done:
        return Step("ratings", season.rate)
    if of(cup).divisions and settings_of(cup).again_days and "again" not in done:
        return Step("again", season.again)
    return None


def next_moment(desk: Desk, cup: Cup) -> datetime | None:
    """When time alone will bring the next step."""
    if cup.status == CupStatus.PLANNED:
        return cup.opens_at
    if cup.status == CupStatus.OPEN:
        return cup.closes_at
    if cup.status != CupStatus.RUNNING:
        return None
    if of(cup).challenges:
        return challenges.next_moment(desk, cup)
    open_ = rows.open_games(begun(desk.session, cup))
    moments = rows.latest_ends(open_)
    warned = warns_at(cup, open_)
    if warned is not None:
        moments.append(warned)
    return min((moment for moment in moments if moment > desk.now), default=None)


def warns_at(cup: Cup, open_: list[CupGame]) -> datetime | None:
    """When those whose games are open are warned."""
    days = settings_of(cup).warn_days
    ends = rows.latest_ends(open_)
    return min(ends) - timedelta(days=days) if days and ends else None


# ---- the steps ----


def open_registration(desk: Desk, cup: Cup) -> None:
    """Players may join from now on."""
    cup.status = CupStatus.OPEN
    desk.session.add(cup)
    if settings_of(cup).invite:
        tournament_mails.invite(desk, cup)


def close(desk: Desk, cup: Cup) -> None:
    """The registration is over: numbers and divisions; too few are put to the moderator."""
    registration.fill(desk, cup)
    settings = settings_of(cup)
    here = rows.taken(desk.session, cup)
    if here < settings.least:
        trouble(desk, cup, Note("cup-too-few", {"cup": cup.code, "count": here, "least": settings.least}))
        return
    registration.number(desk, cup)
    cup.status = CupStatus.RUNNING
    if of(cup).pairs_by_table:  # who comes later does not make it longer
        cup.settings = {**cup.settings, "rounds": rows.tournament(desk.session, cup).rounds}
    if of(cup).challenges:
        challenges.begin(desk, cup)
    desk.session.add(cup)


def pair(desk: Desk, cup: Cup) -> None:
    """The next round with its mails; a round that cannot be paired is put to the moderator."""
    try:
        pairing.pair(desk, cup)
    except OperatorError as error:
        trouble(desk, cup, Note("cup-no-pairing", {"cup": cup.code, "why": str(error), "fix": error.hint}))
        return
    tournament_mails.pairings(desk, cup)


def finish(desk: Desk, cup: Cup) -> None:
    """The last game is over: places, and the final report."""
    season.finish(desk, cup)
    tournament_mails.final(desk, cup)


def failed(desk: Desk, cup_id: int, error: Exception) -> None:
    """A step that our own code cannot do: the tournament stays where it is until the moderator has looked."""
    cup = desk.session.get_one(Cup, cup_id)
    cup.next_at = None
    trouble(desk, cup, Note("cup-failed", {"cup": cup.code, "reason": f"{type(error).__name__}: {error}"}))


def settle(desk: Desk, cup: Cup) -> None:
    """The moderator has done something about it: the step is tried again."""
    cup.trouble, cup.next_at = "", desk.now
    desk.session.add(cup)
