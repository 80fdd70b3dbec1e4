"""Dominos, recounted: the line as a list of pairs, its ends looked at anew each time."""

from typing import Any

from tests.games.recount import Referee, Shuffle

HIGHEST_FIRST = "66 55 44 33 22 11 00 65 64 63 54 62 53 61 52 43 60 51 42 50 41 32 40 31 30 21 20 10"
"""Who holds the first of these opens."""


def pips(hand: list[str]) -> int:
    return sum(int(tile[0]) + int(tile[1]) for tile in hand)


def rounded_down(points: int) -> int:
    return points - points % 5


Pair = tuple[int, int]


class Dominos(Referee):
    """``line``: the pairs from left to right as they lie; ``north``, ``south``: from the spinner outwards."""

    line: list[Pair]
    north: list[Pair]
    south: list[Pair]
    spinner: Pair | None

    def __init__(self, seats: int, options: dict[str, Any], shuffle: Shuffle) -> None:
        self.target = options.get("target", 100)
        self.leader = options.get("leader", "highest_tile")
        self.any_time = options.get("spinner_any_time", False)
        self.blocked_winner = options.get("blocked_winner", "highest_score")
        super().__init__(seats, shuffle)
        self.deal(None)

    def spinner_at(self) -> int | None:
        """Where in the line the spinner lies. Other doubles may lie in the line later, so its name is kept."""
        return self.line.index(self.spinner) if self.spinner else None

    def ends(self) -> dict[str, Pair]:
        """Open end -> (the number that must be met, what it counts)."""
        if not self.line:
            return {}
        (left, _), (_, right) = self.line[0], self.line[-1]
        if len(self.line) == 1:
            # A lone double shows one half to each side, so does any other lone tile.
            found = {"L": (left, left), "R": (right, right)}
        else:
            found = {"L": (left, self.shown(self.line[0], 0)), "R": (right, self.shown(self.line[-1], 1))}
        at = self.spinner_at()
        if self.spinner and at is not None and (self.any_time or 0 < at < len(self.line) - 1):
            for name, arm in (("N", self.north), ("S", self.south)):
                found[name] = (arm[-1][1], self.shown(arm[-1], 1)) if arm else (self.spinner[0], 0)
        return found

    @staticmethod
    def shown(tile: Pair, outer: int) -> int:
        """What the last tile of an arm counts: a double both its halves."""
        return tile[0] + tile[1] if tile[0] == tile[1] else tile[outer]

    def worth(self) -> int:
        total = sum(counts for _, counts in self.ends().values())
        return total if total % 5 == 0 else 0

    def put(self, text: str) -> str:
        """Lay a tile: ``64@L``, or ``64`` on an empty table. Gives the tile."""
        tile, _, place = text.partition("@")
        high, low = int(tile[0]), int(tile[1])
        if not self.line:
            assert not place, f"{text}: nothing lies yet"
            self.line = [(high, low)]
        else:
            wanted = self.ends()[place][0]
            assert wanted in (high, low), f"{text} does not fit"
            pair = (wanted, low if wanted == high else high)
            if place == "L":
                self.line.insert(0, (pair[1], pair[0]))
            else:
                {"R": self.line, "N": self.north, "S": self.south}[place].append(pair)
        if high == low and self.spinner is None:
            self.spinner = (high, low)
        return tile

    def table(self) -> list[str]:
        return [f"{max(pair)}{min(pair)}" for pair in (*self.line, *self.north, *self.south)]

    def drawing(self) -> Any:
        ends = self.ends()
        values = {name: value for name, (value, _) in ends.items()} if self.turn is not None else {}
        return {"tiles": sorted(self.table()), "ends": values, "sum": sum(counts for _, counts in ends.values())}

    def exported(self) -> dict[str, Any]:
        def lying(pairs: list[Pair]) -> list[str]:
            return [f"{a}{b}" for a, b in pairs]

        return {
            "round": self.round,
            "ends": {name: {"value": value, "counts": counts} for name, (value, counts) in self.ends().items()},
            "sum": self.drawing()["sum"],
            "line": lying(self.line),
            "arms": {"N": lying(self.north), "S": lying(self.south)},
        }

    def fitting(self, seat: int) -> list[str]:
        if not self.line:
            return list(self.hands[seat])
        return [
            f"{tile}@{place}"
            for tile in self.hands[seat]
            for place, (value, _) in self.ends().items()
            if str(value) in tile
        ]

    def legal(self) -> dict[str, int]:
        assert self.turn is not None
        return {text: self.tried(text)[0] for text in self.fitting(self.turn)}

    def tried(self, text: str) -> Pair:
        """What a move would score, and how many tiles would fit then: it is laid, looked at, taken back."""
        before = list(self.line), list(self.north), list(self.south), self.spinner
        self.put(text)
        values = {str(value) for value, _ in self.ends().values()}
        found = self.worth(), sum(not values.isdisjoint(tile) for tile in (*self.stock, *self.hands[0], *self.hands[1]))
        self.line, self.north, self.south, self.spinner = before
        return found

    def play(self, text: str) -> int:
        seat = self.turn
        assert seat is not None
        assert text in self.fitting(seat), f"{text} is not legal"
        self.hands[seat].remove(self.put(text))
        self.laid_last = seat
        points = self.worth()
        self.scores[seat] += points
        if self.scores[seat] >= self.target:
            self.totals.append(list(self.scores))
            self.finish(seat)
        elif not self.hands[seat]:
            self.end_round(seat, rounded_down(pips(self.hands[1 - seat])))
        else:
            self.go_on(1 - seat)
        return points

    def miss(self, left: bool = False) -> None:
        assert self.turn is not None
        if left and not self.stock and not self.fitting(1 - self.turn):
            self.block()
        else:
            self.go_on(1 - self.turn)

    def go_on(self, seat: int) -> None:
        """It is this seat's turn; draws, passes and a blocked end happen by themselves."""
        self.drew = False
        while not self.fitting(seat) and self.stock:
            self.hands[seat].append(self.stock.pop(0))
            self.drew = True
        if self.fitting(seat):
            self.turn = seat
        elif self.fitting(1 - seat):
            self.turn, self.drew = 1 - seat, False
        else:
            self.block()

    def block(self) -> None:
        winner = self.winner_of_blocked()
        bonus = rounded_down(pips(self.hands[1 - winner])) - pips(self.hands[winner])
        self.end_round(winner, bonus)

    def winner_of_blocked(self) -> int:
        """Most points (or fewest pips), then fewer tiles in hand, then who laid the last tile."""

        def rank(seat: int) -> tuple[int, int, bool]:
            first = self.scores[seat] if self.blocked_winner == "highest_score" else -pips(self.hands[seat])
            return first, -len(self.hands[seat]), seat == self.laid_last

        return max((0, 1), key=rank)

    def end_round(self, winner: int, bonus: int) -> None:
        self.scores[winner] += bonus
        self.totals.append(list(self.scores))
        if max(self.scores) >= self.target:
            self.finish(winner)
        else:
            self.deal(winner)

    def finish(self, winner: int) -> None:
        self.turn, self.winners = None, [winner]

    def deal(self, last_winner: int | None) -> None:
        self.round += 1
        tiles = self.shuffle(f"round{self.round}", [f"{high}{low}" for high in range(7) for low in range(high + 1)])
        self.hands = [list(tiles[:7]), list(tiles[7:14])]
        self.stock = list(tiles[14:])
        self.line = []
        self.north = []
        self.south = []
        self.spinner = None
        self.laid_last = -1
        if last_winner is not None and self.leader == "round_winner":
            self.turn, self.drew = last_winner, False
            return
        highest = next(tile for tile in HIGHEST_FIRST.split() if tile in self.hands[0] or tile in self.hands[1])
        self.turn = 0 if highest in self.hands[0] else 1
        self.play(highest)
