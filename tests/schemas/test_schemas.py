"""The schemas that are shipped are those of the types; what documents print has them.

Whatever a program could want of a command it gets as JSON: each has ``--json``, or stands below with the reason why
not; and what comes out in a club that is lived in is of the type that the option names."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from moderator import schemas
from moderator.cli import cli
from moderator.cli.derived import LISTINGS as LINES
from moderator.rules.records import file as recordfile
from moderator.service.create import get_match
from moderator.settings import load_config
from moderator.views.match_state import format_state_line
from tests.cli.running import commands, refuse_command, run_command, type_command
from tests.club.club import Club
from tests.clubs.make import resume_matches, unpack, versions
from tests.schemas import make
from tests.schemas.make import OTHERS
from tests.schemas.validators import json_option, validated, validator

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "moderator").rglob("*.md")])
BLOCK = re.compile(r"(?:<!-- schema: (.+?) -->\n(?:<!--.*-->\n)?)?```json\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_the_files_are_those_of_the_types() -> None:
    there = {file.name: file.read_text(encoding="utf-8") for file in make.FOLDER.glob("*.json")}
    made = make.every()
    assert {name: there[name] for name in made} == made, "run `python -m tests.schemas.make`"


@pytest.mark.parametrize("name", schemas.list_schemas())
def test_each_is_a_schema_with_a_number_that_keeps_what_it_promised(name: str) -> None:
    """A key that is gone, or of another type, needs a new number."""
    schema = json.loads(schemas.read_schema(name))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == make.DRAFT
    number = re.fullmatch(rf"urn:moderator:schema:{name}:(\d+)", schema["$id"])
    assert number
    assert schema["title"]
    assert schema["type"] == "object"
    for key, value in schema["properties"].items():
        if key in ("record", "turn", "report", "review", "moderator") and "const" in value:
            assert value["const"] == int(number[1]), "the number in a file is that of its schema"
    promised = json.loads(make.PROMISED.read_text(encoding="utf-8"))[schema["$id"]]
    now = make.promises(schema)
    broken = {key: (was, now.get(key)) for key, was in promised.items() if now.get(key) != was}
    assert not broken, "give it a new number in tests/schemas/make.py"
    assert not now.keys() - promised.keys(), "run `python -m tests.schemas.make`"


def test_the_command_prints_them() -> None:
    assert [line.split()[0] for line in type_command(None, "schema").splitlines()] == [*schemas.list_schemas(), *LINES]
    assert type_command(None, "schema", "turn") == schemas.read_schema("turn")
    assert "Did you mean 'record'?" in refuse_command(None, "schema", "recrod")
    assert "Did you mean 'match'?" in refuse_command(None, "schema", "mtach")


@pytest.mark.parametrize("name", LINES)
def test_the_command_prints_that_of_a_listing_from_its_type(name: str) -> None:
    schema = json.loads(type_command(None, "schema", name))
    Draft202012Validator.check_schema(schema)
    assert (schema["$id"], schema["type"]) == (f"urn:moderator:schema:{name}", "object")
    assert schema["title"]


def examples() -> Iterator[tuple[Path, str, str]]:
    """Document, schema, text of every example in JSON."""
    for path in DOCUMENTS:
        for name, text in BLOCK.findall(path.read_text(encoding="utf-8")):
            yield path, name, text


def test_every_example_has_the_schema_that_is_named_above_it() -> None:
    found = list(examples())
    for path, name, text in found:
        assert name, f"{path.name}: say <!-- schema: NAME --> above\n{text[:200]}"
        validator(name).validate(json.loads(text))
    fences = sum(path.read_text(encoding="utf-8").count("```json") for path in DOCUMENTS)
    assert len(found) == fences >= 12


def test_what_stands_in_a_line_of_record_md_has_its_schema_too() -> None:
    """Entries of ``moves``, and what ``analyse`` prints."""
    page = (ROOT / "docs" / "build" / "record.md").read_text(encoding="utf-8")
    found = [json.loads(text) for text in re.findall(r"`(\{\"[^`]*\})`", page)]
    for value in found:
        if "moves" in value:
            validator("analysis").validate(value)
        elif set(value) <= set(recordfile.MOVE_KEYS):
            validator("record#/$defs/move").validate(value)
    assert sum("moves" in value for value in found) == 2
    assert sum(set(value) <= set(recordfile.MOVE_KEYS) for value in found) == 7


PATHS = dict(commands(cli))
WITHOUT = {
    "compose": "writes a mail",
    "export": "writes a record, which is JSON with the schema `record`",
    "player export": "writes a ZIP of JSON",
    "schema": "prints a schema, which is JSON",
    "cup export": "writes files: TRF, CSV",
}
"""Commands without ``--json``: what they give is a format of its own already, or …"""
EXIT_CODE = {
    "demo", "init", "upgrade", "restore", "reread", "move-store", "sandbox",
    "cup adjudicate", "cup cancel", "cup extend", "cup finish", "cup join", "cup pair", "cup withdraw",
    "clock right", "clock undo", "match rule-protest", "player forget", "player reachable", "puzzle skip",
    "quarantine drop", "quarantine retry",
    "receive", "game new", "referee leave", "referee remove", "words rule",
}  # fmt: skip
"""… what they say is that they did what they were told; the exit code says so, too. Or …"""
READ_BY_PERSONS = {
    "move-in": "what is moved in is looked at by a person before it counts",
    "rehearse": "tells mails that were played, in sentences",
}
"""… nobody else than a person has use for it."""


def test_every_command_has_json_or_a_reason() -> None:
    having = {" ".join(path) for path in PATHS if json_option(path) is not None}
    assert not {" ".join(path) for path, one in PATHS.items() for p in one.params if "--json" in p.opts} - having
    every = {" ".join(path) for path in PATHS}
    excused = [*WITHOUT, *EXIT_CODE, *READ_BY_PERSONS]
    assert len(excused) == len(set(excused))
    assert set(excused) == every - having


def test_every_option_names_a_schema() -> None:
    for path in PATHS:
        option = json_option(path)
        if option is not None:
            printed, told = {*schemas.list_schemas(), *LINES}, option.help or ""
            has_schema = "an object a line" in told or option.schema in printed - {*LINES}
            assert (f"`moderator schema {option.schema}`" in told) == has_schema, path
            assert option.schema in (printed if has_schema else {*OTHERS})


def lived_in(folder: Path) -> Club:
    """Matches of all games, over and running, a ruling that is waited for, mails that wait, tournaments; as a copy."""
    left = unpack(versions()[-1], folder)
    club = Club(folder, load_config(folder / "moderator.toml"), left + timedelta(hours=1), sent=1000)
    for words in (
        ("upgrade",),
        ("referee", "add", "Karl", "karl@home.example"),
        ("referee", "leave", "Karl", "2036-12-24", "2037-01-02"),
        ("words", "rule", "HUGO", "deny", "--reason", "ein Name", "--tag", "first-name"),
        ("cup", "add", "Pokal", "--game", "topwords", "--format", "robin"),
    ):
        type_command(club, *words)
    resume_matches(club)
    return club


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    return lived_in(tmp_path_factory.mktemp("lived-in"))


def printed(club: Club, *words: str) -> list[dict]:
    """What a command prints, each of it with its schema."""
    path = next(words[:length] for length in (2, 1) if words[:length] in PATHS)
    done = run_command(club, *words, "--json")
    assert done.exit_code == 0 or words[0] == "doctor", done.output
    found = validated(path, done.stdout)
    assert found
    return found


LISTINGS = [
    ("match", "list"), ("match", "list", "--all"), ("match", "protests"), ("match", "check"), ("match", "missing"),
    ("player", "list"),
    ("referee", "list"), ("cup", "list", "--all"), ("cup", "formats"), ("cup", "formats", "swiss"),
    ("quarantine", "list", "--all"), ("words", "list"), ("words", "list", "--shipped"), ("lexicon", "list"),
    ("lexicon", "check", "HAUS", "XYZZY"), ("ratings",), ("audit", "--since", "2020-01-01"), ("doctor",),
    ("doctor", "--deep"), ("today",), ("puzzle", "list"), ("token",),
]  # fmt: skip
"""What needs no code."""
COMMAND = "    moderator "
"""Begins a line that says what to type."""
ONE_LINE_EACH = {
    **{(group, "list"): "headings" for group in ("match", "player", "referee", "words", "lexicon")},
    **{(group, "list", "--all"): "headings" for group in ("match", "cup", "quarantine")},
    **dict.fromkeys((("ratings",), ("match", "protests")), "headings"),
    **dict.fromkeys((("doctor",), ("today",), ("audit", "--since", "2020-01-01")), "none"),
}
"""Listings of which a person reads a line for each object, and whether headings stand above."""


@pytest.mark.slow
@pytest.mark.parametrize("words", LISTINGS, ids=" ".join)
def test_a_listing_has_its_schema_and_an_object_for_each_line(words: tuple[str, ...], club: Club) -> None:
    rows = printed(club, *words)
    if headings := ONE_LINE_EACH.get(words):
        read = [line for line in run_command(club, *words).output.splitlines() if not line.startswith(COMMAND)]
        assert len(rows) == len(read) - (headings == "headings")


@pytest.mark.slow
def test_every_log_and_review_and_record_has_its_schema(club: Club, tmp_path: Path) -> None:
    matches = printed(club, "match", "list", "--all")
    assert len({one["game"] for one in matches}) == 9
    kinds = Counter(one["status"] for one in matches)
    assert min(kinds["running"], kinds["finished"]) > 0
    for one in matches:
        assert printed(club, "match", "show", one["match"])[0]["match"] == one["match"]
        if one["status"] != "open":
            printed(club, "match", "log", one["match"])
        if one["status"] == "finished":
            record, file = type_command(club, "export", one["match"]), tmp_path / "record.json"
            validator("record").validate(json.loads(record))
            file.write_text(record, encoding="utf-8")
            for words in (("replay", str(file)), ("replay", str(file), "--trace"), ("analyse", str(file))):
                printed(club, *words)
            printed(club, "verify", str(file))
            printed(club, "review", one["match"])


def test_every_tournament_and_mail_and_game_has_its_schema(club: Club) -> None:
    for one in printed(club, "cup", "list", "--all"):
        code = one["tournament"]
        (found,) = printed(club, "cup", "show", code)
        assert found["entrants"] == sum(entrant["state"] != "standby" for entrant in found["entered"])
        assert printed(club, "cup", "show", code, "--log")[0]["steps"] is not None
        printed(club, "cup", "referee", code)
        if one["status"] in ("running", "finished"):
            assert printed(club, "cup", "standings", code)
    for one in printed(club, "quarantine", "list", "--all"):
        (mail,) = printed(club, "quarantine", "show", str(one["mail"]))
        assert {key: mail[key] for key in one} == one
    assert len(printed(club, "game", "list")) == 9


@pytest.mark.slow
def test_what_is_made_is_printed_as_its_listing_does(tmp_path: Path) -> None:
    club = lived_in(tmp_path / "club")
    (emil,) = printed(club, "player", "add", "Emil", "emil@home.example")
    assert emil in printed(club, "player", "list")
    assert printed(club, "player", "set", "Emil", "--language", "en")[0]["language"] == "en"
    assert printed(club, "referee", "add", "Rita", "rita@home.example")[0]["matches"] == []
    assert printed(club, "referee", "set", "Rita", "--language", "en")[0]["language"] == "en"
    (made,) = printed(club, "match", "add", "dominos", "Anna", "Emil", "--name", "Neu")
    assert made in printed(club, "match", "list")
    (started,) = printed(club, "match", "start", made["match"])
    assert (made["status"], started["status"]) == ("open", "running")
    assert sum(one["sent"] for one in printed(club, "watch", "--seconds", "2")) > 0
    assert printed(club, "tick")[0]["sent"] == 0
    for words in (("pause", "--why", "Umzug"), ("resume",), ("extend", "3"), ("preview",), ("notice", "Hallo")):
        assert {"code", "text", "values"} <= set(printed(club, "match", words[0], made["match"], *words[1:])[0])
    (cup,) = printed(club, "cup", "add", "Schale", "--game", "dominos", "--format", "robin")
    assert printed(club, "cup", "open", cup["tournament"])[0]["phase"] != cup["phase"] == "not opened"
    type_command(club, "cup", "join", cup["tournament"], "Anna", "Emil", "Bert")
    assert printed(club, "cup", "start", cup["tournament"])[0]["tournament"] == cup["tournament"]
    assert printed(club, "backup", str(tmp_path / "one.zip"))[0]["file"].endswith("one.zip")
    assert printed(club, "publish", str(tmp_path / "site"))[0]["written"] > 0
    assert printed(club, "publish", "--letter", str(tmp_path / "letter.html"))[0]["files"] == 1


def test_what_is_decided_is_told_in_sentences(tmp_path: Path) -> None:
    club = lived_in(tmp_path / "club")
    running = {one["game"]: one for one in printed(club, "match", "list") if one["status"] == "running"}
    code, players = running["supertridom"]["match"], running["supertridom"]["players"]
    (stands,) = printed(club, "match", "show", code)
    mover = next(seat["name"] for seat in stands["seats"] if seat["awaited"])
    with club.work() as work:
        row = get_match(work.session, code)
        live = work.cache.load_match(work.session, row)
        line = format_state_line(work.session, row, live, work.list_players(row), "SuperTridom", "UTC")
    (state,) = printed(club, "match", "state", line)
    assert (state["match"], state["later"], state["taken_back"]) == (code, 0, False)
    assert printed(club, "match", "evaluate", code, "--round", str(stands["round"]), "--force")
    assert printed(club, "match", "excuse", code, mover)
    (after,) = printed(club, "match", "show", code)
    assert after["entries"] > stands["entries"]
    assert printed(club, "match", "rollback", code, "--entry", str(stands["entries"] + 1))
    assert printed(club, "match", "referee", code, "Karl")
    successor = next(name for name in ("Anna", "Bert", "Cora", "Dora") if name not in players)
    assert printed(club, "match", "replace", code, players[0], successor)
    assert printed(club, "match", "eject", code, players[1])
    presto = running["presto"]
    assert printed(club, "match", "move", presto["match"], presto["players"][0], "passe")
    held = next(one["mail"] for one in printed(club, "quarantine", "list") if one["state"] == "confirm")
    assert set(printed(club, "quarantine", "accept", str(held))[0]) == {"code", "text", "values"}


def test_what_comes_from_files_has_its_schema(club: Club, tmp_path: Path) -> None:
    example = re.search(
        r"```json\n(.*?)```", (ROOT / "docs" / "build" / "turn.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert example
    (tmp_path / "turn.json").write_text(example[1], encoding="utf-8")
    printed(club, "turn", str(tmp_path / "turn.json"))
    words = str(club.folder / "words.txt")
    (built,) = printed(club, "lexicon", "build", "klein", "--from", words, "--folder", str(tmp_path))
    assert built in printed(club, "lexicon", "list", "--folder", str(tmp_path))
    own = lived_in(tmp_path / "club")
    (cup,) = (one["tournament"] for one in printed(own, "cup", "list") if one["status"] == "running")
    (game,) = printed(own, "cup", "show", cup)[0]["games"]
    type_command(own, "cup", "adjudicate", cup, game["match"], "1-0")
    type_command(own, "cup", "export", cup, "--csv", str(tmp_path / "cup"))
    form = ("--format", "swiss", "--set", "rounds=1", "--game", "tridom", "--name", "Alt")
    (imported,) = printed(own, "cup", "import", str(tmp_path / "cup"), *form)
    assert imported["status"] == "finished"
    assert printed(own, "cup", "standings", imported["tournament"])[0]["table"]
