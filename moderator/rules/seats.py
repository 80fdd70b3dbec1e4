"""What happens at a table besides moves: seats that leave or come back, a game that is stopped, signs to the moderator.

As in ``table.py`` every function takes a ``MatchState`` and gives a new one; each is one kind of log entry
(``replay.py``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from moderator.common.errors import Illegal
from moderator.rules.game import P
from moderator.rules.table import MatchState, UndoRequest

Flag = Literal["wait", "ready", ""]


def list_active_seats(table: MatchState[Any]) -> tuple[int, ...]:
    """List the seats that still play."""
    return tuple(seat for seat in range(table.state.seats) if seat not in table.out)


def retire_in_state(table: MatchState[P], seat: int) -> MatchState[P]:
    """Retire a seat, which plays no more: what it has stored is gone, each of its turns passes at once, and it cannot
    win. Raises Illegal("game-over") or Illegal("already-out")."""
    if table.state.over:
        raise Illegal("game-over")
    if seat in table.out:
        raise Illegal("already-out", seat=seat)
    orders, tried = _remove_seat(table.orders, seat), _remove_seat(table.tried, seat)
    return replace(table, out=tuple(sorted({*table.out, seat})), orders=orders, tried=tried, asked=None)


def replace_holder_in_state(table: MatchState[P], seat: int) -> MatchState[P]:
    """Give a seat to another player: it plays (again), and nothing of what was stored for it is left."""
    orders, flags, tried = (_remove_seat(kept, seat) for kept in (table.orders, table.flags, table.tried))
    return replace(table, out=tuple(s for s in table.out if s != seat), orders=orders, flags=flags, tried=tried)


def stop_in_state(table: MatchState[P]) -> MatchState[P]:
    """End the game as it stands. Raises Illegal("game-over") if it has ended already."""
    if table.state.over:
        raise Illegal("game-over")
    return replace(table, state=replace(table.state, to_move=()), orders={}, flags={}, asked=None)


def set_flag_in_state(table: MatchState[P], seat: int, sign: Flag) -> MatchState[P]:
    """Set the sign of a seat. "wait": evaluate nothing before the ZAT, try nothing stored of this seat; "ready": it is
    content as it is; "": neither. Holds until the next turn or round."""
    others = _remove_seat(table.flags, seat)
    return replace(table, flags={**others, seat: sign} if sign else others)


def record_refused_in_state(table: MatchState[P], seat: int, text: str) -> MatchState[P]:
    """Record that the awaited seat has sent something of which nothing was possible: nothing else of it is kept."""
    return replace(table, tried={**_remove_seat(table.tried, seat), seat: text})


def _remove_seat(kept: Mapping[int, str], seat: int) -> dict[int, str]:
    return {other: text for other, text in kept.items() if other != seat}


def ask_undo_in_state(table: MatchState[P], seat: int, entry: int) -> MatchState[P]:
    """Ask for ``seat`` that everything after log entry number ``entry`` be undone; or agree, if that is asked for
    already."""
    before = table.asked
    agreed = before.agreed if before is not None and before.entry == entry else ()
    return replace(table, asked=UndoRequest(entry, (*(s for s in agreed if s != seat), seat)))


def refuse_undo_in_state(table: MatchState[P]) -> MatchState[P]:
    return replace(table, asked=None)
