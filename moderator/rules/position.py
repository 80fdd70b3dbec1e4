"""A position as plain values, for each who reads it, and back.

What somebody has written down is plain values, as TOML or JSON give them: a diagram. The game asks it for what it
needs; what is wrong is collected with the place where it stands, so that all of it can be told at once.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from moderator.common.errors import OperatorError, RecordError
from moderator.rules.log import to_plain_value
from moderator.rules.state import Context, P, State

Path = tuple[str | int, ...]
"""Where a value stands: ``("board", 3)``, ``("player", 1, "rack")``."""
PLAYERS = "player"
MOST = 100_000
"""Larger numbers are slips."""


@dataclass(frozen=True)
class PositionFault:
    """One thing that is wrong."""

    path: Path
    message: str


class DiagramError(OperatorError):
    """A diagram that cannot be; ``faults`` has all that is wrong with it."""

    def __init__(self, faults: Sequence[PositionFault]) -> None:
        super().__init__(
            "; ".join(f"{_format_path(one.path)}: {one.message}" for one in faults),
            "docs/run/moving-in.md says what may stand there.",
        )
        self.faults = tuple(faults)


def _format_path(path: Path) -> str:
    return " ".join(str(step + 1) if isinstance(step, int) else step for step in path)


class Diagram:
    """Values by key; those of the seats under ``player``, in seat order. ``names`` are those of the seats, where seats
    are named; numbers from 0 do as well."""

    def __init__(self, values: Mapping[str, Any], seats: int, names: Sequence[str] = ()) -> None:
        self.values = deepcopy(dict(values))
        """As they were given; seats become numbers as they are read."""
        self.seats = seats
        self.names = tuple(names)
        self.faults: list[PositionFault] = []
        self._asked: set[Path] = {(PLAYERS,)}
        players = self.values.get(PLAYERS, [])
        fine = isinstance(players, list) and all(isinstance(one, dict) for one in players)
        if not fine or len(players) != seats:
            self.wrong((PLAYERS,), f"there must be {seats} [[player]] blocks.")
            players = [{} for _ in range(seats)]
        self.values[PLAYERS] = players

    @classmethod
    def wrap(cls, values: Mapping[str, Any], seats: int) -> Diagram:
        """Wrap values that are no diagram: without blocks for the seats."""
        gains: Sequence[Any] = values.get("gains") or ((),) * seats
        return cls({**values, PLAYERS: [{"gains": row} if row else {} for row in gains]}, seats)

    # ---- what is wrong ----

    def wrong(self, path: Path, message: str) -> None:
        self.faults.append(PositionFault(path, message))

    def finish(self) -> None:
        """Check that all is right and was asked for. Raises DiagramError if anything is wrong, or was not asked for."""
        for path, holder in (((), self.values), *(((PLAYERS, n), one) for n, one in enumerate(self.values[PLAYERS]))):
            known = sorted(str(one[-1]) for one in self._asked if one[:-1] == path)
            for key in holder:
                if (*path, key) not in self._asked:
                    close = difflib.get_close_matches(key, known, n=1)
                    hint = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}."
                    self.wrong((*path, key), f"there is no such key; {hint}")
        if self.faults:
            raise DiagramError(self.faults)

    def refuse(self) -> None:
        """Raise RecordError if anything is wrong: for values that no person has written."""
        for fault in self.faults:
            raise RecordError(f"{_format_path(fault.path)}: {fault.message}")

    # ---- single values ----

    def get(self, key: str, seat: int | None = None) -> Any:
        """Return the value as it stands there, None without any; from now on the key is known."""
        path, holder = self._locate_value(key, seat)
        self._asked.add(path)
        return holder.get(key)

    def whole(self, key: str, default: int = 0, seat: int | None = None, least: int = 0, most: int = MOST) -> int:
        value = self.get(key, seat)
        if value is None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            self.wrong(self._locate_value(key, seat)[0], f"{value!r} is no whole number from {least} to {most}.")
            return default
        return value

    def flag(self, key: str, seat: int | None = None) -> bool:
        value = self.get(key, seat)
        if value is not None and not isinstance(value, bool):  # 1 is equal to True
            self.wrong(self._locate_value(key, seat)[0], f"{value!r} is neither true nor false.")
        return value is True

    def text(self, key: str, seat: int | None = None) -> str:
        value = self.get(key, seat)
        if value is not None and not isinstance(value, str):
            self.wrong(self._locate_value(key, seat)[0], f"{value!r} is no text in quotes.")
        return value if isinstance(value, str) else ""

    def numbers(self, key: str, seat: int | None = None) -> tuple[int, ...]:
        """Return a list of whole numbers, also below 0; () where there is none."""
        value = self.get(key, seat)
        fine = isinstance(value, list | tuple) and all(
            isinstance(one, int) and not isinstance(one, bool) and abs(one) <= MOST for one in value
        )
        if value is not None and not fine:
            self.wrong(self._locate_value(key, seat)[0], "expected whole numbers in [ ].")
        return tuple(value) if value is not None and fine else ()

    def lines(self, key: str, seat: int | None = None) -> tuple[str, ...]:
        """Return a list of texts; () where there is none."""
        value = self.get(key, seat)
        if value is None:
            return ()
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            self.wrong(self._locate_value(key, seat)[0], "expected texts in quotes, in [ ].")
            return ()
        return tuple(value)

    def who(self, key: str, default: int | None = None, inside: str = "") -> int | None:
        """Return a seat, by its player's name or its number; ``inside``: the key stands in that table of values."""
        path: Path = (inside, key) if inside else (key,)
        holder = self.get(inside) if inside else self.values
        self._asked.add(path)
        if not isinstance(holder, dict) or holder.get(key) is None:
            return default
        holder[key] = self._resolve_seat(holder[key], path)
        return default if holder[key] is None else int(holder[key])

    def seat(self, key: str, default: int = 0) -> int:
        """Return a seat, where there always is one."""
        found = self.who(key)
        return default if found is None else found

    def several(self, key: str) -> tuple[int, ...]:
        """Return a list of seats, in that order."""
        value = self.get(key)
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            self.wrong((key,), "expected names in [ ].")
            return ()
        found = [self._resolve_seat(one, (key, n)) for n, one in enumerate(value)]
        self.values[key] = [one for one in found if one is not None]
        return tuple(self.values[key])

    def _resolve_seat(self, value: Any, path: Path) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < self.seats:
            return value
        known = [name.casefold() for name in self.names]
        if isinstance(value, str) and value.casefold() in known:
            return known.index(value.casefold())
        self.wrong(
            path, f"{value!r} plays not in this match; {', '.join(self.names) or f'seats 0 to {self.seats - 1}'} do."
        )
        return None

    def _locate_value(self, key: str, seat: int | None) -> tuple[Path, dict[str, Any]]:
        if seat is None:
            return (key,), self.values
        return (PLAYERS, seat, key), self.values[PLAYERS][seat]

    # ---- seats and tiles ----

    def per_seat(self, read: Callable[[int], Any]) -> tuple[Any, ...]:
        """Return what ``read`` finds for each seat."""
        return tuple(read(seat) for seat in range(self.seats))

    def turn(self) -> int:
        """Return the seat whose turn it is."""
        given = self.get("turn") is not None
        found = self.who("turn")
        if not given:
            self.wrong(("turn",), "whose turn it is, is missing.")
        return found or 0

    def round(self) -> int:
        """Return the number of the round that is being played, from 1."""
        return self.whole("round", 1, least=1)

    def scores(self) -> tuple[int, ...]:
        return self.per_seat(lambda seat: self.whole("score", 0, seat, least=-MOST))

    def gains(self) -> tuple[tuple[int, ...], ...]:
        """Return what each seat has won in this round so far."""
        return self.per_seat(lambda seat: self.numbers("gains", seat))

    def tiles(self, key: str, name: Callable[[str], str | None], seat: int | None = None) -> tuple[str, ...] | None:
        """Return the tiles under a key, in [ ] or in one text, parted by blanks or commas; letters need not be parted.
        ``name`` says what a tile is called, None for none. None where nothing is given."""
        value = self.get(key, seat)
        path = self._locate_value(key, seat)[0]
        if value is None:
            return None
        written = value.replace(",", " ").split() if isinstance(value, str) else value
        if not isinstance(written, list | tuple) or not all(isinstance(one, str) for one in written):
            self.wrong(path, "expected tiles in quotes.")
            return None
        found: list[str] = []
        for one in written:
            parts = [one] if name(one) else list(one)
            for part in parts:
                tile = name(part)
                if tile is None:
                    self.wrong(path, f"there is no tile {one!r}.")
                    break
                found.append(tile)
        return tuple(found)

    def racks(self, name: Callable[[str], str | None], empty: Collection[int] = ()) -> tuple[tuple[str, ...], ...]:
        """Return the tiles of each seat; ``empty``: seats that need not have any, without which a round is over
        elsewhere."""
        return self.per_seat(lambda seat: self._read_rack(name, seat, seat in empty))

    def _read_rack(self, name: Callable[[str], str | None], seat: int, empty: bool) -> tuple[str, ...]:
        found = self.tiles("rack", name, seat)
        if found is None and "rack" not in self.values[PLAYERS][seat]:
            self.wrong((PLAYERS, seat), "the rack is missing.")
        elif found == () and not empty:
            self.wrong((PLAYERS, seat, "rack"), "the rack is empty, so the round is over: finish it first.")
        return found or ()

    def stock(
        self,
        box: Iterable[str],
        lying: Iterable[str],
        hands: Iterable[Sequence[str]],
        name: Callable[[str], str | None],
        ctx: Context,
        round_number: int,
    ) -> tuple[str, ...]:
        """Return the stock, next tile first: what the ``box`` holds besides the tiles that lie and those on the racks.
        It is in the order of ``stock_order``, or else shuffled from the match's seed."""
        every, hands = tuple(box), tuple(map(tuple, hands))
        out = Counter(lying) + Counter(tile for hand in hands for tile in hand)
        for tile, count in sorted((out - Counter(every)).items()):
            holder = next((seat for seat in reversed(range(len(hands))) if tile in hands[seat]), None)
            path: Path = ("board",) if holder is None else (PLAYERS, holder, "rack") if len(hands) > 1 else ("rack",)
            held = every.count(tile)
            self.wrong(path, f"{tile} is there {held + count} times, and the set has {held or 'none'}.")
        left, kept = Counter(out), []
        for tile in every:
            if left[tile] > 0:
                left[tile] -= 1
            else:
                kept.append(tile)
        rest = tuple(kept)
        ordered, count = self.tiles("stock_order", name), self.get("stock")
        sure = not any(fault.path[0] in ("board", "rack", PLAYERS) for fault in self.faults)
        given = ordered if ordered is not None else None if _is_whole_number(count) else self.tiles("stock", name)
        where: Path = ("stock_order",) if ordered is not None else ("stock",)
        if given is not None:
            lacking, more = Counter(rest) - Counter(given), Counter(given) - Counter(rest)
            if lacking and sure:
                self.wrong(where, f"the set has these tiles besides, and they are nowhere: {_format_tiles(lacking)}.")
            if more and sure:
                self.wrong(
                    where, f"these tiles lie on the table or on a rack, or there are fewer: {_format_tiles(more)}."
                )
        elif _is_whole_number(count) and count != len(rest) and sure:
            self.wrong(where, f"{count} does not add up: the set has {len(every)} tiles, so {len(rest)} are left.")
        return ordered if ordered is not None else ctx.shuffle(f"round{round_number}/stock", rest)


