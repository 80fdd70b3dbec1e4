"""The wrong changes of ``tests/mutants`` are changes: each compiles, in one place, and moves no line."""

from __future__ import annotations

from tests.mutants.changes import changes, probed

SOURCE = '''"""What nobody acts upon."""
from x import y

@z(frozen=True)
def f(a: int = 3, word="ä"):
    """Nor upon this."""
    if not a or a < 5:
        y(
            a,
        )
    print(f"for people {1}", "and this one")
    return a + 1 if a == 2 else None
'''
MADE = {
    ("one more", "4"),
    ("one less", "2"),
    ("another word", '""'),
    ("the other way round", "not (not a or a < 5)"),
    ("and/or", "not a and a < 5"),
    ("no not", "a"),
    ("another comparison", "a <= 5"),
    ("one more", "6"),
    ("one less", "4"),
    ("a call is left out", "None"),
    ("nothing is returned", "None"),
    ("the other way round", "not (a == 2)"),
    ("plus/minus", "a - 1"),
    ("another comparison", "a != 2"),
    ("one more", "3"),
    ("one less", "1"),
    ("one more", "2"),
    ("one less", "0"),
}


def test_each_kind_of_change_is_made() -> None:
    assert {(change.what, change.new) for change in changes("f.py", SOURCE)} == MADE


def test_each_compiles_and_leaves_the_lines_where_they_were() -> None:
    before = SOURCE.encode()
    for change in changes("f.py", SOURCE):
        after = change.applied(before)
        assert after != before
        assert after.count(b"\n") == before.count(b"\n")
        compile(after, "f.py", "exec")
        assert f"-{SOURCE.splitlines()[change.line - 1]}" in change.diff(before)


def test_places_within_places_are_all_noted() -> None:
    every = list(enumerate(changes("f.py", SOURCE)))
    source = probed(SOURCE.encode(), every)
    compile(source, "f.py", "exec")
    assert source.count(b"passed(") == len(every)
