"""States and kinds: what is stored is the word, an unknown word is an error that says so, and mypy finds wrong ones."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Column, Enum, text
from sqlalchemy.exc import StatementError
from sqlmodel import SQLModel, select

from moderator.errors import StoreError
from moderator.states import Choice, MatchStatus
from moderator.store import schema
from moderator.store.column import OneOf
from moderator.store.db import Store, open_engine, open_store
from moderator.store.models import Match

ROOT = Path(__file__).parents[2]
COLUMNS: list[Column[Choice]] = [
    column for table in SQLModel.metadata.tables.values() for column in table.columns if isinstance(column.type, OneOf)
]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    engine = open_engine(tmp_path / "moderator.sqlite")
    schema.migrate(engine)
    engine.dispose()
    opened = open_store(tmp_path / "moderator.sqlite")
    yield opened
    opened.close()


def test_no_column_stores_the_names_of_members() -> None:
    """That is what SQLModel makes of an enumeration by itself."""
    columns = [column for table in SQLModel.metadata.tables.values() for column in table.columns]
    assert not [column for column in columns if isinstance(column.type, Enum)]
    assert {f"{column.table.name}.{column.name}" for column in COLUMNS} >= {
        "match.status",
        "inbox.state",
        "tournament.status",
    }


def test_the_word_is_stored_and_comes_back_as_a_member(store: Store) -> None:
    with store.transaction() as session:
        session.add(Match(code="X1", name="x", game="tridom", status=MatchStatus.SUSPENDED, created_at=NOW))
    with store.transaction() as session:
        stored = session.connection().execute(text("SELECT status FROM \"match\" WHERE code = 'X1'"))
        assert stored.scalar() == "suspended"
        found = session.exec(select(Match).where(Match.status == MatchStatus.SUSPENDED)).one()
        assert found.status is MatchStatus.SUSPENDED


@pytest.mark.slow
def test_a_word_that_there_is_not_is_neither_stored_nor_read(store: Store) -> None:
    with store.transaction() as session:
        session.add(Match(code="X1", name="x", game="tridom", created_at=NOW))
    with pytest.raises(StatementError, match="'runing' is not a valid MatchStatus"), store.transaction() as session:
        session.exec(select(Match).where(Match.status == "runing")).all()  # type: ignore[comparison-overlap]
    with store.transaction() as session:
        session.connection().execute(text("UPDATE \"match\" SET status = 'runing'"))
    words = "has 'runing' as MatchStatus; this program knows 'open', 'running'"
    with pytest.raises(StoreError, match=words), store.transaction() as session:
        session.exec(select(Match)).all()


def _wrong(column: Column[Choice]) -> list[str]:
    """Lines of a function body, each with a word for ``column`` that there is not."""
    models = {mapper.local_table: mapper.class_.__name__ for mapper in SQLModel._sa_registry.mappers}
    model, name = models[column.table], column.name
    return [
        f'models.{model}.model_construct().{name} = "runing"',
        f'print(models.{model}.model_construct().{name} == "runing")',
        f'print(models.{model}.model_construct().{name} in ("runing", "opne"))',
        f'select(models.{model}).where(models.{model}.{name} == "runing")',
        f'models.{model}(**ANYTHING, {name}="runing")',
    ]


@pytest.mark.matrix("store")
def test_mypy_finds_every_wrong_word(tmp_path: Path) -> None:
    """Assigned, compared, looked for among others, in a query and in a new row: for each column."""
    head = ["from typing import Any", "from sqlmodel import select", "from moderator.store import models"]
    head += ["ANYTHING: dict[str, Any] = {}"]
    body = [line for column in COLUMNS for line in _wrong(column)]
    assert len(body) >= 5 * 9
    right = ["from moderator.states import MatchStatus", "def right(m: models.Match) -> None:"]
    right += ["    m.status = MatchStatus.OPEN", "    print(m.status == MatchStatus.RUNNING, m.status.value == 'open')"]
    lines = [*head, *body, *right]
    path = tmp_path / "wrong.py"
    path.write_text("\n".join(lines) + "\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-pretty", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = {int(number) for number in re.findall(r"wrong\.py:(\d+): error: ", done.stdout)}
    wrong = range(len(head) + 1, len(head) + len(body) + 1)
    assert [lines[number - 1] for number in wrong if number not in found] == []
    assert [lines[number - 1] for number in sorted(found - set(wrong))] == [], done.stdout
