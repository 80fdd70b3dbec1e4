"""What the command line says in English, as the keys of ``sentences.<language>.json`` have it: found in the code.
``python -m tests.cli.sentences`` lists what a language lacks."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from moderator.backup.archive import COUNTED
from moderator.cli.command_tree import GROUPS, TREE
from moderator.cli.group import cli
from moderator.cli.texts import load_translations
from moderator.common.disk import FALLBACK
from moderator.common.errors import ExitCode
from moderator.common.text import count_noun
from moderator.diagnostics.providers import load_providers
from tests.cli.running import commands

MODERATOR = Path(__file__).parents[2] / "moderator"
SAYS = re.compile(
    r"cli/|diagnostics/|backup/restore|common/(disk|text)\.|run/(log|rehearsal|sandbox)\.|store/club_time"
)
"""Where each sentence is one for the terminal; elsewhere those of errors are."""
FOR_PROGRAMS = re.compile(
    r"cli/(club_names|command_tree|derived|json_types|outlines|record|texts|turn)\.|common/(message_files|plugins)\."
    r"|conformance/|games/|language/|mail/build|render/|rules/|schemas/|store/engines|tournaments/trf|words/build/"
)
"""What authors of games, of programs and of dictionaries meet, and who runs a server of databases."""
OWN_BUGS = {
    "ValueError",
    "TypeError",
    "AssertionError",
    "RuntimeError",
    "LookupError",
    "NotImplementedError",
    "OSError",
}
CLICK = ("core", "decorators", "exceptions", "formatting", "parser", "termui", "types")
"""Modules of click that speak to who types a command."""
WORDS = re.compile(
    r"^(?!.*(?:%[sd]|PRAGMA)|moderator: \{\w+\}$|[ \d*]+\{|python |\{program\}).*"
    r"(?:[A-Za-z]{2,}[,;:.]? [A-Za-z]|[A-Za-z]{3,}[,;:.]? \{)",
    re.DOTALL,
)
"""More than one, and not for the log, the database or the shell."""
SENTENCE_END = re.compile(r"(?<=\D[.])(?<!e\.g\.) (?=[A-Z`“])")


@cache
def list_sentences() -> set[str]:
    return {*_iter_help(), *_iter_said()}


def _iter_help() -> Iterator[str]:
    """Of the help: headings, summaries, each sentence, each option; and what click says."""
    yield from filter(None, (heading for sections in TREE.values() for heading in sections))
    yield from GROUPS.values()
    yield from ("Exit codes:", *(code.meaning for code in ExitCode))
    for _, command in [((), cli), *commands()]:
        shown = [one for one in command.params if not getattr(one, "hidden", False)]
        yield from map(_generalize, filter(None, (getattr(one, "help", "") for one in shown)))
        for paragraph in (command.help or "").split("\n\n"):
            yield from SENTENCE_END.split(" ".join(paragraph.split()))
        if command.epilog and command is not cli:
            yield from map(_generalize, SENTENCE_END.split(command.epilog))
    for name in CLICK:  # but what it says to who writes commands
        file = Path(click.__file__).with_name(f"{name}.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("_", "ngettext"):
                texts = (one.value for one in node.args if isinstance(one, ast.Constant))
                yield from (text for text in texts if not re.search(r"decl|eprecat|iterable|\(dyn|twice|No opt", text))


def _generalize(text: str) -> str:
    """What several commands say, each with a word of its own."""
    return re.sub(r"(?<=`moderator schema )\w+(?=`)", "{schema}", re.sub(r"(?<=^Games: ).*(?=\.)", "{games}", text))


def _iter_said() -> Iterator[str]:
    yield from (f"There is no {what} {{key}}." for what in ("format", "game", "transport"))
    for noun in COUNTED.values():
        yield from _iter_counted(noun)
    yield from filter(None, (one.note for one in load_providers().values()))
    for file in sorted(MODERATOR.rglob("*.py")):
        place = file.relative_to(MODERATOR).as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        counted = (one for one in ast.walk(tree) if isinstance(one, ast.Call) and get_called_name(one) == "count_noun")
        for noun in (one.args[1].value for one in counted if isinstance(one.args[1], ast.Constant)):
            yield from _iter_counted(noun)
        calls = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) and _may_fail(one)]
        for node in () if FOR_PROGRAMS.match(place) else [tree] if SAYS.match(place) else calls:
            yield from _iter_texts(node)


def _iter_counted(noun: str) -> Iterator[str]:
    yield from (count_noun(1, noun), count_noun(2, noun).replace("2", "{number}"))


def get_called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _may_fail(function: ast.FunctionDef) -> bool:
    """Whether it has an error of ours for whoever types the command."""
    return any(isinstance(one, ast.Call) and _is_error(get_called_name(one)) for one in ast.walk(function))


def _is_error(name: str) -> bool:
    return name.endswith("Error") and name not in OWN_BUGS


def _iter_texts(node: ast.AST) -> Iterator[str]:
    """The texts of a piece of code, and what may stand for a value in one."""
    if isinstance(node, ast.Call) and get_called_name(node) in OWN_BUGS:
        return
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if docstring or (isinstance(node, ast.keyword) and node.arg in ("help", "epilog", "metavar")):
        return
    if isinstance(node, ast.Constant | ast.JoinedStr) and WORDS.search(text := format_template(node).strip()):
        yield text
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, ast.JoinedStr) or isinstance(child, ast.FormattedValue):
            yield from _iter_texts(child)


def format_template(node: ast.Constant | ast.JoinedStr) -> str:
    """A text with a name for each value."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    text, names = "", []
    for piece in node.values:
        if isinstance(piece, ast.FormattedValue):
            named = isinstance(piece.value, ast.Name | ast.Attribute)
            names.append(ast.unparse(piece.value).rpartition(".")[2] if named else "value")
            count = names.count(names[-1])
            text += f"{{{names[-1]}{count if count > 1 else ''}}}"
        else:
            text += str(piece.value)  # type: ignore[attr-defined]
    return text


if __name__ == "__main__":
    for language in sys.argv[1:] or ["de"]:
        assert language != FALLBACK
        print(*sorted(list_sentences() - load_translations(language).keys()), sep="\n")
