"""A tiny game for the engine's tests: say a word, score its letters, draw a tile; words are judged.

Notation: ``A1 word``, ``pass``. First to 12 letters ends it. Knows all three paces.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from moderator.common.errors import Illegal, Undecided, Unreadable
from moderator.rules.game import Game, State, Step
from moderator.rules.scenes import Grid
from moderator.rules.state import Context, Note, View


@dataclass(frozen=True)
class Options:
    pace: Literal["sequential", "rounds", "common"] = "sequential"
    target: int = 12


@dataclass(frozen=True)
class Public:
    said: tuple[str, ...] = ()
    options: Options = Options()
    round: int = 1


class Toy(Game[Public, str]):
    key = "toy"
    min_seats = 1
    max_seats = 5
    options = Options
    paces: tuple[str, ...] = ("sequential", "rounds", "common")
    contract = 2
    version = "1"
    seeded_rounds = False
    uses_words = True
    pass_text = "pass"

    def setup(self, seats: int, options: Options, ctx: Context, fixed: Mapping[str, Any] | None = None) -> Step[Public]:
        stock = tuple((fixed or {}).get("stock", ())) or ctx.shuffle("deal", [f"t{n}" for n in range(20)])
        starter = (fixed or {}).get("starter", 0)
        to_move = (starter,) if options.pace == "sequential" else tuple(range(seats))
        state = State(Public(options=options), ((),) * seats, stock, (0,) * seats, to_move)
        return Step(state, (Note("starts", seat=starter),))

    def parse_move(self, line: str, view: View[Public]) -> str:
        if line.casefold() in ("pass", "passe"):
            return "pass"
        found = re.fullmatch(r"A1 (\w+)", line)
        if found is None:
            raise Unreadable("no-square", line=line)
        return found[1].upper()

    def format_move(self, move: str) -> str:
        return move if move == "pass" else f"A1 {move}"

    def list_moves(self, view: View[Public], ctx: Context) -> Iterable[tuple[str, int]]:
        for word in ctx.words.playable(9):
            if word not in view.public.said:
                yield word, len(word)

    def apply_move(self, state: State[Public], seat: int, move: str, ctx: Context) -> Step[Public]:
        if move == "pass":
            return Step(self._turn(state, seat), (Note("passed", seat=seat),), 0, move)
        if move in state.public.said:
            raise Illegal("said-before", word=move, places=(1, 2))
        verdict = ctx.words.judge(move)
        if verdict.ruling == "ask":
            raise Undecided([move])
        if verdict.ruling == "reject":
            raise Illegal("not-a-word", word=move, reason=verdict.reason)
        points, detail = len(move), {"words": [{"word": move, "points": len(move)}]}
        if state.public.options.pace == "common":
            return Step(state, (), points, move, detail)
        state = self._say(self._add(state, seat, points), seat, move)
        notes = (Note("drew", {"tiles": (state.hands[seat][-1],)}, seat=seat, only=seat),)
        return Step(self._turn(state, seat), notes, points, move, detail)

    def _add(self, state: State[Public], seat: int, points: int) -> State[Public]:
        return replace(state, scores=tuple(s + points * (n == seat) for n, s in enumerate(state.scores)))

    def _say(self, state: State[Public], seat: int, move: str) -> State[Public]:
        hands = tuple((*h, state.stock[0]) if n == seat else h for n, h in enumerate(state.hands))
        public = replace(state.public, said=(*state.public.said, move))
        return replace(state, public=public, hands=hands, stock=state.stock[1:])

    def _turn(self, state: State[Public], seat: int) -> State[Public]:
        if max(state.scores) >= state.public.options.target:
            return replace(state, to_move=())
        if state.public.options.pace == "sequential":
            return replace(state, to_move=((seat + 1) % state.seats,))
        return state

    def pass_turn(self, state: State[Public], seat: int, ctx: Context) -> Step[Public]:
        return Step(self._turn(state, seat), (Note("missed", seat=seat),))

    def close_round(self, state: State[Public], ctx: Context) -> Step[Public]:
        return Step(state, (Note("round-closed", {"said": len(state.public.said)}),))

    def evaluate_round(self, state: State[Public], choices: Mapping[int, str | None], ctx: Context) -> Step[Public]:
        lines: list[dict[str, Any]] = []
        for seat, move in choices.items():
            points = 0 if move in (None, "pass") else len(str(move))
            state = self._add(state, seat, points)
            lines.append({"seat": seat, "points": points, "words": []})
        real = [str(move) for move in choices.values() if move not in (None, "pass")]
        best = max(real, key=lambda word: (len(word), word), default=None)
        laid = None
        if best is not None:
            laid = {"move": f"A1 {best}", "seats": [seat for seat, move in choices.items() if move == best]}
            state = self._say(state, 0, best)
        state = self._turn(state, 0)
        return Step(state, (Note("settled"), Note("thought", seat=0)), detail={"seats": lines, "laid": laid})

    def build_scene(self, view: View[Public]) -> Grid:
        return Grid(("A",), ("1",), ())

    def export(self, public: Public) -> dict[str, Any]:
        return {"said": list(public.said)}


TOY = Toy()
