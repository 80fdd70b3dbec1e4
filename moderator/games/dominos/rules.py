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

from moderator.common.errors import Illegal
from moderator.games.dominos import notation, rounds
from moderator.games.dominos.rounds import (
    advance_domino_round,
    deal_domino_match,
    lay_domino_in_state,
    miss_domino_turn,
)
from moderator.games.dominos.state import (
    SET,
    DominoPlacement,
    DominosBoard,
    DominosCodec,
    DominosOptions,
    DominosPublic,
    Move,
    count_pips,
    get_open_ends,
    has_open_arms,
    is_double_domino,
    iter_domino_placements,
    lay_domino,
    list_fitting_places,
    list_laid_dominoes,
    score_end_sum,
    sum_open_ends,
)
from moderator.rules.codec import CodecGame
from moderator.rules.ending import lead
from moderator.rules.game import Effort, State, Step, TouchMove
from moderator.rules.orders import conditions
from moderator.rules.scenes import Bone, Layout, OpenEnd
from moderator.rules.state import Context, Note, View, check_turn


class Dominos(CodecGame[DominosPublic, Move]):
    """See RULES.md; every method keeps the contract of ``moderator.rules.game.Game``."""

    key = "dominos"
    min_seats = 2
    max_seats = 2
    options = DominosOptions
    contract = 2
    version = "1"
    opener = "tile"
    style = notation.STYLE
    pictured = Layout
    position = DominosCodec()
    effort = Effort(moves=12, worlds=(60, 60, 180), turns=60, reviewed=1000, ahead=60)

    def setup(
        self, seats: int, options: DominosOptions, ctx: Context, fixed: Mapping[str, Any] | None = None
    ) -> Step[DominosPublic]:
        """Deal seven tiles each and open, up to the first choice. Raises OperatorError, RecordError."""
        self.check_seats(seats)
        return deal_domino_match(options, ctx, fixed or {})

    def list_moves(self, view: View[DominosPublic], ctx: Context) -> Iterable[tuple[Move, int]]:
        """Every placement of the seat's tiles with its points; none while the seat is not to move."""
        if view.seat not in view.to_move:
            return []
        return [
            (DominoPlacement(tile, place), won)
            for tile, place, won in iter_domino_placements(view.public.board, view.hand)
        ]

    def parse_move(self, line: str, view: View[DominosPublic]) -> Move:
        """One move. Raises Unreadable or Ambiguous."""
        return notation.parse_domino_move(line, view)

    def format_move(self, move: Move) -> str:
        """Canonical notation: ``64@L``, ``64@L ab 10``, ``64`` on an empty table, ``nach Ziehen: bester``."""
        return notation.format_domino_move(move)

    def apply_move(self, state: State[DominosPublic], seat: int, move: Move, ctx: Context) -> Step[DominosPublic]:
        """Lay a tile; what is forced then happens, too. Raises Illegal."""
        check_turn(state, seat)
        played = (
            _resolve_place(move, state, seat)
            if isinstance(move, DominoPlacement)
            else _choose_drawn_placement(state, seat)
        )
        after, won = lay_domino_in_state(state, seat, played.tile, played.place)
        conditions.check(played.at_least, won)
        board = after.public.board
        detail = {"tile": played.tile, "place": played.place, "sum": sum_open_ends(board)}
        notes = (_build_score_note(board, seat, won),)
        after, forced = advance_domino_round(after, ctx)
        return Step(after, notes, won, replace(played, at_least=None), detail, forced)

    def pass_turn(self, state: State[DominosPublic], seat: int, ctx: Context) -> Step[DominosPublic]:
        """Pass the turn of a seat whose deadline passed; it draws nothing."""
        check_turn(state, seat)
        after, forced = miss_domino_turn(state, seat, ctx)
        return Step(after, (Note("missed", seat=seat),), after=forced)

    def build_scene(self, view: View[DominosPublic]) -> Layout:
        """The tiles where they lie, the last one fresh."""
        scene = build_dominoes_scene(view.public.board)
        return scene if view.to_move else scene.close()

    def show_move(self, view: View[DominosPublic], move: Move) -> TouchMove:
        """See ``Game.show_move``: the tile in the place of its end, how the ends count, what the move wins."""
        assert isinstance(move, DominoPlacement)
        assert view.seat is not None
        board, target = lay_domino(view.public.board, move.tile, move.place), view.public.options.target
        won = score_end_sum(sum_open_ends(board))
        notes = [_build_score_note(board, view.seat, won)]
        if view.scores[view.seat] + won >= target:
            notes.append(Note("would-win", {"target": target}))
        elif len(view.hand) == 1:
            notes.append(Note("would-go-out"))
        return TouchMove(move.tile, move.place, build_dominoes_scene(board).bones[-1], tuple(notes))

    def find_rack_value(self, state: State[DominosPublic], seat: int) -> int:
        """All pips of the hand, as the winner of a blocked round pays them."""
        return count_pips(state.hands[seat])

    def advance_resumed(self, state: State[DominosPublic], ctx: Context) -> Step[DominosPublic]:
        return Step(*advance_domino_round(state, ctx))

    def list_table_tiles(self, public: DominosPublic) -> list[str]:
        return [tile for tile, _ in public.board.laid]

    def list_unseen_tiles(self, view: View[DominosPublic]) -> list[str]:
        seen = {*list_laid_dominoes(view.public.board), *view.hand}
        return [tile for tile in SET if tile not in seen]

    def choose_reply(self, view: View[DominosPublic], ctx: Context) -> DominoPlacement | None:
        """The placement with the most points, of equal ones the heaviest tile."""
        found = max(
            iter_domino_placements(view.public.board, view.hand),
            key=lambda one: (one[2], count_pips(one[:1])),
            default=None,
        )
        return None if found is None else DominoPlacement(found[0], found[1])

    def estimate_standing(self, state: State[DominosPublic], seat: int) -> float:
        """The lead; a match that is won is worth a round more."""
        return self.evaluate_score(state.scores, state.public.options.target, seat)

    def simulate_playout(self, world: State[DominosPublic], move: DominoPlacement) -> float | None:
        if not world.public.board.line:
            return None
        return self.evaluate_score(
            rounds.simulate_domino_round(world, move), world.public.options.target, world.to_move[0]
        )

    def evaluate_score(self, scores: tuple[int, ...], target: int, seat: int) -> float:
        """Return the worth of a score to a seat, for the search: the lead, and more where the match is won."""
        ahead = lead(scores, seat)
        return ahead + (WON if ahead > 0 else -WON if ahead < 0 else 0) * (max(scores) >= target)

    def count_by_points(self) -> Dominos:
        return _ByPoints()


