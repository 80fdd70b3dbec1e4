"""``python -m tests.schemas.make`` writes moderator/schemas anew: those of what commands print from the types of the
values, in ``record`` what depends on the game from the games."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from moderator import games, schemas
from moderator.cli import printed
from moderator.cli import printed_tournaments as cups
from moderator.conformance import finding
from moderator.match import reports
from moderator.review.review import Review
from moderator.schemas import ENDING

Schema = dict[str, Any]
PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Any: {},
}
FOLDER = Path(__file__).resolve().parents[2] / "moderator" / "schemas"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
PRINTED: dict[str, tuple[int, tuple[type[Any], ...]]] = {
    "report": (1, (reports.Report,)),
    "analysis": (1, (reports.Analysis,)),
    "verification": (1, (reports.Verification,)),
    "review": (2, (Review, printed.ReviewOfMatch)),
    "game": (1, (printed.GameLine,)),
    "puzzles": (1, (printed.Puzzles,)),
    "match": (1, (printed.MatchLine,)),
    "position": (1, (printed.MatchPosition,)),
    "replayed": (1, (printed.ReplayedLine,)),
    "state": (1, (printed.StateFound,)),
    "sentence": (1, (printed.Sentence,)),
    "entry": (1, (printed.EntryLine,)),
    "protest": (1, (printed.ProtestLine,)),
    "player": (1, (printed.PlayerLine,)),
    "referee": (1, (printed.RefereeLine,)),
    "rating": (1, (printed.RatingLine,)),
    "tournament": (1, (cups.TournamentLine,)),
    "tournament-whole": (1, (cups.TournamentWhole,)),
    "standings": (1, (cups.StandingsLine,)),
    "setting": (1, (cups.SettingLine,)),
    "charge": (1, (cups.InCharge,)),
    "mail": (1, (printed.MailLine,)),
    "mail-whole": (1, (printed.MailWhole,)),
    "verdict": (1, (printed.WordVerdict,)),
    "address": (1, (printed.CommandAddress,)),
    "written": (1, (printed.Written,)),
    "backup": (1, (printed.BackupMade,)),
    "run": (1, (printed.RunLine,)),
    "ruling": (1, (printed.RulingLine,)),
    "lexicon": (1, (printed.LexiconLine,)),
    "deed": (1, (printed.DeedLine,)),
    "check": (1, (printed.CheckLine,)),
    "task": (1, (printed.TaskLine,)),
    "conformance": (1, (finding.Report,)),
}
"""Name -> number and types. A key that means something else than before, or is gone, needs a new number."""
IN_THE_FILE = {"report": "report", "review": "review"}
"""Schemas of what is kept or sent on: the key that says its number."""


def made(name: str) -> Schema:
    """The schema of what a command prints."""
    number, (cls, *more) = PRINTED[name]
    title = inspect.getdoc(more[0] if more else cls) or ""
    schema = derived(cls, *more)
    if key := IN_THE_FILE.get(name):
        schema["properties"][key] = {"const": number} | schema["properties"][key]
        del schema["properties"][key]["type"]
    return {
        "$schema": DRAFT,
        "$id": identifier(name, number),
        "title": title.splitlines()[0].removesuffix("."),
        **schema,
    }


def identifier(name: str, number: int) -> str:
    return f"urn:moderator:schema:{name}:{number}"


def record(schema: Schema) -> Schema:
    """The schema of records with what depends on the game: how many seats, which options."""
    defs = {name: one for name, one in schema["$defs"].items() if not name.startswith("options-")}
    cases = []
    for key in games.OWN:
        game = games.load(key)
        options = derived(game.options, closed=True)
        options["properties"]["pace"] = {"enum": list(game.paces)}
        defs[f"options-{key}"] = options
        seats = {"minItems": game.min_seats, "maxItems": game.max_seats}
        then = {"seats": seats, "options": {"$ref": f"#/$defs/options-{key}"}}
        cases.append(
            {"if": {"required": ["game"], "properties": {"game": {"const": key}}}, "then": {"properties": then}}
        )
    return schema | {"allOf": cases, "$defs": defs}


def every() -> dict[str, str]:
    """Name of a file -> what has to stand in it."""
    written = json.loads((FOLDER / f"record{ENDING}").read_text(encoding="utf-8"))
    schemas = {name: made(name) for name in PRINTED} | {"record": record(written)}
    return {f"{name}{ENDING}": json.dumps(one, ensure_ascii=False, indent=1) + "\n" for name, one in schemas.items()}


PROMISED = Path(__file__).with_name("promised.json")
"""Identifier of a schema -> keys that are always there -> of which type. New ones are added; none is ever changed."""


def promises(schema: Schema) -> dict[str, str]:
    """What a number promises: the keys that are always there, at every depth, with their types."""
    parts = {"": schema} | {f"{name}.": part for name, part in schema.get("$defs", {}).items()}
    found = {}
    for prefix, part in parts.items():
        for key in part.get("required", ()):
            value = part["properties"][key]
            kinds = value.get("type", "a choice")
            found[f"{prefix}{key}"] = value.get("$ref") or (kinds if isinstance(kinds, str) else " or ".join(kinds))
    return found


def promised_now() -> dict[str, dict[str, str]]:
    """What stands in the file, and what is new."""
    known: dict[str, dict[str, str]] = json.loads(PROMISED.read_text(encoding="utf-8"))
    for name in schemas.names():
        schema = json.loads(schemas.text(name))
        known[schema["$id"]] = promises(schema) | known.get(schema["$id"], {})
    return dict(sorted(known.items()))


# ---- JSON Schemas of TypedDicts and dataclasses; the text below a key of a class is its description ----


def derived(cls: type[Any], *more: type[Any], closed: bool = False) -> Schema:
    """The schema of a class, with those that it names in ``$defs``; the keys of ``more`` stand in it, too. ``closed``:
    no other keys."""
    defs: dict[str, Schema] = {}
    parts = [_object(one, defs, closed) for one in (*more, cls)]
    schema = parts[0]
    for part in parts[1:]:
        schema["properties"] |= part["properties"]
        schema["required"] += part["required"]
    return schema | ({"$defs": defs} if defs else {})


def _object(cls: type[Any], defs: dict[str, Schema], closed: bool) -> Schema:
    hints = typing.get_type_hints(cls, include_extras=True)
    said = described(cls)
    required = list(hints)
    if dataclasses.is_dataclass(cls):
        fields = {one.name: one for one in dataclasses.fields(cls)}
        hints = {name: hints[name] for name in fields}
        free = (one.default is not dataclasses.MISSING for one in fields.values())
        required = [name for name, has_default in zip(fields, free, strict=True) if not (closed and has_default)]
        worked_out = {name: one for name, one in vars(cls).items() if isinstance(one, property) and not closed}
        hints |= {name: typing.get_type_hints(one.fget)["return"] for name, one in worked_out.items()}
        said |= {name: inspect.getdoc(one) or "" for name, one in worked_out.items()}
        required += worked_out
    else:
        # What is not required is not seen by Python's own __required_keys__ where annotations are read late.
        optional = {name for name, hint in hints.items() if typing.get_origin(hint) is typing.NotRequired}
        required = [name for name in hints if name in cls.__required_keys__ - optional]  # type: ignore[attr-defined]
    properties = {}
    for name, hint in hints.items():
        properties[name] = of(hint, defs, closed)
        if said.get(name):
            properties[name] = properties[name] | {"description": " ".join(said[name].split())}
    schema: Schema = {"type": "object", "required": required, "properties": properties}
    return schema | ({"additionalProperties": False} if closed else {})


def of(hint: Any, defs: dict[str, Schema], closed: bool = False) -> Schema:
    """The schema of a type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Required, typing.NotRequired):
        return of(arguments[0], defs, closed)
    if hint in PLAIN:
        return dict(PLAIN[hint])
    if origin in (typing.Union, types.UnionType):
        return _either([of(one, defs, closed) for one in arguments])
    if origin is typing.Literal:
        return {"enum": list(arguments)} if len(arguments) > 1 else {"const": arguments[0]}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": of(arguments[0], defs, closed)}
    if origin in (dict, Mapping):
        values = of(arguments[1], defs, closed)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [one.value for one in hint]}
    if typing.is_typeddict(hint) or dataclasses.is_dataclass(hint):
        if hint.__name__ not in defs:
            defs[hint.__name__] = {}
            defs[hint.__name__] |= _object(hint, defs, closed)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"{hint} has no schema")


