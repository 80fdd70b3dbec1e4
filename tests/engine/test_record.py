"""Record files: what is read, what comes out, and the three commands."""

from __future__ import annotations

import contextlib
import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator import games
from moderator.cli.run import cli
from moderator.engine import record as records
from moderator.engine.contract import Context
from moderator.engine.replay import Entry, from_row
from moderator.engine.rng import commit, round_seed, round_seeds, shuffler
from moderator.engine.robot import choose
from moderator.engine.table import Table, evaluate, miss, open_table, submit
from moderator.engine.words import AnyWords, WordList
from moderator.errors import OperatorError, RecordError
from tests.engine.tiles import ALL, TILES

ENGLISH = ["MOOD", "WOOD", "DEAR", "NET", "ON", "HAUS", "AUS", "SO"]
PLAIN: dict[str, Any] = {
    "record": 1,
    "game": "topwords",
    "options": {},
    "seats": ["Anna", "Bert"],
    "setup": {"racks": [list("MOODNTE"), list("EARWXYZ")], "stock": list("ABCDEFGHIJKLMNOP")},
    "lexicon": ENGLISH,
    "moves": [
        {"seat": 0, "text": "D5 w MODO; sonst D5 w MOOD 9"},
        {"seat": 0, "text": "D5 w MOOD"},
        {"seat": 1, "text": "blah"},
        {"seat": 1, "text": "G5 s DEAR"},
        {"seat": 0, "miss": True},
    ],
}


def changed(**values: Any) -> dict[str, Any]:
    return {**copy.deepcopy(PLAIN), **values}


def replay(values: Any, trace: bool = False) -> dict[str, Any]:
    return records.replay(records.parse(values, games.load), trace=trace)


def command(*arguments: str, record: Any = None, config: Path | None = None) -> Result:
    text = None if record is None else json.dumps(record)
    prefix = [] if config is None else ["--config", str(config)]
    return CliRunner().invoke(cli, [*prefix, *arguments], input=text)


# ---- the report ----


def test_the_report_is_as_documented() -> None:
    report = replay(PLAIN)
    assert list(report) == [
        "game", "over", "to_move", "scores", "winners", "hands", "stock", "moves", "events", "public"
    ]  # fmt: skip
    assert (report["game"], report["over"], report["winners"]) == ("topwords", False, [])
    assert (report["to_move"], report["scores"], report["stock"]) == ([1], [8, 8], 9)
    assert report["hands"] == [list("NTEABCD"), list("WXYZEFG")]
    assert report["public"]["rows"][4][3:7] == ["M", "O", "O", "D"]
    assert json.loads(json.dumps(report)) == report


def test_every_entry_is_reported_in_its_place() -> None:
    moves = replay(PLAIN)["moves"]
    assert [(m["n"], m["seat"], m["played"], m["alternative"], m["points"]) for m in moves] == [
        (1, 0, "D5 w MOOD", 2, 8),
        (2, 0, None, 0, 0),
        (3, 1, None, 0, 0),
        (4, 1, "G5 s DEAR", 1, 8),
        (5, 0, None, 0, 0),
    ]
    first, second, third, fourth, last = moves
    assert list(first) == ["n", "seat", "text", "played", "alternative", "points", "words", "refused"]
    assert first["text"] == PLAIN["moves"][0]["text"]
    assert first["words"] == [{"word": "MOOD", "points": 8}]
    (refused,) = first["refused"]
    assert (refused["alternative"], refused["text"], refused["code"]) == (1, "D5 w MODO", "not-a-word")
    assert refused["params"]["word"] == "MODO"
    assert second["refused"] == [
        {"alternative": 1, "text": "D5 w MOOD", "code": "not-your-turn", "params": {"seats": [1]}}
    ]
    assert [r["code"] for r in third["refused"]] == ["no-square"]
    assert (fourth["refused"], last["refused"], last["text"]) == ([], [], "")


def test_events_carry_their_entry() -> None:
    events = replay(PLAIN)["events"]
    assert {tuple(event) for event in events} == {("n", "seat", "code", "params", "points")}
    assert [(e["n"], e["seat"], e["code"]) for e in events if e["code"] in ("starts", "drew", "missed")] == [
        (0, 0, "starts"),
        (1, 0, "drew"),
        (4, 1, "drew"),
        (5, 0, "missed"),
    ]
    assert next(e for e in events if e["code"] == "drew")["params"] == {"count": 4}


