"""Tridom and SuperTridom, recounted: all tiles in the order in which they were laid, everything else found by walking
over them."""

from functools import cache
from itertools import permutations
from typing import Any

from tests.games.recount import Referee, Shuffle

Cell = tuple[int, int]

DEAL = {"tridom": (9, 7, 7, 6, 6), "supertridom": (11, 9, 9, 8, 8)}
"""For 2, 3, 4, 5, 6 seats."""


@cache
def corners_of(cell: Cell) -> tuple[Cell, Cell, Cell]:
    """Clockwise from the tip."""
    x, y = cell
    return ((x, y + 1), (x + 1, y), (x - 1, y)) if points_up(cell) else ((x, y), (x - 1, y + 1), (x + 1, y + 1))


def points_up(cell: Cell) -> bool:
    return (cell[0] + cell[1]) % 2 == 0


@cache
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell]:
    """Clockwise from the tip: over the side from the first corner to the second, and so on."""
    x, y = cell
    return ((x + 1, y), (x, y - 1), (x - 1, y)) if points_up(cell) else ((x - 1, y), (x, y + 1), (x + 1, y))


@cache
def turned(tile: str) -> list[tuple[int, int, int]]:
    """The three ways in which a tile can lie."""
    a, b, c = map(int, tile)
    return [(a, b, c), (b, c, a), (c, a, b)]


def value(tile: str) -> int:
    return sum(map(int, tile))


def all_tiles(mirrored: bool) -> list[str]:
    """Each tile by its numbers clockwise, from the rotation that reads lowest."""
    found = set()
    for a in range(6):
        for b in range(a, 6):
            for c in range(b, 6):
                for numbers in permutations((a, b, c)) if mirrored else [(a, b, c)]:
                    found.add(min("".join(map(str, way)) for way in turned("".join(map(str, numbers)))))
    return sorted(found)


