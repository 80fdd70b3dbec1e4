"""Rename functions, methods, classes and parameters, and replace docstrings, by mypy's types.

    python tools/codemod/rename.py names.tsv [--check]

Each line of the list has three columns: ``def`` or ``class``, the qualified name of today, the new name; ``arg``, the
qualified name of a parameter (module.function.parameter), its new name; ``doc``, a qualified name, the whole docstring
(``\\n`` for a line end). All files are changed in one run, at byte positions; what could not be told is printed, to be
looked at by hand. ``--check`` changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mypy import build, nodes, types
from mypy.fscache import FileSystemCache
from mypy.main import process_options

ROOT = Path.cwd()
WIDTH = 120
FOLDERS = ("moderator", "tests", "bench", "examples")
SETTERS = ("setattr", "getattr", "delattr", "hasattr", "object")


class Edits:
    """Replacements in files, by (line, byte column)."""

    def __init__(self) -> None:
        self.by_file: dict[Path, dict[tuple[int, int], tuple[str, str]]] = defaultdict(dict)
        self.problems: list[str] = []

    def replace(self, file: Path, line: int, column: int, old: str, new: str) -> None:
        self.by_file[file][line, column] = old, new

    def apply(self) -> int:
        count = 0
        for file, edits in self.by_file.items():
            lines = file.read_bytes().splitlines(keepends=True)
            lost: dict[tuple[int, str, str], int] = defaultdict(int)
            for (line, column), (old, new) in sorted(edits.items(), reverse=True):
                text = lines[line - 1]
                end = column + len(old.encode())
                if column < 0 or text[column:end] != old.encode():
                    lost[line, old, new] += 1  # Python 3.11 tells wrong places inside some f-strings
                    continue
                lines[line - 1] = text[:column] + new.encode() + text[end:]
                count += 1
            for (line, old, new), times in lost.items():
                pattern = rb"(?<!\w)" + old.encode() + rb"(?!\w)"
                lines[line - 1], found = re.subn(pattern, new.encode(), lines[line - 1])
                if found != times:
                    self.problems.append(f"{file}:{line}: {old} stands {found} times, {times} were expected")
                count += found
            file.write_bytes(b"".join(lines))
        return count


def read_list(paths: list[Path]) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """(functions and classes, parameters, docstrings), each by the qualified name of today."""
    names: dict[str, str] = {}
    arguments: dict[str, str] = {}
    docs: dict[str, str] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#") or not line.strip():
                continue
            kind, name, new = line.split("\t")[:3]
            if kind in ("def", "class"):
                names[name] = new
            elif kind == "arg":
                arguments[name] = new
            elif kind == "doc":
                docs[name] = new
    return names, arguments, docs


def build_types() -> build.BuildResult:
    sources, options = process_options(["--no-incremental"], fscache=FileSystemCache())
    options.export_types = True
    options.preserve_asts = True
    options.incremental = False
    options.cache_dir = "/dev/null"
    options.check_untyped_defs = True
    options.warn_unreachable = False
    return build.build(sources, options=options)


class Namer:
    """The qualified name of today for every node that defines a function, class or parameter, nested ones too."""

    def __init__(self) -> None:
        self.of_node: dict[int, str] = {}
        self.arguments: dict[int, str] = {}
        self.alive: list[object] = []

    def add(self, node: object, name: str) -> None:
        self.of_node[id(node)] = name
        self.alive.append(node)

    def visit_body(self, body: list[nodes.Statement], prefix: str) -> None:
        for one in body:
            self.visit(one, prefix)

    def visit(self, node: nodes.Statement, prefix: str) -> None:
        if isinstance(node, nodes.Decorator):
            name = f"{prefix}.{node.func.name}"
            self.add(node, name)
            self.add(node.var, name)
            self.visit_function(node.func, name)
        elif isinstance(node, nodes.OverloadedFuncDef):
            self.add(node, f"{prefix}.{node.name}")
            for item in node.items:
                self.visit(item, prefix)
            if node.impl is not None:
                self.visit(node.impl, prefix)
        elif isinstance(node, nodes.FuncDef):
            self.visit_function(node, f"{prefix}.{node.name}")
        elif isinstance(node, nodes.ClassDef):
            name = f"{prefix}.{node.name}"
            self.add(node.info, name)
            self.visit_body(node.defs.body, name)
        elif isinstance(node, nodes.IfStmt):
            for block in [*node.body, *([node.else_body] if node.else_body else [])]:
                self.visit_body(block.body, prefix)
        elif isinstance(node, nodes.TryStmt):
            for block in [
                node.body,
                *node.handlers,
                *([node.else_body] if node.else_body else []),
                *([node.finally_body] if node.finally_body else []),
            ]:
                self.visit_body(block.body, prefix)
        elif isinstance(node, nodes.WithStmt | nodes.ForStmt | nodes.WhileStmt):
            self.visit_body(node.body.body, prefix)
        elif isinstance(node, nodes.Block):
            self.visit_body(node.body, prefix)

    def visit_function(self, node: nodes.FuncDef, name: str) -> None:
        self.add(node, name)
        for argument in node.arguments:
            self.arguments[id(argument.variable)] = f"{name}.{argument.variable.name}"
        self.visit_body(node.body.body, name)


LINKS = frozenset(
    {"node", "info", "type", "unanalyzed_type", "original_def", "var", "variable", "metaclass_type", "ref", "analyzed"}
)
"""Attributes of a node that lead out of its place in the tree."""


@cache
def attributes(kind: type) -> tuple[str, ...]:
    """The attributes of a compiled class of nodes that hold its parts."""
    found = (name for base in kind.__mro__ for name, value in vars(base).items() if inspect.isdatadescriptor(value))
    return tuple(dict.fromkeys(name for name in found if not name.startswith("__") and name not in LINKS))


def walk(root: object) -> Iterator[nodes.Node]:
    """Every node of a tree. mypy's own visitors are compiled and take no class of ours."""
    waiting, seen = [root], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, list | tuple):
            waiting.extend(one)
        elif (
            isinstance(one, nodes.Context)
            and not isinstance(one, types.Type | nodes.Var | nodes.TypeInfo)
            and id(one) not in seen
        ):
            seen.add(id(one))
            if isinstance(one, nodes.Node):
                yield one
            for name in attributes(type(one)):
                waiting.append(getattr(one, name, None))


