"""The game object: Dominos as the engine sees it. What it decides stands in the modules beside this one.

Where the tiles lie in the picture. A pinwheel: each arm owns a quarter of the table and folds there, so that arms
never meet, whatever is laid. A tile's place hangs only on what was laid before it, so nothing ever moves.

Until the spinner lies, the two arms of the line run like stairs, right and down and left and up: the corners above
and below such a line stay free for the spinner's arms, wherever in it the spinner comes. Afterwards all arms fold in
rows to and fro. A double lies across its arm, at a turn across the row that it ends; behind a double no arm turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from moderator.errors import Illegal
from moderator.games.dominos import notation, position, simulate
from moderator.games.dominos.rounds import advance, deal, laid, missed
from moderator.games.dominos.state import (
    SET,
    Board,
    Lay,
    Move,
    Options,
    Public,
    arms_open,
    double,
    ends,
    fitting,
    pips,
    placements,
    tiles,
    total,
)
from moderator.match import conditions
from moderator.match.contract import Context, Note, State, Step, View, check_turn
from moderator.match.diagram import Diagram
from moderator.match.outcome import lead
from moderator.match.playouts import Effort
from moderator.match.scenes import Bone, Layout, OpenEnd
from moderator.match.sequential import Sequential


class Dominos(Sequential[Public, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.match.contract.Game``."""

    key = "dominos"
    min_seats = 2
    max_seats = 2
    options = Options
    contract = 1
    version = "1"
    opener = "tile"
    style = notation.STYLE
    effort = Effort(moves=12, worlds=(60, 60, 180), turns=60, reviewed=1000, ahead=60)

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        """Deal seven tiles each and open, up to the first choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        return deal(options, ctx, fixed or {})

    def moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every placement of the seat's tiles with its points; none while the seat is not to move."""
        if view.seat not in view.to_move:
            return []
        return [(Lay(tile, place), won) for tile, place, won in placements(view.public.board, view.hand)]

    def parse(self, line: str, view: View[Public]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return notation.read(line, view)

    def format(self, move: Move) -> str:
        """Canonical notation: ``64@L``, ``64@L ab 10``, ``64`` on an empty table, ``nach Ziehen: bester``."""
        return notation.write(move)

    def apply(self, state: State[Public], seat: int, move: Move, ctx: Context) -> Step[Public]:
        """Lay a tile; what is forced then happens, too. Raises Illegal."""
        check_turn(state, seat)
        played = _resolved(move, state, seat) if isinstance(move, Lay) else _best(state, seat)
        after, won = laid(state, seat, played.tile, played.place)
        conditions.check(played.at_least, won)
        board = after.public.board
        detail = {"tile": played.tile, "place": played.place, "sum": total(board)}
        notes = (_counted(board, seat, won),)
        after, forced = advance(after, ctx)
        return Step(after, notes, won, replace(played, at_least=None), detail, forced)

    def miss(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        """The deadline passed: the seat passes and draws nothing."""
        check_turn(state, seat)
        after, forced = missed(state, seat, ctx)
        return Step(after, (Note("missed", seat=seat),), after=forced)

    def scene(self, view: View[Public]) -> Layout:
        """The tiles where they lie, the last one fresh."""
        return draw(view.public.board)

    def export(self, public: Public) -> dict[str, Any]:
        """What lies on the table and what it counts; RULES.md lists the keys."""
        board = public.board
        spinner = board.line[board.spinner] if board.spinner is not None else None
        return {
            "round": public.round,
            "leader": public.leader,
            "ends": {place: {"value": end.value, "counts": end.counts} for place, end in ends(board).items()},
            "sum": total(board),
            "line": list(board.line),
            "arms": {"N": list(board.north), "S": list(board.south)},
            "spinner": spinner,
            "laid": [f"{tile}@{place}" if place else tile for tile, place in board.laid],
            "gains": [list(row) for row in public.gains],
        }

    def rack_value(self, state: State[Public], seat: int) -> int:
        """All pips of the hand, as the winner of a blocked round pays them."""
        return pips(state.hands[seat])

    def table(self, public: Public) -> dict[str, Any]:
        """See ``contract.Portable``."""
        return position.write(public)

    def placed(self, values: Mapping[str, Any], options: Options, seats: int, round: int) -> Public:
        """See ``contract.Portable``."""
        return position.read(values, options, round)

    def diagram(self, state: State[Public]) -> dict[str, Any]:
        """See ``contract.Resumable``."""
        return position.write_diagram(state)

    def resume(self, diagram: Diagram, options: Options, ctx: Context) -> Step[Public]:
        """See ``contract.Resumable``."""
        state = position.read_diagram(diagram, options, ctx)
        return Step(state) if diagram.faults else Step(*advance(state, ctx))

    def on_table(self, public: Public) -> list[str]:
        """See ``contract.Conserving``."""
        return [tile for tile, _ in public.board.laid]

    def unseen(self, view: View[Public]) -> list[str]:
        """See ``playouts.Redealable``."""
        seen = {*tiles(view.public.board), *view.hand}
        return [tile for tile in SET if tile not in seen]

    def reply(self, view: View[Public], ctx: Context) -> Lay | None:
        """The placement with the most points, of equal ones the heaviest tile."""
        found = max(placements(view.public.board, view.hand), key=lambda one: (one[2], pips(one[:1])), default=None)
        return None if found is None else Lay(found[0], found[1])

    def standing(self, state: State[Public], seat: int) -> float:
        """The lead; a match that is won is worth a round more."""
        return self.worth(state.scores, state.public.options.target, seat)

    def simulated(self, world: State[Public], move: Lay) -> float | None:
        """See ``playouts.Simulated``."""
        if not world.public.board.line:
            return None
        return self.worth(simulate.scores_after(world, move), world.public.options.target, world.to_move[0])

    def worth(self, scores: tuple[int, ...], target: int, seat: int) -> float:
        """What a score is worth to a seat, for the search: the lead, and more where the match is won."""
        ahead = lead(scores, seat)
        return ahead + (WON if ahead > 0 else -WON if ahead < 0 else 0) * (max(scores) >= target)

    def by_points(self) -> Dominos:
        """See ``equity.Counting``."""
        return _ByPoints()


class _ByPoints(Dominos):
    def worth(self, scores: tuple[int, ...], target: int, seat: int) -> float:
        """The lead, of no more points than end the match."""
        return lead([min(score, target) for score in scores], seat)


WON = 50
"""Points that the end of a match is worth beside the score, for the search."""


def _resolved(move: Lay, state: State[Public], seat: int) -> Lay:
    """The move with its place, if it named none and only one fits. Raises Illegal for a tile not held."""
    if move.tile not in state.hands[seat]:
        raise Illegal("not-your-tile", tile=move.tile)
    board = state.public.board
    if not board.line:
        return replace(move, place="")
    places = fitting(board, move.tile)
    return replace(move, place=places[0]) if not move.place and len(places) == 1 else move


def _best(state: State[Public], seat: int) -> Lay:
    """``nach Ziehen: bester``: only the tile just drawn fits; its best place, of equal ones the first of L R N S."""
    if state.public.drew != seat:
        raise Illegal("no-draw")
    tile, place, _ = max(placements(state.public.board, state.hands[seat]), key=lambda found: found[2])
    return Lay(tile, place)


def _counted(board: Board, seat: int, won: int) -> Note:
    """How the points of a move come about."""
    counts = {place: end.counts for place, end in ends(board).items() if end.counts or place in "LR"}
    return Note("scored" if won else "no-score", {"ends": counts, "sum": total(board)}, seat=seat)


GAME = Dominos()


# ---- where the tiles lie ----


FIRST_ACROSS, FIRST_DOWN = 6, 6
"""Half tiles before an arm's first turn."""
STEP_ACROSS, STEP_DOWN = 4, 8
"""Half tiles of the later steps of the stairs."""
FAR_ACROSS, FAR_DOWN = 8.5, 13
"""How far from the first tile later rows go."""
NEAR = 3
"""So far from where its arm began a row that comes back ends: room for the label, and for the arm beside."""
LEAST = 5
"""So far a row goes at least, that the next one can come back."""


@dataclass(frozen=True, slots=True)
class Vector:
    """In half tiles, y downwards."""

    x: float
    y: float

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, times: float) -> Vector:
        return Vector(self.x * times, self.y * times)

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y)

    def along(self, way: Vector) -> float:
        return self.x * way.x + self.y * way.y