def _either(kinds: list[Schema]) -> Schema:
    """``{"type": ["string", "null"]}`` where types say all; else any of them."""
    if all(list(kind) == ["type"] for kind in kinds):
        return {"type": [kind["type"] for kind in kinds]}
    null = {"type": "null"}
    if null in kinds and len(kinds) == 2:
        (other,) = (kind for kind in kinds if kind != null)
        if list(other) == ["enum"]:
            return {"enum": [*other["enum"], None]}
        if isinstance(other.get("type"), str):
            return {**other, "type": [other["type"], "null"]}
    return {"anyOf": kinds}


def described(cls: type[Any]) -> dict[str, str]:
    """The text below each key of a class, and of the classes that it is made from."""
    found: dict[str, str] = {}
    for base in (*getattr(cls, "__orig_bases__", ()), *cls.__bases__):
        if isinstance(base, type) and base not in (object, dict):
            found |= described(base)
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(node, ast.ClassDef)
    for key, text in zip(node.body, node.body[1:], strict=False):
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name) and isinstance(text, ast.Expr):
            assert isinstance(text.value, ast.Constant)
            found[key.target.id] = str(text.value.value)
    return found


if __name__ == "__main__":
    for name, text in every().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    PROMISED.write_text(json.dumps(promised_now(), indent=1) + "\n", encoding="utf-8")
