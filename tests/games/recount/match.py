"""One match: played by the engine and recounted beside it, compared after every event."""

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from moderator.common.typed import build_dataclass
from moderator.games import load_game
from moderator.rules import replay
from moderator.rules import table as driver
from moderator.rules import table as seating
from moderator.rules.game import Game, State
from moderator.rules.log import EngineResult
from moderator.rules.robots import choose
from moderator.rules.scenes import Layout, Scene, Snake, Triangles
from moderator.rules.state import Context, view_for
from tests.games.domijongg_table import NoWords
from tests.games.recount.domijongg import DomiJongg, read, written
from tests.games.recount.dominos import Dominos
from tests.games.recount.tridom import Tridom

Recount = Dominos | Tridom | DomiJongg
MODELS: Mapping[str, Callable[..., Recount]] = {
    "dominos": Dominos,
    "tridom": partial(Tridom, key="tridom"),
    "supertridom": partial(Tridom, key="supertridom"),
    "domijongg": DomiJongg,
}
MOST_EVENTS = 6000
SOON = 40
"""Seats that leave do so within so many entries of the log."""
TURNS_COMPARED = 250
"""Domi Jongg: positions with more turns are compared by samples only."""


def shuffle_of(seed: int) -> Callable[[str, Sequence[str]], tuple[str, ...]]:
    """The order hangs on seed, label and the set of the tiles, not on the order in which a referee names them."""

    def shuffle(label: str, items: Sequence[str]) -> tuple[str, ...]:
        return tuple(random.Random(f"{seed}/{label}").sample(sorted(items), len(items)))

    return shuffle


def agreed(key: str, seed: int) -> tuple[int, dict[str, Any]]:
    """Seats and options of a match. Every ninth keeps the default length."""
    dice = random.Random(f"{key} {seed}")
    game = load_game(key)
    seats = dice.randint(game.min_seats, game.max_seats)
    options: dict[str, Any] = {}
    if dice.random() < 0.4:
        special: dict[str, dict[str, Any]] = {
            "dominos": {"leader": "round_winner", "spinner_any_time": True, "blocked_winner": "lowest_hand"},
            "domijongg": {"max_heads": dice.choice([2, 3, 5, 8]), "start_count": dice.choice([3, 7]), "first": "seat"},
        }
        every = special.get(key, {"triple_zero": "highest", "double_hexagon": 60, "bonus": "sum"})
        options = {name: value for name, value in every.items() if dice.random() < 0.6}
    if seed % 9:
        if key == "domijongg":
            options["games"] = 1
        else:
            options["target"] = dice.choice([20, 35, 50] if key == "dominos" else [40, 90, 140])
    return seats, options


def leaving(seats: int, seed: int) -> dict[int, int]:
    """Length of the log -> the seat that then plays no more. In every third match; at least two stay where more than
    two play."""
    dice = random.Random(f"leaving {seed}")
    if dice.random() < 2 / 3:
        return {}
    going = dice.sample(range(seats), dice.randint(1, max(1, seats - 2)))
    return dict(zip(dice.sample(range(SOON), len(going)), going, strict=True))


