"""A round of Dominos played to its end by two that take the most points, in plain numbers: what the search asks some
hundred times for a move. ``tests/games/test_simulate.py`` plays the same by the rules."""

from __future__ import annotations

from moderator.games.dominos.state import DominoPlacement, DominosPublic, get_open_ends
from moderator.rules.game import State

LEFT, RIGHT, NORTH, SOUTH = range(4)
PLACES = "LRNS"
SIDES = {LEFT: RIGHT, RIGHT: LEFT}
Tile = tuple[int, int]
Choice = tuple[Tile, int]
"""A tile, and the end that it is laid at."""


class DominoSimulation:
    """A table with at least one tile, as it is being played on."""

    def __init__(self, state: State[DominosPublic]) -> None:
        public = state.public
        board, self.options = public.board, public.options
        self.hands = [[(int(tile[0]), int(tile[1])) for tile in hand] for hand in state.hands]
        self.stock = [(int(tile[0]), int(tile[1])) for tile in reversed(state.stock)]
        self.scores = list(state.scores)
        self.value, self.counts = [-1] * 4, [0] * 4
        for place, end in get_open_ends(board).items():
            self.value[PLACES.index(place)], self.counts[PLACES.index(place)] = end.value, end.counts
        self.alone = len(board.line) == 1
        self.spinner = int(board.line[board.spinner][0]) if board.spinner is not None else -1
        at, last = board.spinner, len(board.line) - 1
        self.bare = {side for side, end in ((LEFT, 0), (RIGHT, last)) if at == end}
        """Sides of the spinner at which nothing lies."""
        self.last = public.last

    def lay_tile(self, seat: int, tile: Tile, place: int) -> None:
        """Move a tile off the hand, onto the table, and its points on the account."""
        self.hands[seat].remove(tile)
        self.last = seat
        inner = self.value[place]
        outer = tile[1] if tile[0] == inner else tile[0]
        double = tile[0] == tile[1]
        if self.alone and place in SIDES:
            other = SIDES[place]
            if self.spinner >= 0:
                self.counts[other] = 2 * self.value[other]
            self.alone = False
        self.value[place], self.counts[place] = outer, 2 * outer if double else outer
        if self.spinner < 0 and double:
            self.spinner, self.bare = outer, {place}
            if self.options.spinner_any_time:
                self.value[NORTH] = self.value[SOUTH] = outer
        elif place in self.bare:
            self.bare.discard(place)
            if not self.bare and not self.options.spinner_any_time:
                self.value[NORTH] = self.value[SOUTH] = self.spinner
        total = sum(self.counts)
        self.scores[seat] += total if total % 5 == 0 else 0

    def can_lay(self, seat: int) -> bool:
        """Return whether the seat can lay anything."""
        return any(a in self.value or b in self.value for a, b in self.hands[seat])

    def draw_until_fit(self, seat: int) -> bool:
        """Draw until something fits; return whether anything does."""
        while self.stock:
            tile = self.stock.pop()
            self.hands[seat].append(tile)
            if tile[0] in self.value or tile[1] in self.value:
                return True
        return False

    def choose_best(self, seat: int) -> Choice:
        """Return the placement with the most points, of equal ones the heaviest tile, the first of those."""
        total, most, found = sum(self.counts), (-1, -1), ((0, 0), 0)
        for tile in self.hands[seat]:
            a, b = tile
            for place, inner in enumerate(self.value):
                if inner not in (a, b):
                    continue
                sum_after = total - self.counts[place] + (2 * a if a == b else b if a == inner else a)
                if self.alone and self.spinner >= 0 and place in SIDES:
                    sum_after += self.value[SIDES[place]]
                worth = (sum_after if sum_after % 5 == 0 else 0, a + b)
                if worth > most:
                    most, found = worth, (tile, place)
        return found

    def count_pips(self, seat: int) -> int:
        return sum(a + b for a, b in self.hands[seat])

    def score_blocked_round(self) -> None:
        """Score a round in which nobody can lay: the winner gets the other's pips, rounded down to fives, less its
        own."""
        by_score = self.options.blocked_winner == "highest_score"
        keys = [
            (self.scores[s] if by_score else -self.count_pips(s), -len(self.hands[s]), s == self.last) for s in (0, 1)
        ]
        winner = keys.index(max(keys))
        self.scores[winner] += self.count_pips(1 - winner) // 5 * 5 - self.count_pips(winner)

    def play_to_end(self, seat: int) -> None:
        """Play to the end, ``seat`` to move after ``last`` has laid."""
        while self.scores[self.last] < self.options.target:
            if not self.hands[self.last]:
                self.scores[self.last] += self.count_pips(1 - self.last) // 5 * 5
                return
            if self.can_lay(seat) or self.draw_until_fit(seat):
                self.lay_tile(seat, *self.choose_best(seat))
            elif not self.can_lay(1 - seat):
                self.score_blocked_round()
                return
            seat = 1 - seat


def simulate_domino_round(state: State[DominosPublic], move: DominoPlacement) -> tuple[int, ...]:
    """Return the scores at the end of the round after the move of the seat to move, which must be legal and not the
    first on the table."""
    seat = state.to_move[0]
    table = DominoSimulation(state)
    table.lay_tile(seat, (int(move.tile[0]), int(move.tile[1])), PLACES.index(move.place))
    table.play_to_end(1 - seat)
    return tuple(table.scores)
