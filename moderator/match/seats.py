"""What happens at a table besides moves: seats that leave or come back, a game that is stopped, signs to the moderator.

As in ``table.py`` every function takes a ``Table`` and gives a new one; each is one kind of log entry (``replay.py``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from moderator.errors import Illegal
from moderator.match.contract import P
from moderator.match.table import Table, Undo

Flag = Literal["wait", "ready", ""]


def active(table: Table[Any]) -> tuple[int, ...]:
    """Seats that still play."""
    return tuple(seat for seat in range(table.state.seats) if seat not in table.out)


def retire(table: Table[P], seat: int) -> Table[P]:
    """The seat plays no more: what it has stored is gone, each of its turns passes at once, and it cannot win.
    Raises Illegal("game-over") or Illegal("already-out")."""
    if table.state.over:
        raise Illegal("game-over")
    if seat in table.out:
        raise Illegal("already-out", seat=seat)
    orders, tried = _without(table.orders, seat), _without(table.tried, seat)
    return replace(table, out=tuple(sorted({*table.out, seat})), orders=orders, tried=tried, asked=None)


def hand_over(table: Table[P], seat: int) -> Table[P]:
    """Somebody else takes the seat: it plays (again), and nothing of what was stored for it is left."""
    orders, flags, tried = (_without(kept, seat) for kept in (table.orders, table.flags, table.tried))
    return replace(table, out=tuple(s for s in table.out if s != seat), orders=orders, flags=flags, tried=tried)


def stop(table: Table[P]) -> Table[P]:
    """The game ends as it stands. Raises Illegal("game-over") if it has ended already."""
    if table.state.over:
        raise Illegal("game-over")
    return replace(table, state=replace(table.state, to_move=()), orders={}, flags={}, asked=None)


def flag(table: Table[P], seat: int, sign: Flag) -> Table[P]:
    """ "wait": evaluate nothing before the ZAT, try nothing stored of this seat; "ready": it is content as it is;
    "": neither. Holds until the next turn or round."""
    others = _without(table.flags, seat)
    return replace(table, flags={**others, seat: sign} if sign else others)


def try_in_vain(table: Table[P], seat: int, text: str) -> Table[P]:
    """The awaited seat has sent something of which nothing was possible: nothing is kept of it but that it has sent."""
    return replace(table, tried={**_without(table.tried, seat), seat: text})


def _without(kept: Mapping[int, str], seat: int) -> dict[int, str]:
    return {other: text for other, text in kept.items() if other != seat}


def ask_undo(table: Table[P], seat: int, entry: int) -> Table[P]:
    """``seat`` would like everything after log entry number ``entry`` to be undone; or agrees, if that is asked for
    already."""
    before = table.asked
    agreed = before.agreed if before is not None and before.entry == entry else ()
    return replace(table, asked=Undo(entry, (*(s for s in agreed if s != seat), seat)))


def refuse_undo(table: Table[P]) -> Table[P]:
    return replace(table, asked=None)