def test_trace() -> None:
    report = replay(PLAIN, trace=True)
    assert [moment["after"] for moment in report["trace"]] == [0, 1, 2, 3, 4, 5]
    assert {tuple(moment) for moment in report["trace"]} == {("after", "scores", "to_move", "public", "legal")}
    start, first = report["trace"][:2]
    assert (start["scores"], start["to_move"]) == ([0, 0], [0])
    assert {"move": "D5 w MOOD", "points": 8} in start["legal"]
    assert first["public"]["rows"] != start["public"]["rows"]
    assert {"move": "G5 s DEAR", "points": 8} in first["legal"]
    assert first["legal"] == sorted(first["legal"], key=lambda m: (-m["points"], m["move"]))
    assert report["trace"][-1]["public"] == report["public"]


def test_any_word_counts_but_nobody_lists_them() -> None:
    record = changed(lexicon="any", moves=[{"seat": 0, "text": "D5 w TOMD"}])
    report = replay(record, trace=True)
    assert report["moves"][0]["played"] == "D5 w TOMD"
    assert [moment["legal"] for moment in report["trace"]] == [None, None]
    with pytest.raises(RecordError, match="cannot be listed"):
        records.analyse(records.parse(record, games.load))


def test_lower_case_words_are_words() -> None:
    assert replay(changed(lexicon=["mood"]))["moves"][0]["played"] == "D5 w MOOD"


def test_rounds_report_one_move_per_seat_at_the_evaluation() -> None:
    record = changed(
        options={"pace": "rounds"},
        moves=[
            {"seat": 1, "text": "G5 s DEAR; sonst D5 w XX"},
            {"seat": 0, "text": "D5 w NET"},
            {"seat": 0, "text": "D5 w MOOD"},
            {"evaluate": True},
            {"seat": 1, "text": "passe"},
            {"seat": 1, "text": ""},
            {"evaluate": True},
        ],
    )
    report = replay(record, trace=True)
    assert [(m["n"], m["seat"], m["played"]) for m in report["moves"]] == [
        (4, 0, "D5 w MOOD"),
        (4, 1, "G5 s DEAR"),
        (7, 1, None),
        (7, 0, None),
    ]
    assert [moment["after"] for moment in report["trace"]] == [0, 4, 7]


def test_common_reports_what_was_laid_and_by_how_many() -> None:
    record = changed(
        options={"pace": "common", "common_rack": 7},
        setup={"racks": [list("MOODNTE")], "stock": list("ABCDEFGH")},
        seats=["Anna", "Bert", "Cleo"],
        moves=[
            {"seat": 0, "text": "D5 w MOOD"},
            {"seat": 1, "text": "E5 w NET"},
            {"seat": 2, "text": "E5 w TEN; sonst D5 w MOOD"},
            {"evaluate": True},
        ],
    )
    report = replay(record)
    assert [(m["seat"], m["points"], m["laid"], m["same"]) for m in report["moves"]] == [
        (0, 8, True, 1),
        (1, 6, False, 0),
        (2, 8, True, 1),
    ]
    assert (report["scores"], report["hands"]) == ([8, 6, 8], [list("NTEABCD")])


def test_words_that_did_not_count_yet() -> None:
    moves = [{"seat": 0, "text": "D5 w MOOD; sonst E5 w NET", "rejected": ["MOOD"]}]
    assert replay(changed(moves=moves))["moves"][0]["played"] == "E5 w NET"


def test_moves_after_the_end_are_refused_where_they_stand() -> None:
    passes = [{"seat": n % 2, "text": "passe"} for n in range(4)]
    report = replay(changed(moves=[*passes, {"seat": 0, "text": "D5 w MOOD"}, {"seat": 1, "miss": True}]))
    assert (report["over"], report["winners"], report["to_move"]) == (True, [0, 1], [])
    assert [r["code"] for m in report["moves"][4:] for r in m["refused"]] == ["game-over", "game-over"]


