"""Record files: what is read, what comes out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from moderator import games
from moderator.common.errors import RecordError
from moderator.rules.records import record as records
from moderator.words.build.sources import build_lexicon
from tests.match.records import PLAIN, changed, command, replay


def test_the_report_its_entries_and_its_events_are_as_documented() -> None:
    report = replay(PLAIN)
    assert list(report) == [
        "report", "game", "over", "to_move", "scores", "winners", "hands", "stock", "moves", "events", "public"
    ]  # fmt: skip
    assert (report["game"], report["over"], report["winners"]) == ("topwords", False, [])
    assert (report["to_move"], report["scores"], report["stock"]) == ([1], [8, 8], 9)
    assert report["hands"] == [list("NTEABCD"), list("WXYZEFG")]
    assert report["public"]["rows"][4][3:7] == ["M", "O", "O", "D"]
    assert json.loads(json.dumps(report)) == report
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
    refused = {"alternative": 1, "text": "D5 w MOOD", "code": "not-your-turn", "params": {"seats": [1]}}
    assert second["refused"] == [refused]
    assert [r["code"] for r in third["refused"]] == ["no-square"]
    assert (fourth["refused"], last["refused"], last["text"]) == ([], [], "")
    events = replay(PLAIN)["events"]
    assert {tuple(event) for event in events} == {("n", "seat", "code", "params", "points")}
    found = [(e["n"], e["seat"], e["code"]) for e in events if e["code"] in ("starts", "drew", "missed")]
    assert found == [(0, 0, "starts"), (1, 0, "drew"), (4, 1, "drew"), (5, 0, "missed")]
    assert next(e for e in events if e["code"] == "drew")["params"] == {"count": 4}


def test_a_trace_shows_the_table_after_each_entry_and_what_was_legal() -> None:
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


def test_any_word_counts_but_nobody_lists_them_and_small_letters_do() -> None:
    record = changed(lexicon="any", moves=[{"seat": 0, "text": "D5 w TOMD"}])
    report = replay(record, trace=True)
    assert report["moves"][0]["played"] == "D5 w TOMD"
    assert [moment["legal"] for moment in report["trace"]] == [None, None]
    with pytest.raises(RecordError, match="cannot be listed"):
        records.build_record_analysis(records.parse_record_values(record, games.load_game))
    assert replay(changed(lexicon=["mood"]))["moves"][0]["played"] == "D5 w MOOD"
    moves = [{"seat": 0, "text": "D5 w MOOD; sonst E5 w NET", "rejected": ["MOOD"]}]
    assert replay(changed(moves=moves))["moves"][0]["played"] == "E5 w NET"


def test_rounds_report_one_move_per_seat_and_moves_after_the_end_are_refused() -> None:
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
    found = [(m["n"], m["seat"], m["played"]) for m in report["moves"]]
    assert found == [(4, 0, "D5 w MOOD"), (4, 1, "G5 s DEAR"), (7, 1, None), (7, 0, None)]
    assert [moment["after"] for moment in report["trace"]] == [0, 4, 7]
    passes = [{"seat": n % 2, "text": "passe"} for n in range(4)]
    report = replay(changed(moves=[*passes, {"seat": 0, "text": "D5 w MOOD"}, {"seat": 1, "miss": True}]))
    assert (report["over"], report["winners"], report["to_move"]) == (True, [0, 1], [])
    assert [r["code"] for m in report["moves"][4:] for r in m["refused"]] == ["game-over", "game-over"]


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
    found = [(m["seat"], m["points"], m["laid"], m["same"]) for m in report["moves"]]
    assert found == [(0, 8, True, 1), (1, 6, False, 0), (2, 8, True, 1)]
    assert (report["scores"], report["hands"]) == ([8, 6, 8], [list("NTEABCD")])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recrod": 1}, "There is no key 'recrod' in the record. Did you mean 'record'?"),
        ({"xyz": 1}, "Known: record, game"),
        ({"record": 2}, "This program reads version 1"),
        ({"game": "chess"}, "Known: dominos, "),
        ({"options": {"pase": "rounds"}}, "Did you mean 'pace'?"),
        ({"options": {"pace": "race"}}, "'race' is not known"),
        ({"options": {"rack_size": 0}}, "At least 1"),
        ({"seats": ["Anna"]}, "not played by 1"),
        ({"setup": {}}, "deals nothing"),
        ({"setup": {"sede": "00"}}, "Did you mean 'seed'?"),
        ({"setup": {"seed": "xy"}}, "no hexadecimal"),
        ({"setup": {"seed": ""}}, "seed is empty"),
        ({"setup": {"seeds": ["00", "xy"]}}, "seeds is no hexadecimal"),
        ({"setup": {"seed": "00", "seeds": ["00"]}}, "both seed and seeds"),
        ({"commitment": "00", "commitments": ["00"]}, "both commitment and commitments"),
        ({"setup": {"seed": "00", "starter": 2}}, "Seats are 0 to 1"),
        ({"setup": {"racks": [["A"]], "stock": []}}, "racks needs 2"),
        ({"lexicon": "all"}, 'write "any"'),
        ({"moves": [7]}, "entry 1"),
        ({"moves": [{"seat": 2, "text": "x"}]}, "entry 1: seat = 2 is no seat"),
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


def test_files_that_are_no_record_or_lack_a_key(tmp_path: Path) -> None:
    for key in ("record", "game", "seats", "setup", "moves"):
        with pytest.raises(RecordError, match=key):
            records.parse_record_values({k: v for k, v in PLAIN.items() if k != key}, games.load_game)
    (tmp_path / "latin").write_bytes('{"seats": ["Jörg"]}'.encode("latin-1"))
    (tmp_path / "deep").write_text("[" * 100_000, encoding="utf-8")
    wrong = {"latin": "not UTF-8", "deep": "nested too deeply", "none": "Cannot read", ".": "Cannot"}
    for name, message in wrong.items():
        with pytest.raises(RecordError, match=message):
            records.read_record_file(tmp_path / name, games.load_game)
    with pytest.raises(RecordError, match="line 2, column 2"):
        records.parse_record_text("{\n x}", games.load_game)
    assert records.parse_record_text("\ufeff" + json.dumps(PLAIN), games.load_game).seats == ("Anna", "Bert")


DOCUMENT = (Path(__file__).parents[2] / "docs" / "build" / "record.md").read_text(encoding="utf-8")
BLOCKS = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", DOCUMENT, re.S)]


def test_the_documented_records_verify() -> None:
    small, two_rounds = (records.parse_record_values(block, games.load_game) for block in BLOCKS[:2])
    checks = records.verify_record(small)["checks"]
    assert checks == [{"check": "commitment", "ok": True, "detail": BLOCKS[0]["commitment"]}]
    verified = records.verify_record(two_rounds)
    assert verified["ok"], verified["checks"]
    names = [check["check"] for check in verified["checks"]]
    assert names == ["commitment of round 1", "commitment of round 2", "scores"]
    report = records.build_replay_report(two_rounds)
    assert all(move["played"] for move in report["moves"])
    assert [event["n"] for event in report["events"] if event["code"] == "next-round"] == [12]


def test_replay_prints_json_or_lines_and_with_strict_minds_moves_that_were_not_played() -> None:
    result = command("replay", "-", "--json", record=PLAIN)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == replay(PLAIN)
    assert json.loads(command("replay", "-", "--json", "--trace", record=PLAIN).stdout) == replay(PLAIN, trace=True)
    assert command("replay", "-", "--strict", record=PLAIN).exit_code == 2
    assert command("replay", "-", record=PLAIN).exit_code == 0
    fine = changed(moves=[PLAIN["moves"][0], {"seat": 1, "miss": True}])
    assert command("replay", "-", "--strict", record=fine).exit_code == 0, "a fallback that was played is no offence"
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


def test_analyse_lists_the_best_moves_until_the_match_is_over() -> None:
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
    record = changed(moves=[{"seat": n % 2, "text": "passe"} for n in range(4)])
    assert json.loads(command("analyse", "-", "--json", record=record).stdout) == {"seat": None, "moves": []}
    assert "over" in command("analyse", "-", record=record).stdout


def test_a_record_without_lexicon_needs_a_configuration_and_one_with_it_does_not(tmp_path: Path) -> None:
    assert command("replay", "-", record=PLAIN, config=tmp_path / "none.toml").exit_code == 0
    record = {key: value for key, value in PLAIN.items() if key != "lexicon"}
    result = command("replay", "-", record=record, config=tmp_path / "none.toml")
    assert isinstance(result.exception, RecordError)
    assert 'Add "lexicon"' in str(result.exception)


def test_the_configured_dictionary_decides_without_a_lexicon(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("mood\ndear\n", encoding="utf-8")
    build_lexicon("tiny", [str(tmp_path / "words.txt")], tmp_path / "lexicons")
    config = tmp_path / "moderator.toml"
    mailbox = 'moderator = "a@club.example"\n[mail]\naddress = "b@club.example"\ntransport = "maildir"'
    config.write_text(f'[club]\n{mailbox}\n[words]\nlexicons = ["tiny"]\n', encoding="utf-8")
    record = {key: value for key, value in PLAIN.items() if key != "lexicon"}
    result = command("replay", "-", "--json", record=record, config=config)
    assert result.exception is None
    assert [m["played"] for m in json.loads(result.stdout)["moves"]] == ["D5 w MOOD", None, None, "G5 s DEAR", None]
    report = json.loads(command("analyse", "-", "--json", record={**record, "moves": []}, config=config).stdout)
    words = {move["move"].split()[2] for move in report["moves"]}
    # The house list that ships with the program comes on top of the dictionary.
    assert "MOOD" in words
    assert not words & {"NET", "ON", "SO"}
