"""What a tournament does with a single game: it is dealt, and if it is not played to its end adjudicated at the latest
end of its round, ruled by the moderator, or given up by who withdraws."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import partial

from moderator import games
from moderator.common.enums import EntryState, GameKind, MatchStatus, SeatLeftReason, TournamentRuling, TournamentStatus
from moderator.common.errors import OperatorError
from moderator.rules.ending import compute_stopped_scores
from moderator.rules.game import Note
from moderator.service.match.match import Match
from moderator.service.match.start import start_match
from moderator.service.notifications import notify_chief
from moderator.service.tournaments import registration, results
from moderator.store import matches, tournaments
from moderator.store.database import Session
from moderator.store.tables import MatchRow, PlayerRow, Tournament, TournamentEntry, TournamentGame
from moderator.tournaments.field import Result, compute_place_points, compute_shared_places, decide_by_absence
from moderator.tournaments.formats import get_format
from moderator.views import tournament_rows
from moderator.views.loaded_match import MatchSuspended
from moderator.views.tournament_rows import get_tournament_settings, is_played_again
from moderator.views.unit_of_work import UnitOfWork


@dataclass(frozen=True)
class GameStep:
    """A step to do next; ``name`` is its stamp."""

    name: str
    run: Callable[[UnitOfWork, Tournament], None]


def find_deal_step(session: Session, tournament: Tournament, games: list[TournamentGame]) -> GameStep | None:
    """Find the next pairing whose match is not dealt yet."""
    waiting = [row for row in tournament_rows.filter_open_games(games) if row.match_id is not None]
    undealt = tournaments.load_undealt_match_ids(session, tournament) if waiting else set()
    for row in waiting:
        if row.match_id in undealt:
            match = session.get_one(MatchRow, row.match_id)
            return GameStep(f"deal:{row.number}", partial(deal_game, match=match))
    return None


def deal_game(work: UnitOfWork, tournament: Tournament, match: MatchRow) -> None:
    """Begin a match."""
    start_match(work, match)


def find_judging_step(now: datetime, row: TournamentGame, done: Container[str]) -> GameStep | None:
    """Find the judging of an open game whose latest end has come; once for each latest end that it had."""
    if row.ends_at is None or row.ends_at > now:
        return None
    name = f"judge:{row.number}:{row.ends_at:%Y-%m-%dT%H:%M}"
    return None if name in done else GameStep(name, partial(judge_game, row=row))


def judge_game(work: UnitOfWork, tournament: Tournament, row: TournamentGame) -> None:
    """Judge a game whose latest end has come."""
    if not end_by_score(work, tournament, row):
        match = tournament_rows.find_game_match(work.session, row)
        notify_chief(work, Note("cup-judge", {"cup": tournament.code, "match": match.code if match else "?"}))


def end_by_score(work: UnitOfWork, tournament: Tournament, row: TournamentGame) -> bool:
    """End the game of ``row`` as it stands; its score, less what is on the racks, counts. False = only the moderator
    can say what it is worth."""
    match = tournament_rows.find_game_match(work.session, row)
    if (
        match is None
        or match.status != MatchStatus.RUNNING
        or get_tournament_settings(tournament).adjudicate != "score"
    ):
        return False
    try:
        playing = Match.load(work, match)
    except MatchSuspended:
        return False
    if compute_stopped_scores(playing.live.game, playing.live.table) is None:
        return False
    if (
        playing.live.table.is_simultaneous
        and any(playing.live.has_submitted(seat) for seat in playing.live.seats_to_act)
        and not match.held
    ):
        playing.evaluate_round()  # what was sent in time counts
        if playing.live.table.state.over:
            playing.advance_match()
            return True
    row.ruling = TournamentRuling.SCORE
    work.session.add(row)
    work.events_of(match).notes.append(Note("cup-adjudicated", {"cup": tournament.name}))
    playing.stop_match()
    return True


_TWO = re.compile(r"^(1|0|=|½|1/2|0[.,]5|\+|-)\s*[-–:]\s*(1|0|=|½|1/2|0[.,]5|\+|-)$")
_POINTS = {"1": Fraction(1), "0": Fraction(0), "+": Fraction(1), "-": Fraction(0)}


def parse_game_result(text: str, seats: int) -> Result:
    """Parse ``1-0``, ``½-½``, ``0-1``, ``+--`` of two seats; else scores in seat order: ``310:250`` or ``80 70 70``.
    Raises OperatorError."""
    text = text.strip()
    two = _TWO.match(text)
    if two and seats == 2:
        points = tuple(_POINTS.get(one, Fraction(1, 2)) for one in two.groups())
        lost = frozenset(seat for seat, one in enumerate(two.groups()) if one == "-")
        order = compute_shared_places([int(2 * one) for one in points])
        return Result((0, 0), points, order, lost)
    scores = [int(one) for one in re.split(r"[\s:;,]+", text) if re.fullmatch(r"-?\d{1,6}", one)]
    if len(scores) != seats or len(re.split(r"[\s:;,]+", text)) != seats:
        example = "1-0, ½-½, 0-1 or 310:250" if seats == 2 else ":".join("100" for _ in range(seats))
        raise OperatorError(f"{text!r} is no result for {seats} seats.", f"Write {example}, in seat order.")
    return Result(tuple(scores), compute_place_points(scores), compute_shared_places(scores))


def rule_on_game(
    work: UnitOfWork, tournament: Tournament, row: TournamentGame, result: Result, reopen: bool = False
) -> None:
    """Enter the moderator's word on a game, running or finished. Raises OperatorError where something that stays was
    built on the result that it has, but for ``reopen``."""
    if not (reopen or is_played_again(row) or results.can_change_result(work.session, row)):
        why = f"is {tournament.status}" if tournament.status != TournamentStatus.RUNNING else "has gone on"
        raise OperatorError(
            f"{tournament.code} {why} with the result of this game.",
            "--reopen corrects it all the same: table, places, rungs and ratings follow, pairings stay, all are told.",
        )
    kind = GameKind.FORFEIT if result.forfeits else GameKind.GAME
    results.record_game_result(work.session, row, result, kind, TournamentRuling.MODERATOR)
    match = tournament_rows.find_game_match(work.session, row)
    if match is not None and match.status == MatchStatus.RUNNING:
        playing = Match.load(work, match)
        work.events_of(match).notes.append(Note("cup-ruled", {"cup": tournament.name}))
        playing.stop_match()
    elif match is not None and match.status in (MatchStatus.OPEN, MatchStatus.SUSPENDED):
        remove_undealt_match(work.session, row, match)
    tournament.next_at = work.now
    work.session.add(tournament)


def withdraw_player(work: UnitOfWork, tournament: Tournament, entry: TournamentEntry, player: PlayerRow) -> int:
    """Withdraw ``player``: before the start without a trace, later all open games of theirs in it are given up. Returns
    how many those were. Raises OperatorError for someone who is not in it."""
    if entry.state == EntryState.WITHDRAWN or tournament.status in (
        TournamentStatus.FINISHED,
        TournamentStatus.CANCELLED,
    ):
        raise OperatorError(
            f"{player.name} does not play in {tournament.code} (any more).", "See `moderator cup show`."
        )
    waited = entry.state == EntryState.STANDBY
    entry.state = EntryState.WITHDRAWN
    if tournament.status == TournamentStatus.RUNNING and not waited:
        entry.left = tournament.round + 1
    work.session.add(entry)
    tournament.next_at = work.now
    work.session.add(tournament)
    work.session.flush()
    if not waited:
        registration.fill_free_places(work, tournament)
    if waited or not entry.number:
        return 0
    tournament_rows.save_format_state(
        work, tournament, get_format(tournament).remove_entrant(tournament.state, entry.number)
    )
    mine = [
        row
        for row in tournament_rows.filter_open_games(
            tournaments.list_pairings(work.session, tournament, entry.division)
        )
        if entry.number in row.seats
    ]
    for row in mine:
        _give_up_game(work, row, entry.number)
    return len(mine)


def _give_up_game(work: UnitOfWork, row: TournamentGame, number: int) -> None:
    match = tournament_rows.find_game_match(work.session, row)
    if match is not None and match.status == MatchStatus.RUNNING:
        playing = Match.load(work, match)
        seat = row.seats.index(number)
        if seat not in playing.live.table.out:
            playing.retire_seat(seat, SeatLeftReason.RESIGNED)
        return
    if (
        match is not None
        and match.status == MatchStatus.OPEN
        and len(row.seats) > max(2, games.load_game(match.game).min_seats)
    ):
        _remove_undealt_seat(work, row, match, number)
        return
    game = decide_by_absence(tournament_rows.as_game(row), [number])
    assert game.result is not None
    row.result, row.kind = game.result.to_json(), GameKind.FORFEIT
    if match is not None:
        remove_undealt_match(work.session, row, match)
    work.session.add(row)


def _remove_undealt_seat(work: UnitOfWork, row: TournamentGame, match: MatchRow, number: int) -> None:
    """Remove one seat of a table that was not dealt yet."""
    gone = row.seats.index(number)
    row.seats = [other for other in row.seats if other != number]
    work.session.add(row)
    matches.delete_seats(work.session, match.number, gone)
    for seat, _ in work.list_seated(match):
        if seat.number > gone:
            seat.number -= 1
            work.session.add(seat)
    work.session.flush()
    work.forget_seats(match)


def remove_undealt_match(session: Session, row: TournamentGame, match: MatchRow) -> None:
    """Delete a match that nobody has seen yet; one that is suspended stays for the operator to look at."""
    if match.status != MatchStatus.OPEN:
        return
    row.match_id = None
    session.add(row)
    session.flush()
    matches.delete_seats(session, match.number)
    session.delete(match)


def list_open_match_codes(session: Session, open_: Sequence[TournamentGame]) -> list[str]:
    """List the codes of the matches, for the moderator's notice."""
    found = [tournament_rows.find_game_match(session, row) for row in open_]
    return [match.code for match in found if match is not None]
