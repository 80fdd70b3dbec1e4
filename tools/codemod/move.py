"""Move modules to other packages, and merge those that go to one place.

    python tools/codemod/move.py moves.tsv

Each line of the list: a module of today, its place from now on, both dotted (``moderator.play.turns``). Several that go
to one place become one module, in the order in which they need each other. A line ``file``, a pattern of paths, a
folder moves what is not Python. Import statements, the names that they bind, dotted names in strings and texts, and
paths are rewritten in every tracked file; what needs a decision is printed.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import textwrap
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path.cwd()
SKIPPED = ("CHANGELOG.md", "tools/", "tests/golden/", "tests/pairs/")
DOTTED = re.compile(r"\bmoderator(?:\.\w+)+")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
PATH = re.compile(r"\bmoderator/[\w/]+\.py\b")


def list_tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in listed if name and not name.startswith(SKIPPED)]


def get_module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


class Moves:
    def __init__(self, text: str) -> None:
        self.modules: dict[str, str] = {}
        self.files: list[tuple[str, str]] = []
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            parts = line.split("\t")
            if parts[0] == "file":
                self.files.append((parts[1], parts[2]))
            else:
                self.modules[parts[0]] = parts[1]
        self.known = {get_module_name(path) for path in (ROOT / "moderator").rglob("*.py")}
        for missing in self.modules.keys() - self.known:
            sys.exit(f"{missing}: no such module")
        self.problems: list[str] = []

    def get_place(self, module: str) -> str:
        return self.modules.get(module, module)

    def replace_dotted(self, text: str) -> str:
        """Replace the longest beginning of each dotted name that is a module."""

        def replace(found: re.Match[str]) -> str:
            parts = found[0].split(".")
            for size in range(len(parts), 1, -1):
                name = ".".join(parts[:size])
                if name in self.known:
                    return ".".join([self.get_place(name), *parts[size:]])
            return found[0]

        return DOTTED.sub(replace, text)

    def replace_paths(self, text: str) -> str:
        def replace(found: re.Match[str]) -> str:
            module = found[0].removesuffix(".py").replace("/", ".")
            return self.get_place(module).replace(".", "/") + ".py" if module in self.known else found[0]

        return PATH.sub(replace, text)


class Module(ast.NodeVisitor):
    """One Python file: the edits at byte positions that its imports and the names that they bind need."""

    def __init__(self, path: Path, moves: Moves) -> None:
        self.path, self.moves = path, moves
        self.source = path.read_bytes()
        self.tree = ast.parse(self.source)
        self.lines = self.source.split(b"\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.edits: dict[tuple[int, int], bytes] = {}
        self.bound: dict[str, str] = {}
        self.name = get_module_name(path)
        self.place = moves.get_place(self.name)
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    def get_span(self, node: ast.AST) -> tuple[int, int]:
        return (self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset)

    def get_scope(self, node: ast.AST) -> ast.AST:
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, SCOPES):
                return node
        return self.tree

    def is_bound_in(self, scope: ast.AST, name: str) -> bool:
        """Return whether a function binds ``name`` itself."""
        arguments = getattr(scope, "args", None)
        if arguments and any(
            one.arg == name for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        ):
            return True
        for node in ast.walk(scope):
            if node is scope or self.get_scope(node) is not scope:
                continue
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.Import | ast.ImportFrom) and any(
                (one.asname or one.name) == name for one in node.names
            ):
                return True
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
                return True
        return False

    def iter_uses(self, name: str, statement: ast.AST) -> Iterator[ast.Name]:
        """Yield the places where ``name`` is what ``statement`` has bound."""
        home = self.get_scope(statement)
        for node in ast.walk(home):
            if isinstance(node, ast.Name) and node.id == name:
                scope = self.get_scope(node)
                while scope is not home and not self.is_bound_in(scope, name):
                    scope = self.get_scope(scope)
                    while isinstance(scope, ast.ClassDef) and scope is not home:  # not seen from within its methods
                        scope = self.get_scope(scope)
                if scope is home:
                    yield node

    def rename_binding(self, old: str, place: str, statement: ast.AST) -> str:
        """Rename what an import binds. Returns the words behind it: `` as old`` where ``new`` is taken."""
        uses, new = list(self.iter_uses(old, statement)), place.rpartition(".")[2]
        if old == new:
            return ""
        taken = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)} | {
            one.arg for one in ast.walk(self.tree) if isinstance(one, ast.arg)
        }
        taken |= {
            one.asname or one.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for one in node.names
            if self.moves.get_place(f"{getattr(node, 'module', '')}.{one.name}") != place
        }
        for other in ast.walk(self.tree):  # names that another import of the same place has bound
            if isinstance(other, ast.ImportFrom) and any(
                one.name == new and not one.asname and self.moves.get_place(f"{other.module}.{one.name}") == place
                for one in other.names
            ):
                taken.discard(new)
        if new in taken or self.bound.setdefault(new, place) != place:
            self.moves.problems.append(f"{self.path.relative_to(ROOT)}:{statement.lineno}: {new} as {old}")
            return f" as {old}"
        for node in uses:
            self.edits[self.get_span(node)] = new.encode()
        return ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level or not node.module or node.module.split(".")[0] != "moderator":
            return
        wholes = [f"{node.module}.{one.name}" for one in node.names]
        places = set(map(self.moves.get_place, (node.module, *wholes)))
        if not ({node.module, *wholes} & self.moves.modules.keys() or self.place in places):
            return
        by_place: dict[str, list[str]] = defaultdict(list)
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            if whole in self.moves.known:
                place = self.moves.get_place(whole)
                if place == self.place:
                    self.dissolve(alias, node)
                    continue
                package, _, last = place.rpartition(".")
                behind = f" as {alias.asname}" if alias.asname else self.rename_binding(alias.name, place, node)
                if behind == f" as {last}":
                    behind = ""
                by_place[package].append(last + behind)
            else:
                place = self.moves.get_place(node.module)
                if place == self.place and place != "moderator":
                    if alias.asname:
                        for use in self.iter_uses(alias.asname, node):
                            self.edits[self.get_span(use)] = alias.name.encode()
                    continue
                by_place[place].append(alias.name + (f" as {alias.asname}" if alias.asname else ""))
        indent = b" " * node.col_offset
        text = (b"\n" + indent).join(
            f"from {place} import {', '.join(names)}".encode() for place, names in by_place.items()
        )
        if not text and isinstance(self.parents[node], ast.Module):
            self.edits[self.get_span(node)] = b""
            return
        if not text:
            text = b"pass" if len(getattr(self.parents[node], "body", [])) == 1 else b"..."
        self.edits[self.get_span(node)] = text

    def dissolve(self, alias: ast.alias, node: ast.ImportFrom) -> None:
        """Write ``name`` for each ``module.name`` of a module that is merged with this one."""
        for use in self.iter_uses(alias.asname or alias.name, node):
            parent = self.parents[use]
            if isinstance(parent, ast.Attribute):
                self.edits[self.get_span(parent)] = parent.attr.encode()
            else:
                self.moves.problems.append(f"{self.path.relative_to(ROOT)}:{use.lineno}: {use.id} itself is used")

    def visit_Import(self, node: ast.Import) -> None:
        if any(one.name.startswith("moderator.") for one in node.names):
            self.edits[self.get_span(node)] = self.moves.replace_dotted(ast.unparse(node)).encode()
            for alias in node.names:
                if not alias.asname and alias.name in self.moves.modules:
                    self.moves.problems.append(f"{self.path.relative_to(ROOT)}:{node.lineno}: import {alias.name}")

    def rewrite(self) -> str:
        self.visit(self.tree)
        text = self.source
        for (start, end), new in sorted(self.edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return self.rewrite_strings(text.decode())

    def rewrite_strings(self, text: str) -> str:
        """Replace dotted names and paths in strings and comments."""
        wanted = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
        if not (DOTTED.search(text) or PATH.search(text)):
            return text
        lines = text.splitlines(keepends=True)
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line))
        edits = []
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in wanted:
                new = self.moves.replace_paths(self.moves.replace_dotted(token.string))
                if new != token.string:
                    start = starts[token.start[0] - 1] + token.start[1]
                    edits.append((start, start + len(token.string), new))
        for start, end, new in reversed(edits):
            text = text[:start] + new + text[end:]
        return text


def split_source(text: str) -> tuple[str, list[str], str]:
    """Split a module into docstring, import statements and the rest."""
    tree, lines = ast.parse(text), text.splitlines(keepends=True)
    body = list(tree.body)
    doc = ""
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        doc = "".join(lines[body[0].lineno - 1 : body[0].end_lineno])
        body.pop(0)
    imports, last = [], len(doc.splitlines())
    for node in body:
        typing = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not (isinstance(node, ast.Import | ast.ImportFrom) or typing):
            break
        imports.append("".join(lines[node.lineno - 1 : node.end_lineno]))
        last = node.end_lineno or last
    return doc, imports, "".join(lines[last:])


def merge_sources(target: str, sources: list[tuple[str, str]], moves: Moves) -> str:
    """Merge modules to one: the docstring of the first, every import once, equal definitions once."""
    doc, imports, bodies = "", dict[str, None](), list[str]()
    defined: dict[str, str] = {}
    for number, (name, text) in enumerate(sources):
        own_doc, own_imports, body = split_source(text)
        doc = doc or own_doc
        imports.update(dict.fromkeys(own_imports))
        kept, lines = body, body.splitlines(keepends=True)
        for node in reversed(ast.parse(body).body):
            names = [getattr(node, "name", "")] if hasattr(node, "name") else []
            if isinstance(node, ast.Assign):
                names = [one.id for one in node.targets if isinstance(one, ast.Name)]
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names = [node.target.id]
            for one in filter(None, names):
                if number and one in defined:
                    if defined[one] == ast.unparse(node):
                        del lines[node.lineno - 1 : node.end_lineno]
                        kept = "".join(lines)
                    else:
                        moves.problems.append(f"{target}: {one} stands in {name}, too")
                else:
                    defined[one] = ast.unparse(node)
        section = own_doc.strip().strip('"').strip().split("\n\n")[0] if number else ""
        lines = textwrap.wrap(f"---- {section}", 116)
        bodies.append("".join(f"# {line}\n" for line in lines if section) + "\n\n" * bool(section) + kept.strip("\n"))
    return doc + "\n" + "".join(imports) + "\n\n" + "\n\n\n".join(bodies) + "\n"


def order_sources(names: list[str], texts: dict[str, str], listed: list[str]) -> list[str]:
    """Order modules that become one: what is needed stands first."""
    needs = {
        name: {
            other
            for other in names
            for package, _, last in [other.rpartition(".")]
            if other != name
            and re.search(
                rf"^from ({re.escape(other)} import|{re.escape(package)} import .*\b{last}\b)",
                texts[name],
                re.MULTILINE,
            )
        }
        for name in names
    }
    ordered: list[str] = []
    while len(ordered) < len(names):
        ready = [name for name in names if name not in ordered and needs[name] <= set(ordered)]
        if not ready:
            return ordered + [name for name in names if name not in ordered]
        ordered.append(ready[0])
    return ordered


def main() -> None:
    moves = Moves(Path(sys.argv[1]).read_text(encoding="utf-8"))
    files = list_tracked()
    rewritten: dict[Path, str] = {}
    for path in files:
        if path.is_symlink() or not path.exists():
            continue
        if path.suffix == ".py":
            rewritten[path] = Module(path, moves).rewrite()
        elif path.suffix in {".md", ".toml", ".service", ".1", ".yml", ".mjs", ".js", ".j2", ".css", ".html", ""}:
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            rewritten[path] = moves.replace_paths(moves.replace_dotted(text))
    before = {name: (ROOT / to_path(name)).read_text(encoding="utf-8") for name in moves.modules}
    by_target: dict[str, list[str]] = defaultdict(list)
    for name, place in moves.modules.items():
        by_target[place].append(name)
    for place in by_target:  # a module that stays where others come to
        if place in moves.known and place not in moves.modules:
            by_target[place].insert(0, place)
            before[place] = (ROOT / to_path(place)).read_text(encoding="utf-8")
    outputs: dict[Path, str] = {}
    for place, names in by_target.items():
        ordered = order_sources(names, before, names)
        texts = [(name, rewritten.pop(ROOT / to_path(name))) for name in ordered]
        target = ROOT / to_path(place, package=any((ROOT / to_path(name)).name == "__init__.py" for name in names))
        if len(texts) == 1:
            outputs[target] = texts[0][1]
        else:
            docs = split_source(dict(texts)[names[0]])[0]
            merged = merge_sources(place, texts, moves)
            own = split_source(merged)[0]
            outputs[target] = docs + merged.removeprefix(own) if docs else merged
        target.parent.mkdir(parents=True, exist_ok=True)
        first = ROOT / to_path(names[0])
        if first != target:
            subprocess.run(["git", "mv", "-f", str(first), str(target)], check=True)
        for name in names[1:]:
            old = ROOT / to_path(name)
            if old.exists() and old != target:
                subprocess.run(["git", "rm", "-qf", str(old)], check=True)
    for path, text in {**rewritten, **outputs}.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for pattern, folder in moves.files:
        for path in sorted(ROOT.glob(pattern)):
            (ROOT / folder).mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "mv", str(path), str(ROOT / folder / path.name)], check=True)
    print("\n".join(moves.problems))
    print(f"{len(moves.modules)} modules moved")


_PACKAGES: dict[str, bool] = {}


def to_path(module: str, package: bool | None = None) -> str:
    """Return the path of a module; a package's is its ``__init__.py``."""
    base = module.replace(".", "/")
    if package is None:
        package = _PACKAGES.setdefault(module, (ROOT / base / "__init__.py").exists())
    return f"{base}/__init__.py" if package else f"{base}.py"


if __name__ == "__main__":
    main()