# ---- what is wrong with a record ----


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recrod": 1}, "There is no key 'recrod' in the record. Did you mean 'record'?"),
        ({"xyz": 1}, "Known: record, game"),
        ({"record": 2}, "This program reads version 1"),
        ({"record": True}, "This program reads version 1"),
        ({"game": "chess"}, "Known games: "),
        ({"game": 7}, "Expected: a text in quotes"),
        ({"options": {"pase": "rounds"}}, "Did you mean 'pace'?"),
        ({"options": {"pace": "race"}}, "'race' is not known"),
        ({"options": {"rack_size": 0}}, "At least 1"),
        ({"options": []}, "Expected: an object"),
        ({"seats": ["Anna"]}, "not played by 1"),
        ({"seats": "AB"}, "Expected: a list"),
        ({"setup": {}}, "deals nothing"),
        ({"setup": {"sede": "00"}}, "Did you mean 'seed'?"),
        ({"setup": {"seed": "xy"}}, "no hexadecimal"),
        ({"setup": {"seed": ""}}, "seed is empty"),
        ({"setup": {"seeds": "00"}}, "Expected: a list"),
        ({"setup": {"seeds": []}}, "deals nothing"),
        ({"setup": {"seeds": ["00", "xy"]}}, "seeds is no hexadecimal"),
        ({"setup": {"seeds": ["00", ""]}}, "seeds is empty"),
        ({"setup": {"seed": "00", "seeds": ["00"]}}, "both seed and seeds"),
        ({"commitment": "00", "commitments": ["00"]}, "both commitment and commitments"),
        ({"commitments": "00"}, "Expected: a list"),
        ({"setup": {"seed": "00", "starter": 2}}, "Seats are 0 to 1"),
        ({"setup": {"racks": [["A"]], "stock": []}}, "racks needs 2"),
        ({"lexicon": "all"}, 'write "any"'),
        ({"lexicon": [1]}, "Expected: a text"),
        ({"moves": {}}, "Expected: a list"),
        ({"moves": [7]}, "entry 1"),
        ({"moves": [{"seat": 2, "text": "x"}]}, "entry 1: seat = 2 is no seat"),
        ({"moves": [{"seat": True, "text": "x"}]}, "is no seat"),
        ({"moves": [{"seat": 0}]}, "text is missing"),
        ({"moves": [{"seat": 0, "txet": "x"}]}, "Did you mean 'text'?"),
        ({"moves": [{"evaluate": True, "seat": 0}]}, "evaluation is of all seats"),
        ({"moves": [{"evaluate": 1}]}, "are true or false"),
        ({"moves": [{"evaluate": True}]}, "no round to evaluate"),
        ({"options": {"pace": "rounds"}, "moves": [{"seat": 0, "miss": True}]}, "no single missed turn"),
    ],
)
def test_a_wrong_record_says_what_to_do(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(changed(**change)), encoding="utf-8")
    result = command("replay", str(path))
    assert result.exit_code == 1
    assert message in str(result.exception)
    assert "\n" not in str(result.exception)


@pytest.mark.parametrize("key", ["record", "game", "seats", "setup", "moves"])
def test_needed_keys(key: str) -> None:
    with pytest.raises(RecordError, match=key):
        records.parse({k: v for k, v in PLAIN.items() if k != key}, games.load)


def test_files_that_are_no_record(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes('{"seats": ["Jörg"]}'.encode("latin-1"))
    (tmp_path / "deep").write_text("[" * 100_000, encoding="utf-8")
    for name, message in [
        ("latin", "not UTF-8"),
        ("deep", "nested too deeply"),
        ("none", "Cannot read"),
        (".", "Cannot"),
    ]:
        with pytest.raises(RecordError, match=message):
            records.load(tmp_path / name, games.load)
    with pytest.raises(RecordError, match="line 2, column 2"):
        records.loads("{\n x}", games.load)
    assert records.loads("\ufeff" + json.dumps(PLAIN), games.load).seats == ("Anna", "Bert")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(PLAIN)),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(["seed", "text", "seat", "pace", "tiles", "racks", "stock", "board"]), x, max_size=3
            )
        ),
        max_leaves=6,
    ),
)
def test_any_value_is_read_or_refused(key: str, value: Any) -> None:
    with contextlib.suppress(OperatorError):
        assert replay(changed(**{key: value}))["game"] == "topwords"


# ---- export and verify ----


