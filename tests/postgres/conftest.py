"""A real PostgreSQL for the tests of this folder: the one of the run, or one of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.club.club import Club, make_club
from tests.servers import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """URL of a server; skipped where PostgreSQL is not installed, and a failure with REQUIRE_SERVERS=1."""
    given = os.environ.get(postgres.VARIABLE)
    if given:
        yield given
        return
    if postgres.program() is None:
        lacking = "postgresql is not installed (apt-get install postgresql)"
        if os.environ.get("REQUIRE_SERVERS") == "1":
            pytest.fail(lacking, pytrace=False)
        pytest.skip(lacking)
    with postgres.Postgres.started() as started:
        yield started.url()


@pytest.fixture
def new_club(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Club]:
    """Makes a club whose database is on the server; takes more lines of settings."""

    def make(extra: str = "") -> Club:
        monkeypatch.setenv(postgres.VARIABLE, server)
        return make_club(tmp_path / "club", extra)

    return make


@pytest.fixture
def club(new_club: Callable[..., Club]) -> Club:
    made = new_club()
    made.players("Anna", "Bert", "Cici")
    return made
