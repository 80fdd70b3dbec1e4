"""Exported matches play again, and `moderator verify` finds what does not fit."""

import hashlib
import json
from dataclasses import fields, make_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from moderator.common.enums import LogEntryKind
from moderator.games import OWN, load_game
from moderator.games.dominos.rules import GAME as DOMINOS
from moderator.games.dominos.state import SET
from moderator.rules import shuffling, table
from moderator.rules.game import BEFORE, new_options, read_options, resolve_option_values
from moderator.rules.records import record as records
from moderator.rules.replay import LogEntry
from moderator.rules.robots.choose import choose_robot_move
from moderator.rules.shuffling import build_round_seeds, build_shuffle, commit_seed, derive_round_seed
from moderator.rules.state import Context
from moderator.rules.table import MatchState, evaluate_in_state, miss_seat, open_match_state, try_order
from moderator.rules.words import AnyWords, WordList
from tests.match.records import PLAIN, command, game_of_robots


def test_export_names_words_that_counted_only_later() -> None:
    game = load_game("topwords")
    no = {"ruling": "reject", "reason": "unknown"}
    entries = [
        LogEntry(LogEntryKind.MOVE, 0, "passe", {"verdicts": {"ES": no, "XX": no}, "moves": []}),
        LogEntry(LogEntryKind.MOVE, 1, "passe", {"verdicts": {"ES": {"ruling": "accept"}}, "moves": []}),
    ]
    record = records.build_record("K7Q2", game, game.options(), ["Anna", "Bert"], bytes(32), [], entries)
    assert record["lexicon"] == ["ES"]
    assert record["moves"] == [{"seat": 0, "text": "passe", "rejected": ["ES"]}, {"seat": 1, "text": "passe"}]
    assert record["commitment"] == commit_seed(bytes(32))


@pytest.mark.parametrize("pace", load_game("topwords").paces)
def test_a_record_holds_what_is_in_force_whatever_the_default_is(pace: str) -> None:
    """As of a game of another package whose pace nobody types."""
    usual = load_game("topwords")
    options = make_dataclass("Options", [("pace", str, pace)], bases=(usual.options,), frozen=True)
    game: Any = type("Game", (type(usual),), {"options": options})()
    ctx = Context(AnyWords(), build_shuffle(bytes(32), (), "K7Q2"))
    table, _ = open_match_state(game, 2, options(), ctx)
    entries: list[LogEntry] = []
    for seat in (0, 1):
        kind = LogEntryKind.ORDER if table.is_simultaneous else LogEntryKind.MOVE
        table, result = try_order(game, table, seat, "passe", ctx)
        entries.append(LogEntry(kind, seat, "passe", json.loads(json.dumps(result.to_json()))))
    if table.is_simultaneous:
        table, result = evaluate_in_state(game, table, ctx)
        entries.append(LogEntry(LogEntryKind.EVALUATE, None, "", json.loads(json.dumps(result.to_json()))))
    record = records.build_record("K7Q2", game, options(), ["Anna", "Bert"], bytes(32), [], entries)
    assert record["options"]["pace"] == pace
    assert [move["text"] for move in record["moves"] if "text" in move] == ["passe", "passe"]
    assert records.verify_record(records.parse_record_values(record, lambda _: game))["ok"]


@pytest.mark.parametrize("key", sorted(OWN))
def test_a_record_names_all_options_and_is_read_with_them(key: str) -> None:
    game = load_game(key)
    record = records.build_record("K7Q2", game, game.options(), ["?"] * game.min_seats, bytes(32), [], [])
    read = records.parse_record_values(json.loads(json.dumps(record)), load_game)
    assert resolve_option_values(game, read.options, game.min_seats) == resolve_option_values(
        game, game.options(), game.min_seats
    )
    assert {*record["options"]} == {*vars(game.options())}


def refused_checks(record: dict[str, Any], path: list[Any], value: Any) -> list[str]:
    """What does not fit any more once the value there is another one."""
    place = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    report = records.verify_record(records.parse_record_values(record, load_game))
    assert not report["ok"]
    return [check["check"] for check in report["checks"] if not check["ok"]]


@pytest.mark.parametrize(
    ("path", "value", "check"),
    [
        (["commitment"], "00" * 32, "commitment"),
        (["setup", "seed"], "00" * 32, "commitment"),
        (["setup", "salts"], ["anna:winter"], "scores"),
        (["match"], "K7Q3", "scores"),
        (["result", "scores"], [0, 1], "scores"),
        (["result", "moves", 0, "points"], 77, "move 1"),
        (["result", "moves"], [], "moves"),
    ],
)
def test_verify_finds_what_does_not_fit(path: list[Any], value: Any, check: str) -> None:
    assert check in refused_checks(game_of_robots(), path, value)


