"""Schema and parser agree, on a thousand records and a thousand turns that somebody has changed: what the schema
refuses the parser refuses, in one line; what the parser refuses otherwise is of a kind that no schema can say. What
both take is played, or refused by the rules in one line."""

import copy
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import pytest

from moderator import games
from moderator.common.errors import OperatorError
from moderator.rules import shuffling, table, turn_data
from moderator.rules.game import new_options, read_options
from moderator.rules.records import file
from moderator.rules.records import record as records
from moderator.schemas import read_schema as schema_text
from tests.match import test_turn_data
from tests.match.records import PLAIN
from tests.match.test_moved_in import OTHERWISE, WORDS, Played, play
from tests.schemas.validators import validator

ENTRIES = 12
JUNK: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 1.0, 1.5, 10**30, "", "x", "any", "66", "A", "race", "0a", "sequential"),
    *([], {}, [1], ["A"], [["A"]], {"a": 1}, {"seat": 0}, {"seat": 0, "text": "passe"}, {"evaluate": True}),
    *({"stop": True}, {"seat": 1, "out": False}),
)

pytestmark = pytest.mark.slow
COUNT = 1_000
PLAYED = 250
"""So many of those that both take are played."""
ONLY_RULES = {
    "a seat beyond the seats": r"is no seat\.",
    "a game that is not installed": r"^There is no game ",
    "an option out of its range": r" is out of range\.| is too small\.",
    "options that exclude each other": r"exclude each other",
    "tiles that a game does not have": r"^There is no tile set|is no letter of Topwords|^tiles: ",
}
"""Kinds of refusals of a record that has the schema, and how each is told."""
ONLY_RULES_OF_TURNS = {
    "lists by seat that do not fit together": r"its seats do not fit together",
    "a board that the rules do not know": r"its board is none of this game|its board does not fit together",
    "tiles and options that no match can have": r"^This turn is damaged: (?!turn|\w+ is wrong)",
}


@pytest.fixture(scope="module")
def written() -> list[dict[str, Any]]:
    fixed = [copy.deepcopy(PLAIN), copy.deepcopy(PLAIN) | {"moves": [{"seat": 0, "text": "passe"}, {"stop": True}]}]
    return [*fixed, *(record for key in sorted(games.OWN) for record in records_of(key))]


@pytest.fixture(scope="module")
def turns() -> list[dict[str, Any]]:
    """Some of each game."""
    found = [
        turn_data.encode_turn(test_turn_data.build_full_turn_data(game, state, seat, options))
        for key in sorted(games.OWN)
        for game, options, state, seat, _ in test_turn_data.positions(key, 30)[::9]
    ]
    return [json.loads(one) for one in found]


def refused(read: Callable[[], Any]) -> str:
    """Why, in one line; "" = it was taken."""
    try:
        read()
    except OperatorError as error:
        return str(error)
    return ""


def agreed(schema: Any, text: str, told: str, kinds: dict[str, str]) -> str:
    """What schema and parser say together; ``told``: why the parser refuses. They disagree: AssertionError."""
    faults = [error.message for error in schema.iter_errors(json.loads(text))]
    assert "\n" not in told, text
    if not told:
        assert not faults, f"the parser takes it, the schema says {faults[0]}\n{text}"
        return "both take it"
    if faults:
        return "form"
    kind = next((kind for kind, said in kinds.items() if re.search(said, told)), "")
    assert kind, f"the schema takes it, the parser says {told}\n{text}"
    return kind


@pytest.mark.slow
def test_every_record_that_is_written_has_the_schema_and_is_played(written: list[dict[str, Any]]) -> None:
    assert {one["game"] for one in written} == set(games.OWN)
    for one in written:
        validator("record").validate(one)
        record = file.parse_record_text(json.dumps(one), games.load_game)
        report = records.build_replay_report(record, trace=not record.game.uses_words)
        if one.get("match") == "K7Q2" and "pace" not in one["options"]:
            assert all(move["played"] for move in report["moves"] if move["text"]), one
        validator("report").validate(json.loads(json.dumps(report)))