class Match:
    """``thorough`` looks at everything after every event, else the dear looks are taken at random; how the match goes
    does not depend on it."""

    def __init__(self, key: str, seed: int, thorough: bool = False) -> None:
        self.key = key
        self.looks = random.Random(f"looks {seed}")
        self.thorough = thorough
        self.game: Game[Any, Any] = load_game(key)
        self.seats, given = agreed(key, seed)
        self.ctx = Context(NoWords(), shuffle_of(seed))
        self.options = build_dataclass(self.game.options, given, "options")
        self.table, setup = driver.open_match_state(self.game, self.seats, self.options, self.ctx)
        self.recount = MODELS[key](self.seats, given, shuffle_of(seed))
        self.players = Players(key, self.game, self.recount, random.Random(seed))
        self.leaving = leaving(self.seats, seed)
        self.log: list[replay.LogEntry] = []
        self.results: list[EngineResult] = []
        self.every = self.all_tiles()
        self.lying: set[Any] = set()
        self.lying_round = 0
        self.opened = setup
        self.where = f"{key} seed={seed} seats={self.seats} options={given}"

    @property
    def state(self) -> State[Any]:
        return self.table.state

    def run(self) -> None:
        """Play to the end. Raises AssertionError with the log as a note."""
        try:
            self.compare()
            while not self.state.over:
                self.event()
                assert len(self.log) < MOST_EVENTS
            self.finish()
        except Exception as error:
            error.add_note(self.where)
            error.add_note("; ".join(f"{e.seat}:{e.kind} {e.text}" for e in self.log[-400:]))
            raise

    def event(self) -> None:
        while len(self.log) in self.leaving:
            self.leave(self.leaving[len(self.log)])
        seat, scores = self.state.to_move[0], self.state.scores
        legal = self.legal(seat)
        if seat in self.table.out or self.players.late(seat):
            self.table, result = driver.miss_seat(self.game, self.table, seat, self.ctx)
            self.recount.miss(seat in self.table.out)
            self.log.append(replay.LogEntry("miss", seat, "", result.to_json()))
        else:
            text, wanted = self.players.order(self.state, self.ctx, legal)
            self.table, result = driver.try_order(self.game, self.table, seat, text, self.ctx)
            played = result.moves[0]
            assert played.played == wanted, (text, played)
            assert played.points == self.recount.play(wanted), text
            self.log.append(replay.LogEntry("move", seat, text, result.to_json()))
        self.results.append(result)
        self.sums(result, scores)
        self.compare()

    def leave(self, seat: int) -> None:
        self.table = seating.retire_in_state(self.table, seat)
        self.log.append(replay.LogEntry("retire", seat, "resigned"))
        self.results.append(EngineResult())

    def legal(self, seat: int) -> dict[str, int]:
        """The engine's legal moves, equal to the recount's. Domi Jongg: the recount's where there are few enough."""
        view = view_for(self.state, seat)
        if self.key == "domijongg":
            return self.domijongg_turns(seat)
        moves = dict(self.game.list_moves(view, self.ctx))
        found = {self.game.format_move(move): points for move, points in moves.items()}
        assert len(found) == len(moves) > 0
        assert found == self.recount.legal()
        if self.now_and_then(0.3):
            for move in self.looks.sample(sorted(moves, key=self.game.format_move), min(20, len(moves))):
                assert self.game.parse_move(self.game.format_move(move), view) == move
        return found

    def domijongg_turns(self, seat: int) -> dict[str, int]:
        """All legal turns with their points where they are few enough to be compared, else {}."""
        recount, view = self.recount, view_for(self.state, seat)
        assert isinstance(recount, DomiJongg)
        if not self.now_and_then(0.3):
            return {}
        expected = recount.turns(TURNS_COMPARED)
        most = None if expected is not None else 20
        moves = list(islice(self.game.list_moves(view, self.ctx), most))
        for move, _ in self.looks.sample(moves, min(20, len(moves))):
            assert self.game.parse_move(self.game.format_move(move), view) == move
        listed = {self.game.format_move(move): points for move, points in moves}
        assert len(listed) == len(moves) > 0
        if expected is None:
            return {}
        found = {laid_by_head(text): points for text, points in listed.items()}
        assert len(found) == len(listed)
        assert found == expected
        return listed

    def now_and_then(self, share: float) -> bool:
        return self.thorough or self.looks.random() < share

    def all_tiles(self) -> list[str]:
        """Those on the table as the engine draws them, in all hands, in the stock."""
        lying = drawn(self.scene(None))["names"]
        return sorted([*lying, *self.state.stock, *(tile for hand in self.state.hands for tile in hand)])

    def scene(self, seat: int | None) -> Scene:
        return self.game.build_scene(view_for(self.state, seat))

    def compare(self) -> None:
        state, recount = self.state, self.recount
        assert list(state.scores) == recount.scores
        assert [sorted(hand) for hand in state.hands] == [sorted(hand) for hand in recount.hands]
        assert list(state.stock) == recount.stock
        assert list(state.to_move) == ([] if recount.turn is None else [recount.turn])
        assert list(self.game.find_winners(state)) == recount.winners
        assert state.public.round == recount.round
        scene = self.scene(None)
        shown = drawn(scene)
        names = shown.pop("names")
        assert shown == recount.drawing()
        assert sorted(names) == sorted(recount.table())
        assert sorted([*names, *state.stock, *(tile for hand in state.hands for tile in hand)]) == self.every
        self.nothing_moved(scene)
        if self.now_and_then(0.2):
            assert all(self.scene(seat) == scene for seat in range(self.seats))
            assert sorted(self.game.list_table_tiles(state.public)) == sorted(names)
            public = self.game.export(state.public)
            expected = recount.exported()
            assert {name: public[name] for name in expected} == expected

    def nothing_moved(self, scene: Scene) -> None:
        """What lay where it lay after the event before still lies there, unless a new round was dealt."""
        now = set(positions(scene))
        if self.state.public.round == self.lying_round:
            assert self.lying <= now
        self.lying, self.lying_round = now, self.state.public.round

    def sums(self, result: EngineResult, before: Sequence[int]) -> None:
        """The points of the notes are the change of the scores, and the sums of a finished round add up."""
        gained = [now - then for now, then in zip(self.state.scores, before, strict=True)]
        for seat in range(self.seats):
            own = sum(move.points for move in result.moves if move.seat == seat)
            assert gained[seat] == own + sum(note.points for note in result.notes if note.seat == seat)
        lines: dict[int | None, int] = {}
        for note in result.notes:
            if note.code == "sum-total":
                ended, points = note.params["round"] - 1, lines.pop(note.seat, 0)
                assert note.seat is not None
                total = self.recount.totals[ended][note.seat]
                assert note.params["total"] == total
                then = self.recount.totals[ended - 1][note.seat] if ended else 0
                assert note.params["points"] == points == total - then
            elif note.code.startswith("sum-"):
                # A line either changes the score or says what is in it already.
                lines[note.seat] = lines.get(note.seat, 0) + (note.points or note.params["points"])
                if items := note.params.get("items"):
                    assert added(items) == note.params["points"]
        assert not lines

    def finish(self) -> None:
        """The log gives the match again, outcome by outcome."""
        table, results, setup = replay.rebuild_from_log(self.game, self.seats, self.options, self.ctx, None, self.log)
        assert setup == self.opened
        assert results == self.results
        assert table == self.table


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
            best = choose.choose_robot_move(self.game, state, seat, ctx)
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