def test_verify_tells_by_its_exit_code() -> None:
    record = game_of_robots()
    result = command("verify", "-", record=record)
    assert result.exit_code == 0
    assert f"ok  commitment: {commit_seed(bytes(range(32)))}" in result.stdout
    assert "Dealt to Anna: " in result.stdout
    assert command("verify", "-", record=record | {"commitment": "00" * 32}).exit_code == 1
    result = command("verify", "-", record=PLAIN)
    assert result.exit_code == 1
    assert "Nothing to check" in result.output


@cache
def rounds_played() -> tuple[str, MatchState[Any]]:
    """A record of two rounds of Dominos, by robots, with standing orders and a missed turn."""
    options = DOMINOS.options(target=40)
    ctx = Context(AnyWords(), build_shuffle(build_round_seeds(bytes(32)), ["anna:herbst"], "K7Q2"))
    table, _ = open_match_state(DOMINOS, 2, options, ctx)
    entries: list[LogEntry] = []
    while not table.state.over:
        seat = table.state.to_move[0]
        if len(entries) == 2:
            table, result = miss_seat(DOMINOS, table, seat, ctx)
            entries.append(LogEntry(LogEntryKind.MISS, seat, "", json.loads(json.dumps(result.to_json()))))
            continue
        text = f"nach Ziehen: bester; {choose_robot_move(DOMINOS, table.state, seat, ctx)}"
        table, result = try_order(DOMINOS, table, seat, text, ctx)
        entries.append(LogEntry(LogEntryKind.MOVE, seat, text, json.loads(json.dumps(result.to_json()))))
    assert table.state.public.round == 2
    record = records.build_record("K7Q2", DOMINOS, options, ["Anna", "Bert"], bytes(32), ["anna:herbst"], entries)
    return json.dumps(record), table


def rounds_record() -> dict[str, Any]:
    return json.loads(rounds_played()[0])


def test_of_two_rounds_only_the_seeds_that_were_dealt_are_shown_and_each_is_dealt_again_and_checked() -> None:
    record = rounds_record()
    assert list(record) == ["record", "game", "match", "options", "seats", "setup", "moves", "commitments", "result"]
    assert record["setup"]["seeds"] == [derive_round_seed(bytes(32), number).hex() for number in (1, 2)]
    assert record["commitments"] == [commit_seed(derive_round_seed(bytes(32), number)) for number in (1, 2)]
    assert bytes(32).hex() not in json.dumps(record)
    assert record["result"]["scores"] == list(rounds_played()[1].state.scores)
    report = records.verify_record(records.parse_record_values(rounds_record(), load_game))
    assert report["ok"], report
    checks = [check["check"] for check in report["checks"]]
    assert checks == ["commitment of round 1", "commitment of round 2", "scores", "winners", "moves"]
    shuffles = [build_shuffle(derive_round_seed(bytes(32), number), ["anna:herbst"], "K7Q2") for number in (1, 2)]
    labels = [f"round{number}" for number in (1, 2)]
    dealt = [(label, list(shuffle(label, SET))) for label, shuffle in zip(labels, shuffles, strict=True)]
    assert [(deal["label"], deal["tiles"]) for deal in report["deals"]] == dealt


@pytest.mark.parametrize(
    ("path", "value", "check"),
    [
        (["commitments", 1], "00" * 32, "commitment of round 2"),
        (["commitments"], ["00" * 32, "00" * 32, "00" * 32], "commitment of round 3"),
        (["setup", "seeds", 1], "ff" * 32, "commitment of round 2"),
        (["setup", "seeds", 1], "ff" * 32, "move"),
        (["setup", "seeds"], ["ff" * 32], "commitment of round 2"),
        (["setup", "salts"], [], "move"),
    ],
)
def test_verify_finds_a_round_that_was_dealt_otherwise(path: list[Any], value: Any, check: str) -> None:
    wrong = refused_checks(rounds_record(), path, value)
    assert any(name.startswith(check) for name in wrong), wrong


def test_one_seed_serves_all_rounds() -> None:
    values = {**rounds_record(), "setup": {"seed": "00" * 32}, "moves": []}
    for key in ("commitments", "result", "match"):
        del values[key]
    found = records.parse_record_values(values, load_game)
    assert found.shuffle("round3", SET) == build_shuffle(bytes(32))("round3", SET)
    listed = records.parse_record_values({**values, "setup": {"seeds": ["00" * 32, "01" * 32]}}, load_game)
    assert listed.shuffle("round1", SET) == build_shuffle(bytes(32))("round1", SET)
    assert listed.shuffle("round3", SET) == build_shuffle(bytes([1] * 32))("round3", SET)


