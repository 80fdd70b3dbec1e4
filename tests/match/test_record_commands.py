"""The commands that read record files: replay, analyse, verify."""

from __future__ import annotations

import json
from pathlib import Path

from moderator.errors import RecordError
from moderator.match.rng import commit
from tests.match.records import PLAIN, changed, command, game_of_robots, replay


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
    from moderator.words.sources import build

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
