"""What exists is where it belongs, documented, and there in both languages; checked by enumeration."""

import ast
import builtins
import dataclasses
import io
import re
import subprocess
import sys
import tokenize
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench import structure
from moderator import games, settings
from moderator.cli.command_tree import list_command_names
from moderator.cli.group import cli
from moderator.common import message_files
from moderator.common.message_files import READ
from moderator.inbox.job import Purpose
from moderator.inbox.pipeline import DECIDERS, MAIL_STEPS
from moderator.language.messages import has_sentence
from moderator.store import club_tables, tables
from moderator.store.tables import MatchRow, Tournament, TournamentEntry, TournamentGame
from tests.sampling import BUDGETS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "moderator"
PURE = {"rules", "games"}
FILES = (".py", ".md", ".toml", ".js", ".matches", ".org", ".example")
"""How names end that are none of ours."""
HEAVY = {
    "networkx", "openskill", "sqlmodel", "sqlalchemy", "alembic", "jinja2", "imapclient", "aiosmtplib", "resvg_py",
    "dns", "css_inline", "simplemma", "icalendar",
}  # fmt: skip
READS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")} | {
    ("time", name) for name in ("time", "time_ns", "localtime", "gmtime", "ctime")
}
"""What asks the system what time it is."""


def modules(folder: str = "") -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_each_package_knows_only_those_below_it() -> None:
    """A package that is not in tests/walls.toml breaks it, and so does an exception that is needed no more."""
    lint = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", "tests/walls.toml"]
    done = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_steps_of_a_mail_are_named_in_their_order() -> None:
    steps = [step.__name__ for step in MAIL_STEPS]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("MAIL_STEPS")[2]
    assert [word for word in re.findall(r"`(\w+)`", text) if word in steps][: len(steps)] == steps


def test_something_is_done_for_each_purpose_of_a_mail() -> None:
    assert [*DECIDERS] == [*Purpose]