def game_of_robots(options: dict[str, Any], turns: int) -> tuple[dict[str, Any], Table[Any]]:
    """Robots play; some of their words are unknown at first; the log goes through JSON."""
    from moderator.engine.options import read_options

    seed, salts = bytes(range(32)), ["anna:herbst"]
    game = games.load("topwords")
    listed = WordList(
        ["EIS", "REIS", "NEST", "TEE", "SEE", "ES", "IN", "EN", "RE", "ER", "UM", "AM", "HUT", "RUM", "TRENNE"]
    )
    ctx = Context(listed, shuffler(seed, salts, "K7Q2"))
    table, _ = open_table(game, 2, read_options(game, options), ctx)
    entries: list[Entry] = []
    for turn in range(turns):
        if table.state.over:
            break
        seat = table.state.to_move[0] if table.pace == "sequential" else turn % 2
        text = f"A1 w XX; sonst {choose(game, table.state, seat, ctx) or 'passe'}; sonst passe"
        at_first = WordList(word for word in listed.words if turn > 2 or word != "NEST")
        table, result = submit(game, table, seat, text, Context(at_first, ctx.shuffle))
        entries.append(
            from_row("order" if table.together else "move", seat, text, json.loads(json.dumps(result.to_json())))
        )
        if table.together and turn % 2:
            table, result = evaluate(game, table, Context(at_first, ctx.shuffle))
            entries.append(from_row("evaluate", None, "", json.loads(json.dumps(result.to_json()))))
    if table.pace == "sequential":
        seat = table.state.to_move[0]
        table, result = miss(game, table, seat, ctx)
        entries.append(from_row("miss", seat, "", result.to_json()))
        entries.append(Entry("order", table.state.to_move[0], "held for a ruling"))
    return records.export("K7Q2", game, options, ["Anna", "Bert"], seed.hex(), salts, entries), table


@pytest.mark.parametrize("options", [{}, {"pace": "rounds"}, {"pace": "common"}])
def test_an_exported_match_replays_and_verifies(options: dict[str, Any]) -> None:
    record, table = game_of_robots(options, 8)
    assert json.loads(json.dumps(record)) == record
    report = replay(record)
    assert report["scores"] == list(table.state.scores) == record["result"]["scores"]
    assert sum(report["scores"]) > 0
    assert report["hands"] == [list(hand) for hand in table.state.hands]
    verified = records.verify(records.parse(record, games.load))
    assert verified["ok"], verified
    assert [check["check"] for check in verified["checks"]] == ["commitment", "scores", "winners", "moves"]
    assert verified["deal"]["hands"][0] == list(shuffler(bytes(range(32)), ["anna:herbst"], "K7Q2")(
        "round1", sorted_bag()
    )[: 8 if options.get("pace") == "common" else 7])  # fmt: skip


def sorted_bag() -> tuple[str, ...]:
    from moderator.games.topwords.tiles import bag

    return bag("german-100")


def test_export_names_words_that_counted_only_later() -> None:
    game = games.load("topwords")
    no = {"ruling": "reject", "reason": "unknown"}
    entries = [
        from_row("move", 0, "passe", {"verdicts": {"ES": no, "XX": no}, "moves": []}),
        from_row("move", 1, "passe", {"verdicts": {"ES": {"ruling": "accept"}}, "moves": []}),
    ]
    record = records.export("K7Q2", game, {}, ["Anna", "Bert"], bytes(32), [], entries)
    assert record["lexicon"] == ["ES"]
    assert record["moves"] == [{"seat": 0, "text": "passe", "rejected": ["ES"]}, {"seat": 1, "text": "passe"}]
    assert record["commitment"] == commit(bytes(32))


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
    record, _ = game_of_robots({}, 6)
    place = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    report = records.verify(records.parse(record, games.load))
    assert not report["ok"]
    assert check in [c["check"] for c in report["checks"] if not c["ok"]]
    assert command("verify", "-", record=record).exit_code == 1


def test_verify_without_anything_to_check_is_not_ok() -> None:
    result = command("verify", "-", record=PLAIN)
    assert result.exit_code == 1
    assert "Nothing to check" in result.output


# ---- rounds with seeds of their own, a game without words ----


