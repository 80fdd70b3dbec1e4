"""How fast the tile games are: legal placements with points in mid-game, the replay of a match, pictures and lists.

`python -m bench.tiles` prints medians in milliseconds, each with its ratio to a floor taken in the same run: bare
Python that handles as much, but decides nothing. Targets: placements <= 1 ms, replay of 120 turns of Tridom <= 50 ms,
picture <= 5 ms.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.target import at_most
from moderator.games import load_game
from moderator.games.domijongg.generate import iter_first_steps as first_steps
from moderator.render import boards
from moderator.rules import replay
from moderator.rules import table as driver
from moderator.rules.game import Game, State, Verdict
from moderator.rules.robots import choose
from moderator.rules.scenes import Scene
from moderator.rules.state import Context, Words, view_for

KEYS = ("dominos", "tridom", "supertridom", "domijongg")
SEATS = 3
MATCHES = 6
REPEATS = 7
TURNS = 120
"""About the length of the matches that are replayed; the target is for Tridom."""
REPLAYS = 12


class NoWords(Words):
    def judge(self, word: str, base: str | None = None) -> Verdict:
        return Verdict(word, "reject", "unknown", "bench")

    def playable(self, max_length: int) -> Sequence[str]:
        return ()


@dataclass(frozen=True)
class Playing:
    """A match between robots: its log, and the position before each entry."""

    game: Game[Any, Any]
    seats: int
    options: Any
    ctx: Context
    log: list[replay.LogEntry]
    states: list[State[Any]]


def context(seed: int) -> Context:
    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(random.Random(f"{seed}/{label}").sample(list(items), len(items)))

    return Context(NoWords(), shuffle)


def playing(key: str, seed: int, most: int) -> Playing:
    """At most ``most`` entries."""
    game, ctx = load_game(key), context(seed)
    seats, options = min(SEATS, game.max_seats), game.options()
    table, _ = driver.open_match_state(game, seats, options, ctx)
    log, states = list[replay.LogEntry](), [table.state]
    while not table.state.over and len(log) < most:
        seat = table.state.to_move[0]
        text = choose.choose_robot_move(game, table.state, seat, ctx)
        table, result = driver.try_order(game, table, seat, text, ctx)
        log.append(replay.LogEntry("move", seat, text, result.to_json()))
        states.append(table.state)
    return Playing(game, seats, options, ctx, log, states)


def milliseconds(action: Callable[[], object], started: bool = True) -> float:
    """Median of some runs. Not ``started``: each with nothing kept from the one before, as in a new process."""
    times = []
    for _ in range(REPEATS):
        if not started:
            forget()
        start = time.perf_counter()
        action()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def forget() -> None:
    """Empty every cache of the games and the boards."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("moderator.games.", "moderator.render.boards.")):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def report(label: str, ours: list[float], floor: list[float], target: float | None = None) -> float:
    """One line; gives the median."""
    median, bare = statistics.median(ours), statistics.median(floor)
    print(f"  {label:<34} {median:8.3f} ms   worst {max(ours):8.3f}   {median / bare:7.1f} x floor", flush=True)
    if target is not None:
        at_most(label, median, target, " ms")
    return median


