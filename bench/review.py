"""How long the review of a match of thirty turns takes, beside the search of its positions alone.

`python -m bench.review` reviews a match of each game, those of words on the whole dictionary; seconds are of CPU.
Targets: at most 5 s for thirty turns; one search of each position and those of all re-deals at most forty times as long
as the first alone (Domi Jongg, where another hand may have ten times as many turns). Looking ahead is so much work as
each game says (``Effort.reviewed``).
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.target import at_most
from moderator.common.enums import LogEntryKind
from moderator.games import load_game
from moderator.review.review import ReviewMaterial, build_review_material, measure_draws, review_match
from moderator.rules import shuffling, table
from moderator.rules.game import Context, Words
from moderator.rules.log import EngineResult
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move, survey_position
from moderator.rules.words import AnyWords
from moderator.words.build.sources import build_lexicon
from moderator.words.dictionary import open_dictionary
from moderator.words.house_rulings import SHIPPED

TURNS = 30
SEED = bytes(range(32))


def match(key: str, words: Words) -> ReviewMaterial:
    """Thirty turns of two robots."""
    game = load_game(key)
    options = game.options()
    ctx = Context(
        words, shuffling.build_shuffle(shuffling.build_round_seeds(SEED) if game.seeded_rounds else SEED, (), "K7Q2")
    )
    now, _ = table.open_match_state(game, 2, options, ctx)
    past, log, results = [now], list[LogEntry](), list[EngineResult]()
    while not now.state.over:
        if len(log) == TURNS:
            entry, now, result = LogEntry(LogEntryKind.STOP), table.stop_in_state(now), EngineResult()
        else:
            seat = now.state.to_move[0]
            entry = LogEntry(LogEntryKind.MOVE, seat, choose_robot_move(game, now.state, seat, ctx))
            now, result = table.try_order(game, now, seat, entry.text, ctx)
        log.append(replace(entry, outcome=result.to_json()))
        past.append(now)
        results.append(result)
    return build_review_material(game, options, ctx, log, past, results, SEED)


def seconds(action: Callable[[], Any]) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def searches(made: ReviewMaterial) -> None:
    """The floor: each position once."""
    for one in made.turns:
        survey_position(made.game, replace(one.before, to_move=(one.seat,)), one.seat, made.context)


def cases(folder: Path) -> Iterator[tuple[str, Words]]:
    for key in ("dominos", "tridom", "supertridom", "domijongg"):
        yield key, AnyWords()
    for key, policy in (("topwords", "topwords"), ("point", "typdom"), ("kreuzwort", "typdom"), ("recht", "typdom")):
        yield key, open_dictionary(folder, ["de"], house=[SHIPPED], policy=policy)


def run() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build_lexicon("de", ["simplemma:de"], folder)
        for key, words in cases(folder):
            made = match(key, words)
            searches(made)  # the dictionary is made ready
            floor, ours = seconds(lambda made=made: searches(made)), seconds(lambda made=made: review_match(made))
            again = floor + seconds(lambda made=made: [measure_draws(made, number) for number in made.past])
            at_most(f"{key}, {len(made.turns)} turns", ours, 5, " s")
            at_most(f"{key}, with all other draws beside one search of each position", again / floor, 40, " x")


if __name__ == "__main__":
    run()
