"""JSON Schemas of what commands print, made from the types of the values; the text below a key of a class is its
description."""

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
from typing import Any

import click

from moderator import schemas
from moderator.cli import json_types
from moderator.cli import printed_tournaments as cups
from moderator.schemas import DRAFT

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
LISTINGS: dict[str, tuple[type[Any], ...]] = {
    "check": (json_types.CheckLine,),
    "deed": (json_types.AuditLine,),
    "entry": (json_types.EntryLine,),
    "game": (json_types.GameLine,),
    "lexicon": (json_types.LexiconLine,),
    "mail": (json_types.MailLine,),
    "match": (json_types.MatchLine,),
    "player": (json_types.PlayerLine,),
    "protest": (json_types.ProtestLine,),
    "rating": (json_types.RatingLine,),
    "referee": (json_types.RefereeLine,),
    "replayed": (json_types.ReplayedLine,),
    "ruling": (json_types.RulingLine,),
    "run": (json_types.RunLine,),
    "sentence": (json_types.Sentence,),
    "setting": (cups.SettingLine,),
    "task": (json_types.TaskLine,),
    "tournament": (cups.TournamentLine,),
    "verdict": (json_types.WordVerdict,),
}
"""Name -> types of a line of what lists things, or of one of them."""


def build_line_schema(name: str) -> Schema:
    """Return the schema of a line."""
    cls, *more = LISTINGS[name]
    return {
        "$schema": DRAFT,
        "$id": f"urn:moderator:schema:{name}",
        "title": get_schema_title(cls),
        **build_class_schema(cls, *more),
    }


def get_schema_title(cls: type[Any]) -> str:
    """Return the first line of a class's docstring, without its full stop."""
    return (inspect.getdoc(cls) or "").splitlines()[0].removesuffix(".")


def build_class_schema(cls: type[Any], *more: type[Any], closed: bool = False) -> Schema:
    """Return the schema of a class, with those that it names in ``$defs``; the keys of ``more`` stand in it, too.
    ``closed``: no other keys."""
    defs: dict[str, Schema] = {}
    parts = [_build_object_schema(one, defs, closed) for one in (*more, cls)]
    schema = parts[0]
    for part in parts[1:]:
        schema["properties"] |= part["properties"]
        schema["required"] += part["required"]
    return schema | ({"$defs": defs} if defs else {})


def _build_object_schema(cls: type[Any], defs: dict[str, Schema], closed: bool) -> Schema:
    hints = typing.get_type_hints(cls, include_extras=True)
    said = collect_key_texts(cls)
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
        required = [name for name in hints if name in cls.__required_keys__ - optional]
    properties = {}
    for name, hint in hints.items():
        properties[name] = build_type_schema(hint, defs, closed)
        if said.get(name):
            properties[name] = properties[name] | {"description": " ".join(said[name].split())}
    schema: Schema = {"type": "object", "required": required, "properties": properties}
    return schema | ({"additionalProperties": False} if closed else {})


def build_type_schema(hint: Any, defs: dict[str, Schema], closed: bool = False) -> Schema:
    """Return the schema of a type. Raises TypeError for one that has none."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Required, typing.NotRequired):
        return build_type_schema(arguments[0], defs, closed)
    if hint in PLAIN:
        return dict(PLAIN[hint])
    if origin in (typing.Union, types.UnionType):
        return _build_union_schema([build_type_schema(one, defs, closed) for one in arguments])
    if origin is typing.Literal:
        return {"enum": list(arguments)} if len(arguments) > 1 else {"const": arguments[0]}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": build_type_schema(arguments[0], defs, closed)}
    if origin in (dict, Mapping):
        values = build_type_schema(arguments[1], defs, closed)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [one.value for one in hint]}
    if typing.is_typeddict(hint) or dataclasses.is_dataclass(hint):
        if hint.__name__ not in defs:
            defs[hint.__name__] = {}
            defs[hint.__name__] |= _build_object_schema(hint, defs, closed)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"{hint} has no schema")


def _build_union_schema(kinds: list[Schema]) -> Schema:
    """Return ``{"type": ["string", "null"]}`` where types say all; else a schema of any of them."""
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


def collect_key_texts(cls: type[Any]) -> dict[str, str]:
    """Return the text below each key of a class, and of the classes that it is made from."""
    found: dict[str, str] = {}
    for base in (*getattr(cls, "__orig_bases__", ()), *cls.__bases__):
        if isinstance(base, type) and base not in (object, dict):
            found |= collect_key_texts(base)
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(node, ast.ClassDef)
    for key, text in zip(node.body, node.body[1:], strict=False):
        if isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name) and isinstance(text, ast.Expr):
            assert isinstance(text.value, ast.Constant)
            found[key.target.id] = str(text.value.value)
    return found


# ---- `moderator schema`: what programs read and write here, as JSON Schemas; nothing is needed for it.


def _complete_schema_name(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
    """Return the names of schemas that begin so, for the shell."""
    return [name for name in (*schemas.list_schemas(), *LISTINGS) if name.startswith(typed)]


@click.command("schema")
@click.argument("which", metavar="[NAME]", required=False, shell_complete=_complete_schema_name)
def print_schema(which: str | None) -> None:
    """Print a JSON Schema; without NAME, list them all.

    The page docs/build/schemas.md says which command prints what."""
    if which in LISTINGS:
        click.echo(json.dumps(build_line_schema(which), ensure_ascii=False, indent=1))
    elif which is not None:
        click.echo(schemas.read_schema(which, LISTINGS), nl=False)
    else:
        for one in (
            *map(json.loads, map(schemas.read_schema, schemas.list_schemas())),
            *map(build_line_schema, LISTINGS),
        ):
            name, number = (*one["$id"].split(":")[3:], "")[:2]
            click.echo(f"{name:<12} {number:>2}  {one['title']}")