def test_the_document_shows_the_packages_in_the_same_order() -> None:
    layers = tomllib.loads((ROOT / "tests" / "walls.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    listed = [name for layer in layers[0]["layers"] for name in layer.split(" | ") if (PACKAGE / name).is_dir()]
    document = (ROOT / "docs" / "inside" / "architecture.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `moderator/(\w+)/", document, re.MULTILINE) == listed


@pytest.mark.slow
def test_no_modules_import_each_other_in_a_ring() -> None:
    """Also within functions and for types, where a ring would only be hidden."""
    assert structure.cycles(sorted(PACKAGE.rglob("*.py"))) == []


@pytest.mark.slow
def test_a_module_is_one_idea_and_says_at_its_top_what_it_needs() -> None:
    """An import within a function saves time at each start; a comment says so."""
    within = []
    for path, tree in modules():
        assert path.read_text(encoding="utf-8").count("\n") <= 600, path
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        inner = {node for function in functions for node in ast.walk(function) if isinstance(node, ast.ImportFrom)}
        within += [f"{path.name}:{node.lineno}" for node in inner if (node.module or "").startswith("moderator")]
    assert len(within) <= 22, within


def attributes(tree: ast.AST) -> set[tuple[str, str]]:
    """("datetime", "now") for ``datetime.now`` and for ``x.datetime.now``."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    return {(getattr(node.value, "id", getattr(node.value, "attr", "")), node.attr) for node in found}


@pytest.mark.parametrize("folder", sorted(PURE))
def test_rules_know_no_chance_and_no_files(folder: str) -> None:
    for path, tree in modules(folder):
        for name in imports(tree):
            assert name.partition(".")[0] not in {"random", "time", "secrets", "socket", "email", "subprocess"}, path


@pytest.mark.slow
def test_who_reads_the_machines_clock_is_listed() -> None:
    """Nothing else depends on the day on which it runs."""
    found = {path.relative_to(PACKAGE).as_posix() for path, tree in modules() if attributes(tree) & READS}
    assert found == {
        "mail/maildir.py",  # the names of mail files
        "store/due_work.py",  # whether a run's time is the machine's, and can be measured by what it counts
        "common/clock.py",  # all that asks what time it is
    }


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [("moderator.cli.group, moderator.cli.tick", HEAVY), ("moderator.words.dictionary", {"dataclasses", "pathlib"})],
)
def test_heavy_libraries_are_imported_where_they_are_needed(modules: str, heavy: set[str]) -> None:
    code = f"import sys, {modules}; print(sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not heavy & set(re.findall(r"'([a-z_0-9]+)'", loaded))


def test_every_command_says_what_it_does() -> None:
    for name in list_command_names(""):
        assert cli.get_command(None, name).help, name  # type: ignore[arg-type]


def test_every_setting_stands_in_the_example(tmp_path: Path) -> None:
    example = (ROOT / "config.example.toml").read_text(encoding="utf-8")
    kinds = typing.get_type_hints(settings.Config)
    for table in (f.name for f in dataclasses.fields(settings.Config) if f.init):
        kind, *of_each = kinds[table], *typing.get_args(kinds[table])[1:]  # a table of tables, by name
        assert f"\n[{table}]" in example
        own = table == "transport"  # of a package: nobody here knows what stands in it
        for field in () if own else dataclasses.fields(of_each[0] if of_each else kind):
            beside = field.name in ("password", "token_command")  # beside another, in its line
            assert beside or re.search(rf"^#? ?(?:Ada\.)?{field.name} = ", example, re.MULTILINE), (
                f"[{table}] {field.name}"
            )
            assert f"{field.name} = " in example
    file = tmp_path / "moderator.toml"
    file.write_text(example, encoding="utf-8")
    assert settings.load_config(file).mail.address == "games@example.org"


def test_every_commented_default_is_the_one_that_holds(tmp_path: Path) -> None:
    example = (ROOT / "config.example.toml").read_text(encoding="utf-8")
    wanted = {"[bots]": ("Ada.command",)}  # it has to be named: there is no default
    file = tmp_path / "moderator.toml"
    file.write_text(example, encoding="utf-8")
    silent, section, compared = settings.load_config(file), "", 0
    for line in example.splitlines():
        if found := re.match(r"\[\w+\]", line):
            section = found[0]
        if (found := re.match(r"# ([\w.]+) = (.*?)(?:\s{2,}#.*)?$", line)) is None or found[1] in wanted.get(
            section, ()
        ):
            continue
        said = re.sub(rf"^{re.escape(line)}$", lambda _, said=found[0]: said[2:], example, count=1, flags=re.MULTILINE)
        if section == "[bots]":
            said = said.replace("\n# Ada.command =", '\nAda.command = ["true"]\n# Ada.command =', 1)
        file.write_text(said, encoding="utf-8")
        loaded = settings.load_config(file)
        if section == "[bots]":
            ada = loaded.bots["Ada"]
            assert (ada.seconds, ada.mebibytes) == (settings.BotSettings().seconds, settings.BotSettings().mebibytes), (
                line
            )
        else:
            assert loaded == silent, line
        compared += 1
    assert compared > 60


@pytest.mark.parametrize("game", sorted(games.REGISTRY))
def test_every_option_is_described_and_stands_in_the_rules(game: str) -> None:
    rules = (games.folder(game) / "RULES.md").read_text(encoding="utf-8")
    options = [field.name for field in dataclasses.fields(games.load_game(game).options)]
    assert [name for name in options if f"`{name}" not in rules] == []
    for language in ("de", "en"):
        assert has_sentence("name", language, game)
        assert [name for name in options if name != "pace" and not has_sentence(f"option.{name}", language, game)] == []


@pytest.mark.slow
def test_what_is_read_has_one_place() -> None:
    """A folder says once what is written for something, and the code asks for it."""
    asked = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    for folder in {path.parent for path in PACKAGE.rglob("*messages.en.toml")}:
        for kind in READ - {"move", "told"}:  # their words stand in what a game's ``format`` makes
            keys = [key for _, key, _ in message_files.iter_message_tables(folder, "en", kind)]
            assert len(keys) == len(set(keys)), folder
            for key in keys:
                assert re.search(rf"[\"'-]{re.escape(key.rpartition('-')[2])}[\"']", asked), f"{folder}: {key}"


def test_templates_hold_no_words() -> None:
    """Each stands once, whatever the language: what it says comes from the files of words."""
    templates = [path for folder in ("shared", "site") for path in (ROOT / "templates" / folder).glob("*.j2")]
    assert templates
    wrong = {}
    for path in templates:
        text = re.sub(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>|&\w+;|\bdata-\w+=", " ", text, flags=re.DOTALL)
        words = set(re.findall(r"(?<!#)\b[A-Za-zÄÖÜäöüß]{3,}", text)) - {"moderator", "verify", "json"}  # what to type
        wrong |= {path.name: words} if words else {}
    assert wrong == {}


def test_a_module_that_a_text_names_exists() -> None:
    """In documents, docstrings and comments: ``delivery/deliver.py`` is a promise that somebody finds it there."""
    names = re.compile(r"(?<![\w/.<{])(?:[\w-]+/)*[a-z_][\w-]*\.py\b")
    folders = ("moderator", "tests", "bench", "examples")
    files = [*ROOT.glob("*.py"), *(file for folder in folders for file in (ROOT / folder).rglob("*.py"))]
    known = [f"/{file.relative_to(ROOT)}" for file in files]
    texts = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), *PACKAGE.rglob("*.py")]
    assert len(texts) > 300
    gone = {
        (str(text.relative_to(ROOT)), name)
        for text in texts
        for name in names.findall(text.read_text(encoding="utf-8"))
        if not any(file.endswith(f"/{name}") for file in known)
    }
    assert gone == set()


def test_the_gate_spends_five_minutes_on_lists_of_cases_at_most() -> None:
    assert sum(tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["seconds"].values()) <= 300


def test_a_name_that_a_text_gives_exists() -> None:
    """``due_work.PendingWork`` is a promise, too, in docstrings, comments and docs/inside/architecture.md."""
    names = set(dir(builtins)) | {path.stem for path in (ROOT / "bench").glob("*.py")} | {"bench"}
    texts = [("docs/inside/architecture.md", (ROOT / "docs" / "inside" / "architecture.md").read_text("utf-8"))]
    for path in PACKAGE.rglob("*.py"):
        names |= {path.stem, path.parent.name}
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
            if token.type == tokenize.COMMENT or token.string.startswith('"""'):
                texts.append((str(path.relative_to(PACKAGE)), token.string))
            elif token.type in (tokenize.NAME, tokenize.STRING):
                names |= set(re.findall(r"\w+", token.string))
    given = re.compile(r"(?<!`)`{1,2}((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|(?:[A-Z][a-z]+){2,})(?:\([^`]*\))?`{1,2}")
    gone = {
        (path, name)
        for path, text in texts
        for name in given.findall(text)
        if not name.endswith(FILES) and not names.issuperset(name.split("."))
    }
    assert gone == set()


def list_writes(tree: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that are set somewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node


@pytest.mark.parametrize(
    ("folder", "called", "rows", "some"),
    [
        ("match", r"match$", [MatchRow], {"deadline", "final", "stopped", "held", "remind_at", "turn_at", "salts"}),
        (
            "tournaments",
            r"tournament$|cup\.row$|entry$",
            [Tournament, TournamentEntry, TournamentGame],
            {"opens_at", "closes_at", "joined", "left", "rated", "ends_at", "division"},
        ),
    ],
)
def test_only_the_aggregate_writes_its_rows(folder: str, called: str, rows: list[Any], some: set[str]) -> None:
    """Names that other tables have, too, count where the row is called so."""
    kinds = [one for module in (tables, club_tables) for one in vars(module).values() if hasattr(one, "__table__")]
    others = (kind.model_fields for kind in kinds if kind not in rows)
    every: set[str] = set().union(*(kind.model_fields for kind in rows))
    own = every - {"entries"}.union(*others)
    assert some <= own
    writing = {
        f"{path.relative_to(PACKAGE)}: {ast.unparse(node)}"
        for path, tree in modules()
        if path.parent != PACKAGE / "service" / folder and not path.is_relative_to(PACKAGE / "games")
        for node in list_writes(tree)
        if ast.unparse(node.value) != "self"
        if node.attr in own or (node.attr in every and re.search(called, ast.unparse(node.value)))
    }
    assert writing == set()


def test_one_function_writes_the_deadline() -> None:
    """Whatever moves it says why there."""
    writing = [
        (path.name, function.name)
        for path, tree in modules("service")
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        if any(node.attr in ("deadline", "final") for node in list_writes(function))
    ]
    assert writing == [("clock.py", "set_deadline")]