EAST, SOUTH, WEST, NORTH = Vector(1, 0), Vector(0, 1), Vector(-1, 0), Vector(0, -1)


@dataclass(frozen=True, slots=True)
class Arm:
    """Where an arm goes on."""

    edge: Vector
    """The middle of the outer edge of its last tile."""
    way: Vector
    """Where it runs now: ``ahead``, back, or ``aside`` to the next row."""
    ahead: Vector
    aside: Vector
    start: Vector
    """Where it began: beside the first tile or the spinner."""
    room: float
    """Half tiles until it turns."""
    after_double: bool = False

    def far(self, point: Vector) -> float:
        """How far ahead of the arm's beginning a point lies."""
        return (point - self.start).along(self.ahead)


def _begin(edge: Vector, ahead: Vector, aside: Vector, after_double: bool) -> Arm:
    return Arm(edge, ahead, ahead, aside, edge, FIRST_DOWN if ahead.y else FIRST_ACROSS, after_double)


def draw(board: Board) -> Layout:
    """The drawing of a table."""
    bones, arms = _bones(board)
    open_ends = tuple(
        OpenEnd(place, (label := arms[place].edge + arms[place].way).x, label.y, end.value, end.counts)
        for place, end in ends(board).items()
    )
    middle = _middle(board)
    name = _written(board.line[middle]) if board.line else ""
    return Layout(bones, open_ends, _listed(board, middle), name, total(board))


