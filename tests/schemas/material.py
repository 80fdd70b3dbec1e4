"""Records and turns of all games as they are written, and what somebody else may make of them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from moderator.games import OWN
from moderator.match import rng, table, turn_data
from tests.match import test_turn_data
from tests.match.records import PLAIN
from tests.match.test_moved_in import OTHERWISE, WORDS, Played, play

ENTRIES = 12
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 1.0, 1.5, 10**30, "", "x", "any", "66", "A", "race", "0a", "sequential"),
    *([], {}, [1], ["A"], [["A"]], {"a": 1}, {"seat": 0}, {"seat": 0, "text": "passe"}, {"evaluate": True}),
    *({"stop": True}, {"seat": 1, "out": False}),
)


def records(key: str) -> Iterator[dict[str, Any]]:
    """Of one game: matches of robots with each of its options, from seeds and as they were moved in."""
    for seed, options in enumerate(({}, *OTHERWISE.get(key, ())), start=1):
        played = play(key, 2, options, seed, ENTRIES)
        yield _record(key, options, played, {"salts": [], **_seeds(played, seed)})
    diagram = json.loads(json.dumps(table.as_diagram(played.game, played.tables[ENTRIES // 2])))
    yield _record(key, options, played, {"position": diagram, **_seeds(played, seed)}, ENTRIES // 2)


def _seeds(played: Played, seed: int) -> dict[str, Any]:
    master = bytes([seed, 0]) * 16
    if not played.game.seeded_rounds:
        return {"seed": master.hex()}
    return {"seeds": [rng.round_seed(master, number).hex() for number in (1, 2, 3)]}


def _record(key: str, options: dict[str, Any], played: Played, setup: dict[str, Any], first: int = 0) -> dict[str, Any]:
    entries = {"evaluate": lambda seat, text: {"evaluate": True}, "out": lambda seat, text: {"seat": seat, "out": True}}
    entries["miss"] = lambda seat, text: {"seat": seat, "miss": True}
    entries["move"] = lambda seat, text: {"seat": seat, "text": text, "rejected": ["XQ"]}
    moves = [entries[kind](seat, text) for kind, seat, text in played.entries[first:]]
    # Where all play the same rack, a match is over when the dictionary has no word left.
    lexicon = sorted(WORDS.words) if options.get("pace") == "common" else "any"
    words = {"lexicon": lexicon} if played.game.uses_words else {}
    seats = ["Anna", "Bert"]
    commitment = {"commitments": ["0f10"]} if played.game.seeded_rounds else {"commitment": "0f10"}
    head = {"record": 1, "game": key, "match": "K7Q2", "options": options, "seats": seats, "setup": setup}
    return {**head, **commitment, **words, "moves": moves, "result": {"scores": [0, 0]}}


def every_record() -> list[dict[str, Any]]:
    fixed = [copy.deepcopy(PLAIN), copy.deepcopy(PLAIN) | {"moves": [{"seat": 0, "text": "passe"}, {"stop": True}]}]
    return [*fixed, *(record for key in sorted(OWN) for record in records(key))]


def every_turn() -> list[dict[str, Any]]:
    """Some of each game."""
    found = []
    for key in sorted(OWN):
        for game, options, state, seat, _ in test_turn_data.positions(key, 30)[::9]:
            written = turn_data.write(test_turn_data.of(game, state, seat, options))
            assert written is not None
            found.append(json.loads(written))
    return found


# ---- what somebody else may make of it ----


def spoilt(values: Any, dice: random.Random, keys: tuple[str, ...]) -> Any:
    """A copy with one to three changes anywhere: another value, a key that is gone, new, or has another name, an item
    that is gone or there twice, two values in each other's place. ``keys``: names that may be put anywhere."""
    made = copy.deepcopy(values)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        holder = dice.choice(list(_holders(made)))
        _change(holder, dice, keys)
    return made


def _holders(value: Any) -> Iterator[Any]:
    """All objects and lists, outer ones more often."""
    if isinstance(value, dict | list):
        yield value
        inner = list(value.values() if isinstance(value, dict) else value)
        for one in inner if len(inner) < 20 else inner[::9]:
            yield from _holders(one)
        yield value


def _change(holder: Any, dice: random.Random, keys: tuple[str, ...]) -> None:
    there = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    how = dice.randrange(5) if there else 2
    if how == 0:
        del holder[dice.choice(there)]
    elif how == 1:
        holder[dice.choice(there)] = copy.deepcopy(dice.choice(JUNK))
    elif how == 2 and isinstance(holder, list):
        holder.insert(dice.randrange(len(holder) + 1), copy.deepcopy(dice.choice((*JUNK, *holder))))
    elif how == 2:
        holder[dice.choice(keys)] = copy.deepcopy(dice.choice((*JUNK, *holder.values())))
    elif how == 3 and isinstance(holder, dict):
        holder[dice.choice(keys)] = holder.pop(dice.choice(there))
    else:
        one, other = dice.choice(there), dice.choice(there)
        holder[one], holder[other] = holder[other], holder[one]
