"""How fast Topwords is: all legal moves of a position in mid-game, and an order with five fallbacks.

`python -m bench.topwords` prints median and 95th percentile in milliseconds, and the ratio to a floor taken in the
same run: going once through the word list in Python. Targets: moves p95 <= 10 ms, order p95 <= 1 ms.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence

from moderator.common.errors import Illegal
from moderator.games.topwords.generate import build_topwords_index, index_for, list_topwords_placements
from moderator.games.topwords.rules import GAME
from moderator.games.topwords.state import ALPHABET, TopwordsOptions, TopwordsPlacement, TopwordsPublic
from moderator.rules.game import State, Verdict
from moderator.rules.state import Context, View, Words, view_for
from moderator.words.kinds import to_capitals

WORDS = 200_000
GAMES = 12


class ListedWords(Words):
    """A dictionary that is a plain list."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = sorted(words)
        self.known = frozenset(words)

    def judge(self, word: str, base: str | None = None) -> Verdict:
        known = word in self.known
        return Verdict(word, "accept" if known else "reject", "" if known else "unknown", "bench")

    def playable(self, max_length: int) -> Sequence[str]:
        return [word for word in self.words if len(word) <= max_length]


def german_words(count: int) -> list[str]:
    """A fixed sample of ``count`` German word forms of 2..10 letters from the lemmatiser's data."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    forms = {to_capitals(form) for form in DefaultDictionaryFactory().get_dictionary("de")}
    usable = sorted(form for form in forms if 2 <= len(form) <= 10 and ALPHABET.issuperset(form))
    # One- and two-letter junk of the data would make every crossing legal, which no dictionary does.
    short = [form for form in usable if len(form) < 4][:: max(1, sum(len(f) < 4 for f in usable) // 900)]
    long = [form for form in usable if len(form) >= 4]
    random.Random(1).shuffle(long)
    return sorted(short + long[: count - len(short)])


def positions(words: ListedWords, games: int) -> list[tuple[State[TopwordsPublic], Context]]:
    """Positions with 8 to 14 moves on the board, from games in which every move is one of the ten best."""
    found = []
    for number in range(games):
        dice = random.Random(number)
        ctx = Context(words, lambda label, items, dice=dice: tuple(dice.sample(list(items), len(items))))
        state = GAME.setup(2, TopwordsOptions(), ctx).state
        for turn in range(15):
            seat = state.to_move[0]
            ranked = sorted(GAME.list_moves(view_for(state, seat), ctx), key=lambda m: -m[1])[:10]
            step = (
                GAME.apply_move(state, seat, dice.choice(ranked)[0], ctx)
                if ranked
                else GAME.pass_turn(state, seat, ctx)
            )
            state = step.state
            if state.over:
                break
            if turn >= 7:
                found.append((state, ctx))
    return found


def milliseconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return (time.perf_counter() - start) * 1000


def order(state: State[TopwordsPublic], moves: Sequence[TopwordsPlacement], ctx: Context) -> None:
    """Five alternatives, checked and scored one by one."""
    for move in moves:
        try:
            GAME.apply_move(state, state.to_move[0], move, ctx)
        except Illegal:
            continue


def five(view: View[TopwordsPublic], ctx: Context, dice: random.Random) -> list[TopwordsPlacement]:
    """Three good moves and two that fail: one on the dictionary, one on the board."""
    good = [move for move, _ in sorted(list_topwords_placements(view, ctx), key=lambda m: -m[1])[:3]]
    swapped = [TopwordsPlacement(good[0].square, good[0].direction, good[0].word[::-1])] if good else []
    return [*swapped, TopwordsPlacement("A1", "w", dice.choice(["HAUS", "MOND"])), *good]


def run() -> dict[str, float]:
    """Measure, print and return the figures in milliseconds."""
    words = ListedWords(german_words(WORDS))
    building = milliseconds(lambda: build_topwords_index(words))
    index_for(words)
    cases = positions(words, GAMES)
    floor = statistics.median(milliseconds(lambda: sum(1 for _ in words.words)) for _ in range(15))
    times, orders, counts = [], [], []
    for state, ctx in cases:
        view = view_for(state, state.to_move[0])
        times.append(milliseconds(lambda view=view, ctx=ctx: counts.append(len(list_topwords_placements(view, ctx)))))
        moves = five(view, ctx, random.Random(0))
        orders.append(milliseconds(lambda state=state, moves=moves, ctx=ctx: order(state, moves, ctx)))
    figures = {"index": building, "floor": floor}
    for label, values in (("moves", times), ("order", orders)):
        figures[f"{label} median"] = statistics.median(values)
        figures[f"{label} p95"] = statistics.quantiles(values, n=20)[18]
    print(f"topwords: {len(words.words)} words, {len(cases)} positions, {statistics.mean(counts):.0f} moves each")
    for label, value in figures.items():
        print(f"  {label:14} {value:9.3f} ms   {value / floor:7.2f} x floor")
    return figures


if __name__ == "__main__":
    run()
