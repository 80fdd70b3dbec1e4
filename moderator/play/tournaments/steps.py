"""A tournament carried forward by tick, one small step per transaction.

A step looks at what is there, does one thing and stamps it done, all in its own transaction: a run that dies between
two steps is continued by the next one, and nothing is done twice. ``next_step`` decides by the rows alone::

    planned --open--> open --close--> running: pair:1, deal:N …, (warn:1), (judge:N …), report:1, pair:2, …, finish
    finished: ratings, (again: the next season of a league)

A step that needs the moderator sets ``Tournament.trouble`` and tells them; ``settle`` lets it go on.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from moderator.club.desk import Desk
from moderator.club.tournaments import rows
from moderator.club.tournaments.rows import begun, last_round, settings_of
from moderator.errors import OperatorError, StoreError
from moderator.match.contract import Note
from moderator.outbox import tournament_mails
from moderator.outbox.tell import tell_chief
from moderator.play.announce import announce
from moderator.play.tournaments import challenges, corrections, pairing, registration, season
from moderator.play.tournaments.judging import Step, deal_next, judge_now
from moderator.states import TournamentStatus
from moderator.store import key_values, tournaments
from moderator.store.models import Tournament, TournamentGame
from moderator.tournaments.formats import of


def advance(desk: Desk, tournament_id: int) -> bool:
    """Do the next step of a tournament. False = there is none now; it is asked again at ``next_at``."""
    tournament = desk.session.get_one(Tournament, tournament_id)
    step = None if tournament.trouble else next_step(desk, tournament)
    if step is None:
        tournaments.sleep(desk.session, tournament, None if tournament.trouble else next_moment(desk, tournament))
        return False
    try:
        with desk.kept_whole():
            step.run(desk, tournament)
            announce(desk)
    except StoreError:
        raise
    except OperatorError as error:  # a game that cannot be dealt, say: its dictionary is gone
        desk.progress.clear()
        failed(desk, tournament.number, error)
        return False
    if not tournament.trouble:
        rows.stamp(desk.session, tournament, step.name, desk.now)
    return True


def next_step(desk: Desk, tournament: Tournament) -> Step | None:
    """What is to be done now, if anything."""
    now = desk.now
    if tournament.status == TournamentStatus.PLANNED and tournament.opens_at is not None and tournament.opens_at <= now:
        return Step("open", open_registration)
    if tournament.status == TournamentStatus.OPEN and tournament.closes_at is not None and tournament.closes_at <= now:
        return Step("close", close)
    if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED) and (
        step := corrections.next_step(desk, tournament)
    ):
        return step
    if tournament.status == TournamentStatus.RUNNING:
        return _of_round(desk, tournament) if of(tournament).in_rounds else challenges.next_step(desk, tournament)
    if tournament.status == TournamentStatus.FINISHED:
        return _afterwards(desk, tournament)
    return None


def _of_round(desk: Desk, tournament: Tournament) -> Step | None:
    if tournament.round == 0:
        return Step("pair:1", pair)
    games = begun(desk.session, tournament)
    step = deal_next(desk, tournament, games)
    if step is not None:
        return step
    open_, done = rows.open_games(games), tournaments.steps_done(desk.session, tournament)
    if open_:
        return _of_open_games(desk, tournament, open_, done)
    if last_round(desk.session, tournament):
        return Step("finish", finish)
    if f"report:{tournament.round}" not in done:
        return Step(f"report:{tournament.round}", tournament_mails.report)
    return Step(f"pair:{tournament.round + 1}", pair)


def _of_open_games(desk: Desk, tournament: Tournament, open_: list[TournamentGame], done: set[str]) -> Step | None:
    for row in open_:
        if step := judge_now(desk, row, done):
            return step
    warned = warns_at(tournament, open_)
    if (
        warned is not None
        and warned <= desk.now < min(rows.latest_ends(open_))
        and f"warn:{tournament.round}" not in done
    ):
        return Step(f"warn:{tournament.round}", tournament_mails.warning)
    return None


def _afterwards(desk: Desk, tournament: Tournament) -> Step | None:
    done = tournaments.steps_done(desk.session, tournament)
    if "ratings" not in done:
        return Step("ratings", season.rate)
    if of(tournament).divisions and settings_of(tournament).own.again_days and "again" not in done:
        return Step("again", season.again)
    return None


def next_moment(desk: Desk, tournament: Tournament) -> datetime | None:
    """When time alone will bring the next step."""
    if tournament.status == TournamentStatus.PLANNED:
        return tournament.opens_at
    if tournament.status == TournamentStatus.OPEN:
        return tournament.closes_at
    if tournament.status not in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
        return None
    found = [corrections.next_moment(desk, tournament)]
    if tournament.status == TournamentStatus.RUNNING:
        in_rounds = of(tournament).in_rounds
        found.append(_in_round(desk, tournament) if in_rounds else challenges.next_moment(desk, tournament))
    return min((moment for moment in found if moment is not None), default=None)


def _in_round(desk: Desk, tournament: Tournament) -> datetime | None:
    open_ = rows.open_games(begun(desk.session, tournament))
    moments = rows.latest_ends(open_)
    warned = warns_at(tournament, open_)
    if warned is not None:
        moments.append(warned)
    return min((moment for moment in moments if moment > desk.now), default=None)


def warns_at(tournament: Tournament, open_: list[TournamentGame]) -> datetime | None:
    """When those whose games are open are warned."""
    days = settings_of(tournament).warn_days
    ends = rows.latest_ends(open_)
    return min(ends) - timedelta(days=days) if days and ends else None


# ---- the steps ----


def open_registration(desk: Desk, tournament: Tournament) -> None:
    """Players may join from now on."""
    tournament.status = TournamentStatus.OPEN
    desk.session.add(tournament)
    if settings_of(tournament).invite:
        tournament_mails.invite(desk, tournament)


def close(desk: Desk, tournament: Tournament) -> None:
    """The registration is over: numbers and divisions; too few are put to the moderator."""
    registration.fill(desk, tournament)
    settings = settings_of(tournament)
    here = rows.taken(desk.session, tournament)
    if here < settings.least:
        trouble(desk, tournament, Note("cup-too-few", {"cup": tournament.code, "count": here, "least": settings.least}))
        return
    registration.number(desk, tournament)
    tournament.status = TournamentStatus.RUNNING
    if of(tournament).pairs_by_table:  # who comes later does not make it longer
        tournament.settings = {**tournament.settings, "rounds": rows.state_of(desk.session, tournament).rounds}
    if not of(tournament).in_rounds:
        challenges.begin(desk, tournament)
    desk.session.add(tournament)


def pair(desk: Desk, tournament: Tournament) -> None:
    """The next round with its mails; a round that cannot be paired is put to the moderator."""
    try:
        pairing.pair(desk, tournament)
    except OperatorError as error:
        trouble(
            desk, tournament, Note("cup-no-pairing", {"cup": tournament.code, "why": str(error), "fix": error.hint})
        )
        return
    tournament_mails.pairings(desk, tournament)


def finish(desk: Desk, tournament: Tournament) -> None:
    """The last game is over: places, and the final report."""
    season.finish(desk, tournament)
    tournament_mails.final(desk, tournament)


def trouble(desk: Desk, tournament: Tournament, note: Note) -> None:
    """The step can't be done, and waits for the moderator."""
    tournament.trouble = note.code
    desk.session.add(tournament)
    tell_chief(desk, note)


def failed(desk: Desk, tournament_id: int, error: Exception) -> None:
    """A step that cannot be done, by a fault of ours or of the club's: the tournament stays where it is until the
    moderator has looked."""
    tournament = desk.session.get_one(Tournament, tournament_id)
    tournament.next_at = None
    reason = str(error) if isinstance(error, OperatorError) else f"{type(error).__name__}: {error}"
    key_values.write(desk.session, key_values.tournament_failed(tournament.code), reason[:500])
    trouble(desk, tournament, Note("cup-failed", {"cup": tournament.code, "reason": reason}))


def settle(desk: Desk, tournament: Tournament) -> None:
    """The moderator has done something about it: the step is tried again."""
    tournament.trouble, tournament.next_at = "", desk.now
    desk.session.add(tournament)