def _is_whole_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _format_tiles(tiles: Counter[str]) -> str:
    return " ".join(sorted(tiles.elements()))


def written(state: State[P], **values: Any) -> dict[str, Any]:
    """Return the values that every diagram has: the round, the stock in order, scores and racks; and ``values``. Those
    that are tuples have one for each seat and go to the seats. What says nothing is left out; 0 says something where it
    is a seat."""
    found: dict[str, Any] = {"round": state.public.round}
    players: list[dict[str, Any]] = [{"score": score} for score in state.scores]
    for key, value in values.items():
        if isinstance(value, tuple):
            for player, own in zip(players, value, strict=True):
                player.update({key: to_plain_value(own)} if own else {})
        elif value or (value == 0 and key in SEATED and value is not False):
            found[key] = to_plain_value(value)
    if len(state.hands) < state.seats:
        found["rack"] = " ".join(state.hands[0])
    else:
        for player, hand in zip(players, state.hands, strict=True):
            player["rack"] = " ".join(hand)
    return found | {"stock_order": " ".join(state.stock), PLAYERS: players}


SEATED = frozenset({"turn", "starter", "leader", "last"})
"""Keys whose value is a seat."""


# ---- the deal that a record fixes ----


Tiles = tuple[str, ...]


def read_fixed_deal(
    fixed: Mapping[str, Any], racks: int, find_tile: Callable[[str], str | None]
) -> tuple[tuple[Tiles, ...] | None, Tiles | None]:
    """Return (as many racks, the stock) that a record fixes, None of each that it does not. Raises RecordError."""
    hands, stock = fixed.get("racks"), fixed.get("stock")
    if hands is not None and (not isinstance(hands, list | tuple) or len(hands) != racks):
        raise RecordError(f"racks needs {racks} lists of tiles.")
    return (
        None if hands is None else tuple(_read_fixed_tiles(hand, "racks", find_tile) for hand in hands),
        None if stock is None else _read_fixed_tiles(stock, "stock", find_tile),
    )


def _read_fixed_tiles(values: Any, where: str, find_tile: Callable[[str], str | None]) -> Tiles:
    """Return the tiles of a list. A person may write ``a`` for A in a diagram; a record does not."""
    found = []
    for one in values if isinstance(values, list | tuple) else [None]:
        tile = find_tile(one) if isinstance(one, str) else None
        if tile is None or (tile != one and tile.casefold() == str(one).casefold()):
            raise RecordError(f"{where} = {values!r} is wrong.", "Expected: a list of tiles, as the game names them.")
        found.append(tile)
    return tuple(found)