class Uses:
    """Find every use of a renamed function, class or parameter in one file."""

    def __init__(self, renamer: Renamer, file: Path, tree: ast.AST) -> None:
        self.renamer, self.file, self.edits = renamer, file, renamer.edits
        self.calls = {
            (one.lineno, one.col_offset, one.end_lineno, one.end_col_offset): one
            for one in ast.walk(tree)
            if isinstance(one, ast.Call)
        }

    def visit(self, root: nodes.MypyFile) -> None:
        for one in walk(root.defs):
            if isinstance(one, nodes.NameExpr):
                self.visit_name_expr(one)
            elif isinstance(one, nodes.MemberExpr):
                self.visit_member_expr(one)
            elif isinstance(one, nodes.SuperExpr):
                self.visit_super_expr(one)
            elif isinstance(one, nodes.CallExpr):
                self.rename_keywords(one)
                self.rename_string(one)

    def visit_name_expr(self, o: nodes.NameExpr) -> None:
        if o.node is not None and (new := self.renamer.new_of(o.node)) and o.name == self.renamer.old_of(o.node):
            self.edits.replace(self.file, o.line, o.column, o.name, new)

    def visit_member_expr(self, o: nodes.MemberExpr) -> None:
        new = self.renamer.new_member(o, self.file)
        if new:
            line, end = o.end_line or o.line, o.end_column or 0
            self.edits.replace(self.file, line, end - len(o.name.encode()), o.name, new)

    def visit_super_expr(self, o: nodes.SuperExpr) -> None:
        if o.info is not None:
            for base in o.info.mro[1:]:
                found = base.names.get(o.name)
                if found is not None and found.node is not None:
                    if new := self.renamer.new_of(found.node):
                        line, end = o.end_line or o.line, o.end_column or 0
                        self.edits.replace(self.file, line, end - len(o.name.encode()), o.name, new)
                    return

    def rename_keywords(self, o: nodes.CallExpr) -> None:
        if not any(o.arg_names):
            return
        for definition in self.renamer.callees(o.callee):
            qualified = self.renamer.namer.of_node.get(id(definition))
            call = self.calls.get((o.line, o.column, o.end_line, o.end_column))
            if qualified is None or call is None:
                continue
            for keyword in call.keywords:
                if keyword.arg and (new := self.renamer.arguments.get(f"{qualified}.{keyword.arg}")):
                    self.renamer.used.add(f"{qualified}.{keyword.arg}")
                    self.edits.replace(self.file, keyword.lineno, keyword.col_offset, keyword.arg, new)

    def rename_string(self, o: nodes.CallExpr) -> None:
        """``monkeypatch.setattr(module, "name", …)``, ``getattr(value, "name")``."""
        name = o.callee.name if isinstance(o.callee, nodes.NameExpr | nodes.MemberExpr) else ""
        if name not in SETTERS or len(o.args) < 2 or not isinstance(o.args[1], nodes.StrExpr):
            return
        target, text = o.args[0], o.args[1]
        for node in self.renamer.member_nodes(target, text.value):
            if new := self.renamer.new_of(node):
                self.edits.replace(self.file, text.line, text.column + 1, text.value, new)