def _bones(board: Board) -> tuple[tuple[Bone, ...], Mapping[str, Arm]]:
    """All tiles in the order in which they were laid, and where each arm goes on."""
    bones: list[Bone] = []
    arms: dict[str, Arm] = {}
    spinner = False
    outwards = _outwards(board)
    for tile, place in board.laid:
        is_spinner = double(tile) and not spinner
        if not place:
            bone, arms = _first(tile)
        else:
            bone, arm = _next(arms[place], outwards[tile], is_spinner, stairs=not spinner)
            arms[place] = arm
            if is_spinner:
                arms |= _spinner_arms(bone)
        spinner = spinner or is_spinner
        bones.append(replace(bone, fresh=len(bones) == len(board.laid) - 1, spinner=is_spinner))
    return tuple(bones), arms


def _outwards(board: Board) -> Mapping[str, tuple[int, int]]:
    """Tile -> its halves, the one nearer to the first tile (or the spinner) first."""
    left = sum(place == "L" for _, place in board.laid)
    lying = [tile[::-1] for tile in board.line[:left]] + list(board.line[left:]) + [*board.north, *board.south]
    return {max(tile, tile[::-1]): (int(tile[0]), int(tile[1])) for tile in lying}


def _first(tile: str) -> tuple[Bone, dict[str, Arm]]:
    high, low = int(tile[0]), int(tile[1])
    across = double(tile)
    bone = Bone(0, 0, (high, low), upright=across)
    out = 0.5 if across else 1
    arms = {
        "L": _begin(WEST * out, WEST, NORTH, across),
        "R": _begin(EAST * out, EAST, SOUTH, across),
    }
    return bone, arms | (_spinner_arms(bone) if across else {})


