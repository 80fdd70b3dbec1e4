"""A tournament carried forward by tick, one small step per transaction.

A step looks at what is there, does one thing and stamps it done, all in its own transaction: a run that dies between
two steps is continued by the next one, and nothing is done twice. ``find_next_step`` decides by the rows alone::

    planned --open--> open --close--> running: pair:1, deal:N …, (warn:1), (judge:N …), report:1, pair:2, …, finish
    finished: ratings, (again: the next season of a league)

A step that needs the moderator sets ``Tournament.trouble`` and tells them; ``clear_trouble`` lets it go on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from moderator.common.enums import EntryState, TournamentRuling, TournamentStatus
from moderator.common.errors import OperatorError, StoreError
from moderator.rules.game import Note
from moderator.service.notifications import notify_chief
from moderator.service.notify import notify_match_events
from moderator.service.tournaments import challenges, notify, pairing, registration, results
from moderator.service.tournaments.game_rulings import GameStep, find_deal_step, find_judging_step
from moderator.service.tournaments.registration import LONGEST_NAME
from moderator.store import key_values, tournaments
from moderator.store.database import Session
from moderator.store.tables import PlayerRow, Tournament, TournamentGame
from moderator.tournaments.field import TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Bracket, Rungs
from moderator.tournaments.standings import compute_standings, count_finished_games
from moderator.views import tournament_rows
from moderator.views.ratings import compute_club_ratings
from moderator.views.tournament_rows import (
    drop_foreign_settings,
    format_game_result,
    get_game_options,
    get_tournament_settings,
    is_last_round,
    is_played_again,
    is_played_at_once,
    list_begun_pairings,
)
from moderator.views.unit_of_work import UnitOfWork

# ---- The end of a tournament: final places, ratings, and the next season of a league.


def mark_tournament_finished(session: Session, now: datetime, tournament: Tournament) -> None:
    """Give everybody a final place, and mark the tournament as finished; who did not count has none."""
    save_final_places(session, tournament)
    tournament.status, tournament.finished_at, tournament.next_at = TournamentStatus.FINISHED, now, now
    session.add(tournament)


def save_final_places(session: Session, tournament: Tournament) -> None:
    """Save the final places."""
    for division in tournaments.list_divisions(session, tournament):
        places = compute_final_places(tournament, tournament_rows.build_tournament_state(session, tournament, division))
        for entry, _ in tournaments.list_entries_with_players(session, tournament, division):
            entry.place = places.get(entry.number)
            session.add(entry)


def compute_final_places(tournament: Tournament, t: TournamentState) -> dict[int, int]:
    """Compute the place in the end by number."""
    match get_format(t).build_standing(t, tournament.state, tournament.round, over=True):
        case Rungs(order):
            return {number: rung for rung, number in enumerate(order, 1)}
        case Bracket(_, places):
            return {number: place for place, number in places}
        case _:
            return compute_standings(t).get_places()


def save_final_ratings(work: UnitOfWork, tournament: Tournament) -> None:
    """Save the ratings after it, beside those from before: what ended since then does not count, but for a game of its
    own that was played again."""
    own = {row.match_id for row in tournaments.list_pairings(work.session, tournament)}
    found = compute_club_ratings(work.session, tournament.game, tournament.finished_at, own)
    for entry in tournaments.list_tournament_entries(work.session, tournament):
        rating = found.get(entry.player_id)
        entry.rated = None if rating is None else float(rating.rounded)
        work.session.add(entry)


def open_next_season(work: UnitOfWork, tournament: Tournament) -> None:
    """Open the next season: its registration is open at once, and whoever played to the end is in unless they leave.
    Not where the moderator has set one up already."""
    if tournaments.list_next_seasons(work.session, tournament):
        return
    settings = get_tournament_settings(tournament)
    following = create_next_season(
        work,
        tournament,
        build_season_name(tournament.name),
        {},
        closes_at=work.now + timedelta(days=settings.own.again_days),
    )
    following.status, following.next_at = TournamentStatus.OPEN, following.closes_at
    work.session.add(following)
    if settings.invite:
        notify.notify_invitation(work, following)


def create_next_season(
    work: UnitOfWork,
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
    if found := tournaments.list_next_seasons(work.session, tournament):
        raise OperatorError(
            f"{found[0].code} follows {tournament.code} already.", f"See `moderator cup show {found[0].code}`."
        )
    following = registration.create_tournament(
        work,
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
    for player in list_staying_players(work.session, tournament):
        registration.enter_player(work, following, player)
    return following


def list_staying_players(session: Session, tournament: Tournament) -> list[PlayerRow]:
    """List those who played to the end, the highest division first: nobody who has left, or lost most games by
    forfeit."""
    shares = {
        (division, one.number): count_finished_games(t, one.number)
        for division in tournaments.list_divisions(session, tournament)
        for t in [tournament_rows.build_tournament_state(session, tournament, division)]
        for one in t.entrants
    }
    return [
        player
        for entry, player in tournaments.list_entries_with_players(session, tournament)
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


# ---- A result that a tournament had already is another one now: what hangs on it follows, and everybody is told.


def find_correction_step(session: Session, now: datetime, tournament: Tournament) -> GameStep | None:
    """Find the first result that was corrected and that nothing has followed yet, or the judging of a game that is
    played again."""
    done = tournaments.load_done_steps(session, tournament)
    for row in tournaments.list_pairings(session, tournament):
        if results.find_replaced_result(row) is not None:
            code = "cup-corrected" if row.ruling == TournamentRuling.MODERATOR else "cup-corrected-replay"
            return GameStep(
                build_correction_stamp(session, tournament, row), partial(apply_correction, row=row, code=code)
            )
        if is_played_again(row) and (step := find_judging_step(now, row, done)):
            return step
    return None


def compute_next_correction_time(session: Session, now: datetime, tournament: Tournament) -> datetime | None:
    """Compute when a game that is played again, while its first result still holds, comes to its latest end."""
    every = filter(is_played_again, tournaments.list_pairings(session, tournament))
    return min((end for end in tournament_rows.list_latest_ends(every) if end > now), default=None)


def build_correction_stamp(session: Session, tournament: Tournament, row: TournamentGame) -> str:
    """Build the stamp of the next correction of a game: ``correct:17:1``."""
    stem = f"correct:{row.number}:"
    return f"{stem}{1 + sum(step.startswith(stem) for step in tournaments.load_done_steps(session, tournament))}"


def apply_correction(
    work: UnitOfWork, tournament: Tournament, row: TournamentGame, why: str = "", code: str = "cup-corrected"
) -> None:
    """Let rungs, places and ratings follow the corrected result; pairings stay. Everybody who takes part reads it."""
    before, done = results.mark_followed(row), tournaments.load_done_steps(work.session, tournament)
    if f"rungs:{row.number}" in done:
        tournament.state = dict(get_format(tournament).correct_result(tournament.state, tournament_rows.as_game(row)))
    work.session.add_all((row, tournament))
    work.session.flush()
    if tournament.status == TournamentStatus.FINISHED:
        save_final_places(work.session, tournament)
        if "ratings" in done:
            save_final_ratings(work, tournament)
    match = tournament_rows.find_game_match(work.session, row)
    facts = {"cup": tournament.name, "match": match.code if match else ""}
    facts |= {"before": format_game_result(work.session, row, before), "now": format_game_result(work.session, row)}
    note = Note(f"{code}-why", facts | {"line": why.rstrip(".")}) if why else Note(code, facts)
    notify.notify_corrected_result(work, tournament, [note, *_iter_unchanged_notes(work.session, tournament, row)])


def _iter_unchanged_notes(session: Session, tournament: Tournament, row: TournamentGame) -> Iterator[Note]:
    """Yield notes on what was built on the result before."""
    if get_format(tournament).in_rounds and not is_played_at_once(tournament) and row.round < tournament.round:
        yield Note("cup-corrected-pairings")
    following = tournaments.list_next_seasons(session, tournament)
    if following and following[0].round:
        yield Note("cup-corrected-season", {"cup": following[0].name})


def advance_tournament(work: UnitOfWork, tournament_id: int) -> bool:
    """Do the next step of a tournament. False = there is none now; it is asked again at ``next_at``."""
    tournament = work.session.get_one(Tournament, tournament_id)
    step = None if tournament.trouble else find_next_step(work, tournament)
    if step is None:
        tournaments.defer_tournament(
            work.session, tournament, None if tournament.trouble else compute_next_step_time(work, tournament)
        )
        return False
    try:
        with work.begin_savepoint():
            step.run(work, tournament)
            notify_match_events(work)
    except StoreError:
        raise
    except OperatorError as error:  # a game that cannot be dealt, say: its dictionary is gone
        work.progress.clear()
        report_failed_step(work, tournament.number, error)
        return False
    if not tournament.trouble:
        tournament_rows.stamp_step(work.session, tournament, step.name, work.now)
    return True


def find_next_step(work: UnitOfWork, tournament: Tournament) -> GameStep | None:
    """Find what is to be done now, if anything."""
    now = work.now
    if tournament.status == TournamentStatus.PLANNED and tournament.opens_at is not None and tournament.opens_at <= now:
        return GameStep("open", open_registration)
    if tournament.status == TournamentStatus.OPEN and tournament.closes_at is not None and tournament.closes_at <= now:
        return GameStep("close", close_registration)
    if tournament.status in (TournamentStatus.RUNNING, TournamentStatus.FINISHED) and (
        step := find_correction_step(work.session, work.now, tournament)
    ):
        return step
    if tournament.status == TournamentStatus.RUNNING:
        return (
            _find_round_step(work.session, work.now, tournament)
            if get_format(tournament).in_rounds
            else challenges.find_challenge_step(work, tournament)
        )
    if tournament.status == TournamentStatus.FINISHED:
        return _find_final_step(work.session, tournament)
    return None


def _find_round_step(session: Session, now: datetime, tournament: Tournament) -> GameStep | None:
    if tournament.round == 0:
        return GameStep("pair:1", pair_and_notify)
    games = list_begun_pairings(session, tournament)
    step = find_deal_step(session, tournament, games)
    if step is not None:
        return step
    open_, done = tournament_rows.filter_open_games(games), tournaments.load_done_steps(session, tournament)
    if open_:
        return _find_open_games_step(now, tournament, open_, done)
    if is_last_round(session, tournament):
        return GameStep("finish", finish_tournament)
    if f"report:{tournament.round}" not in done:
        return GameStep(f"report:{tournament.round}", notify.notify_round_results)
    return GameStep(f"pair:{tournament.round + 1}", pair_and_notify)


def _find_open_games_step(
    now: datetime, tournament: Tournament, open_: list[TournamentGame], done: set[str]
) -> GameStep | None:
    for row in open_:
        if step := find_judging_step(now, row, done):
            return step
    warned = compute_warning_time(tournament, open_)
    if (
        warned is not None
        and warned <= now < min(tournament_rows.list_latest_ends(open_))
        and f"warn:{tournament.round}" not in done
    ):
        return GameStep(f"warn:{tournament.round}", notify.notify_open_games)
    return None


def _find_final_step(session: Session, tournament: Tournament) -> GameStep | None:
    done = tournaments.load_done_steps(session, tournament)
    if "ratings" not in done:
        return GameStep("ratings", save_final_ratings)
    if get_format(tournament).divisions and get_tournament_settings(tournament).own.again_days and "again" not in done:
        return GameStep("again", open_next_season)
    return None


def compute_next_step_time(work: UnitOfWork, tournament: Tournament) -> datetime | None:
    """Compute when time alone will bring the next step."""
    if tournament.status == TournamentStatus.PLANNED:
        return tournament.opens_at
    if tournament.status == TournamentStatus.OPEN:
        return tournament.closes_at
    if tournament.status not in (TournamentStatus.RUNNING, TournamentStatus.FINISHED):
        return None
    found = [compute_next_correction_time(work.session, work.now, tournament)]
    if tournament.status == TournamentStatus.RUNNING:
        in_rounds = get_format(tournament).in_rounds
        found.append(
            _compute_next_round_time(work.session, work.now, tournament)
            if in_rounds
            else challenges.compute_next_challenge_time(work, tournament)
        )
    return min((moment for moment in found if moment is not None), default=None)


def _compute_next_round_time(session: Session, now: datetime, tournament: Tournament) -> datetime | None:
    open_ = tournament_rows.filter_open_games(list_begun_pairings(session, tournament))
    moments = tournament_rows.list_latest_ends(open_)
    warned = compute_warning_time(tournament, open_)
    if warned is not None:
        moments.append(warned)
    return min((moment for moment in moments if moment > now), default=None)


def compute_warning_time(tournament: Tournament, open_: list[TournamentGame]) -> datetime | None:
    """Compute when those whose games are open are warned."""
    days = get_tournament_settings(tournament).warn_days
    ends = tournament_rows.list_latest_ends(open_)
    return min(ends) - timedelta(days=days) if days and ends else None


# ---- the steps ----


def open_registration(work: UnitOfWork, tournament: Tournament) -> None:
    """Open the registration: players may join from now on."""
    tournament.status = TournamentStatus.OPEN
    work.session.add(tournament)
    if get_tournament_settings(tournament).invite:
        notify.notify_invitation(work, tournament)


def close_registration(work: UnitOfWork, tournament: Tournament) -> None:
    """Close the registration: numbers and divisions; too few are put to the moderator."""
    registration.fill_free_places(work, tournament)
    settings = get_tournament_settings(tournament)
    here = tournament_rows.count_taken_places(work.session, tournament)
    if here < settings.least:
        report_trouble(
            work, tournament, Note("cup-too-few", {"cup": tournament.code, "count": here, "least": settings.least})
        )
        return
    registration.assign_entrant_numbers(work.session, tournament)
    tournament.status = TournamentStatus.RUNNING
    if get_format(tournament).pairs_by_table:  # who comes later does not make it longer
        tournament.settings = {
            **tournament.settings,
            "rounds": tournament_rows.build_tournament_state(work.session, tournament).rounds,
        }
    if not get_format(tournament).in_rounds:
        challenges.begin_challenges(work, tournament)
    work.session.add(tournament)


def pair_and_notify(work: UnitOfWork, tournament: Tournament) -> None:
    """Pair the next round with its mails; a round that cannot be paired is put to the moderator."""
    try:
        pairing.pair_next_round(work, tournament)
    except OperatorError as error:
        report_trouble(
            work, tournament, Note("cup-no-pairing", {"cup": tournament.code, "why": str(error), "fix": error.hint})
        )
        return
    notify.notify_pairings(work, tournament)


def finish_tournament(work: UnitOfWork, tournament: Tournament) -> None:
    """Finish the tournament after its last game: places, and the final report."""
    mark_tournament_finished(work.session, work.now, tournament)
    notify.notify_tournament_end(work, tournament)


def report_trouble(work: UnitOfWork, tournament: Tournament, note: Note) -> None:
    """Mark that the step cannot be done, and waits for the moderator."""
    tournament.trouble = note.code
    work.session.add(tournament)
    notify_chief(work, note)


def report_failed_step(work: UnitOfWork, tournament_id: int, error: Exception) -> None:
    """Report a step that cannot be done, by a fault of ours or of the club's: the tournament stays where it is until
    the moderator has looked."""
    tournament = work.session.get_one(Tournament, tournament_id)
    tournament.next_at = None
    reason = str(error) if isinstance(error, OperatorError) else f"{type(error).__name__}: {error}"
    key_values.save_value(work.session, key_values.build_failure_key(tournament.code), reason[:500])
    report_trouble(work, tournament, Note("cup-failed", {"cup": tournament.code, "reason": reason}))


def clear_trouble(work: UnitOfWork, tournament: Tournament) -> None:
    """Let the step be tried again, because the moderator has done something about it."""
    tournament.trouble, tournament.next_at = "", work.now
    work.session.add(tournament)