def middle(match: Playing) -> list[State[Any]]:
    """Positions of the first round between a third and two thirds of its turns."""
    first = [state for state in match.states if state.public.round == 1 and not state.over]
    return first[len(first) // 3 : 2 * len(first) // 3]


def fullest(match: Playing) -> Scene:
    """The drawing with the most tiles in its picture."""
    scenes = [match.game.build_scene(view_for(state, None)) for state in match.states]
    return max(scenes, key=lambda scene: len(boards.render_board_svg(scene)))


def placements(game: Game[Any, Any], state: State[Any], ctx: Context) -> int:
    return sum(1 for _ in game.list_moves(view_for(state, state.to_move[0]), ctx))


def holding_everything(state: State[Any]) -> State[Any]:
    """The same position, but the seat to move holds every hidden tile: the most placements there can be."""
    hidden = (*state.stock, *(tile for hand in state.hands for tile in hand))
    hands = tuple(hidden if seat == state.to_move[0] else () for seat in range(state.seats))
    return replace(state, hands=hands, stock=())


def looked_up(state: State[Any], places: int) -> float:
    """The floor of placements: one look-up in a dictionary for each tile at each place."""
    table = {(tile, place): place for tile in state.hands[state.to_move[0]] for place in range(places)}
    keys = [(tile, place) for tile in state.hands[state.to_move[0]] for place in range(places)]
    return milliseconds(lambda: sum(1 for key in keys if table.get(key) is not None))


def formatted(length: int) -> float:
    """The floor of drawing: as many characters, put together from lines of 60 with two numbers in each."""
    return milliseconds(
        lambda: "".join(f'<rect x="{n * 1.5:g}" y="{n:g}" fill="#ffffff" stroke="#000"/>' for n in range(length // 60))
    )


def open_places(scene: Any) -> int:
    """Number of places at which a tile may be laid."""
    return max(1, len(getattr(scene, "ends", ()) or getattr(scene, "free", ()) or getattr(scene, "heads", ())))


def run() -> dict[str, float]:
    """Measure, print and return the medians in milliseconds."""
    figures: dict[str, float] = {}
    for key in KEYS:
        matches = [playing(key, seed, TURNS) for seed in range(MATCHES)]
        figures |= of_moves(key, matches) | of_boards(key, matches)
    return figures | of_replay()


def of_moves(key: str, matches: list[Playing]) -> dict[str, float]:
    cases = [(match, state) for match in matches for state in middle(match)]
    floor = [floor_of(match, state) for match, state in cases]
    figures = placing(key, "all legal moves with points", cases)
    if key == "domijongg":
        # Its turns are chains, whose number explodes with the hand: also the first step of each alone.
        first = [milliseconds(lambda s=s: list(first_steps(s.public, s.hands[s.to_move[0]]))) for _, s in cases]
        figures[f"{key} first steps"] = report("every single tile and fork", first, floor, 1)
    else:
        full = [(match, holding_everything(state)) for match, state in cases]
        figures |= placing(key, "the same, all hidden tiles in hand", full)
    choices = [
        milliseconds(lambda m=m, s=s: choose.choose_robot_move(m.game, s, s.to_move[0], m.ctx)) for m, s in cases
    ]
    return figures | {f"{key} robot": report("robot's choice", choices, floor)}


def placing(key: str, label: str, cases: list[tuple[Playing, State[Any]]]) -> dict[str, float]:
    counts = [placements(match.game, state, match.ctx) for match, state in cases]
    ours = [milliseconds(lambda m=m, s=s: placements(m.game, s, m.ctx)) for m, s in cases]
    print(f"{key}: {len(cases)} positions, {statistics.median(counts):g} moves each, at most {max(counts)}")
    return {f"{key} {label}": report(label, ours, [floor_of(m, s) for m, s in cases], 1)}


def floor_of(match: Playing, state: State[Any]) -> float:
    return looked_up(state, open_places(match.game.build_scene(view_for(state, None))))


def of_boards(key: str, matches: list[Playing]) -> dict[str, float]:
    scenes = [fullest(match) for match in matches]
    pictures = [milliseconds(lambda scene=scene: boards.render_board_svg(scene), started=False) for scene in scenes]
    drawn = [formatted(len(boards.render_board_svg(scene))) for scene in scenes]
    lists = [
        milliseconds(lambda scene=scene: boards.describe_board_lines(scene, "de"), started=False) for scene in scenes
    ]
    listed = [formatted(sum(map(len, boards.describe_board_lines(scene, "de")))) for scene in scenes]
    return {
        f"{key} svg": report("picture of a full board", pictures, drawn, 5),
        f"{key} lists": report("its lists", lists, listed),
    }


def of_replay() -> dict[str, float]:
    """Of each game the whole match, out of some, that comes closest to ``TURNS`` turns."""
    figures = {}
    print(f"replay of whole matches of about {TURNS} turns; floor: their outcomes to JSON and back")
    for key in KEYS:
        whole = [match for match in (playing(key, seed, 1000) for seed in range(REPLAYS)) if match.states[-1].over]
        match = min(whole, key=lambda match: abs(len(match.log) - TURNS))
        again = milliseconds(
            lambda m=match: replay.rebuild_from_log(m.game, m.seats, m.options, m.ctx, None, m.log), False
        )
        outcomes = [entry.outcome for entry in match.log]
        floor = milliseconds(lambda outcomes=outcomes: json.loads(json.dumps(outcomes)))
        label = f"{key}, {len(match.log)} turns, {match.states[-1].public.round} rounds"
        figures[f"{key} replay"] = report(label, [again], [floor], 50 if key == "tridom" else None)
    return figures


if __name__ == "__main__":
    run()
