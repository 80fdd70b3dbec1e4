"""A further language is a set of text files and no line of Python: one is made here, English with a mark before each
word, and lived in (third_language_walk.py). ``python -m tests.test_third_language`` names each file and each entry that
a language lacks (``… xx`` of one that is only begun)."""

import ast
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from moderator.common.disk import FALLBACK, LANGUAGES
from tests.club.club import WORDS

ROOT = Path(__file__).parent.parent
MARK = "q"
ENOUGH = 50
WORD = re.compile(r"(?<![\w'’])[^\W\d_]{2,}(?!\w)")
ENTRY = re.compile(r'("?[\w.-]+"? = | +)(.*)')
MEANINGS = ("months =", "counts =", "near-days =", "cities =")
COMMENT = re.compile(r"^# .*$", re.MULTILINE)
"""Of a text file, for who translates it; or the heading of rules, whose words stand below it, too."""
LONG = re.compile(r"(?<![\w'’@./#-])[^\W\d_]{3,}(?!\w)")
OURS = frozenset({"BOSS", "Deutsch", "English", "Français", "Europe", "EUROPE", "ZAT", "moderator", "verify", "words"})
"""Parts of codes and names: a token, languages by their own name, a zone, the program, the file of the dictionary."""
HOLE = re.compile(r"(\{\w+)(?::([^|{}]*)\|([^{}]*))?\}")


def files(package: Path) -> list[Path]:
    """What a translator has to translate."""
    return sorted([*package.rglob("*messages.en.toml"), *package.rglob("rules.*.en.md")])


def translate(package: Path) -> None:
    for english in files(package):
        text = english.read_text(encoding="utf-8")
        text = "\n".join(map(_entry, text.splitlines())) if english.suffix == ".toml" else _marked_rules(text)
        name = re.sub(r"\.en\.(toml|md)$", r".xx.\1", english.name)
        english.with_name(name).write_text(f"{text}\n", encoding="utf-8")


def _entry(line: str) -> str:
    """A line of a file of sentences. What a word stands for stays, and what another language calls this one."""
    if line.startswith("language-called"):
        return 'language-called = "qtestish"'
    if line.startswith("command-twin") or not (found := ENTRY.match(line)):
        return line
    key, value = found.groups()
    if not key.startswith(MEANINGS):
        return f"{key}{_marked(value)}"
    pairs = (pair.partition(" = ") for pair in value.split("|"))
    return key + "|".join(f"{_marked(word)}{equals}{meaning}" for word, equals, meaning in pairs)


def _marked(text: str) -> str:
    """Each word of two letters and more begins with the mark; codes, single letters and placeholders stay."""
    parts, at = [], 0
    for hole in HOLE.finditer(text):
        plural = f":{_marked(hole[2])}|{_marked(hole[3])}" if hole[2] is not None else ""
        parts += [WORD.sub(rf"{MARK}\g<0>", text[at : hole.start()]), f"{hole[1]}{plural}}}"]
        at = hole.end()
    return "".join((*parts, WORD.sub(rf"{MARK}\g<0>", text[at:])))


def _marked_rules(text: str) -> str:
    """The same of rules, whose conditions and numbers stay (language/messages.py)."""
    parts = re.split(r"({%.*?%}|{{.*?}})", text, flags=re.DOTALL)
    return "".join(part if part.startswith("{") else _marked(part) for part in parts)


def words(text: str) -> set[str]:
    """Of a text as it is read: without the words in German that the help gives beside the others, and what is typed."""
    text = re.sub(r"<(style|script)\b.*?</\1>|<code\b.*?</code>|<[^>]*>", " ", text, flags=re.DOTALL)
    folded = re.sub(r"\(qin qGerman “[^”]*”\)", " ", " ".join(html.unescape(text).split()))
    return {word for word in LONG.findall(folded) if not word.lower().startswith(MARK)} - OURS


