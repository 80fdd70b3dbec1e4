"""On PostgreSQL, too, a club is upgraded whole or not at all. The first were of version 0006; all are tried."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from moderator.config import load
from moderator.store import probe, schema
from moderator.store.db import open_engine
from moderator.store.schema import HEAD
from tests.club.club import Club
from tests.clubs import versions
from tests.clubs.test_upgrade import columns_of, dying, opened, path, points, typed
from tests.servers import postgres

pytestmark = [pytest.mark.matrix("clubs"), pytest.mark.sqlite]
"""(It starts a server of its own.)"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    if postgres.program() is None:
        pytest.skip("postgresql is not installed")
    with postgres.Postgres.started() as started:
        yield started.url()


def moved(club: Club, url: str, version: str) -> Club:
    """The club with all its rows in PostgreSQL, in the tables of its version."""
    import psycopg

    engine = open_engine(url)
    schema.migrate(engine, version)
    engine.dispose()
    file = path(club)
    with psycopg.connect(url, options="-c timezone=UTC") as target, closing(sqlite3.connect(file)) as source:
        target.execute("SET session_replication_role = replica")  # so that tables may come in any order
        flags = "SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 'boolean'"
        booleans = set(target.execute(flags).fetchall())
        for table, columns in columns_of(file).items():
            if table == "alembic_version":
                continue
            names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
            for row in source.execute(f'SELECT {names} FROM "{table}"'):
                named = zip(columns, row, strict=True)
                values = [bool(value) if (table, name) in booleans else value for name, value in named]
                target.execute(f'INSERT INTO "{table}" ({names}) VALUES ({places})'.encode(), values)
            if "id" in columns:
                highest = f"SELECT setval(pg_get_serial_sequence('\"{table}\"', 'id'), max(id)) FROM \"{table}\""
                target.execute(highest.encode())
    file.unlink()
    with club.config.file.open("a", encoding="utf-8") as settings:
        settings.write(f'[store]\nurl = "{url}"\n')
    return Club(club.folder, load(club.config.file), club.now)


def content(url: str) -> list[object]:
    """Everything in it: columns, indices, rows."""
    import psycopg

    with psycopg.connect(url) as connection:
        shape = """SELECT table_name, column_name, data_type, is_nullable, column_default
            FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2"""
        found: list[object] = connection.execute(shape).fetchall()
        found += connection.execute("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1").fetchall()
        for (table,) in connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        ).fetchall():
            rows = connection.execute(f'SELECT "{table}"::text FROM "{table}" ORDER BY 1'.encode()).fetchall()
            found.append((table, rows))
    return found


@pytest.mark.parametrize("version", [version for version in versions() if version != HEAD])
def test_who_dies_on_the_way_is_where_he_began(server: str, version: str, tmp_path: Path) -> None:
    """After each statement up to the next version that has a club, after some others, and as all is committed."""
    club = opened(version, tmp_path)
    url = postgres.new_database(server, f"club_{version}")
    club = moved(club, url, version)
    before, last = content(url), dying(url, -1)
    assert last[-1] == "died"
    for after in points(version, last[:-1]):
        done = dying(url, after)
        assert done[-1] == "died"
        assert content(url) == before, (after, done[-2:])
    assert typed(club, "upgrade").exit_code == 0
    assert probe.version(url) == HEAD
    deep = typed(club, "doctor", "--deep").output
    assert ": 0 faults" in deep, deep
