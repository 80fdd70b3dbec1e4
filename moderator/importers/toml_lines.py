"""On which line of a TOML file a value stands: the parser of the standard library does not say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from moderator.rules.position import Path as Place

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?")
_KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=\s*")
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|[\[\]{},#]|[^\s\[\]{},#"\']+')


def locate_toml_lines(text: str) -> dict[Place, int]:
    """Return a mapping, path -> line from 1, of every table, key and item of a list in a file that parses. Items of
    lists in lists are not told apart."""
    found: dict[Place, int] = {}
    counted: Counter[str] = Counter()
    here: Place = ()
    rows = iter(enumerate(text.splitlines(), start=1))
    for number, row in rows:
        if header := _HEADER.fullmatch(row):
            here = (header[2],)
            if header[1] == "[[":
                here = (header[2], counted[header[2]])
                counted[header[2]] += 1
            found[here] = number
        elif key := _KEY.match(row):
            path = (*here, key[1].strip("\"'"))
            found[path] = number
            found |= {(*path, n): line for n, line in _iter_item_lines(row[key.end() :], number, rows)}
    return found


def _iter_item_lines(rest: str, number: int, rows: Iterator[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """Yield (number of an item, its line) of the list that begins there, if it is one; the rows that it takes are used
    up."""
    depth, item, fresh = 0, 0, True
    while True:
        for token in _TOKEN.findall(rest):
            if token == "#":
                break
            if fresh and depth == 1 and token not in "],":
                yield item, number
                fresh = False
            if token in "[{":
                depth += 1
                fresh = depth == 1
            elif token in "]}":
                depth -= 1
            elif token == "," and depth == 1:
                item, fresh = item + 1, True
        if depth <= 0:
            return
        number, rest = next(rows, (number, "]" * depth))


def get_toml_line(lines: Mapping[Place, int], path: Place) -> int:
    """Return the line of the value itself, or of what it stands in; 1 for what is nowhere."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
