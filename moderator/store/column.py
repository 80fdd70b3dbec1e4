"""Columns that hold one word of a closed set."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator

from moderator.errors import StoreError
from moderator.states import Choice


class OneOf(TypeDecorator[Choice]):
    """Stores the words of ``choice`` as text. Reading a word that is not in the set raises StoreError."""

    impl = String
    cache_ok = True

    def __init__(self, choice: type[Choice]) -> None:
        super().__init__()
        self.choice = choice
        self._members: dict[str, Choice] = {member.value: member for member in choice}

    def process_bind_param(self, value: Choice | None, dialect: Dialect) -> str | None:
        return None if value is None else self.choice(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> Choice | None:
        if value is None:
            return None
        found = self._members.get(value)
        if found is None:
            known = ", ".join(repr(word) for word in self._members)
            raise StoreError(
                f"The database has {value!r} as {self.choice.__name__}; this program knows {known}.",
                "Run `moderator doctor --deep`: it says where.",
            )
        return found

    def __repr__(self) -> str:
        return f"OneOf({self.choice.__name__})"


def one_of(choice: type[Choice]) -> type[Any]:
    """What a table's field for one word of ``choice`` says as its ``sa_type``, which takes instances as well."""
    return cast(type[Any], OneOf(choice))
