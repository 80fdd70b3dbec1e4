"""Columns that several tables have: those that hold one word of a closed set, and a row's number."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Dialect, String
from sqlalchemy.types import TypeDecorator
from sqlmodel import Field, SQLModel

from moderator.common.enums import StoredEnum
from moderator.common.errors import StoreError


class StoredEnumType(TypeDecorator[StoredEnum]):
    """A column type that stores the words of ``choice`` as text. Reading a word that is not in the set raises
    StoreError."""

    impl = String
    cache_ok = True

    def __init__(self, choice: type[StoredEnum]) -> None:
        super().__init__()
        self.choice = choice
        self._members: dict[str, StoredEnum] = {member.value: member for member in choice}

    def process_bind_param(self, value: StoredEnum | None, dialect: Dialect) -> str | None:
        return None if value is None else self.choice(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> StoredEnum | None:
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


def build_enum_type(choice: type[StoredEnum]) -> type[Any]:
    """Build the ``sa_type`` of a table's field that holds one word of ``choice``; SQLModel takes instances as well as
    types."""
    return cast(type[Any], StoredEnumType(choice))


class NumberedRow(SQLModel):
    """A row that has a number when it is stored."""

    id: int | None = Field(default=None, primary_key=True)

    @property
    def number(self) -> int:
        """The primary key of a stored row."""
        assert self.id is not None
        return self.id
