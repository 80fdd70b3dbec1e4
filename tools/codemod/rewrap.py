"""Break comments and docstrings that a longer name has made too long: the rest of a line goes to the next one.

python tools/codemod/rewrap.py moderator tests bench
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

WIDTH = 120


def list_long_lines(folders: list[str]) -> dict[str, list[int]]:
    """File -> numbers of its lines that are too long, by ruff."""
    command = ["ruff", "check", "--select", "E501", "--output-format", "json", *folders]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    found: dict[str, list[int]] = {}
    for one in json.loads(done.stdout):
        found.setdefault(one["filename"], []).append(one["location"]["row"])
    return found


def list_prose_lines(file: Path) -> set[int]:
    """Lines of docstrings, and those that are nothing but a comment."""
    prose: set[int] = set()
    with file.open("rb") as stream:
        tokens = list(tokenize.tokenize(stream.readline))
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
            prose.add(token.start[0])
        starts_statement = before is None or before.type in (
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.NL,
            tokenize.ENCODING,
            tokenize.COMMENT,
        )
        if token.type == tokenize.STRING and starts_statement and token.string.lstrip("rR").startswith('"""'):
            prose |= set(range(token.start[0], token.end[0] + 1))
    return prose


def split_string(line: str) -> list[str]:
    """A line that is one string, as two."""
    match = re.fullmatch(r'(\s*)((?:raise \w+|return|\w+ =)?\s*)(r?f?)"([^"]*)"(,?)', line)
    cut = match[4].rfind(" ", 0, WIDTH - len(match[1]) - len(match[3]) - 2) if match else -1
    if match is None or match[2] or cut < 0 or match[4][:cut].count("{") != match[4][:cut].count("}"):
        return [line]
    return [f'{match[1]}{match[3]}"{match[4][: cut + 1]}"', f'{match[1]}{match[3]}"{match[4][cut + 1 :]}"{match[5]}']


def rewrap(file: Path, numbers: list[int]) -> None:
    prose = list_prose_lines(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    for number in sorted(numbers, reverse=True):
        if number not in prose:
            parts = split_string(lines[number - 1])
            lines[number - 1 : number] = parts
            if len(parts) == 1:
                print(f"{file}:{number}: code")
            continue
        at = number - 1
        while at < len(lines) and len(lines[at]) > WIDTH:
            indent, mark, _ = re.fullmatch(r"(\s*)(# ?|)(.*)", lines[at]).groups()  # type: ignore[union-attr]
            cut = lines[at].rfind(" ", 0, WIDTH + 1)
            rest, lines[at] = lines[at][cut + 1 :], lines[at][:cut]
            follows = lines[at + 1] if at + 1 < len(lines) else ""
            same = re.fullmatch(rf"{indent}{re.escape(mark)}(?![\s*-])(.+)", follows)
            if rest.endswith('"""') or same is None or (not mark and at + 2 not in prose):
                lines.insert(at + 1, f"{indent}{mark}{rest}")
            else:
                lines[at + 1] = f"{indent}{mark}{rest} {same[1]}"
            at += 1
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    for name, numbers in list_long_lines(sys.argv[1:]).items():
        rewrap(Path(name), numbers)


if __name__ == "__main__":
    main()