def _spinner_arms(spinner: Bone) -> dict[str, Arm]:
    """N and S of a spinner. Where the line runs down the picture they begin right and left of it."""
    at = Vector(spinner.x, spinner.y)
    if spinner.upright:
        return {"N": _begin(at + NORTH, NORTH, EAST, True), "S": _begin(at + SOUTH, SOUTH, WEST, True)}
    return {"N": _begin(at + EAST, EAST, NORTH, True), "S": _begin(at + WEST, WEST, SOUTH, True)}


def _next(arm: Arm, halves: tuple[int, int], is_spinner: bool, stairs: bool) -> tuple[Bone, Arm]:
    """The next tile of an arm, and where the arm then goes on."""
    across = halves[0] == halves[1]
    # Behind a double the arm goes straight on, so that a double needs more room than its own.
    if is_spinner or arm.after_double or arm.room >= (3 if across else 2):
        bone, after = _straight(arm, halves)
        if is_spinner:
            room = max(after.room, LEAST) if arm.way == arm.ahead else 0
            after = replace(after, start=after.edge, room=room)
        return bone, after
    if arm.way != arm.aside:
        start = arm.edge - arm.way * 0.5 + arm.aside * 0.5
        room = (STEP_DOWN if arm.aside.y else STEP_ACROSS) if stairs else 0
        return _lengthwise(replace(arm, edge=start, way=arm.aside, room=room), halves)
    back = not stairs and arm.far(arm.edge) - 1.5 - (2 if across else 0) >= NEAR
    way = -arm.ahead if back else arm.ahead
    start = arm.edge + arm.way * 0.5 - way * 0.5
    return _lengthwise(replace(arm, edge=start, way=way, room=_row(arm, start, back, stairs)), halves)


def _row(arm: Arm, start: Vector, back: bool, stairs: bool) -> float:
    """The room of a row that begins at ``start``."""
    if stairs:
        return STEP_DOWN if arm.ahead.y else STEP_ACROSS
    if back:
        return arm.far(start) - NEAR
    most = (FAR_DOWN if arm.ahead.y else FAR_ACROSS) - start.along(arm.ahead)
    return max(most, LEAST - arm.far(start))


def _straight(arm: Arm, halves: tuple[int, int]) -> tuple[Bone, Arm]:
    """Straight on; a double lies across."""
    if halves[0] != halves[1]:
        return _lengthwise(arm, halves)
    at = arm.edge + arm.way * 0.5
    after = replace(arm, edge=arm.edge + arm.way, room=arm.room - 1, after_double=True)
    return Bone(at.x, at.y, halves, upright=not arm.way.y), after


def _lengthwise(arm: Arm, halves: tuple[int, int]) -> tuple[Bone, Arm]:
    """The whole length in the way of the arm."""
    at = arm.edge + arm.way
    forward = arm.way.x + arm.way.y > 0
    bone = Bone(at.x, at.y, halves if forward else halves[::-1], upright=bool(arm.way.y))
    after_double = halves[0] == halves[1]
    return bone, replace(arm, edge=arm.edge + arm.way * 2, room=arm.room - 2, after_double=after_double)


def _middle(board: Board) -> int:
    """Index in the line of the tile that all arms start from: the spinner, else the first tile."""
    return board.spinner if board.spinner is not None else sum(place == "L" for _, place in board.laid)


def _listed(board: Board, middle: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The arms from the middle outwards, ``6-4``."""
    left = [tile[::-1] for tile in reversed(board.line[:middle])]
    arms = [("L", left), ("R", list(board.line[middle + 1 :]))] if board.line else []
    if arms_open(board):
        arms += [("N", list(board.north)), ("S", list(board.south))]
    return tuple((place, tuple(map(_written, arm))) for place, arm in arms)


def _written(tile: str) -> str:
    return f"{tile[0]}-{tile[1]}"
