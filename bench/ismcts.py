"""The strong robot beside ISMCTS of open-spiel: who wins more mirrored deals with the same time a move.

    pip install .[bench]                          (nothing else needs it)
    python -m bench ismcts
    python -m bench.ismcts --game tridom --deals 20 --times 10

At each of its turns the peer may think as long as the strong robot did at the very same position, in seconds of the
processor, or ``--times`` as long. It gets what the robot gets: the seat's view, worlds dealt anew by the same function,
and the rules; it plays on by its own random play-outs (``RandomRolloutEvaluator``).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

from bench.shares import Share
from bench.target import at_least
from moderator.common.enums import Level
from moderator.games import load_game
from moderator.rules import shuffling
from moderator.rules.ending import lead
from moderator.rules.game import State
from moderator.rules.robots import choose
from moderator.rules.state import Context, view_for
from moderator.rules.words import AnyWords

GAMES = ("dominos", "tridom")
DEALS = 20
SCALE = 50.0
"""Points of a lead that count as a whole win: the peer expects values from -1 to 1."""
EXPLORATION = 1.0
SIMULATIONS = 10**6
"""More than there is time for."""


class _Spent(Exception):
    """The time for a move is over."""


@dataclass
class Position:
    """Our contract as the peer wants it; two seats, one round. Actions are numbers of the moves by their notation."""

    game: Any
    ctx: Context
    state: State[Any]
    round: int

    def get_game(self) -> Position:
        return self

    def get_type(self) -> Any:
        import pyspiel

        dynamics, information = pyspiel.GameType.Dynamics, pyspiel.GameType.Information
        kind = type("Type", (), {})()
        kind.dynamics, kind.information = dynamics.SEQUENTIAL, information.IMPERFECT_INFORMATION
        return kind

    def clone(self) -> Position:
        return Position(self.game, self.ctx, self.state, self.round)

    def is_terminal(self) -> bool:
        return self.state.over or self.state.public.round != self.round

    def is_chance_node(self) -> bool:
        return False

    def current_player(self) -> int:
        return self.state.to_move[0]

    def moves(self) -> list[str]:
        """The legal moves, in an order that hangs on the view alone."""
        seat = self.current_player()
        return sorted(
            self.game.format_move(move) for move, _ in self.game.list_moves(view_for(self.state, seat), self.ctx)
        )

    def legal_actions(self, _: int = 0) -> list[int]:
        return list(range(len(self.moves())))

    def apply_action(self, action: int) -> None:
        seat = self.current_player()
        move = self.game.parse_move(self.moves()[action], view_for(self.state, seat))
        self.state = self.game.apply_move(self.state, seat, move, self.ctx).state

    def information_state_string(self) -> str:
        view = view_for(self.state, self.current_player())
        seen = [view.seat, self.game.export(view.public), view.hand, view.hand_counts, view.stock_count, view.scores]
        return json.dumps(seen, sort_keys=True, default=str)

    def returns(self) -> list[float]:
        ended = self.state.past[-1] if self.state.public.round != self.round else self.state
        return [max(-1.0, min(1.0, lead(ended.scores, seat) / SCALE)) for seat in (0, 1)]


def thought(game: Any, state: State[Any], ctx: Context, seconds: float, number: int) -> tuple[str, int]:
    """The peer's move after so many seconds of the processor, and the worlds that it has looked at."""
    import numpy
    from open_spiel.python.algorithms import ismcts, mcts

    seat, looked, until = state.to_move[0], 0, time.process_time() + seconds
    view, dice = view_for(state, seat), numpy.random.RandomState(number)
    shuffle = choose.build_world_shuffle(game, view)
    own = Context(ctx.words, shuffle)
    root = Position(game, own, state, state.public.round)

    def world(position: Position, _: int) -> Position:
        nonlocal looked
        if looked and time.process_time() > until:
            raise _Spent
        looked += 1
        return Position(game, own, choose.redeal_unseen(game, view, shuffle, f"world{looked}"), position.round)

    evaluator = mcts.RandomRolloutEvaluator(1, dice)
    bot = ismcts.ISMCTSBot(root, evaluator, EXPLORATION, SIMULATIONS, random_state=dice)
    bot.set_resampler(world)
    try:
        policy = bot.run_search(root)
    except _Spent:
        # The one visit that a root without children has is no decision: then any move is as good to it.
        policy = bot.get_final_policy(root, bot._root_node) if bot._root_node.child_info else [(0, 1.0)]
    return root.moves()[max(policy, key=lambda one: one[1])[0]], looked


def round_of(game: Any, strong: int, number: int, times: float, worlds: list[int]) -> int:
    """Points by which the strong robot in seat ``strong`` is ahead after a round."""
    seed = hashlib.sha256(f"ismcts/{number}".encode()).digest()
    ctx = Context(AnyWords(), shuffling.build_shuffle(shuffling.build_round_seeds(seed)))
    state, turn = game.setup(2, game.options(), ctx).state, 0
    first = state.public.round
    while not state.over and state.public.round == first:
        seat, began = state.to_move[0], time.process_time()
        text = choose.choose_robot_move(game, state, seat, ctx, Level.STRONG)
        if seat != strong:
            spent = time.process_time() - began
            text, looked = thought(game, state, ctx, spent * times, turn)
            worlds.append(looked)
        state = game.apply_move(state, seat, game.parse_move(text, view_for(state, seat)), ctx).state
        turn += 1
    return lead((state.past[-1] if state.public.round != first else state).scores, strong)


def compare(key: str, deals: int, times: float) -> Share:
    """Deals won by the strong robot, each played twice with seats exchanged."""
    game, worlds = load_game(key), list[int]()
    ahead = [round_of(game, 0, n, times, worlds) + round_of(game, 1, n, times, worlds) for n in range(deals)]
    won, lost = sum(points > 0 for points in ahead), sum(points < 0 for points in ahead)
    share = Share(won, deals - won - lost, lost)
    low, high = share.interval()
    print(
        f"  {key}: won {won}, equal {share.equal}, lost {lost} of {deals} deals, {low:.0%} to {high:.0%}; the peer had "
        f"{times:g} times our time and looked at {sum(worlds) / len(worlds):.0f} worlds a move",
        flush=True,
    )
    return share


def run(keys: tuple[str, ...] = GAMES, deals: int = DEALS, times: float = 1.0) -> None:
    """Play and print."""
    for key in keys:
        at_least(f"{key}, share against ISMCTS", compare(key, deals, times).value, 0.6)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", choices=("dominos", "tridom", "supertridom"), default="tridom")
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--times", type=float, default=1.0)
    chosen = parser.parse_args()
    run((chosen.game,), chosen.deals, chosen.times)
