"""On which line of a TOML file something stands, against where the parser finds it."""

from __future__ import annotations

import tomllib

from moderator.match.toml_lines import line_at, lines_of

TEXT = """# a remark with [brackets] and name = 1
game = "dominos"   # board = ["no"]
board = [ "66", "62@L",
  "61@R", # "not this", [nor this]
  "a # no remark", 'nor ] this',

  "21@N" ]
stock = [[1, 2], [3,
  4], 5]
running = { square = "T20", word = "A, B" }

[options]
target = 150

[[player]]
name = "Anna"
rack = ["64",
        "31"]
[[player]]
"name" = 'Bert'
"""


def test_every_value_is_found_on_its_line() -> None:
    found = lines_of(TEXT)
    rows = TEXT.splitlines()
    values = tomllib.loads(TEXT)
    for n, item in enumerate(values["board"]):
        assert item in rows[found["board", n] - 1]
    assert [found["stock", n] for n in range(3)] == [8, 8, 9]
    assert (found["game",], found["running",], found["options",], found["options", "target"]) == (2, 10, 12, 13)
    assert [found["player", n, "name"] for n in range(2)] == [16, 20]
    assert [found["player", 0, "rack", n] for n in range(2)] == [17, 18]
    assert ("options", "name") not in found


def test_what_is_nowhere_stands_where_it_would() -> None:
    found = lines_of(TEXT)
    assert line_at(found, ("player", 1, "rack")) == 19
    assert line_at(found, ("player", 1, "name", 7)) == 20
    assert line_at(found, ("turn",)) == 1
