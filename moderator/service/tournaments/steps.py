"""A tournament carried forward by tick, one small step per transaction.

A step looks at what is there, does one thing and stamps it done, all in its own transaction: a run that dies between
two steps is continued by the next one, and nothing is done twice. ``find_next_step`` decides by the rows alone::

    planned --open--> open --close--> running: pair:1, deal:N …, (warn:1), (judge:N …), report:1, pair:2, …, finish
    finished: ratings, (again: the next season of a league)

A step that needs the moderator sets ``Tournament.trouble`` and tells them; ``clear_trouble`` lets it go on.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from moderator.common.enums import TournamentStatus
from moderator.common.errors import OperatorError, StoreError
from moderator.delivery.route import notify_chief
from moderator.rules.game import Note
from moderator.service.desk import Desk
from moderator.service.notify import build_notifications
from moderator.service.tournaments import challenges, corrections, notify, pairing, registration, season
from moderator.service.tournaments.game_rulings import GameStep, find_deal_step, find_judging_step
from moderator.store import key_values, tournaments
from moderator.store.tables import Tournament, TournamentGame
from moderator.tournaments.formats import get_format
from moderator.views import tournament_rows
from moderator.views.tournament_rows import get_tournament_settings, is_last_round, list_begun_pairings


def advance_tournament(desk: Desk, tournament_id: int) -> bool:
    """Do the next step of a tournament. False = there is none now; it is asked again at ``next_at``."""
    tournament = desk.session.get_one(Tournament, tournament_id)
    step = None if tournament.trouble else find_next_step(desk, tournament)
    if step is None:
        tournaments.defer_tournament(
            desk.session, tournament, None if tournament.trouble else compute_next_step_time(desk, tournament)
        )
        return False
    try:
        with desk.begin_savepoint():
            step.run(desk, tournament)
            build_notifications(desk)
    except StoreError:
        raise
    except OperatorError as error:  # a game that cannot be dealt, say: its dictionary is gone
        desk.progress.clear()
        report_failed_step(desk, tournament.number, error)
        return False
    if not tournament.trouble:
        tournament_rows.stamp_step(desk.session, tournament, step.name, desk.now)
    return True


def find_next_step(desk: Desk, tournament: Tournament) -> GameStep | None:
    """Find what is to be done now, if anything."""
    now = desk.now
    if tournament.status == TournamentStatus.PLANNED and tournament.opens_at is not None and tournament.opens_at <= now:
        return GameStep("open", open_registration)
    if tournament.status == TournamentStatus.OPEN and tournament.closes_at is not None and tournament.closes_at <= now:
        return GameStep("close", close_registration)
    if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED) and (
        step := corrections.find_correction_step(desk, tournament)
    ):
        return step
    if tournament.status == TournamentStatus.RUNNING:
        return (
            _find_round_step(desk, tournament)
            if get_format(tournament).in_rounds
            else challenges.find_challenge_step(desk, tournament)
        )
    if tournament.status == TournamentStatus.FINISHED:
        return _find_final_step(desk, tournament)
    return None


def _find_round_step(desk: Desk, tournament: Tournament) -> GameStep | None:
    if tournament.round == 0:
        return GameStep("pair:1", pair_and_notify)
    games = list_begun_pairings(desk.session, tournament)
    step = find_deal_step(desk, tournament, games)
    if step is not None:
        return step
    open_, done = tournament_rows.filter_open_games(games), tournaments.load_done_steps(desk.session, tournament)
    if open_:
        return _find_open_games_step(desk, tournament, open_, done)
    if is_last_round(desk.session, tournament):
        return GameStep("finish", finish_tournament)
    if f"report:{tournament.round}" not in done:
        return GameStep(f"report:{tournament.round}", notify.notify_round_results)
    return GameStep(f"pair:{tournament.round + 1}", pair_and_notify)


def _find_open_games_step(
    desk: Desk, tournament: Tournament, open_: list[TournamentGame], done: set[str]
) -> GameStep | None:
    for row in open_:
        if step := find_judging_step(desk, row, done):
            return step
    warned = compute_warning_time(tournament, open_)
    if (
        warned is not None
        and warned <= desk.now < min(tournament_rows.list_latest_ends(open_))
        and f"warn:{tournament.round}" not in done
    ):
        return GameStep(f"warn:{tournament.round}", notify.notify_open_games)
    return None


def _find_final_step(desk: Desk, tournament: Tournament) -> GameStep | None:
    done = tournaments.load_done_steps(desk.session, tournament)
    if "ratings" not in done:
        return GameStep("ratings", season.save_final_ratings)
    if get_format(tournament).divisions and get_tournament_settings(tournament).own.again_days and "again" not in done:
        return GameStep("again", season.open_next_season)
    return None


def compute_next_step_time(desk: Desk, tournament: Tournament) -> datetime | None:
    """Compute when time alone will bring the next step."""
    if tournament.status == TournamentStatus.PLANNED:
        return tournament.opens_at
    if tournament.status == TournamentStatus.OPEN:
        return tournament.closes_at
    if tournament.status not in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
        return None
    found = [corrections.compute_next_correction_time(desk, tournament)]
    if tournament.status == TournamentStatus.RUNNING:
        in_rounds = get_format(tournament).in_rounds
        found.append(
            _compute_next_round_time(desk, tournament)
            if in_rounds
            else challenges.compute_next_challenge_time(desk, tournament)
        )
    return min((moment for moment in found if moment is not None), default=None)


def _compute_next_round_time(desk: Desk, tournament: Tournament) -> datetime | None:
    open_ = tournament_rows.filter_open_games(list_begun_pairings(desk.session, tournament))
    moments = tournament_rows.list_latest_ends(open_)
    warned = compute_warning_time(tournament, open_)
    if warned is not None:
        moments.append(warned)
    return min((moment for moment in moments if moment > desk.now), default=None)


def compute_warning_time(tournament: Tournament, open_: list[TournamentGame]) -> datetime | None:
    """Compute when those whose games are open are warned."""
    days = get_tournament_settings(tournament).warn_days
    ends = tournament_rows.list_latest_ends(open_)
    return min(ends) - timedelta(days=days) if days and ends else None


# ---- the steps ----


def open_registration(desk: Desk, tournament: Tournament) -> None:
    """Open the registration: players may join from now on."""
    tournament.status = TournamentStatus.OPEN
    desk.session.add(tournament)
    if get_tournament_settings(tournament).invite:
        notify.notify_invitation(desk, tournament)


def close_registration(desk: Desk, tournament: Tournament) -> None:
    """Close the registration: numbers and divisions; too few are put to the moderator."""
    registration.fill_free_places(desk, tournament)
    settings = get_tournament_settings(tournament)
    here = tournament_rows.count_taken_places(desk.session, tournament)
    if here < settings.least:
        report_trouble(
            desk, tournament, Note("cup-too-few", {"cup": tournament.code, "count": here, "least": settings.least})
        )
        return
    registration.assign_entrant_numbers(desk, tournament)
    tournament.status = TournamentStatus.RUNNING
    if get_format(tournament).pairs_by_table:  # who comes later does not make it longer
        tournament.settings = {
            **tournament.settings,
            "rounds": tournament_rows.build_tournament_state(desk.session, tournament).rounds,
        }
    if not get_format(tournament).in_rounds:
        challenges.begin_challenges(desk, tournament)
    desk.session.add(tournament)


def pair_and_notify(desk: Desk, tournament: Tournament) -> None:
    """Pair the next round with its mails; a round that cannot be paired is put to the moderator."""
    try:
        pairing.pair_next_round(desk, tournament)
    except OperatorError as error:
        report_trouble(
            desk, tournament, Note("cup-no-pairing", {"cup": tournament.code, "why": str(error), "fix": error.hint})
        )
        return
    notify.notify_pairings(desk, tournament)


def finish_tournament(desk: Desk, tournament: Tournament) -> None:
    """Finish the tournament after its last game: places, and the final report."""
    season.mark_tournament_finished(desk, tournament)
    notify.notify_tournament_end(desk, tournament)


def report_trouble(desk: Desk, tournament: Tournament, note: Note) -> None:
    """Mark that the step cannot be done, and waits for the moderator."""
    tournament.trouble = note.code
    desk.session.add(tournament)
    notify_chief(desk, note)


def report_failed_step(desk: Desk, tournament_id: int, error: Exception) -> None:
    """Report a step that cannot be done, by a fault of ours or of the club's: the tournament stays where it is until
    the moderator has looked."""
    tournament = desk.session.get_one(Tournament, tournament_id)
    tournament.next_at = None
    reason = str(error) if isinstance(error, OperatorError) else f"{type(error).__name__}: {error}"
    key_values.save_value(desk.session, key_values.build_failure_key(tournament.code), reason[:500])
    report_trouble(desk, tournament, Note("cup-failed", {"cup": tournament.code, "reason": reason}))


def clear_trouble(desk: Desk, tournament: Tournament) -> None:
    """Let the step be tried again, because the moderator has done something about it."""
    tournament.trouble, tournament.next_at = "", desk.now
    desk.session.add(tournament)
