"""How functions, classes and parameters are called, and how docstrings begin (CONTRIBUTING.md, "Names").

The figures of today may only get better: who renames for the better writes the new one down.
"""

import ast
import builtins
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
"""It parses all of the program."""
PACKAGE = Path(__file__).resolve().parent.parent / "moderator"
_PREFIXES = "is has can may must should needs to from as on with without by for try"
_QUESTIONS = "what who whom whose where when how why which whether of"
_VERBS = """
    accept act add adjudicate advance allow announce answer append apply ask assign attach backup begin bind bring
    build buy cache cancel challenge change check choose claim classify clean clear close collect combine commit
    compare compile complete compose compute configure confirm connect convert copy correct count create cut deal
    decode defer delete deliver derive describe detect determine disable discard disconnect distribute draw drop eject
    eliminate encode end enforce ensure enter escape estimate evaluate exchange expand explain export extend extract
    fetch fill filter find finish fit flatten flush forget fork format forward found generate get give group guard
    guess handle hash hold identify import init inline insert inspect interpret iter join judge keep label launch lay
    lease leave let limit link list load localize locate lock log look manage map mark mask match measure meet merge
    migrate minify miss move name nest normalize note notify offer open optimize order pack pair parse pass patch
    pause place plan play prepare preview print process project protect publish put quarantine query queue quit quote
    raise rank read reassign rebuild receive recompute reconnect record redeal reduce refill refresh refuse reject
    release remind remove rename render reopen repeat replace reply report request requeue require resend reset
    resolve restart restore resume retire retry return review revise rewind rewrite rollback round rule run sample
    sanitize save scan schedule score search seat select send set settle setup shift shorten show shuffle sign
    simulate skip solve sort split stage stamp start step stop store strip submit subtract suggest sum summarize
    survey suspend swap switch sync take tell test tidy time tokenize translate trim trip trust turn typeset undo
    unpack unsubscribe unwrap update upgrade use vacate vacuum verify view wait wake walk warn watch weigh welcome
    widen wipe withdraw work wrap write
"""
"""The verbs in use. A new one is welcome where none of these says it."""
PREFIXES, VERBS, QUESTIONS = (frozenset(words.split()) for words in (_PREFIXES, _VERBS, _QUESTIONS))

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
VERB_FIRST, ONE_WORD = 96.5, 7.4
"""Shares of all functions, in percent."""
GONE: dict[str, tuple[str, ...]] = {
    "cup": ("commands/player/tournament*.py", "cli/derived.py"),
    "shelf": (),
    "memo": (),
    "untold": (),
    "chronicle": (),
    "glance": (),
    "course": ("tournaments/ratings.py", "site/players.py"),
    "sheet": ("service/orders.py", "inbox/decide.py", "commands/*", "cli/turn.py"),
    "keeping": (),
    "gathered": (),
    "discreet": (),
    "steady": (),
    "leaver": (),
}
"""Words that had two meanings, or none that a stranger would guess, and the files in which one still has its one."""
SEVERAL, ASKING, SHADOWING = 11, 6, 0
"""So many public names, docstrings and parameters are left."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def list_definitions() -> tuple[tuple[str, Function | ast.ClassDef, bool], ...]:
    """(module, function or class, whether it stands at the top of its module)."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if "migrations" in path.parts:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, Function | ast.ClassDef):
                found.append((str(path.relative_to(PACKAGE)), node, node in tree.body))
    return tuple(found)


def iter_functions() -> Iterator[Function]:
    for _, node, _ in list_definitions():
        if isinstance(node, Function) and not node.name.startswith("__"):
            yield node


def split_name(name: str) -> list[str]:
    return [word for word in name.strip("_").lower().split("_") if word]


def is_property(node: Function) -> bool:
    return any("property" in ast.unparse(one) or ast.unparse(one).endswith(".setter") for one in node.decorator_list)


def to_share(part: int, whole: int) -> float:
    return round(100 * part / whole, 1)


def test_functions_begin_with_a_verb() -> None:
    names = [split_name(node.name) for node in iter_functions() if not is_property(node)]
    begun = sum(words[0] in PREFIXES | VERBS for words in names if words)
    assert to_share(begun, len(names)) >= VERB_FIRST


def test_names_are_more_than_one_word() -> None:
    names = [split_name(node.name) for node in iter_functions()]
    assert to_share(sum(len(words) == 1 for words in names), len(names)) <= ONE_WORD


def test_a_public_name_is_defined_once() -> None:
    places = defaultdict(set)
    for module, node, is_top in list_definitions():
        if is_top and not node.name.startswith("_"):
            places[node.name].add(module)
    several = {name: sorted(modules) for name, modules in places.items() if len(modules) > 1}
    assert len(several) <= SEVERAL, several


def test_docstrings_begin_with_no_question() -> None:
    docs = {node.name: ast.get_docstring(node) or "" for _, node, _ in list_definitions()}
    asking = [name for name, text in docs.items() if text.partition(" ")[0].strip("`").lower() in QUESTIONS]
    assert len(asking) <= ASKING, asking


def test_parameters_shadow_no_builtin() -> None:
    shadowing = [
        f"{node.name}({one.arg})"
        for node in iter_functions()
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if hasattr(builtins, one.arg)
    ]
    assert len(shadowing) <= SHADOWING, shadowing


@cache
def find_name_pieces() -> dict[str, frozenset[str]]:
    """By file: the words in all its names, and in its own; "read_sheets" is read, sheet."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        if "migrations" not in path.parts:
            tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
            names = [token.string for token in tokens if token.type == tokenize.NAME] + [file.removesuffix(".py")]
            pieces = {piece.lower() for name in names for piece in _PIECE.findall(name)}
            found[file] = frozenset(pieces | {piece.removesuffix("s") for piece in pieces})
    return found


@pytest.mark.slow
@pytest.mark.parametrize("word", GONE)
def test_a_word_that_is_gone_is_nowhere_else(word: str) -> None:
    there = {file for file, pieces in find_name_pieces().items() if word in pieces}
    assert {file for file in there if not any(fnmatch(file, pattern) for pattern in GONE[word])} == set()
    unneeded = [pattern for pattern in GONE[word] if not any(fnmatch(file, pattern) for file in there)]
    assert unneeded == []
