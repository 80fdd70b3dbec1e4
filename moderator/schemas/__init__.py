"""JSON Schemas (draft 2020-12) of all that this program writes for others, and reads from them: a file each.

docs/schemas.md lists them and says what a version promises. Those of what commands print are made from the types of the
values (``python -m tests.schemas.make``); ``record``, ``turn`` and ``bot`` are written by hand.
"""

from __future__ import annotations

from importlib import resources

from moderator.errors import OperatorError

ENDING = ".schema.json"


def names() -> list[str]:
    """Of all schemas, by name."""
    files = resources.files(__name__).iterdir()
    return sorted(one.name.removesuffix(ENDING) for one in files if one.name.endswith(ENDING))


def text(name: str) -> str:
    """The file as it is. Raises OperatorError where there is no such schema."""
    if name not in names():
        import difflib

        close = difflib.get_close_matches(name, names(), n=1)
        hint = f"Did you mean {close[0]}?" if close else "See `moderator schema`."
        raise OperatorError(f"There is no schema {name!r}.", hint)
    return (resources.files(__name__) / f"{name}{ENDING}").read_text(encoding="utf-8")