LAID = re.compile(r"\b[A-J]\d+\s\S+\s([A-ZÄÖÜ]{2,})")
"""The word of a move."""


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    tmp_path = tmp_path_factory.mktemp("third")
    shutil.copytree(ROOT / "moderator", tmp_path / "moderator", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    translate(tmp_path / "moderator")
    done = subprocess.run(
        [sys.executable, "-m", "tests.third_language_walk", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["package"] == str(tmp_path / "moderator")
    assert found["languages"] == sorted([*LANGUAGES, "xx"])
    return found


@pytest.fixture(scope="module")
def known() -> set[str]:
    """Every word of our own languages."""
    ours = [*(ROOT / "moderator").rglob("*messages.??.toml"), *(ROOT / "moderator").rglob("rules.*.??.md")]
    texts = [COMMENT.sub("", file.read_text(encoding="utf-8")) for file in ours]
    return {word.lower() for text in texts for word in LONG.findall(text)}


@pytest.mark.slow
def test_who_speaks_it_alone_reads_no_other_and_what_is_written_in_it_is_done(
    walk: dict[str, Any], known: set[str]
) -> None:
    """From the wish to join over a match, the help and a tournament to the club's pages."""
    assert len(walk["mails"]) > 25
    for name, mail in walk["mails"].items():
        assert mail["language"] == "xx", name
        assert 'lang="xx"' in mail["html"], name
        assert len(re.findall(rf"\b{MARK}\w", mail["text"])) > 5, name
        for part in ("subject", "text", "html"):
            found = {word for word in words(mail[part]) if word.lower() in known}
            # What was written, SET for example, and what is laid: codes are drawn, and with them the tiles.
            found -= {*name.split(), *map(str.upper, WORDS), *LAID.findall(html.unescape(mail[part]))}
            assert found == set(), (name, part)
    pages = {name: page for name, page in walk["pages"].items() if '<html lang="xx"' in page[:200]}
    del pages["words-shipped.html"]  # the list of German words that come with the program
    assert len(pages) > 15
    laid = {word for mail in walk["mails"].values() for word in LAID.findall(mail["text"])}
    for name, page in pages.items():
        assert {word for word in words(page) if word.lower() in known} <= laid, name
    done = [action for action, outcome in walk["done"] if not outcome]
    asked = ("board", "calendar", "digest", "form", "help", "history", "language", "leave", "press", "protest", "rack")
    assert {*asked, "resend", "resign", "rules", "standby", "status", "zone"} <= set(done)
    assert {"extend", "missing", "pause", "resume"} <= set(done)
    assert done.count("cup") > 4
    assert walk["cried"] == ["i qam qready", "bin fertig"]
    assert walk["date"] == "24 qDec 2026"
    assert re.search(r"^  rounds=0  0 = qenough qfor", walk["formats"], re.MULTILINE)


# ---- what a language lacks ----


UNTRANSLATED = {
    "fr": {
        f"rules.{key}.fr.md" for key in ("domijongg", "kreuzwort", "point", "presto", "recht", "supertridom", "tridom")
    }
}
"""Rules that were left in English for now; who asks for them is told so."""
OPTIONAL = re.compile(r"command\.[\w-]+\.(?:example|said)$|move\.\d \w+$")
"""A language whose own command needs no more than its word has none; nor one whose words are alike beside a number."""


def lacking(package: Path, language: str) -> list[str]:
    """What a translator still has to do, a line each, each with its file."""
    found = []
    for english in files(package):
        file = english.with_name(re.sub(r"\.en\.(toml|md)$", rf".{language}.\1", english.name))
        where = file.relative_to(package.parent)
        if not file.exists():
            found.append(f"{where} is missing")
        elif file.suffix == ".toml":
            found += [f"{where} {fault}" for fault in faults(entries(english), entries(file))]
    return found


def faults(english: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[str]:
    for key, text in english.items():
        if key not in theirs:
            if not OPTIONAL.match(key):
                yield f"lacks {key}: {text[:60]}"
        elif (ours := holes(text, key)) != holes(theirs[key], key) and not key.startswith("heard."):
            yield f"{key} has {holes(theirs[key], key)} for {ours}: {theirs[key][:60]}"
        elif key.endswith(".words") and not theirs[key].strip(" |"):
            yield f"{key} is empty: no word leads to the command"
    yield from (
        f"has {key}, which is not in English" for key in theirs.keys() - english.keys() if not OPTIONAL.match(key)
    )


def entries(file: Path) -> dict[str, str]:
    """All of a file of sentences, by key with the names of its tables: ``command.board.words``."""

    def flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
        for key, value in values.items():
            if isinstance(value, Mapping):
                yield from flat(value, f"{prefix}{key}.")
            else:
                yield f"{prefix}{key}", str(value)

    return dict(flat(tomllib.loads(file.read_text(encoding="utf-8")), ""))


def holes(text: str, key: str = "") -> list[str]:
    """What is filled in; a number of an option is there as ``value`` and as ``count``, and whose doing it is may be
    said or not."""
    same = {"count": "value"} if key.startswith("option.") else {}
    names = (hole[1].removeprefix("{") for hole in HOLE.finditer(text))
    return sorted({same.get(name, name) for name in names} - {"name"})


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != FALLBACK])
def test_what_is_missing_is_named(language: str) -> None:
    left = UNTRANSLATED.get(language, set())
    found = lacking(ROOT / "moderator", language)
    decided = [line for line in found if line.removesuffix(" is missing").rpartition("/")[2] in left]
    assert len(decided) == len(left), "translated in the meantime"
    assert found == decided
    assert 40 <= len(files(ROOT / "moderator")) <= ENOUGH, "a language is few files"


def languages_asked(tree: ast.AST) -> Iterator[int]:
    """Lines that compare with a language, list languages, or say something for each."""
    for node in ast.walk(tree):
        told = {
            ast.Compare: lambda one: [one.left, *one.comparators],
            ast.Dict: lambda one: one.keys,
            ast.Tuple: lambda one: one.elts if len(one.elts) > 1 else [],
            ast.List: lambda one: one.elts,
            ast.Set: lambda one: one.elts,
        }.get(type(node), lambda one: [])(node)
        if any(isinstance(one, ast.Constant) and one.value in LANGUAGES for one in told):
            yield node.lineno  # type: ignore[attr-defined]


@pytest.mark.slow
def test_no_python_file_asks_for_a_language() -> None:
    """But those about dictionaries, which are about German words and not about what is said, the demo's tiles, and a
    Friday."""
    asked = [
        f"{path.relative_to(ROOT / 'moderator').as_posix()}:{line}"
        for path in sorted((ROOT / "moderator").rglob("*.py"))
        if "words" not in path.parent.parts
        for line in languages_asked(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert [place.partition(":")[0] for place in asked] == ["cli/trial_clubs.py", "rules/time/calendar.py"], asked


def main(asked: list[str]) -> None:
    for language in asked or [one for one in LANGUAGES if one != FALLBACK]:
        found = lacking(ROOT / "moderator", language)
        print(
            f"{language}: {len(found) or 'nothing'} to do of {len(files(ROOT / 'moderator'))} files", *found, sep="\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