class _ByPoints(Dominos):
    def evaluate_score(self, scores: tuple[int, ...], target: int, seat: int) -> float:
        """Return the lead, of no more points than end the match."""
        return lead([min(score, target) for score in scores], seat)


WON = 50
"""Points that the end of a match is worth beside the score, for the search."""


def _resolve_place(move: DominoPlacement, state: State[DominosPublic], seat: int) -> DominoPlacement:
    """Return the move with its place, if it named none and only one fits. Raises Illegal for a tile not held."""
    if move.tile not in state.hands[seat]:
        raise Illegal("not-your-tile", tile=move.tile)
    board = state.public.board
    if not board.line:
        return replace(move, place="")
    places = list_fitting_places(board, move.tile)
    return replace(move, place=places[0]) if not move.place and len(places) == 1 else move


def _choose_drawn_placement(state: State[DominosPublic], seat: int) -> DominoPlacement:
    """Return the move of ``nach Ziehen: bester``: only the tile just drawn fits; its best place, of equal ones the
    first of L R N S. Raises Illegal("no-draw")."""
    if state.public.drew != seat:
        raise Illegal("no-draw")
    tile, place, _ = max(iter_domino_placements(state.public.board, state.hands[seat]), key=lambda found: found[2])
    return DominoPlacement(tile, place)


