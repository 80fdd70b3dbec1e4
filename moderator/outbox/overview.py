"""All matches and tournaments of a player at one glance, and what could be joined."""

from __future__ import annotations

from collections.abc import Iterator

from moderator.club.desk import Desk
from moderator.club.live_match import LiveMatch, Suspended
from moderator.club.tournaments import for_player
from moderator.outbox.post import reply_to
from moderator.pages.asked import MatchLine, OpenMatch, Overview
from moderator.states import MatchStatus
from moderator.store import matches
from moderator.store.matches import seats_of
from moderator.store.models import Match, Player, Seat


def overview(desk: Desk, player: Player) -> Overview:
    """The player's running matches and tournaments, those that may be joined, and leave that is not over."""
    mine = seats_of(desk.session, player.number)
    today = desk.today
    leaves = desk.cache.leaves_of(desk.session, player.number)
    return Overview(
        matches=tuple(
            _line(desk, match, seat)
            for match, seat in mine
            if match.status in (MatchStatus.RUNNING, MatchStatus.SUSPENDED)
        ),
        open=tuple(_open(desk, {match.number for match, _ in mine})),
        leaves=tuple(sorted((leave.first, leave.last) for leave in leaves if leave.last >= today)),
        tournaments=for_player.mine(desk, player),
        open_tournaments=for_player.open_lines(desk, player),
    )


def _line(desk: Desk, match: Match, seat: Seat) -> MatchLine:
    reply = reply_to(desk, match.code, seat.token)
    try:
        live = desk.cache.live(desk.session, match)
    except Suspended:
        return MatchLine(match.code, match.name, match.game, reply, state="suspended")
    scores = live.table.state.scores
    players = desk.players(match)
    return MatchLine(
        code=match.code,
        name=match.name,
        game=match.game,
        reply=reply,
        round=live.table.state.public.round,
        your_turn=seat.number in live.awaited,
        awaited=tuple(players[number].name for number in live.missing),
        score=scores[seat.number],
        rank=1 + sum(score > scores[seat.number] for score in scores),
        seats=len(scores),
        deadline=match.deadline,
        stored=live.order(seat.number),
        state=_state(match, live, seat),
    )


def _state(match: Match, live: LiveMatch, seat: Seat) -> str:
    if seat.number in live.table.out:
        return "out"
    return "held" if match.held else match.stopped.value


def _open(desk: Desk, mine: set[int]) -> Iterator[OpenMatch]:
    for match, names in matches.with_free_seats(desk.session):
        if match.number not in mine:
            yield OpenMatch(match.code, match.name, match.game, tuple(names), match.wanted - len(names))