def test_a_game_without_words_needs_no_lexicon_and_what_happened_by_itself_follows_its_move() -> None:
    record = rounds_record()
    assert "lexicon" not in record
    report = records.build_replay_report(records.parse_record_values(record, load_game), trace=True)
    assert report["over"]
    assert len(report["trace"]) == len(record["moves"]) + 1
    assert all(isinstance(moment["legal"], list) for moment in report["trace"])
    assert records.build_record_analysis(records.parse_record_values({**record, "moves": [], "result": {}}, load_game))[
        "moves"
    ]
    codes = [(event["n"], event["code"]) for event in report["events"]]
    ended = next(n for n, code in codes if code == "next-round")
    after = [code for n, code in codes if n == ended]
    assert after[0] in ("scored", "no-score")  # of the move itself
    assert after[-2:] == ["next-round", "opened"]
    assert next(code for n, code in codes if n == 3) == "missed"


# ---- matches that were recorded once, those without options before there were these ----
#
# `python -m tests.match.test_record_verify` adds those of new games, and of games with new options or other defaults.

FILE = Path(__file__).parent / "recorded.jsonl"
WORDS = WordList(a + b for a in "AEIOUBCDFGHKLMNPRST" for b in "AEIOUBCDFGHKLMNPRST")
MOVES = 60


def step(match: dict[str, Any], now: table.MatchState[Any], ctx: Context, seat: int, text: str) -> tuple[Any, Any]:
    """One entry of the log: an order, a missed turn (""), the evaluation of a round (seat -1)."""
    game = load_game(match["game"])
    if seat < 0:
        return table.evaluate_in_state(game, now, ctx)
    return table.try_order(game, now, seat, text, ctx) if text else table.miss_seat(game, now, seat, ctx)


def opened(match: dict[str, Any]) -> tuple[table.MatchState[Any], Context, str]:
    game = load_game(match["game"])
    options = read_options(game, match["options"])
    ctx = Context(WORDS, shuffling.build_shuffle(shuffling.build_round_seeds(bytes([match["seed"]]) * 32), (), "K7Q2"))
    now, dealt = table.open_match_state(game, match["seats"], options, ctx)
    return now, ctx, digest([note.code for note in dealt.notes])


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:12]


@cache
def recorded() -> dict[str, list[dict[str, Any]]]:
    lines = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return {key: [line for line in lines if line["game"] == key] for key in OWN}


@pytest.mark.parametrize("key", sorted(OWN))
def test_what_was_recorded_comes_out_again(key: str) -> None:
    assert recorded()[key]
    for match in recorded()[key]:
        now, ctx, dealt = opened(match)
        assert dealt == match["dealt"]
        for number, (seat, text, outcome) in enumerate(match["log"], 1):
            now, result = step(match, now, ctx, seat, text)
            came = result.to_json()
            assert digest(came) == outcome, f"{key}, seed {match['seed']}, entry {number}, {text}: {came}"


@pytest.mark.parametrize("key", ["domijongg", "kreuzwort", "point", "recht", "topwords"])
def test_a_record_from_before_an_option_was_there_is_read_as_it_was_written(key: str) -> None:
    game, entries, master = load_game(key), [], bytes(range(32))
    seed = shuffling.build_round_seeds(master) if game.seeded_rounds else master
    ctx = Context(WORDS, shuffling.build_shuffle(seed, (), "K7Q2"))
    now, _ = table.open_match_state(game, 3, read_options(game, {}), ctx)
    for _ in range(12):
        seat = now.state.to_move[0]
        text = choose_robot_move(game, now.state, seat, ctx)
        now, result = table.try_order(game, now, seat, text, ctx)
        entries.append(LogEntry(LogEntryKind.MOVE, seat, text, json.loads(json.dumps(result.to_json()))))
    record = records.build_record("K7Q2", game, read_options(game, {}), ["Anna", "Bert", "Cora"], master, (), entries)
    younger = {one.name for one in fields(game.options) if BEFORE in one.metadata}
    old = record | {"options": {name: value for name, value in record["options"].items() if name not in younger}}
    report = records.verify_record(records.parse_record_values(old, load_game))
    assert report["ok"], report["checks"]


def played(match: dict[str, Any]) -> dict[str, Any]:
    """The match with its log: the robots' moves."""
    game, log = load_game(match["game"]), []
    now, ctx, dealt = opened(match)
    while len(log) < MOVES and not now.state.over:
        waiting = [one for one in now.state.to_move if not now.is_simultaneous or one not in now.orders]
        seat = waiting[0] if waiting else -1
        text = choose_robot_move(game, now.state, seat, ctx) if waiting else ""
        now, result = step(match, now, ctx, seat, text)
        log.append((seat, text, digest(result.to_json())))
    return match | {"dealt": dealt, "log": log}


if __name__ == "__main__":
    with FILE.open("a", encoding="utf-8") as stream:
        for game in map(load_game, sorted(OWN)):
            if any(read_options(game, match["options"]) == game.options() for match in recorded()[game.key]):
                continue
            for seats in (2, 3) if game.max_seats > 2 else (2,):
                options = new_options(game, {})
                match = played({"game": game.key, "seats": seats, "options": options, "seed": seats - 1})
                stream.write(json.dumps(match, ensure_ascii=False) + "\n")