@pytest.mark.slow
def test_schema_and_parser_agree_on_records(written: list[dict[str, Any]]) -> None:
    dice = random.Random("records")
    keys = (*file.KEYS, *file.SETUP_KEYS, *file.MOVE_KEYS, "rounds", "target", "pace", "oder")
    count: Counter[str] = Counter()
    for number in range(COUNT):
        text = json.dumps(spoilt(dice.choice(written), dice, keys))
        told = refused(lambda text=text: file.parse_record_text(text, games.load_game))
        found = agreed(validator("record"), text, told, ONLY_RULES)
        count[found] += 1
        if found == "both take it" and number % (COUNT // PLAYED) == 0:
            count[_played(text)] += 1
    assert min(count["both take it"], count["form"]) > COUNT // 5, count
    assert count["a seat beyond the seats"] > 0, count
    assert count["played"] > 20, count


def _played(text: str) -> str:
    """The rules may refuse it, in one line."""
    record = file.parse_record_text(text, games.load_game)
    told = refused(lambda: validator("report").validate(json.loads(json.dumps(records.build_replay_report(record)))))
    assert "\n" not in told, text
    return "the rules refuse it" if told else "played"


@pytest.mark.slow
def test_schema_and_parser_agree_on_turns(turns: list[dict[str, Any]]) -> None:
    dice = random.Random("turns")
    keys = (*json.loads(schema_text("turn"))["properties"], "squares", "laid", "tiles", "free", "later")
    count: Counter[str] = Counter()
    for _ in range(COUNT):
        text = json.dumps(spoilt(dice.choice(turns), dice, keys))
        told = refused(lambda text=text: _taken_up(text))
        count[agreed(validator("turn"), text, told, ONLY_RULES_OF_TURNS)] += 1
    assert min(count["both take it"], count["form"]) > COUNT // 10, count
    assert min(count[kind] for kind in ONLY_RULES_OF_TURNS) > 0, count


def _taken_up(text: str) -> None:
    """As `moderator turn` and `compose` do."""
    data = turn_data.decode_turn(text.encode())
    if data.game in games.OWN:
        game = games.load_game(data.game)
        view = turn_data.build_turn_view(data, game)
        turn_data.build_possible_state(game, view, turn_data.parse_turn_options(data, game))


@pytest.mark.parametrize(
    "text",
    ['{"record": NaN}', '{"record": ' + "1" * 5000 + "}", "[" * 100_000, '{"record": 1e999}', "{", '"\\ud800"'],
    ids=["none", "long", "deep", "large", "half", "a text"],
)
def test_what_is_no_json_is_told_in_one_line(text: str) -> None:
    with pytest.raises(OperatorError, match=r"^[^\n]+$"):
        file.parse_record_text(text, games.load_game)


@pytest.mark.slow
def test_half_a_character_is_refused(written: list[dict[str, Any]]) -> None:
    """No schema can say it; a shuffle could not take it as a label."""
    for key in ("match", "seats", "moves"):
        values = {"match": "K7\ud800", "seats": ["Anna", "\udfff"], "moves": [{"seat": 0, "text": "\ud83d"}]}
        with pytest.raises(OperatorError, match="half a character"):
            file.parse_record_text(json.dumps(written[0] | {key: values[key]}), games.load_game)


def test_a_whole_number_may_be_written_with_a_point(written: list[dict[str, Any]]) -> None:
    """As the schema has it."""
    text = json.dumps(written[0]).replace('"seat": 0', '"seat": 0.0')
    assert validator("record").is_valid(json.loads(text))
    assert file.parse_record_text(text, games.load_game) == file.parse_record_text(
        json.dumps(written[0]), games.load_game
    )


def records_of(key: str) -> Iterator[dict[str, Any]]:
    """Of one game: matches of robots with each of its options, from seeds and as they were moved in."""
    for seed, options in enumerate(({}, *OTHERWISE.get(key, ())), start=1):
        played = play(key, 2, options, seed, ENTRIES)
        yield _record(key, options, played, {"salts": [], **_seeds(played, seed)})
    diagram = json.loads(json.dumps(table.to_diagram(played.game, played.tables[ENTRIES // 2])))
    yield _record(key, options, played, {"position": diagram, **_seeds(played, seed)}, ENTRIES // 2)


def _seeds(played: Played, seed: int) -> dict[str, Any]:
    master = bytes([seed, 0]) * 16
    if not played.game.seeded_rounds:
        return {"seed": master.hex()}
    return {"seeds": [shuffling.derive_round_seed(master, number).hex() for number in (1, 2, 3)]}


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
    # What a record does not name is read as it was played before there was such an option.
    now, before = new_options(played.game, options), asdict(read_options(played.game, options))
    written = options | {name: value for name, value in now.items() if value != before[name]}
    head = {"record": 1, "game": key, "match": "K7Q2", "options": written, "seats": seats, "setup": setup}
    return {**head, **commitment, **words, "moves": moves, "result": {"scores": [0, 0]}}


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