class Tridom(Referee):
    """``laid``: (cell, numbers clockwise from the tip) in order."""

    known: dict[Cell, int]
    """The number at each corner."""
    taken: set[Cell]
    passed: int
    """Turns in a row that ended without a tile and with an empty stock. Who could have laid breaks the row, but not who
    has left."""

    def __init__(self, seats: int, options: dict[str, Any], shuffle: Shuffle, key: str = "tridom") -> None:
        self.key = key
        self.target = options.get("target", 400)
        self.zero_is_highest = options.get("triple_zero", "lowest") == "highest"
        self.bonus = options.get("bonus", "highest")
        self.double_hexagon = options.get("double_hexagon", 50)
        super().__init__(seats, shuffle)
        self.deal()

    def walk(self) -> None:
        """Number the places and note every corner, tile by tile."""
        self.numbers = {(0, 0): 1}
        self.known = {}
        self.taken = set()
        for cell, numbers in self.laid:
            self.taken.add(cell)
            for corner, number in zip(corners_of(cell), numbers, strict=True):
                assert self.known.setdefault(corner, number) == number, f"two numbers meet at {corner}"
            for beside in neighbours(cell):
                if beside not in self.taken and beside not in self.numbers:
                    self.numbers[beside] = len(self.numbers) + 1
        self.free = {number: cell for cell, number in self.numbers.items() if cell not in self.taken}

    def lying(self, tile: str, cell: Cell) -> tuple[int, int, int] | None:
        """How the tile lies in the cell; None if it does not fit."""
        x, y, z = (self.known.get(corner) for corner in corners_of(cell))
        ways = {(a, b, c) for a, b, c in turned(tile) if x in (None, a) and y in (None, b) and z in (None, c)}
        assert len(ways) < 2, f"{tile} fits {cell} in two ways"
        return ways.pop() if ways else None

    def worth(self, tile: str, cell: Cell) -> int:
        """The sum of its numbers and the bonus for what it closes."""
        hexagons = 0
        for corner in corners_of(cell):
            x, y = corner
            around = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (0, -1)}
            hexagons += around - {cell} <= self.taken
        bridge = all(corner in self.known for corner in corners_of(cell))
        return value(tile) + self.form_bonus(hexagons, bridge)

    def form_bonus(self, hexagons: int, bridge: bool) -> int:
        # Each further hexagon at once is worth as much more as the second.
        closed = 50 + (hexagons - 1) * (self.double_hexagon - 50) if hexagons else 0
        if self.bonus == "sum":
            return closed + (40 if bridge else 0)
        return closed or (40 if bridge else 0)

    def table(self) -> list[str]:
        return [min("".join(map(str, way)) for way in turned("".join(map(str, n)))) for _, n in self.laid]

    def drawing(self) -> Any:
        tiles = {self.numbers[cell]: (cell, tuple(numbers)) for cell, numbers in self.laid}
        free = {n: (cell, tuple(self.known.get(c) for c in corners_of(cell))) for n, cell in self.free.items()}
        return {"tiles": tiles, "free": free if self.turn is not None else {}}

    def exported(self) -> dict[str, Any]:
        places = []
        for cell, number in sorted(self.numbers.items(), key=lambda found: found[1]):
            corners = [self.known.get(corner) for corner in corners_of(cell)]
            x, y = cell
            places.append({"place": number, "x": x, "y": y, "corners": corners, "tile": cell in self.taken})
        return {"round": self.round, "places": places}

    def fitting(self, tiles: list[str]) -> list[tuple[str, int]]:
        """(tile, place) of every legal placement."""
        return [(tile, number) for tile in tiles for number, cell in self.free.items() if self.lying(tile, cell)]

    def legal(self) -> dict[str, int]:
        assert self.turn is not None
        found = self.fitting(self.hands[self.turn])
        return {f"{tile}@{number}": self.worth(tile, self.free[number]) for tile, number in found}

    def play(self, text: str) -> int:
        seat = self.turn
        assert seat is not None
        tile, _, number = text.partition("@")
        cell = self.free[int(number)]
        way = self.lying(tile, cell)
        assert way is not None, f"{text} does not fit"
        points = self.worth(tile, cell)
        self.scores[seat] += points
        self.hands[seat].remove(tile)
        self.laid.append((cell, way))
        self.walk()
        self.passed = 0
        if not self.hands[seat]:
            self.scores[seat] += 25 + sum(value(t) for hand in self.hands for t in hand)
            self.end_round()
        else:
            self.go_on(seat + 1)
        return points

    def miss(self, left: bool = False) -> None:
        assert self.turn is not None
        self.passed = self.passed + 1 if left and not self.stock else 0
        if self.passed == len(self.hands):
            self.block()
        else:
            self.go_on(self.turn + 1)

    def go_on(self, seat: int) -> None:
        """It is this seat's turn; draws, penalties, passes and a blocked end happen by themselves."""
        seat %= len(self.hands)
        while not self.fitting(self.hands[seat]):
            for _ in range(3):
                if not self.stock:
                    break
                drawn = self.stock.pop(0)
                self.hands[seat].append(drawn)
                self.scores[seat] -= 5
                if self.fitting([drawn]):
                    self.turn, self.drew = seat, True
                    return
            self.scores[seat] -= 10
            # Who could not lay and leaves an empty stock begins the circle.
            self.passed += not self.stock
            seat = (seat + 1) % len(self.hands)
            if self.passed == len(self.hands):
                self.block()
                return
        self.turn, self.drew = seat, False

    def block(self) -> None:
        for loser, hand in enumerate(self.hands):
            self.scores[loser] -= sum(map(value, hand))
        self.end_round()

    def end_round(self) -> None:
        self.totals.append(list(self.scores))
        best = max(self.scores)
        if best >= self.target and self.scores.count(best) == 1:
            self.turn, self.winners = None, [self.scores.index(best)]
        else:
            self.deal()

    def deal(self) -> None:
        self.round += 1
        tiles = list(self.shuffle(f"round{self.round}", all_tiles(self.key == "supertridom")))
        seats = len(self.scores)
        count = DEAL[self.key][seats - 2]
        self.hands = [tiles[seat * count : (seat + 1) * count] for seat in range(seats)]
        self.stock = tiles[seats * count :]
        self.passed = 0
        self.open()

    def open(self) -> None:
        triples = [
            (int(tile[0]), seat, tile) for seat, hand in enumerate(self.hands) for tile in hand if len(set(tile)) == 1
        ]
        if triples:
            _, seat, tile = max(triples, key=lambda t: 6 if self.zero_is_highest and t[0] == 0 else t[0])
            points = 40 if tile == "000" else value(tile) + 20
        else:
            every = [(tile, seat) for seat, hand in enumerate(self.hands) for tile in hand]
            tile, seat = max(every, key=lambda held: (value(held[0]), sorted(held[0], reverse=True), -held[1]))
            points = value(tile) + 10
        self.scores[seat] += points
        self.hands[seat].remove(tile)
        self.laid = [((0, 0), turned(tile)[0])]
        self.walk()
        self.go_on(seat + 1)
