"""Who plays the matches of the soak: robots that take the best move, and careless players who send all sorts."""

from __future__ import annotations

import random
from typing import Any

from moderator.match import robot
from moderator.match.contract import Context, Game, State
from tests.games.recount import Recount
from tests.games.recount.domijongg import DomiJongg, written
from tests.games.recount.dominos import Dominos


class Players:
    """About every second seat is greedy; the others play at random and miss some turns."""

    def __init__(self, key: str, game: Game[Any, Any], recount: Recount, dice: random.Random) -> None:
        self.key, self.game, self.recount, self.dice = key, game, recount, dice
        self.greedy = [dice.random() < 0.5 for _ in recount.hands]
        self.closing = dice.random() < 0.5
        self.lateness = 0.3 if dice.random() < 0.1 else 0.03

    def late(self, seat: int) -> bool:
        """Nothing comes before the ZAT."""
        return not self.greedy[seat] and self.dice.random() < self.lateness

    def order(self, state: State[Any], ctx: Context, legal: dict[str, int]) -> tuple[str, str]:
        """What the seat to move sends, and what must be played of it. ``legal``: {} if not known."""
        seat = state.to_move[0]
        if self.greedy[seat]:
            best = robot.choose(self.game, state, seat, ctx)
            assert not legal or legal[best] == max(legal.values())
            return best, best
        move = self.chosen(legal)
        fate = self.dice.random()
        if fate < 0.1:
            return self.with_a_mistake(seat, legal, move), move
        if fate < 0.2 and move in legal:
            return f"{move} ab {legal[move] + 1}; sonst {move}", move
        if fate < 0.3 and self.key != "domijongg":
            return f"nach Ziehen: bester; sonst {move}", self.best(legal) if self.recount.drew else move
        return move, move

    def chosen(self, legal: dict[str, int]) -> str:
        """Any legal move; in every other match of Dominos one that closes the table, so that rounds end blocked."""
        if isinstance(self.recount, DomiJongg):
            return self.wandering()
        if isinstance(self.recount, Dominos) and self.closing:
            recount = self.recount
            return min(sorted(legal), key=lambda text: recount.tried(text)[1])
        return self.dice.choice(sorted(legal))

    def with_a_mistake(self, seat: int, legal: dict[str, int], move: str) -> str:
        """An order whose first alternative lays a tile of the hand where it does not fit, if chance finds one."""
        tile, place = self.dice.choice(sorted(self.recount.hands[seat])), self.dice.choice(self.places())
        if self.key == "domijongg":
            wrong = f"{place}: {tile}"
            return move if wrong in self.first_steps() else f"{wrong}; sonst {move}"
        # Where nothing lies yet, a place says nothing and does no harm.
        return move if f"{tile}@{place}" in legal or "@" not in move else f"{tile}@{place}; sonst {move}"

    def best(self, legal: dict[str, int]) -> str:
        """What the standing order must choose: most points, then the lowest place."""
        order = self.places()
        return min(legal, key=lambda text: (-legal[text], order.index(text.partition("@")[2])))

    def places(self) -> list[str]:
        """Names of the places, the lowest first."""
        drawing = self.recount.drawing()
        if self.key == "dominos":
            return list("LRNS")
        return [str(number) for number in sorted(drawing["heads" if self.key == "domijongg" else "free"])]

    def first_steps(self) -> set[str]:
        recount = self.recount
        assert isinstance(recount, DomiJongg)
        assert recount.turn is not None
        hand = recount.hands[recount.turn]
        return {f"{head}: {step}" for head in recount.heads for step in recount.steps_at(recount.heads, head, hand)}

    def wandering(self) -> str:
        """A legal turn of Domi Jongg of random length, found step by step by the recount."""
        recount = self.recount
        assert isinstance(recount, DomiJongg)
        assert recount.turn is not None
        heads, hand = dict(recount.heads), list(recount.hands[recount.turn])
        grown, turn = list(heads), list[tuple[int, list[str]]]()
        while True:
            steps = [(head, step) for head in grown for step in recount.steps_at(heads, head, hand)]
            if not steps or (turn and self.dice.random() < 0.3):
                return written(turn)
            head, step = self.dice.choice(steps)
            opened = recount.put(heads, head, step, hand)
            if not turn:
                grown = [head]
            if opened:
                grown.append(opened)
            if turn and turn[-1][0] == head:
                turn[-1][1].append(step)
            else:
                turn.append((head, [step]))
