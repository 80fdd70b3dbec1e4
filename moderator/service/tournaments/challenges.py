"""Tournaments without rounds: challenges, answers, the games between two who have agreed, and the rungs after them.

What a challenge may be and what follows from it is the format's to say."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour
from moderator.service.tournaments import notify, pairing
from moderator.service.tournaments.game_rulings import GameStep, find_deal_step, find_judging_step
from moderator.store import tournaments
from moderator.store.tables import PlayerRow, Tournament, TournamentGame
from moderator.tournaments.field import Game, draw_lot
from moderator.tournaments.formats import get_format
from moderator.tournaments.formats.contract import Asked
from moderator.views import tournament_rows
from moderator.views.tournament_rows import (
    compute_latest_end,
    find_numbers_on_leave,
    get_tournament_settings,
    save_format_state,
)
from moderator.views.unit_of_work import UnitOfWork


def begin_challenges(work: UnitOfWork, tournament: Tournament) -> None:
    """Begin: everybody reads how it stands."""
    numbers = [
        entry.number for entry, _ in tournaments.list_entries_with_players(work.session, tournament) if entry.number
    ]
    tournament.round = 1
    save_format_state(work, tournament, get_format(tournament).begin(numbers, get_tournament_settings(tournament)))
    work.session.flush()
    notify.notify_about_tournament(
        work,
        tournament,
        "table",
        notify.list_tournament_players(work.session, tournament),
        [Note("cup-ladder-begins", {"cup": tournament.name})],
    )


def find_waiting_challenge(tournament: Tournament, challenged: int) -> Asked | None:
    """Find the challenge that waits for an answer of ``challenged``."""
    every = get_format(tournament).list_challenges(tournament.state)
    return next((one for one in every if one.challenged == challenged and not one.accepted), None)


def challenge_entrant(work: UnitOfWork, tournament: Tournament, challenger: int, challenged: int) -> Asked:
    """Ask for a game; the other one gets a mail. Raises Illegal, see ``Format.challenge``."""
    away = find_numbers_on_leave(work, tournament)
    now = get_format(tournament).challenge(tournament.state, challenger, challenged, work.today, away)
    save_format_state(work, tournament, now)
    made = next(one for one in get_format(tournament).list_challenges(now) if one.challenger == challenger)
    who = tournament_rows.load_numbered_players(work.session, tournament, 1)
    _notify_challenge(work, tournament, who[challenged], "cup-challenged", who[challenger], made.until)
    return made


def accept_ladder_game(work: UnitOfWork, tournament: Tournament, challenged: int) -> TournamentGame:
    """Accept the challenge: the game is to be played; it is dealt by the next step. Raises
    Illegal("ladder-no-challenge")."""
    now = get_format(tournament).accept(tournament.state, challenged, work.today)
    save_format_state(work, tournament, now)
    taken = next(
        one for one in get_format(tournament).list_challenges(now) if one.challenged == challenged and one.accepted
    )
    who = tournament_rows.load_numbered_players(work.session, tournament, 1)
    _notify_challenge(work, tournament, who[taken.challenger], "cup-accepted", who[challenged])
    number = 1 + len(tournaments.list_pairings(work.session, tournament))
    seats = (taken.challenger, taken.challenged)
    if draw_lot(int(tournament.seed), "starts", number) % 2:
        seats = seats[::-1]
    ends_at = compute_latest_end(work.config, tournament, work.now)
    return pairing.create_tournament_games(work, tournament, 1, [Game(number, 1, seats)], ends_at)[0]


def refuse_ladder_game(work: UnitOfWork, tournament: Tournament, challenged: int) -> None:
    """Refuse the challenge, at the price that the format has for it. Raises Illegal("ladder-no-challenge")."""
    gone = find_waiting_challenge(tournament, challenged)
    save_format_state(work, tournament, get_format(tournament).refuse(tournament.state, challenged, work.today))
    assert gone is not None, "or refuse would have raised"
    who = tournament_rows.load_numbered_players(work.session, tournament, 1)
    _notify_challenge(work, tournament, who[gone.challenger], "cup-refused", who[gone.challenged])
    if gone.costs:
        _notify_challenge(work, tournament, who[gone.challenged], "cup-refused-cost", who[gone.challenger])


def _notify_challenge(
    work: UnitOfWork, tournament: Tournament, to: PlayerRow, code: str, other: PlayerRow, until: date | None = None
) -> None:
    facts = {"cup": tournament.name, "code": tournament.code, "name": other.name} | ({"until": until} if until else {})
    notify.notify_about_tournament(work, tournament, "table", [to], [Note(code, facts)])


# ---- in tick ----


def find_challenge_step(work: UnitOfWork, tournament: Tournament) -> GameStep | None:
    """Find what is to be done now, as ``steps.find_next_step`` has it."""
    games = tournaments.list_pairings(work.session, tournament)
    done = tournaments.load_done_steps(work.session, tournament)
    dealt = find_deal_step(work.session, tournament, games)
    if dealt is not None:
        return dealt
    for row in games:
        if row.result is not None and f"rungs:{row.number}" not in done:
            return GameStep(f"rungs:{row.number}", partial(settle_challenge_game, row=row))
        if row.result is None and (step := find_judging_step(work.now, row, done)):
            return step
    late = next(
        (one for one in get_format(tournament).list_challenges(tournament.state) if one.is_late(work.today)), None
    )
    if late is not None:
        name = f"unanswered:{late.challenger}:{late.challenged}:{late.made}"
        return GameStep(name, partial(refuse_unanswered, late=late))
    return None


def settle_challenge_game(work: UnitOfWork, tournament: Tournament, row: TournamentGame) -> None:
    """Write down how the tournament stands after a game that is over; both read it."""
    now = get_format(tournament).apply_result(tournament.state, tournament_rows.as_game(row), work.today)
    if now is None:  # one of them has left
        return
    save_format_state(work, tournament, now)
    who = tournament_rows.load_numbered_players(work.session, tournament, 1)
    notify.notify_about_tournament(
        work, tournament, "table", [who[number] for number in row.seats], [Note("cup-rungs", {"cup": tournament.name})]
    )


def refuse_unanswered(work: UnitOfWork, tournament: Tournament, late: Asked) -> None:
    """Count a challenge as refused that nobody has answered in time."""
    refuse_ladder_game(work, tournament, late.challenged)


def compute_next_challenge_time(work: UnitOfWork, tournament: Tournament) -> datetime | None:
    """Compute when time alone will bring the next step: a challenge lapses, or a game comes to its latest end."""
    zone = ZoneInfo(work.config.club.zone)
    moments = [
        row.ends_at
        for row in tournament_rows.filter_open_games(tournaments.list_pairings(work.session, tournament))
        if row.ends_at is not None
    ]
    asked = get_format(tournament).list_challenges(tournament.state)
    moments += [resolve_local_hour(one.until + timedelta(days=1), 0, zone) for one in asked if not one.accepted]
    return min((moment for moment in moments if moment > work.now), default=None)