def tile_game(master: bytes = bytes(32)) -> tuple[dict[str, Any], Table[Any]]:
    """The tests' tile game, played by robots with standing orders and a missed turn; its log goes through JSON."""
    ctx = Context(AnyWords(), shuffler(round_seeds(master), ["anna:herbst"], "K7Q2"))
    table, _ = open_table(TILES, 2, TILES.options(), ctx)
    entries: list[Entry] = []
    while not table.state.over:
        seat = table.state.to_move[0]
        if len(entries) == 2:
            table, result = miss(TILES, table, seat, ctx)
            entries.append(from_row("miss", seat, "", json.loads(json.dumps(result.to_json()))))
            continue
        text = f"nach Ziehen: bester; {choose(TILES, table.state, seat, ctx)}"
        table, result = submit(TILES, table, seat, text, ctx)
        entries.append(from_row("move", seat, text, json.loads(json.dumps(result.to_json()))))
    return records.export("K7Q2", TILES, {}, ["Anna", "Bert"], master, ["anna:herbst"], entries), table


def tiles_only(key: str) -> Any:
    return TILES


def test_a_match_of_two_rounds_shows_the_seeds_that_were_dealt_and_no_other() -> None:
    record, table = tile_game()
    assert json.loads(json.dumps(record)) == record
    assert list(record) == ["record", "game", "match", "options", "seats", "setup", "moves", "commitments", "result"]
    assert record["setup"]["seeds"] == [round_seed(bytes(32), number).hex() for number in (1, 2)]
    assert record["commitments"] == [commit(round_seed(bytes(32), number)) for number in (1, 2)]
    assert bytes(32).hex() not in json.dumps(record)
    assert record["result"]["scores"] == list(table.state.scores)


def test_every_round_is_dealt_again_and_every_commitment_checked() -> None:
    record, _ = tile_game()
    report = records.verify(records.parse(record, tiles_only))
    assert report["ok"], report
    checks = [check["check"] for check in report["checks"]]
    assert checks == ["commitment of round 1", "commitment of round 2", "scores", "winners", "moves"]
    for number, deal in enumerate(report["deals"], start=1):
        seed = round_seed(bytes(32), number)
        assert deal == {
            "label": f"round{number}",
            "tiles": list(shuffler(seed, ["anna:herbst"], "K7Q2")(f"round{number}", ALL)),
        }
    assert len(report["deals"]) == 2


@pytest.mark.parametrize(
    ("path", "value", "check"),
    [
        (["commitments", 1], "00" * 32, "commitment of round 2"),
        (["commitments"], ["00" * 32, "00" * 32, "00" * 32], "commitment of round 3"),
        (["setup", "seeds", 1], "ff" * 32, "commitment of round 2"),
        (["setup", "seeds", 1], "ff" * 32, "moves"),
        (["setup", "seeds"], ["ff" * 32], "commitment of round 2"),
        (["setup", "salts"], [], "moves"),
    ],
)
def test_verify_finds_a_round_that_was_dealt_otherwise(path: list[Any], value: Any, check: str) -> None:
    record, _ = tile_game()
    place = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    report = records.verify(records.parse(record, tiles_only))
    wrong = [c["check"] for c in report["checks"] if not c["ok"]]
    assert not report["ok"]
    assert check in wrong or (check == "moves" and any(name.startswith("move ") for name in wrong))


def test_one_seed_serves_all_rounds() -> None:
    record, _ = tile_game()
    values = {**record, "setup": {"seed": "00" * 32}, "moves": []}
    for key in ("commitments", "result", "match"):
        del values[key]
    found = records.parse(values, tiles_only)
    assert found.shuffle("round3", ALL) == shuffler(bytes(32))("round3", ALL)
    listed = records.parse({**values, "setup": {"seeds": ["00" * 32, "01" * 32]}}, tiles_only)
    assert listed.shuffle("round1", ALL) == shuffler(bytes(32))("round1", ALL)
    assert listed.shuffle("round3", ALL) == shuffler(bytes([1] * 32))("round3", ALL)


def test_a_game_without_words_needs_no_lexicon() -> None:
    record, _ = tile_game()
    assert "lexicon" not in record
    report = records.replay(records.parse(record, tiles_only), trace=True)
    assert report["over"]
    assert len(report["trace"]) == len(record["moves"]) + 1
    assert all(isinstance(moment["legal"], list) for moment in report["trace"])
    legal = records.analyse(records.parse({**record, "moves": [], "result": {}}, tiles_only))
    assert legal["moves"]


