"""Small wrong changes, one expression each: those that a tired programmer makes."""

import ast
import difflib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

LEFT_OUT = ("moderator/store/migrations/", "moderator/__main__.py")
"""Migrations run against packed clubs of their time; the other is two lines."""
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True)
class Change:
    file: str
    """Below the root of the repository."""
    line: int
    start: int
    """Bytes of the file that are replaced, from here …"""
    end: int
    """… to before here."""
    new: str
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.what}"

    def applied(self, source: bytes) -> bytes:
        """As many lines as before."""
        gap = b"\n" * source.count(b"\n", self.start, self.end)
        return source[: self.start] + b"(" + self.new.encode() + gap + b")" + source[self.end :]

    def diff(self, source: bytes) -> str:
        before, after = (text.decode().splitlines(keepends=True) for text in (source, self.applied(source)))
        return "".join(difflib.unified_diff(before, after, self.file, self.file, n=2))


def drawn(root: Path, under: str, seed: int, count: int) -> list[Change]:
    """So many of all changes to the program below some folder, each as likely as any other."""
    files = sorted(path.relative_to(root).as_posix() for path in root.glob(f"{under}/**/*.py"))
    every = [
        change
        for file in files
        if not file.startswith(LEFT_OUT)
        for change in changes(file, (root / file).read_text(encoding="utf-8"))
    ]
    return random.Random(seed).sample(every, count)


def probed(source: bytes, places: Iterable[tuple[int, Change]]) -> bytes:
    """The same program, in which each place says that it is passed."""
    inserts = []
    for number, place in places:
        size = place.end - place.start
        call = f'(__import__("moderator.passed", fromlist=[""]).passed({number}), ('
        inserts += [(place.start, 1, -size, call.encode()), (place.end, 0, size, b"))[1]")]
    for at, _, _, text in sorted(inserts, reverse=True):
        source = source[:at] + text + source[at:]
    return source


def changes(file: str, source: str) -> Iterator[Change]:
    """All that could be made to a file; none to annotations, decorators, texts for people, and patterns."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    for node in _meant(ast.parse(source)):
        for where, new, what in _changes_to(node):
            start = starts[where.lineno - 1] + where.col_offset
            end = starts[(where.end_lineno or 0) - 1] + (where.end_col_offset or 0)
            yield Change(file, where.lineno, start, end, new, what)


def _meant(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose value the program acts upon."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "pattern", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_for_people_or_types(child):
                yield from _meant(child)


def _is_for_people_or_types(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
    return False


def _changes_to(node: ast.AST) -> Iterator[tuple[ast.expr, str, str]]:
    """What is replaced, by what, and that in words."""
    match node:
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            flipped = ast.Compare(left, [FLIPPED[type(operator)]()], [right])
            yield node, ast.unparse(flipped), "another comparison"
        case ast.BoolOp(op=operator, values=values):
            other = ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
            yield node, ast.unparse(other), "and/or"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, ast.unparse(operand), "no not"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
            other_sign = ast.Sub() if isinstance(operator, ast.Add) else ast.Add()
            yield node, ast.unparse(ast.BinOp(left, other_sign, right)), "plus/minus"
        case ast.Constant(value=bool() as value):
            yield node, str(not value), "true/false"
        case ast.Constant(value=int() | float() as value):
            yield node, repr(value + 1), "one more"
            yield node, repr(value - 1), "one less"
        case ast.Constant(value=str() as value) if value and not value.isspace() and " " not in value:
            yield node, '""', "another word"
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield value, "None", "nothing is returned"
        case ast.Expr(value=ast.Call() as call):
            yield call, "None", "a call is left out"
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield test, f"not ({ast.unparse(test)})", "the other way round"
