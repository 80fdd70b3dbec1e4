"""Who is missing in a match, for whoever decides about it: by the status of the seats, as the clock and all mails have
it; for which time, and what it would cost."""

from __future__ import annotations

from typing import Any

from moderator.common.enums import MatchStatus
from moderator.rules.silence import SeatStatus
from moderator.rules.time.calendar import to_local_day
from moderator.service.match.match import has_missed_enough
from moderator.store.tables import MatchRow
from moderator.views.loaded_match import LiveMatch, MatchSuspended, get_status_in_match
from moderator.views.match_state import AwaitedSeats
from moderator.views.unit_of_work import UnitOfWork


def list_missing_seats(work: UnitOfWork, match: MatchRow, live: LiveMatch) -> dict[int, dict[str, Any]]:
    """Return the seats of people whose move is missing: each as a code with its parameters, as notes have them."""
    players, found = work.list_players(match), {}
    for seat in live.seats_awaited:
        status = get_status_in_match(match, live, seat)
        if status.is_wanted and not players[seat].robot:
            facts = {"name": players[seat].name, "match": match.code, "title": f"{match.name} ({match.code})"}
            found[seat] = {
                "code": _choose_code(live, seat, status),
                "count": live.ledger.seats[seat].missed + 1,
                **facts,
            }
    return found


def list_missing_today(work: UnitOfWork, match: MatchRow) -> dict[int, dict[str, Any]]:
    """Return the same of those who will miss the deadline of this day; of a match with another one nobody."""
    zone = work.config.club.zone
    if match.status != MatchStatus.RUNNING or match.deadline is None or match.held or match.stopped or match.training:
        return {}
    if not work.now < match.deadline or to_local_day(match.deadline, zone) != work.today:
        return {}
    try:
        live = work.cache.load_readonly(work.session, match)
    except MatchSuspended:
        return {}
    plans = AwaitedSeats(work, match, live).build_schedules()
    return {
        seat: said
        for seat, said in list_missing_seats(work, match, live).items()
        if seat in plans and to_local_day(plans[seat].final, zone) == work.today
    }


def loses_seat(live: LiveMatch, seat: int) -> bool:
    """Return whether the seat is given up if its player sends nothing this time either."""
    return seat in live.seats_unresponsive and has_missed_enough(live, seat, more=1)


def _choose_code(live: LiveMatch, seat: int, status: SeatStatus) -> str:
    if status is SeatStatus.ILLEGAL:
        return "missing-illegal"
    code = "missing-lost" if loses_seat(live, seat) else "missing-seat"
    return code if live.ledger.seats[seat].missed else f"{code}-first"