def test_what_happened_by_itself_follows_its_move() -> None:
    record, _ = tile_game()
    report = records.replay(records.parse(record, tiles_only))
    codes = [(event["n"], event["code"]) for event in report["events"]]
    assert codes[0] == (0, "opened")
    ended = next(n for n, code in codes if code == "next-round")
    after = [code for n, code in codes if n == ended]
    assert after.index("next-round") == after.index("opened") - 1
    missed = [code for n, code in codes if n == 3]
    assert missed[0] == "missed"


@pytest.mark.parametrize("key", [key for key in games.REGISTRY if games.load(key).seeded_rounds])
def test_each_tile_game_is_exported_and_verified(key: str) -> None:
    game = games.load(key)
    master = bytes(range(32))
    ctx = Context(AnyWords(), shuffler(round_seeds(master), (), "K7Q2"))
    table, _ = open_table(game, 2, game.options(), ctx)
    entries: list[Entry] = []
    while not table.state.over and len(entries) < 40:
        seat = table.state.to_move[0]
        text = choose(game, table.state, seat, ctx)
        table, result = submit(game, table, seat, text, ctx)
        entries.append(from_row("move", seat, text, json.loads(json.dumps(result.to_json()))))
    record = records.export("K7Q2", game, {}, ["Anna", "Bert"], master, (), entries)
    assert len(record["setup"]["seeds"]) == table.state.public.round
    verified = records.verify(records.parse(record, games.load))
    assert verified["ok"], verified["checks"]
    assert replay(record)["scores"] == list(table.state.scores)


# ---- commands ----


def test_replay_json_from_standard_input() -> None:
    result = command("replay", "-", "--json", record=PLAIN)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == replay(PLAIN)
    assert json.loads(command("replay", "-", "--json", "--trace", record=PLAIN).stdout) == replay(PLAIN, trace=True)


def test_strict_minds_moves_that_were_not_played() -> None:
    assert command("replay", "-", "--strict", record=PLAIN).exit_code == 2
    assert command("replay", "-", record=PLAIN).exit_code == 0
    fine = changed(moves=[PLAIN["moves"][0], {"seat": 1, "miss": True}])
    assert command("replay", "-", "--strict", record=fine).exit_code == 0, "a fallback that was played is no offence"


def test_replay_for_people() -> None:
    text = command("replay", "-", record=PLAIN).stdout
    for line in [
        "   1. Anna: D5 w MOOD (alternative 2): 8 = MOOD 8",
        "        refused 'D5 w MODO': not-a-word (word MODO, words MODO, reason unknown, source record)",
        "   2. Anna: nothing played: 0",
        "Anna: 8",
        "Hand of Bert: W X Y Z E F G",
        "Stock: 9",
        "To move: Bert",
    ]:
        assert line in text.splitlines()
    assert "legal: " not in text
    assert "legal: D5 w MOOD 8" in command("replay", "-", "--trace", record=changed(lexicon=["MOOD"])).stdout.replace(
        "B5 w MOOD 8; B6 w MOOD 8; C5 w MOOD 8; C6 w MOOD 8; ", ""
    )


def test_analyse() -> None:
    record = changed(moves=[], lexicon=["MOOD", "NET", "TEN", "ON", "NO"])
    report = json.loads(command("analyse", "-", "--json", "--all", record=record).stdout)
    assert report["seat"] == 0
    assert len(report["moves"]) > 20
    assert report["moves"] == sorted(report["moves"], key=lambda m: (-m["points"], m["move"]))
    assert report["moves"] == replay(record, trace=True)["trace"][-1]["legal"]
    short = json.loads(command("analyse", "-", "--json", record=record).stdout)
    assert short["moves"] == report["moves"][:20]
    text = command("analyse", "-", record=record).stdout
    assert text.splitlines()[0] == "Anna to move: 20 moves"
    assert len(text.splitlines()) == 21


