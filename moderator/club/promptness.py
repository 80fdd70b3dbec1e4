"""How promptly players answer: all of a match, or one over all matches. The counting is in match/time/ledger.py."""

from __future__ import annotations

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, log_of, terms_of
from moderator.match.time import ledger
from moderator.match.time.ledger import SeatClock
from moderator.pages.asked import Figures, Promptness
from moderator.states import MatchStatus
from moderator.store.matches import seat_count, seats_of
from moderator.store.models import Match, Player


def of_match(desk: Desk, match: Match, live: LiveMatch) -> Promptness:
    """All persons of a match; nothing before anybody has answered or missed a turn."""
    seats = [pair for pair in zip(desk.players(match), live.ledger.seats, strict=True) if not pair[0].robot]
    if not any(account.turns or account.missed for _, account in seats):
        return Promptness(())
    return Promptness(tuple(_figures(player, account) for player, account in seats))


def _figures(player: Player, account: SeatClock) -> Figures:
    return Figures(player.name, account.promptness, account.turns, account.days, account.missed, account.bank)


def of_player(desk: Desk, player: Player) -> int | None:
    """Per cent of all turns that were answered before the ZAT; None before the first. Read from the logs of all matches
    that have begun, without playing them again."""
    turns = on_time = missed = 0
    for match, seat in seats_of(desk.session, player.number):
        if match.status == MatchStatus.OPEN:
            continue
        seats = seat_count(desk.session, match)
        account = ledger.read(seats, terms_of(match, desk.config.deadlines), log_of(desk.session, match))
        own = account.seats[seat.number]
        turns, on_time, missed = turns + own.turns, on_time + own.on_time, missed + own.missed
    return SeatClock(turns=turns, on_time=on_time, missed=missed).promptness