def _build_score_note(board: DominosBoard, seat: int, won: int) -> Note:
    """Build the note that says how the points of a move come about."""
    counts = {place: end.counts for place, end in get_open_ends(board).items() if end.counts or place in "LR"}
    return Note("scored" if won else "no-score", {"ends": counts, "sum": sum_open_ends(board)}, seat=seat)


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
class TableVector:
    """A distance on the table in half tiles, y downwards."""

    x: float
    y: float

    def __add__(self, other: TableVector) -> TableVector:
        return TableVector(self.x + other.x, self.y + other.y)

    def __sub__(self, other: TableVector) -> TableVector:
        return TableVector(self.x - other.x, self.y - other.y)

    def __mul__(self, times: float) -> TableVector:
        return TableVector(self.x * times, self.y * times)

    def __neg__(self) -> TableVector:
        return TableVector(-self.x, -self.y)

    def project_on(self, way: TableVector) -> float:
        return self.x * way.x + self.y * way.y


EAST, SOUTH, WEST, NORTH = TableVector(1, 0), TableVector(0, 1), TableVector(-1, 0), TableVector(0, -1)


@dataclass(frozen=True, slots=True)
class DominoArm:
    """The end of an arm, where it goes on."""

    edge: TableVector
    """The middle of the outer edge of its last tile."""
    way: TableVector
    """Where it runs now: ``ahead``, back, or ``aside`` to the next row."""
    ahead: TableVector
    aside: TableVector
    start: TableVector
    """Where it began: beside the first tile or the spinner."""
    room: float
    """Half tiles until it turns."""
    after_double: bool = False

    def measure_distance(self, point: TableVector) -> float:
        """Return how far ahead of the arm's beginning a point lies."""
        return (point - self.start).project_on(self.ahead)


def _begin_arm(edge: TableVector, ahead: TableVector, aside: TableVector, after_double: bool) -> DominoArm:
    return DominoArm(edge, ahead, ahead, aside, edge, FIRST_DOWN if ahead.y else FIRST_ACROSS, after_double)


def build_dominoes_scene(board: DominosBoard) -> Layout:
    """Build the drawing of a table."""
    bones, arms = _build_bones(board)
    open_ends = tuple(
        OpenEnd(place, (label := arms[place].edge + arms[place].way).x, label.y, end.value, end.counts)
        for place, end in get_open_ends(board).items()
    )
    middle = board.spinner if board.spinner is not None else sum(place == "L" for _, place in board.laid)
    name = _format_bone(board.line[middle]) if board.line else ""
    return Layout(bones, open_ends, _list_arms(board, middle), name, sum_open_ends(board))


def _build_bones(board: DominosBoard) -> tuple[tuple[Bone, ...], Mapping[str, DominoArm]]:
    """Return all tiles in the order in which they were laid, and for each arm where it goes on."""
    bones: list[Bone] = []
    arms: dict[str, DominoArm] = {}
    spinner = False
    # Tile -> its halves, the one nearer to the first tile (or the spinner) first.
    left = sum(place == "L" for _, place in board.laid)
    lying = [tile[::-1] for tile in board.line[:left]] + list(board.line[left:]) + [*board.north, *board.south]
    outwards = {max(tile, tile[::-1]): (int(tile[0]), int(tile[1])) for tile in lying}
    for tile, place in board.laid:
        is_spinner = is_double_domino(tile) and not spinner
        if not place:
            bone, arms = _build_first_bone(tile)
        else:
            bone, arm = _build_next_bone(arms[place], outwards[tile], is_spinner, stairs=not spinner)
            arms[place] = arm
            if is_spinner:
                arms |= _begin_spinner_arms(bone)
        spinner = spinner or is_spinner
        bones.append(replace(bone, fresh=len(bones) == len(board.laid) - 1, spinner=is_spinner))
    return tuple(bones), arms


def _build_first_bone(tile: str) -> tuple[Bone, dict[str, DominoArm]]:
    high, low = int(tile[0]), int(tile[1])
    across = is_double_domino(tile)
    bone = Bone(0, 0, (high, low), upright=across)
    out = 0.5 if across else 1
    arms = {"L": _begin_arm(WEST * out, WEST, NORTH, across), "R": _begin_arm(EAST * out, EAST, SOUTH, across)}
    return bone, arms | (_begin_spinner_arms(bone) if across else {})