def test_analyse_when_it_is_over() -> None:
    record = changed(moves=[{"seat": n % 2, "text": "passe"} for n in range(4)])
    assert json.loads(command("analyse", "-", "--json", record=record).stdout) == {"seat": None, "moves": []}
    assert "over" in command("analyse", "-", record=record).stdout


def test_verify_command() -> None:
    record, _ = game_of_robots({}, 6)
    result = command("verify", "-", record=record)
    assert result.exit_code == 0
    assert f"ok  commitment: {commit(bytes(range(32)))}" in result.stdout
    assert "Dealt to Anna: " in result.stdout


def test_a_record_without_lexicon_needs_a_configuration(tmp_path: Path) -> None:
    record = {key: value for key, value in PLAIN.items() if key != "lexicon"}
    result = command("replay", "-", record=record, config=tmp_path / "none.toml")
    assert isinstance(result.exception, RecordError)
    assert 'Add "lexicon"' in str(result.exception)


def test_the_configured_dictionary_decides_without_a_lexicon(tmp_path: Path) -> None:
    from moderator.lexicon.build import build

    (tmp_path / "words.txt").write_text("mood\ndear\n", encoding="utf-8")
    build("tiny", [str(tmp_path / "words.txt")], tmp_path / "lexicons")
    config = tmp_path / "moderator.toml"
    config.write_text(
        """
        [club]
        moderator = "referee@club.example"
        [mail]
        address = "games@club.example"
        transport = "maildir"
        [words]
        lexicons = ["tiny"]
        """,
        encoding="utf-8",
    )
    record = {key: value for key, value in PLAIN.items() if key != "lexicon"}
    result = command("replay", "-", "--json", record=record, config=config)
    assert result.exception is None
    assert [m["played"] for m in json.loads(result.stdout)["moves"]] == ["D5 w MOOD", None, None, "G5 s DEAR", None]
    report = json.loads(command("analyse", "-", "--json", record={**record, "moves": []}, config=config).stdout)
    words = {move["move"].split()[2] for move in report["moves"]}
    # The house list that ships with the program comes on top of the dictionary.
    assert "MOOD" in words
    assert not words & {"NET", "ON", "SO"}


def test_no_configuration_is_read_when_the_record_brings_its_words(tmp_path: Path) -> None:
    assert command("replay", "-", record=PLAIN, config=tmp_path / "none.toml").exit_code == 0


def test_the_commands_start_without_heavy_imports() -> None:
    import subprocess
    import sys

    code = (
        "import sys, io; sys.argv = ['moderator', 'replay', '-']\n"
        "from moderator.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = 'sqlmodel sqlalchemy jinja2 imapclient aiosmtplib resvg_py simplemma css_inline marisa_trie'\n"
        "sys.exit(' '.join(m for m in heavy.split() if m in sys.modules) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(PLAIN), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "To move: Bert" in done.stdout


# ---- the documentation ----

DOCUMENT = Path(__file__).parents[2] / "docs" / "record.md"


def test_the_documented_record_is_one() -> None:
    blocks = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    record = json.loads(blocks[0])
    verified = records.verify(records.parse(record, games.load))
    assert verified["checks"] == [{"check": "commitment", "ok": True, "detail": record["commitment"]}]
    report = replay(PLAIN)
    documented = json.loads(blocks[2])
    assert list(documented) == list(report)
    assert list(documented["moves"][0]) == list(report["moves"][0])
    assert list(documented["events"][0]) == list(report["events"][0])


def test_the_documented_match_of_two_rounds_verifies() -> None:
    blocks = re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    record = records.parse(json.loads(blocks[1]), games.load)
    verified = records.verify(record)
    assert verified["ok"], verified["checks"]
    assert [check["check"] for check in verified["checks"]] == [
        "commitment of round 1",
        "commitment of round 2",
        "scores",
    ]
    report = records.replay(record)
    assert all(move["played"] for move in report["moves"])
    assert [(event["n"], event["code"]) for event in report["events"] if event["code"] == "next-round"] == [
        (12, "next-round")
    ]


def test_every_key_is_documented() -> None:
    from moderator.engine import recordfile

    text = DOCUMENT.read_text(encoding="utf-8")
    for key in (*recordfile.KEYS, *recordfile.SETUP_KEYS, *recordfile.MOVE_KEYS):
        assert f"`{key}`" in text or f'"{key}"' in text, key