class Renamer:
    def __init__(self, names: dict[str, str], arguments: dict[str, str], docs: dict[str, str]) -> None:
        self.names, self.arguments, self.docs = names, arguments, docs
        self.edits, self.namer = Edits(), Namer()
        self.docstrings: dict[Path, list[tuple[int, int, str]]] = {}
        self.used: set[str] = set()
        self.short = {name.rpartition(".")[2] for name in names}
        self.unknown: list[str] = []
        self.result = build_types()
        for module, tree in self.result.files.items():
            if module.split(".")[0] in FOLDERS:
                self.namer.visit_body(tree.defs, module)

    def new_of(self, node: object) -> str:
        qualified = self.namer.of_node.get(id(node))
        if qualified is not None:
            if new := self.names.get(qualified):
                self.used.add(qualified)
                return new
            return ""
        if (argument := self.namer.arguments.get(id(node))) and (new := self.arguments.get(argument)):
            self.used.add(argument)
            return new
        return ""

    def old_of(self, node: object) -> str:
        """The name at the definition; what is imported under another one keeps that."""
        qualified = self.namer.of_node.get(id(node)) or self.namer.arguments.get(id(node), "")
        return qualified.rpartition(".")[2]

    def member_nodes(self, target: nodes.Expression, name: str) -> Iterator[object]:
        """What an attribute of an expression may be."""
        if isinstance(target, nodes.RefExpr) and isinstance(target.node, nodes.MypyFile):
            found = target.node.names.get(name)
            if found is not None and found.node is not None:
                yield found.node
            return
        for info in self.infos(self.result.types.get(target)):
            for base in info.mro:
                found = base.names.get(name)
                if found is not None:
                    if found.node is not None:
                        yield found.node
                    break

    def infos(self, kind: types.Type | None) -> Iterator[nodes.TypeInfo]:
        if kind is None:
            return
        kind = types.get_proper_type(kind)
        if isinstance(kind, types.Instance):
            yield kind.type
        elif isinstance(kind, types.UnionType):
            for one in kind.items:
                yield from self.infos(one)
        elif isinstance(kind, types.TypeType):
            yield from self.infos(kind.item)
        elif isinstance(kind, types.TupleType):
            yield kind.partial_fallback.type
        elif isinstance(kind, types.TypeVarType):
            yield from self.infos(kind.upper_bound)
            for one in kind.values:
                yield from self.infos(one)
        elif isinstance(kind, types.LiteralType):
            yield kind.fallback.type
        elif isinstance(kind, types.FunctionLike) and kind.is_type_obj():
            yield kind.type_object()

    def new_member(self, o: nodes.MemberExpr, file: Path) -> str:
        if o.node is not None and id(o.node) in self.namer.of_node and (new := self.new_of(o.node)):
            return new
        found = list(self.member_nodes(o.expr, o.name))
        news = {self.new_of(node) for node in found}
        if len(news) > 1:
            self.edits.problems.append(f"{file}:{o.line}: .{o.name} is one of {news}")
        if not found and o.name in self.short:
            kind = self.result.types.get(o.expr)
            if kind is None or isinstance(types.get_proper_type(kind), types.AnyType):
                self.unknown.append(f"{file}:{o.line}: .{o.name} of what no type is known")
        return max(news, default="")

    def callees(self, callee: nodes.Expression) -> Iterator[object]:
        if isinstance(callee, nodes.MemberExpr):
            if callee.node is not None:
                yield callee.node
            yield from self.member_nodes(callee.expr, callee.name)
        elif isinstance(callee, nodes.NameExpr) and callee.node is not None:
            yield callee.node

    def run(self) -> None:
        for module, tree in self.result.files.items():
            if module.split(".")[0] in FOLDERS and Path(tree.path).is_file():
                self.rename_in(module, Path(tree.path))

    def rename_in(self, module: str, file: Path) -> None:
        source = file.read_text(encoding="utf-8")
        tree = ast.parse(source)
        self.rename_definitions(module, tree, file, source)
        self.rename_imports(module, tree, file)
        self.rename_in_annotations(module, tree, file)
        self.rename_dotted_strings(module, tree, file)
        Uses(self, file, tree).visit(self.result.files[module])

    def rename_definitions(self, module: str, tree: ast.AST, file: Path, source: str) -> None:
        lines = source.splitlines()

        def visit(node: ast.AST, prefix: str) -> None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    name = f"{prefix}.{child.name}"
                    if new := self.names.get(name):
                        self.used.add(name)
                        line = lines[child.lineno - 1]
                        at = re.compile(r"(?:def|class)\s+").search(line, 0)
                        assert at is not None, (file, child.lineno)
                        self.edits.replace(file, child.lineno, len(line[: at.end()].encode()), child.name, new)
                    if name in self.docs:
                        self.used.add(name)
                        self.replace_docstring(child, self.docs[name], file)
                    if not isinstance(child, ast.ClassDef):
                        every = [*child.args.posonlyargs, *child.args.args, *child.args.kwonlyargs]
                        for argument in every:
                            if new := self.arguments.get(f"{name}.{argument.arg}"):
                                self.used.add(f"{name}.{argument.arg}")
                                self.edits.replace(file, argument.lineno, argument.col_offset, argument.arg, new)
                    visit(child, name)
                else:
                    visit(child, prefix)

        visit(tree, module)

    def replace_docstring(
        self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, text: str, file: Path
    ) -> None:
        first = node.body[0] if node.body else None
        if not (
            isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        ):
            self.edits.problems.append(f"{file}:{node.lineno}: {node.name} has no docstring")
            return
        indent = " " * first.col_offset
        raw = "r" if "\\" in text.replace("\\n", "") else ""
        paragraphs = text.replace("\\n", "\n").split("\n")
        wrapped = "\n".join(
            textwrap.fill(
                one.strip(),
                WIDTH,
                initial_indent=indent,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            for one in f'{raw}"""{chr(10).join(paragraphs)}"""'.split("\n")
        )
        self.edits.by_file[file].setdefault((0, 0), ("", ""))
        self.docstrings.setdefault(file, []).append((first.lineno, first.end_lineno or first.lineno, wrapped))

    def rename_imports(self, module: str, tree: ast.AST, file: Path) -> None:
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or not node.module or node.level:
                continue
            found = self.result.files.get(node.module)
            if found is None:
                continue
            for alias in node.names:
                symbol = found.names.get(alias.name)
                new = self.new_of(symbol.node) if symbol is not None and symbol.node is not None else ""
                if new:
                    self.edits.replace(file, alias.lineno, alias.col_offset, alias.name, new)
                    if alias.asname == alias.name:
                        end = alias.end_col_offset or 0
                        self.edits.replace(file, alias.lineno, end - len(alias.name.encode()), alias.name, new)

    def rename_in_annotations(self, module: str, tree: ast.AST, file: Path) -> None:
        """Rename classes: mypy keeps no expressions of annotations. A class's name means one thing in a file."""
        bound: dict[str, str] = {}
        for name, symbol in self.result.files[module].names.items():
            # What is imported under another name keeps it.
            if isinstance(symbol.node, nodes.TypeInfo) and name == self.old_of(symbol.node):
                bound[name] = self.new_of(symbol.node)
        imported = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        for name, (source, original) in imported.items():
            symbol = self.result.files[source].names.get(original) if source in self.result.files else None
            if symbol is not None and isinstance(symbol.node, nodes.TypeInfo) and name == original:
                bound[name] = self.new_of(symbol.node)
        bound = {name: new for name, new in bound.items() if new}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in bound:
                self.edits.replace(file, node.lineno, node.col_offset, node.id, bound[node.id])
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.rename_in_module_attribute(module, node, tree, file)

    def rename_in_module_attribute(self, module: str, node: ast.Attribute, tree: ast.AST, file: Path) -> None:
        """``module.Class`` in an annotation."""
        assert isinstance(node.value, ast.Name)
        symbol = self.result.files[module].names.get(node.value.id)
        there = symbol.node if symbol is not None else None
        if isinstance(there, nodes.MypyFile):
            inner = there.names.get(node.attr)
            if inner is not None and isinstance(inner.node, nodes.TypeInfo) and (new := self.new_of(inner.node)):
                line, end = node.end_lineno or node.lineno, node.end_col_offset or 0
                self.edits.replace(file, line, end - len(node.attr.encode()), node.attr, new)

    def rename_dotted_strings(self, module: str, tree: ast.AST, file: Path) -> None:
        """``"moderator.run.tick.once"``, and the names in ``__all__``."""
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.Assign) and any(
                isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets
            ):
                self.rename_exports(module, node.value, file)
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in self.names):
                continue
            if node.lineno == node.end_lineno:
                self.used.add(node.value)
                prefix, _, old = node.value.rpartition(".")
                column = node.col_offset + 1 + len(prefix.encode()) + 1
                self.edits.replace(file, node.lineno, column, old, self.names[node.value])

    def rename_mentions(self, module: str, file: Path) -> None:
        """Names in double backticks, in comments and docstrings: ``name``, ``module.name``, ``Class.name``."""
        tree = self.result.files[module]
        near: dict[str, str] = {}
        for name, symbol in tree.names.items():
            if symbol.node is not None and (new := self.new_of(symbol.node)) and name == self.old_of(symbol.node):
                near[name] = new
            if isinstance(symbol.node, nodes.MypyFile):
                for inner, one in symbol.node.names.items():
                    if one.node is not None and (new := self.new_of(one.node)):
                        near[f"{name}.{inner}"] = f"{name}.{new}"
        for qualified, new in self.names.items():
            if qualified.startswith(f"{module}."):
                rest = qualified[len(module) + 1 :]
                near.setdefault(rest, ".".join([*rest.split(".")[:-1], new]))
                if rest.count(".") == 1:  # a method, called by its bare name
                    near.setdefault(rest.split(".")[1], new)
        text = file.read_text(encoding="utf-8")

        def replace(match: re.Match[str]) -> str:
            return f"``{near.get(match[1], match[1])}{match[2]}``"

        changed = re.sub(r"``([A-Za-z_][\w.]*)(\(\)|)``", replace, text)
        if changed != text:
            file.write_text(changed, encoding="utf-8")

    def rename_exports(self, module: str, value: ast.expr, file: Path) -> None:
        for one in ast.walk(value):
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                symbol = self.result.files[module].names.get(one.value)
                node = symbol.node if symbol is not None else None
                if node is not None and (new := self.new_of(node)) and one.value == self.old_of(node):
                    self.edits.replace(file, one.lineno, one.col_offset + 1, one.value, new)

    def write(self) -> int:
        for file in self.edits.by_file:
            self.edits.by_file[file].pop((0, 0), None)
        count = 0
        # Docstrings last in each file, from below: their lines hold no name that is renamed by position.
        count += self.edits.apply()
        for file, found in self.docstrings.items():
            lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
            for first, last, text in sorted(found, reverse=True):
                lines[first - 1 : last] = [text + "\n"]
                count += 1
            file.write_text("".join(lines), encoding="utf-8")
        for module, tree in self.result.files.items():
            if module.split(".")[0] in FOLDERS and Path(tree.path).is_file():
                self.rename_mentions(module, Path(tree.path))
        return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lists", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    names, arguments, docs = read_list(given.lists)
    renamer = Renamer(names, arguments, docs)
    renamer.run()
    count = 0 if given.check else renamer.write()
    wanted = {*names, *arguments, *docs}
    print(f"{count} replacements in {len(renamer.edits.by_file)} files")
    for line in (
        *renamer.edits.problems,
        *renamer.unknown,
        *(f"{name}: not there" for name in sorted(wanted - renamer.used)),
    ):
        print(line)
    sys.exit(bool(renamer.edits.problems))


if __name__ == "__main__":
    main()
