"""JSON Schemas (draft 2020-12) of what other programs read from this one, or write for it: a file each.

docs/build/schemas.md lists them and says what a version promises. ``report``, ``review`` and ``standings`` are made
from the types of the values (``python -m tests.schemas.make``), the others are written by hand. Those of listings are
made when they are asked for (``cli/derived.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from moderator.common.errors import MistypedError
from moderator.common.text import suggest

DRAFT = "https://json-schema.org/draft/2020-12/schema"
ENDING = ".schema.json"


def list_schemas() -> list[str]:
    """List the names of all schemas, sorted."""
    files = resources.files(__name__).iterdir()
    return sorted(one.name.removesuffix(ENDING) for one in files if one.name.endswith(ENDING))


def read_schema(name: str, others: Iterable[str] = ()) -> str:
    """Read the file as it is. Raises OperatorError where there is no such schema."""
    if name not in list_schemas():
        raise MistypedError(f"There is no schema {name!r}.", suggest(name, [*list_schemas(), *others]))
    return (resources.files(__name__) / f"{name}{ENDING}").read_text(encoding="utf-8")
