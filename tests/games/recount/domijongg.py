"""Domi Jongg, recounted: the heads as a dictionary of number -> tile, a turn as a walk over its text."""

from functools import cache
from typing import Any

from tests.games.recount import Referee, Shuffle

WINDS, DRAGONS = ("E", "S", "W", "N"), ("DR", "DG", "DW")
SUITS = tuple(f"{suit}{number}" for suit in "BKT" for number in range(1, 10))
SPECIALS = tuple(f"{kind}{number}" for kind in "FJ" for number in range(1, 5))


def is_suit(tile: str) -> bool:
    return tile in SUITS


@cache
def may_follow(lying: str, tile: str) -> bool:
    """A single tile after a lying one."""
    if is_suit(lying):
        return (is_suit(tile) and (tile[0] == lying[0] or tile[1] == lying[1])) or (
            tile in SPECIALS and tile[1] == lying[1]
        )
    if lying in DRAGONS:
        return tile in DRAGONS or tile in WINDS
    if lying in WINDS:
        return tile in WINDS or tile in DRAGONS or tile in SPECIALS
    return tile in SPECIALS and (tile[0] == lying[0] or tile[1] == lying[1])


@cache
def may_fork(lying: str, tile: str) -> bool:
    """One of the two tiles after a special."""
    return lying in SPECIALS and (tile in WINDS or (is_suit(tile) and tile[1] == lying[1]))


def written(turn: list[tuple[int, list[str]]]) -> str:
    return "; ".join(f"{head}: {', '.join(elements)}" for head, elements in turn)


def read(text: str) -> list[tuple[int, str]]:
    """``1: T3+E, T2; 3: N`` -> (1, T3+E), (1, T2), (3, N)."""
    steps = []
    for part in text.split("; "):
        head, _, elements = part.partition(": ")
        steps += [(int(head), element) for element in elements.split(", ")]
    return steps


