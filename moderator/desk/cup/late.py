"""Somebody joins a running round robin by the moderator's word: one more round, in which they meet everybody."""

from __future__ import annotations

from dataclasses import replace

from moderator.desk.cup import mails, pairing, rows
from moderator.desk.cup.settings import settings_of
from moderator.desk.desk import Desk
from moderator.desk.ratings import before
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.states import EntryState
from moderator.store.models import Cup, CupEntry, Player
from moderator.tournament import berger
from moderator.tournament.field import Game, Tournament
from moderator.tournament.formats import of
from moderator.tournament.standings import finished_share


def join_robin(desk: Desk, cup: Cup, player: Player) -> list[Game]:
    """``player``, new or on the standby list, gets the next number (of a league: in its lowest division) and a game
    against everybody who still plays, by the latest end that is published. Everybody is told.

    Raises OperatorError for someone who is or was in it, where it is full, and when somebody has finished more than
    half of their games already."""
    session, settings = desk.session, settings_of(cup)
    entry = rows.entry_of(session, cup, player) or CupEntry(cup_id=cup.number, player_id=player.number, at=desk.now)
    if entry.id is not None and entry.state != EntryState.STANDBY:
        was = "has left" if entry.state == EntryState.WITHDRAWN else "is in"
        raise OperatorError(f"{player.name} {was} {cup.code} already.", f"See `moderator cup show {cup.code}`.")
    taken = rows.taken(session, cup)
    if settings.most and taken >= settings.most:
        raise OperatorError(f"{cup.code} is full: {taken} of {settings.most} play.", "Somebody would have to leave.")
    entry.division = rows.divisions(session, cup)[-1]
    t = rows.tournament(session, cup, entry.division)
    _check_half(t)
    ends = rows.latest_ends(rows.open_games(rows.games(session, cup)))
    if not ends or max(ends) <= desk.now:
        raise OperatorError(
            f"The latest end of {cup.code} has come.", f"`moderator cup extend {cup.code}` puts it off."
        )
    entry.number = max(one.number for one in t.entrants) + 1
    games = games_of(t, entry.number)
    entry.state, entry.at, entry.joined = EntryState.IN, desk.now, games[0].round
    entry.rating = before(session, cup.game, player)
    session.add(entry)
    session.flush()
    pairing.lay_out(desk, cup, entry.division, games, max(ends))
    mails.send(
        desk, cup, "news", mails.players(desk, cup), [Note("cup-late-entry", {"cup": cup.name, "name": player.name})]
    )
    cup.next_at = desk.now
    session.add(cup)
    return games


def _check_half(t: Tournament) -> None:
    for one in t.entrants:
        done, total = finished_share(t, one.number)
        if one.left is None and 2 * done > total:
            raise OperatorError(
                f"{one.name} has finished {done} of {total} games: too late for somebody new.",
                "A newcomer may join until somebody has finished more than half of their games.",
            )


def games_of(t: Tournament, newcomer: int) -> list[Game]:
    """The games of ``newcomer`` against all who have not left, as rounds after the last one. Raises OperatorError if
    fewer than two still play."""
    staying = {one.number for one in t.entrants if one.left is None}
    among = [game for game in t.games if staying.issuperset(game.seats)]
    if not among:
        raise OperatorError("Fewer than two still play.", "The tournament ends by itself.")
    later = max(game.round for game in t.games) - max(game.round for game in among)
    return [replace(game, round=game.round + later) for game in berger.late(among, newcomer, of(t).twice)]
