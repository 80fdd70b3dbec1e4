"""Clubs whose database is on a real PostgreSQL."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.club.club import Club, make_club
from tests.servers import postgres


@pytest.fixture
def new_club(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Club]:
    """Makes a club whose database is on the server; takes more lines of settings."""

    def make(extra: str = "") -> Club:
        monkeypatch.setenv(postgres.VARIABLE, postgres_url)
        return make_club(tmp_path / "club", extra)

    return make


@pytest.fixture
def club(new_club: Callable[..., Club]) -> Club:
    made = new_club()
    made.players("Anna", "Bert", "Cici")
    return made