class DomiJongg(Referee):
    """``heads``: number -> the tile at the end."""

    heads: dict[int, str]
    laid: list[str]
    idle: int
    """Turns in a row in which nothing was laid since the wall is used up."""

    def __init__(self, seats: int, options: dict[str, Any], shuffle: Shuffle) -> None:
        self.start_count: int = options.get("start_count") or {2: 6, 3: 5}.get(seats, 4)
        self.max_heads: int = options.get("max_heads", 10)
        self.games: int = options.get("games") or seats
        lot = options.get("first", "lot") == "lot"
        begins = int(shuffle("round1/first", [str(seat) for seat in range(seats)])[0]) if lot else 1
        self.first_leader = (begins - 1) % seats
        super().__init__(seats, shuffle)
        self.deal()

    def table(self) -> list[str]:
        return list(self.laid)

    def drawing(self) -> Any:
        return {"tiles": sorted(self.laid), "heads": dict(self.heads)}

    def exported(self) -> dict[str, Any]:
        return {"round": self.round, "leader": (self.first_leader + self.round - 1) % len(self.scores)}

    def steps_at(self, heads: dict[int, str], head: int, hand: list[str]) -> list[str]:
        """Every tile and every fork that may be laid at one head now."""
        lying, held = heads[head], sorted(set(hand))
        found = [tile for tile in held if may_follow(lying, tile)]
        if len(heads) < self.max_heads:
            forked = [tile for tile in held if may_fork(lying, tile)]
            found += [f"{a}+{b}" for a in forked for b in forked if a != b or hand.count(a) > 1]
        return found

    def can_lay(self, seat: int) -> bool:
        return any(self.steps_at(self.heads, head, self.hands[seat]) for head in self.heads)

    def turns(self, limit: int) -> dict[frozenset[tuple[int, str]], int] | None:
        """Every legal turn of the seat to move, as what it lays at which head, with its points; None if there are more
        than ``limit``. What is laid at a head is one text; the order between heads does not matter."""
        assert self.turn is not None
        hand = self.hands[self.turn]
        found: dict[frozenset[tuple[int, str]], int] = {}
        waiting = [(head, {head: ""}, dict(self.heads), list(hand)) for head in self.heads]
        while waiting:
            first, done, heads, left = waiting.pop()
            for head, before in done.items():
                for step in self.steps_at(heads, head, left):
                    laid = {**done, head: f"{before}, {step}".removeprefix(", ")}
                    after, rest = dict(heads), list(left)
                    opened = self.put(after, head, step, rest)
                    key = frozenset((number, text) for number, text in laid.items() if text)
                    if key in found:
                        continue
                    found[key] = self.worth(first, laid[first].split(", ")[0], key, hand)
                    if len(found) > limit:
                        return None
                    if opened:
                        laid[opened] = ""
                    waiting.append((first, laid, after, rest))
        return found

    @staticmethod
    def put(heads: dict[int, str], head: int, step: str, hand: list[str]) -> int | None:
        """Lay a tile or a fork; the number of the head that it opens, if it does."""
        first, _, second = step.partition("+")
        heads[head] = first
        hand.remove(first)
        if not second:
            return None
        number = len(heads) + 1
        heads[number] = second
        hand.remove(second)
        return number

    def worth(self, head: int, first: str, laid: frozenset[tuple[int, str]], hand: list[str]) -> int:
        """Points of a turn that began with ``first`` at ``head``; nothing of it is on the table yet."""
        steps = [step for _, text in laid for step in text.split(", ")]
        forks = sum("+" in step for step in steps)
        points = forks + (first == self.heads[head])
        if len(steps) + forks == len(hand):
            points += 2 if len(hand) > self.start_count else 1
            points += 0 if self.stock else 2
        return points

    def play(self, text: str) -> int:
        seat = self.turn
        assert seat is not None
        steps = read(text)
        first = steps[0][0]
        hand, heads, grown = list(self.hands[seat]), dict(self.heads), {first}
        laid: dict[int, str] = {}
        for head, step in steps:
            assert head in grown, f"{text}: head {head} is not of this turn"
            assert step in self.steps_at(heads, head, hand), f"{text}: {step} may not follow {heads[head]}"
            opened = self.put(heads, head, step, hand)
            laid[head] = f"{laid[head]}, {step}" if head in laid else step
            if opened:
                grown.add(opened)
        points = self.worth(first, steps[0][1], frozenset(laid.items()), self.hands[seat])
        self.scores[seat] += points
        self.laid += [tile for _, step in steps for tile in step.split("+")]
        self.hands[seat], self.heads, self.idle = hand, heads, 0
        while self.stock and len(hand) < self.start_count:
            hand.append(self.stock.pop(0))
        self.go_on(seat + 1)
        return points

    def miss(self, left: bool = False) -> None:
        assert self.turn is not None
        self.penalty(self.turn)
        self.go_on(self.turn + 1)

    def penalty(self, seat: int) -> None:
        if self.stock:
            self.hands[seat].append(self.stock.pop(0))
            self.scores[seat] -= 1
        else:
            self.idle += 1

    def go_on(self, seat: int) -> None:
        """It is this seat's turn; penalty tiles, passes and the end happen by themselves."""
        while True:
            seat %= len(self.hands)
            nobody = not any(self.can_lay(other) for other in range(len(self.hands)))
            # The third condition is the house's own: nobody need wait for ever for a seat that does not answer.
            if not self.stock and (nobody or not all(self.hands) or self.idle >= 2 * len(self.hands)):
                self.end_game()
                return
            if self.can_lay(seat):
                self.turn = seat
                return
            self.penalty(seat)
            seat += 1

    def end_game(self) -> None:
        self.totals.append(list(self.scores))
        if self.round < self.games:
            self.deal()
            return
        best = max(self.scores)
        self.turn = None
        self.winners = [seat for seat, score in enumerate(self.scores) if score == best]

    def deal(self) -> None:
        self.round += 1
        every = [tile for tile in (*SUITS, *WINDS, *DRAGONS) for _ in range(4)] + list(SPECIALS)
        tiles = list(self.shuffle(f"round{self.round}", every))
        seats, count = len(self.scores), self.start_count
        self.hands = [tiles[seat * count : (seat + 1) * count] for seat in range(seats)]
        self.stock = tiles[seats * count :]
        tries = 0
        while self.stock[0] in SPECIALS:
            tries += 1
            self.stock = list(self.shuffle(f"round{self.round}/single{tries}", self.stock))
        single = self.stock.pop(0)
        self.heads = {1: single, 2: single}
        self.laid = [single]
        self.idle = 0
        self.go_on(self.first_leader + self.round)