def added(items: str | Sequence[int]) -> int:
    """``−15 − 10 + 13`` or [10, 5] as a number."""
    if not isinstance(items, str):
        return sum(items)
    return sum(int(term) for term in items.replace("−", "-").replace("- ", "-").replace("+", " ").split())


def laid_by_head(text: str) -> frozenset[tuple[int, str]]:
    """``1: T3+E; 3: N; 1: T2`` and ``1: T3+E, T2; 3: N`` lay the same tiles at the same heads."""
    laid: dict[int, list[str]] = {}
    for head, step in read(text):
        laid.setdefault(head, []).append(step)
    return frozenset((head, ", ".join(steps)) for head, steps in laid.items())


def drawn(scene: Scene) -> dict[str, Any]:
    """A neutral drawing as the plain values of ``Recount.drawing``, and the ``names`` of the tiles in it."""
    if isinstance(scene, Layout):
        names = [bone.name for bone in scene.bones]
        return {
            "names": names,
            "tiles": sorted(names),
            "ends": {end.name: end.value for end in scene.ends},
            "sum": scene.total,
        }
    if isinstance(scene, Triangles):
        tiles = {t.place: ((t.x, t.y), t.corners) for t in scene.tiles}
        free = {t.place: ((t.x, t.y), t.corners) for t in scene.free}
        return {"names": [lowest(t.corners) for t in scene.tiles], "tiles": tiles, "free": free}
    assert isinstance(scene, Snake)
    assert len(scene.heads) <= 10
    names = [link.tile for link in scene.links]
    return {"names": names, "tiles": sorted(names), "heads": {head.number: head.tile for head in scene.heads}}


def lowest(corners: Sequence[int | None]) -> str:
    a, b, c = map(str, corners)
    return min(a + b + c, b + c + a, c + a + b)


def positions(scene: Scene) -> list[Any]:
    """Each lying tile with its place in the drawing."""
    if isinstance(scene, Layout):
        return [(bone.x, bone.y, bone.upright, bone.values) for bone in scene.bones]
    if isinstance(scene, Triangles):
        return [(tile.x, tile.y, tile.place, tile.corners) for tile in scene.tiles]
    assert isinstance(scene, Snake)
    return [(link.x, link.y, link.tile) for link in scene.links]
