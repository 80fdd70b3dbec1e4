"""Somebody leaves a tournament by the moderator's word: what it would mean, and doing it."""

from __future__ import annotations

from dataclasses import dataclass

from moderator.desk.create import find_player
from moderator.desk.cup import judging, mails, rows
from moderator.desk.desk import Desk
from moderator.engine.contract import Note
from moderator.errors import OperatorError
from moderator.states import CupStatus, EntryState
from moderator.store.models import Cup, CupEntry, Player
from moderator.tournament.formats import of
from moderator.tournament.standings import finished_share


@dataclass(frozen=True)
class Withdrawal:
    name: str
    open: int
    """Games that are given up."""
    void: bool = False
    """Of a round robin: fewer than half of the games are finished, so that none of them counts."""


def look(desk: Desk, cup: Cup, name: str) -> Withdrawal:
    """What it would mean. Raises OperatorError for someone who is not in it."""
    return _coming(desk, cup, *_entry(desk, cup, name))


def _coming(desk: Desk, cup: Cup, entry: CupEntry, player: Player) -> Withdrawal:
    if cup.status != CupStatus.RUNNING or entry.state != EntryState.IN:
        return Withdrawal(player.name, 0)
    games = rows.open_games(rows.games(desk.session, cup, entry.division))
    count = sum(entry.number in game.seats for game in games)
    done, total = finished_share(rows.tournament(desk.session, cup, entry.division), entry.number)
    return Withdrawal(player.name, count, of(cup).round_robin and 2 * done < total)


def withdraw(desk: Desk, cup: Cup, name: str) -> Withdrawal:
    """Do it; the player is told. Raises OperatorError for someone who is not in it."""
    entry, player = _entry(desk, cup, name)
    coming = _coming(desk, cup, entry, player)
    judging.withdraw(desk, cup, entry, player)
    mails.send(desk, cup, "news", [player], [Note("cup-taken-out", {"cup": cup.name})])
    return coming


def _entry(desk: Desk, cup: Cup, name: str) -> tuple[CupEntry, Player]:
    player = find_player(desk.session, name)
    entry = rows.entry_of(desk.session, cup, player)
    if entry is None or entry.state == EntryState.WITHDRAWN or cup.status in (CupStatus.FINISHED, CupStatus.CANCELLED):
        raise OperatorError(f"{player.name} does not play in {cup.code}.", f"See `moderator cup show {cup.code}`.")
    return entry, player
