"""Plain mappings (TOML tables, JSON objects) into frozen dataclasses, with errors that say what was meant.

Used for the configuration file and for game options. Fields may be str, int, float, bool, None, Literal,
tuples, dicts with string keys, and nested dataclasses. Light on purpose: a tick with nothing to do loads this.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from moderator.common.errors import ConfigError
from moderator.common.secret_settings import is_secret
from moderator.common.text import suggest

T = TypeVar("T")


def build_dataclass(cls: type[T], values: Mapping[str, Any], where: str) -> T:
    """Build an instance of the dataclass ``cls``. ``where`` names the table in errors, e.g. ``[imap]``.

    Raises ConfigError for an unknown key (with "did you mean"), a missing one or a value of the wrong kind."""
    hints = _get_type_hints(cls)  # type: ignore[arg-type]
    fields = {f.name: f for f in dataclasses.fields(cls) if f.init}  # type: ignore[arg-type]
    for key in values:
        if key not in fields:
            raise ConfigError(f"{where}: there is no setting {key!r}.", suggest(key, sorted(fields)))
    given = {key: _convert_field(fields[key], hints[key], value, f"{where} {key}") for key, value in values.items()}
    for name, f in fields.items():
        needed = f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        if needed and name not in given:
            raise ConfigError(f"{where}: {name} is missing.", "See config.example.toml.")
    return cls(**given)


@cache
def _get_type_hints(cls: type[Any]) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _convert_field(field: dataclasses.Field[Any], kind: Any, value: Any, where: str) -> Any:
    """Convert the value of a field, as ``convert_value``. What is left out of a ``repr`` is a secret, and what is one
    by its name; it stands in no error either."""
    try:
        return convert_value(kind, value, where)
    except ConfigError as error:
        if field.repr and not is_secret(field.name):
            raise
        raise ConfigError(f"{where} is wrong.", error.hint) from None


def convert_value(kind: Any, value: Any, where: str) -> Any:
    """Return ``value`` as ``kind``, or raise ConfigError saying what is expected."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _convert_union(args, value, where)
    if origin is typing.Literal:
        if value not in args:
            known = ", ".join(map(repr, args))
            raise ConfigError(f"{where} = {value!r} is not known.", f"Possible: {known}.")
        return value
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(convert_value(args[0], item, where) for item in value)
    if origin in (dict, Mapping) or origin is types.MappingProxyType:
        if isinstance(value, Mapping):
            return {str(k): convert_value(args[1], v, f"{where}.{k}") for k, v in value.items()}
    elif dataclasses.is_dataclass(kind) and isinstance(value, Mapping):
        return build_dataclass(typing.cast(type[Any], kind), value, where)
    elif kind is Path and isinstance(value, str):
        return Path(value).expanduser()
    elif kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    elif isinstance(kind, type) and isinstance(value, kind) and (kind is bool) == isinstance(value, bool):
        return value
    raise ConfigError(f"{where} = {value!r} is wrong.", f"Expected: {_describe_kind(kind)}.")


def _convert_union(args: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and type(None) in args:
        return None
    for kind in args:
        if kind is not type(None):
            try:
                return convert_value(kind, value, where)
            except ConfigError:
                continue
    raise ConfigError(
        f"{where} = {value!r} is wrong.",
        f"Expected: {' or '.join(_describe_kind(one) for one in args if one is not type(None))}.",
    )


def _describe_kind(kind: Any) -> str:
    names = {str: "a text in quotes", int: "a whole number", bool: "true or false", float: "a number"}
    if typing.get_origin(kind) is typing.Literal:
        return " or ".join(map(repr, typing.get_args(kind)))
    if typing.get_origin(kind) in (tuple, dict):
        return "a list" if typing.get_origin(kind) is tuple else "a table, {name = value}"
    return names.get(kind, kind.__name__ if isinstance(kind, type) else str(kind))
