"""The moderator's decisions about a tournament: when it begins and ends, what cannot go by itself.

They change rows and queue mails in the transaction at hand; what follows from them is done by tick (steps.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from moderator.common.enums import EntryState, MatchStatus, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.rules.game import Note
from moderator.rules.time.calendar import resolve_local_hour
from moderator.service.create import get_match, get_player
from moderator.service.match import halt
from moderator.service.tournaments import game_rulings, notify, pairing, registration, results, steps
from moderator.store import tournaments
from moderator.store.database import Session
from moderator.store.tables import PlayerRow, Tournament, TournamentEntry
from moderator.tournaments.field import Game, TournamentState
from moderator.tournaments.formats import get_format
from moderator.tournaments.standings import count_finished_games
from moderator.views import tournament_rows
from moderator.views.people import UnclearName, resolve_name_index
from moderator.views.tournament_rows import (
    drop_foreign_settings,
    encode_tournament_settings,
    find_tournament_game,
    get_tournament_settings,
    is_played_at_once,
    list_begun_pairings,
)
from moderator.views.unit_of_work import UnitOfWork

LONGEST = 366


def require_status(tournament: Tournament, *states: TournamentStatus) -> None:
    """Require one of these states. Raises OperatorError for a tournament that is in none of ``states``."""
    if tournament.status not in states:
        hints = {
            TournamentStatus.PLANNED: f"`moderator cup open {tournament.code}` opens the registration.",
            TournamentStatus.OPEN: f"`moderator cup start {tournament.code}` ends the registration.",
        }
        hint = hints.get(tournament.status, f"See `moderator cup show {tournament.code}`.")
        raise OperatorError(f"Tournament {tournament.code} is {tournament.status}.", hint)


def open_registration_now(work: UnitOfWork, tournament: Tournament, until: datetime | None = None) -> None:
    """Open the registration with the next tick, or prolong it; entrants are notified of a new end. Raises
    OperatorError."""
    require_status(tournament, TournamentStatus.PLANNED, TournamentStatus.OPEN)
    if tournament.status == TournamentStatus.OPEN and until is None:
        raise OperatorError(f"The registration of {tournament.code} is open already.", "--until DATE prolongs it.")
    ends = until or tournament.closes_at
    if ends is not None and ends <= work.now:
        raise OperatorError("The registration would be over at once.", "Name a later --until.")
    if tournament.status == TournamentStatus.PLANNED:
        tournament.opens_at = work.now
    elif tournament.closes_at != ends:
        _notify_all_entrants(work, tournament, Note("cup-prolonged", {"cup": tournament.name, "until": ends}))
    tournament.closes_at = ends
    steps.clear_trouble(work, tournament)


def start_tournament_now(work: UnitOfWork, tournament: Tournament, anyway: bool = False) -> int:
    """End the registration with the next tick; returns how many take part. ``anyway``: even if they are fewer than
    ``least``, which is lowered then. Raises OperatorError for too few."""
    require_status(tournament, TournamentStatus.PLANNED, TournamentStatus.OPEN)
    settings = get_tournament_settings(tournament)
    count = count_expected_entrants(work.session, tournament)
    if count < 2:
        raise OperatorError(
            f"{tournament.code} has {count} entrants; nobody could play.", "`moderator cup join` enters some."
        )
    if count < settings.least:
        if not anyway:
            few = f"{tournament.code} has {count} entrants, fewer than least = {settings.least}."
            raise OperatorError(few, "--anyway begins all the same.")
        tournament.settings = encode_tournament_settings(replace(settings, least=count))
    tournament.status, tournament.closes_at = TournamentStatus.OPEN, work.now
    steps.clear_trouble(work, tournament)
    return count


def count_expected_entrants(session: Session, tournament: Tournament) -> int:
    """Count how many would take part if it began now: who is in, and who moves up from the standby list."""
    taken, waiting = (
        tournament_rows.count_taken_places(session, tournament),
        len(tournament_rows.list_standby_entries(session, tournament)),
    )
    most = get_tournament_settings(tournament).most
    return min(taken + waiting, max(most, taken)) if most else taken + waiting


def preview_next_round(work: UnitOfWork, tournament: Tournament) -> dict[int, tuple[TournamentState, Sequence[Game]]]:
    """Preview by division the tournament and the games that the next round would have; nothing changes. Before the
    start: if it began now. Raises OperatorError, also where there is no next round."""
    require_status(tournament, TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)
    if tournament.round and is_played_at_once(tournament):
        raise OperatorError(
            f"All games of {tournament.code} are paired.", f"See `moderator cup show {tournament.code}`."
        )
    settings = get_tournament_settings(tournament)
    found: dict[int, tuple[TournamentState, Sequence[Game]]] = {}
    with work.begin_trial() as apart:
        if tournament.status != TournamentStatus.RUNNING:
            registration.move_up_standby(apart.session, tournament)
            apart.session.flush()
            registration.assign_entrant_numbers(apart.session, tournament)
        for division in tournaments.list_divisions(work.session, tournament):
            t = tournament_rows.build_tournament_state(work.session, tournament, division)
            if tournament.round and tournament.round >= t.rounds and get_format(tournament).in_rounds:
                raise OperatorError(
                    f"Round {tournament.round} is the last one of {tournament.code}.", "Nothing comes after it."
                )
            laid_out = get_format(tournament).laid_out and tournament.round
            games = t.games if laid_out else pairing.plan_round(tournament, settings, t, tournament.round + 1, division)
            found[division] = (
                t,
                [game for game in games if is_played_at_once(tournament) or game.round == tournament.round + 1],
            )
    return found


def pair_round_by_hand(
    work: UnitOfWork, tournament: Tournament, *, rematches: bool = False, byes: Sequence[str] = ()
) -> int:
    """Pair the next round of a Swiss tournament by the moderator's word: with rematches, with byes for the named.
    Returns its number. Raises OperatorError."""
    require_status(tournament, TournamentStatus.RUNNING)
    if not get_format(tournament).pairs_by_table or tournament.trouble != "cup-no-pairing":
        raise OperatorError(
            f"Nothing of {tournament.code} waits for your word: tick pairs its rounds.",
            f"`moderator cup pair {tournament.code} --dry-run` shows the next one.",
        )
    t = tournament_rows.build_tournament_state(work.session, tournament)
    pairing.pair_next_round(
        work, tournament, rematches=rematches, byes=[_resolve_entrant_number(t, name) for name in byes]
    )
    tournament_rows.stamp_step(work.session, tournament, f"pair:{tournament.round}", work.now)
    notify.notify_pairings(work, tournament)
    steps.clear_trouble(work, tournament)
    return tournament.round


def _resolve_entrant_number(t: TournamentState, name: str) -> int:
    there = [one for one in t.entrants if one.left is None]
    try:
        return there[resolve_name_index(name, [one.name for one in there])].number
    except UnclearName as error:
        close = f"Did you mean {', '.join(error.names)}?" if error.names else "`moderator cup show` lists the entrants."
        raise OperatorError(f"{name!r} does not play in this tournament.", close) from None


def retry_troubled_step(work: UnitOfWork, tournament: Tournament) -> None:
    """Let tick try the step once more that the moderator was asked about. Raises OperatorError if there is none."""
    if not tournament.trouble:
        raise OperatorError(
            f"Nothing of {tournament.code} waits for your word.", f"See `moderator cup show {tournament.code}`."
        )
    steps.clear_trouble(work, tournament)


def end_after_round(work: UnitOfWork, tournament: Tournament) -> None:
    """End a Swiss tournament with the round that was paired last. Raises OperatorError."""
    require_status(tournament, TournamentStatus.RUNNING)
    if not get_format(tournament).pairs_by_table or not tournament.round:
        why = "is no Swiss tournament" if not get_format(tournament).pairs_by_table else "has not played a round"
        raise OperatorError(
            f"{tournament.code} {why}.", f"`moderator cup cancel {tournament.code}` ends it without a winner."
        )
    tournament.settings = {**drop_foreign_settings(tournament.settings, tournament.format), "rounds": tournament.round}
    steps.clear_trouble(work, tournament)


def adjudicate_game(
    work: UnitOfWork, tournament: Tournament, code: str, text: str, reopen: bool = False, why: str = ""
) -> tuple[list[str], bool]:
    """Give the game of match ``code`` the result ``text`` (see ``judging.parse_game_result``), running or over; a
    running match ends by it. What hangs on a result that it had follows, and all are told ``why``. Returns the names in
    seat order, and whether ratings move although nobody has moved. Raises OperatorError, without ``reopen`` also where
    the result has led to something that stays: the next round of a knock-out, the rungs of a ladder, the end of the
    tournament."""
    require_status(tournament, TournamentStatus.RUNNING, TournamentStatus.FINISHED)
    match = get_match(work.session, code)
    row = find_tournament_game(work.session, match) if match.tournament_id == tournament.number else None
    if row is None:
        raise OperatorError(
            f"Match {match.code} is no game of {tournament.code}.",
            f"`moderator cup show {tournament.code}` lists its open games.",
        )
    names = [player.name for player in work.list_players(match)]
    result = game_rulings.parse_game_result(text, len(row.seats))
    unplayed = match.status != MatchStatus.OPEN and not halt.count_people_moves(work, match)
    game_rulings.rule_on_game(work, tournament, row, result, reopen)
    if results.find_replaced_result(row) is not None:
        stamp = steps.build_correction_stamp(work.session, tournament, row)
        steps.apply_correction(work, tournament, row, why)
        tournament_rows.stamp_step(work.session, tournament, stamp, work.now)
    return names, unplayed and not result.forfeits


def extend_open_games(work: UnitOfWork, tournament: Tournament, longer: int | date) -> datetime:
    """Put off the latest end of all open games, by days or to a day; everybody is notified, and those who still play
    are warned anew. Returns the new end (the last one). Raises OperatorError."""
    require_status(tournament, TournamentStatus.RUNNING)
    zone = ZoneInfo(work.config.club.zone)
    limited = [
        (row, row.ends_at.astimezone(zone))
        for row in tournament_rows.filter_open_games(list_begun_pairings(work.session, tournament))
        if row.ends_at is not None
    ]
    if not limited:
        raise OperatorError(f"No game of {tournament.code} is open.", f"See `moderator cup show {tournament.code}`.")
    latest = max(end for _, end in limited)
    days = (longer - latest.date()).days if isinstance(longer, date) else longer
    if isinstance(longer, date) and days < 1:
        raise OperatorError(f"{longer} is not later than the latest end, {latest:%Y-%m-%d}.", "Name a later day.")
    if not 1 <= days <= LONGEST:
        raise OperatorError(f"{days} days cannot be.", f"Possible: 1 to {LONGEST}.")
    for row, end in limited:
        last = longer if isinstance(longer, date) else end.date() + timedelta(days=days)
        row.ends_at = resolve_local_hour(last, end.hour, zone, end.minute)
        work.session.add(row)
    until = max(row.ends_at for row, _ in limited if row.ends_at is not None)
    tournaments.forget_tournament_step(work.session, tournament, f"warn:{tournament.round}")
    work.session.flush()
    _notify_all_entrants(work, tournament, Note("cup-extended", {"cup": tournament.name, "until": until}))
    tournament.next_at = work.now
    work.session.add(tournament)
    return until


def require_cancellable(session: Session, tournament: Tournament) -> None:
    """Require a tournament that can be cancelled. Raises OperatorError for one that was played here to its end, or is
    cancelled."""
    if (
        "import" not in tournaments.load_done_steps(session, tournament)
        or tournament.status != TournamentStatus.FINISHED
    ):
        require_status(tournament, TournamentStatus.PLANNED, TournamentStatus.OPEN, TournamentStatus.RUNNING)


def cancel_tournament(work: UnitOfWork, tournament: Tournament) -> list[str]:
    """End it without a result: its running matches go on as ordinary ones, everybody is notified. Returns their codes.
    One that was imported leaves the archive, of which nobody was notified either. Raises OperatorError for one that is
    over."""
    require_cancellable(work.session, tournament)
    running = release_open_games(work.session, tournament)
    if tournament.status != TournamentStatus.FINISHED:
        _notify_all_entrants(
            work, tournament, Note("cup-cancelled-games" if running else "cup-cancelled", {"cup": tournament.name})
        )
    tournament.status, tournament.trouble, tournament.finished_at, tournament.next_at = (
        TournamentStatus.CANCELLED,
        "",
        work.now,
        None,
    )
    work.session.add(tournament)
    return running


def finish_endless_tournament(work: UnitOfWork, tournament: Tournament, anyway: bool = False) -> list[str]:
    """End a tournament that never ends by itself as it stands, with its final report. ``anyway``: games that still run
    go on as ordinary ones; returns their codes. Raises OperatorError."""
    require_status(tournament, TournamentStatus.RUNNING)
    if not get_format(tournament).endless:
        swiss = f"`moderator cup pair {tournament.code} --end` ends it with this round."
        other = f"`moderator cup cancel {tournament.code}` breaks it off."
        hint = swiss if get_format(tournament).pairs_by_table else other
        raise OperatorError(f"{tournament.code} ends by itself with its last game.", hint)
    open_ = tournament_rows.filter_open_games(tournaments.list_pairings(work.session, tournament))
    if open_ and not anyway:
        still = ", ".join(game_rulings.list_open_match_codes(work.session, open_))
        raise OperatorError(
            f"Games of {tournament.code} still run: {still}.", "--anyway ends it; they go on as ordinary ones."
        )
    codes = release_open_games(work.session, tournament)
    steps.finish_tournament(work, tournament)
    tournament_rows.stamp_step(work.session, tournament, "finish", work.now)
    return codes


def release_open_games(session: Session, tournament: Tournament) -> list[str]:
    """Take the open games out of the tournament: running matches become ordinary ones (their codes are returned), those
    that nobody has seen yet are deleted."""
    codes = []
    for row in tournament_rows.filter_open_games(tournaments.list_pairings(session, tournament)):
        match = tournament_rows.find_game_match(session, row)
        if match is not None and match.status == MatchStatus.OPEN:
            game_rulings.remove_undealt_match(session, row, match)
        elif match is not None:
            codes.append(match.code)
            halt.release_from_tournament(match)
        row.match_id = None
        session.add(row)
    session.flush()
    return codes


def _notify_all_entrants(work: UnitOfWork, tournament: Tournament, note: Note) -> None:
    """Notify everybody who takes part or waits to."""
    to = [
        player
        for entry, player in tournaments.list_entries_with_players(work.session, tournament)
        if entry.state != EntryState.WITHDRAWN
    ]
    notify.notify_about_tournament(work, tournament, "news", to, [note])


# ---- somebody is taken out ----
#
# Somebody leaves a tournament by the moderator's word: what it would mean, and doing it.


@dataclass(frozen=True)
class EntrantWithdrawal:
    name: str
    open: int
    """Games that are given up."""
    void: bool = False
    """Of a round robin: fewer than half of the games are finished, so that none of them counts."""


def preview_withdrawal(session: Session, tournament: Tournament, name: str) -> EntrantWithdrawal:
    """Preview what taking the player out would mean. Raises OperatorError for someone who is not in it."""
    return _build_withdrawal(session, tournament, *_get_active_entry(session, tournament, name))


def _build_withdrawal(
    session: Session, tournament: Tournament, entry: TournamentEntry, player: PlayerRow
) -> EntrantWithdrawal:
    if tournament.status != TournamentStatus.RUNNING or entry.state != EntryState.IN:
        return EntrantWithdrawal(player.name, 0)
    games = tournament_rows.filter_open_games(tournaments.list_pairings(session, tournament, entry.division))
    count = sum(entry.number in game.seats for game in games)
    done, total = count_finished_games(
        tournament_rows.build_tournament_state(session, tournament, entry.division), entry.number
    )
    return EntrantWithdrawal(player.name, count, get_format(tournament).round_robin and 2 * done < total)


def take_out_entrant(work: UnitOfWork, tournament: Tournament, name: str) -> EntrantWithdrawal:
    """Take the player out of the tournament; the player is notified. Raises OperatorError for someone who is not in
    it."""
    entry, player = _get_active_entry(work.session, tournament, name)
    coming = _build_withdrawal(work.session, tournament, entry, player)
    game_rulings.withdraw_player(work, tournament, entry, player)
    notify.notify_about_tournament(
        work, tournament, "news", [player], [Note("cup-taken-out", {"cup": tournament.name})]
    )
    return coming


def _get_active_entry(session: Session, tournament: Tournament, name: str) -> tuple[TournamentEntry, PlayerRow]:
    player = get_player(session, name)
    entry = tournaments.find_tournament_entry(session, tournament, player)
    if (
        entry is None
        or entry.state == EntryState.WITHDRAWN
        or tournament.status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)
    ):
        raise OperatorError(
            f"{player.name} does not play in {tournament.code}.", f"See `moderator cup show {tournament.code}`."
        )
    return entry, player