def _begin_spinner_arms(spinner: Bone) -> dict[str, DominoArm]:
    """Begin N and S of a spinner. Where the line runs down the picture they begin right and left of it."""
    at = TableVector(spinner.x, spinner.y)
    if spinner.upright:
        return {"N": _begin_arm(at + NORTH, NORTH, EAST, True), "S": _begin_arm(at + SOUTH, SOUTH, WEST, True)}
    return {"N": _begin_arm(at + EAST, EAST, NORTH, True), "S": _begin_arm(at + WEST, WEST, SOUTH, True)}


def _build_next_bone(arm: DominoArm, halves: tuple[int, int], is_spinner: bool, stairs: bool) -> tuple[Bone, DominoArm]:
    """Return the next tile of an arm, and where the arm then goes on."""
    across = halves[0] == halves[1]
    # Behind a double the arm goes straight on, so that a double needs more room than its own.
    if is_spinner or arm.after_double or arm.room >= (3 if across else 2):
        bone, after = _place_straight_on(arm, halves)
        if is_spinner:
            room = max(after.room, LEAST) if arm.way == arm.ahead else 0
            after = replace(after, start=after.edge, room=room)
        return bone, after
    if arm.way != arm.aside:
        start = arm.edge - arm.way * 0.5 + arm.aside * 0.5
        room = (STEP_DOWN if arm.aside.y else STEP_ACROSS) if stairs else 0
        return _place_lengthwise(replace(arm, edge=start, way=arm.aside, room=room), halves)
    back = not stairs and arm.measure_distance(arm.edge) - 1.5 - (2 if across else 0) >= NEAR
    way = -arm.ahead if back else arm.ahead
    start = arm.edge + arm.way * 0.5 - way * 0.5
    return _place_lengthwise(
        replace(arm, edge=start, way=way, room=_compute_row_room(arm, start, back, stairs)), halves
    )


def _compute_row_room(arm: DominoArm, start: TableVector, back: bool, stairs: bool) -> float:
    """Return the room of a row that begins at ``start``."""
    if stairs:
        return STEP_DOWN if arm.ahead.y else STEP_ACROSS
    if back:
        return arm.measure_distance(start) - NEAR
    most = (FAR_DOWN if arm.ahead.y else FAR_ACROSS) - start.project_on(arm.ahead)
    return max(most, LEAST - arm.measure_distance(start))


def _place_straight_on(arm: DominoArm, halves: tuple[int, int]) -> tuple[Bone, DominoArm]:
    """Place a tile straight on; a double lies across."""
    if halves[0] != halves[1]:
        return _place_lengthwise(arm, halves)
    at = arm.edge + arm.way * 0.5
    after = replace(arm, edge=arm.edge + arm.way, room=arm.room - 1, after_double=True)
    return Bone(at.x, at.y, halves, upright=not arm.way.y), after


def _place_lengthwise(arm: DominoArm, halves: tuple[int, int]) -> tuple[Bone, DominoArm]:
    """Place a tile with its whole length in the way of the arm."""
    at = arm.edge + arm.way
    forward = arm.way.x + arm.way.y > 0
    bone = Bone(at.x, at.y, halves if forward else halves[::-1], upright=bool(arm.way.y))
    after_double = halves[0] == halves[1]
    return bone, replace(arm, edge=arm.edge + arm.way * 2, room=arm.room - 2, after_double=after_double)


def _list_arms(board: DominosBoard, middle: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the arms from the middle outwards, ``6-4``."""
    left = [tile[::-1] for tile in reversed(board.line[:middle])]
    arms = [("L", left), ("R", list(board.line[middle + 1 :]))] if board.line else []
    if has_open_arms(board):
        arms += [("N", list(board.north)), ("S", list(board.south))]
    return tuple((place, tuple(map(_format_bone, arm))) for place, arm in arms)


def _format_bone(tile: str) -> str:
    return f"{tile[0]}-{tile[1]}"
